"""Rows held as they are, for learners made of learners: theirs change what they make of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tenfold.core import Chunk, Columns


class Rows(NamedTuple):
    """All that there is of a chunk, without what it belongs to: it is pickled."""

    data: Any
    names: Any
    missing: bool
    start: int
    kept: Any
    place: str
    y: Any
    weight: Any
    uniform: bool
    part: int
    offset: int
    first_place: int
    picked: Any
    side: Any
    starts: Any

    @property
    def X(self) -> Columns:
        """The columns."""
        more: dict[str, Any] = {"offset": self.start, "kept": self.kept, "place": self.place}
        return Columns(self.data, self.names, missing=self.missing, **more)

    def weighing(self, weight: Any, uniform: bool) -> Chunk:
        """The chunk, with other weights."""
        chunk = Chunk(self.X, self.y, weight, uniform, self.part, self.offset)
        return chunk._replace(first_place=self.first_place, picked=self.picked, side=self.side, starts=self.starts)


def hold(chunk: Chunk) -> Rows:
    """The lens: rows as they are."""
    X = chunk.X
    return Rows(
        X.data, X.names, X.missing, X.offset, X.kept, X.place, chunk.y, chunk.weight, chunk.uniform, chunk.part,
        chunk.offset, chunk.first_place, chunk.picked, chunk.side, chunk.starts,
    )  # fmt: skip
