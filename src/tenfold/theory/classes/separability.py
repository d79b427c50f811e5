"""Linear separability, decided by linear programming, with a proof either way; Radon's theorem; general position."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenfold.theory.checks import matrix, number, vector

MAX_SUBSETS = 500_000
"""subsets of points that are looked at, at most"""
RANK_TOLERANCE = 1e-9
"""points are in one hyperplane if the least singular value is at most this share of the largest"""


@dataclass(frozen=True)
class Separation:
    """Whether a hyperplane separates two classes of points, with a proof.

    Parameters
    ----------
    separable : bool
    weights, intercept : array and float, or None
        The witness: `points @ weights + intercept` is at least 1 on one side and at most -1 on the other.
    multipliers : array, or None
        The proof that there is none: shares of the points of each class, which sum to 1 in each, whose means are the
        same point. It would have to be on both sides.

    Examples
    --------
    >>> from tenfold.theory import linearly_separable
    >>> found = linearly_separable([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> found.separable, found.weights.round(6).tolist(), round(found.intercept, 6)
    (True, [1.0], -2.0)
    """

    separable: bool
    weights: NDArray[np.float64] | None
    intercept: float | None
    multipliers: NDArray[np.float64] | None

    def __bool__(self) -> bool:
        return self.separable


def signed_distance(points: ArrayLike, weights: ArrayLike, intercept: float = 0.0) -> NDArray[np.float64]:
    """How far points are from the hyperplane x'w + b = 0, and on which side.

    Parameters
    ----------
    points : array of shape (n, d)
    weights : array of shape (d,)
        Not all 0. Those twice as long give the same distances, with twice the intercept.
    intercept : float, default=0.0

    Returns
    -------
    array of shape (n,)
        (x'w + b)/‖w‖: above 0 on the side that w points to.

    Examples
    --------
    >>> from tenfold.theory import signed_distance
    >>> signed_distance([[3.0, 4.0], [0.0, 0.0]], [3.0, 4.0], -5.0).tolist()
    [4.0, -1.0]
    """
    w = vector("weights", weights)
    rows, length = matrix("points", points, len(w)), float(np.linalg.norm(w))
    if not length > 0:
        raise ValueError("weights must not all be 0: they are no hyperplane")
    return np.asarray((rows @ w + number("intercept", intercept)) / length)


def linearly_separable(points: ArrayLike, labels: ArrayLike) -> Separation:
    """Whether a hyperplane has all points of one class on one side and all others on the other, with a proof.

    Parameters
    ----------
    points : array of shape (n, d)
    labels : array of shape (n,)
        Two classes: true or false, 1 or 0, 1 or -1.

    Returns
    -------
    Separation
        Truthy if they are separable; with a witness, or with a point that the hulls of both classes share.

    Examples
    --------
    >>> from tenfold.theory import linearly_separable
    >>> corners = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> bool(linearly_separable(corners, [0, 1, 1, 1]))
    True
    >>> exclusive = linearly_separable(corners, [0, 0, 1, 1])
    >>> exclusive.separable, exclusive.multipliers.tolist()  # both hulls have the centre
    (False, [0.5, 0.5, 0.5, 0.5])
    """
    from scipy.optimize import linprog

    X = _points(points)
    side = _sides(labels, len(X))
    n, d = X.shape
    shift = X.mean(axis=0)
    scale = np.abs(X - shift).max() or 1.0
    Z = (X - shift) / scale
    signed = side[:, None] * np.column_stack([Z, np.ones(n)])
    # the largest margin t ≤ 1 with weights in a box: 0 exactly if the hulls meet
    cost = np.r_[np.zeros(d + 1), -1.0]
    limits = [(-1.0, 1.0)] * d + [(-d - 1.0, d + 1.0), (None, 1.0)]
    A = np.column_stack([-signed, np.ones(n)])
    found = linprog(cost, A_ub=A, b_ub=np.zeros(n), bounds=limits, method="highs")
    margin = (signed @ found.x[: d + 1]).min()
    if margin > RANK_TOLERANCE:
        weights = found.x[:d] / margin / scale
        return Separation(True, weights, float(found.x[d] / margin - weights @ shift), None)
    yes = side > 0
    if yes.all() or not yes.any():
        return Separation(True, np.zeros(d), float(side[0]), None)
    # shares of either class with the same mean, as near as rounding lets them be
    sums = np.vstack([(side[:, None] * Z).T, yes, ~yes]).astype(np.float64)
    near = np.vstack([np.eye(d), np.zeros((2, d))])
    program = np.hstack([sums, near, -near])
    right = np.r_[np.zeros(d), 1.0, 1.0]
    means = linprog(np.r_[np.zeros(n), np.ones(2 * d)], A_eq=program, b_eq=right, method="highs")
    return Separation(False, None, None, np.asarray(means.x[:n]))


def radon(points: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Radon's partition of d + 2 points: two sets whose hulls meet, so that no hyperplane separates them.

    Parameters
    ----------
    points : array of shape (d + 2, d)

    Returns
    -------
    side : array of bool
        Which of the two sets each point is in.
    point : array of shape (d,)
        A point of both hulls.

    Examples
    --------
    >>> from tenfold.theory import radon
    >>> side, point = radon([[0, 0], [2, 0], [0, 2], [2, 2]])
    >>> side.tolist() in ([True, False, False, True], [False, True, True, False]), point.round(9).tolist()
    (True, [1.0, 1.0])
    """
    X = _points(points)
    n, d = X.shape
    if n != d + 2:
        raise ValueError(f"Radon's theorem is about d + 2 points: {d + 2} in {d} dimensions, got {n}")
    shift, scale = X.mean(axis=0), np.abs(X - X.mean(axis=0)).max() or 1.0
    dependence = np.linalg.svd(np.vstack([((X - shift) / scale).T, np.ones(n)]))[2][-1]
    side = dependence > 0
    share = np.where(side, dependence, 0.0)
    return side, np.asarray(share @ X / share.sum())


def in_general_position(points: ArrayLike) -> bool:
    """Whether no d + 1 of the points lie in one hyperplane, as Cover's count requires.

    Parameters
    ----------
    points : array of shape (n, d)

    Returns
    -------
    bool
        To rounding: points within 1e-9 of a hyperplane, relative to their size, count as on it.

    Examples
    --------
    >>> from tenfold.theory import in_general_position
    >>> in_general_position([[0, 0], [1, 0], [0, 1], [1, 2]]), in_general_position([[0, 0], [1, 1], [2, 2], [0, 1]])
    (True, False)
    """
    X = _points(points)
    n, d = X.shape
    size = min(d + 1, n)
    if comb(n, size) > MAX_SUBSETS:
        raise ValueError(f"{comb(n, size):,} subsets of {size} points are more than {MAX_SUBSETS:,}")
    wide = np.column_stack([(X - X.mean(axis=0)) / (np.abs(X - X.mean(axis=0)).max() or 1.0), np.ones(n)])
    some = wide[np.array(list(combinations(range(n), size)))]
    values = np.linalg.svd(some, compute_uv=False)
    return bool((values[:, -1] > RANK_TOLERANCE * values[:, 0]).all())


def _points(points: ArrayLike) -> NDArray[np.float64]:
    X = np.asarray(points, dtype=np.float64)
    if X.ndim != 2 or not X.size or not np.isfinite(X).all():
        raise ValueError(f"points must be a matrix of finite numbers, a row each, got shape {X.shape}")
    return X


def _sides(labels: ArrayLike, n: int) -> NDArray[np.float64]:
    given = np.asarray(labels)
    if given.shape != (n,):
        raise ValueError(f"labels must be {n}, one for each point, got shape {given.shape}")
    known = np.unique(given)
    if len(known) > 2:
        raise ValueError(f"labels must be of two classes, got {known.tolist()[:5]}")
    positive = given == known[-1] if len(known) == 2 else given.astype(np.float64) > 0
    return np.where(positive, 1.0, -1.0)
