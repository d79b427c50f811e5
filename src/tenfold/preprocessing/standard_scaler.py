"""Standardisation: z = (x - μ) / σ, column by column."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Claim, Columns, Need, Schema
from tenfold.estimator import Transformer
from tenfold.estimator.constraints import boolean
from tenfold.stats.spread import ColumnSpread, SpreadByColumn


class ScalerState(NamedTuple):
    """Mean, variance and scale of each column."""

    step: int
    mean: Annotated[Array, "column"]
    var: Annotated[Array, "column"]
    scale: Annotated[Array, "column"]
    seen: Annotated[Array, "column"]
    """weight of the rows that have a value"""


class StandardScaler(Transformer):
    """Scale columns to mean 0 and variance 1, exact in one pass.

    Missing values are left out of the statistics and stay missing. A constant column is centred, not
    scaled.

    Parameters
    ----------
    with_mean : bool, default=True
        Whether to subtract the mean. CSR input needs False: its zeros would be filled.
    with_std : bool, default=True
        Whether to divide by the standard deviation.

    Attributes
    ----------
    mean_, var_, scale_ : array of shape (columns,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import StandardScaler
    >>> StandardScaler().fit_transform([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    """

    passes = ONE
    model_type = ScalerState
    summary_types = (ColumnSpread,)
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"with_mean": False},
        {"with_std": False},
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "with_mean": [boolean],
        "with_std": [boolean],
    }

    def __init__(self, with_mean: bool = True, with_std: bool = True) -> None:
        self.with_mean = with_mean
        self.with_std = with_std

    @property
    def need(self) -> Need:
        """Numbers, some perhaps missing; CSR only if zeros stay zeros."""
        return Need("numeric", missing=True, sparse=not self.with_mean)

    def start(self, schema: Schema) -> ScalerState:
        """Nothing known."""
        p = len(schema.columns)
        return ScalerState(0, np.zeros(p), np.ones(p), np.ones(p), np.zeros(p))

    def ask(self, state: ScalerState) -> SpreadByColumn | None:
        """Once: mean and squares of each column."""
        return None if state.step else SpreadByColumn()

    def update(self, state: ScalerState, s: ColumnSpread) -> ScalerState:
        """Mean and standard deviation."""
        var = np.divide(s.square, s.weight, out=np.zeros_like(s.square), where=s.weight > 0)
        scale = np.where(var > 0, np.sqrt(var), np.sqrt(s.square) / np.sqrt(np.maximum(s.weight, 1e-300)))
        return ScalerState(1, s.mean, var, np.where(self._flat(s), 1.0, scale), s.weight)

    def certify(self, state: ScalerState, s: ColumnSpread) -> tuple[Claim, ...] | None:
        """The statistics are exact; constant and empty columns are said."""
        if not state.step:
            return None
        flat = float(self._flat(s).sum())
        why = "columns that change by no more than rounding: centred, not scaled"
        return (
            Claim("gap", 0.0, "proved", "mean and variance of the merged rows", "objective"),
            Claim("constant columns", flat, "estimated", why, "data"),
        )

    @staticmethod
    def _flat(s: ColumnSpread) -> Any:
        """Columns whose squares are nothing but rounding."""
        return np.sqrt(s.square) <= np.sqrt(s.weight) * (4 * np.finfo(np.float64).eps * np.abs(s.mean))

    def transform_from(self, state: ScalerState, X: Columns) -> Any:
        """(x - μ) / σ, in the float type of x."""
        scale = state.scale if self.with_std else np.ones_like(state.scale)
        return X.scaled(scale, state.mean if self.with_mean else None)

    def inverse_from(self, state: ScalerState, X: Columns) -> Any:
        """σ z + μ, as (z + μ / σ) σ."""
        scale = state.scale if self.with_std else np.ones_like(state.scale)
        return X.scaled(1 / scale, -state.mean / scale if self.with_mean else None)

    @property
    def n_samples_seen_(self) -> Any:
        """Weight of the rows, or of each column's rows where some values are missing."""
        seen = self.model_.seen
        return seen[0] if (seen == seen[0]).all() else seen

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
