"""Losses as objects: the value of a loss and its derivative with respect to the score.

A loss compares a score f with a target y: a number, or for two classes -1 and 1; `CrossEntropy` compares a score for
each class with the number of the right one. Learners take a loss, or its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.linear_model import losses as by_number
from tenfold.core.arrays import Array


@dataclass(frozen=True)
class Loss:
    """A loss: its value, and its gradient in the score."""

    name: ClassVar[str]
    code: ClassVar[int]
    """by which kernels know it"""
    kind: ClassVar[Literal["number", "class"]]
    curvature: ClassVar[float] = inf
    """its second derivative is nowhere above this"""
    convex: ClassVar[bool] = True
    """whether it is, so that where its slope is 0 it is least"""

    @property
    def e(self) -> float:
        """The one parameter that kernels need in addition to the code of the loss."""
        return 1.0

    def value(self, score: ArrayLike, target: ArrayLike) -> Array:
        """The loss of each score."""
        return self._both(score, target)[0]

    def gradient(self, score: ArrayLike, target: ArrayLike) -> Array:
        """The derivative of each loss in its score; at a corner that of the flat side."""
        return self._both(score, target)[1]

    def _both(self, score: ArrayLike, target: ArrayLike) -> tuple[Array, Array]:
        f, y = np.broadcast_arrays(np.asarray(score, dtype=np.float64), np.asarray(target, dtype=np.float64))
        if self.kind == "class" and not np.isin(y, (-1, 1)).all():
            raise ValueError(f"the target of {type(self).__name__} is -1 or 1")
        value, slope = np.empty(f.size), np.empty(f.size)
        by_number.losses(self.code, f.ravel(), y.ravel(), self.e, value, slope)
        return value.reshape(f.shape), slope.reshape(f.shape)


class SquaredError(Loss):
    """½ (f - y)².

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import SquaredError
    >>> loss = SquaredError()
    >>> float(loss.value(3.0, 1.0)), float(loss.gradient(3.0, 1.0))
    (2.0, 2.0)
    """

    name, code, kind, curvature = "squared_error", by_number.SQUARED, "number", 1.0


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """max(0, abs(f - y) - ε): errors up to ε cost nothing.

    Parameters
    ----------
    epsilon : float, default=0.1

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import EpsilonInsensitive
    >>> EpsilonInsensitive(0.5).value([1.0, 3.0], [1.25, 1.0]).tolist()
    [0.0, 1.5]
    """

    name, code, kind = "epsilon_insensitive", by_number.INSENSITIVE, "number"
    epsilon: float = 0.1

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise ValueError(f"epsilon must be at least 0, but is {self.epsilon}")

    @property
    def e(self) -> float:
        return float(self.epsilon)


class ZeroOne(Loss):
    """1 if y f ≤ 0, else 0. It has no slope to go down: it scores, and does not teach.

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import ZeroOne
    >>> ZeroOne().value([2.0, -2.0], [1, 1]).tolist()
    [0.0, 1.0]
    """

    name, code, kind = "zero_one", by_number.ZERO_ONE, "class"


class LogisticLoss(Loss):
    """log(1 + exp(-y f)): logistic.

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import LogisticLoss
    >>> float(LogisticLoss().gradient(0.0, 1))
    -0.5
    """

    name, code, kind, curvature = "log_loss", by_number.LOGISTIC, "class", 0.25


class Hinge(Loss):
    """max(0, 1 - y f): also rows on the right side cost something, if they are within the margin.

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import Hinge
    >>> Hinge().value([-1.0, 0.5, 2.0], 1).tolist()
    [2.0, 0.5, 0.0]
    """

    name, code, kind = "hinge", by_number.HINGE, "class"


class Exponential(Loss):
    """exp(-y f), the loss of AdaBoost.

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import Exponential
    >>> float(Exponential().value(0.0, -1))
    1.0
    """

    name, code, kind = "exponential", by_number.EXPONENTIAL, "class"


class SigmoidError(Loss):
    """½ (σ(f) - t)², σ(f) = 1/(1 + exp(-f)): the squared error of a sigmoid unit, whose target t is 1 or 0 for y = ±1.

    Its gradient (σ - t) σ (1 - σ) vanishes for rows far on the wrong side too, and the loss is not convex: descent may
    end where no slope is left. The logistic loss of the same unit has the gradient σ - t.

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import SigmoidError
    >>> loss = SigmoidError()
    >>> float(loss.value(0.0, 1)), float(loss.gradient(0.0, 1))
    (0.125, -0.125)
    """

    name, code, kind, curvature, convex = "sigmoid_error", by_number.SIGMOID, "class", 0.0771, False


@dataclass(frozen=True)
class CrossEntropy(Loss):
    """-log of the probability of the right class, where probabilities are the softmax of the scores.

    Parameters
    ----------
    unit : {"nats", "bits"}, default="nats"

    Examples
    --------
    >>> from tenfold.stats.optimize.loss_functions import CrossEntropy
    >>> CrossEntropy("bits").value([[0.0, 0.0, 0.0, 0.0]], [2]).tolist()
    [2.0]
    """

    name, code, kind = "cross_entropy", by_number.SOFTMAX, "class"
    unit: str = "nats"

    def __post_init__(self) -> None:
        if self.unit not in ("nats", "bits"):
            raise ValueError(f"unit must be 'nats' or 'bits', not {self.unit!r}")

    @property
    def e(self) -> float:
        return 1.0 if self.unit == "nats" else 1 / log(2)

    @property
    def curvature(self) -> float:  # type: ignore[override]
        return 0.5 * self.e

    def _both(self, score: ArrayLike, target: ArrayLike) -> tuple[Array, Array]:
        slope = np.array(score, dtype=np.float64)
        label = np.asarray(target, dtype=np.int64)
        if slope.ndim != 2 or label.shape != slope.shape[:1]:
            raise ValueError("CrossEntropy takes scores (rows x classes) and the number of each row's class")
        if len(label) and not 0 <= label.min() <= label.max() < slope.shape[1]:
            raise ValueError(f"classes are numbered from 0 to {slope.shape[1] - 1}")
        value = np.empty(len(label))
        by_number.softmax_losses(slope, label, self.e, value)
        return value, slope


LOSSES: dict[str, type[Loss]] = {
    loss.name: loss
    for loss in (
        SquaredError,
        EpsilonInsensitive,
        ZeroOne,
        LogisticLoss,
        Hinge,
        Exponential,
        SigmoidError,
        CrossEntropy,
    )
}
"""losses by name"""
