"""What a fitted model says of rows, part by part, into summaries that merge: rows never need to be in memory.

A hearing is a job like any other. Learners of tenfold and pipelines of them are applied to their own view of the
rows, any other estimator to the numbers of a chunk, and predictions that are a source themselves are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted, column_or_1d

from tenfold.core import Array, Chunk, Codes, DataError, Need, Schema
from tenfold.engine import current, one_blas_thread, schema_of
from tenfold.engine.progress import progress
from tenfold.engine.stages import transformed
from tenfold.engine.together import Many
from tenfold.engine.tree import Tree
from tenfold.estimator.fitted_params import as_fitted
from tenfold.estimator.kinds import Classifier, winners
from tenfold.evaluate.judging import stages_of
from tenfold.evaluate.united import united
from tenfold.sources import Source
from tenfold.sources.inputs import as_source, check_target, is_lazy, weights
from tenfold.sources.labels import class_codes, levels

Want = tuple[str, Callable[[Any, Any, Any, int], Any]]
"""what is needed ("prediction", "probability" or "score"), and its summary of truth, output, weight and classes"""


class Heard(NamedTuple):
    """What was found of all rows."""

    summaries: tuple[Any, ...]
    """in the order of the wants"""
    classes: Any
    """of the model and of the rows, None for numbers"""
    rows: int
    weighted: bool


@dataclass(frozen=True)
class Tally:
    """Rows, and whether some count differently."""

    rows: int
    weighted: bool

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.rows + other.rows, self.weighted or other.weighted)


class Ours:
    """A learner of tenfold, after the transformers of its pipeline."""

    def __init__(self, stages: list[Any]) -> None:
        self.before = tuple((as_fitted(s)._blank(), s.state_) for s in stages[:-1])
        self.last, self.state = as_fitted(stages[-1])._blank(), stages[-1].state_
        first = stages[0]
        self.need = replace(first.need, target=stages[-1].need.target, binary=False)
        self.columns, self.named = first.schema_.columns, first.schema_.named
        self.classes = stages[-1].classes_ if isinstance(stages[-1], Classifier) else None

    def says(self, chunk: Chunk, needs: set[str], how: str) -> dict[str, Any]:
        """Codes among its own classes or numbers, and probabilities."""
        X = transformed(self.before, chunk, self.last.need).X
        if self.classes is None:
            return {"prediction": self.last.predict_from(self.state, X)}
        scores = self.last.scores_from(self.state, X)
        out = {"prediction": winners(scores)}
        if needs - {"prediction"}:
            out["probability"] = out["score"] = self.last.probability_from(scores)
        return out


class Theirs:
    """Any other estimator: it is given the numbers of a chunk."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.classes = np.asarray(model.classes_) if is_classifier(model) else None
        self.need = Need("numeric", missing=True, target="number" if self.classes is None else "class")

    def says(self, chunk: Chunk, needs: set[str], how: str) -> dict[str, Any]:
        """Of the numbers of a chunk, under their names if the estimator knows names."""
        values: Any = chunk.X.take(np.arange(chunk.n))
        names = getattr(self.model, "feature_names_in_", None)
        if names is not None:
            import pandas as pd

            values = pd.DataFrame(values, columns=list(chunk.X.names or names), copy=False)[list(names)]
        return self.of(values, needs, how)

    def of(self, X: Any, needs: set[str], how: str) -> dict[str, Any]:
        """Of rows as it takes them."""
        n, out = len(X) if not hasattr(X, "shape") else X.shape[0], {}
        if not n:
            width = 0 if self.classes is None else len(self.classes)
            return {need: np.zeros((0, width)) if need != "prediction" else np.zeros(0, np.int64) for need in needs}
        if "prediction" in needs:
            found = np.asarray(self.model.predict(X))
            out["prediction"] = found if self.classes is None else class_codes(found, self.classes)
        if "probability" in needs:
            out["probability"] = np.asarray(self._method("predict_proba")(X))
        if "score" in needs:
            found = np.asarray(self._method("decision_function" if self.decides(how) else "predict_proba")(X))
            out["score"] = np.column_stack([-found, found]) if found.ndim == 1 else found
        return out

    def decides(self, how: str) -> bool:
        """Whether its scores are decision values, not probabilities."""
        neither = how == "auto" and not hasattr(self.model, "predict_proba")
        return self.classes is not None and (how == "decision_function" or neither)

    def _method(self, name: str) -> Any:
        if not hasattr(self.model, name):
            raise ValueError(f"{type(self.model).__name__} has no {name}")
        return getattr(self.model, name)


class Given:
    """Predictions that are a source themselves: what a model says of a source keeps the target of its rows."""

    def __init__(self, classes: Any) -> None:
        self.classes = classes
        self.need = Need("numeric", missing=True, target="number" if classes is None else "class")

    def says(self, chunk: Chunk, needs: set[str], how: str) -> dict[str, Any]:
        """As they come."""
        found = np.asarray(chunk.X.data)
        if needs == {"prediction"}:
            found = found[:, 0]
            return {"prediction": found if self.classes is None else class_codes(found, self.classes)}
        found = found if found.shape[1] > 1 else np.column_stack([1 - found[:, 0], found[:, 0]])
        return {"probability": found, "score": found}


