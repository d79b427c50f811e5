"""B-splines of each column: smooth bumps of one degree that sum to one, between knots from one pass."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from tenfold.core import CSR, Array, Claim, Codes, Columns, DataError, Matrix, Need, Schema
from tenfold.estimator import OnePass, Transformer, fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, integer
from tenfold.preprocessing.polynomial_features import memory_order
from tenfold.stats.counts.distribution import Distribution, DistributionByColumn
from tenfold.stats.moments.extremes import Extremes, ExtremesByColumn


class SplineModel(NamedTuple):
    """The knots of each column, from the first to the last, between which its values are."""

    knots: Annotated[Array, "knot", "column"]


class SplineTransformer(OnePass, Transformer):
    """B-splines of each column, in one pass: a smooth curve of it is a linear function of them.

    Quantiles are exact while a column has at most 65,536 distinct values. With more, neighbouring values are counted
    together, and the certificate bounds by which share of the rows a knot may be off.

    Parameters
    ----------
    n_knots : int, default=5
        Number of knots of each column, the first and the last one too, if they are not given.
    degree : int, default=3
        Degree of the polynomials between two knots.
    knots : {"uniform", "quantile"} or array of shape (knots, columns), default="uniform"
        Whether knots lie evenly between the least and the greatest value of a column, or at its quantiles; or the knots
        themselves, in rising order.
    extrapolation : {"constant", "linear", "continue", "periodic", "error"}, default="constant"
        What becomes of a value beyond the knots: the splines of the nearest knot; these, with their slope there; the
        polynomials as they go on; the splines of the value that is whole periods away, from the first knot to the last;
        or an error.
    include_bias : bool, default=True
        Whether the last spline of a column is kept. The splines of a value sum to one, as an intercept does.
    handle_missing : {"error", "zeros"}, default="error"
        Whether a missing value is refused, or all its splines are zero.
    sparse_output : bool, default=False
        Whether a CSR matrix comes out.
    order : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    knots_ : array of shape (knots, columns)
    bsplines_ : list of scipy.interpolate.BSpline
        The splines of each column.
    n_features_out_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SplineTransformer
    >>> SplineTransformer(n_knots=3, degree=2).fit_transform([[0.0], [1.0], [2.0]]).tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.5, 0.5]]
    """

    preserves_dtype = ("float64", "float32")
    law_params = (
        {},
        {"knots": "quantile", "n_knots": 4, "degree": 2, "extrapolation": "linear", "include_bias": False},
        {"degree": 2, "extrapolation": "periodic", "sparse_output": True},
        {"degree": 1, "extrapolation": "continue", "handle_missing": "zeros"},
    )

    n_knots: Annotated[int, integer(2)] = 5
    degree: Annotated[int, integer(0)] = 3
    _: KW_ONLY
    knots: Annotated[str | ArrayLike, choice("uniform", "quantile"), array] = "uniform"
    extrapolation: Annotated[str, choice("error", "constant", "linear", "continue", "periodic")] = "constant"
    include_bias: Annotated[bool, boolean] = True
    order: Annotated[str, memory_order] = "C"
    handle_missing: Annotated[str, choice("error", "zeros")] = "error"
    sparse_output: Annotated[bool, boolean] = False

    @property
    def need(self) -> Need:
        # Numbers; missing ones, if they become zeros.
        return Need("numeric", missing=self.handle_missing == "zeros")

    def statistic(self, schema: Schema) -> DistributionByColumn | ExtremesByColumn:
        knots = self.n_knots if isinstance(self.knots, str) else len(self._given_knots(schema))
        if self.extrapolation == "periodic" and knots <= self.degree:
            raise ValueError(
                f"periodic splines of degree {self.degree} need more than {self.degree} knots, and there are {knots}. "
                f"Remedy: n_knots={self.degree + 1}, or a lower degree"
            )
        quantiles = isinstance(self.knots, str) and self.knots == "quantile"
        return DistributionByColumn() if quantiles else ExtremesByColumn()

    def _given_knots(self, schema: Schema) -> Array:
        """The knots that were given; ValueError if they do not fit the columns."""
        found, p = np.array(self.knots, dtype=np.float64), len(schema.columns)
        if found.ndim != 2 or len(found) < 2 or found.shape[1] != p:
            raise ValueError(
                f"knots have the shape {found.shape}. Remedy: (knots, {p}), two knots or more for each column"
            )
        if not np.isfinite(found).all() or not (np.diff(found, axis=0) > 0).all():
            raise ValueError("knots do not rise, column by column. Remedy: sort them, without duplicates")
        return found

    def solve(self, schema: Schema, s: Distribution | Extremes) -> SplineModel:
        if isinstance(s, Distribution):
            shares = np.linspace(0.0, 1.0, self.n_knots)
            found = np.array([column.quantiles(shares) for column in s.columns]).T
        elif isinstance(self.knots, str):
            found = np.linspace(s.low, s.high, self.n_knots)
        else:
            found = self._given_knots(schema)
        known = np.isfinite(found).all(axis=0)  # not of a column without values
        return SplineModel(np.ascontiguousarray(np.where(known, found, 0.0)))

    def certify(self, model: SplineModel, s: Distribution | Extremes) -> tuple[Claim, ...]:
        """How exact the knots are."""
        if isinstance(s, Distribution):
            return (s.claim(),)
        return (Claim("gap", 0.0, "proved", "minima and maxima are exact, or knots are given", "objective"),)

    def _splines(self, model: SplineModel) -> int:
        """Number of splines of a column, the last one too."""
        return len(model.knots) - 1 + (0 if self.extrapolation == "periodic" else self.degree)

    def _all_knots(self, knots: Array) -> Array:
        """The knots of a column with those before and after that its outer splines need, as scikit-learn has them."""
        k = self.degree
        if self.extrapolation == "periodic":
            period = knots[-1] - knots[0]
            return np.concatenate([knots[-(k + 1) : -1] - period, knots, knots[1 : k + 1] + period])
        first, last = knots[1] - knots[0], knots[-1] - knots[-2]
        before = np.linspace(knots[0] - k * first, knots[0] - first, k)
        return np.concatenate([before, knots, np.linspace(knots[-1] + last, knots[-1] + k * last, k)])

    def transform_from(self, model: SplineModel, X: Columns) -> Matrix:
        """The splines of the values, those of a column side by side."""
        (n, p), m = X.shape, self._splines(model)
        out: list[Any] = []
        for j in range(p):
            name = f"column {X.names[j]!r}" if X.names is not None else f"column number {j}"
            values, which = self._of_column(X.column(j).astype(np.float64), model.knots[:, j], name)
            made = sp.csr_array((values.ravel(), which.ravel(), np.arange(n + 1) * values.shape[1]), shape=(n, m))
            made.sum_duplicates()
            made = made.astype(X.dtype)
            out.append(made if self.sparse_output else made.toarray())
        made = sp.hstack(out, format="csr") if self.sparse_output else np.hstack(out)
        return made if self.include_bias else made[:, np.arange(p * m) % m != m - 1]

    def _of_column(self, x: Array, knots: Array, name: str) -> tuple[Array, Codes]:
        """The splines of values that are not zero, degree + 1 for each, and which they are."""
        from scipy.interpolate import BSpline

        k, t, low, high = self.degree, self._all_knots(knots), knots[0], knots[-1]
        missing = np.isnan(x)
        x = np.where(missing, low, x)
        if self.extrapolation == "error" and ((x < low) | (x > high)).any():
            beyond = x[(x < low) | (x > high)][0]
            raise DataError(
                f"X contains values beyond the limits of the knots: {beyond:g} in {name}, whose knots go from {low:g} "
                f'to {high:g}. Remedy: extrapolation="constant"'
            )
        if not len(x):
            return np.zeros((0, k + 1)), np.zeros((0, k + 1), np.int64)
        at = x
        if self.extrapolation == "periodic":
            at = low + (x - low) % (high - low) if high > low else np.full_like(x, low)
        elif self.extrapolation != "continue":
            at = np.clip(x, low, high)
        made: CSR = BSpline.design_matrix(np.ascontiguousarray(at), t, k, extrapolate=self.extrapolation == "continue")
        values, which = made.data.reshape(-1, k + 1), made.indices.reshape(-1, k + 1).astype(np.int64)
        if self.extrapolation == "linear" and high > low:
            splines = BSpline(t, np.eye(len(t) - k - 1), k)
            slope = np.where((x < low)[:, None], splines(low, 1)[which], splines(high, 1)[which])
            values = values + (x - at)[:, None] * slope
        if self.extrapolation == "periodic":
            which = which % (len(knots) - 1)
        return np.where(missing[:, None], 0.0, values), which

    @property
    @fitted
    def bsplines_(self) -> list[Any]:
        """The splines of each column, as SciPy has them."""
        from scipy.interpolate import BSpline

        model: SplineModel = self.model_
        weights = np.eye(self._splines(model))
        on = self.extrapolation in ("periodic", "continue")
        if self.extrapolation == "periodic":
            weights = np.concatenate([weights, weights[: self.degree]])
        return [BSpline(self._all_knots(knots), weights, self.degree, extrapolate=on) for knots in model.knots.T]

    @property
    @fitted
    def n_features_out_(self) -> int:
        """Number of columns that come out."""
        return self.model_.knots.shape[1] * (self._splines(self.model_) - (not self.include_bias))

    def origins(self, model: SplineModel, width: int) -> Codes:
        # The splines of one column after those of another.
        return np.repeat(np.arange(width), self._splines(model) - (not self.include_bias))

    def names_out(self, names: list[str]) -> list[str]:
        splines = self._splines(self.model_) - (not self.include_bias)
        return [f"{name}_sp_{k}" for name in names for k in range(splines)]
