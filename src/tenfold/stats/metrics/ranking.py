"""How well scores put the positive rows before the negative ones: ROC and precision-recall.

The weight of both classes by bin of the score. The bins are the same for all data (see `order`) and are widened
only when more than `most` of them are filled: the summary is a function of the rows, however they are merged.

Every point of the curves is a point of the exact curves: only points between them are lacking. While no two
different scores share a bin, curves and areas are exact; otherwise the bounds hold the exact area, up to rounding.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from tenfold.core import Array, Mergeable, VectorLike
from tenfold.core.field_values import NOT_NAN
from tenfold.stats.metrics.order import level_for, starts
from tenfold.stats.metrics.rows import as_codes, as_numbers, weighted

DEFAULT_BINS = 65_536
"""default number of bins"""


class Ranking(Mergeable):
    """Weight of the positive and of the negative rows by bin of the score, from low scores to high.

    Examples
    --------
    >>> from tenfold.stats.metrics import Ranking
    >>> some = Ranking.of([0, 1], [0.1, 0.4])
    >>> more = Ranking.of([0, 1], [0.3, 0.2])
    >>> (some + more).roc_auc
    0.75
    """

    rows: int
    """number of rows with positive weight"""
    most: int
    level: int
    low: Annotated[Array, "bin", NOT_NAN]
    """least score of the bin"""
    high: Annotated[Array, "bin", NOT_NAN]
    """greatest score of the bin"""
    positive: Annotated[Array, "bin"]
    negative: Annotated[Array, "bin"]

    @classmethod
    def of(cls, truth: VectorLike, score: VectorLike, weight: VectorLike = None, most: int = DEFAULT_BINS) -> Ranking:
        """Summarize rows.

        Parameters
        ----------
        truth : array of shape (rows,)
            Class codes, 1 the positive one.
        score : array of shape (rows,)
            Any numbers but NaN.
        weight : array of shape (rows,), optional
        most : int
            Bins to keep at most; of two rankings that merge, the lesser holds.
        """
        if most < 2:
            raise ValueError(f"most={most}: two bins at least")
        even = weight is None
        truth, score, weight = weighted(weight, truth, score)
        truth, score = as_codes(truth, 2, "truth"), as_numbers(score, "score")
        if np.isnan(score).any():
            raise ValueError("a score is NaN")
        score = score + 0.0  # the two zeros are one score
        true = truth == 1
        if not even:
            return cls._of(len(truth), most, 0, score, score, weight * true, weight * ~true)
        (up, ups), (down, downs) = (np.unique(score[rows], return_counts=True) for rows in (true, ~true))  # faster
        score = np.append(up, down)
        positive, negative = np.zeros(len(score)), np.zeros(len(score))
        positive[: len(up)], negative[len(up) :] = ups, downs
        return cls._of(len(truth), most, 0, score, score, positive, negative)

    def __add__(self, other: Ranking) -> Ranking:
        pairs = ((getattr(self, name), getattr(other, name)) for name in ("low", "high", "positive", "negative"))
        return Ranking._of(
            self.rows + other.rows,
            min(self.most, other.most),
            max(self.level, other.level),
            *(np.concatenate(pair) for pair in pairs),
        )

    @classmethod
    def _of(cls, rows: int, most: int, level: int, low: Array, high: Array, *weights: Array) -> Ranking:
        """Create a ranking from bins in any order, of this level or a lower one."""
        order = np.argsort(low, kind="stable")
        low, high, *weights = (v[order] for v in (low, high, *weights))  # type: ignore[assignment]
        while True:
            first = starts(low, level)
            if len(first):
                low, high = low[first], np.maximum.reduceat(high, first)
                weights = tuple(np.add.reduceat(w, first) for w in weights)
            if len(first) <= most:
                return cls(rows, most, level, low, high, *weights)
            level = level_for(low, most)

    @property
    def exact(self) -> bool:
        """Whether no two different scores share a bin."""
        return bool((self.low == self.high).all())

    def roc_curve(self, drop_intermediate: bool = True) -> tuple[Array, Array, Array]:
        """Share of the negatives and of the positives at or above each threshold, and the thresholds, falling.

        With `drop_intermediate`, points on a straight line between others are left out.
        """
        false, true = np.cumsum(self.negative[::-1]), np.cumsum(self.positive[::-1])
        threshold = self.low[::-1]
        if drop_intermediate and len(false) > 2:
            corner = np.ones(len(false), dtype=bool)
            corner[1:-1] = (np.diff(false, 2) != 0) | (np.diff(true, 2) != 0)
            false, true, threshold = false[corner], true[corner], threshold[corner]
        return _share(np.append(0.0, false)), _share(np.append(0.0, true)), np.append(math.inf, threshold)

    @property
    def roc_auc(self) -> float:
        """Area under the ROC curve, the scores of a bin taken as equal; NaN unless there are both classes."""
        return self._area(0.5)

    @property
    def auc_low(self) -> float:
        """The area if in each bin every negative comes before every positive: the exact one is no less."""
        return self._area(0.0)

    @property
    def auc_high(self) -> float:
        """The area if in each bin every positive comes before every negative: the exact one is no more."""
        return self._area(1.0)

    def pr_curve(self) -> tuple[Array, Array, Array]:
        """Precision and recall at or above each threshold, and the thresholds, rising; ends at precision 1, recall 0.

        Without positives every recall is 1.
        """
        false, true = np.cumsum(self.negative[::-1]), np.cumsum(self.positive[::-1])
        recall = _share(true) if true[-1:].any() else np.ones(len(true))
        return np.append((true / (true + false))[::-1], 1.0), np.append(recall[::-1], 0.0), self.low.copy()

    @property
    def average_precision(self) -> float:
        """Mean precision at the positives, the scores of a bin taken as equal; 0 without positives."""
        return self._mean_precision(0.5)

    @property
    def average_precision_low(self) -> float:
        """Lower bound of the exact average precision; see `auc_low`."""
        return self._mean_precision(0.0)

    @property
    def average_precision_high(self) -> float:
        """Upper bound of the exact average precision; see `auc_high`."""
        return self._mean_precision(1.0)

    def _area(self, share: float) -> float:
        """Return the area under the curve, with a given share of the pairs within a bin ranked correctly."""
        below = np.cumsum(self.negative)
        pairs = float(below[-1] * self.positive.sum()) if self.rows else 0.0
        if pairs == 0:
            return math.nan
        within = np.where(self.low == self.high, 0.5, share) * self.negative
        right = self.positive * (np.append(0.0, below[:-1]) + within)
        return min(1.0, float(right.sum()) / pairs)

    def _mean_precision(self, share: float) -> float:
        """Worst order within the bins if `share` is 0, best if it is 1, ties if between."""
        if not self.rows:
            return math.nan
        p, n = self.positive[::-1], self.negative[::-1]
        true, false = np.cumsum(p), np.cumsum(n)
        part = p * (true / (true + false))
        mixed = (self.low != self.high)[::-1]
        if share == 1:  # the positives first, all of one score
            above = np.append(0.0, false[:-1])
            part = np.where(mixed & (p > 0), p * np.divide(true, true + above, where=p > 0, out=p.copy()), part)
        elif share == 0:  # the negatives first, then one positive after the other: ∫ (t + x) / (t + x + f) dx
            before = np.append(0.0, true[:-1]) + false
            ratio = np.divide(p, before, where=before > 0, out=np.zeros(len(p)))
            part = np.where(mixed, np.minimum(part, p - false * np.log1p(ratio)), part)
        return min(1.0, float(part.sum() / true[-1])) if true[-1] else 0.0


def _share(total: Array) -> Array:
    """Return cumulative totals as shares of the last one; NaN if that is zero."""
    if not total[-1:].any():
        return np.full(len(total), math.nan)
    share: Array = total / total[-1]
    return share
