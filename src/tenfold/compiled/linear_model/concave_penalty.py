"""Coordinate descent on a Gram matrix with a penalty on powers of the coefficients below 1, which is not convex.

Lower ½ - tᵀβ + ½ βᵀSβ + Σ (|βⱼ| / aⱼ)^q for 0 < q < 1, where S has a unit diagonal: each coefficient goes to its best
value while the others stay as they are, which is 0 or the larger root of the slope. u = t - Sβ.
"""

from __future__ import annotations

import math

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.linear_model.coordinates import _refresh

MAX_NEWTON_STEPS = 60
"""of Newton's method in one coordinate, at most"""
RELATIVE_STEP = 1e-15
"""a step of Newton's method that is shorter than this share of the root ends it"""


@inner
def _best(rho, s, a, q):
    """The b ≥ 0 that minimises ½ s b² - ρ b + (b/a)^q, for ρ ≥ 0.

    The slope s b + q/a (b/a)^(q-1) of the terms with a plus falls and then rises; where it is least it must be below ρ.
    Above, it is convex, and Newton's method comes down from ρ/s to the larger root. 0 may still be better.
    """
    if not (rho > 0.0 and s > 0.0):
        return 0.0
    least = a * (q * (1.0 - q) / (s * a * a)) ** (1.0 / (2.0 - q))
    b = rho / s
    if not b > least or s * least + q / a * (least / a) ** (q - 1.0) >= rho:
        return 0.0
    for _ in range(MAX_NEWTON_STEPS):
        power = q / a * (b / a) ** (q - 1.0)
        step = (s * b + power - rho) / (s + (q - 1.0) * power / b)
        b = max(b - step, least)
        if not abs(step) > RELATIVE_STEP * b:
            break
    return b if 0.5 * s * b * b - rho * b + (b / a) ** q < 0.0 else 0.0


@kernel
def coordinate_gain(S, a, q, beta, u):
    """By how much the objective falls if one coefficient alone goes to its best value: the largest such fall."""
    gain = 0.0
    for j in range(beta.shape[0]):
        s, old = S[j, j], beta[j]
        rho = u[j] + s * old
        new = math.copysign(_best(abs(rho), s, a[j], q), rho)
        before = 0.5 * s * old * old - rho * old + (abs(old) / a[j]) ** q
        gain = max(gain, before - (0.5 * s * new * new - rho * new + (abs(new) / a[j]) ** q))
    return gain


@kernel
def descend_concave_powers(S, t, a, q, tol, most, beta, u):
    """Change β (and u with it) until no sweep moves a coefficient by more than `tol` of the longest; sweeps made."""
    p = t.shape[0]
    _refresh(S, t, beta, u)
    for sweep in range(most):
        moved, longest = 0.0, 0.0
        for j in range(p):
            old = beta[j]
            rho = u[j] + S[j, j] * old
            new = math.copysign(_best(abs(rho), S[j, j], a[j], q), rho)
            longest = max(longest, abs(new))
            if new != old:
                beta[j] = new
                moved = max(moved, abs(new - old))
                for k in range(p):
                    u[k] -= (new - old) * S[j, k]
        _refresh(S, t, beta, u)
        if moved <= tol * longest:
            return sweep + 1
    return most
