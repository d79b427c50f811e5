"""What is known of hidden states: the likeliest path, the chance of each at each row, and draws.

All of it follows from start and transition probabilities, and from the likelihood of a row under each state; how
these were learned does not matter.
"""

from __future__ import annotations

from functools import partial, reduce
from operator import add
from typing import Any, Protocol

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, Need
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.estimator import check_is_fitted, fitted
from tenfold.estimator.sequences.sequence_rows import SequenceLearner, ends_of, of_windows
from tenfold.sequence.hidden_states import HiddenStates, SequenceRows
from tenfold.sequence.sequence_windows import (
    Edges,
    PathEdges,
    PathWindow,
    Windows,
    edges_of,
    impossible,
    number_of,
    path_edges,
    refuse_impossible,
    window_alone,
    window_of,
)
from tenfold.sequence.trellis import Trellis, trellis_of

IMPOSSIBLE_SEQUENCE_REMEDY = "a model with fewer zeros, alpha > 0, or score_samples to find such sequences"
"""what to do about an impossible sequence that a fitted model is asked about"""


class HiddenModel(Protocol):
    """Base of models with hidden states: start and transition probabilities."""

    @property
    def startprob(self) -> Array:
        """The chance of each state at the first row."""

    @property
    def transmat(self) -> Array:
        """The chance of each state after each."""


def states_of(model: HiddenModel) -> HiddenStates:
    """The states of a model, and how they follow each other."""
    return HiddenStates(model.startprob, model.transmat)


