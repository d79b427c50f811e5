"""Partial dependence: the mean prediction of a model if a column has the same value in every row.

All curves come from one scan: at each value of each grid, mean and spread of the predictions merge, and so does
a sample of rows whose own curves are kept. Another scan before finds the grids, unless they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Array, Chunk, Codes, DataError, MatrixLike, Mergeable
from tenfold.core.statistic import Expression, Statistic
from tenfold.engine import one_blas_thread
from tenfold.engine.progress import progress
from tenfold.inspection.dependence.grid import (
    MAX_QUANTILE_ROWS,
    Axis,
    Distinct,
    DistinctValues,
    GridLayout,
    Point,
    as_dates,
    axis_of,
    coded,
    custom_axis,
    points,
    seconds_of,
    text_axis,
)
from tenfold.inspection.dependence.partial_dependence_result import DependenceMeans, PartialDependence
from tenfold.inspection.importance.column_swap import Swap
from tenfold.inspection.importance.donors import DonorSampling, Sample
from tenfold.metrics.predictors import Foreign, Response, opened_rows, predictor_of
from tenfold.model_selection.frame_columns import Where, columns_of, constant, in_memory, names_of, values_of
from tenfold.sources.inputs import is_lazy, weights
from tenfold.stats.combinators import As, Each
from tenfold.stats.predictor_scores import Predictor
from tenfold.theory.checks import fraction, one_of, whole

Feature = int | str | tuple[int | str, int | str]
"""a column, by number or name, or two columns"""


def partial_dependence(
    model: BaseEstimator,
    X: MatrixLike,
    features: Feature | list[Feature],
    *,
    kind: Literal["average", "individual", "both"] = "average",
    grid_resolution: int = 100,
    percentiles: tuple[float, float] = (0.05, 0.95),
    custom_values: Mapping[int | str, ArrayLike] | None = None,
    categorical_features: Sequence[int | str] | None = None,
    sample_weight: ArrayLike | None = None,
    response_method: Response = "auto",
    subsample: int = 50,
    level: float = 0.95,
    random_state: int = 0,
) -> PartialDependence | list[PartialDependence]:
    """Compute the mean prediction over rows for each value of a column or of two.

    Parameters
    ----------
    model : classifier or regressor
        Fitted: a learner of tenfold, a pipeline, or any of scikit-learn.
    X : array, frame or Source
        A Source is read part by part; a target that it names is not read.
    features : str, int, tuple of two, or list of these
        A column, by name or number, or two columns. All curves of a list share a scan.
    kind : {"average", "individual", "both"}, default="average"
        Whether to keep the curves of a sample of rows too; the average is always there.
    grid_resolution : int, default=100
        Values of a column: all that it has, if they are fewer; else steps between the percentiles, and of text an
        error that asks for `custom_values`. For a pair, so many of each.
    percentiles : tuple of float, default=(0.05, 0.95)
        Between which shares of a column's values the grid lies.
    custom_values : dict, optional
        For a column, its values; of dates, `datetime64` or what NumPy makes of it.
    categorical_features : list, optional
        Columns of numbers that are categories; text always is.
    sample_weight : array, optional
        How much each row counts in the average; a Source names its own.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Of classifiers: probabilities, if there are any.
    subsample : int, default=50
        Rows whose curves are kept.
    level : float, default=0.95
        Of the interval of the average.
    random_state : int, default=0
        Of the sample.

    Returns
    -------
    found : PartialDependence
        Or a list of them, if features is one.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(500, 2))
    >>> model = tn.LinearRegression().fit(X, 3 * X[:, 0] + X[:, 1])
    >>> found = tn.partial_dependence(model, X, 0, custom_values={0: [-1.0, 0.0, 1.0]})
    >>> np.diff(found.average[0]).round(6)
    array([3., 3.])
    """
    one_of("kind", kind, ("average", "individual", "both"))
    one_of("response_method", response_method, ("auto", "predict_proba", "decision_function"))
    resolution, level = whole("grid_resolution", grid_resolution, 2), fraction("level", level)
    low, high = percentiles
    if not 0 <= low < high <= 1:
        raise ValueError(f"percentiles must rise, from 0 to 1, not {percentiles!r}")
    kept = 0 if kind == "average" else whole("subsample", subsample)
    seed = whole("random_state", random_state, 0)
    predictor = predictor_of(model, response_method)
    asked = features if isinstance(features, list) else [features]
    layout = GridLayout(resolution, (low, high), custom_values or {}, categorical_features or (), seed)
    with progress("partial dependence"), one_blas_thread():
        if isinstance(predictor, Foreign) and not is_lazy(X):
            where, axes, found, scans = _at_once(predictor, X, sample_weight, asked, layout, kept)
        else:
            where, axes, found, scans = _over(predictor, model, X, sample_weight, asked, layout, kept)
    out = []
    for (_, at), curve in zip(where, found, strict=True):
        out.append(_result([axes[j] for j in at], curve, bool(kept), predictor, scans, level))
    return OneByOne(out) if isinstance(features, list) else out[0]


class OneByOne(list[PartialDependence]):
    """The results of a list of features, one each."""

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, str):
            raise TypeError(
                f"a list of features has a result for each: found[0][{at!r}]. Remedy: the name of a column, or a tuple "
                "of two, has one result; scikit-learn takes a list of two for a pair"
            )
        return super().__getitem__(at)


class DependenceCurve(Mergeable):
    """Means at each point of a grid, and the curves of a sample of rows."""

    means: DependenceMeans
    sample: Sample


class DependenceByPoint(Statistic[DependenceCurve]):
    """Statistic of the mean predictions with some columns set to each point of a grid."""

    predictor: Predictor
    columns: tuple[int, ...]
    grid: tuple[Point, ...]
    """points x columns"""
    curves: int
    """how many rows keep their own curve"""
    seed: int

    def summarize(self, chunk: Chunk) -> DependenceCurve:
        swap, needs = Swap(chunk.X), self.needs

        def predicted(values: Point) -> Array:
            found: Array = self.predictor.outputs(chunk._replace(X=swap(self.columns, values)), (needs,))[needs]
            return found

        return self.of(predicted, chunk.weight, chunk.places())

    @property
    def needs(self) -> str:
        """Kind of output that is needed of the predictor."""
        return "prediction" if self.predictor.classes is None else "score"

    def of(self, predicted: Callable[[Point], Array], weight: Array, place: Codes) -> DependenceCurve:
        """Summarize some rows; `predicted(values)` returns the predictions with these values in the columns."""
        rows = Sample.sampled(place, self.seed, self.curves) if self.curves else np.zeros(0, np.int64)
        classes = 0 if self.predictor.classes is None else len(self.predictor.classes)
        outputs = 1 if classes <= 2 else classes
        mean, square = np.zeros((2, len(self.grid), outputs))
        curves = np.empty((len(rows), len(self.grid), outputs))
        for g, values in enumerate(self.grid) if len(place) else ():
            found = np.asarray(predicted(values), dtype=np.float64).reshape(len(place), -1)
            found = found[:, :1] if classes == 1 else found
            if found.shape[1] != max(classes, 1):
                raise ValueError(
                    f"the model predicts {found.shape[1]} numbers per row: one is needed, or one for each class"
                )
            found = found[:, -1:] if outputs == 1 else found
            if not np.isfinite(found).all():
                raise DataError(
                    f"the model predicts NaN or infinity where column number {self.columns} is {list(values)}"
                )
            mean[g] = weight @ found / weight.sum()
            square[g] = weight @ (found - mean[g]) ** 2
            curves[:, g] = found[rows]
        means = DependenceMeans(len(place), float(weight.sum()), float(weight @ weight), mean, square)
        return DependenceCurve(means, Sample.of(place[rows], curves, len(place), self.seed, max(self.curves, 1)))


Found = tuple[list[Where], dict[int, Axis], list[DependenceCurve], int]


def _over(
    predictor: Predictor, model: BaseEstimator, X: MatrixLike, weight: ArrayLike | None, asked: list[Feature],
    layout: GridLayout, kept: int,
) -> Found:  # fmt: skip
    """Read the rows part by part, and merge the summaries."""
    with opened_rows(predictor, model, X, None, weight, targets=False) as rows:
        view, session, scans = rows.view, rows.session, rows.scans
        names = view.schema.names
        where = _pairs(asked, names)
        layout.check(names)
        axes: dict[int, Axis] = {}
        look = []
        for j in sorted({j for _, at in where for j in at}):
            column, (custom, categorical) = view.schema.columns[j], layout.of(names, j)
            if column.kind == "categorical":
                axes[j] = coded(column.name, np.asarray(column.categories), layout.resolution, custom)
            elif custom is not None:
                given = seconds_of(custom, column) if column.kind == "date" else custom
                axes[j] = custom_axis(column.name, given, categorical, numbers=column.kind != "text")
            else:
                look.append(j)
        if look:
            scans += 1
            distinct: list[Expression] = [DistinctValues(j, layout.resolution) for j in look]
            sampled = DonorSampling(tuple(look), layout.seed, MAX_QUANTILE_ROWS)
            sample, *values = (one.summary for one in session.answer(As(view, Each((sampled, *distinct)))))
            for i, j in enumerate(look):
                categorical = layout.of(names, j)[1]
                if view.schema.columns[j].kind == "text":
                    axes[j] = text_axis(names[j], values[i])
                else:
                    axes[j] = axis_of(names[j], values[i], sample.value[:, i], layout, categorical)
        axes = {j: as_dates(axis) if view.schema.columns[j].kind == "date" else axis for j, axis in axes.items()}
        curves = Each(
            tuple(DependenceByPoint(predictor, at, grid, kept, layout.seed) for at, grid in points(where, axes))
        )
        return where, axes, [one.summary for one in session.answer(As(view, curves))], scans + 1


def _at_once(
    predictor: Foreign, X: MatrixLike, weight: ArrayLike | None, asked: list[Feature], layout: GridLayout, kept: int
) -> Found:  # fmt: skip
    """Compute the curves of an estimator that takes its rows in memory."""
    X = in_memory(X)
    if not X.shape[0]:
        raise DataError("there is no row")
    names, n = names_of(X), X.shape[0]
    where = _pairs(asked, names)
    layout.check(names)
    axes = {}
    for j in {j for _, at in where for j in at}:
        values, (custom, categorical) = values_of(X, j), layout.of(names, j)
        if custom is not None:
            axes[j] = custom_axis(names[j], custom, categorical or values.dtype.kind not in "biuf")
        elif values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)
            axes[j] = axis_of(names[j], Distinct.of(numbers, layout.resolution), numbers, layout, categorical)
        else:
            known = sorted({one for one in values.tolist() if isinstance(one, str) or (one is not None and one == one)})
            axes[j] = coded(names[j], np.array(known, dtype=object), layout.resolution, None)
            axes[j] = axes[j]._replace(values=axes[j].labels)
    weight = np.ones(n) if weight is None else weights(weight, n)
    found = []
    for at, grid in points(where, axes):
        one = DependenceByPoint(predictor, at, grid, kept, layout.seed)

        def predicted(values: Point, one: DependenceByPoint = one) -> Array:
            found: Array = predictor.of_rows(constant(X, one.columns, values), (one.needs,))[one.needs]
            return found

        found.append(one.of(predicted, weight, np.arange(n)))
    return where, axes, found, 1


def _pairs(asked: list[Feature], names: Sequence[str]) -> list[Where]:
    where = columns_of(asked, names)
    for name, at in where:
        if len(at) > 2:
            raise ValueError(f"features {name!r}: partial dependence is of one column or of two")
    return where


def _result(
    axes: list[Axis], curve: DependenceCurve, kept: bool, predictor: Predictor, scans: int, level: float
) -> PartialDependence:  # fmt: skip
    means, sample = curve.means, curve.sample
    if not means.rows:
        raise DataError("there is no row: all have weight zero")
    shape = [len(axis.values) for axis in axes]

    def laid(values: Array) -> Array:
        """Outputs first, points as a grid."""
        return np.ascontiguousarray(np.moveaxis(values, -1, 0)).reshape(-1, *values.shape[:-2], *shape)

    individual = laid(sample.value[np.argsort(sample.place)]) if kept else None
    return PartialDependence(
        tuple(axis.name for axis in axes), [axis.labels for axis in axes], laid(means.mean),
        np.stack([laid(end) for end in means.ends(level)]), level, individual,
        tuple(axis.categorical for axis in axes), [axis.deciles for axis in axes], predictor.classes, means.rows, scans,
        predictor.has_decision_function,
    )  # fmt: skip
