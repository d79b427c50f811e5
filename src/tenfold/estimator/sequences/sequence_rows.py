"""Learners of whole sequences, whose consecutive rows are in order.

In memory, `lengths` is the number of rows of each sequence; a source has a column, `tenfold.scan(sequence=)`. A
sequence has one weight, which all of its rows must agree on.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tenfold.core import MANY, Array, Chunk, Codes, DataError, Need, Stop
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.contract import for_users
from tenfold.engine import check_sequences, current, opened
from tenfold.estimator.lazy_output import Mapped, joined
from tenfold.estimator.shell.callbacks import with_callbacks
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.sources import Source, as_source, sequence_source


class SequenceLearner(Estimator):
    """Base of learners of sequences: their need names a `sequence`, and `chunk.starts` is where each begins."""

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
        """Fit to sequences of rows.

        Parameters
        ----------
        X : array, frame or Source
            The rows of one sequence after the other. A Source brings its own sequences, target and weights.
        y : array, optional
            The target, of a learner that has one.
        sample_weight : array, optional
            A weight for each row, the same for all rows of a sequence. A sequence of weight 2 counts as two.
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
        return self._fit(X, y, sample_weight, checkpoint=checkpoint, stop=stop, lengths=lengths)

    @available_if(lambda self: as_fitted(self).passes != MANY)
    @for_users
    def partial_fit(
        self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None, *, lengths: VectorLike = None
    ) -> Any:
        """Learn more sequences: the same as adding the model of these, or nothing if they fail.

        Parameters
        ----------
        X : array or frame
        y : array, optional
        sample_weight : array, optional
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        self : object
        """
        return self._grow(X, y, sample_weight, lengths=lengths)

    def _over(self, function: Any, X: Any, lengths: Any, names: Any, around: Any = None) -> Any:
        """Apply a function of (learner, model, chunk) to all sequences; to a source, lazily.

        With `around`, long sequences come in windows: of (learner, source, need), it returns the function's context.
        """
        learner, source, need, function = self._request(function, X, lengths, around)
        if source.lazy:
            return Mapped(source, learner, partial(function, learner, learner.model_), names(), need)
        return joined(_by_chunk(function, learner, source, need))

    def _each(self, function: Any, X: Any, lengths: Any, around: Any = None) -> list[Any]:
        """Yield the outputs of a function of (learner, model, chunk) for the sequences of each chunk, in order."""
        learner, source, need, function = self._request(function, X, lengths, around)
        return _by_chunk(function, learner, source, need)

    def _request(self, function: Any, X: Any, lengths: Any, around: Any) -> tuple[Any, Source, Need, Any]:
        """Return the picklable learner, its rows, how they are read, and the function to apply."""
        check_is_fitted(self)
        need = replace(self.need.without_target(), windows=around is not None)
        learner = self._bare()
        source = as_source(X, None, None, need, model=self, reset=False, lengths=lengths).unweighted()
        if source.sequences_unseen(need):
            with opened(current(), source) as session:
                check_sequences(source, need, session)
        return learner, source, need, function if around is None else partial(function, around(learner, source, need))


def of_windows(function: Any, learner: Any, source: Source, need: Need) -> list[Any]:
    """Yield the outputs of a function of (learner, model, chunk) for each window of long sequences, in order."""
    if source.counted is not None and source.counted <= sequence_source.MAX_WHOLE_SEQUENCE:
        return []
    return [found for found in _by_chunk(partial(_if_window, function), learner, source, need) if found is not None]


def _if_window(function: Any, learner: Any, model: Any, chunk: Chunk) -> Any:
    return function(learner, model, chunk) if chunk.window else None


def _by_chunk(function: Any, learner: Any, source: Source, need: Need) -> list[Any]:
    """Yield the outputs of a function of a fitted learner for the sequences of each chunk."""
    each = current().map(partial(_apply_to_part, function, learner, source, need), range(len(source)), source)
    return [found for some in each for found in some]


def _apply_to_part(function: Any, learner: Any, source: Source, need: Need, part: int) -> list[Any]:
    """Apply a function to the chunks of one part. It is a module-level function, to be picklable."""
    chunks = source.chunks(part, need, learner.schema_.without_target)
    return [function(learner, learner.model_, chunk) for chunk in chunks]


def ends_of(starts: Codes, rows: int) -> Codes:
    """Where each sequence ends, from where each begins."""
    return np.append(starts[1:], rows)[: len(starts)]


def sequence_weights(chunk: Chunk) -> Array:
    """The weight of each sequence; an error names a row whose weight is another than that of its sequence."""
    starts: Any = chunk.starts
    weight = chunk.weight[starts]
    if not chunk.uniform:
        lengths = ends_of(starts, chunk.n) - starts
        other = np.flatnonzero(chunk.weight != np.repeat(weight, lengths))
        if len(other):
            raise DataError(
                f"row {chunk.X.row(int(other[0]))} has a different weight from the first row of its sequence. "
                "Remedy: give one weight to all rows of a sequence"
            )
    return weight
