"""A feed-forward network: layers of units, h ← a(h W + b), and the outputs of the last without an activation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from tenfold.core import Array, Design, Flags

SLOPE = 0.01
"""of a leaky ReLU below zero"""
VARIANCE_FLOOR = 1e-5
"""added to a variance before division, so that units which are constant over rows stay finite"""

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda z: z,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
    "leaky_relu": lambda z: np.where(z > 0, z, SLOPE * z),
}
"""what a hidden unit makes of its input"""


class Embedding(NamedTuple):
    """A categorical column of which each category has some learnt numbers, instead of a feature of its own."""

    feature: int
    """the first of its categories among the features"""
    categories: int
    width: int
    """how many numbers a category has"""


class Network(NamedTuple):
    """The shape of a network; its weights are one vector, and `pieces` are the slices of its layers."""

    sizes: tuple[int, ...]
    """features, units of each hidden layer, outputs"""
    activation: str
    """of hidden units"""
    loss: str
    """of the outputs: "squared_error", "log_loss" of one output for two classes, "cross_entropy" of one for each"""
    batch_norm: bool = False
    """whether sums of hidden units are normalised before their activation"""
    embeddings: tuple[Embedding, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether there are coefficients and intercepts alone."""
        return not (self.batch_norm or self.embeddings)

    @property
    def inputs(self) -> int:
        """How many numbers go into the first layer: features, those of an embedded column replaced by its embedding."""
        return self.sizes[0] + sum(each.width - each.categories for each in self.embeddings)

    @property
    def pieces(self) -> list[tuple[str, tuple[int, ...]]]:
        """What the vector of weights holds, one piece after another, each row by row."""
        found: list[tuple[str, tuple[int, ...]]] = [("table", (e.categories, e.width)) for e in self.embeddings]
        sizes = (self.inputs, *self.sizes[1:])
        for at, (m, n) in enumerate(pairwise(sizes)):
            found += [("coef", (m, n)), ("intercept", (n,))]
            if self.batch_norm and at < len(sizes) - 2:
                found += [(name, (n,)) for name in ("scale", "shift", "mean", "variance")]
        return found

    @property
    def length(self) -> int:
        """How many weights there are, and running means and variances."""
        return sum(math.prod(shape) for _, shape in self.pieces)

    @property
    def penalised(self) -> Flags:
        """Which weights a penalty is put on: coefficients and embeddings, not intercepts."""
        return np.concatenate([np.full(math.prod(shape), name in ("table", "coef")) for name, shape in self.pieces])

    def cut(self, weights: Any) -> list[tuple[str, Any]]:
        """The pieces of a vector of weights, as views of it."""
        found, at = [], 0
        for name, shape in self.pieces:
            many = math.prod(shape)
            found.append((name, weights[at : at + many].reshape(shape)))
            at += many
        return found

    def tables(self, weights: Array) -> list[Array]:
        """The embedding of each embedded column: its categories x its width."""
        return [piece for name, piece in self.cut(weights) if name == "table"]

    def layers(self, weights: Array) -> list[tuple[Array, Array]]:
        """W and b of each layer as it predicts: embeddings and normalisation are multiplied into them.

        If there are none, these are views of the vector of weights.
        """
        found: list[tuple[Array, Array]] = []
        tables, coef, scale = [], np.zeros(0), np.zeros(0)
        for name, piece in self.cut(weights):
            match name:
                case "table":
                    tables.append(piece)
                case "coef":
                    coef = piece if found else self.by_feature(np.concatenate, tables, piece)
                case "intercept":
                    found.append((coef, piece))
                case "scale":
                    scale = piece
                case "shift":
                    shift = piece
                case "mean":
                    mean = piece
                case "variance":
                    factor = scale / np.sqrt(piece + VARIANCE_FLOOR)
                    W, b = found[-1]
                    found[-1] = W * factor, (b - mean) * factor + shift
        return found

    def by_feature(self, concatenate: Callable[[list[Any]], Any], tables: list[Any], W: Any) -> Any:
        """Coefficients of the features, from those of the inputs: of a category they are E W, E its embedding."""
        if not tables:
            return W
        found, at, feature = [], 0, 0
        for each, table in zip(self.embeddings, tables, strict=True):
            until = at + each.feature - feature
            found += [W[at:until], table @ W[until : until + each.width]]
            at, feature = until + each.width, each.feature + each.categories
        return concatenate([*found, W[at:]])

    def initial(self, seed: int | Sequence[int]) -> Array:
        """Random weights to start from, small enough that signals neither die out nor grow (Glorot, Bengio 2010)."""
        pieces, factor = self.pieces, 2.0 if self.activation == "logistic" else 6.0
        centre, bound, last = [], [], 0.0
        for name, shape in pieces:
            if name == "coef":
                last = np.sqrt(factor / sum(shape))
            random = {"table": np.sqrt(3.0), "coef": last, "intercept": last}  # an embedding has variance one
            centre.append(np.full(math.prod(shape), float(name in ("scale", "variance"))))
            bound.append(np.full(math.prod(shape), random.get(name, 0.0)))
        drawn = np.random.default_rng(seed).uniform(-1.0, 1.0, self.length)
        return np.concatenate(centre) + np.concatenate(bound) * drawn

    def outputs(self, weights: Array, first: Array | Design) -> Array:
        """Outputs of the last layer for each row, without an activation."""
        return self.states(weights, first)[-1]

    def states(self, weights: Array, first: Array | Design) -> list[Array]:
        """Activations of each layer for each row; the last without an activation."""
        act, (layer, *more) = ACTIVATIONS[self.activation], self.layers(weights)
        found = [np.asarray(first @ layer[0]) + layer[1]]
        for W, b in more:
            found[-1] = act(found[-1])
            found.append(found[-1] @ W + b)
        return found
