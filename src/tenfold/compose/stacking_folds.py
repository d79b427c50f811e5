"""Which rows each model of a stack learns from, and what the models say of rows they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from tenfold.core import Chunk, Codes, DataError, Flags
from tenfold.estimator.rows import Rows, hold
from tenfold.estimator.team import TeamState
from tenfold.linear.by_fold import listed
from tenfold.stats.draws import folds_of


@dataclass(frozen=True, eq=False)
class Folds:
    """Which rows each model learns from: model `m * (k + 1) + j` is member m without fold j, or of all if j is k."""

    seed: int
    folds: int
    listed: Codes | None
    """the fold of each row by its number, if it is given"""
    apart: Flags
    """by model: whether it takes the rows of its fold by themselves; the others are merged from such"""
    shared: ClassVar[bool] = True

    def __call__(self, chunk: Chunk) -> Callable[[int], Chunk]:
        """From a model's number to its rows."""
        fold, inner = self.of(chunk), chunk.inner()

        @cache
        def some(j: int, apart: bool) -> Chunk:
            if j < self.folds:
                return inner.rows(np.flatnonzero((fold == j) if apart else (fold != j)))
            return inner.rows(slice(0, 0)) if apart else inner

        return lambda model: some(model % (self.folds + 1), bool(self.apart[model]))

    def of(self, chunk: Chunk) -> Codes:
        """The fold of each row."""
        if self.listed is not None:
            if chunk.n and chunk.X.numbers().max() >= len(self.listed):
                raise DataError(f"cv has {len(self.listed)} entries, fewer than rows. Remedy: a fold for each row")
            return self.listed[chunk.X.numbers()]
        return folds_of(chunk, self.seed, self.folds)


def codes_of(cv: Any) -> Codes:
    """The number of the fold of each row."""
    codes = np.unique(listed(cv), return_inverse=True)[1].astype(np.int64)
    if not codes.any():
        raise ValueError("cv puts all rows into one fold")
    return codes


@dataclass(frozen=True, eq=False)
class Layer:
    """A lens through which rows become what the members say of them, each by models that have not seen it."""

    stack: Any
    state: TeamState

    def __call__(self, chunk: Chunk) -> Rows:
        """The rows as the last learner sees them."""
        state, k = self.state, self.stack.k
        fold = self.stack.folds(state).of(chunk)
        out = np.empty((chunk.n, self.stack.width(state)))
        for j in range(k):
            rows = np.flatnonzero(fold == j)
            if len(rows):
                out[rows] = self.stack.told(state, chunk.X.rows(rows), j)
        return hold(chunk._replace(X=self.stack.beside(out, chunk.X)))
