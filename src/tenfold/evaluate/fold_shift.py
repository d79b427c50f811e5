"""Whether folds in the order of the rows are alike: means of columns by fold, from a few rows of every chunk.

Stratified folds have each class alike, so users take them to be alike in all. In a sorted file, or one folder a day,
they are not, and the scores then say how well a model does on rows unlike those it learned from.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy import stats

from tenfold.core import Array, Ask, Chunk, Codes
from tenfold.engine.keys import Key

ROWS = 512
"""of a chunk, evenly spaced: enough for a shift that matters, and next to no time"""
COLUMNS = 16
"""the first ones"""
FALSE_ALARMS = 1e-3
"""the share of calls that warn though the rows are in random order, about, for all columns together"""


@dataclass(frozen=True, eq=False)
class FoldMeans:
    """Count, mean and centred square of columns, fold by fold; they merge as Chan, Golub and LeVeque say."""

    count: Annotated[Array, "fold", "column"]
    mean: Annotated[Array, "fold", "column"]
    square: Annotated[Array, "fold", "column"]

    def __add__(self, other: FoldMeans) -> FoldMeans:
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        delta = other.mean - self.mean
        square = self.square + other.square + delta**2 * self.count * share
        return FoldMeans(count, self.mean + delta * share, square)

    def p_values(self) -> Array:
        """For each column, how probable means as far apart are by chance: one-way analysis of variance."""
        rows, folds = self.count.sum(axis=0), (self.count > 0).sum(axis=0)
        with np.errstate(all="ignore"):
            mean = (self.count * self.mean).sum(axis=0) / rows
            between = (self.count * (self.mean - mean) ** 2).sum(axis=0)
            ratio = between / (folds - 1) / (self.square.sum(axis=0) / (rows - folds))
            p = stats.f.sf(ratio, folds - 1, rows - folds)
        return np.where(np.isnan(p), 1.0, p)  # a constant column, or one with too few values


@dataclass(frozen=True, eq=False)
class FoldShift:
    """Asks for the means of columns by fold, beside the scores and over the same scan."""

    need: Any
    schema: Any
    key: Key
    ask: ClassVar[Ask] = Ask("score")
    name: ClassVar[str] = ""

    def summarize(self, chunk: Chunk, codes: Codes) -> FoldMeans:
        """Of some rows of a chunk."""
        which = np.arange(0, chunk.n, max(1, chunk.n // ROWS))
        X, fold = chunk.X.rows(which), codes[which]
        found = np.zeros((3, self.key.groups, min(X.shape[1], COLUMNS)))
        for c in range(found.shape[2]):
            column = np.asarray(X.column(c), dtype=np.float64)
            at, values = fold[np.isfinite(column)], column[np.isfinite(column)]
            count = np.bincount(at, minlength=self.key.groups)
            with np.errstate(over="ignore", invalid="ignore"):
                mean = np.bincount(at, values, self.key.groups) / np.maximum(count, 1)
                found[:, :, c] = count, mean, np.bincount(at, (values - mean[at]) ** 2, self.key.groups)
        return FoldMeans(*found)

    def warn(self, means: FoldMeans) -> None:
        """If folds are less alike than chance makes them."""
        p = means.p_values()
        if not len(p) or p.min() * len(p) >= FALSE_ALARMS:
            return
        name = self.schema.names[int(p.argmin())]
        warnings.warn(
            f"the folds are not alike: the mean of column {name!r} differs between them by more than chance "
            f"(p = {p.min() * len(p):.1g}). Folds follow the order of the rows, and that order tells something of the "
            "rows: the scores are those of models judged on rows unlike the ones they learned from. Remedy: "
            "shuffle=True; or, if this is the question, name the folds, by folds= or groups=",
            UserWarning,
            stacklevel=6,
        )
