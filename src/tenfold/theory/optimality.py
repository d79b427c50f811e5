"""How far a point and its multipliers are from optimal: the conditions of Karush, Kuhn and Tucker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tenfold.theory.checks import matrix, of_length, vector


@dataclass(frozen=True)
class Residuals:
    """Largest violation of each condition; at an optimum of a convex problem all are 0.

    Parameters
    ----------
    stationarity : float
        Of the gradient of the Lagrangian.
    feasibility : float
        Of the constraints.
    multipliers : float
        Of the sign of the multipliers.
    complementarity : float
        Of multiplier times slack.
    gap : float
        Value of the problem minus that of its dual; proves how far the value is from the optimum where the
        stationarity, feasibility and multipliers are 0.

    Examples
    --------
    >>> from tenfold.theory import Residuals
    >>> Residuals(0.0, 1e-9, 0.0, 1e-7, 1e-7).worst
    1e-07
    """

    stationarity: float
    feasibility: float
    multipliers: float
    complementarity: float
    gap: float

    @property
    def worst(self) -> float:
        """The largest of the four conditions."""
        return max(self.stationarity, self.feasibility, self.multipliers, self.complementarity)

    def __str__(self) -> str:
        return (
            f"stationarity {self.stationarity:.3g}, feasibility {self.feasibility:.3g}, "
            f"multipliers {self.multipliers:.3g}, complementarity {self.complementarity:.3g}, gap {self.gap:.3g}"
        )


def kkt(
    P: ArrayLike,
    q: ArrayLike,
    x: ArrayLike,
    *,
    G: ArrayLike | None = None,
    h: ArrayLike | None = None,
    z: ArrayLike | None = None,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> Residuals:
    """Residuals of a convex quadratic problem: ½x'Px + q'x least, where Gx ≤ h and Ax = b.

    Parameters
    ----------
    P : array of shape (n, n)
        Symmetric and positive semi-definite; the first is checked.
    q, x : array of shape (n,)
        Linear part, and the point in question.
    G, h, z : arrays of shape (k, n), (k,) and (k,), optional
        Inequalities and their multipliers.
    A, b, y : arrays of shape (l, n), (l,) and (l,), optional
        Equalities and their multipliers.

    Returns
    -------
    Residuals
        Px + q + G'z + A'y = 0; Gx ≤ h, Ax = b; z ≥ 0; z(h - Gx) = 0; gap x'Px + q'x + h'z + b'y.

    Examples
    --------
    The point of the line x₁ + x₂ = 1 that is nearest to (2, 0), not below 0:

    >>> from tenfold.theory import kkt
    >>> kkt([[1, 0], [0, 1]], [-2, 0], [1, 0], G=[[0, -1]], h=[0], z=[1], A=[[1, 1]], b=[1], y=[1]).worst
    0.0
    """
    x = vector("x", x)
    n = len(x)
    P, q = matrix("P", P, n), of_length("q", q, n)
    if P.shape[0] != n or not np.allclose(P, P.T, rtol=1e-10, atol=1e-12 * (np.abs(P).max(initial=0) or 1.0)):
        raise ValueError(f"P must be symmetric, {n} x {n}")
    G, h, z = _constraints(("G", "h", "z"), (G, h, z), n)
    A, b, y = _constraints(("A", "b", "y"), (A, b, y), n)
    slack, off = h - G @ x, A @ x - b
    gradient = P @ x + q
    return Residuals(
        _largest(np.abs(gradient + G.T @ z + A.T @ y)),
        max(_largest(-slack), _largest(np.abs(off))),
        _largest(-z),
        _largest(np.abs(z * slack)),
        float(x @ gradient + h @ z + b @ y),
    )


def kkt_svm(K: ArrayLike, y: ArrayLike, alpha: ArrayLike, bias: float, C: ArrayLike = np.inf) -> Residuals:
    """Residuals of a support vector machine: ½‖w‖² + Σ C max(0, 1 - y f) least, f = Σ αᵢ yᵢ k(xᵢ, ·) + bias.

    Parameters
    ----------
    K : array of shape (n, n)
        Kernel between all pairs of rows.
    y : array of shape (n,)
        Classes, -1 and 1.
    alpha : array of shape (n,)
        Dual variables.
    bias : float
        Offset.
    C : float or array of shape (n,), default=inf
        Price of a row inside the margin; infinite for a hard margin.

    Returns
    -------
    Residuals
        With slack s = y f - 1: s ≥ 0 where α < C and s ≤ 0 where α > 0, as complementarity of α with s₊ and
        of C - α with s₋; 0 ≤ α ≤ C and Σ αy = 0 as feasibility. For a hard margin s₋ counts as feasibility
        too. The gap is that of primal and dual value, and proved wherever feasibility is 0.

    Examples
    --------
    >>> from tenfold.theory import kkt_svm
    >>> kkt_svm([[1, -1], [-1, 1]], [1, -1], [0.5, 0.5], 0.0, 10.0).gap  # points 1 and -1 on a line
    0.0
    """
    y = vector("y", y)
    n = len(y)
    if not np.isin(y, (-1, 1)).all():
        raise ValueError("y must be of -1 and 1")
    K, alpha = matrix("K", K, n), of_length("alpha", alpha, n)
    if K.shape[0] != n:
        raise ValueError(f"K must be {n} x {n}")
    most = np.broadcast_to(np.asarray(C, dtype=float), (n,))
    if not (most > 0).all():
        raise ValueError("C must be above 0")
    hard = np.isinf(most)
    v = alpha * y
    f = K @ v
    slack = y * (f + float(bias)) - 1
    inside = np.maximum(-slack, 0)
    feasibility = max(_largest(-alpha), _largest(alpha - most), abs(float(v.sum())), _largest(inside[hard]))
    room = np.where(hard, 0, most - alpha)
    wrong = max(_largest(np.abs(alpha) * np.maximum(slack, 0)), _largest(np.abs(room) * inside))
    price = float(np.where(hard, 0, most)[~hard] @ inside[~hard])
    return Residuals(0.0, feasibility, 0.0, wrong, float(v @ f) + price - float(alpha.sum()))


def kkt_box(f: ArrayLike, target: ArrayLike, low: ArrayLike, high: ArrayLike, beta: ArrayLike) -> Residuals:
    """Residuals of the dual of a support vector machine of any kind: ½βᵀKβ - tᵀβ least, low ≤ β ≤ high, Σβ = 0.

    Parameters
    ----------
    f : array of shape (variables,)
        Kβ + bias at the row of each variable.
    target : array of shape (variables,)
        The class, -1 or 1; or the number less (for β ≥ 0) or plus (for β ≤ 0) the half-width of the tube.
    low, high : array of shape (variables,)
        Bounds, one of them 0; the other may be infinite, for a hard margin.
    beta : array of shape (variables,)
        The variables.

    Returns
    -------
    Residuals
        With slack s = t - f: s ≤ 0 where β < high and s ≥ 0 where β > low, as complementarity of high - β with s₊ and
        of β - low with s₋; the bounds and Σβ = 0 as feasibility, and s₊ or s₋ itself where a bound is infinite. The gap
        is the sum of the products: primal less dual value, proved wherever feasibility is 0.

    Examples
    --------
    >>> from tenfold.theory import kkt_box
    >>> kkt_box([1, -1], [1, -1], [0, -10], [10, 0], [0.5, -0.5]).worst  # points 1 and -1 on a line
    0.0
    """
    beta = vector("beta", beta)
    n = len(beta)
    f, target = of_length("f", f, n), of_length("target", target, n)
    low, high = (np.asarray(bound, dtype=float) for bound in (low, high))
    if low.shape != (n,) or high.shape != (n,) or not ((low == 0) | (high == 0)).all() or not (low <= high).all():
        raise ValueError(f"low and high must be {n} numbers each, one of each two being 0")
    slack = target - f
    above, below = np.maximum(slack, 0), np.maximum(-slack, 0)
    free_up, free_down = np.isinf(high), np.isinf(low)
    feasibility = max(
        _largest(low - beta), _largest(beta - high), abs(float(beta.sum())),
        _largest(above[free_up]), _largest(below[free_down]),
    )  # fmt: skip
    wrong = np.where(free_up, 0, high - beta) * above + np.where(free_down, 0, beta - low) * below
    return Residuals(0.0, feasibility, 0.0, _largest(np.abs(wrong)), float(wrong.sum()))


def _constraints(names: tuple[str, str, str], given: tuple[ArrayLike | None, ...], n: int) -> tuple[np.ndarray, ...]:
    """Matrix, right-hand side and multipliers, all or none."""
    left, right, multipliers = given
    if left is None and right is None and multipliers is None:
        return np.zeros((0, n)), np.zeros(0), np.zeros(0)
    if left is None or right is None or multipliers is None:
        raise ValueError(f"give {names[0]}, {names[1]} and {names[2]} together")
    table = matrix(names[0], left, n)
    return table, of_length(names[1], right, len(table)), of_length(names[2], multipliers, len(table))


def _largest(violations: np.ndarray) -> float:
    """The largest, at least 0."""
    return float(np.max(violations, initial=0.0))
