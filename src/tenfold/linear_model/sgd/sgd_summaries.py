"""What gradient descent sums up: how long rows are, where they lead, and how steep the objective is at some weights.

F = Σ cᵢ ℓ(fᵢ, yᵢ) / Σ cᵢ + ½ α₂ |w|² + α₁ |w|₁ is strongly convex in w. How far it is from its least
value follows: for any subgradient (g, g₀) in w and b,

    F(w, b) - F(w*, b*) ≤ |g|² / (2 α₂) + |g₀| |b - b*|,

and |b*| is bounded, because the loss there is at most F(w, b) and |w*|² at most 2 F(w, b) / α₂.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Annotated

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.linear_model import losses as by_number
from tenfold.core import Array, Chunk, Codes, DataError, Design, Schema
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped, Statistic
from tenfold.linear_model.least_squares.normal_equations import norms

NUMBERS, TWO, REST, SOFTMAX = range(4)
"""how targets enter: as numbers; one score for two classes; one for each class against the rest; one for each"""
LONG = 1e140
"""largest gradient for which claims are made: squares of larger ones may overflow"""


@dataclass(frozen=True, eq=False)
class Scale:
    """How long rows are: |x|² + 1, the largest and the sum."""

    radius: float
    squares: float
    mass: Annotated[float, NOT_NEGATIVE]

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes) -> Scale:
        """Of the rows of a chunk."""
        long = squared_lengths(Design.of(chunk.X, levels)) + 1
        with np.errstate(over="ignore"):
            squares = float(long @ chunk.weight)
        return cls(float(long.max(initial=0.0)), squares, float(chunk.weight.sum())).checked()

    def __add__(self, other: Scale) -> Scale:
        squares = self.squares + other.squares
        return Scale(max(self.radius, other.radius), squares, self.mass + other.mass).checked()

    def checked(self) -> Scale:
        """The same, unless the sum has overflowed."""
        if not isfinite(self.squares):
            raise DataError("rows are too long, times their weights, to be squared. Remedy: rescale the columns")
        return self


class RowLengths(Grouped[Scale]):
    """How long rows are: the longest step that cannot overshoot follows from it."""

    levels: Codes
    """how many categories each column has, 0 if it is numeric"""

    def summarize(self, chunk: Chunk) -> Scale:
        return Scale.of(chunk, self.levels)


@dataclass(frozen=True, eq=False)
class SGDEpochSummary:
    """Where some rows have led, and what they cost on the way. Two of them mix: the mean, by weight of the rows."""

    weights: Annotated[Array, "output", "predictor"]
    velocity: Annotated[Array, "output", "predictor"]
    average: Annotated[Array, "output", "predictor"]
    averaged: Annotated[float, NOT_NEGATIVE]
    t: Annotated[float, NOT_NEGATIVE]
    loss: float
    mass: Annotated[float, NOT_NEGATIVE]

    def __add__(self, other: SGDEpochSummary) -> SGDEpochSummary:
        if not other.mass:
            return self
        if not self.mass:
            return other
        mass = self.mass + other.mass
        names = ("weights", "velocity", "average", "averaged", "t")
        a, b = self.mass / mass, other.mass / mass
        mean = {name: a * getattr(self, name) + b * getattr(other, name) for name in names}
        return SGDEpochSummary(**mean, loss=self.loss + other.loss, mass=mass)


@dataclass(frozen=True, eq=False)
class LinearObjective:
    """Loss and gradient at some weights, without penalties."""

    weights: Annotated[Array, "output", "predictor"]
    """constants, then coefficients"""
    loss: float
    slope: Annotated[Array, "output", "predictor"]
    mass: Annotated[float, NOT_NEGATIVE]
    share: Annotated[Array, "output", "side"]
    """weight of the rows of the class, and of the others; for numbers the sum of the targets"""
    radius: float
    """largest |x|²"""

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes, weights: Array, code: int, way: int, e: float) -> LinearObjective:
        """Of the rows of a chunk."""
        design = Design.of(chunk.X, levels)
        f = design @ np.ascontiguousarray(weights[:, 1:].T) + weights[:, 0]
        y, c, outputs = chunk.y, chunk.weight, len(weights)
        value, each, share = np.zeros(chunk.n), np.empty(chunk.n), np.zeros((outputs, 2))
        if way == SOFTMAX:
            by_number.softmax_losses(f, np.require(y, requirements="W"), e, value)  # it comes compiled for no other
        slope = f
        for k in range(outputs):
            target = y if way == NUMBERS else np.where(y == (1 if way == TWO else k), 1.0, -1.0)
            share[k] = (c @ y, 0.0) if way == NUMBERS else (c[target > 0].sum(), c[target < 0].sum())
            if way != SOFTMAX:
                score = np.ascontiguousarray(f[:, k])
                down = np.empty(chunk.n)
                by_number.losses(code, score, np.ascontiguousarray(target, dtype=np.float64), e, each, down)
                value += each
                slope[:, k] = down
        with np.errstate(over="ignore", invalid="ignore"):  # steps that are too long: `update` says so
            slope = slope * c[:, None]
            gradient = np.ascontiguousarray(np.vstack([slope.sum(axis=0), design.transposed(slope)]).T)
            loss = float(c @ value)
        long = float(squared_lengths(design).max(initial=0.0))
        return cls(weights, loss, gradient, float(c.sum()), share, long)

    def __add__(self, other: LinearObjective) -> LinearObjective:
        return LinearObjective(
            self.weights,
            self.loss + other.loss,
            self.slope + other.slope,
            self.mass + other.mass,
            self.share + other.share,
            max(self.radius, other.radius),
        )

    def is_valid(self, schema: Schema) -> bool:
        """Whether there are two shares of each output."""
        return self.share.shape[1] == 2

    def value(self, l2: float, l1: float) -> float:
        """The objective at these weights: loss and penalties."""
        w = self.weights[:, 1:]
        return self.loss / self.mass + 0.5 * l2 * float((w * w).sum()) + l1 * float(np.abs(w).sum())


class LossGradient(Statistic[LinearObjective]):
    """Loss and gradient over all rows at given weights, without penalties."""

    weights: Array
    """constants, then coefficients"""
    loss: int
    """its number among the kernels"""
    target: int
    """how targets enter"""
    epsilon: float
    """of the loss"""
    levels: Codes

    def summarize(self, chunk: Chunk) -> LinearObjective:
        return LinearObjective.of(chunk, self.levels, self.weights, self.loss, self.target, self.epsilon)


def squared_lengths(design: Design) -> Array:
    """The squared length of each row, over all its features."""
    out = np.zeros(len(design))
    if sp.issparse(design.X.data):
        rows = design.X.sparse()
        out += np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    else:
        for rows, block in design.numbers.blocks():
            np.einsum("ij,ij->i", block, block, out=out[rows])
        for codes in () if design.plain else design.codes:
            out += codes >= 0
    if not np.isfinite(out).all():
        raise DataError("a row is too long to be squared. Remedy: rescale the columns, MaxAbsScaler()")
    return out


def steepness(s: LinearObjective, l2: float, l1: float, constant: bool) -> Array:
    """The shortest subgradient of the objective: 0 at the optimum and nowhere else."""
    g = s.slope / s.mass
    w = s.weights[:, 1:]
    down = g[:, 1:] + l2 * w
    g[:, 1:] = np.where(w, down + l1 * np.sign(w), np.sign(down) * np.maximum(np.abs(down) - l1, 0.0))
    if not constant:
        g[:, 0] = 0.0
    return g


def gap_of(s: LinearObjective, l2: float, l1: float, constant: bool, code: int, way: int, e: float) -> float:
    """No weights have an objective that is lower by more than this; infinite if nothing is known."""
    if not l2:
        return inf
    g = steepness(s, l2, l1, constant)
    if not norms(g.reshape(1, -1))[0] <= LONG:
        return inf
    value = s.value(l2, l1)
    bound = float((g[:, 1:] ** 2).sum()) / (2 * l2)
    if constant:
        reach = sqrt(s.radius) * sqrt(2 * value / l2)
        if way == NUMBERS or code == by_number.SQUARED:
            mean = float(np.abs(s.share[:, 0] - s.share[:, 1]).max()) / s.mass
            far = mean + reach + (sqrt(2 * value) if code == by_number.SQUARED else e + value)
        else:
            least = float(s.share.min()) / s.mass
            far = value / least + 2 * reach if least > 0 else inf
        steep = np.abs(g[:, 0])
        moves = np.where(steep > 0, np.abs(s.weights[:, 0]) + far, 0.0)  # no slope, no way down, however far
        bound += float(steep @ moves)
    return bound + 1e-14 * value
