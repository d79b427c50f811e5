"""Variance components by restricted maximum likelihood, from squares and products of cells alone.

Minus twice the restricted log-likelihood, profiled over σ² and the fixed effects as lme4 has it, is

    d(θ) = Σ log |I + L'Z'ZL| + log |X'V⁻¹X| + (n - p) (1 + log 2πr²/(n - p)),

where θ are the triangles L of all levels, D = LL' is a covariance in units of the noise, and r² what is left of y'V⁻¹y.
One level after another is eliminated, the finest first: what is left of the cells of a parent adds up to its own
squares and products. Backwards the same recursion has the derivatives. In L a component of zero is always stationary;
whether it is a minimum is seen in the derivative by D.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_solve
from scipy.optimize import minimize

from tenfold.compiled.models.variance_components import differentiate_effects, eliminate_effects
from tenfold.core import Array, Codes, Flags

STARTS = (0.5, 1.0, 2.0)
"""standard deviations of effects, in those of the residuals of the fixed effects, where searches begin"""
MAX_RESTARTED_CELLS = 1 << 14
"""cells, at most, with which the deviance may have several minima: with more, its noise is small beside its slopes"""
MAX_ITERATIONS = 500
FIRST_TOLERANCE = 1e-9
"""relative change of the deviance after which Newton's steps take over"""
MAX_RESTARTS = 4
MAX_SMALL = 0.01
"""variances, in those of the residuals of the fixed effects, that are taken for zero if the deviance allows it"""
SAME_DEVIANCE, DEVIANCE_ROUNDING = 1e-8, 1e-13
"""differences of the deviance that do not count: absolute, and as a share of it"""
MAX_NEWTON_STEPS = 12
MAX_NEWTON_PARAMETERS = 40
"""parameters, at most, whose second derivatives are computed, by differences of the gradient"""
DIFFERENCE = 1e-4
ESCAPES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
"""variances that are tried for a component that is zero"""
MIN_RESIDUAL = 1e-14
"""of the squares of the target, at least, that are taken to be left"""


class GroupingFactor(NamedTuple):
    """A level of cells, whose random terms differ from those of the parent."""

    name: str
    terms: Codes
    """places of the random terms among the columns"""
    parent: Codes
    """of each cell"""
    parents: int

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.parent)


class NestedProducts(NamedTuple):
    """Squares and products of the columns, the target last, of cells within cells."""

    factors: tuple[GroupingFactor, ...]
    """the finest first; the parent of the cells of the last is the population"""
    finest: Array
    """cells of the finest level x random terms x columns"""
    sums: Array
    """parents of these x columns x columns: the sums over the cells of each"""
    fixed: Codes
    """columns that have a fixed effect"""
    weight: float
    varying: tuple[bool, ...]
    """of each level, whether more than one cell has rows: if not, the variance of its effects is not known"""


class Elimination(NamedTuple):
    """Squares and products when the random effects are taken out, level by level."""

    products: list[Array]
    """cells x random terms x columns, of each level"""
    spread: list[Array]
    """P of the cells of each level: the covariance of their effects, given the rest, in units of the noise"""
    left: Array
    """columns x columns: what all rows say of the fixed effects"""
    log_det: float


class FixedEffects(NamedTuple):
    """Generalised least squares, by what is left when the random effects are taken out."""

    coef: Array
    """of all columns but the target; 0 of those without a fixed effect"""
    covariance: Array
    """the same, in units of the noise"""
    residual: float
    """r²"""
    log_det: float


class Estimate(NamedTuple):
    """Where the search ended."""

    factors: list[Array]
    """L of each level"""
    deviance: float
    gradient: Array
    """by the parameters that are not zero"""
    decrement: float
    """by how much the deviance would fall in one more step of Newton's; NaN: not known"""
    escape: float
    """least slope of the deviance by a component that is zero; infinite: none is"""
    evaluations: int
    information: Array
    """second derivatives of the deviance by the free parameters; of size 0: not known"""
    free: Flags


