"""Empirical Bayes for tables of counts: the shares of a cell have a Dirichlet distribution around those of its parent.

The counts n of a cell are multinomial given its shares, and those are Dirichlet(m p), where p are the shares of the
parent and m, the concentration, is how many rows the parent is worth. m, and p of the population, have the largest
likelihood

    Σ log Γ(m) - log Γ(m + n) + Σ_v log Γ(m p_v + n_v) - log Γ(m p_v),

and the shares of a cell are their mean given its rows, (n_v + m p_v) / (n + m). An infinite m is complete pooling: the
counts of the cells vary no more than those of equal shares. With two classes it is a Beta distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import gammaln, psi

from tenfold.core import Array, Codes

MIN_CONCENTRATION = 1e-8
MAX_CONCENTRATION = 1e4
"""times the rows of the largest cell, from which on a concentration is infinite"""


class Concentration(NamedTuple):
    """How near the shares of cells are to those of their parents."""

    value: float
    slope: float
    """derivative of the log-likelihood by log m; by 1/m, if m is infinite"""


class PooledCounts(NamedTuple):
    """Shares of the cells of one level, table by table."""

    share: Array
    """cells x classes x values"""
    total: Array
    """cells x classes x tables: weight of the rows in each table"""
    concentration: Array
    """classes x tables"""
    slope: Array

    @property
    def shrinkage(self) -> Array:
        """Cells x classes x tables: 0, the cell's own shares; 1, those of the parent."""
        return _shrinkage(self.concentration, self.total)


def concentration_of(count: Array, share: Array) -> Concentration:
    """Estimate how near the shares of cells, whose counts are given, are to those of their parents."""
    total, seen = count.sum(axis=1), share > 0
    p = np.where(seen, share, 1.0)
    away = ((count * (count - 1) / p) * seen).sum() - (total * (total - 1)).sum()
    if not away > 0:
        return Concentration(np.inf, float(away) / 2)

    def slope(log_m: float) -> float:
        m = np.exp(log_m)
        inner = (p * (psi(count + m * p) - psi(m * p)) * seen).sum()
        return float(m * (inner - (psi(m + total) - psi(m)).sum()))

    low, high = np.log(MIN_CONCENTRATION), np.log(MAX_CONCENTRATION * max(total.max(), 1.0))
    if slope(high) >= 0:
        return Concentration(np.inf, float(away) / 2)
    if slope(low) <= 0:
        return Concentration(MIN_CONCENTRATION, slope(low))
    found = float(brentq(slope, low, high, xtol=1e-12, rtol=1e-14))
    return Concentration(float(np.exp(found)), slope(found))


def population_of(count: Array, alpha: float) -> tuple[Array, Concentration]:
    """Estimate the shares of the population and the concentration together; alpha rows are added to each value."""
    pooled, total = count.sum(axis=0), count.sum(axis=1)
    weight = float(pooled.sum())
    even = np.full(len(pooled), 1.0 / max(len(pooled), 1))
    if not weight:
        return even, Concentration(np.inf, 0.0)
    share = pooled / weight
    found = concentration_of(count, share[None])
    seen = np.flatnonzero(pooled)
    if np.isfinite(found.value) and len(seen) > 1:
        some = count[:, seen]

        def minus(log_a: Array) -> tuple[float, Array]:
            a = np.exp(log_a)
            m = a.sum()
            value = (gammaln(m) - gammaln(m + total)).sum() + (gammaln(some + a) - gammaln(a)).sum()
            slope = a * ((psi(some + a) - psi(a)).sum(axis=0) - (psi(m + total) - psi(m)).sum())
            return -float(value), -slope

        start = np.log(np.maximum(found.value * share[seen], MIN_CONCENTRATION))
        best = minimize(minus, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-8})
        a = np.exp(best.x)
        share = np.zeros(len(pooled))
        share[seen] = a / a.sum()
        found = concentration_of(count, share[None])
    return (weight * share + alpha) / (weight + alpha * len(pooled)), found


def pool_counts(
    count: Array, parents: Sequence[Codes], tables: Sequence[slice], alpha: float
) -> tuple[Array, list[PooledCounts]]:
    """Pool counts, cells x classes x values, table by table: the shares of the population, and of each level.

    The finest level is the first. The rows of a parent count as if they were drawn from it independently.
    """
    counts = [count]
    for parent in parents[:-1]:
        coarser = np.zeros((int(parent.max()) + 1, *count.shape[1:]))
        np.add.at(coarser, parent, counts[-1])
        counts.append(coarser)
    classes, above = count.shape[1], np.zeros((1, *count.shape[1:]))
    found: list[PooledCounts] = []
    for level in range(len(parents) - 1, -1, -1):
        n, parent = counts[level], parents[level]
        share, total = np.empty_like(n), np.empty((len(n), classes, len(tables)))
        m, slope = np.empty((classes, len(tables))), np.empty((classes, len(tables)))
        for c in range(classes):
            for t, values in enumerate(tables):
                if level == len(parents) - 1:
                    above[0, c, values], one = population_of(n[:, c, values], alpha)
                else:
                    one = concentration_of(n[:, c, values], above[parent, c, values])
                m[c, t], slope[c, t] = one
                total[:, c, t] = n[:, c, values].sum(axis=1)
                kept = _shrinkage(m[c, t], total[:, c, t])[:, None]
                own = n[:, c, values] / np.maximum(total[:, c, t], 1e-300)[:, None]
                share[:, c, values] = kept * above[parent, c, values] + (1 - kept) * own
        if level == len(parents) - 1:
            population = above
        found.append(PooledCounts(share, total, m, slope))
        above = share
    return population, found[::-1]


def _shrinkage(concentration: Array, total: Array) -> Array:
    """How far cells with so many rows are drawn to their parents: 0, their own shares; 1, those of the parents."""
    return np.asarray(1.0 / (1.0 + total / concentration))  # 1 of an infinite concentration
