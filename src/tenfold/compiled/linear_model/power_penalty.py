"""Coordinate descent on a Gram matrix with a penalty on powers of the coefficients, with Newton's steps, and its gap.

Minimise ½ - tᵀβ + ½ βᵀSβ + Σ (|βⱼ| / aⱼ)^q for q > 1, where S has a unit diagonal; aⱼ is the size at which a
coefficient costs 1. u = t - Sβ are the products of the columns with the residual.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.linear_model.coordinates import ACTIVE_SWEEPS, DIRECT_STEP_DELAY, _factor, _refresh, _solve

LOG_ZERO = -700.0
"""logarithm of a coefficient that is 0"""
MAX_NEWTON_STEPS = 60
"""of Newton's method in one coordinate at the most (it takes five), and halvings of a step"""
MAX_CURVATURE = 1e100
"""a coordinate that is more curved than this does not move in a step of all"""
HESSIAN_DAMPING = 1e-9
"""added to the curvature: of columns that are not independent, a large power has next to none near 0"""
SUM_ROUNDING = 8 * 2.0**-52
"""of a sum of three terms, as a share of their sizes"""


@inner
def _slope(b, a, q):
    """The derivative of the penalty."""
    size = q / a * (abs(b) / a) ** (q - 1.0)
    return size if b >= 0.0 else -size


@inner
def _inverse(u, a, q):
    """Return the coefficient at which the penalty has a given derivative."""
    size = a * (abs(u) * a / q) ** (1.0 / (q - 1.0))
    return size if u >= 0.0 else -size


@inner
def _root(rho, s, a, q):
    """b with s b + slope(b) = rho > 0.

    The logarithm of the left side is convex and grows with that of b, so Newton's method comes down to the root from
    where one of the two terms alone is rho.
    """
    first, second, aim, by = math.log(s), math.log(q) - q * math.log(a), math.log(rho), q - 1.0
    x = min(aim - first, (aim - second) / by)
    for _ in range(MAX_NEWTON_STEPS):
        if x < LOG_ZERO:
            return 0.0
        one, two = first + x, second + by * x
        top = max(one, two)
        one, two = math.exp(one - top), math.exp(two - top)
        step = (top + math.log(one + two) - aim) * (one + two) / (one + by * two)
        x -= step
        if abs(step) < 1e-9:
            break
    b = math.exp(x)
    slope = _slope(b, a, q)
    return max(b - (s * b + slope - rho) / (s + by * slope / b), 0.0)  # the digits that the logarithm has not


@inner
def _move(j, S, a, q, beta, u):
    """Minimise over one coordinate; return whether it moved."""
    old = beta[j]
    rho = u[j] + S[j, j] * old
    new = 0.0
    if rho != 0.0:
        new = _root(abs(rho), S[j, j], a[j], q)
        new = new if rho > 0.0 else -new
    if new == old:
        return False
    beta[j] = new
    step = new - old
    for k in range(u.shape[0]):
        u[k] -= step * S[j, k]
    return True


@inner
def _along(s, beta, step, active, a, q, slope, curve):
    """The derivative of the objective along a step, after a share s of it."""
    total = slope + s * curve
    for i in range(active.shape[0]):
        j = active[i]
        total += step[i] * _slope(beta[j] + s * step[i], a[j], q)
    return total


@inner
def _newton(S, a, q, beta, u, active):
    """Take Newton's step of the active coordinates, shortened until the objective decreases along it."""
    n = active.shape[0]
    L, step = np.empty((n, n)), np.empty(n)
    for i in range(n):
        j = active[i]
        for k in range(n):
            L[i, k] = S[j, active[k]]
        slope = _slope(beta[j], a[j], q)
        L[i, i] += (q - 1.0) * slope / beta[j] + HESSIAN_DAMPING
        step[i] = u[j] - slope
    if not _factor(L):
        return
    _solve(L, step)
    slope, curve = 0.0, 0.0
    for i in range(n):
        slope -= u[active[i]] * step[i]
        for k in range(n):
            curve += step[i] * S[active[i], active[k]] * step[k]
    low, high = 0.0, 1.0
    if _along(1.0, beta, step, active, a, q, slope, curve) <= 0.0:
        low = 1.0
    else:
        for _ in range(MAX_NEWTON_STEPS):
            half = 0.5 * (low + high)
            if _along(half, beta, step, active, a, q, slope, curve) <= 0.0:
                low = half
            else:
                high = half
    for i in range(n):
        beta[active[i]] += low * step[i]


@inner
def _fenchel_gap(b, u, a, q):
    """Bound penalty(b) + conjugate(u) - b u from above without cancellation; it is not negative."""
    best, size = _inverse(u, a, q), (abs(b) / a) ** q
    if not abs(best) < np.inf:
        return np.inf
    dual = abs(u * best) * (q - 1.0) / q
    direct = size + dual - b * u + SUM_ROUNDING * (size + dual + abs(b * u))
    return min(max((_slope(b, a, q) - u) * (b - best), 0.0), direct)


@kernel
def power_gap(beta, u, rest, a, q, curvature, error):
    """Return a bound on the objective minus its minimum, if each u may be wrong by `error`.

    `rest` is the squared norm of the residual. The residual is a feasible point of the dual, and so is zero; the
    squared norm of the gradient over twice the least curvature is a bound too.
    """
    gap, all_of_it, steep = 0.0, 0.5 * rest, 0.0
    for j in range(beta.shape[0]):
        gap += max(_fenchel_gap(beta[j], u[j] - error, a[j], q), _fenchel_gap(beta[j], u[j] + error, a[j], q))
        all_of_it += (abs(beta[j]) / a[j]) ** q
        steep += (abs(_slope(beta[j], a[j], q) - u[j]) + error) ** 2
    gap = min(gap, all_of_it)
    return min(gap, 0.5 * steep / curvature) if curvature > 0.0 else gap


@kernel
def descend_powers(S, t, a, q, curvature, tol, most, beta, u):
    """Change β and u until the gap is at most `tol`, in about `most` sweeps; return the sweeps made and the gap."""
    p = t.shape[0]
    _refresh(S, t, beta, u)
    sweeps, work, which = 0, 0.0, np.empty(p, np.int64)
    while True:
        rest = 1.0
        for j in range(p):
            rest -= beta[j] * (t[j] + u[j])
        gap = power_gap(beta, u, max(rest, 0.0), a, q, curvature, 0.0)
        if (gap <= tol and sweeps) or sweeps >= most:  # one round at least: no coefficient is 0, however near that is
            return sweeps, gap
        for _ in range(ACTIVE_SWEEPS):
            moved = False
            for j in range(p):
                moved |= _move(j, S, a, q, beta, u)
            sweeps += 1
            if not moved:
                break
        n = 0
        for j in range(p):
            if beta[j] != 0.0 and (q - 1.0) * _slope(beta[j], a[j], q) / beta[j] < MAX_CURVATURE:
                which[n] = j
                n += 1
        work += float(p) * p * ACTIVE_SWEEPS
        if n and DIRECT_STEP_DELAY * work >= float(n) ** 3:
            _refresh(S, t, beta, u)
            _newton(S, a, q, beta, u, which[:n])
            work = 0.0
        _refresh(S, t, beta, u)
