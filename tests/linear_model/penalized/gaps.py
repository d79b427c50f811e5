"""Certified gaps beside true ones: the problems and the oracle; `benchmarks/gaps.py` has the command.

For each model, random small problems: the true gap is the objective at the model less its minimum. Clarabel finds the
minimum, and the signs it finds are solved for and checked in exact arithmetic, so that the minimum is exact. The
certified gap must be at least the true one, also where the descent was cut off; at convergence it may be at most ten
times the true one plus the tolerance. All gaps are shares of half the squares of y around its mean.

A model is a function from a seed to `Gap`s; add it to `MODELS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import clarabel
import numpy as np
import scipy.sparse as sp

import tenfold as tn


class Gap(NamedTuple):
    """One model's gaps."""

    certified: float
    true: float
    tol: float
    converged: bool
    """whether the upper side is asked for too"""


def problem(random: Any) -> tuple[Any, Any, Any]:
    """Few rows of a few columns, of any size and offset, alike or not; weights or None."""
    n, p = int(random.integers(6, 30)), int(random.integers(1, 7))
    X = random.standard_normal((n, p)) + random.integers(0, 4) * random.standard_normal((n, 1))
    X = X * 10.0 ** random.integers(-2, 3, p) + 10.0 ** random.integers(-1, 3) * random.standard_normal(p)
    y = X @ (random.standard_normal(p) * (random.random(p) < 0.6)) / np.abs(X).max()
    y = 10.0 ** random.integers(-2, 3) * (y + random.standard_normal(n) * random.choice([0.01, 0.3, 1.0]))
    weight = random.integers(1, 4, n).astype(float) if random.random() < 0.3 else None
    return X, y + random.integers(-3, 4), weight


def exact(values: Any) -> list[Any]:
    """Floats as fractions."""
    return [exact(v) if np.ndim(v) else Fraction(float(v)) for v in values]


class Exact:
    """½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + λ |β|₁ + ½ μ |β|² in exact arithmetic; the intercept is solved for."""

    def __init__(self, X: Any, y: Any, weight: Any, l1: float, l2: float) -> None:
        self.l1, self.l2 = Fraction(l1), Fraction(l2)
        self.X, self.y, self.w = exact(X), exact(y), exact(np.ones(len(y)) if weight is None else weight)
        total, p = sum(self.w), len(self.X[0])
        mean = [sum(w * r[j] for w, r in zip(self.w, self.X)) / total for j in range(p)]
        middle = sum(w * t for w, t in zip(self.w, self.y)) / total
        rows = [[v - m for v, m in zip(r, mean)] for r in self.X]
        self.A = [[sum(w * r[i] * r[j] for w, r in zip(self.w, rows)) for j in range(p)] for i in range(p)]
        self.b = [sum(w * r[j] * (t - middle) for w, r, t in zip(self.w, rows, self.y)) for j in range(p)]
        self.spread = sum(w * (t - middle) ** 2 for w, t in zip(self.w, self.y))

    def at(self, coef: Any, intercept: float) -> Fraction:
        """The objective at floats as they are."""
        beta, constant = exact(coef), Fraction(float(intercept))
        off = (t - constant - sum(v * c for v, c in zip(r, beta)) for r, t in zip(self.X, self.y))
        squares = sum((w * e**2 for w, e in zip(self.w, off)), Fraction(0))
        return squares / 2 + self.l1 * sum(map(abs, beta)) + self.l2 * sum(c**2 for c in beta) / 2

    def least(self) -> Fraction:
        """The minimum: signs from Clarabel, repaired where it is not sure, until the conditions hold exactly."""
        rough = minimiser(self.A, self.b, float(self.l1), float(self.l2))
        strength = np.abs(rough) * np.array([float(self.A[j][j]) for j in range(len(rough))]) ** 0.5
        signs = np.where(strength > 1e-7 * float(self.spread) ** 0.5, np.sign(rough), 0.0).astype(int).tolist()
        if not self.l1:
            signs = [1] * len(rough)
        for _ in range(100):
            beta = self._solve(signs)
            slope = [b - sum(a * v for a, v in zip(row, beta)) for row, b in zip(self.A, self.b)]
            wrong = [j for j, s in enumerate(signs) if self.l1 and beta[j] * s < 0]
            above = [j for j, s in enumerate(signs) if not s and abs(slope[j]) > self.l1]
            if not wrong and not above:
                square = self.spread - sum(v * (b + s) for v, b, s in zip(beta, self.b, slope))
                return square / 2 + self.l1 * sum(map(abs, beta)) + self.l2 * sum(v**2 for v in beta) / 2
            if wrong:
                signs[wrong[0]] = 0
            else:
                j = max(above, key=lambda j: abs(slope[j]) ** 2 / self.A[j][j])
                signs[j] = 1 if slope[j] > 0 else -1
        raise ArithmeticError("no signs were found that satisfy the conditions of the minimum")

    def _solve(self, signs: list[int]) -> list[Fraction]:
        """The minimiser for given signs."""
        inside = [j for j, s in enumerate(signs) if s]
        M = [[self.A[i][j] + (self.l2 if i == j else 0) for j in inside] for i in inside]
        beta = [Fraction(0)] * len(signs)
        for j, value in zip(inside, _solved(M, [self.b[j] - self.l1 * signs[j] for j in inside])):
            beta[j] = value
        return beta


