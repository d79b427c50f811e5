"""Forward-backward sums and Viterbi paths along sequences, from the likelihoods of rows under hidden states.

P(states, rows) = start[s₁] likely[1, s₁] Π step[sₜ₋₁, sₜ] likely[t, sₜ]. Likelihoods come as logarithms, in a table: a
row of it for each symbol, or for each row of measurements. Sums are scaled row by row, paths are added in logarithms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenfold.compiled.neighbors.markov import (
    LANES,
    carried,
    expected_counts,
    filtered,
    likeliest_ends,
    likeliest_path,
    likeliest_paths,
    scale_rows,
    walk,
)
from tenfold.core import Array, Codes

MAX_CACHED_NUMBERS = 1 << 22
"""numbers that are kept of one sequence at a time; a longer one is walked in windows, which are computed twice"""


class SequenceRows(NamedTuple):
    """Rows of sequences: where each ends, and which row of a table of log-likelihoods, rows x states, is its."""

    ends: Codes
    codes: Codes
    table: Array

    def ending(self, more: Array) -> SequenceRows:
        """These rows with log-likelihoods added to the last one, in a new row of the table."""
        codes = self.codes.copy()
        codes[-1] = len(self.table)
        return SequenceRows(self.ends, codes, np.append(self.table, self.table[self.codes[-1:]] + more, axis=0))


class Expected(NamedTuple):
    """How often states are expected, given all rows of a sequence."""

    began: Array
    """at the first row"""
    moved: Array
    """one after another"""
    emitted: Array
    """with each row of the table"""
    log_likelihood: Array
    """of each sequence, -inf if no states lead through it"""


class HiddenStates:
    """States with chances to start, and to follow each other.

    Parameters
    ----------
    start : array of shape (states,)
    step : array of shape (states, states)
        Each row adds up to one.
    """

    def __init__(self, start: Array, step: Array) -> None:
        self.start, self.step = start, step
        self.n = len(start)
        wide = -(-self.n // LANES) * LANES
        self._start = np.zeros((1, wide))
        self._start[0, : self.n] = start
        self._step = np.zeros((wide, wide))
        self._step[: self.n, : self.n] = step

    def expected(self, rows: SequenceRows, weight: Array) -> Expected:
        """How often each state is expected, summed over all sequences by their weights (forward and backward)."""
        k = self.n
        if not len(rows.ends):  # a part in which no sequence begins: there are many beside a long one
            return Expected(np.zeros(k), np.zeros((k, k)), np.zeros(rows.table.shape), np.zeros(0))
        table, shift = self._scaled(rows)
        wide = len(self._step)
        began, moved, emitted = np.zeros(wide), np.zeros((wide, wide)), np.zeros(table.shape)
        found = np.empty(len(rows.ends))
        longest = int(np.diff(rows.ends, prepend=0).max(initial=1))
        kept = np.empty((min(longest, max(MAX_CACHED_NUMBERS // wide, 1)), wide))
        back = np.ascontiguousarray(self._step.T)
        expected_counts(
            rows.codes, rows.ends, weight, self._start, self._step, back, table, kept, began, moved, emitted, found
        )
        moved = np.where(self.step > 0, moved[:k, :k], 0.0) * self.step
        return Expected(began[:k], moved, emitted[:, :k], found + shift)

    def posterior(self, rows: SequenceRows) -> tuple[Array, Array]:
        """The chance of each state at each row given its whole sequence, and each sequence's log-likelihood."""
        own = rows._replace(codes=np.arange(len(rows.codes)), table=rows.table[rows.codes])
        found = self.expected(own, np.ones(len(rows.ends)))
        return found.emitted, found.log_likelihood

    def filtered(self, rows: SequenceRows) -> tuple[Array, Array]:
        """The chance of each state at each row given the rows up to it, and each sequence's log-likelihood."""
        table, shift = self._scaled(rows)
        out, found = np.empty((len(rows.codes), len(self._step))), np.empty(len(rows.ends))
        filtered(rows.codes, rows.ends, self._start, self._step, table, out, found)
        return out[:, : self.n], found + shift

    def carried(self, rows: SequenceRows, first: bool) -> tuple[Array, Array]:
        """Transfer matrix of the rows of one window, and its log scale.

        From the start, if they are the first of their sequence; else from each state before them.
        """
        table, shift = self._scaled(rows)
        begin = self._start if first else self._step[: self.n]
        out, found = np.empty(begin.shape), np.empty(len(begin))
        carried(rows.codes, begin, self._step, table, out, found)
        return out[:, : self.n], found + shift

    def likeliest_ends(self, rows: SequenceRows, first: bool) -> Array:
        """The log-probability of the likeliest path through one window to each state at its last row.

        From the start, if it is the first of its sequence; else from each state before it.
        """
        start, step = self._logs()
        wide, begin = len(self._step), start[None] if first else step
        out = np.empty((len(begin), wide))
        likeliest_ends(
            rows.codes, _widened(begin, len(begin), wide), _widened(step, wide, wide),
            _widened(rows.table, len(rows.table), wide), out,
        )  # fmt: skip
        return out[:, : self.n]

    def likeliest(self, rows: SequenceRows) -> tuple[Codes, Array]:
        """The states of the likeliest path through each sequence (Viterbi), and the path's log-probability."""
        out, found = np.zeros(len(rows.codes), np.int64), np.zeros(len(rows.ends))
        start, step = self._logs()
        wide = len(self._step)
        likeliest_path(
            rows.codes, rows.ends, _widened(start[None], 1, wide), _widened(step, wide, wide),
            _widened(rows.table, len(rows.table), wide), out, found,
        )  # fmt: skip
        return out, found

    def likeliest_few(self, rows: SequenceRows, count: int) -> tuple[Codes, Array]:
        """The likeliest paths through the one sequence there is, the best first; fewer, if no more are possible."""
        out, found = np.zeros((count, len(rows.codes)), np.int64), np.empty(count)
        likeliest_paths(rows.codes, *self._logs(), rows.table, out, found)
        some = found > -np.inf
        return out[some], found[some]

    def drawn(self, ends: Codes, random: np.random.Generator) -> Codes:
        """States of sequences, drawn one after another."""
        out = np.zeros(int(ends[-1]), np.int64)
        walk(random.random(len(out)), ends, self.start.cumsum(), self.step.cumsum(axis=1), out)
        return out

    def _logs(self) -> tuple[Array, Array]:
        with np.errstate(divide="ignore"):
            return np.log(self.start), np.log(self.step)

    def _scaled(self, rows: SequenceRows) -> tuple[Array, Array]:
        """Likelihoods over the largest of their row, for as many states as kernels take; what that adds to the log."""
        out, most = np.zeros((len(rows.table), len(self._step))), np.empty(len(rows.table))
        scale_rows(rows.table, out, most)
        if not len(rows.ends):
            return out, np.zeros(0)
        return out, np.add.reduceat(most[rows.codes], np.append(0, rows.ends[:-1]))


def _widened(logs: Array, height: int, width: int) -> Array:
    """Logarithms in a larger array, -inf around them."""
    out = np.full((height, width), -np.inf)
    out[: logs.shape[0], : logs.shape[1]] = logs
    return out
