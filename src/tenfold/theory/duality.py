"""The Lagrangian of a convex quadratic problem, its dual function, and Slater's condition."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from tenfold.theory.checks import matrix, of_length, vector


def lagrangian(P: ArrayLike, q: ArrayLike, G: ArrayLike, h: ArrayLike, x: ArrayLike, z: ArrayLike) -> float:
    """L(x, z) = ½x'Px + q'x + z'(Gx - h), of the problem to make ½x'Px + q'x least where Gx ≤ h.

    Parameters
    ----------
    P, q : arrays of shape (n, n) and (n,)
    G, h : arrays of shape (k, n) and (k,)
    x, z : arrays of shape (n,) and (k,)
        A point, and the multipliers of the constraints.

    Returns
    -------
    float
        For z ≥ 0 at most the objective at every x that is allowed.

    Examples
    --------
    x² least where x ≥ 1: at x = 1 with the multiplier 2, the Lagrangian is the optimum, 1, also for x around it.

    >>> from tenfold.theory import lagrangian
    >>> [lagrangian([[2]], [0], [[-1]], [-1], [x], [2]) for x in (0.9, 1.0, 1.1)]
    [1.01, 1.0, 1.01]
    """
    x = vector("x", x)
    n = len(x)
    G = matrix("G", G, n)
    P, q, h, z = matrix("P", P, n), of_length("q", q, n), of_length("h", h, len(G)), of_length("z", z, len(G))
    return float(0.5 * x @ P @ x + q @ x + z @ (G @ x - h))


def dual_value(P: ArrayLike, q: ArrayLike, G: ArrayLike, h: ArrayLike, z: ArrayLike) -> float:
    """g(z) = min over x of L(x, z): never above the optimum (weak duality), and there at the best z (strong duality).

    Parameters
    ----------
    P, q : arrays of shape (n, n) and (n,)
        P symmetric and positive semi-definite.
    G, h : arrays of shape (k, n) and (k,)
    z : array of shape (k,)
        Multipliers, none below 0.

    Returns
    -------
    float
        -inf if the Lagrangian has no smallest value.

    Examples
    --------
    >>> from tenfold.theory import dual_value
    >>> [dual_value([[2]], [0], [[-1]], [-1], [z]) for z in (0, 1, 2, 3)]  # x² least where x ≥ 1: the optimum is 1
    [0.0, 0.75, 1.0, 0.75]
    """
    q = vector("q", q)
    n = len(q)
    P, G = matrix("P", P, n), matrix("G", G, n)
    h, z = of_length("h", h, len(G)), of_length("z", z, len(G))
    if (z < 0).any():
        raise ValueError("z, the multipliers of inequalities, must not be below 0")
    slope = q + G.T @ z
    x = -np.linalg.pinv(P, hermitian=True) @ slope
    size = max(np.abs(slope).max(initial=0.0), 1e-300)
    if np.abs(P @ x + slope).max(initial=0.0) > 1e-9 * size:
        return -inf
    return float(0.5 * slope @ x - h @ z)


def strictly_feasible(G: ArrayLike, h: ArrayLike) -> bool:
    """Slater's condition: whether one point is strictly inside all the constraints Gx ≤ h at once.

    Then a convex problem with them has no duality gap, and multipliers exist. A point inside each constraint, another
    for each, is not enough.

    Parameters
    ----------
    G, h : arrays of shape (k, n) and (k,)

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenfold.theory import strictly_feasible
    >>> strictly_feasible([[1], [-1]], [1, 0]), strictly_feasible([[1], [-1]], [0, 0])  # 0 to 1; 0 alone
    (True, False)
    """
    from scipy.optimize import linprog

    right = vector("h", h)
    left = np.asarray(G, dtype=np.float64)
    if left.ndim != 2 or len(left) != len(right) or not np.isfinite(left).all():
        raise ValueError(f"G must have a row of finite numbers for each of the {len(right)} constraints")
    lengths = np.linalg.norm(left, axis=1)
    some = lengths > 0
    if (right[~some] <= 0).any():
        return False
    A = np.column_stack([left[some], lengths[some]])
    n = left.shape[1]
    # the largest ball inside all of them, of radius 1 at most
    found = linprog(np.r_[np.zeros(n), -1.0], A_ub=A, b_ub=right[some], bounds=[(None, None)] * n + [(None, 1.0)])
    return bool(found.status == 0 and found.x[-1] > 1e-9)
