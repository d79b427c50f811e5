"""Coordinate descent on a Gram matrix, with direct steps on the active set, and the duality gap.

Minimise ½ - qᵀβ + ½ βᵀSβ + Σ lⱼ|βⱼ| + ½ Σ mⱼβⱼ², where S has a unit diagonal. u = q - Sβ are the products of
the columns with the residual; they are kept up to date as β changes (covariance updates).
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel

ACTIVE_SWEEPS = 4
"""over the active coordinates, after one over all"""
DIRECT_STEP_DELAY = 24.0
"""a direct step is due when this many times the sweeps since the last one would have cost as much"""
MIN_PIVOT_SHARE = 1e-10
"""the least pivot of a Gram matrix with unit diagonal that is more than rounding"""


@inner
def _move(j, S, l, m, positive, beta, u):
    """Minimise over one coordinate; return whether it moved."""
    old = beta[j]
    rho = u[j] + S[j, j] * old
    if rho > l[j]:
        new = (rho - l[j]) / (S[j, j] + m[j])
    elif rho < -l[j] and not positive:
        new = (rho + l[j]) / (S[j, j] + m[j])
    else:
        new = 0.0
    if new == old:
        return False
    beta[j] = new
    step = new - old
    for k in range(u.shape[0]):
        u[k] -= step * S[j, k]
    return True


@inner
def _refresh(S, q, beta, u):
    """Recompute u = q - Sβ, without the rounding errors of earlier updates."""
    p = q.shape[0]
    for k in range(p):
        u[k] = q[k]
    for j in range(p):
        if beta[j] != 0.0:
            for k in range(p):
                u[k] -= beta[j] * S[j, k]


@inner
def _factor(M):
    """Factor a matrix in place (Cholesky, lower triangle); return False if it is singular."""
    n = M.shape[0]
    column = np.empty(n)
    for k in range(n):
        if not M[k, k] > MIN_PIVOT_SHARE:
            return False
        root = np.sqrt(M[k, k])
        M[k, k] = root
        for i in range(k + 1, n):
            M[i, k] /= root
            column[i] = M[i, k]
        for i in range(k + 1, n):
            by = column[i]
            for j in range(k + 1, i + 1):
                M[i, j] -= by * column[j]
    return True


@inner
def _solve(L, b):
    """Solve LLᵀx = b; x replaces b."""
    n = b.shape[0]
    for i in range(n):
        for j in range(i):
            b[i] -= L[i, j] * b[j]
        b[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        b[i] /= L[i, i]
        for j in range(i):
            b[j] -= L[i, j] * b[i]


@inner
def _value(M, q, l, active, x):
    """Return the objective, computed over the active coordinates."""
    value = 0.0
    for i in range(x.shape[0]):
        along = 0.0
        for j in range(x.shape[0]):
            along += M[i, j] * x[j]
        value += x[i] * (0.5 * along - q[active[i]]) + l[active[i]] * abs(x[i])
    return value


@inner
def _direct(S, q, l, m, positive, beta, active):
    """Move to the minimum for the current signs of the active coordinates.

    Coordinates that would change their signs become zero or, if that is worse, all move until the first reaches zero.
    """
    n = active.shape[0]
    M = np.empty((n, n))
    x = np.empty(n)
    for i in range(n):
        a = active[i]
        for j in range(n):
            M[i, j] = S[a, active[j]]
        M[i, i] += m[a]
        x[i] = q[a] - (l[a] if beta[a] > 0 else -l[a])
    b, L = np.empty(n), np.empty((n, n))
    for i in range(n):
        b[i] = x[i]
        for j in range(n):
            L[i, j] = M[i, j]
    if not _factor(L):
        return
    _solve(L, x)
    for i in range(n):
        for j in range(n):
            b[i] -= M[i, j] * x[j]
    _solve(L, b)
    share, old, new = 1.0, np.empty(n), np.empty(n)
    for i in range(n):
        x[i] += b[i]
        new[i] = x[i]
        old[i] = beta[active[i]]
        if x[i] * old[i] <= 0.0 and (positive or l[active[i]] > 0.0):
            share = min(share, old[i] / (old[i] - x[i]))
            new[i] = 0.0
    if share < 1.0 and not _value(M, q, l, active, new) < _value(M, q, l, active, old):
        for i in range(n):
            new[i] = old[i] + share * (x[i] - old[i])
            if new[i] * old[i] <= 0.0:
                new[i] = 0.0
    for i in range(n):
        beta[active[i]] = new[i]


@inner
def _scaled_gap(beta, u, rest, l, m, positive, error):
    """Return the gap at the residual, with √m β, scaled until no product exceeds l: a dual point; or infinity."""
    over, squares = 1.0, 0.0
    for j in range(beta.shape[0]):
        g = u[j] - m[j] * beta[j]
        g = (g if positive else abs(g)) + error
        squares += m[j] * beta[j] ** 2
        if g > over * l[j]:
            if l[j] == 0.0:
                return np.inf
            over = g / l[j]
    s = 1.0 / over
    gap = 0.5 * (1.0 - s) ** 2 * (rest + squares)
    for j in range(beta.shape[0]):
        if beta[j] != 0.0:
            g = u[j] - m[j] * beta[j]
            along = g if beta[j] > 0 else -g
            gap += abs(beta[j]) * max(l[j] - s * (along - error), 0.0)
    return gap


@inner
def _unscaled_gap(beta, u, l, m, positive, error):
    """Return the gap at the dual point that is the unscaled residual, which squared penalties make feasible."""
    gap = 0.0
    for j in range(beta.shape[0]):
        size = abs(beta[j])
        along = -u[j] if beta[j] < 0 else u[j]
        if size == 0.0 and not positive:
            along = abs(along)
        best = max(along - l[j], 0.0)
        if not positive and along < -l[j]:
            best = along + l[j]
        gap += 0.5 * m[j] * (abs(size - best / m[j]) + error / m[j]) ** 2
        least = along - error if positive else max(along - error, -l[j])
        gap += size * max(l[j] - least, 0.0)
    return gap


@kernel
def duality_gap(beta, u, rest, l, m, positive, error):
    """Return a bound on the objective minus its minimum, if each u may be wrong by `error`.

    `rest` is the squared norm of the residual. Two feasible points of the dual are tried. Both gaps are sums of terms
    that are not negative, so nothing cancels.
    """
    gap = _scaled_gap(beta, u, rest, l, m, positive, error)
    squared = True
    for j in range(m.shape[0]):
        squared &= m[j] > 0.0
    if squared:
        gap = min(gap, _unscaled_gap(beta, u, l, m, positive, error))
    return gap


@kernel
def gap_within(beta, u, l, m, positive, error, reach):
    """Return the bound of `duality_gap`, if no coordinate of the minimiser is further away than `reach`.

    The objective lies above its tangent, so a product above l costs at most its excess times
    |β| + `reach`.
    """
    gap = 0.0
    for j in range(beta.shape[0]):
        g = u[j] - m[j] * beta[j]
        if beta[j] != 0.0:
            along = g if beta[j] > 0 else -g
            gap += abs(beta[j]) * max(l[j] - along + error, 0.0)
        gap += (abs(beta[j]) + reach) * max((g if positive else abs(g)) + error - l[j], 0.0)
    return gap


@inner
def _active(beta, which):
    """List the nonzero coordinates; return how many there are."""
    n = 0
    for j in range(beta.shape[0]):
        if beta[j] != 0.0:
            which[n] = j
            n += 1
    return n


@kernel
def descend_coordinates(S, q, l, m, positive, tol, most, beta, u):
    """Change β and u until the gap is at most `tol`, in about `most` sweeps; return the sweeps made and the gap."""
    p = q.shape[0]
    _refresh(S, q, beta, u)
    sweeps, work, which = 0, 0.0, np.empty(p, np.int64)
    while True:
        rest = 1.0
        for j in range(p):
            rest -= beta[j] * (q[j] + u[j])
        gap = duality_gap(beta, u, max(rest, 0.0), l, m, positive, 0.0)
        if gap <= tol or sweeps >= most:
            return sweeps, gap
        for j in range(p):
            _move(j, S, l, m, positive, beta, u)
        n = _active(beta, which)
        for _ in range(ACTIVE_SWEEPS):
            moved = False
            for k in range(n):
                moved |= _move(which[k], S, l, m, positive, beta, u)
            if not moved:
                break
        sweeps += 1 + ACTIVE_SWEEPS
        n = _active(beta, which)
        work += float(p) * n * ACTIVE_SWEEPS
        if n and DIRECT_STEP_DELAY * work >= float(n) ** 3:
            _direct(S, q, l, m, positive, beta, which[:n])
            work = 0.0
        _refresh(S, q, beta, u)


@kernel
def add_squares(rows, share, around, out):
    """Add the weighted sum of squares of each column around its center."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            off = rows[i, j] - around[j]
            out[j] += share[i] * off * off
