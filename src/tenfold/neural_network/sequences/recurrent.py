"""Recurrent networks: a state that goes from step to step, h ← a(W x + U h + b), unrolled along a sequence.

Cells are those of PyTorch, weight for weight: "simple" (tanh), "gru" (Cho et al. 2014; the reset gate after the
product) and "lstm" (Hochreiter and Schmidhuber 1997, with a forget gate). A sequence is told by the state after its
last row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from tenfold.core import Array, Codes

GATES = {"simple": 1, "gru": 3, "lstm": 4}
"""of each cell: how many sums of a step are as wide as the state"""


class Recurrent(NamedTuple):
    """The shape of a recurrent network: layers of one kind of cell, one above another."""

    features: int
    width: int
    """units of the state"""
    layers: int
    cell: str
    """"simple", "gru" or "lstm"."""
    truncate: int = 0
    """how many steps gradients go back from the end of a sequence; 0: all of them"""

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, by PyTorch's names for them."""
        found: dict[str, tuple[int, ...]] = {}
        for at in range(self.layers):
            tall = GATES[self.cell] * self.width
            found[f"weight_ih_l{at}"] = (tall, self.width if at else self.features)
            found[f"weight_hh_l{at}"] = (tall, self.width)
            found[f"bias_ih_l{at}"] = found[f"bias_hh_l{at}"] = (tall,)
        return found

    @property
    def penalised(self) -> frozenset[str]:
        """Names of the arrays that a penalty is put on: not the constants."""
        return frozenset(name for name in self.shapes if name.startswith("weight"))

    def initial(self, name: str, draw: Array) -> Array:
        """First weights, from draws between -1 and 1: small enough that states do not saturate."""
        return draw / np.sqrt(self.width)

    def numbers(self, steps: Codes) -> Codes:
        """Memory of a sequence of `steps` steps, in numbers."""
        return steps * (self.features + 2 * GATES[self.cell] * self.width * self.layers)

    def codes(self, given: Sequence[Array], X: Array, lengths: Codes) -> Array:
        """The state of the last layer after the last step of each sequence: sequences x units, by numpy."""
        order = np.argsort(-lengths, kind="stable")
        X, going = X[order], (lengths[:, None] > np.arange(X.shape[1])).sum(axis=0)
        h = np.zeros((self.layers, len(X), self.width))
        c = np.zeros_like(h)
        for t, n in enumerate(going.tolist()):
            below = X[:n, t]
            for at in range(self.layers):
                W, U, b, d = given[4 * at : 4 * at + 4]
                h[at, :n], c[at, :n] = _step(self.cell, below @ W.T + b, h[at, :n] @ U.T + d, h[at, :n], c[at, :n])
                below = h[at, :n]
        found = np.empty_like(h[-1])
        found[order] = h[-1]
        return found

    def states(self, given: Sequence[Array], X: Array) -> Array:
        """The states of one sequence after each of its steps: layers x steps x units, by numpy."""
        found = np.zeros((self.layers, len(X), self.width))
        h = np.zeros((self.layers, 1, self.width))
        c = np.zeros_like(h)
        for t in range(len(X)):
            below = X[t : t + 1]
            for at in range(self.layers):
                W, U, b, d = given[4 * at : 4 * at + 4]
                h[at], c[at] = _step(self.cell, below @ W.T + b, h[at] @ U.T + d, h[at], c[at])
                below = h[at]
            found[:, t] = h[:, 0]
        return found

    def torch_codes(self, torch: Any, given: Sequence[Any], X: Any, lengths: Codes, truncated: bool) -> Any:
        """The same by PyTorch, for gradients; `truncated`: these go back over the last steps alone."""
        cut = np.maximum(lengths - self.truncate, 0) if self.truncate and truncated else np.zeros_like(lengths)
        state = X.new_zeros((2, self.layers, len(X), self.width))
        if long := np.flatnonzero(cut).tolist():
            with torch.no_grad():
                there = self._walked(torch, given, X[long], cut[long], state[:, :, long])
                state = state.index_copy(2, torch.tensor(long), there)
        if cut.any():
            left = lengths - cut
            at = torch.tensor(cut[:, None] + np.minimum(np.arange(int(left.max())), left[:, None] - 1))
            X, lengths = X[torch.arange(len(X))[:, None], at], left
        return self._walked(torch, given, X, lengths, state)[0, -1]

    def _walked(self, torch: Any, given: Sequence[Any], X: Any, lengths: Codes, state: Any) -> Any:
        """States (and cells) of all layers after the last step of each sequence, from those before the first."""
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            X, torch.tensor(lengths), batch_first=True, enforce_sorted=False
        )
        before = state[:, :, packed.sorted_indices].contiguous()
        how = (list(given), True, self.layers, 0.0, False, False)
        if self.cell == "lstm":
            _, h, c = torch.lstm(packed.data, packed.batch_sizes, (before[0], before[1]), *how)
        else:
            walk = torch.gru if self.cell == "gru" else torch.rnn_tanh
            h = c = walk(packed.data, packed.batch_sizes, before[0], *how)[1]
        return torch.stack([h, c])[:, :, packed.unsorted_indices]


def _step(cell: str, x: Array, u: Array, h: Array, c: Array) -> tuple[Array, Array]:
    """State and memory one step further, from what the row and the state before give to each gate."""
    if cell == "simple":
        return np.tanh(x + u), c
    n = h.shape[1]
    if cell == "gru":
        both = expit(x[:, : 2 * n] + u[:, : 2 * n])
        new = np.tanh(x[:, 2 * n :] + both[:, :n] * u[:, 2 * n :])
        return new + both[:, n:] * (h - new), c
    z = x + u
    c = expit(z[:, n : 2 * n]) * c + expit(z[:, :n]) * np.tanh(z[:, 2 * n : 3 * n])
    return expit(z[:, 3 * n :]) * np.tanh(c), c
