"""Scaling by the largest absolute value: z = x / max |x|, column by column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.rows.extremes import raise_to_sizes
from tenfold.core import Array, Chunk, Claim, Codes, Columns, Matrix, Mergeable, Need, Remedy, Schema
from tenfold.core.statistic import Grouped, Stacked
from tenfold.estimator import AffineTransformer, OnePass, fitted
from tenfold.estimator.shell.keyword_decisions import copied
from tenfold.estimator.shell.keywords import Refused
from tenfold.stats.moments.affine_map import AffineMap, KnownColumns

SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


class Largest(Mergeable):
    """The largest absolute value of each column, missing values left out."""

    exact: ClassVar[bool] = True
    value: Annotated[Array, "column"]
    by_weight = ()

    def __add__(self, other: Largest) -> Largest:
        return Largest(np.maximum(self.value, other.value))


class LargestByColumn(Grouped[Largest], Stacked[Largest]):
    """The largest absolute value of each column, missing values left out."""

    def summarize(self, chunk: Chunk) -> Largest:
        # Look at all rows, block by block, or at what CSR rows store; of no rows it is zeros.
        value = np.zeros(chunk.X.shape[1])
        if sp.issparse(chunk.X.data):
            X = chunk.X.entries()
            np.fmax.at(value, X.indices, np.abs(X.data).astype(np.float64, copy=False))
            return Largest(value)
        for _, block in chunk.X.blocks():
            raise_to_sizes(block, value)
        return Largest(value)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> Largest:
        if sp.issparse(chunk.X.data) or not chunk.X.shape[1]:
            return super().summarize_cells(chunk, starts)
        chunk.X.check()
        found = np.fmax.reduceat(np.abs(chunk.X.unchecked()), starts, axis=0)
        return Largest(np.where(np.isnan(found), 0.0, found))


class MaxAbsModel(NamedTuple):
    """The largest absolute values, and what columns are divided by."""

    max_abs: Annotated[Array, "column"]
    scale: Annotated[Array, "column"]


class MaxAbsScaler(OnePass, AffineTransformer):
    """Divide each column by its largest absolute value: zeros stay zeros, missing values missing.

    Parameters
    ----------
    clip : optional
        As in scikit-learn; other values raise an error that names an alternative.
    copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    max_abs_, scale_ : array of shape (columns,)
    n_samples_seen_ : int

    Examples
    --------
    >>> from tenfold import MaxAbsScaler
    >>> MaxAbsScaler().fit_transform([[1.0], [-4.0]]).ravel().tolist()
    [0.25, -1.0]
    """

    need = Need("numeric", missing=True, sparse=True)
    invertible = True
    knows = "extremes"

    _: KW_ONLY
    copy: Annotated[bool, copied] = True
    clip: Annotated[bool, Refused("unseen rows may be larger", Remedy("tn.MinMaxScaler(clip=True)"), (False,))] = False

    solves_stacks = True

    def statistic(self, schema: Schema) -> LargestByColumn:
        return LargestByColumn()

    def solve(self, schema: Schema, s: Largest) -> MaxAbsModel:
        return MaxAbsModel(s.value, np.where(s.value < SMALLEST_NORMAL, 1.0, s.value))

    def certify(self, model: MaxAbsModel, s: Largest) -> tuple[Claim, ...]:
        """Claim that maxima are exact."""
        return (Claim("gap", 0.0, "proved", "maxima are exact", "objective"),)

    def transform_from(self, model: MaxAbsModel, X: Columns) -> Matrix:
        """x / scale, in the float type of x; CSR stays CSR."""
        return X.scaled(model.scale)

    def summary_from(self, known: KnownColumns) -> Largest:
        return Largest(np.maximum(*(np.abs(end) for end in known.extremes_of)))

    def affine_from(self, model: MaxAbsModel) -> AffineMap:
        # x / max |x|
        return AffineMap(1 / model.scale, np.zeros_like(model.scale))

    def inverse_from(self, model: MaxAbsModel, X: Columns) -> Matrix:
        """Rows as they were before scaling: z · scale."""
        return X.scaled(1 / model.scale)

    @property
    @fitted
    def n_samples_seen_(self) -> int:
        """Number of training rows."""
        where = self.certificate_.provenance
        return 0 if where is None else where.rows
