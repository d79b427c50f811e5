"""The texts of each column and how often each comes: what the most frequent text of a column is chosen from.

Texts are counted as they are, before features of text. Counts merge by addition, text by text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, Self

import numpy as np

from tenfold.core import Array, Chunk, Codes, Letters, Mergeable, Schema
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE
from tenfold.core.rows.texts import are_texts, pack, unpack
from tenfold.core.statistic import Grouped
from tenfold.estimator.analyzers import growing


class TextValues(Mergeable):
    """The texts of each column, sorted, column after column; and the weight of the rows that have each."""

    exact: ClassVar[bool] = True
    letters: Annotated[Letters, "byte"]
    ends: Annotated[Codes, "entry", COUNTS]
    count: Annotated[Array, "entry", NOT_NEGATIVE]
    first: Annotated[Codes, "boundary", COUNTS]
    """where the texts of each column begin, and where those of the last end"""
    missing: Annotated[Array, "column", NOT_NEGATIVE]
    by_weight = ("count", "missing")

    @classmethod
    def of(cls, columns: Sequence[Mapping[str, float]], missing: Array) -> Self:
        """Return the record of the weight of each text of each column."""
        each = [sorted(column) for column in columns]
        count = np.array([column[text] for column, some in zip(columns, each, strict=True) for text in some], float)
        first = np.cumsum([0, *map(len, each)], dtype=np.int64)
        return cls(*pack([text for some in each for text in some]), count, first, missing)

    @property
    def columns(self) -> list[dict[str, float]]:
        """The texts of each column in order, with their weights."""
        each = list(zip(unpack(self.letters, self.ends), self.count.tolist(), strict=True))
        return [dict(each[a:b]) for a, b in pairwise(self.first.tolist())]

    def __add__(self, other: Self) -> Self:
        missing = self.missing + other.missing
        columns = [
            {text: mine.get(text, 0.0) + theirs.get(text, 0.0) for text in mine | theirs}
            for mine, theirs in zip(self.columns, other.columns, strict=True)
        ]
        return self.of(columns, missing)

    def modes(self) -> list[str | None]:
        """Return the most frequent text of each column, the first of equals; None of a column without texts."""
        return [max(column, key=column.__getitem__) if column else None for column in self.columns]

    def is_valid(self, schema: Schema) -> bool:
        """Whether the texts of each column are in order, each once."""
        ends = self.first.tolist()
        if ends[0] != 0 or ends[-1] != len(self.ends) or any(a > b for a, b in pairwise(ends)):
            return False
        if not are_texts(self.letters, self.ends, distinct=False):
            return False
        texts = unpack(self.letters, self.ends)
        return all(texts[a:b] == sorted({*texts[a:b]}) for a, b in pairwise(ends))


class TextValuesByColumn(Grouped[TextValues]):
    """The texts of each column and how often each comes."""

    def summarize(self, chunk: Chunk) -> TextValues:
        columns, missing = [], np.zeros(chunk.X.shape[1])
        for j in range(chunk.X.shape[1]):
            texts, places = chunk.X.column(j).tolist(), growing()
            codes = np.fromiter(map(places.__getitem__, texts), np.int64, len(texts))
            column = dict(zip(places, np.bincount(codes, chunk.weight, len(places)).tolist(), strict=True))
            missing[j] = column.pop(None, 0.0)  # type: ignore[call-overload]
            columns.append(column)
        return TextValues.of(columns, missing)
