"""Ridge regression of fewer rows than features, by its dual.

Of ½ |y - Xβ|² + ½ α |β|², rows centred and times the root of their weight, the minimum is at β = X'a with
(XX' + αI) a = y: one equation for each row, where the normal equations have one for each feature. For every β, with
a = (y - Xβ) / α, the value of the problem is ½ α |β - X'a|² above that of the dual, so no more above the minimum.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp

from tenfold.core import Array, Claim, ColumnData
from tenfold.linear_model.least_squares.normal_equations import EPS, ERROR_DEVIATIONS, shares, values_of, varying
from tenfold.linear_model.least_squares.routes import LinearModel, RidgeProblem
from tenfold.stats.moments.moments import refuse_infinite
from tenfold.stats.rows.wide_rows import Rows

MIN_WIDE_FEATURES = 1000
"""features from which on rows are kept while they are fewer than these"""

RESIDUAL_TOLERANCE = 1e-14
"""length of the residual at which steps of conjugate gradients end, as a share of that of the targets"""
MAX_CG_STEPS = 200
"""of conjugate gradients at most: from there on the matrix of the rows costs less"""


class Centred(NamedTuple):
    """Rows less their mean, times the root of their weight; of CSR rows the mean goes beside them."""

    rows: ColumnData
    root: Array
    """of the weights"""
    mean: Array
    """that is still to be taken off; zeros, if it was"""

    def times(self, coef: Array) -> Array:
        """The product Xβ, one number for each row."""
        return np.asarray(self.rows @ coef - self.root * (self.mean @ coef))

    def transposed(self, a: Array) -> Array:
        """The product X'a, one number for each feature."""
        return np.asarray(self.rows.T @ a - self.mean * (self.root @ a))

    def kernel(self) -> Array:
        """XX', one row and one column to each row."""
        K = self.rows @ self.rows.T
        K = K.toarray() if sp.issparse(K) else K
        if self.mean.any():
            along = np.outer(self.rows @ self.mean, self.root)
            K = K - along - along.T + (self.mean @ self.mean) * np.outer(self.root, self.root)
        return np.asarray(K)

    def squares(self) -> Array:
        """The sum of squares of each row."""
        X = self.rows
        own = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
        bent = self.root * (self.root * float(self.mean @ self.mean) - 2.0 * (X @ self.mean))
        return np.maximum(own + bent, 0.0)

    def lengths(self) -> Array:
        """Uncentred norm of each column."""
        X = self.rows
        return np.sqrt(np.asarray(X.multiply(X).sum(axis=0)).ravel() if sp.issparse(X) else np.einsum("ij,ij->j", X, X))


class DualRidgeSolution(NamedTuple):
    """The problem in its rows, solved."""

    X: Centred
    y: Array
    mean: Array
    """of the features, then the target: what the intercept is made from"""
    coef: Array
    error: Array
    """what rounding may have done to each coefficient"""
    unit: Array
    """the coefficient that alone would explain the target"""


def solved(problem: RidgeProblem, rows: Rows) -> DualRidgeSolution:
    """Solve the system of the rows: sparse ones step by step, if few steps are enough, others by their matrix."""
    X, y, mean = _centred(rows, problem.fit_intercept)
    with np.errstate(over="ignore"):
        refuse_infinite(X.lengths() ** 2)
    alpha = problem.alpha
    found = by_conjugate_gradients(X, y, alpha) if sp.issparse(X.rows) else None
    a, least = found or by_cholesky(X, y, alpha, problem.fit_intercept)
    length = np.sqrt(np.maximum(X.lengths() ** 2 - float(X.root @ X.root) * X.mean**2, 0.0))
    varies = varying(length**2, mean[:-1], float(rows.weight.sum()))
    coef = np.where(varies, X.transposed(a), 0.0)
    left = y - X.times(coef) - alpha * a
    size = _norm(X.lengths() * coef) + alpha * _norm(a) + _norm(y)
    blur = (
        (_norm(left) + ERROR_DEVIATIONS * EPS * size)
        / math.sqrt(len(a))
        * np.minimum(length / least, 0.5 / math.sqrt(alpha))
    )
    error = blur + ERROR_DEVIATIONS * EPS * (np.abs(coef) + X.lengths() * _norm(a) / math.sqrt(len(a)))
    return DualRidgeSolution(X, y, mean, coef, error, length * _norm(y) / (length**2 + alpha))


