"""Impurity of nodes, by name or by a function of one's own: what a split gains, and what an impurity must fulfil.

An impurity of the shares of classes is least where one class has all, largest where all have the same, and the same
whichever class has which share. Of a strictly concave one no split loses (Jensen), and one whose branches have other
shares than the node gains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array
from tenfold.stats.counts.information import entropy

__all__ = ["ImpurityAxioms", "impurity", "impurity_axioms", "impurity_decrease"]

Impurity: TypeAlias = Literal["entropy", "gini", "error"] | Callable[[Array], float]

AXIOMS = ("symmetric", "least_if_pure", "greatest_if_even", "concave", "strictly_concave")
MAX_CLASSES = 6
"""classes that axioms are looked at with, at most: all orders of shares are tried"""


def impurity(p: ArrayLike, criterion: Impurity = "entropy") -> float:
    """The impurity of a node, from the counts or shares of its classes.

    Parameters
    ----------
    p : array
        Counts or shares of the classes.
    criterion : {"entropy", "gini", "error"} or callable, default="entropy"
        A callable takes the shares of the classes, which add up to one, and returns a number.

    Returns
    -------
    impurity : float

    Examples
    --------
    >>> from tenfold.stats.counts.impurity import impurity
    >>> [round(impurity([9, 5], name), 4) for name in ("entropy", "gini", "error")]
    [0.9403, 0.4592, 0.3571]
    >>> round(impurity([9, 5], lambda p: float(p.prod() ** 0.5)), 4)
    0.4792
    """
    count = np.asarray(p, dtype=np.float64)
    if count.ndim != 1 or not len(count) or not np.isfinite(count).all() or (count < 0).any() or not count.sum() > 0:
        raise ValueError("p must be counts or shares of classes: a vector of numbers from 0 on, one of them above 0")
    share = count / count.sum()
    if callable(criterion):
        return float(criterion(share))
    if criterion == "entropy":
        return entropy(share)
    if criterion == "gini":
        return float(1.0 - share @ share)
    if criterion == "error":
        return float(1.0 - share.max())
    raise ValueError(f"criterion={criterion!r}: 'entropy', 'gini', 'error' or a function of shares is needed")


def impurity_decrease(table: ArrayLike, criterion: Impurity = "entropy") -> float:
    """What a split gains: the impurity of the node less the mean impurity of its branches, by their weights.

    Parameters
    ----------
    table : array of shape (branches, classes)
        Counts of the classes in each branch.
    criterion : {"entropy", "gini", "error"} or callable, default="entropy"

    Returns
    -------
    gain : float

    Examples
    --------
    PlayTennis by the outlook:

    >>> from tenfold.stats.counts.impurity import impurity_decrease
    >>> outlook = [[2, 3], [4, 0], [3, 2]]
    >>> round(impurity_decrease(outlook), 6), round(impurity_decrease(outlook, "gini"), 6)
    (0.24675, 0.116327)
    """
    count = np.asarray(table, dtype=np.float64)
    if count.ndim != 2:
        raise ValueError("table must have a row for each branch and a column for each class")
    weight = count.sum(axis=1)
    some = weight > 0
    inside = np.array([impurity(row, criterion) for row in count[some]])
    return impurity(count.sum(axis=0), criterion) - float(weight[some] @ inside / weight.sum())


@dataclass(frozen=True)
class ImpurityAxioms:
    """What an impurity fulfils, on a grid of shares.

    Parameters
    ----------
    symmetric : bool
        It does not matter which class has which share.
    least_if_pure : bool
        It is least where one class has all, and there alone.
    greatest_if_even : bool
        It is greatest where all classes have the same share, and there alone.
    concave : bool
        No split loses.
    strictly_concave : bool
        Every split gains whose branches have other shares than the node.
    witness : dict of str to tuple
        For each of these that does not hold, shares that show it: a pair that should be alike, a node that is less or
        more impure than it may be, or the shares of two branches.
    """

    symmetric: bool
    least_if_pure: bool
    greatest_if_even: bool
    concave: bool
    strictly_concave: bool
    witness: dict[str, tuple[tuple[float, ...], ...]]


def impurity_axioms(criterion: Impurity, *, classes: int = 2, steps: int = 12) -> ImpurityAxioms:
    """Whether an impurity is symmetric, least if pure, greatest if even, and concave, on a grid of shares.

    Parameters
    ----------
    criterion : {"entropy", "gini", "error"} or callable
    classes : int, default=2
        From 2 to 6.
    steps : int, default=12
        Shares are multiples of 1 / steps; a multiple of `classes`, so that all can have the same.

    Returns
    -------
    axioms : ImpurityAxioms

    Examples
    --------
    The share of errors is concave, but not strictly: a split may gain nothing where entropy does.

    >>> from tenfold.stats.counts.impurity import impurity_axioms, impurity_decrease
    >>> impurity_axioms("entropy").strictly_concave, impurity_axioms("error").strictly_concave
    (True, False)
    >>> impurity_axioms("error").witness["strictly_concave"]
    ((0.0, 1.0), (0.08333333333333333, 0.9166666666666666))
    >>> split = [[1, 9], [4, 6]]
    >>> impurity_decrease(split, "error"), impurity_decrease(split, "entropy") > 0
    (0.0, True)
    """
    many = int(classes)
    if not 2 <= many <= MAX_CLASSES or many != classes:
        raise ValueError(f"classes={classes!r} must be a whole number from 2 to {MAX_CLASSES}: all orders are tried")
    if steps != int(steps) or steps < many or steps % many:
        raise ValueError(f"steps={steps!r} must be a multiple of classes={many}, so that all can have the same share")
    grid = [tuple(k / steps for k in counts) for counts in _compositions(steps, many)]
    value = {p: impurity(p, criterion) for p in grid}
    tolerance = 1e-9 * max(map(abs, value.values()), default=0.0)
    witness: dict[str, tuple[tuple[float, ...], ...]] = {}
    for p in grid:
        for q in permutations(p):
            if abs(value[p] - value[q]) > tolerance:
                witness.setdefault("symmetric", (p, q))
    pure = [p for p in grid if max(p) == 1.0]
    even = (1.0 / many,) * many
    middle = min(grid, key=lambda p: max(abs(x - 1.0 / many) for x in p))
    for p in grid:
        if p not in pure and value[p] <= min(value[one] for one in pure) + tolerance:
            witness.setdefault("least_if_pure", (p,))
        if p != middle and value[p] >= impurity(even, criterion) - tolerance:
            witness.setdefault("greatest_if_even", (p,))
    if max(value[one] for one in pure) > min(value[one] for one in pure) + tolerance:
        witness.setdefault("least_if_pure", (max(pure, key=lambda p: value[p]),))
    for i, p in enumerate(grid):
        for q in grid[i + 1 :]:
            gain = impurity([(a + b) / 2 for a, b in zip(p, q, strict=True)], criterion) - (value[p] + value[q]) / 2
            if gain < -tolerance:
                witness.setdefault("concave", (p, q))
            if gain <= tolerance:
                witness.setdefault("strictly_concave", (p, q))
    holds = {name: name not in witness for name in AXIOMS}
    return ImpurityAxioms(**holds, witness=witness)


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    """All ways to deal a number to so many parts."""
    if parts == 1:
        return [(total,)]
    return [(k, *rest) for k in range(total + 1) for rest in _compositions(total - k, parts - 1)]
