"""Kinds of learners with one target for each sequence: they predict a class or a number for it, not for a row.

In memory, targets and weights are given by sequence or by row; a source has a column of them, and all rows of a
sequence say the same.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tenfold.core import MANY, Array, Chunk, DataError, Stop
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.contract import for_users
from tenfold.engine import current
from tenfold.estimator.sequences.sequence_rows import SequenceLearner, ends_of, sequence_weights
from tenfold.estimator.shell.callbacks import with_callbacks
from tenfold.estimator.shell.fitted_params import as_fitted, fitted
from tenfold.estimator.shell.kinds import winners
from tenfold.sources import Source, as_source
from tenfold.sources.inputs import checked_lengths, is_lazy


class PerSequence(SequenceLearner):
    """Base of learners whose target is one of a whole sequence: `need.per_sequence`."""

    @with_callbacks
    @for_users
    def fit(
        self,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        lengths: VectorLike = None,
        checkpoint: Any = None,
        stop: Stop | None = None,
    ) -> Any:
        """Fit to sequences, each with a target.

        Parameters
        ----------
        X : array, frame or Source
            The rows of one sequence after the other. A Source brings its own sequences, target and weights.
        y : array, optional
            The target of each sequence; or of each row, the same for all rows of a sequence.
        sample_weight : array, optional
            A weight for each sequence, or for each row, likewise. A sequence of weight 0 counts as none.
        lengths : int array, optional
            How many rows each sequence has; they add up to the rows of X. By default all rows are one sequence.
        checkpoint : str, path or Checkpoint, optional
            Folder for checkpoints; an interrupted fit resumes from the last one.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            When to stop early.

        Returns
        -------
        self : object
        """
        return self._fit(
            X, by_row(y, lengths), by_row(sample_weight, lengths), checkpoint=checkpoint, stop=stop, lengths=lengths
        )

    @available_if(lambda self: as_fitted(self).passes != MANY)
    @for_users
    def partial_fit(
        self,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        lengths: VectorLike = None,
        classes: VectorLike = None,
    ) -> Any:
        """Walk once over more sequences, from where the model is.

        Parameters
        ----------
        X : array or frame
        y : array
            The target of each sequence, or of each row.
        sample_weight : array, optional
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.
        classes : array, optional
            Of a classifier, the first time: classes that may come later.

        Returns
        -------
        self : object
        """
        classes = None if classes is None else np.asarray(classes)
        walker: Any = self
        return walker._walk_on(X, by_row(y, lengths), by_row(sample_weight, lengths), classes, lengths=lengths)

    def _judged(self, X: Any, y: Any, weight: Any, lengths: Any, function: Any) -> tuple[Array, Any, Array]:
        """Return target, output of a function of (learner, model, chunk), and weight of each labelled sequence."""
        check_is_fitted(self)
        if y is None and not is_lazy(X):
            raise ValueError("score needs y, the true target of each sequence")
        given = by_row(y, lengths), by_row(weight, lengths)
        source = as_source(X, *given, self.need, model=self, reset=False, lengths=lengths)
        said = partial(_judged, function, self._bare(), source)
        each = [found for some in current().map(said, range(len(source)), source) for found in some]
        truth, told, weights = (np.concatenate(some) for some in zip(*each, strict=True))
        return truth, told, weights

    def _of_each(self, function: Any, X: Any, lengths: Any) -> Any:
        """Return the output of a function of (learner, model, chunk) for each sequence, in order."""
        return np.concatenate(self._each(function, X, lengths))


class SequenceClassifier(ClassifierMixin, PerSequence):
    """A subclass writes `scores_from(model, chunk)`: sequences x classes, the highest wins."""

    @property
    def has_probabilities(self) -> bool:
        """Whether scores can be made probabilities."""
        return True

    @property
    @fitted
    def classes_(self) -> Any:
        """The labels of the classes, sorted."""
        check_is_fitted(self)
        return self.schema_.classes

    def scores_from(self, model: Any, chunk: Chunk) -> Array:
        """Return logarithms of the unnormalized probability of each class."""
        raise NotImplementedError

    @fitted
    def predict(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The class of each sequence.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        y : array of shape (sequences,)
        """
        return self._of_each(_winner, X, lengths)

    @fitted
    def predict_proba(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The probability of each class for each sequence.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        p : array of shape (sequences, classes)
        """
        return self._of_each(_probability, X, lengths)

    @fitted
    def predict_log_proba(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The logarithm of `predict_proba`, without its underflow.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        log_p : array of shape (sequences, classes)
        """
        return self._of_each(_log_probability, X, lengths)

    @fitted
    def score(
        self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None, lengths: VectorLike = None
    ) -> float:
        """The share of sequences whose class is predicted right.

        Parameters
        ----------
        X : array, frame or Source
            A Source brings its own target and weights.
        y : array, optional
            The true class of each sequence, or of each row.
        sample_weight : array, optional
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        accuracy : float
        """
        truth, told, weight = self._judged(X, y, sample_weight, lengths, _code)
        return float(weight @ (truth == told)) / float(weight.sum())


class SequenceRegressor(RegressorMixin, PerSequence):
    """A subclass writes `predict_from(model, chunk)`: a number for each sequence."""

    def predict_from(self, model: Any, chunk: Chunk) -> Array:
        """The predicted number of each sequence of a chunk."""
        raise NotImplementedError

    @fitted
    def predict(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The predicted number of each sequence.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        y : array of shape (sequences,)
        """
        return self._of_each(_number, X, lengths)

    @fitted
    def score(
        self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None, lengths: VectorLike = None
    ) -> float:
        """Return R² of the predictions.

        Parameters
        ----------
        X : array, frame or Source
            A Source brings its own target and weights.
        y : array, optional
            The true number of each sequence, or of each row.
        sample_weight : array, optional
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        score : float
        """
        from sklearn.metrics import r2_score

        truth, told, weight = self._judged(X, y, sample_weight, lengths, _number)
        return float(r2_score(truth, told, sample_weight=weight))


def by_row(values: Any, lengths: Any) -> Any:
    """Return values of sequences repeated for each row; values of rows, and others, are returned unchanged."""
    if values is None or lengths is None:
        return values
    each, found = checked_lengths(lengths), np.asarray(values)
    if found.ndim == 1 and len(found) not in (len(each), each.sum()):
        raise ValueError(
            f"there are {len(found)} targets or weights, but {len(each)} sequences with {each.sum()} rows by lengths. "
            "Remedy: one for each sequence, or for each row"
        )
    return np.repeat(found, each) if found.ndim == 1 and len(found) == len(each) != each.sum() else values


def sequence_targets(chunk: Chunk) -> Any:
    """The target of each sequence; an error names a row whose target is another than that of its sequence."""
    starts: Any = chunk.starts
    targets = chunk.y[starts]
    other = np.flatnonzero(chunk.y != np.repeat(targets, ends_of(starts, chunk.n) - starts))
    if len(other):
        raise DataError(
            f"row {chunk.X.row(int(other[0]))} has a different target from the first row of its sequence. Remedy: "
            "give one target to all rows of a sequence; lengths=, or tenfold.scan(sequence=), says where each begins"
        )
    return targets


def _judged(function: Any, learner: Any, source: Source, part: int) -> list[tuple[Any, Any, Any]]:
    chunks = source.chunks(part, learner.need, learner.schema_)
    each = ((c, function(learner, learner.model_, c)) for c in chunks)
    return [(sequence_targets(chunk), told, sequence_weights(chunk)) for chunk, told in each]


def _code(learner: Any, model: Any, chunk: Chunk) -> Any:
    return winners(learner.scores_from(model, chunk))


def _winner(learner: Any, model: Any, chunk: Chunk) -> Any:
    return learner.schema_.classes[_code(learner, model, chunk)]


def _probability(learner: Any, model: Any, chunk: Chunk) -> Any:
    return softmax(learner.scores_from(model, chunk), axis=1)


def _log_probability(learner: Any, model: Any, chunk: Chunk) -> Any:
    return log_softmax(learner.scores_from(model, chunk), axis=1)


def _number(learner: Any, model: Any, chunk: Chunk) -> Any:
    return learner.predict_from(model, chunk)
