"""Naive Bayes over whether columns are above a threshold: log P(c | x) = log π_c + Σ_j log P(x_j > t or not | c)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Annotated, NamedTuple

import numpy as np

import tenfold as tn
from tenfold.core import Array, Chunk, Claim, Columns, Grouped, Need, Schema
from tenfold.estimator import Classifier, OnePass
from tenfold.estimator.shell.constraints import real


@dataclass(frozen=True, eq=False)
class Counts:
    """Weight of each class, and of its rows that are above the threshold in each column."""

    weight: Annotated[Array, "class"]
    above: Annotated[Array, "class", "column"]

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.weight + other.weight, self.above + other.above)


class CountsAbove(Grouped[Counts]):
    """The weight of the rows of each class that are above a threshold, by column."""

    classes: int
    threshold: float

    def summarize(self, chunk: Chunk) -> Counts:
        """Count the rows of one chunk."""
        member = (chunk.y[:, None] == np.arange(self.classes)) * chunk.weight[:, None]
        above = np.zeros((self.classes, chunk.X.shape[1]))
        for rows, block in chunk.X.blocks():
            above += member[rows].T @ (block > self.threshold)
        return Counts(member.sum(axis=0), above)


class ThresholdModel(NamedTuple):
    """How probable each class is, and values above the threshold within it."""

    class_prior: Annotated[Array, "class"]
    above: Annotated[Array, "class", "column"]


@tn.register
class ThresholdNB(OnePass, Classifier):
    """Naive Bayes of columns that are above a threshold or not, exact in one pass."""

    need = Need("numeric", target="class")
    threshold: Annotated[float, Real] = 0.0
    alpha: Annotated[float, real(0, open=True)] = 1.0

    def statistic(self, schema: Schema) -> CountsAbove:
        """The counts serve every alpha."""
        return CountsAbove(len(schema.classes), self.threshold)

    def solve(self, schema: Schema, s: Counts) -> ThresholdModel:
        """Frequencies; the smoothing enters here."""
        above = (s.above + self.alpha) / (s.weight[:, None] + 2 * self.alpha)
        return ThresholdModel(s.weight / s.weight.sum(), above)

    def certify(self, model: ThresholdModel, s: Counts) -> tuple[Claim, ...]:
        """The estimate is a closed form of the counts."""
        return (Claim("gap", 0.0, "proved", "smoothed frequencies of the merged counts", "objective"),)

    def scores_from(self, model: ThresholdModel, X: Columns) -> Array:
        """The log-probability of each class, up to a constant of the row."""
        out = np.empty((len(X), len(model.class_prior)))
        with np.errstate(divide="ignore"):
            prior, no = np.log(model.class_prior), np.log1p(-model.above)
        for rows, block in X.blocks():
            out[rows] = prior + no.sum(axis=1) + (block > self.threshold) @ (np.log(model.above) - no).T
        return out
