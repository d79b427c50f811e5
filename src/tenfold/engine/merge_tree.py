"""Fixed binary tree in which summaries merge, whatever computes them.

Summaries are merged by a binary counter over the part index: the shape of the tree depends on the
number of parts alone, never on who finished first, so the bits do not depend on threads or
workers. At any time O(log parts) summaries are alive.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class MergeTree:
    """Summaries pushed in the order of their parts, merged as a balanced tree."""

    def __init__(self) -> None:
        self._stack: list[tuple[int, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._stack)

    def push(self, summary: Any) -> None:
        """Add the next part's summary."""
        height = 0
        while self._stack and self._stack[-1][0] == height:
            summary = self._stack.pop()[1] + summary
            height += 1
        self._stack.append((height, summary))

    def total(self) -> Any:
        """The merge of all, the unfinished subtrees collapsed from right to left."""
        stack = list(self._stack)
        if not stack:
            raise ValueError("there are no summaries to merge")
        summary = stack.pop()[1]
        while stack:
            summary = stack.pop()[1] + summary
        return summary


def merge(summaries: Iterable[Any]) -> Any:
    """The merge of summaries given in the order of their parts."""
    tree = MergeTree()
    for summary in summaries:
        tree.push(summary)
    return tree.total()


def runs(parts: range, most: int) -> list[range]:
    """Split the parts into at most n aligned subtrees; merging these gives the same tree."""
    size = 1
    while len(parts) > most * size:
        size *= 2
    return [parts[at : at + size] for at in range(0, len(parts), size)]
