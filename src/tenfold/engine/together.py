"""Many summaries from one scan: of several learners, and of groups of rows.

Every part is loaded once for each need; each learner summarizes its rows, or the rows of each group by itself. What
belongs to a group merges in the same fixed tree as everything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tenfold.core import Chunk, Codes
from tenfold.engine.tree import Tree
from tenfold.sources import Source


class Item(Protocol):
    """What is wanted of the rows."""

    need: Any
    schema: Any
    key: Any

    def summarize(self, chunk: Chunk, codes: Codes) -> Any:
        """Of a chunk, whose rows have these groups."""


@dataclass(frozen=True, eq=False)
class Together:
    """The summaries of several items."""

    items: tuple[Any, ...]

    def parts(self, source: Source) -> range:
        """All of them."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Many:
        """The summaries of one part."""
        trees = [Tree() for _ in self.items]
        for at, chunk, codes in self.chunks(source, part):
            trees[at].push(self.items[at].summarize(chunk, codes))
        return Many(tuple(tree.total() for tree in trees))

    def chunks(self, source: Source, part: int) -> Iterator[tuple[int, Chunk, Any]]:
        """Number of an item, chunk and groups of its rows: every chunk for every item, each loaded once a need."""
        needs: dict[tuple[Any, int], list[int]] = {}
        for at, item in enumerate(self.items):
            needs.setdefault((item.need, id(item.schema)), []).append(at)
        with source.once(part, len(needs)):
            for (need, _), places in needs.items():
                coders = {key: key.coder(part) for key in {self.items[at].key for at in places}}
                for chunk in source.chunks(part, need, self.items[places[0]].schema):
                    codes = {key: coder(chunk) for key, coder in coders.items()}
                    for at in places:
                        yield at, chunk, codes[self.items[at].key]


class Many:
    """Several summaries, merged side by side."""

    __slots__ = ("each",)

    def __init__(self, each: tuple[Any, ...]) -> None:
        self.each = each

    def __add__(self, other: Many) -> Many:
        return Many(tuple(a + b for a, b in zip(self.each, other.each, strict=True)))
