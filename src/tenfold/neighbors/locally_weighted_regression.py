"""Locally weighted regression: at each x the polynomial that fits the rows near x best, nearer ones counting more.

ŷ(x) = f(x) for the f that minimises Σ wᵢ K(|xᵢ - x| / h) (yᵢ - f(xᵢ))² over polynomials of a low degree, where h is the
distance of the k-th nearest row, or fixed. The rows are the model, and rows merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Columns, Need, Schema
from tenfold.estimator import OnePass, Regressor, fitted
from tenfold.estimator.shell.constraints import array, choice, integer, real
from tenfold.neighbors.distance import Distance, distance_of
from tenfold.neighbors.leave_one_out import left_out_rows
from tenfold.neighbors.nearest_rows import nearest
from tenfold.stats.rows.training_rows import AllRows, TrainingRows, matrix

KERNELS: dict[str, Callable[[Array], Array]] = {
    "tricube": lambda u: np.maximum(1 - u**3, 0.0) ** 3,
    "epanechnikov": lambda u: np.maximum(1 - u**2, 0.0),
    "gaussian": lambda u: np.exp(-0.5 * (3 * u) ** 2),
    "uniform": lambda u: (u <= 1).astype(np.float64),
}
"""how much a row counts, by its distance as a share of h"""
DESIGN_NUMBERS_PER_BLOCK = 1 << 20
"""numbers of local designs that are made at a time"""
RANK_TOLERANCE = 1e-9
"""share of the largest singular value of a local design below which a direction is undetermined"""
EPS = float(np.finfo(np.float64).eps)
MAX_LEFT_OUT_ROWS = 200
"""rows that are left out in turn, each of which costs a search of its own"""


class LocalModel(NamedTuple):
    """The training rows themselves: a line is fitted for each row that is asked about."""

    rows: TrainingRows


class LocallyWeightedRegression(OnePass, Regressor):
    """Locally weighted regression (loess): exact, lazy, in memory.

    Where the rows near x do not determine a slope, the minimum-norm one is used: with one distinct row, its target.

    Parameters
    ----------
    n_neighbors : int, default=30
        h is the distance of the k-th nearest row, a row of weight 2 counting as two; with fewer rows, of the last. Rows
        beyond it do not count.
    bandwidth : float, optional
        h itself, the same everywhere, instead of `n_neighbors`. Where no row is so near, the nearest ones count.
    kernel : {"tricube", "epanechnikov", "gaussian", "uniform"}, default="tricube"
        How much a row at the distance u h counts: (1 - u³)³, 1 - u², exp(-(3u)²/2), or 1; beyond h nothing.
    degree : {0, 1, 2}, default=1
        Of the polynomial: 0 is the weighted mean (Nadaraya and Watson), 1 a plane, 2 a quadric.
    attribute_weights : array of shape (columns,), optional
        How much each column counts in the squared distance.

    Attributes
    ----------
    n_samples_fit_ : int
    certificate_ : Certificate
        With the root mean squared error of leaving one row out.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import LocallyWeightedRegression
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = LocallyWeightedRegression(n_neighbors=25, degree=2).fit(x, np.sin(x[:, 0]))
    >>> bool(abs(model.predict([[1.0]])[0] - np.sin(1.0)) < 1e-3)
    True
    """

    learning: ClassVar[Literal["eager", "lazy"]] = "lazy"
    rows_at_once = 256
    need = Need("numeric", target="number")
    hidden = frozenset({"rows"})
    law_params = ({"n_neighbors": 8}, {"bandwidth": 30.0, "degree": 0, "kernel": "gaussian"})

    n_neighbors: Annotated[int, integer(1)] = 30
    _: KW_ONLY
    bandwidth: Annotated[float | None, real(0, open=True), None] = None
    kernel: Annotated[str, choice(*KERNELS)] = "tricube"
    degree: Annotated[int, integer(0, 2)] = 1
    attribute_weights: Annotated[Any, array, None] = None

    def statistic(self, schema: Schema) -> AllRows:
        # All rows: what is asked of them is asked later.
        return AllRows("RadialBasis() before Ridge()", self._distance(len(schema.columns)).largest)

    def solve(self, schema: Schema, rows: TrainingRows) -> LocalModel:
        self._distance(len(schema.columns)).refuse_small(np.ptp(rows.X, axis=0))
        return LocalModel(rows)

    def is_valid(self, model: LocalModel, summary: TrainingRows | None, schema: Schema) -> bool:
        return len(model.rows) > 0

    @property
    @fitted
    def n_samples_fit_(self) -> int:
        """How many training rows there are."""
        return len(self.model_.rows)

    def certify(self, model: LocalModel, rows: TrainingRows) -> tuple[Claim, ...]:
        """Predictions are exact; leave-one-out predictions estimate the error on unseen rows."""
        claims = (Claim("gap", 0.0, "proved", "each answer is the least-squares fit of its rows", "objective"),)
        if rows.weight.sum() <= 1 or len(rows) < 2:
            return claims
        which = left_out_rows(rows)[:: -(-min(len(rows), 2_000) // MAX_LEFT_OUT_ROWS)]
        off = np.array([self._at(rows.X[[i]], _without(rows, i))[0] - rows.y[i] for i in which.tolist()])
        with np.errstate(over="ignore"):
            error = float(np.sqrt((rows.weight[which] * off**2).sum() / rows.weight[which].sum()))
        some = "" if len(which) == len(rows) else f" ({len(which):,} of them, spread evenly)"
        why = f"root mean squared error of the training rows{some} as the others predict them"
        return (
            *claims,
            Claim("leave-one-out error", error, "estimated", why, "unseen rows", "rows are drawn independently"),
        )

    def predict_from(self, model: LocalModel, X: Columns) -> Array:
        """The local fit at each row."""
        return self._at(matrix(X, self._distance(X.shape[1]).largest), model.rows)

    def _distance(self, width: int) -> Distance:
        return distance_of(np.zeros(width, bool), "euclidean", 2.0, self.attribute_weights)

    def _at(self, query: Array, rows: TrainingRows) -> Array:
        """The local fit at each query."""
        out = np.empty(len(query))
        for which, index, away, there in self._neighbors(query, rows):
            width = self.bandwidth or np.where(there, away, 0.0).max(axis=1, keepdims=True)
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.where(away == 0, 0.0, away / width)
            weight = np.where(there, KERNELS[self.kernel](share), 0.0) * rows.weight[index]
            none = weight.sum(axis=1) <= 0  # all that count are as far as h: they count alike
            weight[none] = (there * rows.weight[index])[none]
            out[which] = self._fitted(query[which], rows, index, weight)
        return out

    def _neighbors(self, query: Array, rows: TrainingRows) -> Iterator[tuple[Any, Any, Array, Any]]:
        """Rows within the distance h of some queries, their distances, and a mask of valid entries."""
        distance, total = self._distance(rows.X.shape[1]), float(rows.weight.sum())
        wanted = min(float(self.n_neighbors), total)
        if self.bandwidth is None:
            found = nearest(distance, query, rows, wanted, 0)
            tied = found.tied[:, 0] > 0
            step = self._step(found.number.shape[1], rows.X.shape[1])
            plain = np.flatnonzero(~tied)
            for start in range(0, len(plain), step):
                some = plain[start : start + step]
                number = found.number[some]
                yield some, np.maximum(number, 0), np.sqrt(found.distance[some]), number >= 0
            for at in np.flatnonzero(tied).tolist():  # with all that are as far as the last
                end = found.distance[at][found.number[at] >= 0][-1]
                yield [at], *_up_to(distance, query[[at]], rows, float(end))
            return
        for at in range(len(query)):
            yield [at], *_up_to(distance, query[[at]], rows, self.bandwidth**2)

    def _step(self, places: int, width: int) -> int:
        features = (0, width, width + width * (width + 1) // 2)[self.degree]
        return max(1, DESIGN_NUMBERS_PER_BLOCK // max(1, places * max(features, 1)))

    def _fitted(self, query: Array, rows: TrainingRows, index: Any, weight: Array) -> Array:
        """The value at each query of the weighted least-squares fit to its rows."""
        y, total = rows.y[index], weight.sum(axis=1)
        mean = (weight * y).sum(axis=1) / total
        if self.degree == 0:
            return mean
        counts = weight > 0
        Z = np.where(counts[:, :, None], rows.X[index] - query[:, None], 0.0)
        size = np.abs(Z).max(axis=(1, 2), keepdims=True)
        Z /= np.where(size > 0, size, 1.0)
        if self.degree == 2:
            i, j = np.triu_indices(Z.shape[2])
            Z = np.concatenate([Z, Z[:, :, i] * Z[:, :, j]], axis=2)
        centre = (weight[:, :, None] * Z).sum(axis=1) / total[:, None]
        root = np.sqrt(weight)
        design = root[:, :, None] * (Z - centre[:, None])
        off = root * (y - mean[:, None])
        # Rows that are one point differ from their centre by rounding, of as many terms as there are rows: no slope.
        rounding = 4 * EPS * counts.sum(axis=1) * np.sqrt(total * Z.shape[2])
        norm = np.sqrt(np.einsum("qrf,qrf->q", design, design))
        # If their squares underflow, they differ by rounding alone: a share of 1 leaves no direction.
        least = np.maximum(RANK_TOLERANCE, rounding / np.where(norm > 0, norm, rounding))
        slope = np.einsum("qfr,qr->qf", np.linalg.pinv(design, rcond=least), off)
        return mean - np.einsum("qf,qf->q", centre, slope)


def _up_to(distance: Distance, query: Array, rows: TrainingRows, end: float) -> tuple[Any, Array, Any]:
    """The rows up to a squared distance of one query, or, if there are none, the nearest."""
    away = np.zeros(len(rows))
    for j, s in enumerate(distance.scale):
        off = query[0, j] - rows.X[:, j]
        away += s * (off * off)
    index = np.flatnonzero(away <= max(end, float(away.min())))
    return index[None], np.sqrt(away[index])[None], np.ones((1, len(index)), bool)


def _without(rows: TrainingRows, i: int) -> TrainingRows:
    """All rows but one; of one of weight 2, one of two."""
    weight = rows.weight.copy()
    weight[i] -= min(1.0, float(weight[i]))
    some = weight > 0
    if some.all():
        return replace(rows, weight=weight)
    return replace(rows, X=rows.X[some], y=rows.y[some], weight=weight[some], place=rows.place[some])
