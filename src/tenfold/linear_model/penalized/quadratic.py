"""Penalised least squares free of units: min ½ |t - Zᵀβ|² + Σ lⱼ|βⱼ| + ½ Σ mⱼβⱼ².

The rows of Z are the columns of the data, centred and scaled to length one, and t is the target, likewise. From
moments there is S = ZZᵀ and q = Zt, and coordinate descent works on those (`Gram`). From rows there is Z itself:
products with the residual find the columns that matter, and descent works on the S of these alone (`Wide`).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp

from tenfold.compiled.linear_model.coordinates import add_squares, descend_coordinates, duality_gap, gap_within
from tenfold.compiled.moments.moments import correlate
from tenfold.compiled.rows.extremes import all_finite
from tenfold.core import Array, Codes, DataError
from tenfold.linear_model.least_squares.normal_equations import EPS, ERROR_DEVIATIONS, constant, varying
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows.wide_rows import Rows

NEGLIGIBLE_GAP = 1e-13
"""gaps below are not worth a closer look"""
ROUNDING_GAP = 64 * EPS
"""gaps below are rounding errors: a smaller `tol` would never be reached"""
FAR_MEAN_DEVIATIONS = 8.0
"""means beyond this many standard deviations lose digits"""
LARGEST_PENALTY = 1e150
"""a penalty that leaves a coefficient nothing, and can still be squared"""


class Quadratic:
    """Base of both forms: the scaling of penalties, coefficients and duality gaps."""

    how: str
    """in words, for certificates"""
    rough = 1.0
    """by how much products are less exact than usual"""
    curvature = 0.0
    """no direction is less curved than this: how far a gap allows the minimiser to be; 0 if unknown"""

    def __init__(self, mean: Array, spread: Array, weight: float, fit_intercept: bool) -> None:
        """Set the scaling from means and mean squares of columns and target (centred if there is an intercept)."""
        self.weight, self.fit_intercept = weight, fit_intercept
        self.mean = mean
        self.varies = varying(spread[:-1], mean[:-1], 1.0)
        """which columns are more than a constant and its rounding"""
        self.scale = np.sqrt(np.where(self.varies, spread[:-1], 1.0))
        self.unit = math.sqrt(spread[-1]) if spread[-1] > (4 * EPS * mean[-1]) ** 2 else 0.0
        """of the target; 0 if it is constant"""
        self._last: tuple[Any, Any] = (None, None)
        """the penalties that were asked for last: to descend, and again for the gap"""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.scale)

    def products(self, beta: Array) -> tuple[Array, float]:
        """Z times the residual, and the square of the residual."""
        raise NotImplementedError

    def correlations(self) -> Array:
        """q = Zt, the products of the centred and scaled columns with the target."""
        return self.products(np.zeros(self.width))[0]

    def descend(self, l: Array, m: Array, positive: bool, tol: float, most: int, beta: Array) -> tuple[Array, int]:
        """The minimiser, from a start, and how many sweeps it took."""
        raise NotImplementedError

    def solve(
        self, alpha: float, l1_ratio: float, positive: bool, tol: float, most: int, start: Array | None = None
    ) -> tuple[Array, int]:
        """The minimiser in units of its own: β such that the gap, as a share of ½|t|², is at most `tol`."""
        start = np.zeros(self.width) if start is None else start
        if not self.unit:
            return np.zeros(self.width), 0
        return self.descend(*self.penalties(alpha, l1_ratio), positive, 0.5 * max(tol, ROUNDING_GAP), most, start)

    def penalties(self, alpha: float, l1_ratio: float) -> tuple[Array, Array]:
        """The penalties of each coefficient: l of absolute values, m of squares."""
        if self._last[0] != (alpha, l1_ratio):
            self._last = ((alpha, l1_ratio), self._penalties(alpha, l1_ratio))
        return self._last[1]

    def _penalties(self, alpha: float, l1_ratio: float) -> tuple[Array, Array]:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # of columns so small that they count 0
            l = np.where(self.varies, alpha * l1_ratio / (self.scale * (self.unit or 1.0)), 1.0)
            m = np.where(self.varies, alpha * (1.0 - l1_ratio) / self.scale**2, float(l1_ratio < 1.0))
        if np.isfinite(l).all() and np.isfinite(m).all():
            return l, m
        return np.nan_to_num(l, posinf=LARGEST_PENALTY), np.nan_to_num(m, posinf=LARGEST_PENALTY)

    def largest(self, l1_ratio: float, positive: bool) -> float:
        """The least alpha for which all coefficients are 0."""
        if not self.unit:
            return 0.0
        slope = np.where(self.varies, self.correlations() * self.scale * self.unit, 0.0)
        return float((slope if positive else np.abs(slope)).max(initial=0.0)) / l1_ratio

    def values(self, beta: Array) -> tuple[Array, float]:
        """Coefficients and intercept in the units of the data."""
        coef = np.where(self.varies, beta * (self.unit / self.scale), 0.0)
        return coef, constant(self.mean, coef) if self.fit_intercept else 0.0

    def gap(self, coef: Array, alpha: float, l1_ratio: float, positive: bool) -> float:
        """How far the objective can be above its minimum, as a share of ½|t|², rounding included."""
        if not self.unit:
            return 0.0 if not coef.any() else math.inf
        beta, u, rest, error = self.standardized(coef)
        l, m = self.penalties(alpha, l1_ratio)
        found = float(duality_gap(beta, u, rest + error, l, m, positive, error))
        if NEGLIGIBLE_GAP < found < 1.0 and self.curvature > 0.0:
            reach = math.sqrt(2.0 * found / self.curvature)
            found = min(found, float(gap_within(beta, u, l, m, positive, error, reach)))
        return self.share(found, coef)

    def standardized(self, coef: Array) -> tuple[Array, Array, float, float]:
        """Coefficients in units of their own, Z times their residual, its square, and how wrong a product may be."""
        beta = np.where(self.varies, coef * self.scale / self.unit, 0.0)
        u, rest = self.products(beta)
        gamma = EPS * (1.0 + math.log2(self.weight + 1.0) / 8)
        return beta, u, rest, ERROR_DEVIATIONS * self.rough * gamma * math.sqrt(1.0 + float(beta @ beta))

    def share(self, found: float, coef: Array) -> float:
        """A gap as a share of ½|t|², with what rounding of the intercept adds."""
        slip = 0.0
        if self.fit_intercept:
            size = self.mean[-1] ** 2 + float(((self.mean[:-1] * coef) ** 2).sum()) + self.unit**2
            slip = 2 * EPS * math.sqrt(size) / self.unit
        return 2.0 * found + slip**2


class Gram(Quadratic):
    """A quadratic whose products of columns are those of a Gram matrix, made of moments."""

    how = "coordinate descent on the Gram matrix of merged moments"

    def __init__(self, m: Moments, fit_intercept: bool) -> None:
        p = len(m.mean) - 1
        second = np.ascontiguousarray(m.comoment / m.weight)
        if not fit_intercept:
            with np.errstate(over="ignore", invalid="ignore"):
                second = second + np.outer(m.mean, m.mean)
        if not all_finite(second):
            raise DataError("products of the columns are too large. Remedy: divide each by its largest value")
        super().__init__(m.mean, np.diag(second).copy(), m.weight, fit_intercept)
        self.S = np.empty((p, p))
        correlate(second, self.varies, self.scale, self.S)
        self.q = np.where(self.varies, second[:p, p] / (self.scale * (self.unit or 1.0)), 0.0)

    @cached_property
    def curvature(self) -> float:  # type: ignore[override]
        """The smallest eigenvalue of S, less what rounding may have added."""
        least = sla.eigvalsh(self.S, subset_by_index=[0, 0])[0]
        return float(least) - 16 * EPS * self.width * (1.0 + math.log2(self.weight + 1.0) / 8)

    def products(self, beta: Array) -> tuple[Array, float]:
        u = self.q - self.S @ beta
        return u, max(1.0 - float(beta @ (self.q + u)), 0.0)

    def descend(self, l: Array, m: Array, positive: bool, tol: float, most: int, beta: Array) -> tuple[Array, int]:
        beta, u = beta.copy(), np.empty_like(self.q)
        sweeps, _ = descend_coordinates(self.S, self.q, l, m, positive, tol, most, beta, u)
        return beta, int(sweeps)


class Wide(Quadratic):
    """Quadratic form from held rows, fewer than columns: only the Gram matrix of active columns is formed.

    Z is not formed either; its products come from the raw rows, unless their means are so large that this would
    lose digits.
    """

    def __init__(self, rows: Rows, fit_intercept: bool) -> None:
        X, weight = rows.matrix(), float(rows.weight.sum())
        share = rows.weight / weight
        mean = np.append(share @ X, share @ rows.y)
        around = mean if fit_intercept else np.zeros_like(mean)
        spread = np.append(_squares(X, share, around[:-1]), share @ (rows.y - around[-1]) ** 2)
        super().__init__(mean, spread, weight, fit_intercept)
        self.X, self.root, self.around = X, np.sqrt(share), around[:-1]
        far = float(np.abs(self.around / self.scale)[self.varies].max(initial=0.0))
        if far > FAR_MEAN_DEVIATIONS and not sp.issparse(X):
            self.X, self.around, far = X - self.around, np.zeros_like(self.around), 0.0
        self.rough = 1.0 + far
        kind = "CSR " if sp.issparse(X) else ""
        self.how = (
            f"columns picked by their products with the residual of {len(rows):,} {kind}rows, no whole Gram matrix"
        )
        self.target = self.root * (rows.y - around[-1]) / (self.unit or 1.0)
        self.forget()

    def forget(self) -> None:
        """Forget the columns that were looked up."""
        self.held = np.zeros(0, np.int64)
        self.some = np.zeros((0, len(self.target)))
        self.S = np.zeros((0, 0))

    def rows(self, which: Codes) -> Array:
        """Some rows of Z: columns of the data, centred and scaled."""
        some = self.X[:, which]
        some = some.toarray() if sp.issparse(some) else some
        found = np.ascontiguousarray((some - self.around[which]).T) * self.root / self.scale[which, None]
        found[~self.varies[which]] = 0.0
        return np.asarray(found)

    def along(self, r: Array) -> Array:
        """Zr, the products of all centred and scaled columns with a vector over the rows."""
        moved = self.root * r
        return np.where(self.varies, (moved @ self.X - self.around * moved.sum()) / self.scale, 0.0)

    def products(self, beta: Array) -> tuple[Array, float]:
        which = np.flatnonzero(beta)
        r = self.target - beta[which] @ self.rows(which)
        return self.along(r), float(r @ r)

    def descend(self, l: Array, m: Array, positive: bool, tol: float, most: int, beta: Array) -> tuple[Array, int]:
        if not l[self.varies].any() and not positive:
            return self._ridge(m), 1
        beta, sweeps = beta.copy(), 0
        while True:
            u, rest = self.products(beta)
            gap = duality_gap(beta, u, rest, l, m, positive, 0.0)
            above = (u if positive else np.abs(u)) / l
            above[beta != 0] = np.inf
            above[self.held] = 0.0
            count = min(int((above > 1.0).sum()), max(2 * int((beta != 0).sum()), 64))
            if gap <= tol or sweeps >= most or (sweeps and not count):
                return beta, sweeps
            self._hold(np.sort(np.argsort(-above, kind="stable")[:count]), beta)
            at = self.held
            some, v = beta[at], np.empty(len(at))
            q = self.some @ self.target
            done, _ = descend_coordinates(self.S, q, l[at], m[at], positive, 0.25 * tol, most, some, v)
            beta = np.zeros_like(beta)
            beta[at] = some
            sweeps += int(done) + 1

    def _hold(self, new: Codes, beta: Array) -> None:
        """More columns, and their products with all that are held."""
        if len(self.held) + len(new) > max(4 * len(self.target), 512) and len(self.held):
            self.forget()
            new = np.union1d(new, np.flatnonzero(beta))
        fresh = self.rows(new)
        inner, cross = fresh @ fresh.T, self.some @ fresh.T
        np.fill_diagonal(inner, 1.0)
        self.S = np.ascontiguousarray(np.block([[self.S, cross], [cross.T, inner]]))
        self.held, self.some = np.append(self.held, new), np.vstack([self.some, fresh])

    def _ridge(self, m: Array) -> Array:
        """The closed form by way of the rows: β = M⁻¹Z(ZᵀM⁻¹Z + 1)⁻¹t."""
        every = self.rows(np.arange(self.width))
        small = (every / m[:, None]).T @ every
        small[np.diag_indices_from(small)] += 1.0
        return np.asarray(every @ sla.solve(small, self.target, assume_a="pos") / m)


def _squares(X: Array | sp.csr_array, share: Array, around: Array) -> Array:
    """Mean squares of the columns around some values."""
    if isinstance(X, np.ndarray):
        out = np.zeros(X.shape[1])
        add_squares(X, share, around, out)
        return out
    squares, there = X.copy(), X.copy()
    squares.data = (X.data - around[X.indices]) ** 2
    there.data = np.ones_like(X.data)
    return np.asarray(share @ squares + (1.0 - share @ there).clip(0.0) * around**2)


def quadratic(summary: Moments | Rows, fit_intercept: bool) -> Quadratic:
    """The problem that a summary, moments or rows, poses."""
    return Wide(summary, fit_intercept) if isinstance(summary, Rows) else Gram(summary, fit_intercept)
