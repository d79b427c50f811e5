"""Newton's method on merged curvature, and what it proves of how far the minimum is.

The losses have |ℓ'''| ≤ ℓ''. So along a line the curvature falls no faster than exp(-t R) where R bounds how fast
a margin changes, measured by the Hessian H: R² = max xᵀH⁻¹x. With ν² = gᵀH⁻¹g this gives

    f - f* ≤ ν² ψ(νR),   ψ(a) = ((1 - a) log(1 - a) + a) / a²   if νR < 1:

between ½ν² and ν². After a step d of length δ = |d|_H, on which no margin changes by more than z ≤ Rδ, the gradient
differs from g + Hd by at most δ ((exp(z) - 1) / z - 1), so the new place is known to be good before a row is read
there. With absolute values in the penalty, g is the subgradient nearest to zero.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.compiled.linear_model.proximal import sweep, violation
from tenfold.core import Array, Flags
from tenfold.core.arrays import symmetrize
from tenfold.linear_model.least_squares.normal_equations import MIN_ACCURATE_SQUARE, norms
from tenfold.stats.optimize.curvature import Curvature

EPS = float(np.finfo(np.float64).eps)
ROUNDINGS_OF_A_SUM = 4096
"""roundings of a sum over rows, at most: within a block, over blocks, up the tree"""


class QuadraticModel(NamedTuple):
    """The objective around one place, in the coordinates that are free, each in the scale of its column."""

    at: Array
    gradient: Array
    hessian: Array
    inverse: Array
    absolute: Array
    """weights of the absolute values in the penalty"""
    speed: float
    """R: how fast a margin can change per unit of Hessian length"""
    reach: float
    """how fast it can change per unit of length"""
    rough: float
    """what rounding may have done to the gradient, in the same length"""
    rank: int
    tied: int
    """the number of classes, if adding the same to all changes nothing but absolute values; else 0"""

    @property
    def is_valid(self) -> bool:
        """Whether the Hessian is so far from singular that its rounding does not matter."""
        return EPS * ROUNDINGS_OF_A_SUM * _norm(self.hessian) * _norm(self.inverse) < 0.01

    def step(self) -> Array:
        """Step to the minimum of the quadratic model with its absolute values."""
        if not self.absolute.any():
            return _refined(self.hessian, self.inverse, -self.gradient)
        root = _roots(self.hessian)
        S = self.hessian / np.outer(root, root)
        v, l = self.at * root, self.absolute / root
        return np.asarray(_proximal(S, S @ v - self.gradient / root, l, v, root, self.tied) / root - self.at)

    def falls(self, d: Array) -> float:
        """First-order decrease of the objective that a step predicts."""
        more = self.absolute @ (np.abs(self.at + d) - np.abs(self.at))
        return -float(self.gradient @ d + more)

    def decrement(self, d: Array) -> float:
        """Length of the gradient that the quadratic has after a step, with the best subgradient."""
        g = self.gradient + self.hessian @ d
        u, l = self.at + d, self.absolute
        g = np.where(u == 0, np.sign(g) * np.maximum(np.abs(g) - l, 0.0), g + l * np.sign(u))
        blur = len(d) * EPS * _norm(self.hessian) * math.sqrt(_norm(self.inverse) * float(d @ d))
        return math.sqrt(max(float(g @ self.inverse @ g), 0.0)) + self.rough + blur

    def gap(self, d: Array | None = None) -> float:
        """How far the objective after a step (or none) can be above its minimum; infinite if nothing is known."""
        d = np.zeros_like(self.at) if d is None else d
        with np.errstate(over="ignore", invalid="ignore"):  # then nothing is known
            length = math.sqrt(max(float(d @ self.hessian @ d), 0.0))
            nu = self.decrement(d)
        z = min(self.speed * length, self.reach * math.sqrt(float(d @ d)))  # no margin changes by more on the way
        if not (z < 50 and nu < math.inf):
            return math.inf
        nu = (nu + length * (math.expm1(z) / z - 1 if z > 1e-8 else z / 2)) * math.exp(z / 2)
        a = nu * self.speed * math.exp(z / 2)
        return 1.02 * nu * nu * psi(a) if a < 1 else math.inf  # 2%: rounding of the Hessian, if it is sound


def psi(a: float) -> float:
    """((1 - a) log(1 - a) + a) / a²: from ½ at 0 to 1 at 1."""
    return 0.5 + a / 6 + a * a / 12 if a < 1e-4 else ((1 - a) * math.log1p(-a) + a) / (a * a)


def around(s: Curvature, squared: float, absolute: float, free: Flags) -> QuadraticModel:
    """The objective around the place where a summary was made.

    `free` marks the entries (outputs x predictors) that are optimized; the others are fixed.
    """
    k, q = s.gradient.shape
    unit = np.append(1.0, s.scale)  # of a coefficient
    at = np.column_stack([s.intercept + s.coef @ s.center, s.coef]) * unit
    inner = np.ones((k, q), bool)
    inner[:, 0] = False
    weight = np.where(inner, 1.0, 0.0) / unit
    penalty = squared * weight / unit  # in this order: one over a very small unit cannot be squared
    gradient = s.gradient / unit + at * penalty
    with np.errstate(over="ignore"):  # of a constant column, whose curvature is zero
        each = np.tile(unit, k)
        units = np.outer(each, each)
    H = s.hessian() / units
    H.flat[:: k * q + 1] += penalty.ravel()
    if k > 1:  # adding the same to all classes changes no probability: without a penalty the Hessian is zero there
        for j in (0,) if squared or absolute else range(q):
            H[j::q, j::q] += s.weight / k
    which = np.flatnonzero(free)
    H = H[np.ix_(which, which)]
    back, rank = inverse(H)
    reach = math.sqrt((2.0 if k > 1 else 1.0) * s.reach)
    speed = reach * math.sqrt(_norm(back))
    bends = float(sum(s.gram[:, 0, 0]))
    margins = math.sqrt(s.reach * float((at**2).sum()))
    rough = EPS * speed * ((q + 8) * margins * bends + ROUNDINGS_OF_A_SUM * s.size)
    absolute_weight = (absolute * weight).ravel()[which]
    tied = k if k > 1 and absolute and not squared else 0
    return QuadraticModel(
        at.ravel()[which], gradient.ravel()[which], H, back, absolute_weight, speed, reach, rough, rank, tied
    )


def place(d: Array, s: Curvature, free: Flags) -> tuple[Array, Array]:
    """Coefficients and intercepts after a step from the place of a summary."""
    move = np.zeros(free.shape)
    move[free] = d
    move /= np.append(1.0, s.scale)
    coef = s.coef + move[:, 1:]
    coef = np.where(np.abs(coef) <= 4 * EPS * np.abs(s.coef), 0.0, coef)  # where a step goes to zero
    return coef, s.intercept + (move[:, 0] - (coef - s.coef) @ s.center)


def moved(a: tuple[Array, Array], b: tuple[Array, Array], metric: tuple[Array, Array]) -> Array:
    """The step from one place to another, outputs x predictors, in the scale of the columns."""
    center, scale = metric
    coef = b[0] - a[0]
    constant = (b[1] + b[0] @ center) - (a[1] + a[0] @ center)
    return np.column_stack([constant, coef]) * np.append(1.0, scale)


def levelled(constant: Array) -> Array:
    """Constants of the classes, the same taken off all: that changes no probability, and their mean is zero."""
    return np.asarray(constant - constant.mean())


def strong(s: Curvature, squared: float, free: Flags) -> float:
    """A bound on the gap without the Hessian, where there is a squared penalty.

    With h = Σ wℓ'' and μ = Σ wℓ''x / h: |g - g₀μ|² / 2λ + h ((1 - a) log(1 - a) + a), where a = |g₀| / h < 1.
    """
    if not squared:
        return math.inf
    if len(s.coef) > 1:
        return _dual(s, squared, free)
    g = np.where(free[0, 1:], s.gradient[0, 1:] + squared * s.coef[0], 0.0)
    first = 0.0
    if free[0, 0]:
        h, g0 = float(s.drift[0, 0]), float(s.gradient[0, 0])
        a = abs(g0) / h if h > 0 else math.inf
        if not a < 1:
            return math.inf
        g = np.where(free[0, 1:], g - (g0 / h) * s.drift[0, 1:], 0.0)
        first = h * a * a * psi(a)
    blur = EPS * ROUNDINGS_OF_A_SUM * s.size * math.sqrt(s.reach) * float(np.abs(s.center).max(initial=1.0))
    far = float(norms(g[None])[0]) + blur
    return far * far / (2 * squared) + first


def _dual(s: Curvature, squared: float, free: Flags) -> float:
    """Dual objective at the probabilities of many classes, mixed with constant ones until they are feasible.

    The mixture has weight θ; entropy is concave, so its own is at least that of the parts.
    """
    g, sums = s.gradient, s.drift
    if not (sums[:, 0] > 0).all():  # a class without rows, as in a bag
        return math.inf
    constant = s.intercept + s.coef @ s.center
    theta, fair = 0.0, np.zeros(len(g))
    if free[0, 0]:
        ratio = float((g[:, 0] / sums[:, 0]).max())
        theta = max(ratio, 0.0) / (1 + max(ratio, 0.0))
        if theta:
            fair = np.maximum(theta * sums[:, 0] - (1 - theta) * g[:, 0], 0.0) / (theta * s.weight)
    entropy = -float((fair * np.log(np.where(fair > 0, fair, 1.0))).sum())
    change = -theta * (g[:, 1:] + sums[:, 1:] - fair[:, None] * sums[:, 1:].sum(axis=0))
    miss = squared * s.coef + g[:, 1:] + change
    along = float((g[:, 1:] * s.coef).sum() + g[:, 0] @ constant)
    mixed = theta * (s.loss - along - s.weight * entropy)
    return float((miss**2).sum()) / (2 * squared) - float((s.coef * change).sum()) + float(g[:, 0] @ constant) + mixed


def inverse(H: Array) -> tuple[Array, int]:
    """The inverse of a Hessian, or its pseudo-inverse, and the rank."""
    if not len(H):
        return H, 0
    root = _roots(H)
    S = H / np.outer(root, root)
    factor, info = sla.lapack.dpotrf(S, lower=1)
    if not info:
        found, info = sla.lapack.dpotri(factor, lower=1)
        found = symmetrize(found)
        if not info and _norm(found) * len(H) * EPS < 1e-4:
            return found / np.outer(root, root), len(H)
    values, vectors = sla.eigh(S)
    keep = values > EPS * len(S) * max(float(values[-1]), 0.0)
    half = vectors[:, keep] / np.sqrt(values[keep]) / root[:, None]
    return half @ half.T, int(keep.sum())


def root_of(H: Array, free: Flags) -> Array:
    """R with RRᵀ the inverse of a Hessian in the entries that are free, zeros in the others."""
    inner, _ = inverse(H[np.ix_(free, free)])
    unit = _roots(inner)
    values, vectors = sla.eigh(inner / np.outer(unit, unit))
    root = np.zeros((len(H), len(inner)))
    root[free] = unit[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    return root


def _proximal(S: Array, q: Array, l: Array, v: Array, root: Array, tied: int) -> Array:
    """The v that minimises ½ vᵀSv - qᵀv + Σ lⱼ|vⱼ|: coordinate descent finds the signs, a direct step the rest.

    If classes are `tied`, the median of each column's coefficients, v / root, goes to zero.
    """
    S = np.ascontiguousarray(S)
    small = 1e-14 * float(np.abs(q).max(initial=0.0))
    best, least = v, math.inf
    for _ in range(400):
        u = q - S @ v
        sweep(S, l, 8, v, u)
        if tied:
            each = (v / root).reshape(tied, -1)
            each[:, l[: each.shape[1]] > 0] -= np.sort(each, axis=0)[(tied - 1) // 2, l[: each.shape[1]] > 0]
            v = each.ravel() * root
        live = np.flatnonzero(v)
        back, _ = inverse(S[np.ix_(live, live)])
        direct = np.zeros_like(v)
        direct[live] = _refined(S[np.ix_(live, live)], back, q[live] - l[live] * np.sign(v[live]))
        if ((direct * v >= 0) | (l == 0)).all():
            v = direct
        off = violation(q - S @ v, l, v)
        best, least = (v.copy(), off) if off < least else (best, least)
        if off <= small:
            break
    return best


def _roots(H: Array) -> Array:
    """Square roots of the diagonal; 1 where it is too small to divide by."""
    return np.sqrt(np.where(np.diag(H) > MIN_ACCURATE_SQUARE, np.diag(H), 1.0))


def _refined(H: Array, back: Array, b: Array) -> Array:
    x = back @ b
    return np.asarray(x + back @ (b - H @ x))


def _norm(A: Array) -> float:
    """Upper bound on the largest eigenvalue of a symmetric matrix."""
    return float(np.abs(A).sum(axis=0).max(initial=0.0))
