"""Directed acyclic graphs: an order in which parents come first, ancestors, and d-separation.

A graph is the parents of each node, by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Parents: TypeAlias = tuple[tuple[int, ...], ...]
"""the parents of each node"""


def parents_first(parents: Parents) -> list[int]:
    """The nodes in an order in which each comes after its parents; fewer than all, if there is a cycle."""
    children = children_of(parents)
    waits = [len(some) for some in parents]
    order = [node for node, count in enumerate(waits) if not count]
    for node in order:  # which grows
        for child in children[node]:
            waits[child] -= 1
            if not waits[child]:
                order.append(child)
    return order


def children_of(parents: Parents) -> list[list[int]]:
    """Children of each node, from the parents of each node."""
    children: list[list[int]] = [[] for _ in parents]
    for node, some in enumerate(parents):
        for parent in some:
            children[parent].append(node)
    return children


def ancestors(parents: Parents, nodes: Iterable[int]) -> set[int]:
    """The nodes, their parents, the parents of those, and so on."""
    found: set[int] = set()
    look = list(nodes)
    while look:
        node = look.pop()
        if node not in found:
            found.add(node)
            look.extend(parents[node])
    return found


def reachable(parents: Parents, start: Iterable[int], given: Sequence[int]) -> set[int]:
    """The nodes that some path of the graph connects with the start, when these are given (the Bayes ball).

    A chain or a fork is cut by a node that is given; where two arrows meet, by one of which nothing is given, neither
    itself nor any descendant.
    """
    known, opened = set(given), ancestors(parents, given)
    children = children_of(parents)
    look = [(node, True) for node in start]  # True: we come from a child, against the arrow
    seen: set[tuple[int, bool]] = set()
    found: set[int] = set()
    while look:
        node, up = at = look.pop()
        if at in seen:
            continue
        seen.add(at)
        if node not in known:
            found.add(node)
            look.extend((child, False) for child in children[node])
        if (node not in known) if up else (node in opened):
            look.extend((parent, True) for parent in parents[node])
    return found
