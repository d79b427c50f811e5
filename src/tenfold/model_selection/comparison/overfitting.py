"""Overfitting, by its definition: less error than another hypothesis on the training rows, and more on all rows.

The error on the training rows is counted. The error on all rows can only be estimated, from rows that neither has
seen; both are scored on the same ones, so that the difficulty of rows cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import column_or_1d

from tenfold.core import DataError, MatrixLike, Mergeable
from tenfold.engine import current, one_blas_thread, opened, schema_of
from tenfold.engine.job import Job
from tenfold.engine.progress import progress
from tenfold.metrics.predictors import check_model, placed, predictor_of, united, view_of
from tenfold.model_selection.certification.intervals import Interval, difference_interval
from tenfold.model_selection.formatting import html_table, percent
from tenfold.sources import Source, as_source, is_lazy
from tenfold.stats.combinators import View
from tenfold.stats.metrics import Confusion
from tenfold.stats.moments.centered_square import Centre
from tenfold.stats.predictor_scores import Predictor
from tenfold.theory.bounds.held_out import UNSEEN
from tenfold.theory.checks import fraction

Verdict = Literal["overfits", "does not overfit", "undecided"]
Rows: TypeAlias = Source | tuple[MatrixLike, ArrayLike]
"""a source with its target, or X and y"""


@dataclass(frozen=True)
class Overfitting:
    """Whether a hypothesis overfits beside another.

    Attributes
    ----------
    verdict : {"overfits", "does not overfit", "undecided"}
    train, test : (float, float)
        Errors of both, on the training rows and on other rows.
    difference : Interval
        For the true error of the first minus that of the second.
    error : str
        "error rate", or "mean squared error".
    names : (str, str)
    """

    verdict: Verdict
    train: tuple[float, float]
    test: tuple[float, float]
    difference: Interval
    error: str
    names: tuple[str, str]

    def __bool__(self) -> bool:
        return self.verdict == "overfits"

    @property
    def sentence(self) -> str:
        """Result of the test in one sentence."""
        first, second = self.names
        d, on_train = self.difference, f"{self.train[0]:.4g} against {self.train[1]:.4g}"
        between = f"its true {self.error} minus that of {second} is between {d.low:.3g} and {d.high:.3g}"
        sure = f"{percent(d.level)} sure"
        if self.train[0] >= self.train[1]:
            return (
                f"{first} does not overfit beside {second}: it has no less {self.error} on the training rows "
                f"({on_train})."
            )
        fits = f"it has less {self.error} on the training rows ({on_train})"
        if self.verdict == "overfits":
            return f"{first} overfits: {fits} and more on others; {between} ({sure})."
        if self.verdict == "does not overfit":
            return f"{first} does not overfit beside {second}: {fits}, but no more on others; {between} ({sure})."
        return f"Whether {first} overfits cannot be decided at this level: {fits}; {between} ({sure})."

    def __str__(self) -> str:
        return self.sentence

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            [name, f"{learned:.5g}", f"{other:.5g}"]
            for name, learned, other in zip(self.names, self.train, self.test, strict=True)
        ]
        return html_table([self.error, "training rows", "other rows"], rows, self.sentence)


def overfits(
    h: BaseEstimator,
    other: BaseEstimator,
    train: Rows,
    test: Rows,
    *,
    level: float = 0.95,
    names: tuple[str, str] | None = None,
) -> Overfitting:
    """Whether a hypothesis overfits: another has more error on the training rows, yet less on all rows.

    Parameters
    ----------
    h, other : two fitted classifiers, or two fitted regressors
        Classifiers are scored by their error rate, regressors by their mean squared error.
    train : (X, y) or Source
        The rows that both learned from.
    test : (X, y) or Source
        Rows that neither has seen.
    level : float, default=0.95
        Of the interval for the difference of the true errors: the verdict is "undecided" if it holds 0.
    names : (str, str), optional
        Names of the learners in printed results.

    Returns
    -------
    found : Overfitting
        True as a truth value only if it overfits.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 30))
    >>> y = X[:, 0] + 2 * rng.normal(size=600)
    >>> train, test = (X[:50], y[:50]), (X[50:], y[50:])
    >>> loose, stiff = tn.Ridge(1e-6).fit(*train), tn.Ridge(100.0).fit(*train)
    >>> tn.overfits(loose, stiff, train, test, names=("loose", "stiff")).verdict
    'overfits'
    >>> tn.overfits(stiff, loose, train, test).verdict
    'does not overfit'
    """
    level = fraction("level", level)
    classifies = is_classifier(h)
    for model in (h, other):
        check_model(model)
    if is_classifier(other) != classifies:
        raise TypeError("h and other must be two classifiers or two regressors")
    if names is None:
        names = (type(h).__name__, type(other).__name__)
        names = names if len({*names}) == 2 else ("h", "the other")
    with progress("overfits"), one_blas_thread():
        learned, judged = (_compared(h, other, rows, what) for rows, what in ((train, "train"), (test, "test")))
    on_train, on_test = _errors(learned), _errors(judged)
    if isinstance(judged, Squares):
        difference = judged.interval(level)
    else:
        difference = difference_interval(table=judged.count, level=level)
    verdict: Verdict = "undecided"
    if on_train[0] >= on_train[1] or difference.high <= 0:
        verdict = "does not overfit"
    elif difference.low > 0:
        verdict = "overfits"
    error = "error rate" if classifies else "mean squared error"
    return Overfitting(verdict, on_train, on_test, difference, error, (str(names[0]), str(names[1])))


class Squares(Mergeable):
    """Squared errors of both, and their difference, row by row."""

    first: Centre
    second: Centre
    difference: Centre

    def interval(self, level: float) -> Interval:
        """Confidence interval of the difference of the true errors, by a paired t-test over rows."""
        d = self.difference
        n = round(d.weight)
        if n < 2:
            raise DataError("test has fewer than two rows: the variance cannot be estimated. Remedy: more rows")
        half = -float(special.stdtrit(n - 1, (1 - level) / 2)) * math.sqrt(d.square / (n - 1) / n)
        note = f"there are {n} rows, and squared errors are far from normal" if n < 30 else ""
        what = "mean squared error of a minus that of b"
        return Interval(what, d.mean, d.mean - half, d.mean + half, level, "both", "paired t, same rows", UNSEEN, note)


Losses = Confusion | Squares
"""of both models on the same rows: which of them was wrong (both right, only a; only b, both wrong), or squares"""


def _losses(a: NDArray[Any], b: NDArray[Any]) -> Losses:
    """The summary of whether both are wrong, row by row, or of their squared errors."""
    if a.dtype == bool:
        return Confusion.of(a.astype(np.int64), b.astype(np.int64), n_classes=2)
    even = np.ones(len(a))
    return Squares(*(Centre.of(one, even) for one in (a, b, a - b)))


def _errors(found: Losses) -> tuple[float, float]:
    """The error rates, or the mean squared errors."""
    if isinstance(found, Squares):
        return found.first.mean, found.second.mean
    return float(found.count[1].sum() / found.rows), float(found.count[:, 1].sum() / found.rows)


def _compared(h: BaseEstimator, other: BaseEstimator, rows: Rows, what: str) -> Losses:
    """Compare both models on the same rows."""
    if is_lazy(rows):
        return _by_parts(h, other, as_source(rows))
    if not (isinstance(rows, tuple) and len(rows) == 2):
        raise TypeError(f"{what} must be (X, y) or a Source, not {type(rows).__name__}")
    X, y = rows[0], column_or_1d(rows[1])
    said = [np.asarray(model.predict(X)) for model in (h, other)]
    return _losses(*(one != y if is_classifier(h) else (one - y) ** 2 for one in said))


@dataclass(frozen=True, eq=False)
class Paired(Job):
    """A job: both models on the rows of a part, which each of them reads in its own way."""

    sides: tuple[tuple[Predictor, View], ...]

    def __call__(self, source: Source, part: int) -> Losses:
        """The losses of both on the rows of one part."""
        with source.once(part, 2):
            return _losses(*(self._side(source, part, *side) for side in self.sides))

    def _side(self, source: Source, part: int, predictor: Predictor, view: View) -> NDArray[Any]:
        found = []
        for chunk in source.chunks(part, view.need, view.schema):
            if not chunk.uniform and not (chunk.weight == 1).all():
                raise DataError("rows with weights cannot be counted as pairs. Remedy: scan them without a weight")
            said = predictor.outputs(chunk, ("prediction",))["prediction"]
            found.append(said != chunk.y if predictor.n_classes else (said - chunk.y) ** 2)
        return np.concatenate(found)


def _by_parts(h: BaseEstimator, other: BaseEstimator, source: Source) -> Losses:
    with opened(current(), source) as session:
        two = [predictor_of(model) for model in (h, other)]
        found = [schema_of(source, one.need, session) for one in two]
        classes = None
        if two[0].classes is not None:
            classes = united(united(two[0].classes, two[1].classes), found[0].classes)
        sides = ((placed(one, classes), view_of(one, one.need, schema, classes)) for one, schema in zip(two, found))
        losses: Losses = session.reduce(Paired(tuple(sides)))
        return losses
