"""One epoch of gradient descent: where steps along the slopes of rows, or of batches of them, lead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.linear_model.descent import descend, descend_batches
from tenfold.compiled.linear_model.sparse_descent import descend_sparse
from tenfold.core import Array, Chunk, Codes
from tenfold.core.statistic import Ordered
from tenfold.linear_model.sgd.sgd_summaries import SGDEpochSummary
from tenfold.stats.rows.row_windows import RowEpoch

SCHEDULES = ("constant", "optimal", "invscaling", "exponential")


class StepRule(NamedTuple):
    """How a step is made from the slopes of some rows."""

    loss: int
    """its number among the kernels"""
    target: int
    """how targets enter: as numbers, two classes, each against the rest, all at once"""
    batch_size: int
    schedule: int
    """its number among `SCHEDULES`"""
    fit_intercept: bool
    average: bool
    nesterov: bool
    epsilon: float
    """of the loss"""
    eta0: float
    power_t: float
    decay: float
    squared: float
    """α₂, of the squares in the penalty"""
    absolute: float
    """α₁, of the absolute values"""
    momentum: float
    alpha: float
    epoch: int

    def arrays(self) -> tuple[Codes, Array]:
        """Choices and numbers, as kernels take them."""
        return np.array(self[:7], dtype=np.int64), np.array(self[7:], dtype=np.float64)


class DescentEpoch(RowEpoch[SGDEpochSummary]):
    """Steps down the slopes of the rows, each part from the same weights: the ends are mixed."""

    start: SGDEpochSummary
    """where the epoch before has led"""
    rule: StepRule

    def step(self, summary: SGDEpochSummary | None, chunk: Chunk) -> SGDEpochSummary:
        so_far = self.start if summary is None else summary
        if not chunk.n:
            return so_far
        w, velocity, average = so_far.weights.copy(), so_far.velocity.copy(), so_far.average.copy()
        clock = np.array([so_far.t, so_far.loss, so_far.mass, so_far.averaged])
        rule = self.rule
        plain = rule.batch_size == 1 and not rule.momentum
        block, *rows = self.in_order(chunk, sparse=plain and not (rule.average and rule.absolute))
        some = (*rows, *rule.arrays(), w)
        if sp.issparse(block):
            descend_sparse(block.data, block.indices, block.indptr, *some, clock, average)
        elif plain:
            descend(block, *some, clock, average)
        else:
            descend_batches(block, *some, velocity, clock, average)
        t, loss, mass, averaged = (float(v) for v in clock)
        return SGDEpochSummary(w, velocity, average, averaged, t, loss, mass)


class OrderedDescentEpoch(DescentEpoch, Ordered[SGDEpochSummary]):
    """Steps down the slopes of the rows, one part after another."""
