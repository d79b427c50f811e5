"""Ranks as values: z = F(x), the share of the rows up to x, column by column; or the normal number with this share."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from tenfold.core import Array, Claim, Columns, Need, Remedy, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.estimator import OnePass, Transformer, fitted
from tenfold.estimator.shell.constraints import choice, integer
from tenfold.estimator.shell.keyword_decisions import all_counted, copied, unseeded
from tenfold.estimator.shell.keywords import Refused
from tenfold.stats.counts.distribution import Distribution, DistributionByColumn

BOUND_TOLERANCE = 1e-7
"""so near to the least or greatest value, a value is it, if what comes out is normal"""
LEAST, MOST = (
    float(ndtri(share)) for share in (BOUND_TOLERANCE - np.spacing(1), 1 - (BOUND_TOLERANCE - np.spacing(1)))
)
"""the normal numbers that ends of a column become, which would be infinite"""


class QuantileModel(NamedTuple):
    """Quantiles of each column, and the shares that they are at. NaN where a column held no value."""

    quantiles: Annotated[Array, "quantile", "column", ANYTHING]
    references: Annotated[Array, "quantile"]


zeros_count = Refused(
    "zeros count, whether they are written or not",
    Remedy("tn.QuantileTransformer().fit(np.where(X == 0, np.nan, X))"),
    (False,),
)


class QuantileTransformer(OnePass, Transformer):
    """Make columns uniform or normal by their ranks, in one pass over all rows.

    Between quantiles it goes straight. Missing values are left out of the statistics and stay missing. Quantiles are
    exact while a column has at most 65,536 distinct values. With more, neighbouring values are counted together, and
    the certificate bounds by which share of the rows a quantile may be off. All rows are used: scikit-learn takes a
    sample of 10,000 by default.

    Parameters
    ----------
    n_quantiles : int, default=1000
        How many quantiles are kept of each column, no more than there are rows.
    output_distribution : {"uniform", "normal"}, default="uniform"
        Whether what comes out is uniform from 0 to 1, or normal with mean 0 and variance 1 (and at most 5.2 in size).
    ignore_implicit_zeros : optional
        As in scikit-learn; other values raise an error that names an alternative.
    subsample, random_state, copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    quantiles_ : array of shape (quantiles, columns)
    references_ : array of shape (quantiles,)
        The shares that the quantiles are at.
    n_quantiles_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import QuantileTransformer
    >>> QuantileTransformer(n_quantiles=5).fit_transform([[1.0], [2.0], [4.0], [8.0], [16.0]]).ravel().tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """

    preserves_dtype = ("float64", "float32")
    need = Need("numeric", missing=True)
    invertible = True
    law_params = ({"n_quantiles": 9}, {"n_quantiles": 20, "output_distribution": "normal"})

    _: KW_ONLY
    n_quantiles: Annotated[int, integer(1)] = 1000
    output_distribution: Annotated[str, choice("uniform", "normal")] = "uniform"
    ignore_implicit_zeros: Annotated[bool, zeros_count] = False
    subsample: Annotated[int | None, all_counted] = 10000
    random_state: Annotated[int | None, unseeded] = None
    copy: Annotated[bool, copied] = True

    def statistic(self, schema: Schema) -> DistributionByColumn:
        return DistributionByColumn()

    def solve(self, schema: Schema, s: Distribution) -> QuantileModel:
        rows = int(s.missing[0] + s.column(0).total)
        several = max(rows, *(len(column.low) for column in s.columns))  # weights may add up to less than the rows
        shares = np.linspace(0, 1, max(1, min(self.n_quantiles, several)))
        found = np.column_stack([column.quantiles(shares) for column in s.columns])
        return QuantileModel(np.maximum.accumulate(found, axis=0), shares)

    def certify(self, model: QuantileModel, s: Distribution) -> tuple[Claim, ...]:
        """Claims about the accuracy of the quantiles."""
        flat = float(sum(column.flat for column in s.columns))
        why = "columns that never change, or hold nothing: they have no ranks"
        return (s.claim(), Claim("constant columns", flat, "proved", why, "data"))

    def transform_from(self, model: QuantileModel, X: Columns) -> Array:
        """The share of each value, in the float type of x; or the normal number that has it."""
        out = np.empty(X.shape, X.dtype)
        for j in range(X.shape[1]):
            x, at = X.column(j).astype(np.float64), np.ascontiguousarray(model.quantiles[:, j])
            up = np.interp(x, at, model.references)
            down = np.interp(-x, -at[::-1], -model.references[::-1])  # equal quantiles: halfway between their shares
            z = 0.5 * (up - down)
            if self.output_distribution == "normal":
                z[x + BOUND_TOLERANCE > at[-1]] = 1.0
                z[x - BOUND_TOLERANCE < at[0]] = 0.0
                z = np.clip(ndtri(z), LEAST, MOST)
            else:
                z[x == at[-1]] = 1.0
                z[x == at[0]] = 0.0
            out[:, j] = np.where(np.isnan(x), np.nan, z)
        return out

    def inverse_from(self, model: QuantileModel, X: Columns) -> Array:
        """The values that have these shares."""
        out = np.empty(X.shape, X.dtype)
        for j in range(X.shape[1]):
            z, at = X.column(j).astype(np.float64), model.quantiles[:, j]
            if self.output_distribution == "normal":
                z = ndtr(z)
                z = np.where(z - BOUND_TOLERANCE < 0, 0.0, np.where(z + BOUND_TOLERANCE > 1, 1.0, z))
            out[:, j] = np.where(np.isnan(z), np.nan, np.interp(z, model.references, at))
        return out

    @property
    @fitted
    def n_quantiles_(self) -> int:
        """Number of quantiles."""
        return len(self.model_.references)
