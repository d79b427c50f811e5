"""Rows with missing numbers under normals: the likelihood of observed values, and the expectation of the rest.

What is there has the marginal density: the same means and covariances, of fewer columns. What is missing is expected
where its regression on the rest puts it, with the covariance that is left: so EM counts it, and the likelihood never
falls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns
from tenfold.core.statistic import Lens
from tenfold.mixture.gaussian_components import SharedSums
from tenfold.stats.combinators import Stage


def complete_rows(X: Columns) -> Codes | None:
    """The numbers of the rows that miss nothing; None: all of them."""
    found = np.ones(len(X), bool)
    for j in range(X.shape[1]):
        found &= ~np.isnan(X.column(j))
    return None if found.all() else np.flatnonzero(found)


class CompleteRows(Stage):
    """The rows that miss nothing, as rows by themselves: for what does not depend on their order."""

    def stage(self, chunk: Chunk) -> Chunk:
        chunk = chunk._replace(starts=None, window="")
        which = complete_rows(chunk.X)
        return chunk if which is None else chunk.rows(which)._replace(dropped=chunk.dropped)


class Parted(NamedTuple):
    """A chunk, and apart from each other its rows that miss nothing and those that miss something."""

    chunk: Chunk
    complete: Chunk
    which: Codes | None
    """which rows are complete; None: all"""
    rest: Codes
    """which are not"""
    values: Array
    """of these"""


class PartedRows(Lens):
    """The lens that holds a chunk, its complete rows apart."""

    def __call__(self, chunk: Chunk) -> Parted:
        """Look for missing numbers, once for all rounds."""
        which = complete_rows(chunk.X)
        if which is None:
            return Parted(chunk, chunk, None, np.zeros(0, np.int64), np.zeros((0, chunk.X.shape[1])))
        rest = np.setdiff1d(np.arange(chunk.n), which)
        alone = chunk._replace(starts=None, window="")
        return Parted(chunk, alone.rows(which), which, rest, chunk.X.take(rest))


class Pattern(NamedTuple):
    """Rows that miss the same columns, under one normal."""

    rows: Codes
    there: Codes
    """places of the columns that are there"""
    gone: Codes
    """and of those that are missing"""
    deviation: Array
    """rows minus the mean, where they are there"""
    covariance: Array
    """of all columns"""

    def log_density(self) -> Array:
        """Log-density of the observed values; 0 for a row without any."""
        block = self.covariance[np.ix_(self.there, self.there)]
        lower = np.linalg.cholesky(block)
        solved = np.linalg.solve(lower, self.deviation.T)
        level = np.log(np.diagonal(lower)).sum() + 0.5 * len(self.there) * np.log(2 * np.pi)
        return np.asarray(-0.5 * (solved**2).sum(axis=0) - level)

    def expected(self) -> tuple[Array, Array]:
        """Rows minus the mean, with missing values at their conditional expectation; and the conditional covariance."""
        found = np.zeros((len(self.rows), len(self.covariance)))
        found[:, self.there] = self.deviation
        left = np.zeros(self.covariance.shape)
        slopes = np.linalg.solve(
            self.covariance[np.ix_(self.there, self.there)], self.covariance[np.ix_(self.there, self.gone)]
        )
        found[:, self.gone] = self.deviation @ slopes
        left[np.ix_(self.gone, self.gone)] = (
            self.covariance[np.ix_(self.gone, self.gone)] - self.covariance[np.ix_(self.gone, self.there)] @ slopes
        )
        return found, left


def _patterns(values: Array, means: Array, covariance: Array) -> Iterator[tuple[int, Pattern]]:
    """Rows by the columns that they miss, under each normal in turn."""
    k, p = means.shape
    missing = np.isnan(values)
    kinds, code = np.unique(missing, axis=0, return_inverse=True)
    for number, gone in enumerate(kinds):
        rows = np.flatnonzero(code.ravel() == number)
        there = np.flatnonzero(~gone)
        for state in range(k):
            one = covariance[state % len(covariance)]
            full = one if one.shape[1] == p else np.diag(one[:, 0])
            deviation = values[np.ix_(rows, there)] - means[state, there]
            yield state, Pattern(rows, there, np.flatnonzero(gone), deviation, full)


def marginal_log_densities(values: Array, means: Array, covariance: Array) -> Array:
    """Log-density of the observed values, rows x normals."""
    out = np.zeros((len(values), len(means)))
    for state, some in _patterns(values, means, covariance):
        out[some.rows, state] = some.log_density()
    return out


def add_expected(sums: SharedSums, values: Array, shares: Array, covariance: Array) -> None:
    """Add rows to the weighted sums of each normal, with the expectations of their missing numbers."""
    for state, some in _patterns(values, sums.means, covariance):
        share = shares[some.rows, state]
        deviation, left = some.expected()
        sums.weight[state] += share.sum()
        sums.total[state] += share @ deviation
        to = sums.scatter[state % len(sums.scatter)]
        if sums.diagonal:
            to[:, 0] += share @ deviation**2 + share.sum() * np.diagonal(left)
        else:
            to += (deviation.T * share) @ deviation + share.sum() * left
