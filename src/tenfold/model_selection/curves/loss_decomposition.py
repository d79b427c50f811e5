"""The loss of several models on the same rows, taken apart row by row; the parts are summed, so that rows merge.

Squared loss: (y - h)² is on average over the models (y - f)² + (f - E h)² + E (h - E h)² + 2 (y - f)(f - E h): noise,
bias², variance, and a cross term that many rows make small, since the noise has mean 0. Loss of classes (Domingos):
where the most frequent prediction is right, variance adds errors; where it is wrong, it takes some away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tenfold.core import Array, Codes, Mergeable
from tenfold.core.certificate import number_of
from tenfold.model_selection.formatting import html_table


@dataclass(frozen=True)
class BiasVariance:
    """The parts of a learner's expected loss, as means over rows that none of its models learned from.

    Attributes
    ----------
    loss_name : {"squared", "zero_one"}
    loss : float
        Mean over the models and the rows.
    bias : float
        Squared loss: the squared distance of the mean prediction from the truth, free of the variance that a mean of
        few predictions still has. Loss of classes: the share of rows whose most frequent prediction is wrong. Without
        a known truth it is measured against the target, and the noise is in it.
    variance : float
        What the models add to this by differing. Without a known truth, loss = bias + variance; with it,
        loss = noise + bias + variance + cross.
    noise : float
        Distance of the target from the truth, which no learner can remove; NaN if the truth is not known.
    cross : float
        What noise and error do together; 0 if the truth is not known. Squared loss: twice the mean of (y - f) times
        (f - E h), which is 0 on average over targets, but not on these rows. Loss of classes: noise that makes a
        wrong prediction right, so that it is 0 or below.
    variance_unbiased, variance_biased : float
        Loss of classes only: errors by deviating from a right prediction, hits by deviating from a wrong one;
        `variance` is the first minus the second.
    sets, rows, train_size : int
        Training sets, rows that were scored, and rows of a training set (the mean).
    """

    loss_name: str
    loss: float
    bias: float
    variance: float
    noise: float
    variance_unbiased: float
    variance_biased: float
    cross: float
    sets: int
    rows: int
    train_size: int

    def _rows(self) -> list[list[str]]:
        squared = self.loss_name == "squared"
        bias = "bias²" if squared else "bias"
        known = not math.isnan(self.noise)
        rows = [["loss", f"{self.loss:.5g}"], [bias if known else f"{bias} and noise", f"{self.bias:.5g}"]]
        rows.append(["variance" if squared else "net variance", f"{self.variance:.5g}"])
        return rows + ([["noise", f"{self.noise:.5g}"], ["cross term", f"{self.cross:.5g}"]] if known else [])

    def _note(self) -> str:
        size, others = number_of(self.train_size, "row"), number_of(self.rows, "other")
        return f"{self.loss_name} loss; {number_of(self.sets, 'set')} of {size}, scored on {others}"

    def __str__(self) -> str:
        return "\n".join([*(f"{name:<16}{value}" for name, value in self._rows()), self._note()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(["part", "mean over rows"], self._rows(), self._note())


class LossPartSums(Mergeable):
    """Sums over rows of the parts of their loss."""

    rows: int
    sums: Array
    """weight; loss, bias, variance, noise, variance where unbiased, variance where biased, cross term, weighted"""

    def result(self, classes: bool, sets: int, size: float) -> BiasVariance:
        """The means over all rows, as a result that can be printed."""
        loss, bias, variance, noise, adds, mends, cross = (self.sums[1:] / self.sums[0]).tolist()
        name = "zero_one" if classes else "squared"
        return BiasVariance(name, loss, bias, variance, noise, adds, mends, cross, sets, self.rows, round(size))


def squared(said: Array, y: Array, truth: Array | None, weight: Array) -> LossPartSums:
    """Decompose the squared loss of predicted numbers: models x rows."""
    models, rows = said.shape
    mean, variance = said.mean(axis=0), said.var(axis=0, ddof=1)
    loss = ((said - y) ** 2).mean(axis=0)
    bias = ((y if truth is None else truth) - mean) ** 2 - variance / models
    none = np.full(rows, np.nan)
    noise = none if truth is None else (y - truth) ** 2
    cross = np.zeros(rows) if truth is None else 2 * (y - truth) * (truth - mean)
    return _parts(weight, loss, bias, variance, noise, none, none, cross)


def zero_one(said: Codes, y: Codes, truth: Codes | None, weight: Array, k: int) -> LossPartSums:
    """Decompose the zero-one loss of predicted class codes: models x rows."""
    models, rows = said.shape
    every = np.arange(rows)
    share = np.bincount((every * k + said).ravel(), minlength=rows * k).reshape(rows, k) / models
    target = y if truth is None else truth
    main = share.argmax(axis=1)
    bias = main != target
    adds = np.where(bias, 0.0, 1 - share[every, main])
    mends = np.where(bias, share[every, target], 0.0)
    noise = np.full(rows, np.nan) if truth is None else (y != truth).astype(float)
    loss = 1 - share[every, y]
    cross = np.zeros(rows) if truth is None else loss - (noise + bias + adds - mends)
    return _parts(weight, loss, bias, adds - mends, noise, adds, mends, cross)


def _parts(weight: Array, *each: Array) -> LossPartSums:
    return LossPartSums(len(weight), np.array([weight.sum(), *(float(weight @ one) for one in each)]))
