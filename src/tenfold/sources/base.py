"""Where rows come from: an ordered list of parts, and a schema for each need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from difflib import get_close_matches
from typing import Any, NoReturn, Self

import numpy as np

from tenfold.core import Chunk, DataError, Need, Schema
from tenfold.core.chunk import NESTED, PART
from tenfold.sources import sequences, validation


class Source(ABC):
    """An ordered list of parts that any worker can load by itself.

    A part is loaded as a view for one need; the same rows serve several learners in several
    views. What a column or the target holds is itself found by merging: each part has a schema,
    and schemas add up.

    A subclass brings `read`; whoever wants rows calls `chunks`, which checks what `read` gives.
    """

    names: tuple[str, ...]
    """of the columns that are features"""
    named: bool = False
    """whether the user gave the names"""
    sequence: str | None = None
    """the column that says to which sequence a row belongs, if the user named it"""
    counted: int | None = None
    """how many rows there are; None if rows must be read to know"""

    def __init__(self) -> None:
        self._found: dict[Need, Schema] = {}
        self._warned: set[str] = set()
        self.side: dict[str, Any] = {}
        """what comes along with the rows, whatever the need: an entry for each row, or the name of a column"""
        self.first_part = 0
        """from which parts are numbered when rows are drawn: a model that learns more goes on where it was"""

    @abstractmethod
    def __len__(self) -> int:
        """How many parts there are."""

    @abstractmethod
    def read(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """Yield one part in pieces that fit in memory, as `chunks` does, without the checks that all sources share."""

    def chunks(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """Yield one part in pieces that fit in memory (one, unless it is large), as a view for a need.

        Categories and classes are coded by the schema. What a learner cannot take is an error.
        """
        self.check_columns(schema)
        read = self.read if need.sequence is None else self.read_sequences
        for chunk in read(part, need, schema):
            yield validation.check_chunk(chunk, need, schema, self.target_error)

    def read_sequences(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """Yield the sequences that begin in one part, whole: `read` for a need of sequences."""
        return sequences.read(self, part, need, schema)

    def head(self, part: int, need: Need, schema: Schema, rows: int) -> Iterator[Chunk]:
        """Yield the first rows of a part, so many with those of weight zero: `read`, but no more of it than that."""
        for chunk in self.read(part, need, schema):
            some = int(np.searchsorted(chunk.X.numbers(), chunk.offset + rows))
            yield chunk if some == chunk.n else chunk.rows(slice(0, some))
            rows -= chunk.n + chunk.dropped
            if rows <= 0:
                return

    def sequence_column(self, need: Need) -> str:
        """The column that says to which sequence a row belongs."""
        name = need.sequence or self.sequence
        if name is None:
            raise DataError(
                "nothing says to which sequence a row belongs. Remedy: name the column, tenfold.scan(..., sequence=...)"
            )
        if name in self.names and name not in self.side:
            raise DataError(
                f"column {name!r} says to which sequence a row belongs, and is a feature too. Remedy: "
                f"tenfold.scan(..., sequence={name!r})"
            )
        return name

    def load(self, part: int, need: Need, schema: Schema) -> Chunk:
        """One part that is no larger than one piece."""
        (chunk,) = self.chunks(part, need, schema)
        return chunk

    def check_columns(self, schema: Schema) -> None:
        """Refuse a schema of other columns, before anything is read."""
        validation.check_columns(self.names, self.named, schema)

    def target_error(self, part: int, row: int) -> DataError:
        """The error for a target that is missing or infinite in a row."""
        return DataError(
            f"Input y contains NaN or infinity: the target is missing or not finite in row {row}. Remedy: leave out "
            "the rows without a target"
        )

    def check_schema(self, need: Need, schema: Schema) -> None:
        """Refuse, or warn of, categories that are hardly meant as such; the schema is of all rows."""
        self._check_categories(need, schema, set(), "give a frame in which the column has the type category")

    def _check_categories(self, need: Need, schema: Schema, chosen: set[str], keep: str) -> None:
        validation.refuse_continuous_categories(schema, need, chosen)
        self._warned |= validation.warn_of_numbers_as_text(schema, need, chosen | self._warned, keep)

    def first_place(self, part: int) -> int:
        """Where the first row of a part stands."""
        return (self.first_part + part) % (NESTED // PART) * PART

    @abstractmethod
    def schema_of(self, part: int, need: Need) -> Schema:
        """What one part holds."""

    @abstractmethod
    def scans_for(self, need: Need) -> bool:
        """Whether every part must be read to know the schema, or one says it all."""

    @abstractmethod
    def fingerprint(self) -> str:
        """A short text by which this data is recognised."""

    @contextmanager
    def once(self, part: int, needs: int) -> Iterator[None]:
        """Within this block a part is read for so many needs: what was read of it may be kept for the next."""
        yield

    def in_memory(self) -> int:
        """Bytes of rows that this process has: workers elsewhere would need a copy. 0 if they read by themselves."""
        return 0

    def graph(self) -> Any:
        """The source whose parts are nodes of a cluster's own graph, or None: a worker can load a part by itself."""
        return None

    def with_side(self, name: str, values: Any) -> Self:
        """The same rows; as `chunk.side[name]` an entry for each comes along, or the column that is named."""
        other = copy(self)
        other.side = {**self.side, name: values}
        return other

    def known(self, need: Need) -> Schema | None:
        """The schema for a need if no scan is left to do. What comes along does not change it."""
        need = need.of_schema()
        if need not in self._found and not self.scans_for(need):
            self._found[need] = self.schema_of(0, need)
        return self._found.get(need)

    def remember(self, need: Need, schema: Schema) -> Schema:
        """Keep a schema that a scan has found."""
        need = need.of_schema()
        self.check_schema(need, schema)
        return self._found.setdefault(need, schema)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise DataError(
            "a Source has no rows in memory, so it cannot become an array. Give it to a tenfold "
            "learner, or load the rows yourself and pass an array"
        )


def no_column(name: str, names: Sequence[str]) -> DataError:
    """The error for a column that is not there, with those that it may have been meant for."""
    near = get_close_matches(str(name), [str(n) for n in names], 3)
    hint = f"; did you mean {near}?" if near else f"; there are {list(names)[:20]}"
    return DataError(f"there is no column {name!r}{hint}")
