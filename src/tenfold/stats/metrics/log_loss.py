"""How far probabilities are from the truth: logarithmic loss and Brier score."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from tenfold.core import Array, Mergeable, VectorLike
from tenfold.core.errors import warn_user
from tenfold.stats.metrics.rows import as_codes, weighted
from tenfold.stats.metrics.sums import Sum


class LogLoss(Mergeable):
    """Sums of -log p of the true class, and of the squared distance from certainty.

    Examples
    --------
    >>> from tenfold.stats.metrics import LogLoss
    >>> some = LogLoss.of([0], [[0.5, 0.5]], n_classes=2)
    >>> more = LogLoss.of([1], [[0.0, 1.0]], n_classes=2)
    >>> round((some + more).log_loss, 3), (some + more).brier
    (0.347, 0.125)
    """

    rows: int
    """number of rows with positive weight"""
    weight: Annotated[Array, "class"]
    """weight of each true class"""
    surprise: Sum
    """sum of -log p"""
    distance: Sum
    """sum of the squares of all entries of p less the one-hot truth"""

    @classmethod
    def of(cls, truth: VectorLike, probability: VectorLike, weight: VectorLike = None, *, n_classes: int) -> LogLoss:
        """Summarize rows.

        Parameters
        ----------
        truth : array of shape (rows,)
            Class codes.
        probability : array of shape (rows, classes)
            Or of shape (rows,): the probability of code 1, of two classes. Clipped by the precision of its type.
        weight : array of shape (rows,), optional
        n_classes : int
        """
        truth, p, weight = weighted(weight, truth, probability)
        if len(truth) == 0:
            return cls(0, np.zeros(n_classes), Sum(), Sum())
        truth = as_codes(truth, n_classes, "truth")
        p = p if p.dtype.kind == "f" else p.astype(np.float64)
        if p.ndim == 1 or (p.shape[1] == 1 and n_classes == 2):
            p = np.column_stack([1 - p.ravel(), p.ravel()])
        if p.shape[1:] != (n_classes,):
            raise ValueError(f"probabilities of {p.shape[1]} classes, and there are {n_classes}")
        if not (p.min() >= 0 and p.max() <= 1):
            raise ValueError("a probability is NaN or not between 0 and 1")
        eps = float(np.finfo(p.dtype).eps)
        p = p.astype(np.float64, copy=False)
        if np.abs(np.einsum("ij->i", p) - 1).max() > 1e-8 + math.sqrt(eps):
            warn_user("probabilities do not sum to one; they are taken as they are")
        mine = p[np.arange(len(p)), truth]
        off = p.copy()
        off[np.arange(len(p)), truth] -= 1
        return cls(
            len(p),
            np.bincount(truth, weight, minlength=n_classes).astype(np.float64, copy=False),
            Sum.of(weight * -np.log(np.clip(mine, eps, 1 - eps))),
            Sum.of(weight * np.einsum("ij,ij->i", off, off)),
        )

    @property
    def log_loss(self) -> float:
        """Mean of -log p of the true class."""
        return self.surprise.value / float(self.weight.sum()) if self.rows else math.nan

    @property
    def brier(self) -> float:
        """Mean squared distance of the probabilities from certainty; of two classes half of it, as is usual."""
        if not self.rows:
            return math.nan
        half = 0.5 if len(self.weight) <= 2 else 1.0
        return half * self.distance.value / float(self.weight.sum())
