"""One epoch of mini-batches: where steps of momentum or Adam along the gradients of batches lead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tenfold.compiled.rows.shuffling import mix
from tenfold.core import Array, Chunk, Columns
from tenfold.core.statistic import Ordered
from tenfold.neural_network.mlp.backpropagation import RUNNING, Moments, gradient, parameters, summed_loss, target
from tenfold.neural_network.mlp.network_weights import Network
from tenfold.neural_network.mlp.plain_backpropagation import PlainGradient
from tenfold.neural_network.torch_thread import device_of, one_torch_thread
from tenfold.neural_network.training import EpochSummary
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.rows.row_windows import WINDOW_BYTES, WINDOW_ROWS, RowEpoch

FOLLOWED = 0.1
"""how much of a batch's mean and variance goes into the running ones"""


class BatchRule(NamedTuple):
    """How a step is made from the gradient of a batch."""

    adam: bool
    batch_size: int
    rate: float
    """the length of a step in this epoch"""
    l2: float
    """the penalty of squares, divided by the weight of the batch"""
    l1: float
    """the penalty of absolute values, divided by the weight of the batch"""
    momentum: float
    nesterov: bool
    beta_1: float
    beta_2: float
    epsilon: float
    dropout: float
    """the share of hidden units that a batch does without"""
    device: str
    """where PyTorch computes"""


class NetworkEpoch(RowEpoch[EpochSummary], Ordered[EpochSummary]):
    """Steps along the gradients of batches, one part after another."""

    start: EpochSummary
    """where the epoch before has led"""
    network: Network
    rule: BatchRule
    holdout: Holdout
    """rows that are not learned from"""
    factors: Array
    """of the weights of rows of each class; empty if there are none"""

    def window(self, X: Columns) -> int:
        # As many whole batches as are shuffled together: some thousand rows, fewer if they are very wide.
        most = max(1, min(WINDOW_ROWS, WINDOW_BYTES // (8 * self.width)) // self.rule.batch_size)
        return most * self.rule.batch_size

    def step(self, summary: EpochSummary | None, chunk: Chunk) -> EpochSummary:
        so_far = self.start if summary is None else summary
        if self.holdout.share:
            chunk = chunk.rows(np.flatnonzero(self.holdout.learns(chunk.places(), chunk.n)))
        if not chunk.n:
            return so_far
        X, y, weight, _ = self.in_order(chunk, sparse=False)
        if len(self.factors):
            weight = weight * self.factors[y.astype(np.int64)]
        return descended(self.network, self.rule, so_far, self.turn, X, y, weight)


def descended(
    network: Network, rule: BatchRule, start: EpochSummary, turn: int, X: Array, y: Array, weight: Array
) -> EpochSummary:
    """Where a window of rows leads, batch by batch; `turn` is what drop-outs are drawn by."""
    with one_torch_thread() as torch:
        device = device_of(torch, rule.device)
        w, first, second = (torch.tensor(each, device=device) for each in (start.weights, start.first, start.second))
        penalised = torch.tensor(network.penalised).to(w) if rule.l1 or rule.l2 else None
        steps, loss = start.steps, start.loss
        plain = PlainGradient(torch, network, w) if network.plain and not rule.dropout else None
        given = [] if plain else parameters(network, w)
        targets = plain.targets(y) if plain else target(torch, network, y)
        rows = (torch.tensor(X, dtype=torch.float64), targets, torch.tensor(weight))
        batches = zip(*(each.to(device).split(rule.batch_size) for each in rows), strict=True)
        even, one = bool((weight == 1.0).all()), torch.ones((), dtype=torch.float64, device=device)
        dropped = _dropping(torch, rule.dropout, turn, steps, device) if rule.dropout else None
        for x, t, c in batches:
            total = float(len(t)) if even else c.sum().item()
            if not total:  # all of them are of classes that do not count
                continue
            shares = None if even else c / total  # a mean takes fewer operations
            moments: list[Moments] = []
            if plain:
                cost, slope = plain.of(x, t, shares), plain.slope
            else:
                alone = (len(t) if even else int((c > 0).sum())) == 1  # nothing to normalise by
                found = summed_loss(torch, network, given, x, t, shares, dropped, None if alone else moments)
                cost, slope = found.item(), gradient(torch, found, given, one)
            loss += total * cost
            with torch.no_grad():
                if penalised is not None:
                    heavy = w * penalised
                    loss += 0.5 * rule.l2 * heavy.dot(w).item()
                    slope.add_(heavy, alpha=rule.l2 / total)
                    if rule.l1:
                        loss += rule.l1 * heavy.abs().sum().item()
                        slope.add_(heavy.sign(), alpha=rule.l1 / total)
                steps += 1
                _step(rule, w, slope, first, second, steps)
                if moments:
                    _follow(given, moments, 1 / len(t) if shares is None else (shares @ shares).item())
        mass = start.mass + float(weight.sum())
        w, first, second = (each.cpu().numpy() for each in (w, first, second))
        return EpochSummary(w, first, second, steps, start.seen + len(X), loss, mass)


def _follow(given: list[tuple[str, Any]], moments: list[Moments], squares: float) -> None:
    """Running means and variances, one batch further; `squares` is the sum of its squared shares of rows."""
    running = iter(piece for name, piece in given if name in RUNNING)
    for mean, variance in moments:
        next(running).lerp_(mean, FOLLOWED)
        next(running).lerp_(variance / (1 - squares), FOLLOWED)  # of one row fewer: without bias


def _step(rule: BatchRule, w: Any, slope: Any, first: Any, second: Any, steps: int) -> None:
    """One step down a slope, in place."""
    if rule.adam:
        first.lerp_(slope, 1 - rule.beta_1)
        second.mul_(rule.beta_2).addcmul_(slope, slope, value=1 - rule.beta_2)
        rate = rule.rate * (1 - rule.beta_2**steps) ** 0.5 / (1 - rule.beta_1**steps)
        w.addcdiv_(first, second.sqrt().add_(rule.epsilon), value=-rate)
        return
    first.mul_(rule.momentum).add_(slope, alpha=-rule.rate)
    if rule.nesterov:
        w.add_(first, alpha=rule.momentum).add_(slope, alpha=-rule.rate)
    else:
        w.add_(first)


def _dropping(torch: Any, share: float, turn: int, steps: int, device: Any) -> Callable[[Any], Any]:
    """What hidden units are multiplied by: zero for a share, and the others so that the mean is one."""
    random = torch.Generator()
    random.manual_seed(int(mix(np.uint64(turn) ^ mix(np.uint64(steps)))) >> 1)

    def drawn(shape: Any) -> Any:
        return (torch.rand(shape, generator=random, dtype=torch.float64) >= share).to(device) / (1 - share)

    return drawn
