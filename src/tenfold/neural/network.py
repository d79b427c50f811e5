"""A feed-forward network: layers of units, h ← a(h W + b), and the outputs of the last without an activation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from tenfold.core import Array, Design, Flags

SLOPE = 0.01
"""of a leaky ReLU below nought"""

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda z: z,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
    "leaky_relu": lambda z: np.where(z > 0, z, SLOPE * z),
}
"""what a hidden unit makes of its input"""


class Network(NamedTuple):
    """The shape of a network; its weights are one vector, layer after layer: W row by row, then b."""

    sizes: tuple[int, ...]
    """features, units of each hidden layer, outputs"""
    activation: str
    """of hidden units"""
    loss: str
    """of the outputs: "squared_error", "log_loss" of one output for two classes, "cross_entropy" of one for each"""

    @property
    def length(self) -> int:
        """How many weights there are."""
        return length(self.sizes)

    @property
    def penalised(self) -> Flags:
        """Which weights a penalty is put on: coefficients, not intercepts."""
        pieces = [np.repeat([True, False], [m * n, n]) for m, n in pairwise(self.sizes)]
        return np.concatenate(pieces)

    def layers(self, weights: Array) -> list[tuple[Array, Array]]:
        """W and b of each layer, as views of the vector of weights."""
        return layers(self.sizes, weights)

    def initial(self, seed: int) -> Array:
        """Random weights to start from, small enough that signals neither die out nor grow (Glorot, Bengio 2010)."""
        random = np.random.default_rng(seed)
        factor = 2.0 if self.activation == "logistic" else 6.0
        bounds = [np.full((m + 1) * n, np.sqrt(factor / (m + n))) for m, n in pairwise(self.sizes)]
        return np.concatenate(bounds) * random.uniform(-1.0, 1.0, self.length)

    def outputs(self, weights: Array, first: Array | Design) -> Array:
        """What the last layer says of each row, without an activation."""
        return self.states(weights, first)[-1]

    def states(self, weights: Array, first: Array | Design) -> list[Array]:
        """What the units of each layer say of each row; the last without an activation."""
        act, (layer, *more) = ACTIVATIONS[self.activation], self.layers(weights)
        found = [np.asarray(first @ layer[0]) + layer[1]]
        for W, b in more:
            found[-1] = act(found[-1])
            found.append(found[-1] @ W + b)
        return found


def length(sizes: Iterable[int]) -> int:
    """How many weights a network of layers of these sizes has."""
    return sum((int(m) + 1) * int(n) for m, n in pairwise(sizes))


def layers(sizes: Iterable[int], weights: Array) -> list[tuple[Array, Array]]:
    """W and b of each layer of these sizes, as views of the vector of weights."""
    found, at = [], 0
    for m, n in pairwise(int(size) for size in sizes):
        found.append((weights[at : at + m * n].reshape(m, n), weights[at + m * n : at + (m + 1) * n]))
        at += (m + 1) * n
    return found
