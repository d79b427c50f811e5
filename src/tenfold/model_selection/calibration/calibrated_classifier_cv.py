"""CalibratedClassifierCV: probabilities calibrated on predictions for rows that the classifier was not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import sklearn.calibration
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import _CalibratedClassifier, _fit_calibrator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _check_response_method, check_is_fitted

from tenfold.core import Array, Labels, MatrixLike, ParameterError, Remedy
from tenfold.core.errors import from_here
from tenfold.core.value import digest_of
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
from tenfold.svm.linear_svc import LinearSVC

METHODS = ["decision_function", "predict_proba"]
"""what is calibrated: the first of these that an estimator has"""
FITTED = (float, np.floating, np.ndarray)
"""types of what calibrators learn"""


class CalibratedClassifierCV(sklearn.calibration.CalibratedClassifierCV):  # type: ignore[misc]
    """Probabilities of a classifier, calibrated on rows that it has not learned from: over sources too.

    It is scikit-learn's `CalibratedClassifierCV`. Of a Source the models of all folds are fitted over the same scans,
    and what they say of their test rows, a number or one for each class of a row, is held to fit the calibrators.

    Parameters
    ----------
    estimator : classifier, optional
        Of tenfold, or a pipeline of its learners; any classifier for rows in memory. By default `LinearSVC`. One that
        is fitted already goes in `sklearn.frozen.FrozenEstimator`.
    method : {"sigmoid", "isotonic", "temperature"}, default="sigmoid"
        Platt's sigmoid, an isotonic regression, or a temperature for all classes.
    cv : int, array, str, expression, splitter or list of (train, test), optional
        A number, 5 by default; or folds as in `cross_validate`: "file", "time", the name of a column, an expression of
        `tenfold.col`.
    n_jobs : int, optional
        As in scikit-learn, for rows in memory.
    ensemble : bool or "auto", default="auto"
        True: the mean of the calibrated models of all folds. False: the model of all rows, calibrated by what the
        models of the folds say. "auto" is True, unless the estimator is frozen.

    Attributes
    ----------
    classes_ : array
    calibrated_classifiers_ : list
        One for each fold, or one: the `estimator`, and its `calibrators`.
    n_features_in_ : int
    feature_names_in_ : array, where columns have names

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.normal(size=(600, 2)), columns=["a", "b"])
    >>> rows = tn.scan(frame.assign(up=frame["a"] + rng.normal(size=600) > 0), target="up")
    >>> model = tn.CalibratedClassifierCV(tn.GaussianNB(), cv=3).fit(rows)
    >>> model.predict_proba(rows).collect().shape
    (600, 2)
    """

    @from_here
    def fit(
        self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> CalibratedClassifierCV:
        """Fit the classifier and the calibrators.

        Parameters
        ----------
        X : array, frame or Source
            A Source brings its own target and weights.
        y : array, optional
            The target of each row; None if a Source names it.
        sample_weight : array, optional
        **fit_params : dict
            As in scikit-learn; for a Source `groups` alone, as in `cross_validate`.

        Returns
        -------
        self : object
        """
        if is_lazy(X):
            return self._fit_source(X, y, sample_weight, **fit_params)
        folds = given_folds(self.cv, fit_params.get("groups"))
        if folds is None:
            super().fit(X, y, sample_weight, **fit_params)
            return self
        X, splits = splits_in_memory(self._get_estimator(), X, y, folds, fit_params.pop("groups", None))
        params = {**self.get_params(deep=False), "cv": splits}
        fitted = sklearn.calibration.CalibratedClassifierCV(**params).fit(X, y, sample_weight, **fit_params)
        self.__dict__.update({name: value for name, value in vars(fitted).items() if name.endswith("_")})
        return self

    def _fit_source(self, X: Any, y: Any, weight: Any, groups: Grouping | None = None) -> CalibratedClassifierCV:
        self._validate_method()
        if y is not None or weight is not None:
            raise ValueError("a Source names its own target and weights: tenfold.scan(..., target=name, weight=name)")
        estimator = LinearSVC(random_state=0) if self.estimator is None else self.estimator
        frozen = isinstance(estimator, FrozenEstimator)
        name = _check_response_method(estimator, METHODS).__name__
        if frozen:
            if self.ensemble is True:
                raise ParameterError(
                    "ensemble=True fits a model for each fold, and this one is frozen",
                    Remedy("ensemble='auto'", "which calibrates it as it is"),
                )
            found, classes = responses_of(estimator, X, name)
            each = [(estimator.estimator, found)]
        else:
            folds = 5 if self.cv is None else self.cv
            fitted = unseen_responses(estimator, X, name, folds, groups, once=self.ensemble is False)
            classes = fitted.classes
            _check_counts(folds, fitted.tests, len(classes))
            if self.ensemble is False:
                each = [(refit(fitted.whole, clone(estimator), X, None, None), fitted.all_tests())]
            else:
                each = list(zip(fitted.models, fitted.tests, strict=True))
        self.classes_ = classes
        self.calibrated_classifiers_ = [_calibrated(model, found, classes, self.method) for model, found in each]
        first = each[0][0]
        self.__dict__.pop("feature_names_in_", None)
        for attribute in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, attribute):
                setattr(self, attribute, getattr(first, attribute))
        return self

    def _validate_method(self) -> None:
        if self.method not in ("sigmoid", "isotonic", "temperature"):
            raise ValueError(f"method must be one of 'sigmoid', 'isotonic', 'temperature', not {self.method!r}")
        if self.ensemble not in (True, False, "auto"):
            raise ValueError(f"ensemble must be True, False or 'auto', not {self.ensemble!r}")

    def predict_proba(self, X: MatrixLike) -> Any:
        """The calibrated probability of each class for each row.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        p : array of shape (rows, classes), or Source
        """
        if not is_lazy(X):
            return super().predict_proba(X)
        return self._outputs(X, _identity, [f"probability_{c}" for c in self.classes_])

    def predict(self, X: MatrixLike) -> Any:
        """The class with the highest probability for each row.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        y : array of shape (rows,), or Source
        """
        return self._outputs(X, partial(_labels, self.classes_), ["prediction"]) if is_lazy(X) else super().predict(X)

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
        return float(super().score(X, y, sample_weight))

    def _outputs(self, X: MatrixLike, last: Any, names: Sequence[str]) -> CombinedOutputs:
        check_is_fitted(self)
        each = self.calibrated_classifiers_
        name = _check_response_method(each[0].estimator, METHODS).__name__
        calibrators = [one.calibrators for one in each]
        combine = partial(_mean, name, calibrators, self.classes_, self.method, last)
        learned = [vars(one) for some in calibrators for one in some]
        values = [one[name] for one in learned for name in sorted(one) if isinstance(one[name], FITTED)]
        digest = digest_of(self.method, *values).hex()
        return CombinedOutputs(X, [one.estimator for one in each], name, combine, names, type(self).__name__, digest)


class _Known(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose rows are what another one said."""

    def __init__(self, classes: Labels) -> None:
        self.classes = self.classes_ = classes

    def fit(self) -> _Known:
        """Nothing is learned."""
        return self