def _solved(M: Any, b: Any) -> Any:
    """Mx = b by elimination on fractions."""
    M = [[*row, t] for row, t in zip(M, b)]
    for i in range(len(M)):
        pivot = next(k for k in range(i, len(M)) if M[k][i])
        M[i], M[pivot] = M[pivot], M[i]
        M[i] = [v / M[i][i] for v in M[i]]
        for k in range(len(M)):
            if k != i and M[k][i]:
                M[k] = [v - M[k][i] * u for v, u in zip(M[k], M[i])]
    return [row[-1] for row in M]


def minimiser(A: Any, b: Any, l1: float, l2: float) -> Any:
    """By Clarabel, of the problem with columns scaled to length one: min ½ uᵀPu - cᵀu + Σ lⱼ tⱼ, |u| ≤ t."""
    p = len(b)
    size = np.array([max(float(A[j][j]), 1e-300) ** 0.5 for j in range(p)])
    P = np.array([[float(v) for v in row] for row in A]) / np.outer(size, size) + l2 * np.diag(1 / size**2)
    c = np.array([float(v) for v in b]) / size
    unit = max(np.abs(c).max(), 1e-300)
    eye = sp.eye_array(p)
    G = sp.csc_matrix(sp.block_array([[eye, -eye], [-eye, -eye]]))
    full = sp.csc_matrix(np.triu(np.block([[P, np.zeros((p, p))], [np.zeros((p, 2 * p))]])))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    linear = np.append(-c / unit, l1 / size / unit)
    done = clarabel.DefaultSolver(
        full, linear, G, np.zeros(2 * p), [clarabel.NonnegativeConeT(2 * p)], settings
    ).solve()
    return np.array(done.x[:p]) * unit / size


def _gap(model: Any, oracle: Exact, tol: float, converged: bool) -> Gap:
    share = oracle.spread / 2
    true = (oracle.at(model.coef_, model.intercept_) - oracle.least()) / share
    return Gap(model.certificate_["gap"].value, float(true), tol, converged)


def ridge(seed: int) -> Iterator[Gap]:
    """Solved at once; the tolerance is rounding."""
    random = np.random.default_rng(seed)
    X, y, weight = problem(random)
    alpha = float(10.0 ** random.uniform(-3, 3))
    model = tn.Ridge(alpha).fit(X, y, sample_weight=weight)
    yield _gap(model, Exact(X, y, weight, 0.0, alpha), 1e-15, True)


def elastic_net(seed: int, l1_ratio: float | None = None) -> Iterator[Gap]:
    """To the tolerance, to a loose one, and cut off."""
    random = np.random.default_rng(seed)
    X, y, weight = problem(random)
    total = float(len(y) if weight is None else weight.sum())
    ratio = float(random.choice([0.1, 0.5, 0.9])) if l1_ratio is None else l1_ratio
    top = tn.ElasticNet(1.0, ratio).fit(X, y, sample_weight=weight).path(2).alphas[0]
    alpha = float(top * 10.0 ** random.uniform(-3, 0.1))
    oracle = Exact(X, y, weight, total * alpha * ratio, total * alpha * (1 - ratio))
    for tol, most in ((1e-12, 10_000), (1e-3, 10_000), (1e-12, 1)):
        model = tn.ElasticNet(alpha, ratio, tol=tol, max_iter=most).fit(X, y, sample_weight=weight)
        yield _gap(model, oracle, tol, most > 1)


def lasso(seed: int) -> Iterator[Gap]:
    """The same without the squares."""
    return elastic_net(seed, 1.0)


MODELS: dict[str, Callable[[int], Iterator[Gap]]] = {"ridge": ridge, "lasso": lasso, "elastic net": elastic_net}


def broken(once: Callable[[int], Iterator[Gap]], draws: int, first: int = 0) -> tuple[list[int], list[int], float]:
    """Seeds whose certificate is below the truth, or far above it, and the largest certified gap at convergence."""
    below, above, largest = [], [], 0.0
    for seed in range(first, first + draws):
        for gap in once(seed):
            if not gap.certified >= gap.true:
                below.append(seed)
            if gap.converged and not gap.certified <= 10 * gap.true + gap.tol:
                above.append(seed)
            if gap.converged and gap.tol < 1e-6:
                largest = max(largest, gap.certified)
    return below, above, largest
