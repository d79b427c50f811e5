"""Classifiers of two classes with another threshold than 0.5: a given one, or the best of a score on unseen rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import sklearn.model_selection
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.metrics._scorer import _threshold_scores_to_class_labels
from sklearn.model_selection._classification_threshold import _mean_interpolated_score
from sklearn.utils._response import _get_response_values_binary
from sklearn.utils.validation import _check_response_method, check_is_fitted

from tenfold.core import Array, Labels, MatrixLike, ParameterError, Remedy
from tenfold.core.errors import from_here
from tenfold.model_selection.calibration.calibrated_classifier_cv import known
from tenfold.model_selection.calibration.combined_outputs import CombinedOutputs
from tenfold.model_selection.calibration.unseen_responses import (
    Responses,
    given_folds,
    responses_of,
    splits_in_memory,
    unseen_responses,
)
from tenfold.model_selection.cross_validation.folds import Grouping
from tenfold.model_selection.cross_validation.tune import refit
from tenfold.sources.inputs import is_lazy


class _OfSources:
    """What both classifiers do for a Source; a subclass is one of scikit-learn's too."""

    estimator: Any
    _get_response_method: Callable[[], Any]

    def _threshold(self, method: str) -> tuple[float, Any]:
        """The threshold for the scores of a method, and the positive class."""
        raise NotImplementedError

    def predict(self, X: MatrixLike) -> Any:
        """The class of each row: the positive one, if its score is at least the threshold.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        y : array of shape (rows,), or Source
        """
        if not is_lazy(X):
            return super().predict(X)  # type: ignore[misc]
        model = getattr(self, "estimator_", self.estimator)
        check_is_fitted(model)
        method = _check_response_method(model, self._get_response_method()).__name__
        threshold, positive = self._threshold(method)
        combine = partial(_labels, method, model.classes_, threshold, positive)
        maker = type(self).__name__
        return CombinedOutputs(X, [model], method, combine, ["prediction"], maker, f"{threshold!r} {positive!r}")

    def score(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Share of rows whose class is predicted right.

        Parameters
        ----------
        X : array, frame or Source
            A Source brings its own target and weights.
        y : array, optional
        sample_weight : array, optional

        Returns
        -------
        score : float
        """
        if is_lazy(X):
            return float(self.predict(X).accuracy())
        return float(super().score(X, y, sample_weight))  # type: ignore[misc]

    def _take(self, model: BaseEstimator) -> None:
        """Take a fitted estimator of two classes."""
        _check_two(model.classes_)
        self.estimator_ = model
        self.__dict__.pop("feature_names_in_", None)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))


def _check_two(classes: Labels) -> None:
    if len(classes) != 2:
        kind = "multiclass" if len(classes) > 2 else "a single class"
        raise ValueError(f"Only binary classification is supported. Unknown label type: {kind}")


def _labels(method: str, classes: Labels, threshold: float, positive: Any, said: Sequence[Array]) -> Labels:
    """The classes of rows by what the only model said of them."""
    (responses,) = said
    if not len(responses):
        return classes[:0]
    scores, _ = _get_response_values_binary(known(method, classes), responses, [method], pos_label=positive)
    found: Labels = _threshold_scores_to_class_labels(scores, threshold, classes, positive)
    return found


def _refuse_target(y: Any) -> None:
    if y is not None:
        raise ValueError("a Source names its own target: tenfold.scan(..., target=name)")


class FixedThresholdClassifier(_OfSources, sklearn.model_selection.FixedThresholdClassifier):  # type: ignore[misc]
    """A classifier of two classes with a threshold that is given: over sources too.

    It is scikit-learn's `FixedThresholdClassifier`.

    Parameters
    ----------
    estimator : classifier
        Unfitted; or fitted, for `predict` without `fit`.
    threshold : float or "auto", default="auto"
        From which score on a row is of the positive class; "auto" is 0.5 of probabilities and 0 of decision values.
    pos_label : optional
        The positive class; by default 1, as scikit-learn has it.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What is compared with the threshold: probabilities, if there are any, else decision values.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    classes_ : array

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = tn.scan(pd.DataFrame({"size": range(10), "late": [0] * 6 + [1] * 4}), target="late")
    >>> careful = tn.FixedThresholdClassifier(tn.GaussianNB(), threshold=0.01).fit(rows)
    >>> int(careful.predict(rows).collect().sum()) > 4
    True
    """

    @from_here
    def fit(self, X: MatrixLike, y: ArrayLike | None = None, **params: Any) -> FixedThresholdClassifier:
        """Fit the classifier.

        Parameters
        ----------
        X : array, frame or Source
            A Source brings its own target and weights.
        y : array, optional
        **params : dict
            As in scikit-learn, for the classifier.

        Returns
        -------
        self : object
        """
        if not is_lazy(X):
            super().fit(X, y, **params)
            return self
        _refuse_target(y)
        self._validate_params()
        self._take(clone(self.estimator).fit(X, **params))
        return self

    def _threshold(self, method: str) -> tuple[float, Any]:
        default = 0.5 if method == "predict_proba" else 0.0
        return (default if self.threshold == "auto" else self.threshold), self.pos_label


class TunedThresholdClassifierCV(_OfSources, sklearn.model_selection.TunedThresholdClassifierCV):  # type: ignore[misc]
    """A classifier of two classes with the threshold that is best by a score on unseen rows: over sources too.

    It is scikit-learn's `TunedThresholdClassifierCV`. Of a Source the models of all folds are fitted over the same
    scans, and what they say of their test rows, one or two numbers of each, is held to try the thresholds.

    Parameters
    ----------
    estimator : classifier
        Of tenfold, or a pipeline of its learners; any classifier for rows in memory.
    scoring : str, callable or dict, default="balanced_accuracy"
        The score, as scikit-learn has it.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What is compared with the threshold: probabilities, if there are any, else decision values.
    thresholds : int or array, default=100
        How many to try between the least and the largest score, or which.
    cv : int, float, "prefit", array, str, expression, splitter or list of (train, test), optional
        A number of folds, 5 by default; or folds as in `cross_validate`: "file", "time", the name of a column, an
        expression of `tenfold.col`. "prefit": the estimator is fitted already. A share is for rows in memory.
    refit : bool, default=True
        Whether the classifier is fitted to all rows in the end.
    n_jobs : int, optional
        As in scikit-learn, for rows in memory.
    random_state : int, optional
        As in scikit-learn, for a share.
    store_cv_results : bool, default=False
        Whether thresholds and scores are kept.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    best_threshold_, best_score_ : float
    cv_results_ : dict
        If `store_cv_results`.
    classes_ : array

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"size": rng.normal(size=900)})
    >>> rows = tn.scan(frame.assign(late=(frame["size"] + rng.normal(size=900) > 2).astype(int)), target="late")
    >>> model = tn.TunedThresholdClassifierCV(tn.LogisticRegression(), scoring="f1").fit(rows)
    >>> bool(model.best_threshold_ < 0.5)
    True
    """

    @from_here
    def fit(self, X: MatrixLike, y: ArrayLike | None = None, **params: Any) -> TunedThresholdClassifierCV:
        """Find the threshold, and fit the classifier.

        Parameters
        ----------
        X : array, frame or Source
            A Source brings its own target and weights.
        y : array, optional
        **params : dict
            As in scikit-learn; for folds of a Source `groups` alone, as in `cross_validate`.

        Returns
        -------
        self : object
        """
        if is_lazy(X):
            _refuse_target(y)
            return self._fit_source(X, **params)
        plain = isinstance(self.cv, float) or (isinstance(self.cv, str) and self.cv == "prefit")
        folds = None if plain else given_folds(self.cv, params.get("groups"))
        if folds is None:
            super().fit(X, y, **params)
            return self
        X, splits = splits_in_memory(self.estimator, X, y, folds, params.pop("groups", None))
        given = {**self.get_params(deep=False), "cv": splits}
        fitted = sklearn.model_selection.TunedThresholdClassifierCV(**given).fit(X, y, **params)
        learned = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
        self.__dict__.update(learned, _curve_scorer=fitted._curve_scorer)
        return self

    def _fit_source(self, X: MatrixLike, groups: Grouping | None = None) -> TunedThresholdClassifierCV:
        self._curve_scorer = self._get_curve_scorer()
        method = _check_response_method(self.estimator, self._get_response_method()).__name__
        if isinstance(self.cv, float):
            raise ParameterError(
                f"cv={self.cv} draws rows of each class, which needs them in memory",
                Remedy("cv=5", "or cv=sklearn.model_selection.ShuffleSplit(1, test_size=...)"),
            )
        if isinstance(self.cv, str) and self.cv == "prefit":
            if self.refit is True:
                raise ValueError("When cv='prefit', refit cannot be True.")
            check_is_fitted(self.estimator)
            found, classes = responses_of(self.estimator, X, method)
            model, tests = self.estimator, [found]
        else:
            fitted = unseen_responses(self.estimator, X, method, 5 if self.cv is None else self.cv, groups)
            classes, tests = fitted.classes, fitted.tests
            if not self.refit and len(tests) > 1:
                raise ValueError("When cv has several folds, refit cannot be False.")
            _check_two(classes)
            model = refit(fitted.whole, clone(self.estimator), X, None, None) if self.refit else fitted.models[0]
        self._take(model)
        self._choose([self._curve(one, method, classes) for one in tests])
        return self

    def _curve(self, found: Responses, method: str, classes: Labels) -> tuple[Array, Array]:
        """The score at each threshold, and the thresholds."""
        weighted = {} if (found.weight == 1).all() else {"sample_weight": found.weight}
        curve: tuple[Array, Array] = self._curve_scorer(
            known(method, classes), found.outputs, classes[found.codes], **weighted
        )
        return curve

    def _choose(self, curves: Sequence[tuple[Array, Array]]) -> None:
        """The threshold with the best mean score over the folds, between theirs by interpolation."""
        scores, found = zip(*curves, strict=True)
        if any(np.isclose(one[0], one[-1]) for one in found):
            raise ValueError(
                "The provided estimator makes constant predictions. Therefore, it is impossible to optimize the "
                "decision threshold."
            )
        thresholds = np.asarray(self.thresholds)
        if isinstance(self.thresholds, Integral):
            thresholds = np.linspace(min(map(np.min, found)), max(map(np.max, found)), num=self.thresholds)
        means = _mean_interpolated_score(thresholds, found, scores)
        best = means.argmax()
        self.best_score_, self.best_threshold_ = means[best], thresholds[best]
        if self.store_cv_results:
            self.cv_results_ = {"thresholds": thresholds, "scores": means}

    def _threshold(self, method: str) -> tuple[float, Any]:
        check_is_fitted(self, "estimator_")
        return self.best_threshold_, self._curve_scorer._get_pos_label()