class RestrictedLikelihood:
    """The deviance of some products, as a function of the triangles of all levels."""

    def __init__(self, products: NestedProducts) -> None:
        self.products, self.evaluations = products, 0
        sizes = [len(f.terms) * varies for f, varies in zip(products.factors, products.varying, strict=True)]
        self._places = [np.tril_indices(size) for size in sizes]
        self._indicators = [_indicator(factor) for factor in products.factors[1:]]

    # ---- parameters --------------------------------------------------------------------------------

    def triangles(self, theta: Array) -> list[Array]:
        """Return L of each level."""
        found, at = [], 0
        for factor, (rows, columns) in zip(self.products.factors, self._places, strict=True):
            L = np.zeros((len(factor.terms),) * 2)
            L[rows, columns] = theta[at : at + len(rows)]
            at += len(rows)
            found.append(L)
        return found

    def parameters(self, matrices: Sequence[Array]) -> Array:
        """Return the lower triangles of some matrices in one vector."""
        each = [matrix[place] for matrix, place in zip(matrices, self._places, strict=True)]
        return np.concatenate(each) if each else np.zeros(0)

    # ---- the deviance ------------------------------------------------------------------------------

    def eliminate(self, triangles: Sequence[Array]) -> Elimination:
        """Take out the random effects of all levels."""
        factors = self.products.factors
        products, left = self.products.finest, self.products.sums.copy()
        each, spreads, log_det = [], [], 0.0
        for level, (factor, L) in enumerate(zip(factors, triangles, strict=True)):
            if level:
                left = np.tril(left)
                left += np.tril(left, -1).transpose(0, 2, 1)
                products = np.ascontiguousarray(left[:, factor.terms])
                left = (self._indicators[level - 1] @ left.reshape(len(left), -1)).reshape(-1, *left.shape[1:])
            spread = np.empty((factor.cells, len(L), len(L)))
            log_det += eliminate_effects(products, factor.terms, L, factor.parent, spread, left)
            each.append(products)
            spreads.append(spread)
        whole = np.tril(left[0])
        return Elimination(each, spreads, whole + np.tril(whole, -1).T, log_det)

    def fixed_effects(self, left: Array) -> FixedEffects:
        """Solve for the fixed effects."""
        at, q = self.products.fixed, len(left) - 1
        triangle = np.linalg.cholesky(left[np.ix_(at, at)])
        inverse = cho_solve((triangle, True), np.eye(len(at)))
        coef, covariance = np.zeros(q), np.zeros((q, q))
        coef[at] = cho_solve((triangle, True), left[at, q])
        covariance[np.ix_(at, at)] = (inverse + inverse.T) / 2
        residual = max(float(left[q, q] - left[at, q] @ coef[at]), MIN_RESIDUAL * self.products.weight)
        return FixedEffects(coef, covariance, residual, 2 * float(np.log(np.diag(triangle)).sum()))

    def deviance(self, triangles: Sequence[Array], slopes: bool = True) -> tuple[float, list[Array]]:
        """Return the deviance and, if asked for, its derivative by D of each level."""
        self.evaluations += 1
        found = self.eliminate(triangles)
        try:
            fixed = self.fixed_effects(found.left)
        except np.linalg.LinAlgError:
            return math.inf, [np.zeros_like(L) for L in triangles]
        freedom = self.products.weight - len(self.products.fixed)
        value = found.log_det + fixed.log_det + freedom * (1 + math.log(2 * math.pi * fixed.residual / freedom))
        return value, self._slopes(found, fixed, freedom / fixed.residual) if slopes else []

    def _slopes(self, found: Elimination, fixed: FixedEffects, precision: float) -> list[Array]:
        """Derivatives by D of each level: from the coarsest to the finest."""
        off = np.append(-fixed.coef, 1.0)
        above = precision * np.outer(off, off)
        above[:-1, :-1] += fixed.covariance
        above, slopes = above[None], list[Array]()
        for level in range(len(self.products.factors) - 1, -1, -1):
            factor, products = self.products.factors[level], found.products[level]
            k, w = products.shape[1:]
            slope, below = np.zeros((k, k)), np.empty((factor.cells if level else 0, w, w))
            differentiate_effects(products, factor.terms, found.spread[level], factor.parent, above, slope, below)
            slopes.append((slope + slope.T) / 2)
            above = below
        return slopes[::-1]

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return the deviance, and its gradient by the parameters."""
        triangles = self.triangles(theta)
        value, slopes = self.deviance(triangles)
        return value, self.parameters([2 * slope @ L for slope, L in zip(slopes, triangles, strict=True)])

    # ---- the search --------------------------------------------------------------------------------

    def maximize(self) -> Estimate:
        """Search for the components of the largest likelihood; from several starts if some of them are zero there.

        The edge of the matrices that are covariances has corners, so the deviance may have several minima on it.
        """
        best = self._searched(self._descended(self._start(STARTS[0]), FIRST_TOLERANCE))
        few = max(factor.cells for factor in self.products.factors) <= MAX_RESTARTED_CELLS
        for start in STARTS[1:] if few and math.isfinite(best.escape) else ():
            theta = self._descended(self._start(start), FIRST_TOLERANCE)
            if self(theta)[0] < best.deviance - _same(best.deviance):
                found = self._searched(theta)
                best = found if found.deviance < best.deviance else best
        return best._replace(evaluations=self.evaluations)

    def _start(self, deviation: float) -> Array:
        """Return parameters at which all effects have one standard deviation and no correlation."""
        return self.parameters([deviation * np.eye(len(factor.terms)) for factor in self.products.factors])

    def _searched(self, theta: Array) -> Estimate:
        """Go on from where a descent ended: by steps of Newton's, and away from an edge that is no minimum."""
        for _ in range(MAX_RESTARTS):
            estimate = self._polished(self._without_small(theta))
            if not estimate.decrement < _same(estimate.deviance):  # near an edge, where the deviance is no parabola
                theta = self.parameters(estimate.factors)
                estimate = self._polished(self._without_small(self._descended(theta, 0.0)))
            escape, onward = self._escaped(estimate)
            if onward is None:
                break
            theta = self._descended(onward, FIRST_TOLERANCE)
        return estimate._replace(escape=escape)

    def _descended(self, theta: Array, tolerance: float) -> Array:
        """Descend without bounds: a triangle with other signs is the same covariance."""
        if not len(theta):
            return theta
        options = {"maxiter": MAX_ITERATIONS, "maxfun": 2 * MAX_ITERATIONS, "ftol": tolerance, "gtol": 1e-6}
        found = minimize(self, theta, jac=True, method="L-BFGS-B", options=options)
        return self.parameters([_triangle_of(L @ L.T) for L in self.triangles(found.x)])

    def _without_small(self, theta: Array) -> Array:
        """Set small variances, and then small eigenvalues, to zero where the deviance does not mind."""
        triangles = self.triangles(theta)
        value = self.deviance(triangles, slopes=False)[0]
        for level, varies in enumerate(self.products.varying):
            for lesser in (_without_term, _without_direction) if varies else ():
                for j in range(len(triangles[level])):
                    D = lesser(triangles[level] @ triangles[level].T, j)
                    if D is None:
                        continue
                    other = [_triangle_of(D) if k == level else L for k, L in enumerate(triangles)]
                    lower = self.deviance(other, slopes=False)[0]
                    if lower <= value + _same(value):
                        triangles, value = other, min(value, lower)
        return self.parameters(triangles)

    def _polished(self, theta: Array) -> Estimate:
        """Take steps of Newton's while the gradient becomes smaller, in the components that are not zero."""
        whole = self.triangles(theta)
        free = self.parameters([np.where(np.diag(L) > 0, 1.0, 0.0) * np.ones_like(L) for L in whole]) > 0
        value, gradient = self(theta)
        few = 0 < free.sum() <= MAX_NEWTON_PARAMETERS
        information, decrement = np.zeros((0, 0)), 0.0 if not free.any() else math.nan
        if few:
            information = self._information(theta, free)
            sizes, vectors = np.linalg.eigh(information)
            sizes = np.maximum(np.abs(sizes), 1e-12 * np.abs(sizes).max(initial=1e-300))
            for _ in range(MAX_NEWTON_STEPS):
                step = vectors @ (vectors.T @ gradient[free] / sizes)
                decrement = float(gradient[free] @ step) / 2
                other = theta.copy()
                other[free] -= step
                lower, slope = self(other)
                closer = np.abs(slope[free]).max() < 0.5 * np.abs(gradient[free]).max()
                if not closer or lower > value + _same(value):
                    break
                theta, value, gradient = other, lower, slope
        return Estimate(self.triangles(theta), value, gradient[free], decrement, math.inf, 0, information, free)

    def _information(self, theta: Array, free: Flags) -> Array:
        """Second derivatives by the free parameters."""
        rows = []
        for j in np.flatnonzero(free):
            step = difference_step(theta, int(j))
            rows.append((self(theta + step)[1][free] - self(theta - step)[1][free]) / (2 * step[j]))
        found = np.array(rows)
        return (found + found.T) / 2

    def _escaped(self, estimate: Estimate) -> tuple[float, Array | None]:
        """Return the least slope at components that are zero and, if the deviance falls there, where it is lower."""
        slopes = self.deviance(estimate.factors)[1]
        least, lower, best = math.inf, estimate.deviance - _same(estimate.deviance), None
        for level, (L, slope) in enumerate(zip(estimate.factors, slopes, strict=True)):
            if not self.products.varying[level] or np.diag(L).all():
                continue
            sizes, vectors = np.linalg.eigh(L @ L.T)
            null = vectors[:, sizes <= 1e-12 * max(float(sizes[-1]), 1e-300)]
            values, within = np.linalg.eigh(null.T @ slope @ null)
            least = min(least, float(values[0]))
            for size in ESCAPES if values[0] < 0 else ():
                toward = null @ within[:, 0]
                other = list(estimate.factors)
                other[level] = _triangle_of(L @ L.T + size * np.outer(toward, toward))
                value = self.deviance(other, slopes=False)[0]
                if value < lower:
                    lower, best = value, other
        return least, None if best is None else self.parameters(best)


