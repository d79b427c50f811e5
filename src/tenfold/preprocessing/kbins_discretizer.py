"""Numbers in bins: z = the number of the interval that x is in, or a column of 0 and 1 for each interval."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Codes, Columns, Matrix, Need, Remedy, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.field_values import ANYTHING, Between
from tenfold.estimator import OnePass, Transformer, fitted
from tenfold.estimator.shell.constraints import array, choice, integer
from tenfold.estimator.shell.keyword_decisions import all_counted, unseeded
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.preprocessing.categories import as_rows
from tenfold.stats.counts.distribution import Distribution, DistributionByColumn, ValueGroups
from tenfold.stats.moments.extremes import Extremes, ExtremesByColumn
from tenfold.stats.one_dimensional_kmeans import line_centers

MIN_BIN_WIDTH = 1e-8
"""a bin between quantiles or centres that is no wider than this goes to its neighbour, as scikit-learn has it"""


class BinsModel(NamedTuple):
    """How many bins each column has, and their edges; infinity behind the last."""

    n_bins: Annotated[Codes, "column", Between(1)]
    edges: Annotated[Array, "column", "edge", ANYTHING]


no_such_quantile = refused(
    "it is not among the quantiles of counted values here",
    Remedy('tn.KBinsDiscretizer(quantile_method="linear")'),
    "hazen",
    "closest_observation",
    "interpolated_inverted_cdf",
    "median_unbiased",
    "normal_unbiased",
    "weibull",
)
as_precise = Refused(
    "the output is as precise as the input",
    Remedy("tn.KBinsDiscretizer().fit_transform(X.astype(np.float32))"),
    (None,),
)


class KBinsDiscretizer(OnePass, Transformer):
    """Cut each column into bins, of even width, with evenly many rows or around the centres of k-means, in one pass.

    Quantiles and centres are exact while a column has at most 65,536 distinct values. With more, neighbouring values
    are counted together, and the certificate bounds by which share of the rows a quantile may be off, or how far apart
    values are that centres take for one. A column that never changes is one bin.

    Parameters
    ----------
    n_bins : int or array of shape (columns,), default=5
        Number of bins of each column. Duplicate quantiles are merged, so there may be fewer: see `n_bins_`,
        and the certificate for a lower bound.
    encode : {"onehot", "onehot-dense", "ordinal"}, default="onehot"
        Whether a column of 0 and 1 comes out for each bin, as CSR or dense, or the numbers of the bins.
    strategy : {"uniform", "quantile", "kmeans"}, default="quantile"
        Whether bins are equally wide, have equally many rows, or the values that are nearest to one of the centres of
        k-means, which starts with those of bins of equal width.
    quantile_method : {"averaged_inverted_cdf", "inverted_cdf", "linear"}, default="averaged_inverted_cdf"
        Where between two rows a quantile is, as in `numpy.quantile`.
    dtype : optional
        As in scikit-learn; other values raise an error that names an alternative.
    subsample, random_state : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    bin_edges_ : array of arrays
        The edges of each column.
    n_bins_ : array of shape (columns,)
        How many bins each column has.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import KBinsDiscretizer
    >>> model = KBinsDiscretizer(2, encode="ordinal", strategy="uniform").fit([[0.0], [1.0], [4.0]])
    >>> model.transform([[1.0], [3.0]]).ravel().tolist()
    [0.0, 1.0]
    >>> model.inverse_transform([[0.0], [1.0]]).ravel().tolist()
    [1.0, 3.0]
    """

    preserves_dtype = ("float64", "float32")
    need = Need("numeric")
    law_params = (
        {"n_bins": 3, "encode": "ordinal"},
        {"n_bins": 4, "encode": "onehot-dense", "strategy": "uniform"},
        {"n_bins": 3, "quantile_method": "linear"},
        {"n_bins": 3, "encode": "ordinal", "strategy": "kmeans"},
    )

    n_bins: Annotated[int | ArrayLike, integer(2), array] = 5
    _: KW_ONLY
    encode: Annotated[str, choice("onehot", "onehot-dense", "ordinal")] = "onehot"
    strategy: Annotated[str, choice("uniform", "quantile", "kmeans")] = "quantile"
    quantile_method: Annotated[str, choice("averaged_inverted_cdf", "inverted_cdf", "linear"), no_such_quantile] = (
        "averaged_inverted_cdf"
    )
    dtype: Annotated[None, as_precise] = None
    subsample: Annotated[int | None, all_counted] = 200000
    random_state: Annotated[int | None, unseeded] = None

    def statistic(self, schema: Schema) -> DistributionByColumn | ExtremesByColumn:
        self._bin_counts(schema)
        return ExtremesByColumn() if self.strategy == "uniform" else DistributionByColumn()

    def _bin_counts(self, schema: Schema) -> list[int]:
        """How many bins each column is to have."""
        p = len(schema.columns)
        if isinstance(self.n_bins, (int, np.integer)):
            return [int(self.n_bins)] * p
        found = np.asarray(self.n_bins)
        if found.shape != (p,) or found.dtype.kind not in "iu" or (found < 2).any():
            raise ValueError(
                f"n_bins must be an integer from 2 on, or {p} of them, one for each column: {self.n_bins!r}"
            )
        return [int(one) for one in found]

    def solve(self, schema: Schema, s: Distribution | Extremes) -> BinsModel:
        wanted = self._bin_counts(schema)
        edges = np.full((len(wanted), max(wanted) + 1), np.inf)
        n_bins = np.ones(len(wanted), dtype=np.int64)
        for j, k in enumerate(wanted):
            column = None if isinstance(s, Extremes) else s.column(j)
            flat = bool(s.low[j] >= s.high[j]) if isinstance(s, Extremes) else s.column(j).flat
            if flat:
                found = np.array([-np.inf, np.inf])
            elif column is None:
                found = np.linspace(s.low[j], s.high[j], k + 1)
            else:
                found = self._edges(column, k)
                found = found[np.ediff1d(found, to_begin=np.inf) > MIN_BIN_WIDTH]
            n_bins[j] = max(len(found) - 1, 1)
            edges[j, : len(found)] = found
        return BinsModel(n_bins, edges)

    def _edges(self, column: ValueGroups, k: int) -> Array:
        """The edges of bins of one column, between its smallest value and its greatest."""
        if self.strategy == "quantile":
            return column.quantiles(np.linspace(0, 100, k + 1) / 100, self.quantile_method)
        even = np.linspace(column.low[0], column.high[-1], k + 1)
        centers = line_centers(column.middle, column.weight, (even[1:] + even[:-1]) * 0.5)
        return np.concatenate([even[:1], (centers[1:] + centers[:-1]) * 0.5, even[-1:]])

    def certify(self, model: BinsModel, s: Distribution | Extremes) -> tuple[Claim, ...]:
        """How exact the edges are, and how few bins a column has."""
        fewest = Claim("fewest bins", float(model.n_bins.min()), "proved", "of all columns", "data")
        if isinstance(s, Extremes):
            return (Claim("gap", 0.0, "proved", "minima and maxima are exact", "objective"), fewest)
        if self.strategy == "kmeans":
            widest = float(np.max(s.high - s.low, initial=0.0))
            why = "so far apart are values, at most, that were taken for one; 0: each was counted by itself"
            return (Claim("widest group", widest, "proved", why, "data"), fewest)
        return (s.claim(), fewest)

    def transform_from(self, model: BinsModel, X: Columns) -> Matrix:
        """The number of each value's bin, or indicators."""
        bins = np.empty(X.shape, np.int64)
        for j, k in enumerate(model.n_bins.tolist()):
            bins[:, j] = np.searchsorted(model.edges[j, 1:k], X.column(j), side="right")
        if self.encode == "ordinal":
            return bins.astype(X.dtype)
        start = np.cumsum([0, *model.n_bins])
        n, p = X.shape
        at, ends = (bins + start[:-1]).ravel(), np.arange(n + 1) * p
        found = sp.csr_array((np.ones(n * p, X.dtype), at, ends), shape=(n, int(start[-1])))
        return found if self.encode == "onehot" else found.toarray()

    @fitted
    def inverse_transform(self, X: MatrixLike) -> Array:
        """The middle of each bin.

        Parameters
        ----------
        X : array or CSR matrix
            Numbers of bins, or indicators of them.

        Returns
        -------
        X : array of shape (rows, columns)
        """
        start = np.cumsum([0, *self.model_.n_bins])
        p = len(start) - 1
        given = as_rows(X, p if self.encode == "ordinal" else int(start[-1]))
        out = np.empty((given.shape[0], p))
        for j, edges in enumerate(self.bin_edges_):
            if self.encode == "ordinal":
                bins = np.clip(given[:, j], 0, len(edges) - 2).astype(np.int64)
            else:
                some = given[:, start[j] : start[j + 1]]
                bins = (some.toarray() if sp.issparse(some) else some).argmax(axis=1)
            with np.errstate(invalid="ignore"):  # of a column that never changes
                out[:, j] = ((edges[1:] + edges[:-1]) * 0.5)[bins]
        return out

    @property
    @fitted
    def bin_edges_(self) -> Any:
        """The edges of each column: an array of arrays, as scikit-learn has them."""
        found = np.empty(len(self.model_.n_bins), dtype=object)
        for j, k in enumerate(self.model_.n_bins.tolist()):
            found[j] = self.model_.edges[j, : k + 1].copy()
        return found

    def origins(self, model: BinsModel, width: int) -> Codes:
        # One of each column, or the bins of one after those of another.
        return np.arange(width) if self.encode == "ordinal" else np.repeat(np.arange(width), model.n_bins)

    def names_out(self, names: list[str]) -> list[str]:
        if self.encode == "ordinal":
            return names
        return [
            f"{name}_{k}.0" for name, bins in zip(names, self.model_.n_bins.tolist(), strict=True) for k in range(bins)
        ]