@dataclass(frozen=True, eq=False)
class Hearing:
    """The job: for each part, the summaries of what a model says of its rows."""

    voice: Any
    need: Need
    schema: Schema
    wants: tuple[Want, ...]
    known: Codes | None
    """the model's classes among all"""
    how: str

    def parts(self, source: Source) -> range:
        """All of them."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Many:
        """Of one part."""
        needs, tree = {need for need, _ in self.wants}, Tree()
        for chunk in source.chunks(part, self.need, self.schema):
            even = chunk.uniform or bool((chunk.weight == 1).all())
            tree.push(self.of(chunk.y, self.voice.says(chunk, needs, self.how), None if even else chunk.weight))
        return tree.total()

    def of(self, truth: Any, said: dict[str, Any], weight: Any) -> Many:
        """The summaries of some rows."""
        k = 0 if self.known is None else len(self.schema.classes)
        each = [function(truth, self._among(said[need], need), weight, k) for need, function in self.wants]
        return Many((Tally(len(truth), weight is not None), *each))

    def _among(self, found: Any, need: str) -> Any:
        """Outputs of the model's classes as outputs of all classes."""
        if self.known is None:
            return found
        if need == "prediction":
            return self.known[found]
        if len(self.known) == len(self.schema.classes):
            return found
        out: Array = np.full((len(found), len(self.schema.classes)), 0.0 if need == "probability" else -np.inf)
        out[:, self.known] = found
        return out


def hear(
    model: Any,
    X: Any,
    y: Any,
    weight: Any,
    wants: Callable[[Any], list[Want]],
    how: str = "auto",
    ours: Any = Ours,
    classes: Any = None,
) -> Heard:
    """What a model says of rows, summarized; `wants(classes)` tells of what summaries are wanted.

    Parameters
    ----------
    model : classifier or regressor
        Fitted. None, if X is a Source of predictions.
    X : array, frame or Source
        A Source brings its own target and weights.
    y, weight : array, optional
    wants : callable
        From the classes, or None, to a list of wants.
    how : {"auto", "predict_proba", "decision_function"}
        Where a score comes from, of estimators that have both.
    ours : callable, default=Ours
        How a learner of tenfold is heard, from the stages of its pipeline.
    classes : array, optional
        Of estimators of others: all that there are, where these rows and those that the model learned from may have
        none in common, as in a fold.
    """
    check_target(X, y, weight)
    if model is None:
        return _over(None, X, wants, how)
    if not (is_classifier(model) or is_regressor(model)):
        raise TypeError(f"{type(model).__name__} is neither a classifier nor a regressor")
    check_is_fitted(model)
    stages = stages_of(model)
    if how == "decision_function" and stages:
        raise ValueError("learners of tenfold are ranked by their probabilities. Remedy: response_method='auto'")
    voice: Any = ours(stages) if stages else Theirs(model)
    if stages or is_lazy(X):
        first = stages[0] if stages else None
        return _over(voice, as_source(X, y, weight, voice.need, model=first, reset=False), wants, how)
    return _at_once(voice, X, y, weight, wants, how, classes)


def _over(voice: Any, source: Source, wants: Callable[[Any], list[Want]], how: str) -> Heard:
    """Part by part."""
    with progress("judging"), one_blas_thread, current().open(source) as session:
        if voice is None:
            found = schema_of(source, Need("numeric", missing=True, target="class"), session)
            voice = Given(found.classes)
        found = schema_of(source, voice.need, session)
        classes = None if voice.classes is None else united(voice.classes, found.classes)
        columns, named = getattr(voice, "columns", found.columns), getattr(voice, "named", found.named)
        job = _job(voice, Schema(columns, voice.need.target, classes, named), wants, how)
        done = session.reduce(job).each
    return _heard(done, classes)


def _at_once(
    voice: Any, X: Any, y: Any, weight: Any, wants: Callable[[Any], list[Want]], how: str, known: Any
) -> Heard:
    """All rows in one call."""
    truth = column_or_1d(y)
    weight = None if weight is None else weights(weight, len(truth))
    classes = None
    if voice.classes is not None:
        classes = united(voice.classes if known is None else known, levels(truth, "y"))
    job = _job(voice, Schema((), voice.need.target, classes, False), wants, how)
    truth = np.asarray(truth, dtype=float) if classes is None else class_codes(truth, classes)
    said = voice.of(X, {need for need, _ in job.wants}, how)
    return _heard(job.of(truth, said, weight).each, classes)


def _job(voice: Any, schema: Schema, wants: Callable[[Any], list[Want]], how: str) -> Hearing:
    known = None if voice.classes is None else class_codes(voice.classes, schema.classes)
    return Hearing(voice, voice.need, schema, tuple(wants(schema.classes)), known, how)


def _heard(each: tuple[Any, ...], classes: Any) -> Heard:
    tally, *summaries = each
    if not tally.rows:
        raise DataError("there is no row to judge: all have weight zero")
    return Heard(tuple(summaries), classes, tally.rows, tally.weighted)
