"""True gaps of small logistic problems: the minimum by Clarabel's cones, and by Newton in long double."""

from __future__ import annotations

from typing import NamedTuple

import clarabel
import numpy as np
import scipy.sparse as sp

import tenfold as tn
from tenfold.engine import Local, fit
from tenfold.sources import ArraySource


class Problem(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    C: float
    ratio: float
    intercept: bool


class Found(NamedTuple):
    certified: list
    true: list
    tol: float
    blur: float
    oracles: float


def draw(seed):
    random = np.random.default_rng(seed)
    n, p = int(random.integers(8, 40)), int(random.integers(1, 6))
    X = random.standard_normal((n, p)) * 10.0 ** random.uniform(-1, 1, p) + random.standard_normal(p)
    y = (X @ random.standard_normal(p) + random.logistic(size=n) > 0).astype(int)
    y[:2] = 0, 1
    weight = random.integers(1, 4, n).astype(float) if random.random() < 0.3 else np.ones(n)
    ratio = random.choice([0.0, 0.0, 0.5, 1.0])
    return Problem(X, y, weight, 10.0 ** random.uniform(-2, 2), float(ratio), bool(random.random() < 0.8))


def objective(problem, coef, intercept, kind=np.longdouble):
    """In long double: the true gap of a converged fit is below what doubles see."""
    X, y, weight = (np.asarray(a, dtype=kind) for a in (problem.X, problem.y, problem.weight))
    margin = (X @ np.asarray(coef, dtype=kind) + kind(intercept)) * (1 - 2 * y)
    b = np.asarray(coef, dtype=kind)
    C, r = kind(problem.C), kind(problem.ratio)
    return (weight * np.logaddexp(kind(0), margin)).sum() + (1 - r) * (b @ b) / (2 * C) + r * np.abs(b).sum() / C


def by_cones(problem):
    """Minimise Σ w t + penalty, where log(1 + exp(s)) ≤ t is exp(s - t) + exp(-t) ≤ 1: two exponential cones."""
    X, y, weight, C, r, intercept = problem
    n, p = X.shape
    # unknowns: β (p), β₀, a ≥ |β| (p), then t, u, v for each row
    size = 2 * p + 1 + 3 * n
    t, u, v = (2 * p + 1 + k * n for k in range(3))
    P = sp.lil_matrix((size, size))
    for j in range(p):
        P[j, j] = (1 - r) / C
    q = np.zeros(size)
    q[p + 1 : 2 * p + 1] = r / C
    q[t : t + n] = weight
    rows, b, cones = [], [], []

    def add(row, value):
        rows.append(row)
        b.append(value)

    for i in range(n):  # u + v ≤ 1
        add({u + i: 1.0, v + i: 1.0}, 1.0)
    for j in range(p):
        add({j: 1.0, p + 1 + j: -1.0}, 0.0)
        add({j: -1.0, p + 1 + j: -1.0}, 0.0)
    if not intercept:
        add({p: 1.0}, 0.0)
        add({p: -1.0}, 0.0)
    cones.append(clarabel.NonnegativeConeT(len(rows)))
    for i in range(n):  # (x, y, z): y exp(x / y) ≤ z; rows are b - A·unknowns
        sign = 1.0 - 2.0 * y[i]
        add({**{j: -sign * X[i, j] for j in range(p)}, p: -sign, t + i: 1.0}, 0.0)
        add({}, 1.0)
        add({u + i: -1.0}, 0.0)
        add({t + i: 1.0}, 0.0)
        add({}, 1.0)
        add({v + i: -1.0}, 0.0)
        cones += [clarabel.ExponentialConeT(), clarabel.ExponentialConeT()]
    A = sp.lil_matrix((len(rows), size))
    for k, row in enumerate(rows):
        for j, value in row.items():
            A[k, j] = value
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    settings.max_iter = 200
    done = clarabel.DefaultSolver(sp.triu(P).tocsc(), q, A.tocsc(), np.array(b), cones, settings).solve()
    return float(done.obj_val_dual), np.array(done.x[:p]), float(done.x[p])


def by_newton(problem, coef, intercept):
    """Newton's method in long double from a near answer: for the signs it has, where there are absolute values."""
    kind = np.longdouble
    X, y, w = (np.asarray(a, dtype=kind) for a in (problem.X, problem.y, problem.weight))
    live = np.flatnonzero(coef) if problem.ratio else np.arange(len(coef))
    sign = np.sign(np.asarray(coef, dtype=kind)[live])
    Z = np.column_stack([X[:, live], np.ones(len(X), kind)]) if problem.intercept else X[:, live]
    theta = np.append(coef[live], intercept) if problem.intercept else coef[live]
    theta = np.asarray(theta, dtype=kind)
    squared, absolute = kind((1 - problem.ratio) / problem.C), kind(problem.ratio / problem.C)
    inner = np.ones(len(theta), kind)
    if problem.intercept:
        inner[-1] = 0
    for _ in range(60):
        share = 1 / (1 + np.exp(-(Z @ theta)))
        g = Z.T @ (w * (share - y)) + squared * inner * theta
        g[: len(live)] += absolute * sign
        H = (Z * (w * share * (1 - share))[:, None]).T @ Z + np.diag(squared * inner)
        # a double's solution, corrected in long double
        step = np.zeros_like(g)
        for _ in range(3):
            step = step + np.linalg.solve(H.astype(float), (g - H @ step).astype(float))
        theta = theta - step
        if np.abs(step).max(initial=0) < 1e-17:
            break
    full = np.zeros(len(coef), kind)
    full[live] = theta[: len(live)]
    return full, (theta[-1] if problem.intercept else kind(0))


def check(seed):
    """Certified and true gaps, per row, at every pass of a fit."""
    problem = draw(seed)
    learner = tn.LogisticRegression(C=problem.C, l1_ratio=problem.ratio, fit_intercept=problem.intercept)
    source = ArraySource(problem.X, problem.y, problem.weight)
    seen = []
    done = fit(learner, source, runner=Local(threads=1), stop=learner.stop(), watchers=[seen.append])
    least, *_ = by_cones(problem)
    total = float(problem.weight.sum())
    best = min(
        objective(problem, *by_newton(problem, done.at.model.coef[0], done.at.model.intercept[0])),
        objective(problem, done.at.model.coef[0], done.at.model.intercept[0]),
    )
    states = [at for at in seen if at.certificate is not None and at.certificate.get("gap")]
    certified = [at.certificate["gap"].value for at in states]
    true = [float((objective(problem, at.model.coef[0], at.model.intercept[0]) - best) / total) for at in states]
    return Found(certified, true, learner.tol, 1e-18, abs(float(best) - least) / total)
