"""Least squares of very many categories by conjugate gradients: the table of their pairs is never made.

The numeric columns are eliminated: the Schur complement, S x = b over the categories, is CᵀWC less matrices of small
rank, so that a step needs one product with it, from one look at the codes of the rows. The weights of the categories
precondition. Without a penalty S is singular, as a column's categories sum to a constant; the residuals never leave
its range, and in the end the reference category of each column is put to 0.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.core import Array, Codes
from tenfold.linear_model.least_squares.normal_equations import EPS
from tenfold.stats.moments.category_moments import CodedMoments

RESIDUAL_TOLERANCE = 1e-12
"""length of the residual at which the steps end, as a share of that at 0"""
MAX_STEPS_PER_RESIDUAL = 1000
"""at most, before the residual is looked at again"""


class Search(NamedTuple):
    """Iterate, residual and direction of a conjugate gradient search."""

    x: Annotated[Array, "unknown"]
    residual: Annotated[Array, "unknown"]
    direction: Annotated[Array, "unknown"]
    small: Annotated[Array, "unknown", "number"]
    """G such that CᵀWC - GGᵀ is the Schur complement of numbers and constant, before the penalty"""
    diagonal: Annotated[Array, "unknown"]
    """of the preconditioner"""
    energy: float
    """rᵀD⁻¹r"""
    first: float
    """the same at x = 0"""
    steps: Annotated[Array, "iteration"]
    ratios: Annotated[Array, "iteration"]
    """of the energies of one step and the next"""
    curvature: float
    """the least of D⁻¹S that the steps have met"""
    begun: int
    """how often"""


class System(NamedTuple):
    """S x = b, and the way back to all coefficients."""

    small: Array
    half: Array
    """H with HHᵀ the inverse of the normal matrix of the numbers"""
    cross: Array
    right: Array
    diagonal: Array
    second: Array
    alpha: float

    @classmethod
    def of(cls, m: CodedMoments, alpha: float, fit_intercept: bool) -> System:
        """Build the Schur complement from moments; the penalty enters here."""
        p = len(m.mean) - 1
        second, cross = m.comoment, m.cross
        constant = m.count[:, None] / math.sqrt(m.weight)
        if not fit_intercept:
            second, cross = second + m.weight * np.outer(m.mean, m.mean), cross + np.outer(m.count, m.mean)
            constant = constant[:, :0]
        square = np.diag(second)[:p]
        varies = square > m.weight * (4 * EPS * m.mean[:p]) ** 2
        with np.errstate(invalid="ignore"):
            scale = np.where(varies, np.sqrt(square + alpha), np.inf)
        values, vectors = sla.eigh((second[:p, :p] + alpha * np.eye(p)) / np.outer(scale, scale))
        keep = values > EPS * max(p, 1) * values[-1:].max(initial=0.0)
        half = vectors[:, keep] / np.sqrt(values[keep]) / scale[:, None]
        inner = cross[:, :p] @ half
        right = cross[:, p] - inner @ (half.T @ second[:p, p])
        diagonal = np.where(m.count + alpha > 0, m.count + alpha, 1.0)
        return cls(np.hstack([inner, constant]), half, cross, right, diagonal, second, alpha)

    def residual(self, m: CodedMoments) -> Array:
        """b - S x where the product was taken."""
        return self.right - _times(m.product, m.at, self.small, self.alpha)

    def numbers(self, x: Array) -> Array:
        """The coefficients of the numeric columns that go with those of the categories."""
        p = len(self.second) - 1
        return self.half @ (self.half.T @ (self.second[:p, p] - self.cross[:, :p].T @ x))

    def blur(self, m: CodedMoments) -> Array:
        """Rounding error bound of each entry of the residual."""
        p = len(self.second) - 1
        parts = np.abs(m.product) + np.abs(self.cross[:, p]) + np.abs(self.small) @ np.abs(self.small.T @ m.at)
        return EPS * (1.0 + np.log2(m.weight + 1.0) / 8) * parts

    @property
    def square(self) -> float:
        """Σ w (y - ȳ)², or Σ w y²."""
        return float(self.second[-1, -1])


def begin(system: System, m: CodedMoments, before: int) -> Search:
    """The search from where the residual was taken; it has begun so often before."""
    residual, D, none = system.residual(m), system.diagonal, np.zeros(0)
    z = residual / D
    first = float(system.right @ (system.right / D))
    return Search(m.at, residual, z, system.small, D, float(residual @ z), first, none, none, m.curvature, before + 1)


def step(s: Search, product: Array, alpha: float) -> Search:
    """Take one step along the direction, given its product with the matrix."""
    image = _times(product, s.direction, s.small, alpha)
    bend = float(s.direction @ image)
    if bend <= 0:
        return s._replace(energy=0.0)  # nothing but rounding is left
    length = s.energy / bend
    residual = s.residual - length * image
    z = residual / s.diagonal
    energy = float(residual @ z)
    return s._replace(
        x=s.x + length * s.direction,
        residual=residual,
        direction=z + (energy / s.energy) * s.direction,
        energy=energy,
        steps=np.append(s.steps, length),
        ratios=np.append(s.ratios, energy / s.energy),
    )


def ended(s: Search) -> bool:
    """Whether the steps have come as near as they get."""
    return s.energy <= RESIDUAL_TOLERANCE**2 * s.first or len(s.steps) >= MAX_STEPS_PER_RESIDUAL


def least_curvature(s: Search) -> float:
    """The smallest Ritz value of the steps (Lanczos)."""
    if not len(s.steps):
        return s.curvature
    diagonal = 1 / s.steps
    diagonal[1:] += s.ratios[:-1] / s.steps[:-1]
    found = sla.eigvalsh_tridiagonal(diagonal, np.sqrt(s.ratios[:-1]) / s.steps[:-1])
    return float(min(s.curvature, max(found[0], EPS)))


def with_references(x: Array, count: Array, levels: Codes, fit_intercept: bool) -> Array:
    """Shift the coefficients so that the first category of each column with any weight has coefficient 0.

    If there is no constant, the categories of the first column take its place.
    """
    x = np.where(count > 0, x, 0.0)
    some = levels[levels > 0]
    cuts = [slice(a, a + n) for a, n in zip(np.cumsum(some) - some, some)]
    for cut in cuts if fit_intercept else cuts[1:]:
        moved = x[cut][(count[cut] > 0).argmax()]
        x[cut] = np.where(count[cut] > 0, x[cut] - moved, 0.0)
        if not fit_intercept:
            x[cuts[0]] += np.where(count[cuts[0]] > 0, moved, 0.0)
    return x


def _times(product: Array, x: Array, small: Array, alpha: float) -> Array:
    """Product S x with the Schur complement, from CᵀWC x."""
    return product - small @ (small.T @ x) + alpha * x
