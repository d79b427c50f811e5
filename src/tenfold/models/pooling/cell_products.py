"""Squares and products of the columns of cells within cells, steadied: what variance components are estimated from.

Columns are shifted by their means and divided by their lengths, and what the fixed effects explain is taken out of the
target. All of it is algebra on the moments of the cells, and undone afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from tenfold.core import Array, Codes, DataError, Flags
from tenfold.engine.cells.cells import Cells
from tenfold.linear_model.least_squares.normal_equations import EPS
from tenfold.linear_model.least_squares.reference_levels import kept_features
from tenfold.models.pooling.restricted_likelihood import GroupingFactor, NestedProducts

CELLS_PER_BLOCK = 1 << 12
MIN_OWN_SHARE = 1e-11
"""of the squares of a column, at least, that the columns before it do not explain, or it has no fixed effect"""
MIN_NOISE = 1e-13
"""of the squares of the target, at least, that are more than rounding"""
EXACT = (
    "the columns explain the target exactly, up to rounding: there is no noise against which cells could be weighed. "
    "Remedy: the coefficients of the cube itself are exact"
)


class CellMoments(NamedTuple):
    """Moments of the cells of the finest level; cells without a summary have no weight."""

    weight: Array
    mean: Array
    rest: Array
    """low-order parts of the means"""
    rows: Array
    """cells x random slopes x columns: of the centred co-moments, those of the columns with random slopes"""
    within: Array
    """parents x columns x columns: centred co-moments, summed over the cells of each parent"""


class Units(NamedTuple):
    """How columns were steadied: (x - center) / scale; from the target, what fixed effects alone explain was taken."""

    center: Array
    """of the constant, the features and the target"""
    scale: Array
    explained: Array
    """coefficients of the steady columns that were taken from the target, in units of its scale"""
    condition: float
    """of the correlations of the columns with fixed effects"""
    digits: float
    """that rounding leaves of the noise"""

    def coefficients(self, steady: Array) -> Array:
        """Return coefficients of the columns as they were, the constant first, of coefficients along the last axis."""
        found = self.deviations(steady + self.explained)
        found[..., 0] += self.center[-1]
        return found

    def deviations(self, steady: Array) -> Array:
        """Return differences of coefficients likewise."""
        found = steady * (self.scale[-1] / self.scale[:-1])
        found[..., 0] -= found[..., 1:] @ self.center[1:-1]
        return found

    def directions(self) -> Array:
        """Return terms x steady columns: of which steady coefficients each coefficient is made."""
        return self.deviations(np.eye(len(self.scale) - 1)).T


class SteadyProducts(NamedTuple):
    """Products in units in which they are steady, and what these are."""

    products: NestedProducts
    units: Units


def read_moments(cells: Cells, slopes: Codes, parent: Codes, parents: int) -> CellMoments:
    """Read what is needed of the moments of all cells, a few cells at a time."""
    n, q = len(cells), 0
    found: CellMoments | None = None
    for some, summaries in cells.batches():
        m = summaries.stack
        if found is None:
            q = m.mean.shape[1]
            empty = np.zeros(n), np.zeros((n, q)), np.zeros((n, q)), np.zeros((n, len(slopes), q))
            found = CellMoments(*empty, np.zeros((parents, q, q)))
        fine = np.isfinite(m.weight) & np.isfinite(m.mean).all(axis=1)
        fine &= np.isfinite(np.diagonal(m.comoment, axis1=1, axis2=2)).all(axis=1) & (m.weight > 0)
        fine[list(summaries.reasons)] = False
        at = np.flatnonzero(fine)
        place = np.arange(some.start, some.stop)[at]
        found.weight[place], found.mean[place], found.rest[place] = m.weight[at], m.mean[at], m.rest[at]
        found.rows[place] = m.comoment[np.ix_(at, slopes)]
        _add(m.comoment[at], parent[place], found.within)
    assert found is not None
    return found


def _add(each: Array, parent: Codes, out: Array) -> None:
    """Add matrices of cells to those of their parents."""
    if not len(each):
        return
    if len(out) == 1:
        out[0] += each.sum(axis=0)
        return
    order = np.argsort(parent, kind="stable")
    starts = np.flatnonzero(np.diff(parent[order], prepend=-1))
    out[parent[order[starts]]] += np.add.reduceat(each[order], starts, axis=0)


def steady_products(
    moments: CellMoments, factors: Sequence[GroupingFactor], fit_intercept: bool, levels: Codes, names: Sequence[str]
) -> SteadyProducts:
    """Put the moments of cells together as squares and products of steady columns."""
    weight, q = float(moments.weight.sum()), moments.mean.shape[1] + 1
    if not weight:
        raise DataError("no cell has a summary, so there is nothing to pool. `failed_` lists the reasons")
    overall = np.append(1.0, moments.weight @ moments.mean / weight)
    center = overall * fit_intercept
    center[0] = 0.0
    for factor in factors:
        if 0 not in factor.terms:  # a shift of a column with a random slope takes a random intercept to make up for it
            center[factor.terms] = 0.0
    sums, rows = _products(moments, factors[0], center)
    total = sums.sum(axis=0)
    scale = np.sqrt(np.diag(total) / weight)
    varies = scale > 8 * EPS * np.abs(overall) * (center != 0.0)
    scale[~varies] = 1.0
    total /= np.outer(scale, scale)
    keep = np.concatenate([[fit_intercept], kept_features(levels, overall[1:-1] > 0, fit_intercept), [False]])
    fixed = _independent(total, np.flatnonzero(keep & varies))
    _refuse(factors, moments.weight, varies, len(fixed), names)
    explained = np.zeros(q - 1)
    explained[fixed] = np.linalg.solve(total[np.ix_(fixed, fixed)], total[fixed, -1])
    noise = float(total[-1, -1] - explained @ total[:-1, -1]) / weight
    if not (varies[-1] and noise > MIN_NOISE):
        raise DataError(EXACT)
    move = np.eye(q)
    move[:-1, -1] = -explained
    move /= scale[:, None]
    move[:, -1] /= np.sqrt(noise)
    scale[-1] *= np.sqrt(noise)
    sizes = np.linalg.eigvalsh(total[np.ix_(fixed, fixed)])
    units = Units(
        center, scale, explained / np.sqrt(noise), float(sizes[-1] / max(sizes[0], EPS)) if len(fixed) else 1.0,
        -np.log10(EPS / noise),
    )  # fmt: skip
    rows = np.ascontiguousarray((rows / scale[factors[0].terms][:, None]) @ move)
    varying, used = list[bool](), np.flatnonzero(moments.weight)
    for factor in factors:
        varying.append(len(used) > 1)
        used = np.unique(factor.parent[used])
    products = NestedProducts(tuple(factors), rows, move.T @ sums @ move, fixed, weight, tuple(varying))
    return SteadyProducts(products, units)


def _products(moments: CellMoments, finest: GroupingFactor, center: Array) -> tuple[Array, Array]:
    """Squares and products of shifted columns: the sums over the cells of each parent, and the rows of random terms."""
    n, q = len(moments.weight), len(center)
    mean = np.ones((n, q))
    mean[:, 1:] = (moments.mean - center[1:]) + moments.rest
    sums = np.zeros((finest.parents, q, q))
    sums[:, 1:, 1:] = moments.within
    for start in range(0, n, CELLS_PER_BLOCK):
        some, heavy = mean[start : start + CELLS_PER_BLOCK], moments.weight[start : start + CELLS_PER_BLOCK, None]
        if finest.parents == 1:
            sums[0] += some.T @ (some * heavy)
        else:
            _add(some[:, :, None] * (some * heavy)[:, None], finest.parent[start : start + CELLS_PER_BLOCK], sums)
    rows = (moments.weight[:, None] * mean[:, finest.terms])[:, :, None] * mean[:, None]
    rows[:, finest.terms > 0, 1:] += moments.rows
    return sums, rows


def _independent(total: Array, candidates: Codes) -> Codes:
    """Return the columns that the ones before them do not repeat."""
    kept, triangle = list[int](), np.zeros((0, 0))
    for j in candidates.tolist():
        along = solve_triangular(triangle, total[kept, j], lower=True) if kept else np.zeros(0)
        own = total[j, j] - along @ along
        if own > MIN_OWN_SHARE * total[j, j]:
            grown = np.zeros((len(kept) + 1,) * 2)
            grown[:-1, :-1], grown[-1, :-1], grown[-1, -1] = triangle, along, np.sqrt(own)
            kept, triangle = [*kept, j], grown
    return np.array(kept, np.int64)


def _refuse(factors: Sequence[GroupingFactor], weight: Array, varies: Flags, fixed: int, names: Sequence[str]) -> None:
    """Refuse cells whose components cannot be estimated, because different ones say the same of all rows."""
    total = float(weight.sum())
    if total <= fixed:
        raise DataError(
            f"rows of a weight of {total:g} are too few for {fixed} fixed effects and a variance. Remedy: fewer columns"
        )
    for level, factor in enumerate(factors):
        for term in factor.terms[~varies[factor.terms]].tolist():
            raise DataError(
                f"column {names[term]!r} does not vary, so its coefficient has no random effect. Remedy: leave it out "
                "of random="
            )
        if 0 not in factor.terms:
            continue
        if level == 0 and not (weight > 1.0).any():
            raise DataError(
                f"each cell of {factor.name!r} has one row, so the variance between cells is not identified beside "
                "that of the rows. Remedy: a coarser key"
            )
        within = factors[level - 1] if level else None
        if within is not None and 0 in within.terms and within.cells == factor.cells:
            raise DataError(
                f"each cell of {factor.name!r} has one of {within.name!r}, so their variances are not identified "
                f"beside each other. Remedy: random={{{within.name!r}: ...}}, which pools one of them"
            )
