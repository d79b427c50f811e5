"""What the perceptron sums up: where a walk over rows has led, and how some weights separate the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.linear_model.perceptrons import perceive, perceive_sparse
from tenfold.core import Array, Chunk, Codes, Design
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE
from tenfold.core.statistic import Ordered, Statistic
from tenfold.linear_model.least_squares.normal_equations import norms
from tenfold.linear_model.sgd.sgd_summaries import squared_lengths
from tenfold.stats.rows.row_windows import RowEpoch


@dataclass(frozen=True, eq=False)
class Round:
    """Where some rows have led. Two of them mix: the mean, by weight of the rows."""

    weights: Annotated[Array, "output", "predictor"]
    """constants, then coefficients"""
    average: Annotated[Array, "output", "predictor"]
    """of all weights on the way"""
    pocket: Annotated[Array, "output", "predictor"]
    """the weights that were right about the most rows in a row"""
    time: Annotated[float, NOT_NEGATIVE]
    run: Annotated[Array, "output"]
    best: Annotated[Array, "output"]
    mistakes: Annotated[Array, "output"]
    mean_mistakes: Annotated[Array, "output"]
    """of a part, where parts are mixed"""
    mass: Annotated[float, NOT_NEGATIVE]

    def __add__(self, other: Round) -> Round:
        if not other.mass:
            return self
        if not self.mass:
            return other
        mass = self.mass + other.mass
        a, b = self.mass / mass, other.mass / mass
        return Round(
            a * self.weights + b * other.weights,
            a * self.average + b * other.average,
            a * self.pocket + b * other.pocket,
            a * self.time + b * other.time,
            np.zeros_like(self.run),
            np.maximum(self.best, other.best),
            self.mistakes + other.mistakes,
            a * self.mean_mistakes + b * other.mean_mistakes,
            mass,
        )


class PerceptronEpoch(RowEpoch[Round]):
    """Weights that change with each row on their wrong side, each part from the same weights: the ends are mixed."""

    weights: Array
    average: Array
    time: float
    eta0: float
    fit_intercept: bool

    def step(self, summary: Round | None, chunk: Chunk) -> Round:
        zero, walk = np.zeros(len(self.weights)), summary
        if walk is None:
            walk = Round(self.weights, self.average, self.weights, self.time, zero, zero, zero, zero, 0.0)
        if not chunk.n:
            return walk
        w, pocket = walk.weights.copy(), walk.pocket.copy()
        run, best, mistakes = walk.run.copy(), walk.best.copy(), walk.mistakes.copy()
        late, clock = np.zeros_like(w), np.zeros(1)
        block, *rows = self.in_order(chunk)
        some = (*rows, self.eta0, self.fit_intercept)
        to = (w, late, mistakes, run, best, pocket, clock)
        if sp.issparse(block):
            perceive_sparse(block.data, block.indices, block.indptr, *some, *to)
        else:
            perceive(block, *some, *to)
        time = walk.time + float(clock[0])
        with np.errstate(over="ignore", invalid="ignore"):  # rows that are too long are refused with their margins
            average = (walk.time * walk.average + clock[0] * w - late) / time
        return Round(w, average, pocket, time, run, best, mistakes, mistakes, walk.mass + float(chunk.weight.sum()))


class OrderedPerceptronEpoch(PerceptronEpoch, Ordered[Round]):
    """Weights that change with each row on their wrong side, one part after another."""


@dataclass(frozen=True, eq=False)
class Margins:
    """How weights separate rows: least y f, weight of the rows on the wrong side, and how long rows are."""

    weights: Annotated[Array, "output", "predictor"]
    least: Annotated[Array, "output", NOT_NAN]
    wrong: Annotated[Array, "output"]
    radius: float
    """largest |x|², with 1 for the constant if there is one"""
    rows: int
    mass: Annotated[float, NOT_NEGATIVE]
    heaviest: float
    """largest weight of a row"""

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes, weights: Array, constant: bool) -> Margins:
        """Of the rows of a chunk."""
        design = Design.of(chunk.X, levels)
        long = squared_lengths(design) + constant  # first: it refuses what is too long
        f = design @ np.ascontiguousarray(weights[:, 1:].T) + weights[:, 0]
        which = np.ones(1) if len(weights) == 1 else np.arange(len(weights))
        z = np.where(chunk.y[:, None] == which, f, -f)
        return cls(
            weights,
            z.min(axis=0, initial=np.inf),
            chunk.weight @ (z <= 0),
            float(long.max(initial=0.0)),
            chunk.n,
            float(chunk.weight.sum()),
            float(chunk.weight.max(initial=0.0)),
        )

    def __add__(self, other: Margins) -> Margins:
        return Margins(
            self.weights,
            np.minimum(self.least, other.least),
            self.wrong + other.wrong,
            max(self.radius, other.radius),
            self.rows + other.rows,
            self.mass + other.mass,
            max(self.heaviest, other.heaviest),
        )

    @property
    def margin(self) -> Array:
        """For each output the least distance of a row from the plane, negative on the wrong side; 0 for no plane."""
        long = norms(self.weights)
        return np.divide(self.least, long, out=np.zeros_like(long), where=long > 0)


class MarginsOf(Statistic[Margins]):
    """How given weights separate the rows."""

    weights: Array
    """constants, then coefficients"""
    fit_intercept: bool
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""

    def summarize(self, chunk: Chunk) -> Margins:
        return Margins.of(chunk, self.levels, self.weights, self.fit_intercept)
