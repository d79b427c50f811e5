"""What is known of hidden states: the likeliest path, the chance of each at each row, and draws.

All of it follows from a model's chances to start and to follow each other, and from what each state says of a row; how
these were learned does not matter.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from tenfold.core import Array, Codes, Columns, DataError
from tenfold.estimator import check_is_fitted
from tenfold.estimator.sequences import SequenceLearner, ends_of
from tenfold.sequence.hidden_states import HiddenStates, Rows

ASKED = "a model with fewer zeros, alpha > 0, or score_samples to find such sequences"
"""what to do about an impossible sequence that a fitted model is asked about"""


class HiddenModel(Protocol):
    """What every model with hidden states has: chances to start, and to follow each other."""

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
        """What is seen in these states, drawn."""
        raise NotImplementedError

    def named(self, states: Codes) -> Any:
        """States as users know them: by their numbers, unless a learner has names for them."""
        return states

    def numbered(self, states: Any) -> Codes:
        """The numbers of states as users know them."""
        return np.asarray(states, dtype=np.int64)

    def predict(self, X: Any, lengths: Any = None) -> Any:
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
        return self._over(_path, X, lengths, lambda: ["state"])

    def predict_proba(self, X: Any, lengths: Any = None) -> Any:
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
        return self._over(_posterior, X, lengths, self._by_state)

    def filter(self, X: Any, lengths: Any = None) -> Any:
        """The probability of each state at each row, given the rows up to it and none after: what is known online.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        p : array of shape (rows, states)
        """
        return self._over(_filtered, X, lengths, self._by_state)

    def _by_state(self) -> list[str]:
        return [f"probability_{k}" for k in range(len(self.startprob_))]

    def score_samples(self, X: Any, lengths: Any = None) -> Array:
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
        return np.concatenate(self._each(_likelihood, X, lengths))

    def score(self, X: Any, y: Any = None, lengths: Any = None) -> float:
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

    def decode(self, X: Any, lengths: Any = None, algorithm: str = "viterbi") -> tuple[float, Any]:
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
        """
        check_is_fitted(self)
        if algorithm not in ("viterbi", "map"):
            raise ValueError(f"algorithm must be 'viterbi' or 'map', not {algorithm!r}")
        pairs = self._each(_decoded if algorithm == "viterbi" else _decoded_singly, X, lengths)
        log = float(sum(found.sum() for _, found in pairs))
        return log, self.named(np.concatenate([states for states, _ in pairs]))

    def impossible_transitions(self, states: Any, lengths: Any = None) -> Codes:
        """Where a path of states goes where it cannot: the rows whose state cannot follow that of the row before.

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

    def likeliest_paths(self, X: Any, n_paths: int = 2) -> tuple[Any, Array]:
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
        return self.named(paths), log

    def sample(self, n_samples: int = 1, lengths: Any = None) -> tuple[Any, Codes]:
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


def _rows(learner: StateDecoder, model: Any, X: Columns, starts: Codes) -> Rows:
    return Rows(ends_of(starts, len(X)), *learner.log_table(model, X))


def _path(learner: StateDecoder, model: Any, X: Columns, starts: Codes) -> Any:
    states, found = _decoded(learner, model, X, starts)
    refuse_impossible(X, starts, found)
    return learner.named(states)


def _decoded(learner: StateDecoder, model: Any, X: Columns, starts: Codes) -> tuple[Codes, Array]:
    return states_of(model).likeliest(_rows(learner, model, X, starts))


def _decoded_singly(learner: StateDecoder, model: Any, X: Columns, starts: Codes) -> tuple[Codes, Array]:
    """The likeliest state of each row by itself, and the log-probability of these states as a path."""
    rows = _rows(learner, model, X, starts)
    chances, found = states_of(model).posterior(rows)
    refuse_impossible(X, starts, found)
    states = chances.argmax(axis=1)
    with np.errstate(divide="ignore"):
        first, step = np.log(model.startprob), np.log(model.transmat)
    log = rows.table[rows.codes, states]
    begins = np.zeros(len(states), bool)
    begins[starts] = True
    before = np.roll(states, 1)
    log = log + np.where(begins, first[states], step[before, states])
    return states, np.add.reduceat(log, starts) if len(starts) else np.zeros(0)


def _posterior(learner: StateDecoder, model: Any, X: Columns, starts: Codes) -> Array:
    chances, found = states_of(model).posterior(_rows(learner, model, X, starts))
    refuse_impossible(X, starts, found)
    return chances


def _filtered(learner: StateDecoder, model: Any, X: Columns, starts: Codes) -> Array:
    chances, found = states_of(model).filtered(_rows(learner, model, X, starts))
    refuse_impossible(X, starts, found)
    return np.ascontiguousarray(chances)


def _likelihood(learner: StateDecoder, model: Any, X: Columns, starts: Codes) -> Array:
    return states_of(model).filtered(_rows(learner, model, X, starts))[1]


def refuse_impossible(X: Columns, starts: Codes, found: Array, remedy: str = ASKED) -> None:
    """Refuse a sequence that no states lead through, by the row where it begins."""
    bad = np.flatnonzero(found == -np.inf)
    if len(bad):
        raise DataError(
            f"the sequence that begins in row {X.row(int(starts[bad[0]]))} is impossible: no states lead through it. "
            f"Remedy: {remedy}"
        )
