"""Scaling to a range: z = a + (b - a) (x - min) / (max - min), column by column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Columns, Matrix, Need, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.estimator import AffineTransformer, OnePass, fitted
from tenfold.estimator.shell.constraints import boolean
from tenfold.estimator.shell.keyword_decisions import copied
from tenfold.stats.moments.affine_map import AffineMap, KnownColumns
from tenfold.stats.moments.extremes import Extremes, ExtremesByColumn

SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


class MinMaxModel(NamedTuple):
    """The extremes of each column, and z = scale · x + min. NaN where a column held no value."""

    data_min: Annotated[Array, "column", ANYTHING]
    data_max: Annotated[Array, "column", ANYTHING]
    data_range: Annotated[Array, "column", ANYTHING]
    scale: Annotated[Array, "column", ANYTHING]
    min: Annotated[Array, "column", ANYTHING]


class MinMaxScaler(OnePass, AffineTransformer):
    """Scale columns to a range, exact in one pass.

    Missing values are left out of the statistics and stay missing. A constant column goes to the lower end
    of the range, and a column without values is unchanged.

    Parameters
    ----------
    feature_range : tuple (low, high), default=(0, 1)
        Where the least and the greatest value of each column go.
    clip : bool, default=False
        Whether values beyond those seen in fitting go to the ends of the range, and not beyond.
    copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    data_min_, data_max_, data_range_ : array of shape (columns,)
    scale_, min_ : array of shape (columns,)
        The transformed column is `scale_ * x + min_`.
    n_samples_seen_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import MinMaxScaler
    >>> MinMaxScaler().fit_transform([[1.0], [2.0], [5.0]]).ravel().tolist()
    [0.0, 0.25, 1.0]
    """

    preserves_dtype = ("float64", "float32")
    need = Need("numeric", missing=True)
    invertible = True
    knows = "extremes"
    sparse_relative = "tn.MaxAbsScaler()"
    law_params = ({}, {"clip": True, "feature_range": (-1, 1)})

    feature_range: Annotated[tuple[float, float], tuple] = (0, 1)
    clip: Annotated[bool, boolean] = False
    _: KW_ONLY
    copy: Annotated[bool, copied] = True

    def _validate_params(self) -> None:
        super()._validate_params()
        low, high = self.feature_range
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ValueError(
                f"Minimum of desired feature range must be smaller than maximum. Got {self.feature_range}."
            )

    solves_stacks = True

    def statistic(self, schema: Schema) -> ExtremesByColumn:
        return ExtremesByColumn()

    def solve(self, schema: Schema, s: Extremes) -> MinMaxModel:
        # A constant column is moved, not stretched; one without a value is left as it is.
        some, low, high = s.low <= s.high, s.low, s.high
        if not some.all():
            low, high = np.where(some, low, np.nan), np.where(some, high, np.nan)
        a, b = self.feature_range
        across = high - low
        scale = (b - a) / np.where(across >= SMALLEST_NORMAL, across, 1.0)
        least = a - low * scale
        if not some.all():
            scale, least = np.where(some, scale, 1.0), np.where(some, least, 0.0)
        return MinMaxModel(low, high, across, scale, least)

    def certify(self, model: MinMaxModel, s: Extremes) -> tuple[Claim, ...]:
        """Extremes are exact; constant and empty columns are reported."""
        flat = float((s.low >= s.high).sum())
        why = "columns that never change, or hold nothing: moved, not scaled"
        return (
            Claim("gap", 0.0, "proved", "minima and maxima are exact", "objective"),
            Claim("constant columns", flat, "proved", why, "data"),
        )

    def transform_from(self, model: MinMaxModel, X: Columns) -> Array:
        """Scale · x + min, in the float type of x."""
        out = np.empty(X.shape, X.dtype)
        for rows, block in X.blocks():
            z = out[rows] if out.dtype == np.float64 else np.empty(block.shape)
            np.multiply(block, model.scale, out=z)
            z += model.min
            out[rows] = np.clip(z, *self.feature_range, out=z) if self.clip else z
        return out

    def summary_from(self, known: KnownColumns) -> Extremes | None:
        return known.extremes

    @property
    def is_affine(self) -> bool:
        # Clipping is no affine map.
        return not self.clip

    def affine_from(self, model: MinMaxModel) -> AffineMap:
        # a + (x - min) (b - a) / (max - min), around the minimum.
        low = np.where(np.isnan(model.data_min), 0.0, model.data_min)
        return AffineMap(model.scale, low, model.scale * low + model.min)

    def inverse_from(self, model: MinMaxModel, X: Columns) -> Matrix:
        """Undo the scaling: (z - min) / scale."""
        return X.scaled(model.scale, model.min)

    @property
    @fitted
    def n_samples_seen_(self) -> int:
        """Number of training rows."""
        where = self.certificate_.provenance
        return 0 if where is None else where.rows
