"""Version spaces: all hypotheses of a language that agree with every example, held by their two boundaries.

A conjunction is in the version space if it is at least as general as a member of S, the specific boundary, and at most
as general as a member of G, the general one. Both boundaries are by strict order: no other member is more specific, or
more general. What two sets of examples leave is the intersection of what each leaves, so version spaces merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from math import prod
from typing import Any

import numpy as np

from tenfold.concept.attribute import Attribute
from tenfold.concept.conjunction import ANYTHING, Conjunction, admits, covers, includes
from tenfold.core import Array, Codes, DataError

MAX_COUNTING_STATES = 200_000
"""maximum number of distinct sets of members of the general boundary while hypotheses are counted"""
MAX_QUERY_POINTS = 1_000_000
"""rows among which a question is looked for, at most"""
ROWS_PER_BLOCK = 4_096
"""rows on which hypotheses vote at a time"""
MAX_GENERAL_MEMBERS = 2_000
"""members of the general boundary, at most; four times as many are compared to find them"""
MAX_LISTED_HYPOTHESES = 100_000
"""hypotheses that are listed one by one, at most"""


@dataclass(frozen=True)
class VersionSpace:
    """All conjunctions that agree with the examples so far, by their boundaries.

    Parameters
    ----------
    attributes : sequence of Attribute or of lists
        The attributes of a row; a list has the categories of one.
    specific : tuple of Conjunction, optional
        The boundary S: one conjunction, or none if no hypothesis is left. By default the empty hypothesis.
    general : tuple of Conjunction, optional
        The boundary G. By default the one that covers everything.

    Attributes
    ----------
    size : int
        How many hypotheses are left.
    is_empty, has_converged : bool
        Whether none is left, or exactly one.

    See Also
    --------
    CandidateElimination : The classifier that learns a version space of rows.
    VersionSpaceDisplay : Draws one.

    Examples
    --------
    >>> from tenfold import VersionSpace
    >>> space = VersionSpace([["rain", "sun"], ["cold", "warm"]])
    >>> space.size
    10
    >>> space = space.learn(["sun", "warm"], True)
    >>> space.specific, space.general, space.size
    ((<sun, warm>,), (<?, ?>,), 4)
    >>> space.query()
    ('rain', 'warm')
    >>> space = space.learn(["rain", "warm"], False)
    >>> space.general, space.classify(["sun", "cold"])
    ((<sun, ?>,), None)
    >>> space.learn(["sun", "cold"], True).has_converged
    True
    """

    attributes: tuple[Attribute, ...]
    specific: tuple[Conjunction, ...]
    general: tuple[Conjunction, ...]

    def __init__(
        self,
        attributes: Iterable[Attribute | Iterable[Any]],
        specific: Iterable[Conjunction] | None = None,
        general: Iterable[Conjunction] | None = None,
    ) -> None:
        known = tuple(a if isinstance(a, Attribute) else Attribute.nominal(a) for a in attributes)
        if not known:
            raise ValueError("a version space needs an attribute at least")
        low = [Conjunction([None] * len(known))] if specific is None else specific
        high = [Conjunction([ANYTHING] * len(known))] if general is None else general
        object.__setattr__(self, "attributes", known)
        object.__setattr__(self, "specific", tuple(low))
        object.__setattr__(self, "general", tuple(sorted(set(high), key=str)))
        if len(self.specific) > 1 or bool(self.specific) != bool(self.general):
            raise ValueError("the specific boundary has one member, or both boundaries have none")

    @property
    def is_empty(self) -> bool:
        """Whether no hypothesis agrees with all examples."""
        return not self.specific

    @property
    def has_converged(self) -> bool:
        """Whether one hypothesis is left: the concept is identified."""
        return self.specific == self.general != ()

    def __contains__(self, hypothesis: object) -> bool:
        return (
            isinstance(hypothesis, Conjunction)
            and any(s <= hypothesis for s in self.specific)
            and any(hypothesis <= g for g in self.general)
        )

    def learn(self, row: Sequence[Any], label: bool) -> VersionSpace:
        """Return the version space after one more example.

        Parameters
        ----------
        row : sequence
            A value for each attribute.
        label : bool
            Whether the row is a positive.

        Returns
        -------
        space : VersionSpace
            Perhaps an empty one. More than 2,000 most general hypotheses are an error.
        """
        row = self._checked(row)
        if self.is_empty:
            return self
        return self._after_positive(row) if label else self._after_negative(row)

    def learn_all(self, rows: Iterable[Sequence[Any]], labels: Iterable[bool]) -> VersionSpace:
        """Return the version space after several examples, one after another.

        Parameters
        ----------
        rows : sequence of rows
        labels : sequence of bool

        Returns
        -------
        space : VersionSpace
        """
        space = self
        for row, label in zip(rows, labels, strict=True):
            space = space.learn(row, bool(label))
        return space

    def _checked(self, row: Sequence[Any]) -> Sequence[Any]:
        if len(row) != len(self.attributes):
            raise ValueError(f"the row has {len(row)} values, and there are {len(self.attributes)} attributes")
        return row

    def _after_positive(self, row: Sequence[Any]) -> VersionSpace:
        each = zip(self.attributes, self.specific[0].constraints, row, strict=True)
        specific = Conjunction(a.join(s, a.least(value)) for a, s, value in each)
        return self._between(specific, [g for g in self.general if covers(g, row)])

    def _after_negative(self, row: Sequence[Any]) -> VersionSpace:
        for attribute, value in zip(self.attributes, row, strict=True):
            attribute.least(value)
        specific = self.specific[0]
        if covers(specific, row):
            return VersionSpace(self.attributes, (), ())
        each = (self._specialized(g, row) if covers(g, row) else (g,) for g in self.general)
        return self._between(specific, chain.from_iterable(each))

    def _specialized(self, g: Conjunction, row: Sequence[Any]) -> Iterator[Conjunction]:
        """Most general specialisations of a conjunction that do not cover a row."""
        for j, attribute in enumerate(self.attributes):
            for constraint in attribute.without(g.constraints[j], row[j]):
                yield Conjunction((*g.constraints[:j], constraint, *g.constraints[j + 1 :]))

    def _between(self, specific: Conjunction, general: Iterable[Conjunction]) -> VersionSpace:
        """The space of these boundaries: the maximal ones of those that are above the specific one."""
        above = set[Conjunction]()
        for g in general:
            if specific <= g:
                above.add(g)
            if len(above) > 4 * MAX_GENERAL_MEMBERS:
                raise _too_many()
        found = _maximal(list(above))
        if len(found) > MAX_GENERAL_MEMBERS:
            raise _too_many()
        if specific.covers_nothing and not found:  # every row there can be is a negative
            found = [specific]
        return VersionSpace(self.attributes, (specific,) if found else (), found)

    def __and__(self, other: VersionSpace) -> VersionSpace:
        """Intersect two version spaces: the version space of the examples of both."""
        if self.attributes != other.attributes:
            raise ValueError("version spaces of other attributes have no intersection")
        if self.is_empty or other.is_empty:
            return VersionSpace(self.attributes, (), ())

        each = zip(self.attributes, self.specific[0].constraints, other.specific[0].constraints, strict=True)
        specific = Conjunction(attribute.join(a, b) for attribute, a, b in each)
        mine, theirs = ([g for g in space.general if specific <= g] for space in (self, other))
        return self._between(specific, (self._meet(a, b) for a, b in product(mine, theirs)))

    def _meet(self, a: Conjunction, b: Conjunction) -> Conjunction:
        """The most general conjunction that is at most as general as both."""
        each = zip(self.attributes, a.constraints, b.constraints, strict=True)
        return Conjunction(attribute.meet(x, y) for attribute, x, y in each)

    # ---- counting ------------------------------------------------------------------------------

    @cached_property
    def _options(self) -> list[list[tuple[Any, int]]]:
        """Constraints of members for each attribute, with the members of the general boundary that allow each."""
        nothing = self.specific[0].covers_nothing
        out = []
        for j, attribute in enumerate(self.attributes):
            some = attribute.constraints if nothing else attribute.above(self.specific[0].constraints[j])
            bits = [sum(1 << i for i, g in enumerate(self.general) if includes(g.constraints[j], c)) for c in some]
            out.append([(c, b) for c, b in zip(some, bits, strict=True) if b])
        return out

    def _total(self, one: Any, worth: Callable[[int, Any], Any]) -> Any:
        """Sum over all members, except the empty one, of the product of the values of their constraints."""
        alive = {(1 << len(self.general)) - 1: one}
        for j, options in enumerate(self._options):
            following: dict[int, Any] = {}
            for constraint, bits in options:
                factor = worth(j, constraint)
                for members, total in alive.items():
                    if left := members & bits:
                        following[left] = following.get(left, 0) + total * factor
            alive = following
            if len(alive) > MAX_COUNTING_STATES:
                raise DataError(
                    f"the version space has {len(self.general)} most general hypotheses, too many to count what lies "
                    "between the boundaries. Remedy: fewer columns, or more rows"
                )
        return sum(alive.values())

    @cached_property
    def size(self) -> int:
        """Number of hypotheses in the version space."""
        if self.is_empty:
            return 0
        return int(self._total(1, lambda j, constraint: 1)) + self.specific[0].covers_nothing

    def votes(self, rows: Iterable[Sequence[Any]]) -> Array:
        """How many of the hypotheses cover each row.

        Parameters
        ----------
        rows : sequence of rows

        Returns
        -------
        votes : array of shape (rows,)
        """
        given = list(map(self._checked, rows))
        out = np.zeros(len(given))
        for start in () if self.is_empty else range(0, len(given), ROWS_PER_BLOCK):
            coded = [_coded(column) for column in zip(*given[start : start + ROWS_PER_BLOCK], strict=True)]

            def worth(j: int, constraint: Any, coded: list[tuple[list[Any], Codes]] = coded) -> Array:
                values, at = coded[j]
                return np.array([admits(constraint, value) for value in values], dtype=np.float64)[at]

            out[start : start + ROWS_PER_BLOCK] = self._total(np.ones(len(coded[0][1])), worth)
        return out

    def classify(self, row: Sequence[Any], *, vote: bool = False) -> bool | None:
        """Whether all hypotheses cover a row, or none.

        Parameters
        ----------
        row : sequence
        vote : bool, default=False
            Let the majority decide where they disagree.

        Returns
        -------
        bool or None
            None: they disagree, or are as many on either side; or none is left.
        """
        row = self._checked(row)
        if self.is_empty:
            return None
        if covers(self.specific[0], row):
            return True
        if not any(covers(g, row) for g in self.general):
            return False
        more = 2 * self.votes([row])[0] - self.size
        return bool(more > 0) if vote and more else None

    def members(self) -> Iterator[Conjunction]:
        """All hypotheses that are left, the specific ones first; a list of at most 100,000.

        Returns
        -------
        iterator of Conjunction
        """
        if self.size > MAX_LISTED_HYPOTHESES:
            raise DataError(f"{self.size:,} hypotheses are too many to list: the limit is {MAX_LISTED_HYPOTHESES:,}")
        if self.is_empty:
            return
        if self.specific[0].covers_nothing:
            yield self.specific[0]
        part: list[tuple[tuple[Any, ...], int]] = [((), (1 << len(self.general)) - 1)]
        for options in self._options:
            part = [(some + (c,), m & b) for some, m in part for c, b in options if m & b]
        yield from (Conjunction(constraints) for constraints, _ in part)

    # ---- using it ------------------------------------------------------------------------------

    def points(self) -> Iterator[tuple[Any, ...]]:
        """All rows that there can be.

        Returns
        -------
        iterator of tuple
        """
        count = prod(len(a.values) for a in self.attributes)
        if count > MAX_QUERY_POINTS:
            raise DataError(
                f"there can be {count:,} rows, more than {MAX_QUERY_POINTS:,}. Remedy: name those to look at"
            )
        return product(*(a.values for a in self.attributes))

    def query(self, rows: Iterable[Sequence[Any]] | None = None) -> tuple[Any, ...] | None:
        """The most informative row to label: the one that comes closest to halving the version space.

        Parameters
        ----------
        rows : sequence of rows, optional
            Those that can be asked for; by default all that there can be.

        Returns
        -------
        tuple or None
            The first of equals. None: all hypotheses agree on every row.
        """
        some = [tuple(row) for row in (self.points() if rows is None else rows)]
        votes = self.votes(some)
        less = np.minimum(votes, self.size - votes)
        return some[int(less.argmax())] if len(less) and less.max() > 0 else None

    def posterior(self, prior: Callable[[Conjunction], float] | None = None) -> dict[Conjunction, float]:
        """P(h | examples) of each hypothesis that is left: its prior probability, in the share that is left.

        Parameters
        ----------
        prior : callable, optional
            P(h), up to a factor; by default uniform, so that each has 1 over the size.

        Returns
        -------
        dict
        """
        each = {h: 1.0 if prior is None else float(prior(h)) for h in self.members()}
        total = sum(each.values())
        if not total > 0:
            raise ValueError("the prior leaves no hypothesis that agrees with the examples")
        return {h: p / total for h, p in each.items()}

    def is_exhausted(
        self,
        eps: float,
        target: Conjunction,
        weight: Mapping[tuple[Any, ...], float] | None = None,
        *,
        strict: bool = True,
    ) -> bool:
        """Whether every hypothesis that is left has an error below `eps`, exactly.

        By Haussler's theorem, m examples fail to do that with probability at most n exp(-eps m), where n is the number
        of hypotheses at the start: `theory.failure_probability`. A hypothesis whose error is `eps` survives m examples
        with probability (1 - eps)ᵐ at most, as one with a larger error does; so the theorem promises errors below
        `eps`, and that is the default. Texts that ask for errors of at most `eps` ask for less: `strict=False`.

        Parameters
        ----------
        eps : float
        target : Conjunction
            The concept that is learned.
        weight : mapping of rows to numbers, optional
            The distribution of rows; by default uniform over all that there can be.
        strict : bool, default=True
            Whether errors are to be below `eps`; if not, at most `eps`.

        Returns
        -------
        bool

        Examples
        --------
        >>> from tenfold import Conjunction, VersionSpace
        >>> space = VersionSpace([["a", "b"]] * 2).learn(("a", "a"), True)
        >>> target = Conjunction(["a", "?"])
        >>> space.largest_error(target)
        0.5
        >>> space.is_exhausted(0.5, target), space.is_exhausted(0.5, target, strict=False)
        (False, True)
        """
        worst = self.largest_error(target, weight)
        return worst < eps if strict else worst <= eps

    def largest_error(self, target: Conjunction, weight: Mapping[tuple[Any, ...], float] | None = None) -> float:
        """The error of the worst hypothesis that is left: the weight of rows on which it and the target differ.

        Parameters
        ----------
        target : Conjunction
        weight : mapping of rows to numbers, optional

        Returns
        -------
        float
            0 if none is left.
        """
        rows = list(self.points()) if weight is None else list(weight)
        heft = np.ones(len(rows)) if weight is None else np.array([weight[row] for row in rows], dtype=np.float64)
        truth = np.array([covers(target, row) for row in rows])
        wrong = (heft[truth != np.array([covers(h, row) for row in rows])].sum() for h in self.members())
        return float(max(wrong, default=0.0) / heft.sum())


def _maximal(some: list[Conjunction]) -> list[Conjunction]:
    """Maximal elements of some distinct conjunctions."""
    if len(some) < 2:
        return some
    left, right = [], []
    for column in zip(*(g.constraints for g in some), strict=True):
        values, at = _coded(column)
        outside = np.array([[not includes(b, a) for b in values] for a in values], dtype=np.float32)
        left.append(outside[at])
        right.append(np.eye(len(values), dtype=np.float32)[at])
    outside, has = np.concatenate(left, axis=1), np.concatenate(right, axis=1).T
    found = []
    for start in range(0, len(some), ROWS_PER_BLOCK // 4):
        # no constraint of the other one leaves out its own
        above = outside[start : start + ROWS_PER_BLOCK // 4] @ has == 0
        lone = np.count_nonzero(above, axis=1) == 1  # itself
        found += [some[start + k] for k in np.flatnonzero(lone).tolist()]
    return found


def _too_many() -> DataError:
    return DataError(
        f"the version space has more than {MAX_GENERAL_MEMBERS:,} most general hypotheses. "
        f"Remedy: fewer attributes or values, "
        "positive examples before negative ones, or FindS, which needs the specific boundary only"
    )


def _coded(column: Sequence[Any]) -> tuple[list[Any], Codes]:
    """The distinct values of a column, and which of them each row has."""
    known = {value: k for k, value in enumerate(dict.fromkeys(column))}
    return list(known), np.array([known[value] for value in column], dtype=np.int64)
