"""Partial dependence: what a model says on average, if a column has the same value in every row.

All curves come from one scan: at each value of each grid, the mean of what is said and its spread merge, and so does
a sample of rows whose own curves are kept. Another scan before finds the grids, unless they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Codes, DataError, Need, Schema
from tenfold.engine import current, one_blas_thread, schema_of
from tenfold.engine.progress import progress
from tenfold.engine.together import Many
from tenfold.engine.tree import Tree
from tenfold.evaluate.dependences import Means, PartialDependence
from tenfold.evaluate.donors import Sample
from tenfold.evaluate.grids import Axis, Distinct, Looking, Plan, axis_of, coded, given, points
from tenfold.evaluate.hearing import Ours, Theirs
from tenfold.evaluate.judging import stages_of
from tenfold.evaluate.swapping import Swap, Where, column_of, columns_of, constant, in_memory, names_of
from tenfold.sources import Source
from tenfold.sources.inputs import as_source, is_lazy, weights
from tenfold.theory.checks import fraction, one_of, whole


def partial_dependence(
    model: Any,
    X: Any,
    features: Any,
    *,
    kind: Literal["average", "individual", "both"] = "average",
    grid_resolution: int = 100,
    percentiles: tuple[float, float] = (0.05, 0.95),
    custom_values: Any = None,
    categorical_features: Any = None,
    sample_weight: Any = None,
    response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
    subsample: int = 50,
    level: float = 0.95,
    random_state: int = 0,
) -> Any:
    """What a model says on average over rows, for each value of a column or of two.

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
        Values of a column: all that it has, if they are fewer; else steps between the percentiles. For a pair, so
        many of each.
    percentiles : tuple of float, default=(0.05, 0.95)
    custom_values : dict, optional
        For a column, its values.
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
    stages = _check(model, X, sample_weight, response_method)
    several = isinstance(features, list)
    asked = features if several else [features]
    plan = Plan(resolution, (low, high), custom_values or {}, categorical_features or (), seed)
    with progress("partial dependence"), one_blas_thread:
        far = stages or is_lazy(X)
        voice: Any = Ours(stages) if stages else Theirs(model)
        if far:
            where, axes, found, scans = _over(voice, stages, X, sample_weight, asked, plan, kept, response_method)
        else:
            where, axes, found, scans = _at_once(voice, X, sample_weight, asked, plan, kept, response_method)
    out, decision = [], not stages and voice.decides(response_method)
    for i, (_, at) in enumerate(where):
        some = [axes[j] for j in at]
        sample = found.each[len(where) + i] if kept else None
        out.append(_result(some, found.each[i], sample, voice, scans, level, decision))
    return out if several else out[0]


