"""What the training of a network asks of sequences: where steps of Adam lead, and loss and gradient over all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenfold.compiled.rows.ordering import order_by
from tenfold.core import Array, Chunk, Codes, Columns, Flags
from tenfold.core.statistic import Ordered, Statistic
from tenfold.estimator.sequences.sequence_kinds import sequence_targets
from tenfold.estimator.sequences.sequence_rows import sequence_weights
from tenfold.neural_network.mlp.objective import Objective, ValidationLoss
from tenfold.neural_network.sequences.sequence_network import SequenceNetwork, Sequences
from tenfold.neural_network.torch_thread import one_torch_thread
from tenfold.neural_network.training import EpochSummary
from tenfold.stats.rows.draws import Holdout

WINDOW = 512
"""sequences that are put in an order together, at least if a batch has no more"""


class AdamRule(NamedTuple):
    """How a step is made from the gradient of a batch of sequences."""

    batch_size: int
    rate: float
    alpha: float
    """the penalty of squares, divided by the weight of the batch"""
    beta_1: float
    beta_2: float
    epsilon: float


class SequenceEpoch(Ordered[EpochSummary]):
    """Steps along the gradients of batches of sequences, one part after another."""

    turn: int
    """the number of the epoch, with the seed: by it the order in a window is drawn"""
    shuffle: bool
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    start: EpochSummary
    """where the epoch before has led"""
    network: SequenceNetwork
    rule: AdamRule
    holdout: Holdout
    """sequences that are not learned from"""

    def window(self, X: Columns) -> int:
        return max(1, WINDOW // self.rule.batch_size) * self.rule.batch_size

    def summarize(self, chunk: Chunk) -> EpochSummary:
        return self.step(None, chunk)

    def step(self, summary: EpochSummary | None, chunk: Chunk) -> EpochSummary:
        so_far = self.start if summary is None else summary
        which = np.flatnonzero(learns(self.holdout, chunk))
        if not len(which):
            return so_far
        if self.shuffle:
            which = which[order_by(_places(chunk)[which], self.turn)]
        some, y, weight = Sequences.of(chunk, self.levels), targets(chunk), sequence_weights(chunk)
        with one_torch_thread() as torch:
            w, first, second = (torch.tensor(each) for each in (so_far.weights, so_far.first, so_far.second))
            penalised = torch.tensor(self.network.penalised, dtype=torch.float64)
            given = [each.requires_grad_() for each in self.network.arrays(w)]
            steps, loss = so_far.steps, so_far.loss
            for at in range(0, len(which), self.rule.batch_size):
                mine = which[at : at + self.rule.batch_size]
                X, lengths = some.padded(mine)
                total = float(weight[mine].sum())
                rows = torch.tensor(X), lengths, torch.tensor(y[mine]), torch.tensor(weight[mine] / total)
                cost = self.network.mean_loss(torch, given, *rows)
                slope = torch.cat([each.reshape(-1) for each in torch.autograd.grad(cost, given)])
                steps += 1
                with torch.no_grad():
                    heavy = w * penalised
                    loss += total * cost.item() + 0.5 * self.rule.alpha * heavy.dot(w).item()
                    slope.add_(heavy, alpha=self.rule.alpha / total)
                    _adam(self.rule, w, slope, first, second, steps)
            mass = so_far.mass + float(weight[which].sum())
            end, mean, squares = (each.detach().numpy() for each in (w, first, second))
            return EpochSummary(end, mean, squares, steps, so_far.seen + len(which), loss, mass)


def _adam(rule: AdamRule, w: Any, slope: Any, first: Any, second: Any, steps: int) -> None:
    """One step of Adam (Kingma and Ba 2015) down a slope, in place."""
    first.lerp_(slope, 1 - rule.beta_1)
    second.mul_(rule.beta_2).addcmul_(slope, slope, value=1 - rule.beta_2)
    rate = rule.rate * (1 - rule.beta_2**steps) ** 0.5 / (1 - rule.beta_1**steps)
    w.addcdiv_(first, second.sqrt().add_(rule.epsilon), value=-rate)


class SequenceGradient(Statistic[Objective]):
    """Loss and gradient over the sequences that are learned from, and how well the others are told."""

    network: SequenceNetwork
    weights: Array
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    holdout: Holdout
    learned: bool
    """whether to look at the sequences that are learned from; if not, at the others alone"""

    def summarize(self, chunk: Chunk) -> Objective:
        # Of all sequences, some of like lengths at a time; gradients go back to the first row of each.
        network, w, mine = self.network, self.weights, learns(self.holdout, chunk)
        some, y, weight = Sequences.of(chunk, self.levels), targets(chunk), sequence_weights(chunk)
        loss, slope, mass = 0.0, np.zeros(len(w) if self.learned else 0), 0.0
        for which, X, lengths in some.blocks(network, np.flatnonzero(mine) if self.learned else np.zeros(0, np.int64)):
            more, down = network.loss_and_gradient(w, X, lengths, y[which], weight[which])
            loss, slope, mass = loss + more, slope + down, mass + float(weight[which].sum())
        held = ValidationLoss.of(network.head, np.zeros((0, network.outputs)), np.zeros(0), np.zeros(0))
        for which, X, lengths in some.blocks(network, np.flatnonzero(~mine)):
            held = held + ValidationLoss.of(network.head, network.outputs_of(w, X, lengths), y[which], weight[which])
        return Objective(w, loss, slope, mass, held, not chunk.uniform)


def targets(chunk: Chunk) -> Array:
    """The target of each sequence: a number, or that of its class."""
    return np.asarray(sequence_targets(chunk), dtype=np.float64)


def learns(holdout: Holdout, chunk: Chunk) -> Flags:
    """Which sequences are learned from: drawn by the place of the first row."""
    starts: Any = chunk.starts
    return holdout.learns(_places(chunk), len(starts))


def _places(chunk: Chunk) -> Codes:
    """The place of the first row of each sequence."""
    return np.ascontiguousarray(chunk.places()[chunk.starts])
