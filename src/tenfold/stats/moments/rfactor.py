"""Triangular factor of the design, and the exact gradient of the objective at given coefficients.

The design has a constant column, then the columns and the target, centred and scaled. Factors merge by
stacking and factoring again (TSQR). Beside the factor the same scan sums, in twice the working
precision, the gradient at the coefficients known so far: from it the coefficients are corrected, and the
correction tells how wrong they were. This costs several times what moments cost, for twice their digits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from tenfold.compiled.precision.error_free import add_gradient
from tenfold.core import Array, Chunk, Codes, Design, Flags, Mergeable, Schema
from tenfold.core.axes import moved
from tenfold.core.field_values import ANYTHING
from tenfold.core.statistic import Statistic
from tenfold.stats.moments.moments import Moments, two_sum


class RFactor(Mergeable):
    """Upper triangular R with RᵀR = DᵀWD, where D = [1, (z - center) / scale]."""

    weight: float
    center: Annotated[Array, "joint"]
    scale: Annotated[Array, "joint"]
    """scale of each column, a power of two, so that scaling is exact"""
    factor: Annotated[Array, "design", "design"]
    coef: Annotated[Array, "feature"]
    """where the gradient was taken"""
    intercept: float
    gradient: Annotated[Array, "predictor", ANYTHING]
    """Σ w d (y - x·coef - intercept); NaN if two were merged that were taken elsewhere"""
    remainder: Annotated[Array, "predictor", ANYTHING]
    """low-order part of the gradient, in double-double"""
    blur: Annotated[Array, "predictor", "predictor"]
    """B with BᵀB the variance of the gradient, if every value that is not whole was rounded"""

    @classmethod
    def of(
        cls, chunk: Chunk, center: Array, scale: Array, coef: Array, intercept: float, levels: Codes | None = None
    ) -> RFactor:
        """Summarize a chunk with a numeric target, block by block; `levels` marks the categorical columns."""
        features = Design.of(chunk.X, levels)
        p = features.width
        factor, blur = np.zeros((p + 2, p + 2)), np.zeros((p + 1, p + 1))
        high, low = np.zeros(p + 1), np.zeros(p + 1)
        for rows, block in features.blocks(max(256, 4 * p)):
            y, weight = chunk.y[rows], chunk.weight[rows]
            design = np.ones((len(block), p + 2))
            design[:, 1:-1] = (block - center[:p]) / scale[:p]
            design[:, -1] = (y - center[p]) / scale[p]
            factor = triangle(factor, design * np.sqrt(weight)[:, None])
            residual = np.empty(len(block))
            add_gradient(block, y, weight, coef, intercept, center[:p], scale[:p], residual, high, low)
            last = last_bits(block)
            shake = last_bits(y) ** 2 + (last * coef) ** 2 @ np.ones(p)
            moved = design[:, :-1] * (weight * np.sqrt(shake))[:, None]
            alone = np.zeros((p, p + 1))
            alone[:, 1:] = np.diag(((last * (weight * residual)[:, None]) ** 2).sum(axis=0))
            alone[:, 1:] = np.sqrt(alone[:, 1:]) / scale[:p]
            blur = triangle(blur, np.vstack([moved, alone]))
        total = float(chunk.weight.sum())
        return cls(total, center, scale, factor, coef, intercept, high, low, blur)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Moments):
            return self.moments() + other
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other
        other = other.around(self.center, self.scale)
        total, rest = two_sum(self.gradient, other.gradient)
        if not np.array_equal(self.coef, other.coef) or self.intercept != other.intercept:
            total = np.full_like(total, np.nan)
        return replace(
            self,
            weight=self.weight + other.weight,
            factor=triangle(self.factor, other.factor),
            gradient=total,
            remainder=self.remainder + other.remainder + rest,
            blur=triangle(self.blur, other.blur),
        )

    def scaled(self, by: float) -> Any:
        # As moments: the digits beyond them were read at weights that are no more.
        return self.moments().scaled(by)

    def __radd__(self, other: Any) -> Any:
        """Moments + R is moments: the digits that R had beyond them are gone."""
        return other + self.moments() if isinstance(other, Moments) else NotImplemented

    def around(self, center: Array, scale: Array) -> RFactor:
        """The same rows centred and scaled otherwise; the factor stays triangular."""
        if np.array_equal(center, self.center) and np.array_equal(scale, self.scale):
            return self
        move = np.diag(np.append(1.0, self.scale / scale))
        move[0, 1:] = (self.center - center) / scale
        inner = move[:-1, :-1]
        return replace(
            self,
            center=center,
            scale=scale,
            factor=self.factor @ move,
            gradient=np.full_like(self.gradient, np.nan),
            blur=self.blur @ inner,
        )

    def only(self, features: Flags) -> RFactor:
        """Return the factor of a subset of the features: enough to solve, though no longer square."""
        columns = np.flatnonzero(np.concatenate([[True], features, [True]]))
        joint, predictor = columns[1:] - 1, columns[:-1]
        return replace(
            self,
            center=self.center[joint],
            scale=self.scale[joint],
            factor=self.factor[:, columns],
            coef=self.coef[features],
            gradient=self.gradient[predictor],
            remainder=self.remainder[predictor],
            blur=self.blur[:, predictor],
        )

    def recode(self, old: Schema, new: Schema) -> RFactor:
        """The same under a larger schema: new categories are zeros, centred at zero, of scale one."""
        wider = moved(self, old, new)
        return replace(wider, scale=np.where(wider.scale == 0, 1.0, wider.scale))

    def canonical(self) -> Moments:
        """Return a canonical form that is equal for all factors of the same rows."""
        return self.moments()

    def moments(self) -> Moments:
        """The moments these rows have."""
        if self.weight == 0:
            zeros = np.zeros_like(self.center)
            return Moments(0.0, zeros, zeros, np.zeros((len(zeros),) * 2))
        centred = self.factor[1:, 1:] * self.scale
        offset = self.scale * self.factor[0, 1:] / self.factor[0, 0]
        return Moments(self.weight, *two_sum(self.center, offset), centred.T @ centred)


class FactorAndGradient(Statistic[RFactor]):
    """The triangular factor of the features and the target, and the exact gradient at given coefficients."""

    center: Array
    """of the features, then the target"""
    scale: Array
    coef: Array
    intercept: float
    levels: Codes

    def summarize(self, chunk: Chunk) -> RFactor:
        return RFactor.of(chunk, self.center, self.scale, self.coef, self.intercept, self.levels)


def triangle(top: Array, below: Array) -> Array:
    """The R of two stacked matrices, with a diagonal that is not negative."""
    factor = np.linalg.qr(np.vstack([top, below]), mode="r")
    return np.asarray(np.where(np.diag(factor) < 0, -1.0, 1.0)[:, None] * factor)


def last_bits(values: Array) -> Array:
    """Return the standard deviation of possible rounding to float64; integers are exact."""
    return np.where(values == np.rint(values), 0.0, np.spacing(np.abs(values)) / np.sqrt(12.0))
