"""What k-nearest-neighbour learners share: rows that are kept, and lists of the nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array, Claim, Codes, Columns, Flags, Need, Remedy, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.field_values import CLASS_COUNT, NOT_NEGATIVE, Predicate
from tenfold.core.need import Target
from tenfold.estimator import OnePass, check_is_fitted, fitted
from tenfold.estimator.shell.constraints import array, choice, integer, numbers, positive, real
from tenfold.estimator.shell.keyword_decisions import COUNT, NEEDS_NUMBER, ignored_n_jobs
from tenfold.estimator.shell.keywords import NoEffect, Refused, refused
from tenfold.estimator.shell.multi_output import MultiOutput
from tenfold.estimator.shell.sparse_interface import aligned
from tenfold.estimator.statistic_of_source import columns_of, summary_of
from tenfold.neighbors.distance import METRICS, Distance, distance_of
from tenfold.neighbors.nearest_rows import Nearest, NearestRows, nearest
from tenfold.stats.rows.training_rows import AllRows, TrainingRows, matrix

MIXED = ("hamming", "mixed")
"""metrics that compare categories"""
ROWS_PER_BLOCK = 1024
"""rows that are predicted together: so few that threads share the work evenly"""


CATEGORIES = Predicate(
    "whether columns have categories", lambda value, schema: np.array_equal(value, schema.levels > 0)
)


class NeighborsModel(NamedTuple):
    """The training rows themselves: work begins when a row is asked about."""

    rows: TrainingRows
    ranges: Annotated[Array, "column", NOT_NEGATIVE]
    """largest minus smallest value of each column"""
    categories: Annotated[Flags, "column", CATEGORIES]
    """whether a column holds codes of categories"""
    classes: Annotated[int, CLASS_COUNT]
    """how many, 0 if the target is a number"""


not_from_rows = refused(
    "distances are computed from rows",
    Remedy("tn.{name}(kernel=lambda A, B: A @ B.T)", "a function of two arrays of rows"),
    "precomputed",
    "pyfunc",
    callable,
)
euclidean = refused(
    "the neighbours are those of the Euclidean distance", Remedy('tn.{name}(metric="euclidean")'), "sqeuclidean"
)
scaled = refused(
    "attribute_weights scale columns", Remedy("tn.{name}(attribute_weights=1 / X.var(axis=0))"), "seuclidean"
)
whitened = refused("whitened rows have it", Remedy("tn.make_pipeline(tn.PCA(whiten=True), tn.{name}())"), "mahalanobis")
centered = refused(
    "it is the cosine of centred rows",
    Remedy('tn.{name}(metric="cosine").fit(X - X.mean(axis=1, keepdims=True), y)'),
    "correlation",
)
similar_scale = refused(
    "it is no distance here",
    Remedy('tn.{name}(metric="manhattan")', "of columns of similar scale"),
    "braycurtis",
    "canberra",
)
SPHERE_COORDINATES = "[np.cos(X[:, 0]) * np.cos(X[:, 1]), np.cos(X[:, 0]) * np.sin(X[:, 1]), np.sin(X[:, 0])]"
on_sphere = refused(
    "it is the order of distances on the unit sphere",
    Remedy(f"tn.{{name}}().fit(np.column_stack({SPHERE_COORDINATES}), y)", "of latitude and longitude"),
    "haversine",
)
complete = refused(
    "rows must be complete", Remedy("tn.make_pipeline(tn.SimpleImputer(), tn.{name}())"), "nan_euclidean"
)
of_flags = refused(
    "rows of 0 and 1 are compared by how many columns differ",
    Remedy('tn.{name}(metric="hamming")'),
    *("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "yule"),
)
some_p = refused(NEEDS_NUMBER, Remedy("tn.{name}(p=2)"), None)
small_p = refused(
    "powers would overflow",
    Remedy('tn.{name}(metric="chebyshev")', "to which distances of large p tend"),
    real(300, open=True),
)
same_neighbors = NoEffect("the neighbours are the same, however they are found", COUNT)
no_metric_params = Refused(
    "a metric has no parameters beside p", Remedy("tn.{name}(p=3, attribute_weights=[1.0, 2.0, 1.0])"), (None,)
)


class KNeighbors(MultiOutput, OnePass):
    """Base of `KNeighborsClassifier` and `KNeighborsRegressor`: a subclass defines how neighbours vote."""

    learning: ClassVar[Literal["eager", "lazy"]] = "lazy"
    rows_at_once = ROWS_PER_BLOCK
    one_column_is_table = True
    target: ClassVar[Target]
    hidden = frozenset(NeighborsModel._fields)
    law_params = (
        {"n_neighbors": 3},
        {"n_neighbors": 2, "weights": "distance", "metric": "manhattan"},
        {"n_neighbors": 3, "metric": "mixed"},
        {"n_neighbors": 3, "metric": "cosine"},
    )

    n_neighbors: Annotated[int, integer(1), refused(NEEDS_NUMBER, Remedy("tn.{name}(n_neighbors=5)"), None)] = 5
    _: KW_ONLY
    weights: Annotated[
        str | Callable[[Array], Array] | None, choice("uniform", "distance", "inverse_square"), callable, None
    ] = "uniform"
    algorithm: Annotated[str, choice("auto", "ball_tree", "kd_tree", "brute")] = "auto"
    p: Annotated[float, positive, some_p, small_p] = 2
    metric: Annotated[
        str,
        choice(*METRICS),
        not_from_rows,
        euclidean,
        scaled,
        whitened,
        centered,
        similar_scale,
        on_sphere,
        complete,
        of_flags,
    ] = "minkowski"
    attribute_weights: Annotated[Any, array, None] = None
    ranges: Annotated[Any, array, None] = None
    kernel: Annotated[Any, callable, None] = None
    leaf_size: Annotated[int, same_neighbors] = 30
    metric_params: Annotated[Any, no_metric_params] = None
    n_jobs: Annotated[int | None, ignored_n_jobs] = None

    @property
    def need(self) -> Need:
        # Numbers and a target; categories too, if the metric compares them.
        return Need("mixed" if self.metric in MIXED and self.kernel is None else "numeric", target=self.target)

    def statistic(self, schema: Schema) -> AllRows:
        # All rows: what is asked of them is asked later.
        distance, name = self._distance(schema.levels > 0, np.ones(len(schema.columns))), type(self).__name__
        relative = f"{name}(...).predict_over(X, rows), a scan for each set of rows X to predict"
        return AllRows(relative, distance.largest)

    def solve(self, schema: Schema, rows: TrainingRows) -> NeighborsModel:
        with np.errstate(over="ignore"):
            ranges = np.minimum(np.ptp(rows.X, axis=0), np.finfo(float).max)
        self._distance(schema.levels > 0, ranges).refuse_small(ranges)
        return NeighborsModel(rows, ranges, schema.levels > 0, 0 if schema.classes is None else len(schema.classes))

    def certify(self, model: NeighborsModel, rows: TrainingRows) -> tuple[Claim, ...]:
        """Predictions are exact; leave-one-out predictions estimate the error on unseen rows."""
        why = "the rows themselves: every distance that counts is computed in float64"
        return (Claim("gap", 0.0, "proved", why, "objective"), *self._left_out(model))

    def is_valid(self, model: NeighborsModel, summary: TrainingRows | None, schema: Schema) -> bool:
        same = summary is None or all(
            np.array_equal(a, b) for a, b in zip((model.rows.X, model.rows.y), (summary.X, summary.y))
        )
        return len(model.rows) > 0 and same

    def take_outputs(self, models: list[Any]) -> Any:
        # Become the learner of which these are the models, one for each output; their rows are in memory once.
        X = models[0].model_.rows.X
        for one in models[1:]:
            rows = one.model_.rows
            if np.array_equal(rows.X, X):
                one.model_ = one.model_._replace(rows=replace(rows, X=X))
                one.summary_ = None if one.summary_ is None else replace(one.summary_, X=X)
        return super().take_outputs(models)

    # ---- neighbours --------------------------------------------------------------------------------------------

    @fitted
    def kneighbors(
        self, X: MatrixLike = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[Array, Codes] | Codes:
        """The nearest training rows of each row, regardless of weight; ties go to the rows that come first.

        Parameters
        ----------
        X : array or frame, optional
            By default the training rows, each without itself.
        n_neighbors : int, optional
        return_distance : bool, default=True

        Returns
        -------
        distances : array of shape (rows, n_neighbors)
            If wanted.
        indices : int array of shape (rows, n_neighbors)
            Numbers of training rows, counted without those of weight zero.
        """
        check_is_fitted(self)
        if self._several:  # whose rows are the same
            return self.estimators_[0].kneighbors(X, n_neighbors, return_distance)
        rows, k = self.model_.rows, self.n_neighbors if n_neighbors is None else n_neighbors
        rows = replace(rows, weight=np.ones(len(rows)))
        own = X is None
        self._check_row_count(len(rows) - own, k, "n_samples_fit")
        distance = self.distance(self.model_)
        far = distance.largest
        found = [rows.X] if X is None else [matrix(c, far) for c in columns_of(X, self.need, self.schema_, self)]
        lists = [nearest(distance, query, rows, k + own, 0) for query in found]
        away, index = np.concatenate([one.distance for one in lists]), np.concatenate([one.number for one in lists])
        if own:
            away, index = _without_self(away, index)
        return (distance.true(away), index) if return_distance else index

    @fitted
    def kneighbors_graph(self, X: MatrixLike = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The nearest training rows as a CSR matrix of rows x training rows.

        Parameters
        ----------
        X : array or frame, optional
            By default the training rows, each without itself.
        n_neighbors : int, optional
        mode : {"connectivity", "distance"}, default="connectivity"

        Returns
        -------
        graph : CSR matrix
            1, or the distance, at each neighbour.
        """
        if mode not in ("connectivity", "distance"):
            raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')
        away, index = self.kneighbors(X, n_neighbors)
        values = away.ravel() if mode == "distance" else np.ones(index.size)
        ends = np.arange(len(index) + 1) * index.shape[1]
        return aligned(sp.csr_array((values, index.ravel(), ends), shape=(len(index), self.n_samples_fit_)))

    @property
    @fitted
    def n_samples_fit_(self) -> int:
        """How many training rows there are."""
        check_is_fitted(self)
        return len(self.model_.rows)

    @property
    @fitted
    def effective_metric_(self) -> str:
        """The metric by its own name: Minkowski's of p = 2 is the Euclidean."""
        check_is_fitted(self)
        if self.kernel is not None:
            return "kernel"
        names = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
        return names.get(float(self.p), self.metric) if self.metric in ("minkowski", "p") else self.metric

    def lists(self, model: NeighborsModel, X: Columns) -> Nearest:
        """The nearest rows of each row of X, as many as weigh `n_neighbors`."""
        self._check_row_count(float(model.rows.weight.sum()), self.n_neighbors, "weight of n_samples_fit")
        distance = self.distance(model)
        return nearest(distance, matrix(X, distance.largest), model.rows, self.n_neighbors, model.classes)

    def distance(self, model: NeighborsModel) -> Distance:
        """How far rows are from those of a model."""
        return self._distance(model.categories, model.ranges)

    def lists_over(self, X: Any, rows: Any, y: Any, sample_weight: Any) -> tuple[Schema, Distance, Nearest]:
        """Neighbour lists by one scan over training rows that are not gathered; with their schema and distance."""
        learner = self._blank()
        learner._validate_params()
        if self.metric == "mixed" and self.ranges is None:
            raise ValueError("metric='mixed' over rows that are not kept needs `ranges`: largest minus smallest value")

        def asked(schema: Schema) -> NearestRows:
            learner.n_features_in_ = len(schema.columns)
            if schema.named:
                learner.feature_names_in_ = np.array(schema.names, dtype=object)
            distance = self._distance(schema.levels > 0, None)
            given = columns_of(X, self.need, schema, learner)
            query = np.concatenate([matrix(c, distance.largest) for c in given])
            classes = 0 if schema.classes is None else len(schema.classes)
            return NearestRows(query, distance, float(self.n_neighbors), classes)

        schema, found = summary_of(rows, y, sample_weight, self.need, self._blank(), asked)
        if len(found.number):
            self._check_row_count(float(found.weight[0].sum()), self.n_neighbors, "weight of the training rows")
        return schema, self._distance(schema.levels > 0, None), found

    def votes(self, found: Nearest, distance: Distance) -> tuple[Array, Array]:
        """How much each row of the lists counts, and the ties of each: their shares, times the weight of distance."""
        share, tied = found.shares()
        if self.weights in (None, "uniform"):
            return share, tied
        there = found.number >= 0
        away = distance.true(found.distance)
        if self.weights in ("distance", "inverse_square"):
            least = away[:, :1]
            with np.errstate(divide="ignore", invalid="ignore"):  # at distance 0 only those count that are there too
                near = np.where(least == 0, away == 0, least / away)
            near = near**2 if self.weights == "inverse_square" else near
        else:
            near = self._given_weights(np.where(there, away, away[:, :1]))
        near = np.where(there, near, 0.0)
        last = near[np.arange(len(near)), there.sum(axis=1) - 1]
        return share * near, tied * last[:, None]

    def _given_weights(self, away: Array) -> Array:
        """What a function makes of distances. Where it gives infinity, as 1 / d does at 0, those rows alone count."""
        given: Any = self.weights
        with np.errstate(divide="ignore"):
            near = np.asarray(given(away), dtype=np.float64)
        if near.shape != away.shape:
            raise ValueError(f"weights must give an array of shape {away.shape}, not {near.shape}")
        if np.isnan(near).any() or (near < 0).any():
            wrong = np.isnan(near) | (near < 0)
            raise ValueError(
                f"the function `weights` gave {near[wrong][0]:g} for the distance {away[wrong][0]:g}. Remedy: numbers "
                "from 0 on, or infinity where a row decides alone"
            )
        exact = np.isinf(near)
        return np.where(exact.any(axis=1, keepdims=True), exact, near)

    # ---- leaving a row out -------------------------------------------------------------------------------------

    def _left_out(self, model: NeighborsModel) -> tuple[Claim, ...]:
        """Return the claims made from leave-one-out predictions of the training rows."""
        raise NotImplementedError

    # ---- within ------------------------------------------------------------------------------------------------

    def _check_row_count(self, weight: float, k: int, what: str) -> None:
        if weight < k:
            raise ValueError(f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, {what} = {weight:g}")

    def _distance(self, categories: Flags, ranges: Array | None) -> Distance:
        """The distance; `ranges` are taken unless the user gave others."""
        if self.ranges is not None:
            ranges = numbers(self.ranges, "ranges")
            if ranges.shape != categories.shape or not (np.isfinite(ranges) & (ranges >= 0)).all():
                raise ValueError(f"ranges must be {len(categories)} numbers from 0 on, one for each column")
        products = self.algorithm != "brute"
        return distance_of(categories, self.metric, self.p, self.attribute_weights, ranges, self.kernel, products)


def _without_self(away: Array, index: Codes) -> tuple[Array, Codes]:
    """Neighbour lists without the row itself, or without the last one, if too many rows are at distance 0 to list
    it."""
    own = index == np.arange(len(index))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = (len(index), index.shape[1] - 1)
    return away[~own].reshape(shape), index[~own].reshape(shape)
