"""Loss and gradient of a network over all rows: a sum, so it merges, and a round is one reduce on any runner.

Rows that are held back are not in that sum; of them it is counted how well they are told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Codes, Design, Schema
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE
from tenfold.core.statistic import Statistic
from tenfold.neural_network.mlp.backpropagation import loss_and_gradient
from tenfold.neural_network.mlp.network_weights import Network
from tenfold.stats.rows.draws import Holdout

BYTES = 1 << 25
"""of what the widest layer says of the rows that go through the network together"""


@dataclass(frozen=True, eq=False)
class ValidationLoss:
    """Loss and errors of a network on its validation rows."""

    mass: Annotated[float, NOT_NEGATIVE]
    loss: Annotated[float, NOT_NAN]
    wrong: Annotated[float, NOT_NEGATIVE]
    """weight of the rows that are misclassified"""
    rows: int
    errors: int
    mean: float
    """of their targets"""
    spread: Annotated[float, NOT_NEGATIVE]
    """Σ c (y - mean)²"""

    @classmethod
    def of(cls, network: Network, f: Array, y: Array, weight: Array) -> ValidationLoss:
        """Compute loss and errors of rows from the outputs of the network."""
        mass = float(weight.sum())
        if not mass:
            return cls(0.0, 0.0, 0.0, 0, 0, 0.0, 0.0)
        loss = float(weight @ losses(network.loss, f, y))
        if network.loss == "squared_error":
            mean = float(weight @ y) / mass
            return cls(mass, loss, 0.0, len(y), 0, mean, float(weight @ (y - mean) ** 2))
        wrong = (f.argmax(axis=1) if f.shape[1] > 1 else f[:, 0] > 0) != y
        return cls(mass, loss, float(weight[wrong].sum()), len(y), int(wrong.sum()), 0.0, 0.0)

    def __add__(self, other: ValidationLoss) -> ValidationLoss:
        if not self.mass or not other.mass:
            return self if self.mass else other
        mass, off = self.mass + other.mass, other.mean - self.mean
        return ValidationLoss(
            mass, self.loss + other.loss, self.wrong + other.wrong, self.rows + other.rows, self.errors + other.errors,
            self.mean + off * other.mass / mass, self.spread + other.spread + off * off * self.mass * other.mass / mass,
        )  # fmt: skip

    def score(self, numbers: bool) -> float:
        """R² for numbers, accuracy for classes; 0 if there are no rows."""
        if not self.mass:
            return 0.0
        if not numbers:
            return 1.0 - self.wrong / self.mass
        return 1.0 - 2 * self.loss / self.spread if self.spread else float(self.loss == 0.0)


@dataclass(frozen=True, eq=False)
class Objective:
    """Loss and gradient at some weights, without the penalty; and the loss of the validation rows."""

    weights: Annotated[Array, "parameter"]
    loss: Annotated[float, NOT_NAN]
    slope: Annotated[Array, "slope", NOT_NAN]
    """empty if it was not asked for"""
    mass: Annotated[float, NOT_NEGATIVE]
    held: ValidationLoss
    uneven: bool
    """whether weights of rows differ from one"""

    def __add__(self, other: Objective) -> Objective:
        return Objective(
            self.weights, self.loss + other.loss, self.slope + other.slope, self.mass + other.mass,
            self.held + other.held, self.uneven or other.uneven,
        )  # fmt: skip

    def is_valid(self, schema: Schema) -> bool:
        """Whether the gradient, if there is one, has an entry for each weight."""
        return len(self.slope) in (0, len(self.weights))


class NetworkGradient(Statistic[Objective]):
    """Loss and gradient over the rows that are learned from, and how well the others are told."""

    network: Network
    weights: Array
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    holdout: Holdout
    learned: bool
    """whether to look at the rows that are learned from; if not, at the others alone"""
    factors: Array
    """of the weights of rows of each class; empty if there are none"""
    device: str
    """where PyTorch computes"""

    def summarize(self, chunk: Chunk) -> Objective:
        network, w = self.network, self.weights
        learns = self.holdout.learns(chunk.places() if self.holdout.share else np.zeros(0, np.int64), chunk.n)
        loss, slope, mass = 0.0, np.zeros(len(w) if self.learned else 0), 0.0
        held = ValidationLoss.of(network, np.zeros((0, network.sizes[-1])), np.zeros(0), np.zeros(0))
        some = chunk if self.learned else chunk.rows(np.flatnonzero(~learns))
        if not self.learned:
            learns = np.zeros(some.n, bool)
        design = Design.of(some.X, self.levels)
        y = np.asarray(some.y, dtype=np.float64)
        weights = some.weight * self.factors[y.astype(np.int64)] if len(self.factors) else some.weight
        for rows, block in design.blocks(max(64, min(4096, BYTES // (8 * max(network.sizes))))):
            mine = learns[rows]
            if mine.any():
                weight = weights[rows][mine]
                more, down = loss_and_gradient(network, w, block[mine], y[rows][mine], weight, self.device)
                loss, slope, mass = loss + more, slope + down, mass + float(weight.sum())
            if not mine.all():
                f = network.outputs(w, block[~mine])
                held = held + ValidationLoss.of(network, f, y[rows][~mine], weights[rows][~mine])
        return Objective(w, loss, slope, mass, held, not chunk.uniform)


def losses(loss: str, f: Array, y: Array) -> Array:
    """The loss of each row, of its outputs and target."""
    with np.errstate(over="ignore"):
        if loss == "squared_error":
            return 0.5 * (f[:, 0] - y) ** 2
        if loss == "log_loss":
            return np.logaddexp(0.0, np.where(y > 0, -f[:, 0], f[:, 0]))
    return np.logaddexp.reduce(f, axis=1) - f[np.arange(len(f)), y.astype(np.int64)]
