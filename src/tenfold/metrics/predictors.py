"""Predictors: learners of tenfold, other estimators, and given predictions behind one interface.

And the rows beside it: read in the way that the predictor needs, with the classes of both united.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import _num_samples, check_is_fitted

from tenfold.core import Array, Chunk, Codes, DataError, Labels, MatrixLike, Need, Schema
from tenfold.core.value import ByIdentity
from tenfold.engine import Local, current, opened, schema_of
from tenfold.engine.progress import progress
from tenfold.engine.runner import Session
from tenfold.estimator import Estimator
from tenfold.estimator.ensembles.frozen_step import thawed_steps, with_frozen_steps
from tenfold.estimator.ensembles.pipeline import learned_steps
from tenfold.estimator.ensembles.predictor import Model
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.estimator.shell.kinds import Classifier, Regressor, Transformer
from tenfold.sources import ArraySource, Source
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.inputs import as_source, check_target, is_lazy, target, weights
from tenfold.sources.label_codes import class_codes
from tenfold.stats.combinators import As, View
from tenfold.stats.predictor_scores import Metric, Outputs, Predictor, Score, Scores

P = TypeVar("P", bound=Predictor)
Response = Literal["auto", "predict_proba", "decision_function"]
"""where scores of classes come from, of estimators that have both"""
Summarize = Callable[[Any, Any, Array | None, int], Any]
"""function of targets, outputs, weights and the number of classes that returns the summary of the metric"""
Want = tuple[str, Summarize]
"""the kind of output ("prediction", "probability" or "score"), and the summary function"""

PREDICTION_NEED = Need("numeric", missing=True, target="class")
"""of rows that are predictions"""


class Foreign(Predictor):
    """An estimator of another library: it is given the numbers of a chunk, or rows as it takes them."""

    model: ByIdentity
    columns: tuple[str, ...] | None
    """their names, if it knows them"""
    by_decision: bool
    identity = ("model", "by_decision", "n_classes", "known")

    @property
    def has_decision_function(self) -> bool:
        return self.by_decision

    @classmethod
    def of(cls, model: BaseEstimator, how: Response = "auto") -> Self:
        """Build a predictor from a fitted estimator; its methods determine which outputs it has."""
        classes = np.asarray(model.classes_) if is_classifier(model) else None
        name, gives, has_decision_function = type(model).__name__, {"prediction"}, False
        if classes is not None:
            if how != "auto" and not hasattr(model, how):
                raise ValueError(f"{name} has no {how}")
            probable = hasattr(model, "predict_proba")
            has_decision_function = how == "decision_function" or (not probable and hasattr(model, "decision_function"))
            gives |= {"probability"} if probable else set()
            gives |= {"score"} if probable or has_decision_function else set()
        need = Need("numeric", missing=True, target="number" if classes is None else "class")
        return cls(
            name, frozenset(gives), classes, ByIdentity(model), feature_names(model), has_decision_function, need=need
        )

    def own_outputs(self, chunk: Chunk, wanted: frozenset[str]) -> Outputs:
        values: MatrixLike = chunk.X.take(np.arange(chunk.n))
        if self.columns is not None:
            import pandas as pd

            values = pd.DataFrame(values, columns=list(chunk.X.names or self.columns), copy=False)[list(self.columns)]
        return self.of_rows(values, wanted)

    def of_rows(self, X: MatrixLike, wanted: Iterable[str]) -> Outputs:
        """Outputs for rows in the estimator's own format and classes."""
        model, out, width = self.model.it, {}, 0 if self.classes is None else len(self.classes)
        for what in wanted:
            if not _num_samples(X):
                out[what] = np.zeros(0, np.int64) if what == "prediction" else np.zeros((0, width))
            elif what == "prediction":
                found = np.asarray(model.predict(X))
                out[what] = found if self.classes is None else class_codes(found, self.classes)
            elif what == "score" and self.has_decision_function:
                found = np.asarray(model.decision_function(X))
                out[what] = np.column_stack([-found, found]) if found.ndim == 1 else found
            else:
                out[what] = np.asarray(model.predict_proba(X))
        return out


