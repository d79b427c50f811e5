"""Probability tables: the joint distribution of a few variables, and what follows from it.

A table holds counts or probabilities of all combinations of values. Counts of two parts, days or sites add up, with
values that only one of them saw; probabilities are shares of the sum.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Flags
from tenfold.naive_bayes.coded_draws import coded
from tenfold.stats.counts.information import mutual_information

Values: TypeAlias = Hashable | Iterable[Hashable]
"""a value of a variable, or several of them"""
Event: TypeAlias = Mapping[str, Values]
"""values of variables, by their names: all combinations with one of them in each"""
PROBABILITY_TOLERANCE = 1e-9
"""probabilities that differ by less are the same"""


class ProbabilityTable:
    """The joint distribution of variables with few values each.

    Parameters
    ----------
    values : dict of str to sequence
        The variables by name, each with its values, in the order of the axes.
    count : array
        Counts or probabilities of all combinations, an axis to each variable.

    Attributes
    ----------
    p : array
        The probabilities: shares of the sum of `count`.

    Examples
    --------
    >>> from tenfold import ProbabilityTable
    >>> weather = ProbabilityTable({"play": [True, False], "sky": ["sun", "rain"]}, [[6, 2], [1, 3]])
    >>> weather.probability(play=True), weather.given(play=True).probability(sky="sun")
    (0.6666666666666666, 0.75)
    >>> week = weather + ProbabilityTable.of({"play": [True, False], "sky": ["sun", "snow"]})
    >>> week.values["sky"], float(week.count.sum())
    (('sun', 'rain', 'snow'), 14.0)
    """

    def __init__(self, values: Mapping[str, Sequence[Hashable]], count: ArrayLike) -> None:
        self.values = {str(name): tuple(some) for name, some in values.items()}
        for name, some in self.values.items():
            if len(set(some)) != len(some) or not some:
                raise ValueError(f"variable {name!r} must have values, each of them once, not {some!r}")
        self.count: Array = np.asarray(count, dtype=np.float64)
        shape = tuple(len(some) for some in self.values.values())
        if self.count.shape != shape or not self.values:
            raise ValueError(f"count must have an axis to each variable, of shape {shape}, not {self.count.shape}")
        if not (np.isfinite(self.count) & (self.count >= 0)).all() or not self.count.sum() > 0:
            raise ValueError("count must be counts or probabilities: numbers from 0 on, not all of them 0")

    @classmethod
    def of(cls, columns: Mapping[str, ArrayLike], sample_weight: ArrayLike | None = None) -> ProbabilityTable:
        """Count the combinations of values in rows.

        Parameters
        ----------
        columns : dict of str to array, or DataFrame
            A column to each variable.
        sample_weight : array, optional

        Returns
        -------
        table : ProbabilityTable
        """
        found = {str(name): np.asarray(columns[name]) for name in columns}
        if len({len(column) for column in found.values()}) != 1:
            raise ValueError("columns must be at least one, and equally long")
        values, codes = {}, []
        for name, column in found.items():
            values[name], place = coded(f"column {name!r}", column)
            codes.append(place)
        count = np.zeros(tuple(len(some) for some in values.values()))
        np.add.at(count, tuple(codes), 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64))
        return cls(values, count)

    @classmethod
    def from_conditional(
        cls, marginal: ProbabilityTable, values: Mapping[str, Sequence[Hashable]], conditional: ArrayLike
    ) -> ProbabilityTable:
        """Joint table of a marginal and a conditional one: P(a, b) = P(a) P(b | a), the product rule.

        Parameters
        ----------
        marginal : ProbabilityTable
            Of the variables that the others depend on.
        values : dict of str to sequence
            The other variables, each with its values.
        conditional : array
            An axis to each variable of `marginal`, then one to each of the others; for each combination of the former
            probabilities that add up to 1. So `conditional` returns them.

        Returns
        -------
        table : ProbabilityTable

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> sky = ProbabilityTable({"sky": ["sun", "rain"]}, [0.7, 0.3])
        >>> both = ProbabilityTable.from_conditional(sky, {"play": [True, False]}, [[0.8, 0.2], [0.1, 0.9]])
        >>> round(both.probability(play=True), 4), round(both.given(play=True).probability(sky="sun"), 4)
        (0.59, 0.9492)
        """
        if twice := [name for name in values if name in marginal.values]:
            raise ValueError(f"variable {twice[0]!r} is in both tables")
        shape = (*marginal.count.shape, *(len(some) for some in values.values()))
        found: Array = np.asarray(conditional, dtype=np.float64)
        if found.shape != shape or not values:
            raise ValueError(f"conditional must have shape {shape}, an axis to each variable, not {found.shape}")
        over = tuple(range(marginal.count.ndim, found.ndim))
        some = marginal.p > 0
        sums = found.sum(axis=over)[some]
        if not (found[some] >= 0).all() or not np.allclose(sums, 1.0):
            raise ValueError(
                f"conditional must hold probabilities that add up to 1 for each combination of {list(marginal.names)}"
            )
        weight = marginal.p.reshape(*marginal.count.shape, *(1 for _ in values))
        return cls({**marginal.values, **values}, np.where(weight > 0, weight * np.where(weight > 0, found, 0.0), 0.0))

    @property
    def p(self) -> Array:
        """Array of the probabilities of all combinations of values."""
        return self.count / self.count.sum()

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the axes."""
        return tuple(self.values)

    def normalized(self) -> ProbabilityTable:
        """The table with its probabilities in the place of counts."""
        return ProbabilityTable(self.values, self.p)

    def __add__(self, other: ProbabilityTable) -> ProbabilityTable:
        """The table of the rows of both; a value that one of them did not see has count zero there."""
        if not isinstance(other, ProbabilityTable):
            return NotImplemented
        if set(self.names) != set(other.names):
            raise ValueError(f"tables of {list(self.names)} and of {list(other.names)} do not add up")
        values = {name: tuple(dict.fromkeys(some + other.values[name])) for name, some in self.values.items()}
        count = np.zeros(tuple(len(some) for some in values.values()))
        for table in (self, other):
            axes = [table.names.index(name) for name in values]
            places = [[values[name].index(value) for value in table.values[name]] for name in values]
            count[np.ix_(*places)] += table.count.transpose(axes)
        return ProbabilityTable(values, count)

    def marginal(self, *names: str) -> ProbabilityTable:
        """The table of some variables, by the law of total probability: summed over the values of the others.

        Parameters
        ----------
        *names : str
            In the order of the axes that are wanted.

        Returns
        -------
        table : ProbabilityTable

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> both = ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[1, 2], [3, 4]])
        >>> both.marginal("b").p.tolist()
        [0.4, 0.6]
        """
        axes = [self._axis(name) for name in names]
        if len(set(axes)) != len(axes) or not axes:
            raise ValueError("name at least one variable, and each once")
        rest = tuple(axis for axis in range(self.count.ndim) if axis not in axes)
        summed = self.count.sum(axis=rest)
        order = [sorted(axes).index(axis) for axis in axes]
        return ProbabilityTable({name: self.values[name] for name in names}, summed.transpose(order))

    def given(self, **evidence: Values) -> ProbabilityTable:
        """The table of the other variables when these are known: P(rest | evidence).

        Parameters
        ----------
        **evidence : value of a variable, or several of them, by its name
            A variable of which several values are possible stays in the table, with these values.

        Returns
        -------
        table : ProbabilityTable

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> both = ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[1, 2], [3, 4]])
        >>> both.given(a=1).p.round(4).tolist()
        [0.4286, 0.5714]
        >>> die = ProbabilityTable({"die": [1, 2, 3, 4, 5, 6]}, [1, 1, 1, 1, 1, 5])
        >>> die.given(die=[4, 5, 6]).p.round(4).tolist()
        [0.1429, 0.1429, 0.7143]
        """
        values, count = dict(self.values), self.count
        for name, some in evidence.items():
            axis, places = self._axis(name), self._places(name, some)
            count = np.take(count, places, axis=axis)
            values[name] = tuple(self.values[name][place] for place in places)
        known = [
            axis for axis, name in enumerate(self.names) if name in evidence and self._is_value(name, evidence[name])
        ]
        if len(known) == len(self.names):
            raise ValueError("nothing is left to ask: leave a variable out of the evidence")
        if not count.sum() > 0:
            raise ValueError(f"evidence of probability 0, {evidence!r}: nothing follows from it")
        rest = {name: some for axis, (name, some) in enumerate(values.items()) if axis not in known}
        return ProbabilityTable(rest, count.sum(axis=tuple(known)))

    def probability(self, **event: Values) -> float:
        """Probability of an event: that each variable has this value, or one of these.

        Parameters
        ----------
        **event : value of a variable, or several of them, by its name

        Returns
        -------
        p : float

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> die = ProbabilityTable({"die": [1, 2, 3, 4, 5, 6]}, [1, 1, 1, 1, 1, 5])
        >>> die.probability(die=6), die.probability(die=[2, 4, 6])
        (0.5, 0.7)
        """
        return self.intersection(event)

    def intersection(self, *events: Event) -> float:
        """Probability that all of some events happen.

        Parameters
        ----------
        *events : dict of str to a value, or to several
            As the keywords of `probability`; events may speak of the same variable.

        Returns
        -------
        p : float
        """
        inside = np.ones(self.count.shape, bool)
        for event in events:
            inside &= self._inside(event)
        return float(self.count[inside].sum() / self.count.sum())

    def union(self, *events: Event) -> float:
        """Probability that at least one of some events happens.

        Parameters
        ----------
        *events : dict of str to a value, or to several
            As the keywords of `probability`.

        Returns
        -------
        p : float

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> die = ProbabilityTable({"die": [1, 2, 3, 4, 5, 6]}, [1, 1, 1, 1, 1, 5])
        >>> die.union({"die": [1, 2]}, {"die": [2, 6]})
        0.7
        """
        inside = np.zeros(self.count.shape, bool)
        for event in events:
            inside |= self._inside(event)
        return float(self.count[inside].sum() / self.count.sum())

    def inclusion_exclusion(self, *events: Event) -> dict[tuple[int, ...], float]:
        """Terms of the probability of a union: those of single events, minus those of pairs, plus those of three, ...

        Parameters
        ----------
        *events : dict of str to a value, or to several
            As the keywords of `probability`.

        Returns
        -------
        terms : dict of tuple of int to float
            The signed probability that all events with these numbers happen. Their sum is that of the union.

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> die = ProbabilityTable({"die": [1, 2, 3, 4, 5, 6]}, [1, 1, 1, 1, 1, 5])
        >>> die.inclusion_exclusion({"die": [1, 2]}, {"die": [2, 6]})
        {(0,): 0.2, (1,): 0.6, (0, 1): -0.1}
        """
        return {
            some: (-1) ** (size + 1) * self.intersection(*(events[at] for at in some))
            for size in range(1, len(events) + 1)
            for some in combinations(range(len(events)), size)
        }

    def _inside(self, event: Event) -> Flags:
        """Which combinations of values belong to an event."""
        inside = np.ones(self.count.shape, bool)
        for name, some in event.items():
            axis = self._axis(name)
            allowed = np.zeros(len(self.values[name]), bool)
            allowed[self._places(name, some)] = True
            inside &= np.expand_dims(allowed, [other for other in range(inside.ndim) if other != axis])
        return inside

    def conditional(self, *names: str) -> Array:
        """P(others | names) for all values: an axis to each of `names`, then one to each of the others.

        Parameters
        ----------
        *names : str
            The variables that are known.

        Returns
        -------
        p : array
            NaN where the evidence has probability 0.
        """
        others = [name for name in self.names if name not in names]
        joint = self.marginal(*names, *others).p
        over = tuple(range(len(names), joint.ndim))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(joint / joint.sum(axis=over, keepdims=True))

    def chain(self, *names: str) -> list[Array]:
        """The factors of the chain rule: P(a), P(b | a), P(c | a, b), ..., whose product is the joint distribution.

        Parameters
        ----------
        *names : str
            All variables, in the order of the chain; by default that of the axes.

        Returns
        -------
        factors : list of array
            Each with an axis to every variable up to its own.

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> both = ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[1, 2], [3, 4]])
        >>> first, second = both.chain()
        >>> (first[:, None] * second).round(4).tolist() == both.p.round(4).tolist()
        True
        """
        names = names or self.names
        if sorted(names) != sorted(self.names):
            raise ValueError(f"a chain is of all variables, {list(self.names)}, each once")
        tables = [self.marginal(*names[: at + 1]) for at in range(len(names))]
        return [tables[0].p, *(table.conditional(*table.names[:-1]) for table in tables[1:])]

    def mutual_information(self, a: str, b: str) -> float:
        """Mutual information of two variables, in bits: zero if they are independent.

        Parameters
        ----------
        a, b : str

        Returns
        -------
        information : float
        """
        return mutual_information(self.marginal(a, b).count)

    def independent(self, a: str, b: str, given: Sequence[str] = (), *, tol: float = PROBABILITY_TOLERANCE) -> bool:
        """Whether P(a, b | given) = P(a | given) P(b | given) for all values that can be.

        Parameters
        ----------
        a, b : str
        given : sequence of str
            What is known: columns that are independent given the class need not be so without it.
        tol : float, default=1e-9
            By how much probabilities may differ.

        Returns
        -------
        independent : bool
        """
        joint = self.marginal(*given, a, b).p.reshape(-1, len(self.values[a]), len(self.values[b]))
        weight = joint.sum(axis=(1, 2), keepdims=True)
        product = joint.sum(axis=2, keepdims=True) * joint.sum(axis=1, keepdims=True)
        return bool((np.abs(joint * weight - product) <= tol * weight**2).all())

    def _axis(self, name: str) -> int:
        if name not in self.values:
            raise ValueError(f"there is no variable {name!r}, only {list(self.names)}")
        return self.names.index(name)

    def _is_value(self, name: str, value: Values) -> bool:
        """Whether this is one value of a variable, not several of them."""
        if isinstance(value, (list, set, frozenset, range, dict, np.ndarray)):
            return False
        return not isinstance(value, tuple) or value in self.values[name]

    def _places(self, name: str, value: Values) -> list[int]:
        """The places of a value of a variable, or of several."""
        one = self._is_value(name, value)
        wanted: list[Hashable] = [value] if one else [*value]  # type: ignore[list-item, misc]
        for each in wanted:
            if each not in self.values[name]:
                raise ValueError(f"variable {name!r} has no value {each!r}, only {list(self.values[name])}")
        if not wanted and not one:
            raise ValueError(f"the event names no value of variable {name!r}")
        return [place for place, each in enumerate(self.values[name]) if each in wanted]

    def __repr__(self) -> str:
        each = ", ".join(f"{name}: {len(some)}" for name, some in self.values.items())
        return f"ProbabilityTable({each}; total {self.count.sum():g})"


