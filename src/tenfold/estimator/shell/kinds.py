"""Kinds of learners, with the methods that apply a model to rows: regressors, classifiers, transformers and others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from inspect import unwrap
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import (
    ClassifierMixin,
    ClusterMixin,
    DensityMixin,
    OneToOneFeatureMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._set_output import _wrap_data_with_container
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tenfold.core import MANY, Array, Codes, Column, Columns, Names, Need, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.contract import for_users
from tenfold.core.errors import warn_user
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import as_fitted, fitted, fitted_if
from tenfold.sources import Source, is_lazy
from tenfold.sources.frames import materialized
from tenfold.stats.metrics import Regression
from tenfold.stats.moments.affine_map import AffineMap, KnownColumns

T = TypeVar("T", bound=Any)


def warn_not_converged(text: str) -> None:
    """Warn, as scikit-learn does, that a solver has ended before it was at the optimum."""
    warn_user(text, ConvergenceWarning)


class Regressor(RegressorMixin, Estimator):
    """A subclass writes `predict_from(model, X)`."""

    sparse_relative: ClassVar[str] = "tn.Ridge()"
    poor_score: ClassVar[bool] = False
    """whether it fits simple data badly by design: scikit-learn's checks then expect no more of it"""

    @fitted
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.poor_score
        return tags

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> float:
        """Return R² of the predictions.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            A Source brings its own target and weights.
        y : array, optional
        sample_weight : array, optional

        Returns
        -------
        score : float
        """
        if is_lazy(X):
            return self._score_of(*self._compare(X, y, sample_weight, type(self).predict_from))
        return self._score_of(y, self.predict(X), sample_weight)

    def _score_of(self, y: Any, found: Any, weight: Any) -> float:
        """R², the coefficient of determination, of predictions."""
        from sklearn.metrics import r2_score  # which takes longer to import than a model to fit

        return float(r2_score(y, found, sample_weight=weight))

    @fitted
    def predict(self, X: MatrixLike) -> Any:
        """The predicted number of each row.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        y : array of shape (rows,) or (rows, outputs)
        """
        return self._apply(type(self).predict_from, X, lambda: ["prediction"])


class SummaryScored(Regressor):
    """A subclass writes `regression_from`: the errors of a model on other rows, read off their summary."""

    def regression_from(self, model: Any, rows: int, summary: Any) -> Regression | None:
        """Return the squared errors from this summary alone, or None if that would lose digits."""
        raise NotImplementedError


class Classifier(ClassifierMixin, Estimator):
    """A subclass writes `scores_from(model, X)`: rows x classes, the highest wins; and whether it has probabilities."""

    has_decision_function: ClassVar[bool] = False
    """whether it has a `decision_function`, made of a hook `decision_from(model, X)`"""

    sparse_relative: ClassVar[str] = "tn.LogisticRegression()"
    poor_score: ClassVar[bool] = False
    """whether it fits simple data badly by design: scikit-learn's checks then expect no more of it"""

    @property
    def has_probabilities(self) -> bool:
        """Whether scores can be made probabilities."""
        return True

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> float:
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
            from sklearn.metrics import accuracy_score

            y, scores, weight = self._compare(X, y, sample_weight, type(self).scores_from)
            return float(accuracy_score(y, winners(scores), sample_weight=weight))
        return float(super().score(X, y, sample_weight))

    @property
    @fitted
    def classes_(self) -> Any:
        """The labels of the classes, sorted."""
        check_is_fitted(self)
        return self.schema_.classes

    @property
    @fitted
    def n_classes_(self) -> int:
        """How many classes there are."""
        return len(self.classes_)

    @available_if(lambda self: as_fitted(self).passes != MANY)
    @for_users
    def partial_fit(
        self, X: MatrixLike, y: VectorLike = None, classes: VectorLike = None, sample_weight: VectorLike = None
    ) -> Any:
        """Learn more rows: the same as adding the model of these rows, or nothing if they fail.

        A sequential learner walks once over them, from where it is.

        Parameters
        ----------
        X : array or frame
        y : array
        classes : array, optional
            Classes that may come later. They need not be named: new ones are welcome, except to a sequential
            learner, which must know them the first time.
        sample_weight : array, optional

        Returns
        -------
        self : object
        """
        classes = None if classes is None else np.asarray(classes)
        return self._partial_fit(X, y, sample_weight, classes)

    @fitted
    def predict(self, X: MatrixLike) -> Any:
        """The class of each row.

        Parameters
        ----------
        X : array or frame or Source

        Returns
        -------
        y : array of shape (rows,)
        """
        return self._apply(_winner, X, lambda: ["prediction"])

    @fitted_if(lambda self: self.has_probabilities)
    def predict_proba(self, X: MatrixLike) -> Any:
        """The probability of each class for each row.

        Parameters
        ----------
        X : array or frame or Source

        Returns
        -------
        p : array of shape (rows, classes)
        """
        return self._apply(
            _probability,
            X,
            lambda: [f"probability_{c}" for c in self.classes_],
        )

    @fitted_if(lambda self: self.has_probabilities)
    def predict_log_proba(self, X: MatrixLike) -> Any:
        """The logarithm of `predict_proba`, without its underflow.

        Parameters
        ----------
        X : array or frame or Source

        Returns
        -------
        log_p : array of shape (rows, classes)
        """
        return self._apply(
            _log_probability,
            X,
            lambda: [f"log_probability_{c}" for c in self.classes_],
        )

    @fitted
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self.need.binary
        tags.classifier_tags.poor_score = self.poor_score
        return tags

    def probability_from(self, scores: Any) -> Any:
        """Return the softmax of the scores, which are logarithms of unnormalized probabilities by default."""
        return softmax(_possible(scores), axis=1)

    def log_probability_from(self, scores: Any) -> Any:
        """The logarithm of the above."""
        return log_softmax(_possible(scores), axis=1)


