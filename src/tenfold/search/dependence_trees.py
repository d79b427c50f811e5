"""A distribution over codes in which each variable depends on at most one other.

Of all such distributions the tree of greatest mutual information is nearest to a sample (Chow and Liu 1968). Everything
is read off one table, how often any two values meet, and such tables add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tenfold.core import Array, Codes, Columns, Design, Values
from tenfold.core.arrays import ones
from tenfold.graphical.chow_liu import pair_information, spanning_tree
from tenfold.stats.counts.pairs import PairCounts
from tenfold.theory.checks import one_of

Model = Literal["tree", "chain", "independent"]


@dataclass(frozen=True, eq=False)
class Dependence:
    """P(x) = Π P(x_j given the value of its parent).

    Parameters
    ----------
    order : array of int
        The variables, parents before children.
    parent : array of int
        Of each variable; the variable itself, if it depends on no other.
    sizes : array of int
        How many values each variable has.
    weights : array of shape (variables, values of the parent, values)
        How often both values meet, of a variable without a parent how often its value is there.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> found = search.fit_dependence(search.pair_counts(np.array([[0, 1], [1, 0]]), [2, 2]), [2, 2])
    >>> found.sample(3, np.random.default_rng(0)).tolist()
    [[1, 0], [0, 1], [0, 1]]
    """

    order: Codes
    parent: Codes
    sizes: Codes
    weights: Array

    def sample(self, n: int, rng: np.random.Generator) -> Values:
        """Draw n points from the model."""
        cuts = (self.weights.cumsum(axis=2) / self.weights.sum(axis=2, keepdims=True))[:, :, :-1].transpose(0, 2, 1)
        last = np.arange(cuts.shape[1]) >= self.sizes[:, None] - 1  # values that a variable does not have
        cuts = np.where(last[:, :, None], np.inf, cuts)
        random = rng.random((len(self.order), n))
        out = np.zeros((len(self.order), n), dtype=np.int64)
        for j in self.order.tolist():
            np.add.reduce(random[j] >= cuts[j][:, out[self.parent[j]]], axis=0, out=out[j])
        return np.ascontiguousarray(out.T)

    def sample_permutations(self, n: int, rng: np.random.Generator) -> Values:
        """Draw n permutations: variable after variable, each among the values that no earlier one has.

        If none of these has a weight, they are equally likely. All variables have as many values as there are
        variables.

        Parameters
        ----------
        n : int
        rng : numpy Generator

        Returns
        -------
        X : int array of shape (n, variables)
        """
        d = len(self.order)
        if (self.sizes != d).any():
            raise ValueError(f"permutations of {d} variables need {d} values each, not {self.sizes.tolist()}")
        rows, free = np.arange(n), np.ones((n, d))
        out = np.zeros((n, d), dtype=np.int64)
        for j in self.order.tolist():
            chance = self.weights[j][out[:, self.parent[j]]] * free
            chance = np.where(chance.sum(axis=1, keepdims=True) > 0, chance, free).cumsum(axis=1)
            below = rng.random((n, 1)) * chance[:, -1:]
            # the first value whose cumulated weight is above the draw; one without weight has none of its own
            out[:, j] = (chance > below).argmax(axis=1)
            free[rows, out[:, j]] = 0.0
        return out

    def log_probability(self, X: Values) -> Array:
        """The natural logarithm of the probability of each row."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights / self.weights.sum(axis=2, keepdims=True))
        return np.asarray(logs[np.arange(X.shape[1]), X[:, self.parent], X].sum(axis=1))


def pair_counts(X: Values, sizes: Codes | Sequence[int]) -> PairCounts:
    """How often any two values meet in the rows of a population: counts of parts add up.

    Parameters
    ----------
    X : array of shape (points, variables)
        Whole numbers from 0 to below the size of their variable.
    sizes : array of int
        How many values each variable has.

    Returns
    -------
    pairs : PairCounts

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> one, other = np.array([[0, 1], [0, 0]]), np.array([[1, 1]])
    >>> (search.pair_counts(one, [2, 2]) + search.pair_counts(other, [2, 2])).count.tolist()
    [[2.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 2.0]]
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    if X.ndim != 2 or X.shape[1] != len(sizes) or not len(X) or (X < 0).any() or (sizes <= X).any():
        raise ValueError(f"X must have rows of {len(sizes)} whole numbers, each from 0 to below its size")
    columns = Columns(tuple(np.ascontiguousarray(X.T, dtype=np.float64)))
    return PairCounts(Design(columns, sizes).pairs(ones(len(X))))


def fit_dependence(
    pairs: PairCounts, sizes: Codes | Sequence[int], model: Model = "tree", smoothing: float = 0.0
) -> Dependence:
    """The distribution that is nearest to the rows that were counted.

    Parameters
    ----------
    pairs : PairCounts
    sizes : array of int
        How many values each variable has.
    model : {"tree", "chain", "independent"}, default="tree"
        The tree of greatest mutual information; the chain that begins at the variable of least entropy and goes on to
        the one of least entropy given the last; or none depends on any.
    smoothing : float, default=0.0
        How often each variable is counted further, spread over its values, for each value of its parent.

    Returns
    -------
    dependence : Dependence

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> X = np.array([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]])
    >>> tree = search.fit_dependence(search.pair_counts(X, [2, 2, 2]), [2, 2, 2])
    >>> tree.parent.tolist(), np.exp(tree.log_probability(np.array([[0, 0, 1], [0, 1, 1]]))).round(6).tolist()
    ([0, 0, 0], [0.25, 0.0])
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    one_of("model", model, ("tree", "chain", "independent"))
    d, first = len(sizes), np.cumsum(sizes) - sizes
    order, parent = np.arange(d), np.arange(d)
    if model == "tree":
        order, parent = _tree(pair_information(pairs.count, sizes))
    elif model == "chain":
        order, parent = _chain(pair_information(pairs.count, sizes))
    place = np.arange(sizes.max())
    there = place < sizes[:, None]
    at = np.where(there, first[:, None] + place, len(pairs.count))
    count = np.pad(pairs.count, (0, 1))  # a last value that is never met, for those that a variable does not have
    weights = count[at[parent][:, :, None], at[:, None, :]]
    roots = parent == np.arange(d)
    weights[roots] = np.diagonal(weights[roots], axis1=1, axis2=2)[:, None, :]
    weights += there[:, None, :] * (smoothing / sizes[:, None, None])
    unseen = weights.sum(axis=2, keepdims=True) == 0
    return Dependence(order, parent, sizes, np.where(unseen, there[:, None, :], weights))


def _tree(information: Array) -> tuple[Codes, Codes]:
    """The tree of greatest mutual information: variables, parents before children, and the parents."""
    parent = np.array(spanning_tree(information, np.ones(len(information), dtype=bool)), dtype=np.int64)
    above, depth = parent, np.zeros(len(parent), dtype=np.int64)
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    return np.argsort(depth, kind="stable"), np.where(parent < 0, np.arange(len(parent)), parent)


def _chain(information: Array) -> tuple[Codes, Codes]:
    """Variables in a line, greedily, each the one of least entropy given the one before."""
    entropy = np.diag(information).copy()
    left = entropy.copy()
    order = []
    for _ in range(len(entropy)):
        j = int(left.argmin())
        order.append(j)
        left = np.where(np.isin(np.arange(len(entropy)), order), np.inf, entropy - information[j])
    found, parent = np.array(order, dtype=np.int64), np.arange(len(entropy))
    parent[found[1:]] = found[:-1]
    return found, parent