def _same(deviance: float) -> float:
    """Return by how much a deviance may differ from this one and be the same."""
    return max(SAME_DEVIANCE, DEVIANCE_ROUNDING * abs(deviance))


def difference_step(theta: Array, j: int) -> Array:
    """Return the step along one parameter by which derivatives are computed."""
    step = np.zeros(len(theta))
    step[j] = DIFFERENCE * max(abs(theta[j]), DIFFERENCE**0.5)
    return step


def _indicator(factor: GroupingFactor) -> sp.csr_array:
    """Parents x cells: which cells each parent has."""
    at = np.arange(factor.cells)
    return sp.csr_array((np.ones(factor.cells), (factor.parent, at)), shape=(factor.parents, factor.cells))


def _without_term(D: Array, j: int) -> Array | None:
    """Return a covariance without a term, whose variance is small; None, if it is not."""
    if not 0.0 < D[j, j] < MAX_SMALL:
        return None
    keep = np.arange(len(D)) != j
    return D * np.outer(keep, keep)


def _without_direction(D: Array, j: int) -> Array | None:
    """Return a covariance without the first eigenvalues, the j-th of which is small; None, if it is not."""
    sizes, vectors = np.linalg.eigh(D)
    if not 1e-14 * sizes[-1] < sizes[j] < MAX_SMALL:
        return None
    sizes[: j + 1] = 0.0
    return np.asarray((vectors * sizes) @ vectors.T)


def _triangle_of(D: Array) -> Array:
    """Return the lower triangle L of a matrix LL' that may be singular."""
    L = np.zeros_like(D)
    least = 1e-14 * max(float(np.diag(D).max(initial=0.0)), 1e-300)
    for j in range(len(D)):
        pivot = D[j, j] - L[j, :j] @ L[j, :j]
        if pivot > least:
            L[j:, j] = (D[j:, j] - L[j:, :j] @ L[j, :j]) / math.sqrt(pivot)
    return L
