"""Powers that make columns normal: Yeo-Johnson or Box-Cox, with the exponent λ of the largest likelihood.

z = (x^λ - 1) / λ (Box-Cox, x > 0), or ((x + 1)^λ - 1) / λ where x ≥ 0 and -((1 - x)^(2-λ) - 1) / (2 - λ) where x < 0
(Yeo-Johnson). The likelihood needs every value, but not their order, nor their last bits: it is computed of the values
and how often each comes, in groups of neighbours where they are very many. So one pass is enough, and models add up.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np
from scipy.optimize import fminbound
from scipy.special import boxcox, boxcox1p, inv_boxcox, inv_boxcox1p

from tenfold.core import Array, Claim, Columns, DataError, Need, Schema
from tenfold.estimator import OnePass, Transformer
from tenfold.estimator.shell.constraints import boolean, choice
from tenfold.estimator.shell.keyword_decisions import copied
from tenfold.stats.counts.distribution import Distribution, DistributionByColumn, ValueGroups

EPS = float(np.finfo(np.float64).eps)
LEAST, MOST = (
    float(np.log(end) + way) / 2
    for end, way in ((np.finfo(float).tiny, -np.log(EPS)), (np.finfo(float).max, np.log(EPS)))
)
"""logarithms of the least and the largest power that is looked at, as SciPy has them"""


class PowerModel(NamedTuple):
    """The exponent of each column, and mean and scale of what it gives."""

    lambdas: Annotated[Array, "column"]
    mean: Annotated[Array, "column"]
    scale: Annotated[Array, "column"]


class PowerTransformer(OnePass, Transformer):
    """Make columns as normal as a power of them can be, in one pass.

    The exponents are those of the largest likelihood. They are exact while a column has at most 65,536 distinct values.
    With more, values that share their leading bits count as one; exponents then differ by less than 1e-6 as a rule.
    Missing values are left out of the statistics and stay missing. A constant column is unchanged, except
    for its mean; one that changes so little beside its size that its powers would all be one number in float64 keeps
    the exponent 1 (scale it before).

    Parameters
    ----------
    method : {"yeo-johnson", "box-cox"}, default="yeo-johnson"
        Which powers: those for any numbers, or those for numbers above 0.
    standardize : bool, default=True
        Whether what comes out gets mean 0 and variance 1.
    copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    lambdas_ : array of shape (columns,)
        The exponents.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import PowerTransformer
    >>> model = PowerTransformer().fit([[1.0], [3.0], [9.0], [27.0], [81.0]])
    >>> model.lambdas_.round(3).tolist()
    [-0.101]
    >>> model.transform([[9.0]]).round(3).tolist()
    [[-0.026]]
    """

    preserves_dtype = ("float64", "float32")
    need = Need("numeric", missing=True)
    invertible = True
    law_params = ({}, {"standardize": False})

    method: Annotated[str, choice("yeo-johnson", "box-cox")] = "yeo-johnson"
    _: KW_ONLY
    standardize: Annotated[bool, boolean] = True
    copy: Annotated[bool, copied] = True

    def statistic(self, schema: Schema) -> DistributionByColumn:
        return DistributionByColumn()

    def solve(self, schema: Schema, s: Distribution) -> PowerModel:
        found = np.array([[1.0, 0.0, 1.0]] * len(s.bits))
        for j, (name, column) in enumerate(zip(schema.names, s.columns, strict=True)):
            if self.method == "box-cox" and len(column.low) and column.low[0] <= 0:
                raise DataError(
                    f"column {name!r} holds {column.low[0]:g}, and the Box-Cox transformation can only be applied to "
                    "strictly positive data. Remedy: method='yeo-johnson'"
                )
            if len(column.low):
                power = 1.0 if column.flat else self._power(column)
                mean, deviation = _moments(self._powers(column.middle, power), column.weight)
                if deviation <= 10 * EPS * abs(mean):  # powers that are all the same number: none is taken
                    power = 1.0
                    mean, deviation = _moments(self._powers(column.middle, power), column.weight)
                if not deviation and not column.flat:  # squares of values so small are zero
                    deviation = math.nan
                found[j] = power, mean, 1.0 if deviation <= 10 * EPS * abs(mean) else deviation
        if not np.isfinite(found).all():
            j = int(np.argwhere(~np.isfinite(found))[0][0])
            raise DataError(
                f"column {schema.names[j]!r} has powers beyond the range of float64. Remedy: rescale it with "
                "MaxAbsScaler"
            )
        return PowerModel(*(np.ascontiguousarray(some) for some in found.T))

    def _power(self, column: ValueGroups) -> float:
        """The λ of the largest likelihood of one column."""
        x, weight = column.middle, column.weight
        logs = self._logs(x)
        # powers of values up to 20 times as large can be squared, and have digits
        far = float(np.abs(logs).max()) + np.log(20) if self.method == "box-cox" else np.log1p(20 * np.abs(x).max())
        low, high = LEAST / far, MOST / far
        if self.method == "yeo-johnson" and x[0] < 0:
            low, high = (2 - high, 2 - low) if x[-1] < 0 else (max(2 - high, low), min(2 - low, high))

        if low > high:  # powers above one for values below zero, and below one for those above
            return math.nan
        with np.errstate(all="ignore"):  # exponents of values near zero are large, and so are the steps between them
            return float(fminbound(_loss, low, high, (x, logs, weight, self.method), xtol=1e-9, maxfun=500))

    def _logs(self, x: Array) -> Array:
        """Log-Jacobian term of each value: the logarithm of the derivative is λ - 1 times this."""
        found: Array = np.log(x) if self.method == "box-cox" else np.sign(x) * np.log1p(np.abs(x))
        return found

    def _powers(self, x: Array, power: float | Array) -> Array:
        """The transformed values of a column, or of all."""
        with np.errstate(over="ignore", invalid="ignore"):
            found: Array = boxcox(x, power) if self.method == "box-cox" else _yeo_johnson(x, power)
        return found

    def certify(self, model: PowerModel, s: Distribution) -> tuple[Claim, ...]:
        """Whether every value was counted by itself, and how steep the likelihood still is."""
        steep = max(
            (self._slope(c, p) for c, p in zip(s.columns, model.lambdas, strict=True) if not c.flat), default=0.0
        )
        why = "by so much a row's likelihood would still change with an exponent, at the steepest of all columns"
        return (s.claim(), Claim("slope", steep, "estimated", why, "objective"))

    def _slope(self, column: ValueGroups, power: float) -> float:
        """The size of the derivative of a row's mean log-likelihood at this exponent, by differences."""
        x, step = column.middle, 1e-4 * max(1.0, abs(power))
        given = x, self._logs(x), column.weight, self.method
        return abs(_loss(power + step, *given) - _loss(power - step, *given)) / (2 * step)

    def transform_from(self, model: PowerModel, X: Columns) -> Array:
        """The powers, in the float type of x; standardised, if so."""
        out = np.empty(X.shape, X.dtype)
        for rows, block in X.blocks():
            if self.method == "box-cox" and (block <= 0).any():
                i, j = (int(k) for k in np.argwhere(block <= 0)[0])
                raise DataError(
                    f"{X.where(rows.start + i, j)} is {block[i, j]:g}, and the Box-Cox transformation can only be "
                    "applied to strictly positive data. Remedy: method='yeo-johnson'"
                )
            z = self._powers(block, model.lambdas)
            out[rows] = (z - model.mean) / model.scale if self.standardize else z
        return out

    def inverse_from(self, model: PowerModel, X: Columns) -> Array:
        """The values that have these powers; NaN where none has."""
        out = np.empty(X.shape, X.dtype)
        for rows, block in X.blocks():
            z = block * model.scale + model.mean if self.standardize else block
            with np.errstate(over="ignore", invalid="ignore"):
                if self.method == "box-cox":
                    out[rows] = inv_boxcox(z, model.lambdas)
                else:
                    below = -inv_boxcox1p(np.maximum(-z, 0.0), 2 - model.lambdas)
                    out[rows] = np.where(z < 0, below, inv_boxcox1p(np.maximum(z, 0.0), model.lambdas))
        return out


def _yeo_johnson(x: Array, power: float | Array) -> Array:
    """The transformed values: a power of x + 1, and of 1 - x below 0."""
    return np.where(x < 0, -boxcox1p(np.maximum(-x, 0.0), 2 - power), boxcox1p(np.maximum(x, 0.0), power))


def _loss(power: float, x: Array, logs: Array, weight: Array, method: str) -> float:
    """Minus the mean log-likelihood of a row, but for a constant, at its best mean and variance.

    For values on one side of 0 it is computed around their mean logarithm: so it is accurate for values of any size.
    """
    middle = float(np.average(logs, weights=weight))
    if method == "yeo-johnson" and x[0] < 0 <= x[-1]:
        return float(np.log(_moments(_yeo_johnson(x, power), weight)[1])) - (power - 1) * middle
    below = method == "yeo-johnson" and x[0] < 0
    exponent, around = (2 - power, middle - logs) if below else (power, logs - middle)
    powers = np.expm1(exponent * around) / exponent if exponent else around
    return float(np.log(_moments(powers, weight)[1])) + middle * (-1 if below else 1)


def _moments(values: Array, weight: Array) -> tuple[float, float]:
    """The weighted mean and standard deviation of some values."""
    mean = float(np.average(values, weights=weight))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))
