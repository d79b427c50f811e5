"""Categories as the mean of the target: z = λ ȳ_v + (1 - λ) ȳ, shrunk the more the fewer rows a category has.

One scan: counts of classes, or means and squares, by category and fold, which merge. Rows that are learned from are
encoded by the other folds, so that no row sees its own target.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Columns, DataError, Labels, Mergeable, Need, Remedy, Schema
from tenfold.core.field_values import NOT_NEGATIVE, OFFSETS
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, check_is_fitted, fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, integer, real, seed
from tenfold.estimator.shell.keyword_decisions import one_of, unseeded
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.estimator.target_kind import TargetTransformer
from tenfold.stats.fold_summaries import DEFAULT_FOLDS, codes_of
from tenfold.stats.rows.draws import folds_of_places


class TargetCounts(Mergeable):
    """Weight of each class, by fold: of each category, of what each column misses, and of all rows."""

    count: Annotated[Array, "fold", "value", "class", NOT_NEGATIVE]
    missing: Annotated[Array, "fold", "column", "class", NOT_NEGATIVE]
    total: Annotated[Array, "fold", "class", NOT_NEGATIVE]
    by_weight = ("count", "missing", "total")


class TargetMoments(Mergeable):
    """Weight, mean and centred squares of the target, by fold: of each category, of missing values, and of all rows."""

    count: Annotated[Array, "fold", "value", "moment"]
    missing: Annotated[Array, "fold", "column", "moment"]
    total: Annotated[Array, "fold", "moment"]

    def __add__(self, other: TargetMoments) -> TargetMoments:
        return TargetMoments(
            _joined(self.count, other.count), _joined(self.missing, other.missing), _joined(self.total, other.total)
        )

    def scaled(self, by: float) -> TargetMoments:
        each = np.array([by, 1.0, by])  # the mean stays
        return TargetMoments(self.count * each, self.missing * each, self.total * each)


def _joined(a: Array, b: Array) -> Array:
    """Moments of the rows of both: weight, mean, squares about the mean, on the last axis."""
    weight = a[..., 0] + b[..., 0]
    share = np.divide(b[..., 0], weight, out=np.zeros_like(weight), where=weight > 0)
    apart = b[..., 1] - a[..., 1]
    mean = a[..., 1] + apart * share
    square = a[..., 2] + b[..., 2] + apart * apart * share * a[..., 0]
    return np.stack([weight, mean, square], axis=-1)


def fold_of(given: Codes, numbers: Codes, folds: int) -> Codes:
    """The fold of rows, by their numbers: as it was given, or at random."""
    if not len(given):
        return folds_of_places(numbers, 0, folds)
    if len(numbers) and numbers.max() >= len(given):
        raise DataError(f"cv has {len(given)} rows, fewer than there are. Remedy: cv=5")
    found: Codes = given[numbers]
    return found


class TargetByCategory(Grouped[Any]):
    """Statistic of the target for each category, by fold."""

    first: Codes
    """where each column begins on the axis of values, and where the last one ends"""
    folds: int
    classes: int
    """0: the target is a number"""
    given: Codes
    """the fold of each row, if folds were given; else empty"""

    def summarize(self, chunk: Chunk) -> TargetCounts | TargetMoments:
        fold = fold_of(self.given, chunk.X.numbers(), self.folds)
        p = len(self.first) - 1
        values, missing = [], []
        for j in range(p):
            codes, many = chunk.X.column(j), int(self.first[j + 1] - self.first[j])
            at = np.where(np.isnan(codes), many, np.where(codes < 0, many + 1, codes)).astype(np.int64)
            table = self._table(chunk, fold * (many + 2) + at, self.folds * (many + 2))
            table = table.reshape(self.folds, many + 2, -1)
            values.append(table[:, :many])
            missing.append(table[:, many])
        found = np.concatenate(values, axis=1), np.stack(missing, axis=1), self._table(chunk, fold, self.folds)
        return TargetCounts(*found) if self.classes else TargetMoments(*found)

    def _table(self, chunk: Chunk, at: Codes, groups: int) -> Array:
        """Weights of classes, or moments, of each group of rows."""
        if self.classes:
            each = np.bincount(at * self.classes + chunk.y, chunk.weight, groups * self.classes)
            return each.astype(np.float64).reshape(groups, self.classes)
        weight = np.bincount(at, chunk.weight, groups)
        total = np.bincount(at, chunk.weight * chunk.y, groups)
        mean = np.divide(total, weight, out=np.zeros(groups), where=weight > 0)
        square = np.bincount(at, chunk.weight * (chunk.y - mean[at]) ** 2, groups)
        return np.column_stack([weight, mean, square])


class EncoderModel(NamedTuple):
    """Encoding of each category: from all rows (the last fold), and from the rows of all folds but one."""

    encoding: Annotated[Array, "without", "value", "output"]
    missing: Annotated[Array, "without", "column", "output"]
    mean: Annotated[Array, "without", "output"]
    """what an unknown category becomes"""
    first: Annotated[Codes, "boundary", OFFSETS]


those_of_rows = Refused(
    "the categories are those of the rows", Remedy("tn.TargetEncoder().fit(X, y)", "of rows that have them"), ("auto",)
)
dealt_by_number = NoEffect("folds are dealt by the numbers of rows", (boolean, one_of("deprecated")))
not_drawn = NoEffect(unseeded.because, (seed, one_of("deprecated")))


class TargetEncoder(OnePass, TargetTransformer):
    """Make each category the mean of the target in it, shrunk towards the mean of all rows, in one pass.

    `fit_transform`, and pipelines, encode each row by the rows of other folds, so that a learner that follows does not
    see a row's own target; `transform` encodes by all rows. These folds are drawn by the numbers of the rows in the
    source: a learner that follows is not quite the same if other rows stand before them, such as other files, while
    `transform` is. An unknown category becomes the mean; a missing value is encoded as a category of its own.

    Parameters
    ----------
    categories : {"auto"}, default="auto"
        The categories are those of the rows.
    target_type : {"auto", "continuous", "binary", "multiclass"}, default="auto"
        Type of the target. "auto": inferred as in scikit-learn; in a Source, floats are numbers and all else classes.
        With more than two classes there is an output for each.
    smooth : "auto" or float, default="auto"
        Weight of the mean of all rows beside that of a category; "auto": an empirical Bayes estimate.
    cv : int, None, array, or list of (train, test), default=5
        Number of folds of `fit_transform` (None: 5). Among any `cv` consecutive rows, each fold receives one, at
        random. A
        row is drawn by its number in the source: in `cross_validate` it keeps its fold, whichever rows are left out,
        and in an array of the training rows alone it may have another, so that scores by hand differ in later digits.
        Or the fold of each row, or splits that have each row in the test side of one and in the training side of all
        others.
    shuffle, random_state : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    encodings_ : list of arrays
        What each category becomes: by column, and by class if there are more than two.
    categories_ : list of arrays
        The sorted categories of each column.
    target_mean_ : float, or array of shape (classes,)
    target_type_ : {"continuous", "binary", "multiclass"}
    classes_ : array or None
        The sorted classes of the target; None if it is a number.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import TargetEncoder
    >>> model = TargetEncoder(smooth=0.0).fit([["a"], ["a"], ["b"], ["b"]], [1.0, 2.5, 4.0, 6.0])
    >>> model.transform([["a"], ["b"], ["c"]]).ravel().tolist()
    [1.75, 5.0, 3.375]
    """

    draws_rows = True
    hidden = frozenset({"encoding", "missing", "mean", "first"})
    law_params = ({}, {"target_type": "continuous", "smooth": 2.0, "cv": 3})

    categories: Annotated[str, those_of_rows] = "auto"
    target_type: Annotated[str, choice("auto", "continuous", "binary", "multiclass")] = "auto"
    smooth: Annotated[float | str, choice("auto"), real(0)] = "auto"
    cv: Annotated[Any, integer(2), array, None] = 5
    shuffle: Annotated[Any, dealt_by_number] = "deprecated"
    random_state: Annotated[Any, not_drawn] = "deprecated"

    def with_target(self, kind: str) -> Any:
        found = self._blank()
        if self.target_type == "auto" and kind == "number":
            found.target_type = "continuous"
        return found

    @property
    def need(self) -> Need:
        target: Any = "number" if self.target_type == "continuous" else "class"
        return Need("categorical", missing=True, target=target, binary=self.target_type == "binary")

    def statistic(self, schema: Schema) -> TargetByCategory:
        classes = 0 if schema.classes is None else len(schema.classes)
        return TargetByCategory(schema.value_offsets, self._folds, classes, self._given_folds)

    @property
    def _folds(self) -> int:
        if self.cv is None:
            return DEFAULT_FOLDS
        return int(self.cv) if isinstance(self.cv, (int, np.integer)) else int(self._given_folds.max()) + 1

    @property
    def _given_folds(self) -> Codes:
        """The fold of each row, where folds were given; else empty."""
        drawn = self.cv is None or isinstance(self.cv, (int, np.integer))
        return np.zeros(0, np.int64) if drawn else codes_of(self.cv)

    def _after_fit(self, source: Any) -> None:
        """Refuse folds of rows that there are not: they are those of other rows."""
        super()._after_fit(source)
        given, where = self._given_folds, self.certificate_.provenance
        there = 0 if where is None else where.rows + where.dropped
        if len(given) and len(given) != there:
            raise DataError(f"cv has {len(given)} rows, but there are {there}. Remedy: a fold for each row")

    def solve(self, schema: Schema, s: TargetCounts | TargetMoments) -> EncoderModel:
        # The encodings by all rows, and by all folds but each one.
        folds = range(len(s.total))
        sets = [*([g for g in folds if g != f] for f in folds), list(folds)]
        each = [self._encoded(s, some) for some in sets]
        encoding, missing, mean = (np.stack(some) for some in zip(*each, strict=True))
        return EncoderModel(encoding, missing, mean, schema.value_offsets)

    def _encoded(self, s: TargetCounts | TargetMoments, folds: list[int]) -> tuple[Array, Array, Array]:
        """Encodings of categories, missing values and unknown ones, from the rows of some folds."""
        values, missing, total = (_moments(s, table[folds]) for table in (s.count, s.missing, s.total))
        mean = total[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = total[2] / total[0]
            return self._shrunk(values, mean, spread), self._shrunk(missing, mean, spread), mean

    def _shrunk(self, moments: tuple[Array, Array, Array], mean: Array, spread: Array) -> Array:
        """Means of categories, between them and the mean of all."""
        weight, own, square = moments
        if self.smooth == "auto":
            share = spread * weight / (spread * weight + square / weight)
        else:
            share = weight / (weight + float(self.smooth))
        share = np.where(np.isnan(share), 0.0, share)
        return np.asarray(share * own + (1 - share) * mean)

    def certify(self, model: EncoderModel, s: TargetCounts | TargetMoments) -> tuple[Claim, ...]:
        """Encodings are exact; the number of categories is reported."""
        most = float(np.diff(model.first).max())
        return (
            Claim("gap", 0.0, "proved", "means of the merged rows", "objective"),
            Claim("categories", most, "proved", "the most that any column has", "data"),
        )

    def is_valid(self, model: EncoderModel, summary: Any, schema: Schema) -> bool:
        classes = 0 if schema.classes is None else len(schema.classes)
        fits = model.mean.shape == (self._folds + 1, classes if classes > 2 else 1)
        return fits and (summary is None or len(summary.total) == self._folds)

    def transform_from(self, model: EncoderModel, X: Columns) -> Array:
        """Encodings estimated from all training rows."""
        return self._looked_up(model, X, np.full(len(X), len(model.mean) - 1))

    def training_from(self, model: EncoderModel, X: Columns) -> Array:
        # The encodings of rows that were learned from: each by the other folds.
        return self._looked_up(model, X, fold_of(self._given_folds, X.numbers(), len(model.mean) - 1))

    def _looked_up(self, model: EncoderModel, X: Columns, fold: Codes) -> Array:
        p, outputs = X.shape[1], model.mean.shape[1]
        out = np.empty((len(X), p, outputs))
        for j in range(p):
            codes, start, stop = X.column(j), int(model.first[j]), int(model.first[j + 1])
            table = np.concatenate([model.encoding[:, start:stop], model.missing[:, [j]], model.mean[:, None]], axis=1)
            many = stop - start
            at = np.where(np.isnan(codes), many, np.where(codes < 0, many + 1, codes)).astype(np.int64)
            out[:, j] = table[fold, at]
        return out.reshape(len(X), p * outputs)

    @property
    @fitted
    def categories_(self) -> list[Labels]:
        """The sorted categories of each column."""
        return [column.categories for column in self.schema_.columns]

    @property
    @fitted
    def encodings_(self) -> list[Array]:
        """Encoding of each category, by column, then by class."""
        model = self.model_
        bounds = zip(model.first[:-1], model.first[1:], strict=True)
        return [model.encoding[-1, a:b, k] for a, b in bounds for k in range(model.mean.shape[1])]

    @property
    @fitted
    def target_mean_(self) -> float | Array:
        """The mean of the target, of each class if there are more than two."""
        found: Array = self.model_.mean[-1]
        return found if len(found) > 1 else float(found[0])

    @property
    @fitted
    def classes_(self) -> Labels | None:
        """The sorted classes of the target; None if it is a number."""
        check_is_fitted(self)
        return self.schema_.classes

    @property
    @fitted
    def target_type_(self) -> str:
        """Type of the target: continuous, binary or multiclass."""
        classes = self.classes_
        return "continuous" if classes is None else "binary" if len(classes) <= 2 else "multiclass"

    def origins(self, model: EncoderModel, width: int) -> Codes:
        # One of each column, or one for each class.
        return np.repeat(np.arange(width), model.mean.shape[1])

    def names_out(self, names: list[str]) -> list[str]:
        # The name of the column; with more than two classes, an underscore and the class.
        if self.model_.mean.shape[1] == 1:
            return names
        return [f"{name}_{label}" for name in names for label in self.schema_.classes]


def _moments(s: TargetCounts | TargetMoments, tables: Array) -> tuple[Array, Array, Array]:
    """Weight, mean and squares about it, with a last axis of outputs, of the rows of some folds together."""
    if isinstance(s, TargetMoments):
        found = tables[0]
        for more in tables[1:]:
            found = _joined(found, more)
        return found[..., :1], found[..., 1:2], found[..., 2:]
    count = tables.sum(axis=0)
    weight = count.sum(axis=-1, keepdims=True)
    if count.shape[-1] <= 2:
        count = count[..., -1:] if count.shape[-1] == 2 else 0 * count
    mean = np.divide(count, weight, out=np.zeros_like(count), where=weight > 0)
    return weight, mean, count * (1 - mean)
