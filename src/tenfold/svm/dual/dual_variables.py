"""Multipliers of the rows of a linear support vector machine, held where the rows are, and their merged sums.

The multiplier of a row follows from all planes so far: it is never sent anywhere. What merges is the slope and the
curvature of the losses, smoothed around the multipliers; and what proves how far a plane is from the best.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.compiled.linear_model.multipliers import line_values, margin_terms, move_multipliers
from tenfold.core import Array, Chunk, Codes, Mergeable, Values
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Held, Lens
from tenfold.svm.gathered_design import with_constant

ROWS_PER_BLOCK = 4096
"""rows whose products are made at a time"""
STEP_FRACTIONS = 0.6 ** np.arange(1, 17)
"""parts of a step at which losses are summed too, should the whole be too long"""


class DesignRows(NamedTuple):
    """Held rows: columns and the constant, and a target for each output."""

    X: Array
    y: Array
    """outputs x rows"""


class DesignLens(Lens):
    """The columns, a constant after them, and the target of each output: 1 for its class and -1 for others."""

    classes: int
    constant: float
    """0: none"""

    def __call__(self, chunk: Chunk) -> DesignRows:
        """Make the design of one chunk."""
        X = with_constant(chunk.X, self.constant)
        if not self.classes:
            return DesignRows(X, np.asarray(chunk.y, dtype=np.float64)[None])
        return DesignRows(X, outputs_of(chunk.y, self.classes))


class MarginSums(Mergeable):
    """Sums over rows at a plane for each output."""

    loss: Annotated[Array, "output", NOT_NEGATIVE]
    value: Annotated[Array, "output"]
    """of the smoothed losses"""
    slack: Annotated[Array, "output", NOT_NEGATIVE]
    """the duality gap: losses minus the dual objective"""
    moved: Annotated[Array, "output", NOT_NEGATIVE]
    """squared moves of the multipliers, over σ"""
    pull: Annotated[Array, "output", "predictor"]
    """the rows times their multipliers: at the best plane, the plane"""
    curvature: Annotated[Array, "output", "square"]
    """of the smoothed losses, row by row"""
    line: Annotated[Array, "output", "length"]
    """smoothed losses on the way to the plane"""


class SmoothedMargins(Held[MarginSums]):
    """Losses, smoothed around the multipliers that the planes so far led to: value, slope and curvature at a plane."""

    weights: Array
    """outputs x predictors: the planes to look at"""
    base: Array
    """where the steps to them began"""
    centres: Array
    """those at which multipliers were moved, one after another"""
    sigmas: Array
    """how far they were moved at each"""
    sigma: float
    own: Array
    """the price of a row of the class of each output; of numbers, of all"""
    other: Array
    """that of a row of another class"""
    classes: bool
    epsilon: float
    squared: bool
    lens: DesignLens = field(kw_only=True)

    def follow(self, held: DesignRows, scratch: Any) -> tuple[int, Array]:
        first, b = (0, np.zeros(held.y.shape)) if scratch is None else (scratch[0], scratch[1])
        if first < len(self.centres):
            b = b.copy()
        for centre, sigma in zip(self.centres[first:], self.sigmas[first:]):
            f = margins(held.X, centre)
            for k, y in enumerate(read_only(held.y)):
                move_multipliers(y, read_only(f[k]), self.classes, self.epsilon, sigma, b[k])
        return len(self.centres), b

    def summarize(self, chunk: Chunk) -> MarginSums:
        return self.sums(chunk.held, chunk.weight, chunk.scratch[1])

    def sums(self, held: DesignRows, weight: Array, b: Array) -> MarginSums:
        """Sums over rows, with their weights and multipliers."""
        k, p = self.weights.shape
        sums, pull, curvature = np.zeros((4, k)), np.zeros((k, p)), np.zeros((k, p * p))
        line = np.zeros((k, len(STEP_FRACTIONS)))
        f, b = read_only(margins(held.X, self.weights)), read_only(b)
        stepped = self.weights is not self.base and not np.array_equal(self.weights, self.base)
        before = read_only(margins(held.X, self.base)) if stepped else f
        how = (self.classes, self.squared, self.epsilon, self.sigma)
        beta, curve = np.empty(len(weight)), np.empty(len(weight))
        for at, y in enumerate(read_only(held.y)):
            price = np.where(y > 0, self.own[at], self.other[at]) if self.classes else self.own[at]
            cost = read_only(weight * price)
            sums[:, at] = margin_terms(y, cost, f[at], *how, b[at], beta, curve)
            if stepped:
                line_values(
                    y, cost, before[at], read_only(f[at] - before[at]), *how, b[at], READ_ONLY_STEP_FRACTIONS, line[at]
                )
            pull[at] = beta @ held.X
            curvature[at] = products(held.X, curve).ravel()
        loss, value, slack, moved = sums
        return MarginSums(loss, value, slack, moved, pull, curvature, line)


def products(X: Array, weight: Array) -> Array:
    """XᵀWX, of the rows that have a weight."""
    out = np.zeros((X.shape[1],) * 2)
    some = np.flatnonzero(weight)
    if len(X) <= ROWS_PER_BLOCK and 3 * len(some) > len(X):
        return np.asarray((X * weight[:, None]).T @ X)
    for first in range(0, len(some), ROWS_PER_BLOCK):
        rows = some[first : first + ROWS_PER_BLOCK]
        part = X[rows]
        out += (part * weight[rows, None]).T @ part
    return out


def read_only(values: Values) -> Values:
    """A view that cannot be written, in C order: so a kernel has one signature."""
    seen: Values = np.ascontiguousarray(values).view()
    seen.flags.writeable = False
    return seen


READ_ONLY_STEP_FRACTIONS = read_only(STEP_FRACTIONS)


def margins(X: Array, weights: Array) -> Array:
    """wᵀx of each row for each plane, as outputs x rows."""
    return np.ascontiguousarray((X @ weights.T).T)


def class_costs(classes: int, C: float, factors: Array) -> tuple[Array, Array]:
    """C of the rows of each output's own class, and of the others; the remaining rows have C without a factor."""
    if not classes:
        return np.array([C]), np.array([C])
    if classes == 2:
        return C * factors[1:2], C * factors[0:1]
    return C * factors, np.full(classes, C)


def outputs_of(label: Codes, classes: int) -> Array:
    """Outputs x rows: 1 for the class of the output, -1 for others."""
    own = [1] if classes == 2 else range(classes)
    return np.array([np.where(label == c, 1.0, -1.0) for c in own]).reshape(len(own), len(label))