class GroupScored(Classifier):
    """A subclass writes `scores_by(models, X, codes)`: the scores of rows by several models of it at once."""

    def scores_from(self, model: Any, X: Columns) -> Array:
        """The score of each class."""
        return self.scores_by([model], X, np.zeros(len(X), np.int64))

    def scores_by(self, models: Sequence[Any], X: Columns, codes: Codes) -> Array:
        """The score of each class, each row by the model that its code names."""
        raise NotImplementedError


def _probability(learner: Any, model: Any, X: Columns) -> Any:
    return learner.probability_from(learner.scores_from(model, X))


def _log_probability(learner: Any, model: Any, X: Columns) -> Any:
    return learner.log_probability_from(learner.scores_from(model, X))


def _winner(learner: Any, model: Any, X: Columns) -> Any:
    """The class with the highest score, by its label."""
    return learner.schema_.classes[winners(learner.scores_from(model, X))]


def winners(scores: Any) -> Any:
    """The number of the class with the highest score, the first of equals."""
    if scores.shape[1] == 2:  # several times as fast
        return (scores[:, 1] > scores[:, 0]).astype(np.int64)
    return scores.argmax(axis=1)


def _possible(scores: Any) -> Any:
    """Return uniform log probabilities for rows that no class allows."""
    none = np.isneginf(scores).all(axis=1)
    return np.where(none[:, None], 0.0, scores) if none.any() else scores


def _sources_first(transform: Any) -> Any:
    """scikit-learn wraps `transform` to make frames of arrays; a source passes by the wrapper."""

    @wraps(transform)
    def method(self: Any, X: Any) -> Any:
        inner = unwrap(transform) if is_lazy(X) else transform
        return inner(as_fitted(self), X)

    return method


def sources_first(cls: T) -> T:
    """A class whose `transform` gives a source for a source, whatever frames arrays are made into."""
    type.__setattr__(cls, "transform", _sources_first(cls.transform))
    return cls