class GivenPredictions(Predictor):
    """Predictions for rows in memory, looked up by row number; an estimator predicts all rows at once."""

    values: ByIdentity
    """by what was wanted"""
    model: Foreign | None = None
    X: ByIdentity = ByIdentity(None)

    @classmethod
    def of(cls, model: Foreign, X: MatrixLike) -> Self:
        """Predictions of an estimator for all rows."""
        return cls(model.name, model.gives, model.classes, ByIdentity({}), model, ByIdentity(X), need=model.need)

    @classmethod
    def by(
        cls, models: Iterable[tuple[BaseEstimator, Codes]], X: MatrixLike, wanted: frozenset[str],
        classes: Labels | None,
    ) -> Self:  # fmt: skip
        """Predictions of several estimators, each for some of the rows: pairs of estimator and row numbers."""
        values: Outputs = {}
        for model, rows in models:
            how: Response = "decision_function" if hasattr(model, "decision_function") else "auto"  # as scorers do
            one = placed(Foreign.of(model, how), classes)
            one.check(wanted)
            for what, found in one.placed(one.of_rows(_safe_indexing(X, rows), wanted)).items():
                if what not in values:
                    values[what] = np.zeros((_num_samples(X), *found.shape[1:]), found.dtype)
                values[what][rows] = found
        return cls("", wanted, classes, ByIdentity(values)).for_classes(classes)

    def own_outputs(self, chunk: Chunk, wanted: frozenset[str]) -> Outputs:
        values = self.values.it
        if self.model is not None:
            values.update(self.model.of_rows(self.X.it, wanted - values.keys()))
        return {what: values[what][chunk.X.numbers()] for what in wanted}


class GivenRows(Predictor):
    """Predictions that are a Source: the output of a model for a Source keeps the target of its rows."""

    @classmethod
    def of(cls, classes: Labels | None) -> Self:
        """A predictor of these classes whose rows are predictions themselves."""
        return cls("", frozenset({"prediction", "probability", "score"}), classes, need=PREDICTION_NEED)

    def own_outputs(self, chunk: Chunk, wanted: frozenset[str]) -> Outputs:
        found = np.asarray(chunk.X.data)
        if wanted == {"prediction"}:
            return {"prediction": class_codes(found[:, 0], self.classes)}
        found = found if found.shape[1] > 1 else np.column_stack([1 - found[:, 0], found[:, 0]])
        return {"probability": found, "score": found}


def learners_of(model: BaseEstimator) -> list[Estimator]:
    """A learner of tenfold, or the steps of a pipeline of such; empty if there is anything else in it.

    Frozen steps at the beginning stay as they are fitted.
    """
    return _if_ours(with_frozen_steps(learned_steps(model)))


def fitted_learners_of(model: BaseEstimator) -> list[Estimator]:
    """The same of a fitted model, each with the parameters that it was fitted with."""
    return [as_fitted(step) for step in _if_ours(thawed_steps(learned_steps(model)))]


def _if_ours(steps: list[Any]) -> list[Estimator]:
    """The steps, if they are transformers and then a regressor or classifier, all of tenfold; else none."""
    ours = all(isinstance(step, Transformer) for step in steps[:-1])
    return steps if ours and isinstance(steps[-1], (Regressor, Classifier)) else []


