"""Rows of length one: z = x / ‖x‖, row by row.

‖x‖ is Σ|x_j| ("l1"), √Σx_j² ("l2") or max|x_j| ("max"). Each row is transformed by itself:
the summary only counts.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.rows.extremes import find_zeros
from tenfold.compiled.rows.row_lengths import LARGEST, ROOT, SUM, divide_by_lengths
from tenfold.core import CSR, Chunk, Claim, Columns, Matrix, Mergeable, Need, Schema
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, Transformer
from tenfold.estimator.shell.constraints import choice
from tenfold.estimator.shell.keyword_decisions import copied

NORMS = {"l1": SUM, "l2": ROOT, "max": LARGEST}


class RowWeight(Mergeable):
    """Weight of the rows, and of those that are zeros throughout."""

    weight: float
    zero: float
    by_weight = ("weight", "zero")


class ZeroRows(Grouped[RowWeight]):
    """Weight of the rows, and of those that are zeros throughout."""

    def summarize(self, chunk: Chunk) -> RowWeight:
        # Look for rows of zeros; a CSR matrix may store some of them.
        zero = np.zeros(chunk.n, dtype=bool)
        if sp.issparse(chunk.X.data):
            values = _once(chunk.X)
            values.eliminate_zeros()
            zero = np.diff(values.indptr) == 0
        else:
            for rows, block in chunk.X.blocks():
                find_zeros(block, zero[rows])
        return RowWeight(chunk.total, float(chunk.weight[zero].sum()) if zero.any() else 0.0)


class NormalizerModel(NamedTuple):
    """Empty model: each row is normalized by itself."""


class Normalizer(OnePass, Transformer):
    """Scale each row to length one; rows of zeros stay zeros, and CSR stays CSR.

    Fitting learns nothing but the number and the names of the columns. No square overflows or is lost,
    for numbers of any size.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default="l2"
        What is the length of a row: the sum of absolute values, the root of the sum of squares, or the
        largest absolute value.
    copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import Normalizer
    >>> Normalizer().fit_transform([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """

    preserves_dtype = ("float64", "float32")
    mixes_columns = True
    need = Need("numeric", sparse=True)
    law_params = ({}, {"norm": "l1"}, {"norm": "max"})

    norm: Annotated[str, choice("l1", "l2", "max")] = "l2"
    _: KW_ONLY
    copy: Annotated[bool, copied] = True

    def statistic(self, schema: Schema) -> ZeroRows:
        return ZeroRows()

    def solve(self, schema: Schema, s: RowWeight) -> NormalizerModel:
        return NormalizerModel()

    def certify(self, model: NormalizerModel, s: RowWeight) -> tuple[Claim, ...]:
        """Nothing is estimated; rows without a direction are reported."""
        why = f"weight of rows of zeros, of {s.weight:g} in all: they have no direction and stay zeros"
        return (
            Claim("gap", 0.0, "proved", "each row is transformed by itself: nothing is estimated", "objective"),
            Claim("zero rows", s.zero, "proved", why, "data"),
        )

    def transform_from(self, model: NormalizerModel, X: Columns) -> Matrix:
        """x / ‖x‖, in the float type of x; CSR stays CSR."""
        norm = NORMS[self.norm]
        if sp.issparse(X.data):
            z = _once(X)
            divide_by_lengths(z.data, z.indptr.astype(np.int64), norm, z.data)
            return z
        out = np.empty(X.shape, X.dtype)
        for rows, block in X.blocks():
            first = np.arange(len(block) + 1) * X.shape[1]
            divide_by_lengths(block.reshape(-1), first, norm, out[rows].reshape(-1))
        return out


def _once(X: Columns) -> CSR:
    """A copy of a CSR matrix that has each of its places once."""
    return X.entries().copy()
