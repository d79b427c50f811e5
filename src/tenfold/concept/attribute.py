"""Attributes: the values there are, and the constraints that hypotheses may put on them.

Categories, nodes of a taxonomy and intervals of numbers are three lists of constraints. All that version spaces need is
derived from such a list: the most specific constraint for a value, joins, meets, and differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tenfold.concept.conjunction import ANYTHING, ClosedInterval, Kind, admits, includes

MAX_CONSTRAINTS = 1_000
"""constraints on one attribute, at most"""


@dataclass(frozen=True)
class Attribute:
    """The values of an attribute, and the constraints that hypotheses may put on it; the last is "?".

    Make one by `nominal`, `taxonomy` or `ordered`.

    Parameters
    ----------
    values : tuple
    constraints : tuple

    Examples
    --------
    >>> from tenfold.concept.attribute import Attribute
    >>> Attribute.nominal(["sun", "rain"]).constraints
    ('rain', 'sun', '?')
    >>> tree = Attribute.taxonomy({"circle": "round", "ellipse": "round", "square": "angular"})
    >>> [str(c) for c in tree.constraints]
    ['circle', 'ellipse', 'square', 'angular', 'round', '?']
    >>> [str(c) for c in Attribute.ordered([1, 2, 3]).constraints]
    ['1', '2', '3', '1..2', '2..3', '?']
    """

    values: tuple[Any, ...]
    constraints: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("an attribute must have a value at least")
        if len(self.constraints) > MAX_CONSTRAINTS:
            raise ValueError(f"an attribute has {len(self.constraints)} constraints, more than {MAX_CONSTRAINTS}")

    @classmethod
    def nominal(cls, values: Iterable[Any]) -> Attribute:
        """Categories in no order: a hypothesis names one, or any."""
        found = tuple(sorted(set(values)))
        if ANYTHING in found:
            raise ValueError('"?" means any value, and cannot be a value itself')
        return cls(found, (*found, ANYTHING))

    @classmethod
    def taxonomy(cls, parents: Mapping[Any, Any]) -> Attribute:
        """Values that are leaves of a tree: a hypothesis names a leaf, an inner node, or any.

        Parameters
        ----------
        parents : mapping
            The parent of each node. Leaves are values; nodes without a parent are children of "?".
        """
        inner = set(parents.values())
        leaves = tuple(sorted(set(parents) - inner))
        below: dict[Any, set[Any]] = {node: set() for node in inner}
        for leaf in leaves:
            node, steps = leaf, 0
            while node in parents:
                node, steps = parents[node], steps + 1
                if steps > len(parents):
                    raise ValueError(f"the taxonomy has a cycle above {leaf!r}")
                below[node].add(leaf)
        if not leaves:
            raise ValueError("the taxonomy has no leaves")
        kinds = [Kind(str(node), frozenset(some)) for node, some in below.items() if len(some) < len(leaves)]
        kinds.sort(key=lambda kind: (len(kind.values), kind.name))
        return cls(leaves, (*leaves, *kinds, ANYTHING))

    @classmethod
    def ordered(cls, values: Iterable[float]) -> Attribute:
        """Numbers: a hypothesis names one, an interval between two of them, or any."""
        found = tuple(sorted(set(values)))
        n = len(found)
        if n * (n + 1) // 2 > MAX_CONSTRAINTS:
            raise ValueError(f"{n} values have more than {MAX_CONSTRAINTS} intervals. Remedy: round them")
        some = [ClosedInterval(found[i], found[i + k]) for k in range(1, n - 1) for i in range(n - k)]
        return cls(found, (*found, *some, ANYTHING))

    def least(self, value: Any) -> Any:
        """The most specific constraint that allows a value."""
        if value not in self.values:
            raise ValueError(f"{value!r} is not a value of this attribute: it has {list(self.values)[:10]}")
        return value

    def join(self, a: Any, b: Any) -> Any:
        """The least general constraint that is at least as general as both."""
        return _join(self, a, b)

    def meet(self, a: Any, b: Any) -> Any:
        """The most general constraint that is at most as general as both, None if there is none."""
        return _meet(self, a, b)

    def without(self, constraint: Any, value: Any) -> tuple[Any, ...]:
        """The most general constraints below this one that do not allow a value."""
        return _without(self, constraint, value)

    def above(self, constraint: Any) -> tuple[Any, ...]:
        """All constraints that are at least as general as this one."""
        return tuple(c for c in self.constraints if includes(c, constraint))


@lru_cache(maxsize=4096)
def _join(attribute: Attribute, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    common = [c for c in attribute.constraints if includes(c, a) and includes(c, b)]
    return next(c for c in common if all(includes(other, c) for other in common))


@lru_cache(maxsize=4096)
def _meet(attribute: Attribute, a: Any, b: Any) -> Any:
    common = [c for c in attribute.constraints if includes(a, c) and includes(b, c)]
    return next((c for c in common if all(includes(c, other) for other in common)), None)


@lru_cache(maxsize=4096)
def _without(attribute: Attribute, constraint: Any, value: Any) -> tuple[Any, ...]:
    below = [c for c in attribute.constraints if includes(constraint, c) and not admits(c, value)]
    return tuple(c for c in below if not any(other != c and includes(other, c) for other in below))