def bayes_rule(prior: ArrayLike, likelihood: ArrayLike) -> Array:
    """P(h | d) = P(d | h) P(h) / Σ P(d | h) P(h), of all hypotheses h.

    Parameters
    ----------
    prior : array of shape (hypotheses,)
        P(h): numbers from 0 on, divided by their sum here.
    likelihood : array of shape (hypotheses,) or (observations, hypotheses)
        P(d | h) of an observation; or of several, one after the other, independent given h.

    Returns
    -------
    posterior : array of shape (hypotheses,)

    Examples
    --------
    Bags of candy, of which 0, 1/4, 1/2, 3/4 and all are lime; two limes are drawn:

    >>> from tenfold import bayes_rule
    >>> lime = [0, 0.25, 0.5, 0.75, 1]
    >>> bayes_rule([0.1, 0.2, 0.4, 0.2, 0.1], [lime, lime]).round(4).tolist()
    [0.0, 0.0385, 0.3077, 0.3462, 0.3077]
    """
    before, given = np.asarray(prior, dtype=np.float64), np.atleast_2d(np.asarray(likelihood, dtype=np.float64))
    fine = before.ndim == 1 and given.ndim == 2 and given.shape[1] == len(before)
    if not fine or not all((np.isfinite(part) & (part >= 0)).all() for part in (before, given)):
        raise ValueError("prior and likelihood must have a number from 0 on for each hypothesis")
    with np.errstate(divide="ignore"):
        score = np.log(before) + np.log(given).sum(axis=0)
    if not len(score) or not np.isfinite(score.max()):
        raise ValueError("no hypothesis has both a prior and a likelihood above 0: nothing follows")
    found = np.exp(score - score.max())
    return np.asarray(found / found.sum())