class StateDecoder(SequenceLearner):
    """Base of learners with hidden states. A subclass writes `log_table`, and `drawn_rows`."""

    def log_table(self, model: Any, X: Columns) -> tuple[Codes, Array]:
        """Log-likelihoods of states, and which row of that table is that of each row."""
        raise NotImplementedError

    def drawn_rows(self, model: Any, states: Codes, random: np.random.Generator) -> Any:
        """Draw an observation for each of these states."""
        raise NotImplementedError

    def named(self, states: Codes) -> Any:
        """States as users know them: by their numbers, unless a learner has names for them."""
        return states

    def numbered(self, states: Any) -> Codes:
        """The numbers of states as users know them."""
        return np.asarray(states, dtype=np.int64)

    @fitted
    def predict(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The states of the likeliest path through each sequence (Viterbi).

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        states : int array of shape (rows,)
        """
        return self._over(_path, X, lengths, lambda: ["state"], _path_around)

    @fitted
    def predict_proba(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The probability of each state at each row, given all rows of its sequence: γ.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        p : array of shape (rows, states)
        """
        return self._over(_posterior, X, lengths, self._by_state, _around)

    @fitted
    def filter(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """Filtered probability of each state at each row, given the rows up to it and none after.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        p : array of shape (rows, states)
        """
        return self._over(_filtered, X, lengths, self._by_state, _around)

    def _by_state(self) -> list[str]:
        return [f"probability_{k}" for k in range(len(self.startprob_))]

    @fitted
    def score_samples(self, X: MatrixLike, lengths: VectorLike = None) -> Array:
        """The log-likelihood of each sequence.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        log_likelihood : array of shape (sequences,)
            -inf for a sequence that is impossible.
        """
        each = self._each(_likelihood, X, lengths, partial(_around, remedy=None))
        found, begins = (np.concatenate(some) for some in zip(*each, strict=True))
        return np.asarray(np.add.reduceat(found, np.flatnonzero(begins)))

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None, lengths: VectorLike = None) -> float:
        """The log-likelihood of all sequences together.

        Parameters
        ----------
        X : array, frame or Source
        y : None
            Not used.
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        log_likelihood : float
        """
        return float(self.score_samples(X, lengths).sum())

    @fitted
    def decode(self, X: MatrixLike, lengths: VectorLike = None, algorithm: str = "viterbi") -> tuple[float, Any]:
        """The states behind rows in memory, and how probable they are.

        The path that is likeliest as a whole, or at each row by itself the likeliest state: then states may follow
        each other that cannot, and the log-probability of such a path is -inf.

        Parameters
        ----------
        X : array or frame
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.
        algorithm : {"viterbi", "map"}, default="viterbi"

        Returns
        -------
        log_probability : float
            Of states and rows together, the sum over all sequences.
        states : int array of shape (rows,)

        Raises
        ------
        DataError
            If no states lead through a sequence.
        """
        check_is_fitted(self)
        if algorithm not in ("viterbi", "map"):
            raise ValueError(f"algorithm must be 'viterbi' or 'map', not {algorithm!r}")
        how = (_decoded, _path_around) if algorithm == "viterbi" else (_decoded_singly, _around)
        pairs = self._each(how[0], X, lengths, how[1])
        log = float(sum(found.sum() for _, found in pairs))
        return log, self.named(np.concatenate([states for states, _ in pairs]))

    @fitted
    def impossible_transitions(self, states: Any, lengths: VectorLike = None) -> Codes:
        """Rows whose state cannot follow the state of the row before.

        Parameters
        ----------
        states : array of shape (rows,)
            Such as the likeliest state at each row by itself.
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        rows : int array
        """
        check_is_fitted(self)
        states = self.numbered(states)
        never = self.transmat_[states[:-1], states[1:]] == 0
        if lengths is not None:
            never[np.cumsum(np.asarray(lengths))[:-1] - 1] = False
        return np.flatnonzero(never) + 1

    @fitted
    def likeliest_paths(self, X: MatrixLike, n_paths: int = 2) -> tuple[Any, Array]:
        """The likeliest paths through one sequence, the best first: how far behind the next one is.

        Parameters
        ----------
        X : array or frame
            The rows of one sequence.
        n_paths : int, default=2

        Returns
        -------
        states : int array of shape (paths, rows)
            There may be fewer than were asked for.
        log_probability : array of shape (paths,)
        """
        check_is_fitted(self)
        if n_paths < 1:
            raise ValueError(f"n_paths must be at least 1, not {n_paths}")
        each = self._each(_rows, X, None)
        rows = next(rows for rows in each if len(rows.ends))
        paths, log = states_of(self.model_).likeliest_few(rows, n_paths)
        if not len(log):
            raise impossible(0, IMPOSSIBLE_SEQUENCE_REMEDY)
        return self.named(paths), log

    @fitted
    def trellis(self, X: MatrixLike) -> Trellis:
        """Every state at every row of one sequence: α, β, γ, δ, ψ and ξ of the forward, backward, Viterbi recursions.

        For short sequences that one wants to look at; `TrellisDisplay` draws them.

        Parameters
        ----------
        X : array or frame
            The rows of one sequence.

        Returns
        -------
        trellis : Trellis

        Raises
        ------
        DataError
            If no states lead through the sequence.
        """
        check_is_fitted(self)
        rows = next(rows for rows in self._each(_rows, X, None) if len(rows.ends))
        names = np.asarray(self.named(np.arange(len(self.startprob_)))).tolist()
        made = trellis_of(self.startprob_, self.transmat_, rows.table[rows.codes], names, self._row_texts(X))
        if made.log_likelihood == -np.inf:
            raise impossible(0, IMPOSSIBLE_SEQUENCE_REMEDY)
        return made

    def _row_texts(self, X: Any) -> list[str]:
        """Each row as text."""
        cells = np.asarray(X, dtype=object)
        return [", ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in row) for row in cells]

    @fitted
    def sample(self, n_samples: int = 1, lengths: VectorLike = None) -> tuple[Any, Codes]:
        """Draw sequences from the model, by its seed.

        Parameters
        ----------
        n_samples : int, default=1
            Rows of one sequence.
        lengths : int array, optional
            Rows of each of several sequences, instead.

        Returns
        -------
        X : array of shape (rows, columns)
        states : int array of shape (rows,)
        """
        check_is_fitted(self)
        each = np.asarray([n_samples] if lengths is None else lengths, dtype=np.int64)
        if each.ndim != 1 or not len(each) or (each < 1).any():
            raise ValueError("n_samples and lengths are numbers of rows, each at least 1")
        random = np.random.default_rng(self.seed())
        states = states_of(self.model_).drawn(each.cumsum(), random)
        return self.drawn_rows(self.model_, states, random), self.named(states)


def _rows(learner: StateDecoder, model: Any, chunk: Chunk) -> SequenceRows:
    starts: Any = chunk.starts
    return SequenceRows(ends_of(starts, chunk.n), *learner.log_table(model, chunk.X))


# ---- of windows: what is known around them -------------------------------------------------------


def _window(learner: StateDecoder, model: Any, chunk: Chunk) -> Windows:
    return window_of(states_of(model), _rows(learner, model, chunk), chunk, np.ones(1))


def _around(
    learner: StateDecoder, source: Any, need: Need, remedy: str | None = IMPOSSIBLE_SEQUENCE_REMEDY
) -> Edges | None:
    """Messages around the windows of long sequences, if there are any."""
    windows = of_windows(_window, learner, source, need)
    return edges_of(reduce(add, windows), remedy) if windows else None


def _path_window(learner: StateDecoder, model: Any, chunk: Chunk) -> PathWindow:
    first = chunk.window == "first"
    log = states_of(model).likeliest_ends(_rows(learner, model, chunk), first)
    return PathWindow(int(chunk.places()[0]), first, log)


def _path_around(learner: StateDecoder, source: Any, need: Need) -> PathEdges | None:
    """Between which states the likeliest paths lead through windows, if there are any."""
    windows = of_windows(_path_window, learner, source, need)
    return path_edges(windows) if windows else None


def _walk(edges: Edges | None, learner: StateDecoder, model: Any, chunk: Chunk) -> tuple[HiddenStates, SequenceRows]:
    """States and rows of a chunk; for a window, conditioned on the rows before and after it."""
    states, rows = states_of(model), _rows(learner, model, chunk)
    if not chunk.window or edges is None:
        return states, rows
    return window_alone(states, rows, edges, number_of(edges.place, chunk))


# ---- of chunks -----------------------------------------------------------------------------------


def _path(edges: PathEdges | None, learner: StateDecoder, model: Any, chunk: Chunk) -> Any:
    return learner.named(_decoded(edges, learner, model, chunk)[0])


def _decoded(edges: PathEdges | None, learner: StateDecoder, model: Any, chunk: Chunk) -> tuple[Codes, Array]:
    states, rows = states_of(model), _rows(learner, model, chunk)
    if chunk.window and edges is not None:
        at = number_of(edges.place, chunk)
        if not edges.first[at]:
            states = HiddenStates(states.step[edges.before[at]], states.step)
        there = np.where(np.arange(states.n) == edges.last[at], 0.0, -np.inf)
        rows = rows.ending(there)
    path, found = states.likeliest(rows)
    starts: Any = chunk.starts
    refuse_impossible(chunk.X, starts, found, IMPOSSIBLE_SEQUENCE_REMEDY)
    return path, found


def _decoded_singly(edges: Edges | None, learner: StateDecoder, model: Any, chunk: Chunk) -> tuple[Codes, Array]:
    """The likeliest state of each row by itself, and the log-probability of these states as a path."""
    starts: Any = chunk.starts
    rows = _rows(learner, model, chunk)
    chances = _posterior(edges, learner, model, chunk)
    states = chances.argmax(axis=1)
    with np.errstate(divide="ignore"):
        first, step = np.log(model.startprob), np.log(model.transmat)
    log = rows.table[rows.codes, states]
    begins = np.zeros(len(states), bool)
    begins[starts] = True
    before = np.roll(states, 1)
    if chunk.window == "later" and edges is not None:
        at = number_of(edges.place, chunk)
        before[0], begins[0] = (edges.left[at] * np.exp(edges.right[at - 1])).argmax(), False
    log = log + np.where(begins, first[states], step[before, states])
    return states, np.add.reduceat(log, starts) if len(starts) else np.zeros(0)


def _posterior(edges: Edges | None, learner: StateDecoder, model: Any, chunk: Chunk) -> Array:
    starts: Any = chunk.starts
    states, rows = _walk(edges, learner, model, chunk)
    chances, found = states.posterior(rows)
    refuse_impossible(chunk.X, starts, found, IMPOSSIBLE_SEQUENCE_REMEDY)
    return chances


def _filtered(edges: Edges | None, learner: StateDecoder, model: Any, chunk: Chunk) -> Array:
    starts: Any = chunk.starts
    states, _ = _walk(edges, learner, model, chunk)
    chances, found = states.filtered(_rows(learner, model, chunk))
    refuse_impossible(chunk.X, starts, found, IMPOSSIBLE_SEQUENCE_REMEDY)
    return np.ascontiguousarray(chances)


def _likelihood(edges: Edges | None, learner: StateDecoder, model: Any, chunk: Chunk) -> tuple[Array, Any]:
    """The log-likelihood of each sequence, or of a window; and whether a sequence begins there."""
    if chunk.window and edges is not None:
        at = number_of(edges.place, chunk)
        return edges.log_likelihood[at : at + 1], edges.first[at : at + 1] > 0
    found = states_of(model).filtered(_rows(learner, model, chunk))[1]
    return found, np.ones(len(found), bool)