@dataclass(frozen=True, eq=False)
class Curves:
    """The job: means at each point of each grid, and the curves of a sample of rows."""

    voice: Any
    need: Need
    schema: Schema
    grids: tuple[tuple[tuple[int, ...], Any], ...]
    """columns, and points x columns: their values"""
    kept: int
    seed: int
    how: str

    def parts(self, source: Source) -> range:
        """All of them."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Many:
        """Of one part."""
        tree = Tree()
        for chunk in source.chunks(part, self.need, self.schema):
            swap = Swap(chunk.X)

            def said(at: Any, values: Any, chunk: Any = chunk, swap: Any = swap) -> Any:
                return self.voice.says(chunk._replace(X=swap(at, values)), {self.needs}, self.how)

            tree.push(self.of(said, chunk.weight, chunk.places()))
        return tree.total()

    @property
    def needs(self) -> str:
        """What the model is asked for."""
        return "prediction" if self.voice.classes is None else "score"

    def of(self, said: Callable[..., Any], weight: Any, place: Codes) -> Many:
        """The summaries of some rows; `said(columns, values)` is what the model says with these values in them."""
        rows = Sample.among(place, self.seed, self.kept) if self.kept else np.zeros(0, np.int64)
        means, samples = [], []
        classes = 0 if self.voice.classes is None else len(self.voice.classes)
        outputs = 1 if classes <= 2 else classes
        for at, grid in self.grids:
            mean, square = np.zeros((2, len(grid), outputs))
            curves = np.empty((len(rows), len(grid), outputs))
            for g, values in enumerate(grid) if len(place) else ():
                found = np.asarray(said(at, values)[self.needs], dtype=np.float64).reshape(len(place), -1)
                found = found[:, :1] if classes == 1 else found
                if found.shape[1] != max(classes, 1):
                    raise ValueError(
                        f"the model says {found.shape[1]} numbers of a row: one is needed, or one for each class"
                    )
                found = found[:, -1:] if outputs == 1 else found
                if not np.isfinite(found).all():
                    raise DataError(f"the model says NaN or infinity where column number {at} is {list(values)}")
                mean[g] = weight @ found / weight.sum()
                square[g] = weight @ (found - mean[g]) ** 2
                curves[:, g] = found[rows]
            means.append(Means(len(place), float(weight.sum()), float(weight @ weight), mean, square))
            samples.append(Sample.of(place[rows], curves, len(place), self.seed, max(self.kept, 1)))
        return Many((*means, *(samples if self.kept else ())))


Found = tuple[list[Where], dict[int, Axis], Many, int]


def _over(
    voice: Any, stages: list[Any], X: Any, weight: Any, asked: list[Any], plan: Plan, kept: int, how: str
) -> Found:  # fmt: skip
    """Part by part."""
    need = voice.need.without_target()
    source = as_source(X, None, weight, need, model=stages[0] if stages else None, reset=False)
    with current().open(source) as session:
        scans = int(source.known(need) is None)
        found = schema_of(source, need, session)
        schema = Schema(getattr(voice, "columns", found.columns), None, None, getattr(voice, "named", found.named))
        where = _pairs(asked, schema.names)
        plan.check(schema.names)
        axes: dict[int, Axis] = {}
        look = []
        for j in sorted({j for _, at in where for j in at}):
            column, (custom, categorical) = schema.columns[j], plan.of(schema.names, j)
            if column.kind == "categorical":
                axes[j] = coded(column.name, np.asarray(column.categories), plan.resolution, custom)
            elif custom is not None:
                axes[j] = given(column.name, custom, categorical, numbers=True)
            else:
                look.append(j)
        if look:
            scans += 1
            sample, *distinct = session.reduce(Looking(need, schema, tuple(look), plan.resolution, plan.seed)).each
            for i, j in enumerate(look):
                name, (_, categorical) = schema.names[j], plan.of(schema.names, j)
                axes[j] = axis_of(name, distinct[i], sample.value[:, i], plan.resolution, plan.percentiles, categorical)
        job = Curves(voice, need, schema, points(where, axes), kept, plan.seed, how)
        return where, axes, session.reduce(job), scans + 1


def _at_once(voice: Any, X: Any, weight: Any, asked: list[Any], plan: Plan, kept: int, how: str) -> Found:
    """Of an estimator that takes its rows in memory."""
    X = in_memory(X)
    if not X.shape[0]:
        raise DataError("there is no row")
    names, n = names_of(X), X.shape[0]
    where = _pairs(asked, names)
    plan.check(names)
    axes = {}
    for j in {j for _, at in where for j in at}:
        values, (custom, categorical) = column_of(X, j), plan.of(names, j)
        if custom is not None:
            axes[j] = given(names[j], custom, categorical or values.dtype.kind not in "biuf")
        elif values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)
            some = Distinct.of(numbers, plan.resolution)
            axes[j] = axis_of(names[j], some, numbers, plan.resolution, plan.percentiles, categorical)
        else:
            known = sorted({one for one in values.tolist() if isinstance(one, str) or (one is not None and one == one)})
            axes[j] = coded(names[j], np.array(known, dtype=object), plan.resolution, None)
            axes[j] = axes[j]._replace(values=axes[j].shown)
    weight = np.ones(n) if weight is None else weights(weight, n)
    job = Curves(voice, voice.need, Schema(()), points(where, axes), kept, plan.seed, how)

    def said(at: Any, values: Any) -> Any:
        return voice.of(constant(X, at, values), {job.needs}, how)

    return where, axes, job.of(said, weight, np.arange(n)), 1


def _pairs(asked: list[Any], names: Sequence[str]) -> list[Where]:
    where = columns_of(asked, names)
    for name, at in where:
        if len(at) > 2:
            raise ValueError(f"features {name!r}: partial dependence is of one column or of two")
    return where


def _result(
    axes: list[Axis], means: Means, sample: Any, voice: Any, scans: int, level: float, decision: bool
) -> PartialDependence:  # fmt: skip
    if not means.rows:
        raise DataError("there is no row: all have weight zero")
    shape = [len(axis.values) for axis in axes]

    def laid(values: Any) -> Any:
        """Outputs first, points as a grid."""
        return np.ascontiguousarray(np.moveaxis(values, -1, 0)).reshape(-1, *values.shape[:-2], *shape)

    individual = None
    if sample is not None:
        individual = laid(sample.value[np.argsort(sample.place)])
    return PartialDependence(
        tuple(axis.name for axis in axes), [axis.shown for axis in axes], laid(means.mean),
        np.stack([laid(end) for end in means.ends(level)]), level, individual,
        tuple(axis.categorical for axis in axes), [axis.deciles for axis in axes], voice.classes, means.rows, scans,
        decision,
    )  # fmt: skip


def _check(model: Any, X: Any, weight: Any, how: str) -> list[Any]:
    """The stages of a learner of tenfold, none of another; what does not fit is refused."""
    if isinstance(model, type) or not (is_classifier(model) or is_regressor(model)):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(f"{name} is neither a fitted classifier nor a fitted regressor")
    check_is_fitted(model)
    stages = stages_of(model)
    if how == "decision_function" and stages:
        raise ValueError("learners of tenfold are asked for their probabilities. Remedy: response_method='auto'")
    return stages
