"""Windows of sequences that are too long to be walked at once, and what surrounds each.

A window leads from the state before it to the state at its last row: a matrix, and the matrix of two windows is their
product. So windows are summarized in any order; their products then give the probabilities of the states
before each, and the likelihood of all rows after it. With these a window is processed like a sequence, to the same
sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, DataError, Mergeable, Schema
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE, Between
from tenfold.core.statistic import Held
from tenfold.estimator.sequences.sequence_rows import sequence_weights
from tenfold.sequence.hidden_states import Expected, HiddenStates, SequenceRows

S = TypeVar("S")


class Windows(Mergeable):
    """Windows in their order: to which state each leads from each state before it, and how likely its rows are then."""

    place: Annotated[Codes, "window", NOT_NEGATIVE]
    """position of its first row, which identifies it"""
    row: Annotated[Codes, "window", NOT_NEGATIVE]
    """the number of its first row"""
    first: Annotated[Codes, "window", Between(0, 1)]
    """1 if its sequence begins there: then all rows of its matrix are alike"""
    weight: Annotated[Array, "window", NOT_NEGATIVE]
    log: Annotated[Array, "window", "state", NOT_NAN]
    """log-likelihood of its rows from each state before it, -inf if they are impossible"""
    passage: Annotated[Array, "window", "state", "state", Between(0.0, 1.0)]
    """chances of the states at its last row, from each state before it"""

    def __add__(self, other: Windows) -> Windows:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Windows(*(np.concatenate(pair) for pair in pairs))


class Edges(NamedTuple):
    """Messages before and after each of some windows."""

    place: Annotated[Codes, "window", NOT_NEGATIVE]
    first: Annotated[Codes, "window", Between(0, 1)]
    left: Annotated[Array, "window", "state", Between(0.0, 1.0)]
    """chances of the states at the row before it, by the rows up to there"""
    right: Annotated[Array, "window", "state", NOT_NAN]
    """logarithm of how likely the rows after it are from each state at its last row, up to a factor"""
    log_likelihood: Annotated[Array, "window", NOT_NAN]
    """of its rows, given those before it"""

    def is_valid(self, schema: Schema) -> bool:
        """Whether there is a window, and chances add up to one."""
        return len(self.place) > 0 and np.allclose(self.left.sum(axis=1), 1.0)


def number_of(place: Codes, chunk: Chunk) -> int:
    """Which of the windows at some places a chunk is; an error, if rows are others than when they were looked at."""
    found = np.flatnonzero(place == chunk.places()[0])
    if len(found) != 1:
        raise DataError(
            f"the window of a sequence that begins in row {chunk.X.row(0)} was not there before: the rows have changed "
            "meanwhile. Remedy: scan them again"
        )
    return int(found[0])


def edges_of(windows: Windows, remedy: str | None) -> Edges:
    """Messages around each window, from the products of the windows before and after it in its sequence.

    An impossible sequence raises an error. Without a remedy its log-likelihood is -inf, and the rest is not used
    after its window.
    """
    count, k = windows.log.shape
    left, right, after = np.zeros((count, k)), np.zeros((count, k)), np.zeros((count, k))
    score = np.zeros(count)
    begins = row = 0
    chances = np.full(k, 1 / k)
    with np.errstate(divide="ignore"):
        for w in range(count):
            if windows.first[w]:
                chances, begins, row = np.full(k, 1 / k), w, windows.row[w]
            elif windows.weight[w] != windows.weight[begins]:
                raise DataError(
                    f"row {windows.row[w]} has a different weight from the first row of its sequence. Remedy: give "
                    "one weight to all rows of a sequence"
                )
            left[w] = chances
            both = np.log(chances) + windows.log[w]
            most = both.max()
            if most == -np.inf:
                if remedy is None:
                    score[w] = -np.inf
                    continue
                raise impossible(int(row), remedy)
            share = np.exp(both - most)
            score[w] = most + np.log(share.sum())
            chances = after[w] = share @ windows.passage[w] / share.sum()
        for w in reversed(range(count - 1)):
            if not windows.first[w + 1] and remedy is not None:
                beta = np.where(after[w + 1] > 0, right[w + 1], -np.inf)
                most = beta.max()
                beta = windows.log[w + 1] + np.log(windows.passage[w + 1] @ np.exp(beta - most))
                right[w] = np.where(after[w] > 0, beta, -np.inf)
                right[w] -= right[w].max()
    return Edges(windows.place, windows.first, left, right, score)


def refuse_impossible(X: Columns, starts: Codes, found: Array, remedy: str) -> None:
    """Refuse a sequence that no states lead through, by the row where it begins."""
    bad = np.flatnonzero(found == -np.inf)
    if len(bad):
        raise impossible(X.row(int(starts[bad[0]])), remedy)


def impossible(row: int, remedy: str) -> DataError:
    """The error for a sequence that no states lead through, by the row where it begins."""
    return DataError(
        f"the sequence that begins in row {row} is impossible: no states lead through it. Remedy: {remedy}"
    )


def window_alone(states: HiddenStates, rows: SequenceRows, edges: Edges, at: int) -> tuple[HiddenStates, SequenceRows]:
    """A window as a sequence of its own, conditioned on the rows before and after it."""
    if not edges.first[at]:
        states = HiddenStates(edges.left[at] @ states.step, states.step)
    return states, rows.ending(edges.right[at])


class PathWindow(NamedTuple):
    """The likeliest paths through one window."""

    place: int
    first: bool
    log: Array
    """log-probability of that from each state before it to each at its last row; of a first window, one row"""


class PathEdges(NamedTuple):
    """Between which states the likeliest path leads through each of some windows."""

    place: Codes
    first: list[bool]
    before: Codes
    """the state at the row before it"""
    last: Codes
    """the state at its last row"""


def path_edges(windows: Sequence[PathWindow]) -> PathEdges:
    """The states of the likeliest path around each window, from the paths through each by itself."""
    count, k = len(windows), windows[0].log.shape[1]
    came, best = np.zeros((count, k), np.int64), np.zeros((count, k))
    for w, window in enumerate(windows):
        so_far = window.log if window.first else best[w - 1][:, None] + window.log
        came[w], best[w] = so_far.argmax(axis=0), so_far.max(axis=0)
    before, last = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for w in reversed(range(count)):
        ended = w + 1 == count or windows[w + 1].first
        last[w] = best[w].argmax() if ended else before[w + 1]
        before[w] = came[w, last[w]]
    return PathEdges(np.array([w.place for w in windows]), [w.first for w in windows], before, last)


def window_of(states: HiddenStates, rows: SequenceRows, chunk: Chunk, weight: Array) -> Windows:
    """The window that a chunk is, walked from each state before it."""
    first, k = chunk.window == "first", states.n
    passage, log = states.carried(rows, first)
    return Windows(
        chunk.places()[:1],
        np.array([chunk.X.row(0)]),
        np.array([int(first)]),
        weight,
        np.broadcast_to(log, (1, k)).copy(),
        np.broadcast_to(passage, (1, k, k)).copy(),
    )


class AlongStates(Held[S]):
    """Base of statistics of sequences, or of their windows, at a model with hidden states."""

    startprob: Array
    transmat: Array

    def rows(self, chunk: Chunk) -> SequenceRows:
        """The rows of a chunk, and how likely each state makes them."""
        raise NotImplementedError

    @property
    def states(self) -> HiddenStates:
        """Hidden states of the model."""
        return HiddenStates(self.startprob, self.transmat)

    def window(self, chunk: Chunk) -> Windows:
        """The window that a chunk is, walked from each state before it; of whole sequences, none."""
        k = len(self.startprob)
        if not chunk.window:
            none = np.zeros(0, np.int64)
            return Windows(none, none, none, np.zeros(0), np.zeros((0, k)), np.zeros((0, k, k)))
        return window_of(self.states, self.rows(chunk), chunk, sequence_weights(chunk))

    def expected(self, chunk: Chunk, edges: Edges | None, remedy: str) -> Expected | None:
        """How often states are expected in the sequences, or the window, of a chunk.

        The conditioned sequence of a window; None if its surroundings are not known.
        """
        starts: Any = chunk.starts
        weight = sequence_weights(chunk)
        if not chunk.window:
            found = self.states.expected(self.rows(chunk), weight)
            refuse_impossible(chunk.X, starts, found.log_likelihood, remedy)
            return found
        return None if edges is None else self._within(chunk, weight, edges, number_of(edges.place, chunk))

    def _within(self, chunk: Chunk, weight: Array, edges: Edges, at: int) -> Expected:
        """How often states are expected in a window, and between it and the row before it."""
        rows = self.rows(chunk)
        own, inside = window_alone(self.states, rows, edges, at)
        found = own.expected(inside, weight)
        emitted = found.emitted[:-1]
        emitted[rows.codes[-1]] += found.emitted[-1]
        began, moved = found.began, found.moved
        if not edges.first[at]:
            come = edges.left[at][:, None] * self.transmat
            moved = moved + np.where(own.start > 0, come / np.where(own.start > 0, own.start, 1.0), 0.0) * began
            began = np.zeros(len(began))
        return Expected(began, moved, emitted, edges.log_likelihood[at : at + 1])
