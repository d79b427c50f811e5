"""Where rows come from: an ordered list of parts, and a schema for each need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from tenfold.core import Chunk, DataError, Need, Schema
from tenfold.core.chunk import NESTED, PART


class Source(ABC):
    """An ordered list of parts that any worker can load by itself.

    A part is loaded as a view for one need; the same rows serve several learners in several
    views. What a column or the target holds is itself found by merging: each part has a schema,
    and schemas add up.
    """

    def __init__(self) -> None:
        self._found: dict[Need, Schema] = {}
        self.beside: Any = None
        """what comes along with the rows unless a need names another column: an entry for each, or a column's name"""
        self.first_part = 0
        """from which parts are numbered when rows are drawn: a model that learns more goes on where it was"""

    @abstractmethod
    def __len__(self) -> int:
        """How many parts there are."""

    @abstractmethod
    def load(self, part: int, need: Need, schema: Schema) -> Chunk:
        """One part as a view for a need, its categories and classes coded by the schema."""

    def chunks(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """One part in pieces that fit in memory: one, unless it is large."""
        yield self.load(part, need, schema)

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

    def hashes(self) -> Any:
        """48 bits for each of some rows or parts, by which they are recognised wherever they stand; or none."""
        return np.zeros(0, np.uint64)

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

    def known(self, need: Need) -> Schema | None:
        """The schema for a need if no scan is left to do."""
        if need not in self._found and not self.scans_for(need):
            self._found[need] = self.schema_of(0, need)
        return self._found.get(need)

    def remember(self, need: Need, schema: Schema) -> Schema:
        """Keep a schema that a scan has found."""
        return self._found.setdefault(need, schema)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise DataError(
            "a Source has no rows in memory, so it cannot become an array. Give it to a tenfold "
            "learner, or load the rows yourself and pass an array"
        )