def by_cholesky(X: Centred, y: Array, alpha: float, fit_intercept: bool) -> tuple[Array, float]:
    """Solve (XX' + αI) a = y by Cholesky's factor, once more for the residual; also return the least eigenvalue."""
    K = X.kernel()
    K.flat[:: len(K) + 1] += alpha
    if fit_intercept:  # X'r = y'r = 0 for the roots r of the weights: bent along r, it has the same solution
        K += np.outer(X.root, X.root) * (float(np.trace(K)) / max(float(X.root @ X.root), 1.0) / len(K))
    norm = float(np.abs(K).sum(axis=0).max(initial=0.0))
    factor, lower = sla.cho_factor(K, lower=True)
    a = sla.cho_solve((factor, lower), y)
    a = a + sla.cho_solve((factor, lower), y - X.times(X.transposed(a)) - alpha * a)
    return a, max(float(sla.lapack.dpocon(factor, norm, uplo="L")[0]) * norm, alpha)


def by_conjugate_gradients(X: Centred, y: Array, alpha: float) -> tuple[Array, float] | None:
    """Solve (XX' + αI) a = y by products with sparse rows alone; None if `MAX_CG_STEPS` steps are not enough.

    The matrix of all pairs of rows is never made. No eigenvalue is below α.
    """
    diagonal = X.squares() + alpha
    a, left = np.zeros_like(y), y
    for _ in range(2):  # the residual of the recurrence drifts away from the true one, from which steps begin again
        z = left / diagonal
        direction, energy, goal = z, float(left @ z), RESIDUAL_TOLERANCE**2 * float(y @ (y / diagonal))
        for _ in range(MAX_CG_STEPS):
            if energy <= goal:
                break
            image = X.times(X.transposed(direction)) + alpha * direction
            length = energy / float(direction @ image)
            a, left = a + length * direction, left - length * image
            z = left / diagonal
            before, energy = energy, float(left @ z)
            direction = z + (energy / before) * direction
        else:
            return None
        left = y - X.times(X.transposed(a)) - alpha * a
    return a, alpha


def model_of(problem: RidgeProblem, rows: Rows) -> LinearModel:
    """The coefficients of all features, and the intercept."""
    found = solved(problem, rows)
    return LinearModel.of(values_of(found.coef, found.mean, problem.fit_intercept), problem.schema)


def claims_of(problem: RidgeProblem, model: LinearModel, rows: Rows) -> tuple[Claim, ...]:
    """How near to the optimum by duality, and how many digits hold."""
    found = solved(problem, rows)
    usual = "rounding errors independent and of the usual size"
    slope = problem.alpha * model.coef - found.X.transposed(found.y - found.X.times(model.coef))
    length = _norm(found.y)
    far = _norm(slope) + ERROR_DEVIATIONS * EPS * _norm(found.X.lengths()) * length
    share = (far / length) ** 2 / problem.alpha if length else 0.0
    error = found.error + np.abs(model.coef - found.coef)
    worst = float(shares(error, model.coef, found.unit).max(initial=0.0))
    digits = min(max(-math.log10(worst), 0.0), 15.0) if worst > 0 else 15.0
    n = len(rows)
    return (
        Claim("gap", share, "estimated", f"duality, as a share of the squares of y (dual of {n:,} rows)", "objective",
              usual),
        Claim("digits", digits, "estimated",
              "perturbation of the least certain coefficient (one below 1e-10 of what alone would explain the target "
              f"counts as zero), from the system of {n:,} rows", "arithmetic", usual),
    )  # fmt: skip


def _centred(rows: Rows, fit_intercept: bool) -> tuple[Centred, Array, Array]:
    """Rows and targets less their means, times the root of their weight, and those means."""
    X, weight = rows.matrix(), rows.weight
    root, total = np.sqrt(weight), float(weight.sum())
    mean = np.zeros(rows.width + 1)
    if fit_intercept and total:
        mean[:-1] = (X.T @ weight) / total
        mean[-1] = (weight @ rows.y) / total
        if not sp.issparse(X):  # once more, of what is left: means of large values lose digits
            mean[:-1] += (X - mean[:-1]).T @ weight / total
        mean[-1] += weight @ (rows.y - mean[-1]) / total
    y = root * (rows.y - mean[-1])
    if sp.issparse(X):
        scaled = sp.csr_array(sp.diags_array(root) @ X)
        return Centred(scaled, root, mean[:-1]), y, mean
    return Centred((X - mean[:-1]) * root[:, None], root, np.zeros(rows.width)), y, mean


def _norm(values: Array) -> float:
    """The root of the sum of squares."""
    return float(np.linalg.norm(values))
