"""Standardisation: z = (x - μ) / σ, column by column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Columns, Flags, Matrix, Need, Schema
from tenfold.estimator import AffineTransformer, OnePass, fitted
from tenfold.estimator.shell.constraints import boolean
from tenfold.estimator.shell.keyword_decisions import copied
from tenfold.stats.moments.affine_map import AffineMap, KnownColumns
from tenfold.stats.moments.moments import MIN_SQUARE_SCALE, refuse_small
from tenfold.stats.moments.spread import ColumnSpread, SpreadByColumn


class ScalerModel(NamedTuple):
    """Mean, variance and scale of each column."""

    mean: Annotated[Array, "column"]
    var: Annotated[Array, "column"]
    scale: Annotated[Array, "column"]
    seen: Annotated[Array, "column"]
    """weight of the rows that have a value"""


class StandardScaler(OnePass, AffineTransformer):
    """Scale columns to mean 0 and variance 1, exact in one pass.

    Missing values are left out of the statistics and stay missing. A constant column is centred, not
    scaled.

    Parameters
    ----------
    with_mean : bool, default=True
        Whether to subtract the mean. CSR input needs False: its zeros would be filled.
    with_std : bool, default=True
        Whether to divide by the standard deviation.
    copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    mean_ : array of shape (columns,) or None
        None if neither `with_mean` nor `with_std` is asked for, as in scikit-learn.
    var_, scale_ : array of shape (columns,) or None
        None without `with_std`.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import StandardScaler
    >>> StandardScaler().fit_transform([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    """

    preserves_dtype = ("float64", "float32")
    invertible = True
    sparse_relative = "tn.StandardScaler(with_mean=False)"
    law_params = ({}, {"with_mean": False}, {"with_std": False})

    with_mean: Annotated[bool, boolean] = True
    with_std: Annotated[bool, boolean] = True
    _: KW_ONLY
    copy: Annotated[bool, copied] = True

    @property
    def need(self) -> Need:
        # Numbers, some perhaps missing; CSR only if zeros stay zeros.
        return Need("numeric", missing=True, sparse=not self.with_mean)

    solves_stacks = True

    def statistic(self, schema: Schema) -> SpreadByColumn:
        return SpreadByColumn()

    def solve(self, schema: Schema, s: ColumnSpread) -> ScalerModel:
        var = np.divide(s.square, s.weight, out=np.zeros_like(s.square), where=s.weight > 0)
        if self.with_std:
            refuse_small(np.where(s.square > 0, 1.0, 0.0), s.mean, least=MIN_SQUARE_SCALE)
        scale = np.where(var > 0, np.sqrt(var), np.sqrt(s.square) / np.sqrt(np.maximum(s.weight, 1e-300)))
        return ScalerModel(s.mean, var, np.where(self._flat(s), 1.0, scale), s.weight)

    def certify(self, model: ScalerModel, s: ColumnSpread) -> tuple[Claim, ...]:
        """The statistics are exact; constant and empty columns are reported."""
        flat = float(self._flat(s).sum())
        why = "columns that change by no more than rounding: centred, not scaled"
        return (
            Claim("gap", 0.0, "proved", "mean and variance of the merged rows", "objective"),
            Claim("constant columns", flat, "estimated", why, "data"),
        )

    @staticmethod
    def _flat(s: ColumnSpread) -> Flags:
        """Columns whose squares are nothing but rounding."""
        return np.sqrt(s.square) <= np.sqrt(s.weight) * (4 * np.finfo(np.float64).eps * np.abs(s.mean))

    def transform_from(self, model: ScalerModel, X: Columns) -> Matrix:
        """(x - μ) / σ, in the float type of x."""
        scale = model.scale if self.with_std else np.ones_like(model.scale)
        return X.scaled(scale, model.mean if self.with_mean else None)

    def summary_from(self, known: KnownColumns) -> ColumnSpread:
        m, p = known.moments, known.width
        return ColumnSpread(np.full(p, m.weight), m.mean[:p], m.rest[:p], np.diag(m.comoment)[:p].copy())

    def affine_from(self, model: ScalerModel) -> AffineMap:
        # (x - μ) / σ
        scale = 1 / model.scale if self.with_std else np.ones_like(model.scale)
        return AffineMap(scale, model.mean if self.with_mean else np.zeros_like(scale))

    def inverse_from(self, model: ScalerModel, X: Columns) -> Matrix:
        """σ z + μ, as (z + μ / σ) σ."""
        scale = model.scale if self.with_std else np.ones_like(model.scale)
        return X.scaled(1 / scale, -model.mean / scale if self.with_mean else None)

    @property
    @fitted
    def mean_(self) -> Array | None:
        """The mean of each column; None if nothing is done to them."""
        mean: Array = self.model_.mean
        return mean if self.with_mean or self.with_std else None

    @property
    @fitted
    def var_(self) -> Array | None:
        """The variance of each column; None without `with_std`."""
        var: Array = self.model_.var
        return var if self.with_std else None

    @property
    @fitted
    def scale_(self) -> Array | None:
        """Scale of each column; None without `with_std`."""
        scale: Array = self.model_.scale
        return scale if self.with_std else None

    @property
    @fitted
    def n_samples_seen_(self) -> float | Array:
        """Weight of the rows, or of each column's rows where some values are missing."""
        seen: Array = self.model_.seen
        return seen[0] if (seen == seen[0]).all() else seen
