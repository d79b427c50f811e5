"""Scaling by quantiles: z = (x - median) / (q_high - q_low), column by column. A few wild values change nothing."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np
from scipy.special import ndtri

from tenfold.core import Array, Claim, Columns, Matrix, Need, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.estimator import AffineTransformer, OnePass, fitted
from tenfold.estimator.shell.constraints import boolean
from tenfold.estimator.shell.keyword_decisions import copied
from tenfold.stats.counts.distribution import Distribution, DistributionByColumn
from tenfold.stats.moments.affine_map import AffineMap

MIN_SCALE = 10 * float(np.finfo(np.float64).eps)
"""a range of quantiles below it is none, as scikit-learn has it"""


class RobustModel(NamedTuple):
    """Median of each column, and the distance of two quantiles. NaN where a column held no value."""

    center: Annotated[Array, "column", ANYTHING]
    scale: Annotated[Array, "column", ANYTHING]


class RobustScaler(OnePass, AffineTransformer):
    """Subtract the median of each column and divide by the distance of its quartiles, in one pass.

    Missing values are left out of the statistics and stay missing. A column whose quartiles are equal is centred, not
    scaled. Quantiles are exact while a column has at most 65,536 distinct values. With more, neighbouring values are
    counted together, and the certificate bounds by which share of the rows a quantile may be off.

    Parameters
    ----------
    with_centering : bool, default=True
        Whether to subtract the median.
    with_scaling : bool, default=True
        Whether to divide by the distance of the quantiles.
    quantile_range : tuple (low, high), default=(25.0, 75.0)
        The quantiles, in percent.
    unit_variance : bool, default=False
        Whether to divide the scale by what it is of a standard normal distribution, so that columns which are normal
        get variance 1.
    copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    center_, scale_ : array of shape (columns,) or None
        None without `with_centering`, and without `with_scaling`.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import RobustScaler
    >>> RobustScaler().fit_transform([[1.0], [2.0], [3.0], [4.0], [1000.0]]).ravel().tolist()
    [-1.0, -0.5, 0.0, 0.5, 498.5]
    """

    preserves_dtype = ("float64", "float32")
    need = Need("numeric", missing=True)
    invertible = True
    knows = "rows"
    sparse_relative = "tn.MaxAbsScaler()"
    law_params = ({}, {"with_centering": False, "quantile_range": (10.0, 80.0)}, {"unit_variance": True})

    _: KW_ONLY
    with_centering: Annotated[bool, boolean] = True
    with_scaling: Annotated[bool, boolean] = True
    quantile_range: Annotated[tuple[float, float], tuple] = (25.0, 75.0)
    unit_variance: Annotated[bool, boolean] = False
    copy: Annotated[bool, copied] = True

    def _validate_params(self) -> None:
        super()._validate_params()
        low, high = self.quantile_range
        if not 0 <= low < high <= 100:
            raise ValueError(f"quantile_range must rise from 0 or more to at most 100, not {self.quantile_range}")
        if self.unit_variance and not 0 < low < high < 100:
            raise ValueError(
                f"unit_variance=True needs a quantile_range within 0 and 100, not {self.quantile_range}: a normal "
                "distribution has no end"
            )

    def statistic(self, schema: Schema) -> DistributionByColumn:
        return DistributionByColumn()

    def solve(self, schema: Schema, s: Distribution) -> RobustModel:
        low, high = (share / 100 for share in self.quantile_range)
        found = np.array([column.quantiles(np.array([low, 0.5, high])) for column in s.columns])
        scale = found[:, 2] - found[:, 0]
        scale = np.where(scale < MIN_SCALE, 1.0, scale)
        if self.unit_variance:
            scale = scale / float(ndtri(high) - ndtri(low))
        return RobustModel(found[:, 1].copy(), scale)

    def certify(self, model: RobustModel, s: Distribution) -> tuple[Claim, ...]:
        """The accuracy of the quantiles; columns that are not scaled are reported."""
        flat = float(sum(column.flat for column in s.columns))
        why = "columns that never change, or hold nothing: centred, not scaled"
        return (s.claim(), Claim("constant columns", flat, "proved", why, "data"))

    @property
    @fitted
    def center_(self) -> Array | None:
        """The median of each column; None without `with_centering`."""
        center: Array = self.model_.center
        return center if self.with_centering else None

    @property
    @fitted
    def scale_(self) -> Array | None:
        """Scale of each column; None without `with_scaling`."""
        scale: Array = self.model_.scale
        return scale if self.with_scaling else None

    def offset_and_scale(self, model: RobustModel) -> tuple[Array, Array]:
        """Offset and scale of each column; a column without values is unchanged."""
        known = ~np.isnan(model.center)
        scale = np.where(known & bool(self.with_scaling), model.scale, 1.0)
        return np.where(known & bool(self.with_centering), model.center, 0.0), scale

    def transform_from(self, model: RobustModel, X: Columns) -> Matrix:
        """(x - median) / scale, in the float type of x."""
        center, scale = self.offset_and_scale(model)
        return X.scaled(scale, center)

    def affine_from(self, model: RobustModel) -> AffineMap:
        # (x - median) / scale
        center, scale = self.offset_and_scale(model)
        return AffineMap(1 / scale, center)

    def inverse_from(self, model: RobustModel, X: Columns) -> Matrix:
        """Rows as they were before scaling: z · scale + median."""
        center, scale = self.offset_and_scale(model)
        return X.scaled(1 / scale, -center / scale)
