"""Columns that vary: column j is kept if Σ (x - μ)² / n is above a threshold."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array, Chunk, Claim, Flags, Mergeable, Need, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass
from tenfold.estimator.shell.constraints import real
from tenfold.feature_selection.selector import Selector
from tenfold.stats.moments.extremes import Extremes, ExtremesByColumn
from tenfold.stats.moments.spread import ColumnSpread, SpreadByColumn


class AnyMissing(Mergeable):
    """Whether a value of each column was missing."""

    flags: Annotated[Flags, "column"]
    by_weight = ()

    def __add__(self, other: AnyMissing) -> AnyMissing:
        return AnyMissing(self.flags | other.flags)


class SpreadAndRange(Mergeable):
    """Mean and squares of each column, its least and greatest value, and whether some were missing."""

    spread: ColumnSpread
    extremes: Extremes
    gaps: AnyMissing
    by_weight = ()


class SpreadAndRanges(Grouped[SpreadAndRange]):
    """Mean and squares of each column, its least and greatest value, and whether some were missing."""

    def summarize(self, chunk: Chunk) -> SpreadAndRange:
        spread = SpreadByColumn().summarize(chunk)
        if sp.issparse(chunk.X.data):
            X = chunk.X.entries()
            gone = np.isnan(X.data)
            gaps = np.bincount(X.indices[gone], minlength=X.shape[1]) > 0
            return SpreadAndRange(spread, _stored_extremes(chunk), AnyMissing(gaps))
        gaps = np.zeros(chunk.X.shape[1], bool)
        for _, block in chunk.X.blocks():
            gaps |= np.isnan(block).any(axis=0)
        return SpreadAndRange(spread, ExtremesByColumn().summarize(chunk), AnyMissing(gaps))


def _stored_extremes(chunk: Chunk) -> Extremes:
    """The extremes of CSR rows, by what they store."""
    X = chunk.X.entries()
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    values = X.data.astype(np.float64, copy=False)
    np.fmin.at(low, X.indices, values)
    np.fmax.at(high, X.indices, values)
    zeros = np.bincount(X.indices, minlength=X.shape[1]) < chunk.n
    low, high = np.where(zeros, np.minimum(low, 0.0), low), np.where(zeros, np.maximum(high, 0.0), high)
    return Extremes(low + 0.0, high + 0.0)


class VarianceModel(NamedTuple):
    """The variance of each column; NaN where it held no value."""

    variances: Annotated[Array, "column", ANYTHING]


class VarianceThreshold(OnePass, Selector):
    """Keep the columns whose variance is above a threshold, exact in one pass.

    Missing values are left out of the variance and stay missing; a column without values is left out.

    Parameters
    ----------
    threshold : float, default=0.0
        Columns of no more variance are left out: by default those that never change, also where rounding would feign a
        variance.

    Attributes
    ----------
    variances_ : array of shape (columns,)
        With `threshold=0`, the range of a column without missing values, if that is smaller, as in scikit-learn.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import VarianceThreshold
    >>> model = VarianceThreshold().fit([[0.0, 2.0, 3.0], [0.0, 1.0, 3.0], [0.0, 4.0, 3.5]])
    >>> model.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    need = Need("numeric", missing=True, sparse=True)
    law_params = ({}, {"threshold": 0.01})

    threshold: Annotated[float, real(0)] = 0.0

    def statistic(self, schema: Schema) -> SpreadAndRanges:
        """The same for every threshold."""
        return SpreadAndRanges()

    def solve(self, schema: Schema, s: SpreadAndRange) -> VarianceModel:
        found, low, high = s.spread, s.extremes.low, s.extremes.high
        some = low <= high
        var = np.divide(found.square, found.weight, out=np.full(len(low), np.nan), where=some & (found.weight > 0))
        var = np.where(low == high, 0.0, var)
        if self.threshold == 0:
            across = np.subtract(high, low, out=np.full(len(low), np.inf), where=some & ~s.gaps.flags)
            var = np.minimum(var, across)
        return VarianceModel(var)

    def certify(self, model: VarianceModel, s: SpreadAndRange) -> tuple[Claim, ...]:
        """The variances are exact; columns that are left out are counted."""
        left = float(len(model.variances) - self.kept_from(model).sum())
        return (
            Claim("gap", 0.0, "proved", "variances of the merged rows", "objective"),
            Claim("columns left out", left, "proved", "columns of no more variance than the threshold", "data"),
        )

    def kept_from(self, model: VarianceModel) -> Flags:
        kept: Flags = model.variances > self.threshold
        return kept

    @property
    def merges_unsolved(self) -> bool:
        # Later rows in which no column changes are no error.
        return True

    def _after_fit(self, source: object) -> None:
        if self.kept_from(self.model_).any():
            return
        made = self.certificate_.provenance
        one = " (X contains only one sample)" if made is not None and made.rows == 1 else ""
        raise ValueError(
            f"No feature in X meets the variance threshold {self.threshold:.5f}{one}. Remedy: a lower threshold, or "
            "columns that change"
        )