def feature_names(model: BaseEstimator) -> tuple[str, ...] | None:
    """The names of the columns that a fitted estimator knows, where scikit-learn keeps them."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(names)


def check_model(model: BaseEstimator) -> None:
    """Raise if the model is not a fitted classifier or regressor."""
    try:
        fits = not isinstance(model, type) and (is_classifier(model) or is_regressor(model))
    except (AttributeError, TypeError):  # it has no tags
        fits = False
    if not fits:
        what = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"model must be a classifier or a regressor, and {what} is neither a fitted classifier nor a fitted "
            "regressor. Remedy: learner.fit(X, y)"
        )
    check_is_fitted(model)


def predictor_of(model: BaseEstimator, how: Response = "auto", kind: type[Model] = Model) -> Predictor:
    """A fitted classifier or regressor as a predictor; learners of tenfold as one of a kind."""
    check_model(model)
    stages = fitted_learners_of(model)
    if not stages:
        return Foreign.of(model, how)
    if how == "decision_function":
        raise ValueError("learners of tenfold are asked for their probabilities. Remedy: response_method='auto'")
    first, last = stages[0], stages[-1]
    before = [(step._blank(), step.model_) for step in stages[:-1]]
    classes = last.classes_ if isinstance(last, Classifier) else None
    need = replace(first.need, target=last.need.target, binary=False)
    schema = Schema(first.schema_.columns, None, None, first.schema_.named)
    return kind.of(last._blank(), last.model_, before, classes, need=need, schema=schema)


def united(known: Labels, found: Labels) -> Labels:
    """The union of the classes of a model and of the rows: rows of classes unknown to the model are misclassified."""
    here, there = {*found.tolist()}, {*known.tolist()}
    more = here - there
    if not more:
        return known
    if not here & there:
        raise DataError(
            f"y has the classes {found.tolist()[:5]}, and the model knows {known.tolist()[:5]}: no row could be right. "
            "Remedy: give y as it was when the model was fitted"
        )
    try:
        return np.array(sorted(there | more), dtype=object if known.dtype.kind == "O" else None)
    except TypeError:
        raise DataError(
            f"y has classes {sorted(map(str, more))[:5]}, and the model's are {known.tolist()[:5]}: text in one, "
            "numbers in the other. Remedy: give y as it was when the model was fitted"
        ) from None


class Opened(NamedTuple):
    """Validated rows, ready for prediction."""

    session: Session
    source: Source
    given: Source
    """the same without a column that was computed beside the features"""
    view: View
    predictor: Predictor
    """in the classes of both"""
    scans: int
    """to learn what the rows hold"""

    @property
    def classes(self) -> Labels | None:
        """Classes of the model and of the rows; None for numeric targets."""
        classes: Labels | None = self.view.schema.classes
        return classes


@contextmanager
def opened_rows(
    predictor: Predictor | None, model: BaseEstimator | None, X: MatrixLike, y: ArrayLike | None,
    weight: ArrayLike | None, targets: bool = True, column: ColumnExpression | None = None,
) -> Iterator[Opened]:  # fmt: skip
    """Rows beside their target, as a predictor needs them; without a predictor, rows that are predictions.

    Estimators of another library take rows in memory all at once. A column that is computed comes along under the text
    of its expression, and is no feature.
    """
    if targets:
        check_target(X, y, weight)
    runner, need = current(), PREDICTION_NEED if predictor is None else predictor.need
    need = need if targets else need.without_target()
    if isinstance(predictor, Foreign) and not is_lazy(X):
        source, runner = _in_memory(model, X, y, weight, need), Local(threads=1)
        predictor = GivenPredictions.of(predictor, X)
    else:
        first = None if model is None else next(iter(fitted_learners_of(model)), None)
        chosen = None if first is None else first.taken_by_name(X)
        if chosen is None:
            source = as_source(X, y, weight, need, model=first, reset=False)
        else:  # columns that are read by their names, not held against those of the fit
            source = as_source(chosen, y, weight, need)
    given = source
    if column is not None:
        source = source.with_columns(**{repr(column): column}).without(repr(column))
    with opened(runner, source) as session:
        if predictor is None:
            predictor = GivenRows.of(schema_of(source, need, session).classes)
        scans = int(source.known(need) is None)
        found = schema_of(source, need, session)
        classes = united(predictor.classes, found.classes) if targets and predictor.classes is not None else None
        yield Opened(
            session, source, given, view_of(predictor, need, found, classes), placed(predictor, classes), scans
        )


def placed(predictor: P, classes: Labels | None) -> P:
    """Extend the outputs of a predictor to these classes, which include its own; None: unchanged."""
    if classes is None:
        return predictor
    more = len(classes) > len(predictor.classes)
    return predictor.for_classes(classes, class_codes(predictor.classes, classes) if more else None)


def view_of(predictor: Predictor, need: Need, found: Schema, classes: Labels | None) -> View:
    """How rows are read that hold this: by the columns that a predictor knows, with these classes."""
    known = found if predictor.schema is None else predictor.schema
    return View(need, Schema(known.columns, need.target, classes, known.named))


def _in_memory(
    model: BaseEstimator | None, X: MatrixLike, y: ArrayLike | None, weight: ArrayLike | None, need: Need
) -> Source:  # fmt: skip
    """Need only target and weights: the estimator validates the columns itself."""
    truth = target(model, y, need)
    check_consistent_length(X, truth)
    if not len(truth):
        raise DataError("there is no row to score")
    return ArraySource(
        np.zeros((len(truth), 1)), truth, None if weight is None else weights(weight, len(truth)), target="y"
    )


def scores_of(
    model: BaseEstimator | None, X: MatrixLike, y: ArrayLike | None, weight: ArrayLike | None,
    wants: Callable[[Labels | None], Iterable[Want]], how: Response = "auto", kind: type[Model] = Model,
) -> tuple[Scores, Labels | None]:  # fmt: skip
    """Summaries of the predictions of a model for rows, and the classes of both.

    Parameters
    ----------
    model : classifier or regressor
        Fitted. None, if X is a Source of predictions.
    X : array, frame or Source
    y, weight : array, optional
    wants : callable
        Map classes, or None, to the requested metrics.
    how : {"auto", "predict_proba", "decision_function"}
        Where a score comes from, of estimators that have both.
    kind : type
        Of predictor that a learner of tenfold is taken for.
    """
    predictor = None if model is None else predictor_of(model, how, kind)
    with progress("judging"), opened_rows(predictor, model, X, y, weight) as rows:
        score = Score((rows.predictor,), tuple(Metric(needs, ByIdentity(f)) for needs, f in wants(rows.classes)))
        done = rows.session.answer(As(rows.view, score))
    if not done.rows:
        raise DataError("there is no row to score: all have weight zero")
    return done.summary, rows.classes
