"""The order in which leaves merge: a tree that is a function of the set of their names.

A treap: a search tree by the order of the keys, and a heap by the hashes of the names. Whatever came and went before,
the same set of leaves is the same tree, so that its merge has the same bits; another leaf changes about log n nodes;
and a range of the keys shares most of its nodes with the whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class MergeNode(NamedTuple):
    """A leaf, between the merges of those below it before and after: (left + leaf) + right."""

    name: str
    left: MergeNode | None
    right: MergeNode | None
    first: str
    """the first leaf below it, in order"""
    last: str
    leaves: int
    """how many there are below it, itself too"""
    stamp: str
    """what the leaves below are known by: their names, their tags, and their tree"""


def priority(name: str) -> bytes:
    """How far up in the tree a leaf is: by chance, but always the same."""
    return hashlib.blake2b(name.encode(), digest_size=16).digest()


def merge_order(names: Sequence[str], tags: Sequence[str]) -> MergeNode | None:
    """Return the tree of leaves that are sorted by key, in one pass along its right edge."""
    spine: list[tuple[str, bytes, str, MergeNode | None]] = []
    for name, tag in zip(names, tags, strict=True):
        mine, below = priority(name), None
        while spine and spine[-1][1] < mine:
            below = _made(*spine.pop(), below)
        spine.append((name, mine, tag, below))
    below = None
    while spine:
        below = _made(*spine.pop(), below)
    return below


def _made(name: str, _: bytes, tag: str, left: MergeNode | None, right: MergeNode | None) -> MergeNode:
    stamps = ("-" if node is None else node.stamp for node in (left, right))
    text = "|".join((name, tag, *stamps))
    return MergeNode(
        name, left, right,
        name if left is None else left.first,
        name if right is None else right.last,
        1 + sum(node.leaves for node in (left, right) if node is not None),
        hashlib.blake2b(text.encode(), digest_size=16).hexdigest(),
    )  # fmt: skip


def nodes_of(root: MergeNode | None) -> Iterator[MergeNode]:
    """Yield all nodes of a tree, each before those below it."""
    left = [] if root is None else [root]
    while left:
        node = left.pop()
        yield node
        left += [below for below in (node.right, node.left) if below is not None]
