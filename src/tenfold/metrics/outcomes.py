"""Scores that need all predictions: any scorer of scikit-learn, and user-defined callables.

The summary holds the prediction and the target of each row; merging concatenates them. The scorer
is then called once, with a stub estimator that returns these predictions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils import Tags, TargetTags

from tenfold.core import Array, DataError, Labels, Mergeable, Values
from tenfold.stats.metrics import Scorer
from tenfold.stats.metrics.scorers import Kind, Needs

NEED_OF_METHOD: dict[str, Needs] = {
    "predict": "prediction",
    "predict_proba": "probability",
    "decision_function": "score",
}
"""the kind of output that each method of an estimator returns"""


class Outcomes(Mergeable):
    """The true target of some rows, what a model predicted of them, and their weights."""

    truth: Values
    predicted: Values
    weight: Array | None

    @classmethod
    def of(cls, truth: Values, predicted: Values, weight: Array | None, n_classes: int) -> Outcomes:
        """Collect the outcomes of a chunk."""
        return cls(np.array(truth), np.array(predicted), None if weight is None else np.array(weight))

    def __add__(self, other: Outcomes) -> Outcomes:
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = np.concatenate([np.ones(len(o.truth)) if o.weight is None else o.weight for o in (self, other)])
        return Outcomes(
            np.concatenate([self.truth, other.truth]), np.concatenate([self.predicted, other.predicted]), weight
        )  # fmt: skip


@dataclass(frozen=True)
class Called(Scorer):
    """A scorer of scikit-learn, or a callable `scorer(estimator, X, y)` that looks at predictions and target alone."""

    call: Any = None

    @classmethod
    def by(cls, scoring: Any, kind: Kind) -> Called | None:
        """The score of a scikit-learn scorer name or of a callable; None if it is neither."""
        name, call = scoring, scoring
        if isinstance(scoring, str):
            if scoring not in get_scorer_names():
                return None
            call = get_scorer(scoring)
        elif not callable(scoring):
            return None
        else:
            name = _name(scoring)
            _refuse_metric(scoring, name)
        return cls(name, NEED_OF_METHOD[_method(call)], kind, Outcomes.of, partial(_value, call, name, None), call=call)

    def for_classes(self, classes: Labels | None) -> Called:
        call = self.call if self.pos_label is None or classes is None else self._positive(classes)
        return replace(self, value=partial(_value, call, self.name, classes))

    @property
    def has_positive(self) -> bool:
        metric, given = getattr(self.call, "_score_func", None), getattr(self.call, "_kwargs", {})
        return "pos_label" not in given and _of_two(given) and metric is not None and _takes(metric, "pos_label")

    def _positive(self, classes: Labels) -> Any:
        """The scorer with the positive class; unchanged if `pos_label` was given before, or if all classes count."""
        given, label, labels = getattr(self.call, "_kwargs", {}), self.pos_label, classes.tolist()
        if "pos_label" in given or not _of_two(given):
            return self.call
        if not self.has_positive:
            raise ValueError(
                f"pos_label={label!r}: {self.title} takes no positive class. Remedy: score it without pos_label"
            )
        if label not in labels:
            raise ValueError(f"pos_label={label!r} is not a valid label: It should be one of {labels}")
        call = copy(self.call)
        call._kwargs = {**given, "pos_label": label}
        return call


def _of_two(given: dict[str, Any]) -> bool:
    """Whether a metric with these parameters is of one class of two, not averaged over the classes."""
    return bool(given.get("average", "binary") == "binary")


def _takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has a parameter of this name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some of C have no signature
        return False
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in parameters)


def _refuse_metric(call: Any, name: str) -> None:
    """Refuse a metric of scikit-learn, which takes no estimator."""
    module = str(getattr(call, "__module__", ""))
    if module.startswith("sklearn.metrics.") and not module.startswith("sklearn.metrics._scorer"):
        raise ValueError(
            f"scoring={name} is a metric of two arrays, and a score takes an estimator, rows and target. Remedy: "
            f"sklearn.metrics.make_scorer({name})"
        )


def _name(call: Any) -> str:
    """How a callable is named in tables: what make_scorer made, by its metric."""
    metric = getattr(call, "_score_func", call)
    given = ", ".join(f"{k}={v!r}" for k, v in getattr(call, "_kwargs", {}).items())
    name = getattr(metric, "__name__", type(metric).__name__)
    return ("neg_" if getattr(call, "_sign", 1) < 0 else "") + name + (f"({given})" if given else "")


class Said:
    """A fitted estimator whose predictions are known already: what a scorer of scikit-learn is given."""

    def __init__(self, predicted: Values, classes: Labels | None, needs: str) -> None:
        self.predicted, self.classes, self.needs = predicted, classes, needs
        if classes is not None:
            self.classes_ = classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        return Tags("regressor" if self.classes is None else "classifier", TargetTags(required=True))

    def predict(self, X: Any) -> Values:
        """Numbers or labels; of probabilities, the likeliest class."""
        if self.classes is None:
            return self.predicted
        codes = (
            self.predicted if self.predicted.ndim == 1 and self.needs == "prediction" else self.predicted.argmax(axis=1)
        )
        labels: Values = self.classes[codes.astype(np.intp)]
        return labels

    def predict_proba(self, X: Any) -> Values:
        """The probability of each class, for each row."""
        return self._of("probability", "predict_proba")

    def decision_function(self, X: Any) -> Values:
        """Decision values, of two classes those of the second."""
        predicted = self._of("score", "decision_function")
        values: Values = predicted[:, 1] if predicted.ndim == 2 and predicted.shape[1] == 2 else predicted
        return values

    def _of(self, what: str, method: str) -> Values:
        if self.needs != what:
            raise DataError(
                f"this scorer calls {method} but does not declare it. Remedy: "
                f"sklearn.metrics.make_scorer(metric, response_method={method!r})"
            )
        return self.predicted


class UnreadRows:
    """Rows that a scoring function may hand to an estimator, and not look at."""

    def __init__(self, rows: int) -> None:
        self.shape = (rows, 0)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, *args: Any, **given: Any) -> NoReturn:
        raise DataError(
            "a scoring function receives predictions and targets, not the rows themselves. Remedy: score it by "
            "sklearn.model_selection.cross_validate, which has them in memory"
        )

    def __getitem__(self, key: Any) -> NoReturn:
        self.__array__()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__array__()


def _value(call: Callable[..., Any], name: str, classes: Labels | None, summary: Outcomes) -> float:
    """Score all rows with the scorer."""
    needs = NEED_OF_METHOD[_method(call)]
    truth = summary.truth if classes is None else classes[summary.truth.astype(np.intp)]
    model = Said(summary.predicted, classes, needs)
    weights = {} if summary.weight is None else {"sample_weight": summary.weight}
    if weights and not _takes(getattr(call, "_score_func", call), "sample_weight"):
        raise DataError(f"{name} takes no weights. Remedy: a score that takes sample_weight, or rows without weights")
    found = call(model, UnreadRows(len(truth)), truth, **weights)
    if hasattr(found, "item") and np.ndim(found) == 0:
        found = found.item()
    if not isinstance(found, Real):
        raise TypeError(
            f"scoring function {name} gives {type(found).__name__}, not a number. Remedy: a function for each number, "
            "scoring={name: function}"
        )
    return float(found)


def _method(call: Any) -> str:
    """The estimator method that a scorer calls first: `response_method` of make_scorer, otherwise `predict`."""
    methods = getattr(call, "_response_method", "predict")
    return methods if isinstance(methods, str) else methods[0]
