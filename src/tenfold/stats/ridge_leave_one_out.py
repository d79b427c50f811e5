"""Errors of ridge regressions on rows that they were fitted without, from one pass over the rows at the coefficients.

With A the penalised normal matrix, RRᵀ = A⁻¹, z = Rᵀ(1, x - center) and e = y - xᵀβ - β₀, the model without one row of
weight u predicts it with the error e / (1 - u|z|²): Sherman and Morrison's formula, exact for any penalty. A row of
weight 2 counts as two rows, one of which is left out; of a weight below 1, all of it is.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Codes, Design, Mergeable
from tenfold.core.field_values import ANYTHING, NOT_NEGATIVE
from tenfold.core.statistic import Statistic
from tenfold.stats.moments.moments import Moments

MIN_RESIDUAL_FREEDOM = 64 * float(np.finfo(np.float64).eps)
"""a row of which less is free decides its own prediction: nothing is known of the model without it"""


class LeftOut(Mergeable):
    """Squared errors of all rows, each left out once, by penalty."""

    base: Moments
    """the summary from which the coefficients are computed"""
    squares: Annotated[Array, "alpha", NOT_NEGATIVE]
    """Σ w e² / (1 - u|z|²)², without rows that decide their own prediction"""
    free: Annotated[Array, "alpha", ANYTHING]
    """the least 1 - u|z|² of any row"""

    @property
    def weight(self) -> float:
        """The total weight of the rows."""
        return self.base.weight

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.base + other.base, self.squares + other.squares, np.minimum(self.free, other.free))


class LeaveOneOut(Statistic[LeftOut]):
    """The errors of some ridge regressions of the same rows, each row left out once."""

    values: Array
    """penalties x coefficients, the intercept last"""
    roots: Array
    """penalties x predictors x directions: R, the constant first"""
    center: Array
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""

    def summarize(self, chunk: Chunk) -> LeftOut:
        design, many = Design.of(chunk.X, self.levels), len(self.values)
        p, squares, free = design.width, np.zeros(many), np.ones(many)
        level = self.values[:, p] + self.values[:, :p] @ self.center
        for rows, block in design.blocks(chunk.X.block_rows(p + 1)):
            d = np.ones((len(block), p + 1))
            np.subtract(block, self.center, out=d[:, 1:])
            weight = chunk.weight[rows]
            out = np.minimum(weight, 1.0)
            e = chunk.y[rows, None] - level - d[:, 1:] @ self.values[:, :p].T
            for a in range(many):
                left = 1.0 - out * ((d @ self.roots[a]) ** 2).sum(axis=1)
                free[a] = min(free[a], left.min(initial=1.0))
                known = left > MIN_RESIDUAL_FREEDOM
                squares[a] += float(weight @ np.where(known, e[:, a] / np.where(known, left, 1.0), 0.0) ** 2)
        return LeftOut(Moments.of(chunk, self.levels), squares, free)
