"""Probabilities of decisions: log-odds = a f + b, fitted to decisions on rows that were left out (Platt)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from scipy.special import expit, log_expit

from tenfold.core import Array, Flags, Values
from tenfold.kernels.algebra import Kernel
from tenfold.svm.dual.dual_problem import DualProblem, DualSolution
from tenfold.svm.support_vector_machine import Machine, weights_of

CALIBRATION_FOLDS = 5


def cross_fitted(
    kernel: Kernel, X: Values, machines: Sequence[Machine], train: Callable[[list[Machine]], list[DualSolution]]
) -> Array:
    """Slope and offset of the log-odds of each machine, from decisions on folds that it has not seen."""
    return np.array([_calibrated(kernel, X, machine, train) for machine in machines])


def _calibrated(
    kernel: Kernel, X: Values, machine: Machine, train: Callable[[list[Machine]], list[DualSolution]]
) -> Array:
    rows, dual = machine
    positive = dual.target > 0
    fold = np.empty(len(rows), np.int64)
    for side in (positive, ~positive):
        fold[side] = np.arange(side.sum()) % CALIBRATION_FOLDS
    f = np.zeros(len(rows))
    for k in range(CALIBRATION_FOLDS):
        out = fold == k
        some = np.flatnonzero(~out)
        if not out.any():
            continue
        part = Machine(
            rows[some], DualProblem(np.arange(len(some)), dual.target[some], dual.low[some], dual.high[some])
        )
        (found,) = train([part])
        beta = weights_of([part], [found], len(X))[0]
        sv = np.flatnonzero(beta)
        f[out] = (kernel(X[rows[out]], X[sv]) @ beta[sv] if len(sv) else 0.0) + found.bias
    price = dual.high - dual.low
    weight = price / price.mean() if np.isfinite(price).all() else np.ones(len(rows))
    return sigmoid_fit(f, positive, weight)


def sigmoid_fit(f: Array, positive: Flags, weight: Array) -> Array:
    """Slope and offset of the log-odds that fit best, by Newton's method; targets are smoothed as by Platt."""
    n_pos, n_neg = float(weight[positive].sum()), float(weight[~positive].sum())
    target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    scale = float(np.abs(f).max(initial=0.0)) or 1.0
    A = np.column_stack([f / scale, np.ones(len(f))])
    x = np.array([0.0, np.log((n_pos + 1) / (n_neg + 1))])

    def loss(x: Array) -> float:
        z = A @ x
        return float(-(weight * (target * log_expit(z) + (1 - target) * log_expit(-z))).sum())

    value = loss(x)
    for _ in range(100):
        p = expit(A @ x)
        gradient = A.T @ (weight * (p - target))
        if np.abs(gradient).max() < 1e-9 * len(f):
            break
        hessian = (A * (weight * p * (1 - p))[:, None]).T @ A + 1e-12 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-10 and loss(x - size * step) > value - 1e-4 * size * float(gradient @ step):
            size /= 2
        if size <= 1e-10:
            break
        x = x - size * step
        value = loss(x)
    return np.array([x[0] / scale, x[1]])


def log_sigmoids(f: Array, sigmoids: Array) -> tuple[Array, Array]:
    """The logarithms of the probabilities that each machine is right, and that it is not."""
    z = f * sigmoids[:, 0] + sigmoids[:, 1]
    return log_expit(z), log_expit(-z)


def coupled(p: Array, k: int) -> Array:
    """Log-probabilities of k classes of those of each two: Σ (r_ji p_i - r_ij p_j)² least (Wu, Lin and Weng)."""
    n = len(p)
    Q = np.zeros((n, k + 1, k + 1))
    for at, (i, j) in enumerate(combinations(range(k), 2)):
        r = np.clip(p[:, at], 1e-7, 1 - 1e-7)
        Q[:, i, i] += (1 - r) ** 2
        Q[:, j, j] += r**2
        Q[:, i, j] -= r * (1 - r)
        Q[:, j, i] -= r * (1 - r)
    Q[:, :k, k] = Q[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    found = np.linalg.solve(Q, right)[:, :k, 0]
    found = np.maximum(found, 1e-300)
    return np.log(found / found.sum(axis=1, keepdims=True))
