"""Likelihood weighting: posteriors from samples, in which evidence is set and each row counts by its likelihood.

P(x | e) is about Σ wᵢ 1[xᵢ = x] / Σ wᵢ, over rows drawn parents first, with wᵢ = Π P(e | parents) over the evidence. It
costs the same whatever the graph is; how far it can be trusted depends on how unequal the weights are.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy import special

from tenfold.bayes.probability_table import ProbabilityTable
from tenfold.core import Array, Codes


@dataclass(frozen=True, eq=False)
class SampledPosterior:
    """A posterior from weighted samples, with an interval for each probability.

    Attributes
    ----------
    table : ProbabilityTable
        The estimates.
    interval : array of shape (2, ...)
        Lower and upper ends, an axis to each variable after the first. Each covers the exact probability at the
        stated level, if the sample is large; `effective` says how large it is.
    level : float
    effective : float
        How many rows of equal weight the sample is worth: (Σ w)² / Σ w².
    n_samples : int
    """

    table: ProbabilityTable
    interval: Array
    level: float
    effective: float
    n_samples: int

    @property
    def p(self) -> Array:
        """The probabilities, as they are estimated from the draws."""
        return self.table.p


def weighted_posterior(
    values: dict[str, tuple[Hashable, ...]], codes: tuple[Codes, ...], log_weight: Array, level: float
) -> SampledPosterior:
    """The shares of the values in weighted rows, and Wilson's intervals for them.

    The number of rows in the interval is the smaller of the two that the weights are worth: for any event, and for
    this one, by the variance of the ratio of two sums.
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
    z = special.ndtri((1 + level) / 2)
    middle = (p + z**2 / (2 * worth)) / (1 + z**2 / worth)
    half = z / (1 + z**2 / worth) * np.sqrt(p * (1 - p) / worth + z**2 / (4 * worth**2))
    ends = np.clip(np.stack([middle - half, middle + half]), 0.0, 1.0).reshape(2, *shape)
    return SampledPosterior(ProbabilityTable(values, p.reshape(shape)), ends, level, 1.0 / all_squares, len(log_weight))
