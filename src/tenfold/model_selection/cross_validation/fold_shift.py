"""Whether folds in the order of the rows are alike: means of columns by fold, from a few rows of every part.

Stratified folds have each class alike, so users take them to be alike in all. In a sorted file, or one folder a day,
they are not, and the scores then measure a model on rows unlike its training rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from scipy import stats

from tenfold.core import Array, Chunk, Codes, Mergeable
from tenfold.core.errors import warn_user
from tenfold.core.statistic import Grouped

SAMPLED_ROWS_PER_PART = 512
"""of a part, about, evenly spaced: enough for a shift that matters, and next to no time"""
MAX_SAMPLED_COLUMNS = 16
"""the first ones"""
FALSE_ALARMS = 1e-3
"""the share of calls that warn though the rows are in random order, about, for all columns together"""


class FoldMeans(Mergeable):
    """Count, mean and centred sum of squares of columns; merged as in Chan, Golub and LeVeque."""

    count: Annotated[Array, "column"]
    mean: Annotated[Array, "column"]
    square: Annotated[Array, "column"]

    def __add__(self, other: FoldMeans) -> FoldMeans:
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        delta = other.mean - self.mean
        square = self.square + other.square + delta**2 * self.count * share
        return FoldMeans(count, self.mean + delta * share, square)


class ColumnMeans(Grouped[FoldMeans]):
    """The means of the first columns, from a few rows of every part; of text, the mean of its lengths."""

    every: int
    """one in `every` rows of a part is sampled: a power of two"""

    @classmethod
    def for_rows(cls, rows: int) -> ColumnMeans:
        """Build the statistic for parts of about `rows` rows."""
        return cls(1 << round(math.log2(max(1.0, rows / SAMPLED_ROWS_PER_PART))))

    def summarize(self, chunk: Chunk) -> FoldMeans:
        return self.summarize_groups(chunk, np.zeros(chunk.n, np.int64), 1)[0]

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[FoldMeans]:
        which = np.flatnonzero((chunk.places() % self.every == 0) & (codes >= 0))
        X, width = chunk.X.rows(which), min(chunk.X.shape[1], MAX_SAMPLED_COLUMNS)
        values = np.empty((len(which), width))
        for c in range(width):
            some = X.column(c)
            values[:, c] = [np.nan if t is None else len(t) for t in some] if some.dtype.hasobject else some
        here = np.isfinite(values)
        place, values = (codes[which, None] * width + np.arange(width))[here], values[here]
        count = np.bincount(place, minlength=groups * width)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.bincount(place, values, groups * width) / np.maximum(count, 1)
            square = np.bincount(place, (values - mean[place]) ** 2, groups * width)
        each = (part.reshape(groups, width) for part in (count, mean, square))
        return list(map(FoldMeans, *each))


def p_values(folds: Sequence[FoldMeans]) -> Array:
    """P-value of equal fold means for each column: one-way analysis of variance."""
    count, means, square = (np.array([getattr(m, name) for m in folds]) for name in ("count", "mean", "square"))
    rows, filled = count.sum(axis=0), (count > 0).sum(axis=0)
    with np.errstate(all="ignore"):
        mean = (count * means).sum(axis=0) / rows
        between = (count * (means - mean) ** 2).sum(axis=0)
        ratio = between / (filled - 1) / (square.sum(axis=0) / (rows - filled))
        p = stats.f.sf(ratio, filled - 1, rows - filled)
    return np.where(np.isnan(p), 1.0, p)  # a constant column, or one with too few values


def warn_of_shift(folds: Sequence[FoldMeans], names: Sequence[str]) -> None:
    """Warn if folds differ more than random folds would."""
    p = p_values(folds)
    if not len(p) or p.min() * len(p) >= FALSE_ALARMS:
        return
    warn_user(
        f"the folds are not alike: the mean of column {names[int(p.argmin())]!r} differs between them by more than "
        f"chance (p = {p.min() * len(p):.1g}). Folds follow the order of the rows, class by class, and that order is "
        "related to the columns: each model is scored on rows unlike those it learned from. The scores do not estimate "
        "how well a model predicts new rows, such as those of a new day, and `tune` would choose by them. Remedy: "
        "shuffle=True, if new rows are like these; folds='time', or groups= the day, by a column or as "
        "tenfold.col(...).dt.date(), if rows are sorted by time and those to predict are of later days"
    )