@sources_first
class Transformer(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Base of transformers: a subclass writes `transform_from(model, X)`; an `invertible` one also `inverse_from`."""

    mixes_columns: ClassVar[bool] = False
    """whether outputs are made of several columns each"""
    invertible: ClassVar[bool] = False
    """whether `inverse_transform` exists"""
    preserves_dtype: ClassVar[tuple[str, ...]] = ("float64",)
    """types of numbers that come out as they went in"""

    @fitted
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = list(self.preserves_dtype)
        return tags

    @property
    def cross_fits(self) -> bool:
        """Whether its training rows are transformed otherwise than others: without their own target."""
        return False

    def training_from(self, model: Any, X: Columns) -> Any:
        """Return the outputs for training rows, if the learner is fitted to their target too."""
        return self.transform_from(model, X)

    def passes_categories(self, schema: Schema) -> bool:
        """Whether categories go in and come out again."""
        return False

    def columns_out(self, schema: Schema, model: Any) -> tuple[Column, ...] | None:
        """The columns that `transform_from` makes, if some are codes of categories; None: all are numbers."""
        return None

    def code_counts(self) -> Codes | None:
        """How many places of categories each output of the fitted transformer may be, 0 of a number; None: numbers."""
        return None

    def origins(self, model: Any, width: int) -> Codes | None:
        """Return the number of the column, of `width`, that each output is made of; by default the same.

        None: some are made of several columns.
        """
        return None if self.mixes_columns else np.arange(width)

    def output_from(self, model: Any, X: Columns) -> Any:
        """Return the output of `transform` for rows read as `output_view` defines."""
        return self.transform_from(model, X)

    def training_output_from(self, model: Any, X: Columns) -> Any:
        """Return the output of `fit_transform` for rows read as `output_view` defines, if the learner cross-fits."""
        return self.training_from(model, X)

    def output_view(self) -> tuple[Need, Schema] | None:
        """Return the need with which `transform` reads rows, if not that of the fit."""
        return None

    def in_frame(self, found: Any, X: MatrixLike) -> Any:
        """Return outputs in the frame that `set_output` asks for, if their columns differ in type; else unchanged."""
        return found

    def names_out(self, names: list[str]) -> list[str]:
        """Return the names of the output columns, from those of the input columns; by default the same."""
        return names

    @fitted
    def get_feature_names_out(self, input_features: Names | None = None) -> Names:
        """The name of each column that comes out.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns; by default those seen in fitting, or x0, x1, ...

        Returns
        -------
        names : array of str
        """
        return np.array(self.names_out(list(super().get_feature_names_out(input_features))), dtype=object)

    @fitted
    def transform(self, X: MatrixLike) -> Any:
        """Transform rows.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        X : array or CSR matrix
        """
        found = self._apply(type(self).output_from, X, self.get_feature_names_out, self.output_view())
        return found if is_lazy(X) else self.in_frame(found, X)

    @fitted_if(lambda self: self.invertible)
    def inverse_transform(self, X: MatrixLike) -> Any:
        """The rows that `transform` makes into these.

        Parameters
        ----------
        X : array or CSR matrix

        Returns
        -------
        X : array or CSR matrix
        """
        return self._apply(type(self).inverse_from, X, lambda: self.schema_.names)


class AffineTransformer(Transformer):
    """Its outputs are an affine map of the columns: its fit, and a linear model after it, need no row but summaries.

    A subclass writes `affine_from`, and `summary_from` unless `knows` is "rows".
    """

    knows: ClassVar[Literal["moments", "extremes", "rows"]] = "moments"
    """what its fit takes: moments, or extremes as well, or else the summary of its own statistic"""

    @property
    def is_affine(self) -> bool:
        """Whether it is an affine map with these parameters."""
        return True

    def summary_from(self, known: KnownColumns) -> Any:
        """Return the summary of its own statistic, made of what is known of the columns."""
        raise NotImplementedError

    def affine_from(self, model: Any) -> AffineMap:
        """Return its map of the columns."""
        raise NotImplementedError


def _fit_transform(self: Any, X: Any, y: Any = None, **given: Any) -> Any:
    """Fit, then transform; for a source both without the wrapper; rows without their own target, if it is learned."""
    if self.cross_fits:
        X = X if is_lazy(X) else materialized(X)
        fitted = as_fitted(self.fit(X, y, **given))
        names, view = fitted.get_feature_names_out, fitted.output_view()
        found = fitted._apply(type(self).training_output_from, X, names, view)
        return found if is_lazy(X) else _wrap_data_with_container("transform", fitted.in_frame(found, X), X, self)
    if is_lazy(X):
        return self.fit(X, y, **given).transform(X)
    X = materialized(X)
    return TransformerMixin.fit_transform(self, X, y, **given)


Transformer.fit_transform = _fit_transform


class Clusterer(ClusterMixin, Estimator):
    """A subclass writes `label_from(model, X)`, the number of a row's cluster; its summary has the `weight` of each."""

    sparse_relative: ClassVar[str] = "tn.KMeans()"

    def _after_fit(self, source: Source) -> None:
        found = self._clusters_found()
        if found < self.n_clusters:
            made = self.certificate_.provenance
            rows = 0 if made is None else made.rows
            if rows < self.n_clusters:
                raise ValueError(
                    f"n_samples={rows} should be >= n_clusters={self.n_clusters}. Remedy: fewer clusters, or more rows "
                    "of positive weight"
                )
            warn_user(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). Possibly "
                "due to duplicate points in X.",
                ConvergenceWarning,
            )
        if not source.lazy:
            self.labels_ = self.predict(source.unweighted())  # also rows of weight zero

    def _clusters_found(self) -> int:
        """How many clusters have rows."""
        return int(np.count_nonzero(self.summary_.weight))

    @fitted
    def predict(self, X: MatrixLike) -> Any:
        """The cluster of each row.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        labels : int array of shape (rows,)
        """
        return self._apply(type(self).label_from, X, lambda: ["cluster"])


class Density(DensityMixin, Estimator):
    """A subclass writes `log_density_from(model, X)`: the logarithm of the density at each row."""

    @fitted
    def score_samples(self, X: MatrixLike) -> Any:
        """The log-density of each row.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        log_density : array of shape (rows,)
        """
        return self._apply(type(self).log_density_from, X, lambda: ["log_density"])

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> float:
        """The mean log-density of the rows.

        Parameters
        ----------
        X : array, frame or Source
            A Source brings its own weights.
        y : None
            Not used.
        sample_weight : array, optional

        Returns
        -------
        score : float
        """
        total, rows = self._log_likelihood(X, sample_weight)
        return total / rows

    def _log_likelihood(self, X: Any, sample_weight: Any) -> tuple[float, float]:
        """The summed log-density of rows, and their weight."""
        _, found, weight = self._compare(X, None, sample_weight, type(self).log_density_from)
        return float(weight @ found), float(weight.sum())
