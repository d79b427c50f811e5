"""Trellis of a hidden Markov model: all states at all rows of one sequence, with what the recursions find at each.

    α[t, j] = P(x₁..xₜ, sₜ = j)            α[t, j] = Σᵢ α[t-1, i] a[i, j] b[j, t]
    β[t, i] = P(xₜ₊₁..x_T | sₜ = i)         β[t, i] = Σⱼ a[i, j] b[j, t+1] β[t+1, j]
    δ[t, j] = max over paths to state j     δ[t, j] = maxᵢ δ[t-1, i] a[i, j] b[j, t],  ψ[t, j] the i of that maximum

All are computed in logarithms, so that no sequence underflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tenfold.core import Array, Codes
from tenfold.estimator.summary_table import Summary

MAX_TABLE_ROWS = 60
"""lines of a table that are shown; of more, the first ones"""


@dataclass(frozen=True, eq=False)
class Trellis:
    """All states at all rows of one sequence: what the forward, backward and Viterbi recursions find at each.

    `HMM.trellis(X)` makes it, of any of the hidden Markov models. Print it for a table; `TrellisDisplay` draws it.

    Parameters
    ----------
    states : tuple
        Name of each state.
    observations : tuple of str
        The rows, as text.
    startprob : array of shape (states,)
    transmat : array of shape (states, states)
    log_emission : array of shape (rows, states)
        Log-likelihood of each row in each state.
    log_alpha, log_beta, log_delta : arrays of shape (rows, states)
        Logarithms of α, β and δ.
    psi : int array of shape (rows, states)
        State before, on the likeliest path to each state; -1 in the first row.

    Examples
    --------
    >>> from tenfold import HMMClassifier
    >>> model = HMMClassifier.from_parameters(
    ...     [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]],
    ...     ["healthy", "fever"], ["normal", "cold", "dizzy"],
    ... )
    >>> trellis = model.trellis([["normal"], ["cold"], ["dizzy"]])
    >>> trellis.path.tolist(), round(trellis.probability, 6)
    (['healthy', 'healthy', 'fever'], 0.01512)
    >>> trellis.alpha.round(4).tolist(), round(trellis.likelihood, 5)  # fever comes first: states are sorted
    ([[0.04, 0.3], [0.0342, 0.0904], [0.0286, 0.0077]], 0.03628)
    """

    states: tuple[Any, ...]
    observations: tuple[str, ...]
    startprob: Array
    transmat: Array
    log_emission: Array
    log_alpha: Array
    log_beta: Array
    log_delta: Array
    psi: Codes

    @property
    def alpha(self) -> Array:
        """α: probability of the rows so far and of each state; 0 where it is below the range of numbers."""
        return np.asarray(np.exp(self.log_alpha))

    @property
    def beta(self) -> Array:
        """β: probability of the rows after, given each state."""
        return np.asarray(np.exp(self.log_beta))

    @property
    def delta(self) -> Array:
        """δ: probability of the likeliest path to each state, with the rows so far."""
        return np.asarray(np.exp(self.log_delta))

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood of the sequence: the sum of α over states in the last row."""
        return float(np.logaddexp.reduce(self.log_alpha[-1]))

    @property
    def likelihood(self) -> float:
        """Likelihood of the sequence: a probability of symbols, a density of numbers."""
        return float(np.exp(self.log_likelihood))

    @property
    def scale(self) -> Array:
        """Likelihood of each row given those before, by which scaled recursions divide α; their product is that of the
        sequence."""
        total = np.logaddexp.reduce(self.log_alpha, axis=1)
        return np.asarray(np.exp(np.diff(total, prepend=0.0)))

    @property
    def filtered(self) -> Array:
        """Probability of each state given the rows so far: α over its sum."""
        return np.asarray(np.exp(self.log_alpha - np.logaddexp.reduce(self.log_alpha, axis=1, keepdims=True)))

    @property
    def gamma(self) -> Array:
        """γ: probability of each state given all rows, α β over the likelihood."""
        return np.asarray(np.exp(self.log_alpha + self.log_beta - self.log_likelihood))

    @cached_property
    def xi(self) -> Array:
        """ξ: probability of each pair of states at rows t and t + 1, given all rows: (rows - 1) x states x states."""
        with np.errstate(divide="ignore"):
            step = np.log(self.transmat)
        after = self.log_emission[1:] + self.log_beta[1:]
        return np.asarray(np.exp(self.log_alpha[:-1, :, None] + step + after[:, None, :] - self.log_likelihood))

    @cached_property
    def path_codes(self) -> Codes:
        """Numbers of the states of the likeliest path: from the best δ of the last row, back along ψ."""
        found = np.empty(len(self.psi), np.int64)
        found[-1] = self.log_delta[-1].argmax()
        for t in range(len(found) - 1, 0, -1):
            found[t - 1] = self.psi[t, found[t]]
        return found

    @property
    def path(self) -> Any:
        """States of the likeliest path (Viterbi)."""
        return np.array(self.states)[self.path_codes]

    @property
    def log_probability(self) -> float:
        """Log-probability of the likeliest path together with the rows."""
        return float(self.log_delta[-1].max())

    @property
    def probability(self) -> float:
        """Probability of the likeliest path together with the rows."""
        return float(np.exp(self.log_probability))

    def table(self, digits: int = 4) -> Summary:
        """A line for each row and state.

        Parameters
        ----------
        digits : int, default=4
            Significant digits of the numbers.

        Returns
        -------
        table : Summary
            Shown as text, and as HTML in a notebook. A star marks the likeliest path. Of a long sequence the first
            lines are there.
        """
        alpha, beta, gamma, delta = self.alpha, self.beta, self.gamma, self.delta
        lines = []
        for t, seen in enumerate(self.observations):
            for j, state in enumerate(self.states):
                values = (f"{x[t, j]:.{digits}g}" for x in (alpha, beta, gamma, delta))
                before = "" if self.psi[t, j] < 0 else str(self.states[self.psi[t, j]])
                first = f"{t}: {seen}" if j == 0 else ""
                lines.append((first, str(state), *values, before, "*" if self.path_codes[t] == j else ""))
        more = len(lines) - MAX_TABLE_ROWS
        notes = (("Not shown", (f"{more} more lines",)),) if more > 0 else ()
        return Summary(
            "Trellis",
            (
                f"likelihood {self.likelihood:.{digits}g}, log-likelihood {self.log_likelihood:.6g}",
                f"likeliest path: {', '.join(map(str, self.path[:MAX_TABLE_ROWS].tolist()))}, "
                f"with probability {self.probability:.{digits}g}",
            ),
            ("row", "state", "α", "β", "γ", "δ", "ψ", "path"),
            tuple(lines[:MAX_TABLE_ROWS]),
            notes,
        )

    def __str__(self) -> str:
        return str(self.table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def trellis_of(
    startprob: Array, transmat: Array, log_emission: Array, states: Sequence[Any], observations: Sequence[str]
) -> Trellis:
    """The trellis of one sequence, from the log-likelihood of each of its rows in each state."""
    rows, k = log_emission.shape
    with np.errstate(divide="ignore"):
        start, step = np.log(startprob), np.log(transmat)
    alpha, beta, delta = np.empty((rows, k)), np.zeros((rows, k)), np.empty((rows, k))
    psi = np.full((rows, k), -1, np.int64)
    alpha[0] = delta[0] = start + log_emission[0]
    for t in range(1, rows):
        alpha[t] = np.logaddexp.reduce(alpha[t - 1][:, None] + step, axis=0) + log_emission[t]
        paths = delta[t - 1][:, None] + step
        psi[t] = paths.argmax(axis=0)
        delta[t] = paths.max(axis=0) + log_emission[t]
    for t in range(rows - 2, -1, -1):
        beta[t] = np.logaddexp.reduce(step + log_emission[t + 1] + beta[t + 1], axis=1)
    return Trellis(tuple(states), tuple(observations), startprob, transmat, log_emission, alpha, beta, delta, psi)
