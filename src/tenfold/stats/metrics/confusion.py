"""Which class was taken for which: the matrix of confusion, and the scores read off it."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np

from tenfold.core import Array, Flags, Mergeable, VectorLike
from tenfold.stats.metrics.rows import as_codes, weighted

Average = Literal["binary", "macro", "micro", "weighted"]


class Confusion(Mergeable):
    """Weight of each pair of true class and predicted class. It simply adds.

    Examples
    --------
    >>> from tenfold.stats.metrics import Confusion
    >>> some = Confusion.of([0, 0, 1], [0, 1, 1], n_classes=2)
    >>> more = Confusion.of([1], [1], n_classes=2)
    >>> (some + more).accuracy
    0.75
    """

    rows: int
    """number of rows with positive weight"""
    count: Annotated[Array, "class", "class"]
    """the true class by row, the predicted one by column"""

    @classmethod
    def of(cls, truth: VectorLike, prediction: VectorLike, weight: VectorLike = None, *, n_classes: int) -> Confusion:
        """Summarize rows.

        Parameters
        ----------
        truth, prediction : array of shape (rows,)
            Class codes.
        weight : array of shape (rows,), optional
        n_classes : int
        """
        even = weight is None
        truth, prediction, weight = weighted(weight, truth, prediction)
        pair = as_codes(truth, n_classes, "truth") * n_classes + as_codes(prediction, n_classes, "prediction")
        count = np.bincount(pair, None if even else weight, minlength=n_classes * n_classes)
        return cls(len(pair), count.astype(np.float64, copy=False).reshape(n_classes, n_classes))

    @property
    def support(self) -> Array:
        """Weight of each true class."""
        weight: Array = self.count.sum(axis=1)
        return weight

    @property
    def predicted(self) -> Array:
        """Weight of each predicted class."""
        weight: Array = self.count.sum(axis=0)
        return weight

    @property
    def hits(self) -> Array:
        """Weight of each class where it was predicted rightly."""
        return np.diagonal(self.count).copy()

    @property
    def wrong(self) -> float:
        """Weight of the rows that were predicted wrongly."""
        return float(self.count.sum() - self.hits.sum())

    @property
    def present(self) -> Flags:
        """Which classes occur in the truth or in the predictions."""
        return (self.support > 0) | (self.predicted > 0)

    @property
    def accuracy(self) -> float:
        """Share of the weight that was predicted rightly."""
        return float(self.hits.sum() / self.count.sum()) if self.rows else math.nan

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall of the classes that occur in the truth."""
        if not self.rows:
            return math.nan
        support = self.support
        true = support > 0
        return float((self.hits[true] / support[true]).mean())

    def precision(self, average: Average | None = "binary", zero_division: float = 0.0) -> Any:
        """Precision: among the rows predicted as a class, the share that belong to it.

        Parameters
        ----------
        average : {"binary", "macro", "micro", "weighted"} or None
            "binary": of the class of code 1, of two; "macro": the mean over the classes that occur in the truth
            or in the predictions; "weighted": the same, weighted by the truth; "micro": of all classes together;
            None: an array, one number a class.
        zero_division : float
            The value where the denominator is zero; NaN is left out of a mean.

        Returns
        -------
        float, or array of shape (classes,)
        """
        return self.f_beta(0.0, average, zero_division)

    def recall(self, average: Average | None = "binary", zero_division: float = 0.0) -> Any:
        """Recall: among the rows of a class, the share predicted as it; see `precision`."""
        return self.f_beta(math.inf, average, zero_division)

    def f1(self, average: Average | None = "binary", zero_division: float = 0.0) -> Any:
        """Harmonic mean of precision and recall; see `precision`."""
        return self.f_beta(1.0, average, zero_division)

    def f_beta(self, beta: float, average: Average | None = "binary", zero_division: float = 0.0) -> Any:
        """Harmonic mean of precision and recall, recall weighted by β²; see `precision`.

        With β zero it is precision, with β infinite it is recall.
        """
        if not beta >= 0:
            raise ValueError(f"beta={beta} is negative")
        hits, support, predicted = self.hits, self.support, self.predicted
        if average == "binary":
            if len(hits) != 2:
                raise ValueError(
                    f"average='binary' is of two classes and there are {len(hits)}: "
                    "ask for average='macro', 'micro' or 'weighted'"
                )
            hits, support, predicted = hits[1:], support[1:], predicted[1:]
        elif average == "micro":
            hits, support, predicted = (np.array([v.sum()]) for v in (hits, support, predicted))
        elif average not in (None, "macro", "weighted"):
            raise ValueError(f"average={average!r} is not one of 'binary', 'macro', 'micro', 'weighted' and None")
        if math.isinf(beta):
            over, under = hits, support
        else:
            over, under = (1 + beta**2) * hits, beta**2 * support + predicted
        score = np.divide(over, under, out=np.full(len(under), float(zero_division)), where=under > 0)
        if not self.rows:
            score[:] = math.nan
        if average is None:
            return score
        if average in ("macro", "weighted"):
            kept = self.present & ~np.isnan(score)
            score = score[kept]
            row_weight = support[kept]
            if average == "weighted" and row_weight.sum() > 0:
                return float((score * row_weight).sum() / row_weight.sum())
        return float(score.mean()) if len(score) else math.nan