class KnownScores(_Known):
    """Rows are the decision values."""

    def decision_function(self, X: Array) -> Array:
        """The rows."""
        return X


class KnownProbabilities(_Known):
    """Rows are the probabilities of the classes."""

    def predict_proba(self, X: Array) -> Array:
        """The rows."""
        return X


def known(method: str, classes: Labels) -> _Known:
    """A classifier whose method gives its rows."""
    return (KnownScores if method == "decision_function" else KnownProbabilities)(classes)


def _calibrated(model: BaseEstimator, found: Responses, classes: Labels, method: str) -> Any:
    """A fitted classifier with its calibrators, as scikit-learn has them."""
    said = found.outputs[:, 1] if found.outputs.ndim == 2 and found.outputs.shape[1] == 2 else found.outputs
    said = said.reshape(-1, 1) if said.ndim == 1 else said
    y = found.codes if method == "temperature" else classes[found.codes]
    weight = None if (found.weight == 1).all() else found.weight
    return _fit_calibrator(model, said, y, classes, method, xp=np, sample_weight=weight)


def _check_counts(folds: Any, tests: Sequence[Responses], classes: int) -> None:
    """Refuse numbers of folds that are larger than a class, as scikit-learn does."""
    counts = np.bincount(np.concatenate([one.codes for one in tests]), minlength=classes)
    if isinstance(folds, (int, np.integer)) and (counts < folds).any():
        raise ValueError(
            f"Requesting {folds}-fold cross-validation but provided less than {folds} examples for at least one class."
        )


def _mean(
    name: str, calibrators: Sequence[Any], classes: Labels, method: str, last: Any, said: Sequence[Array]
) -> Any:  # fmt: skip
    """The mean of the calibrated probabilities of all models, and what is made of it."""
    mean = np.zeros((len(said[0]), len(classes)))
    if len(mean):
        for each, responses in zip(calibrators, said, strict=True):
            mean += _CalibratedClassifier(known(name, classes), each, classes=classes, method=method).predict_proba(
                responses
            )
    return last(mean / len(calibrators))


def _identity(p: Array) -> Array:
    return p


def _labels(classes: Labels, p: Array) -> Labels:
    found: Labels = classes[p.argmax(axis=1)]
    return found
