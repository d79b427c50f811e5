"""A network of whole sequences: an encoder makes a code of each, and a linear layer predicts from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Codes, Design, Flags
from tenfold.estimator.sequences.sequence_rows import ends_of
from tenfold.neural_network.mlp.network_weights import Network
from tenfold.neural_network.sequences.recurrent import Recurrent
from tenfold.neural_network.sequences.transformer import TransformerEncoder
from tenfold.neural_network.torch_thread import one_torch_thread

MAX_NUMBERS_AT_ONCE = 1 << 23
"""numbers that sequences which go through a network together may take"""
MAX_SEQUENCES_AT_ONCE = 256
"""sequences that do, at most"""


class SequenceNetwork(NamedTuple):
    """The shape of a network; its weights are one vector, array after array."""

    encoder: Recurrent | TransformerEncoder
    outputs: int
    loss: str
    """of the outputs: "squared_error", "log_loss" of one output for two classes, "cross_entropy" of one for each"""

    @property
    def head(self) -> Network:
        """The linear layer above the encoder."""
        return Network((self.encoder.width, self.outputs), "identity", self.loss)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, by name."""
        return self.encoder.shapes | {"head_W": self.head.sizes, "head_b": self.head.sizes[1:]}

    @property
    def length(self) -> int:
        """How many weights there are."""
        return sum(int(np.prod(shape)) for shape in self.shapes.values())

    @property
    def penalised(self) -> Flags:
        """Which weights a penalty is put on."""
        names = self.encoder.penalised | {"head_W"}
        return np.concatenate([np.full(int(np.prod(s)), name in names) for name, s in self.shapes.items()])

    def arrays(self, weights: Any) -> list[Any]:
        """Each array of weights, as a view of the vector: of numpy or of PyTorch."""
        found, at = [], 0
        for shape in self.shapes.values():
            many = int(np.prod(shape))
            found.append(weights[at : at + many].reshape(shape))
            at += many
        return found

    def initial(self, seed: int) -> Array:
        """Random weights to start from."""
        random, found = np.random.default_rng(seed), []
        for name, shape in self.shapes.items():
            draw = random.uniform(-1.0, 1.0, shape)
            head = name.startswith("head")
            found.append((draw / np.sqrt(self.encoder.width) if head else self.encoder.initial(name, draw)).ravel())
        return np.concatenate(found)

    def outputs_of(self, weights: Array, X: Array, lengths: Codes) -> Array:
        """The outputs for each sequence, by numpy."""
        *given, W, b = self.arrays(weights)
        return np.asarray(self.encoder.codes(given, X, lengths) @ W + b)

    def mean_loss(
        self, torch: Any, given: Sequence[Any], X: Any, lengths: Codes, y: Any, shares: Any, truncated: bool = True
    ) -> Any:
        """Σ cᵢ ℓ(f(xᵢ), yᵢ) of sequences of these shares c, by PyTorch."""
        f = self.encoder.torch_codes(torch, given[:-2], X, lengths, truncated) @ given[-2] + given[-1]
        of = torch.nn.functional
        if self.loss == "cross_entropy":
            each = of.cross_entropy(f, y.long(), reduction="none")
        elif self.loss == "log_loss":
            each = of.binary_cross_entropy_with_logits(f[:, 0], y, reduction="none")
        else:
            each = of.mse_loss(f[:, 0], y, reduction="none") * 0.5
        return each @ shares

    def loss_and_gradient(
        self, weights: Array, X: Array, lengths: Codes, y: Array, weight: Array, truncated: bool = False
    ) -> tuple[float, Array]:
        """The summed loss of some sequences, each times its weight, and its gradient."""
        with one_torch_thread() as torch:
            given = [each.requires_grad_() for each in self.arrays(torch.tensor(weights))]
            rows = torch.tensor(X), lengths, torch.tensor(y), torch.tensor(weight)
            loss = self.mean_loss(torch, given, *rows, truncated)
            slopes = torch.autograd.grad(loss, given)
            return loss.item(), torch.cat([slope.reshape(-1) for slope in slopes]).numpy()


class Sequences(NamedTuple):
    """The features of some sequences, one after another."""

    features: Array
    starts: Codes
    lengths: Codes

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes) -> Sequences:
        """Those of a chunk; a category is a feature that is 0 or 1."""
        starts: Any = chunk.starts
        width = int(np.maximum(levels, 1).sum())
        blocks = Design.of(chunk.X, levels).blocks(max(chunk.n, 1)) if chunk.n else iter(())
        features = next((np.asarray(block, dtype=np.float64) for _, block in blocks), np.zeros((0, width)))
        return cls(features, starts, ends_of(starts, chunk.n) - starts)

    def padded(self, which: Codes) -> tuple[Array, Codes]:
        """Some of them side by side, zeros after the end of each: sequences x steps x features; their lengths."""
        lengths = self.lengths[which]
        steps = np.arange(int(lengths.max(initial=0)))
        inside = steps < lengths[:, None]
        X = self.features[np.where(inside, self.starts[which][:, None] + steps, 0)]
        X[~inside] = 0.0
        return X, lengths

    def blocks(self, network: SequenceNetwork, which: Codes) -> Iterator[tuple[Codes, Array, Codes]]:
        """Yield numbers, padded features and lengths of some sequences of like lengths; within bounds of memory."""
        order = which[np.argsort(self.lengths[which], kind="stable")]
        while len(order):
            long = self.lengths[order[:MAX_SEQUENCES_AT_ONCE]]
            many = max(
                1,
                int(np.searchsorted(network.encoder.numbers(long) * np.arange(1, len(long) + 1), MAX_NUMBERS_AT_ONCE)),
            )
            yield order[:many], *self.padded(order[:many])
            order = order[many:]

    def outputs_of(self, network: SequenceNetwork, weights: Array) -> Array:
        """The outputs of a network for each sequence."""
        found = np.empty((len(self.lengths), network.outputs))
        for which, X, lengths in self.blocks(network, np.arange(len(self.lengths))):
            found[which] = network.outputs_of(weights, X, lengths)
        return found
