"""Likelihood weighting: posteriors from samples, in which evidence is set and each row counts by its likelihood.

P(x | e) is about Σ wᵢ 1[xᵢ = x] / Σ wᵢ, over rows drawn parents first, with wᵢ = Π P(e | parents) over the evidence. It
costs the same for every graph; its accuracy depends on how unequal the weights are, and on rows that
were not drawn: those that explain the evidence best may be rare. The largest weight that a row can have is known from
the tables, so intervals allow for rows of larger weights than were drawn.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy import special

from tenfold.core import Array, Codes
from tenfold.graphical.probability_table import ProbabilityTable


@dataclass(frozen=True, eq=False)
class SampledPosterior:
    """A posterior from weighted samples, with an interval for each probability.

    Attributes
    ----------
    table : ProbabilityTable
        The estimates.
    interval : array of shape (2, ...)
        Lower and upper ends, an axis to each variable after the first. Each covers the exact probability at about the
        stated level. Ends are wide where few rows count, and where rows that were not drawn may count more.
    level : float
    effective : float
        How many rows of equal weight the drawn rows are worth: (Σ w)² / Σ w². It knows nothing of rows that were not
        drawn: those are in `unseen`.
    unseen : float
        At most this share of the posterior is of rows with larger weights than any that was drawn, at the stated
        level; 0 if a row of the largest weight there can be was drawn. Intervals allow for it; near 1 they cover nearly
        everything, and the remedy is more samples, or an exact answer of `query`.
    n_samples : int
    """

    table: ProbabilityTable
    interval: Array
    level: float
    effective: float
    unseen: float
    n_samples: int

    @property
    def p(self) -> Array:
        """The probabilities estimated from the draws."""
        return self.table.p


UNSEEN_ERROR_SHARE = 0.1
"""share of the errors that intervals allow for rows of larger weights than were drawn; the rest is for those drawn"""


def weighted_posterior(
    values: dict[str, tuple[Hashable, ...]], codes: tuple[Codes, ...], log_weight: Array, level: float, log_most: float
) -> SampledPosterior:
    """The shares of the values in weighted rows, and intervals for them, wider by what was not drawn.

    The intervals are exact ones (Clopper and Pearson) at an effective number of rows (Korn and Graubard). That number
    is the smaller of the two that the weights are worth: for any event, and for this one, by the variance of the ratio
    of two sums.

    Parameters
    ----------
    values : dict of str to tuple
    codes : tuple of int arrays
        Of each row that was drawn, to each of the variables.
    log_weight : array of shape (rows,)
    level : float
    log_most : float
        An upper bound of the log-weight of any row.
    """
    highest = log_weight.max()
    weight = np.exp(log_weight - highest)
    total = float(weight.sum())
    shape = tuple(len(some) for some in values.values())
    cell = np.ravel_multi_index(codes, shape)
    size = int(np.prod(shape))
    p = np.bincount(cell, weight, size) / total
    squares = np.bincount(cell, weight**2, size) / total**2
    all_squares = float(weight @ weight) / total**2
    # Σ w² (1[x] - p)², split into the rows that have the value and those that do not
    variance = squares * (1 - p) ** 2 + (all_squares - squares) * p**2
    worth = np.full(size, 1.0 / all_squares)
    np.minimum(worth, p * (1 - p) / np.where(variance > 0, variance, np.inf), out=worth, where=variance > 0)
    drawn_all = log_most <= highest + WEIGHT_TIE
    tail = (1 - level) * (1.0 if drawn_all else 1 - UNSEEN_ERROR_SHARE) / 2
    count, rest = p * worth, (1 - p) * worth
    low = np.where(count > 0, special.betaincinv(np.maximum(count, SMALLEST_NORMAL), rest + 1, tail), 0.0)
    high = np.where(rest > 0, special.betaincinv(count + 1, np.maximum(rest, SMALLEST_NORMAL), 1 - tail), 1.0)
    unseen = (
        0.0
        if drawn_all
        else _unseen(weight, log_most - highest, special.ndtri(1 - tail), UNSEEN_ERROR_SHARE * (1 - level))
    )
    ends = np.clip(np.stack([low * (1 - unseen), high * (1 - unseen) + unseen]), 0.0, 1.0).reshape(2, *shape)
    table = ProbabilityTable(values, p.reshape(shape))
    return SampledPosterior(table, ends, level, 1.0 / all_squares, unseen, len(log_weight))


SMALLEST_NORMAL = np.finfo(np.float64).tiny
WEIGHT_TIE = 1e-9
"""relative difference of weights that are taken for equal"""


def _unseen(weight: Array, log_most: float, z: float, error: float) -> float:
    """The largest share of the posterior that rows of larger weights than any of the n drawn ones, 1, may have.

    If such rows have the probability q, none of n is one of them with probability (1 - q)^n, which is `error` at the
    largest q that is allowed for. They add at most q times the largest weight to the mean weight of all rows.
    """
    n = len(weight)
    rare = -np.expm1(np.log(error) / n)
    mean = float(weight.mean())
    spread = np.sqrt(max(float(weight @ weight) / n - mean**2, 0.0) / n)
    low = max(mean - z * spread, 0.0)
    log_added = np.log(rare) + log_most
    return float(special.expit(log_added - np.log(low))) if low > 0 else 1.0
