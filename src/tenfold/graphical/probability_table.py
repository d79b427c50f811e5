"""Probability tables: the joint distribution of a few variables, and what follows from it.

A table holds counts or probabilities of all combinations of values. Counts of two parts, days or sites add up, with
values that only one of them saw; probabilities are shares of the sum.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array
from tenfold.naive_bayes.coded_draws import coded
from tenfold.stats.counts.information import mutual_information

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

    def given(self, **evidence: Hashable) -> ProbabilityTable:
        """The table of the other variables when these are known: P(rest | evidence).

        Parameters
        ----------
        **evidence : value of a variable, by its name

        Returns
        -------
        table : ProbabilityTable

        Examples
        --------
        >>> from tenfold import ProbabilityTable
        >>> both = ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[1, 2], [3, 4]])
        >>> both.given(a=1).p.round(4).tolist()
        [0.4286, 0.5714]
        """
        known = {self._axis(name): self._place(name, value) for name, value in evidence.items()}
        rest = [name for name in self.names if name not in evidence]
        if not rest:
            raise ValueError("nothing is left to ask: leave a variable out of the evidence")
        count = self.count[tuple(known.get(axis, slice(None)) for axis in range(self.count.ndim))]
        if not count.sum() > 0:
            raise ValueError(f"evidence of probability 0, {evidence!r}: nothing follows from it")
        return ProbabilityTable({name: self.values[name] for name in rest}, count)

    def probability(self, **event: Hashable) -> float:
        """Marginal probability that variables have these values.

        Parameters
        ----------
        **event : value of a variable, by its name

        Returns
        -------
        p : float
        """
        known = {self._axis(name): self._place(name, value) for name, value in event.items()}
        count = self.count[tuple(known.get(axis, slice(None)) for axis in range(self.count.ndim))]
        return float(count.sum() / self.count.sum())

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

    def _place(self, name: str, value: Hashable) -> int:
        if value not in self.values[name]:
            raise ValueError(f"variable {name!r} has no value {value!r}, only {list(self.values[name])}")
        return self.values[name].index(value)

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
