"""Random support vector machines, solved by Clarabel too. Used by the tests and `benchmarks/support_vectors.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import clarabel
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import tenfold as tn
from tenfold import SVC, SVR

KINDS = ("classes", "classes, hard margin", "numbers")
TOL = 1e-9


class Drawn(NamedTuple):
    """Rows, a kernel, and parameters of a machine."""

    kind: str
    kernel: Any
    C: float
    epsilon: float
    X: Any
    y: Any
    weight: Any


def problem(seed: int) -> Drawn:
    """Rows of a kind that the seed draws: with ties or without, separable or not, even or weighted."""
    random = np.random.default_rng(seed)
    kind = KINDS[seed % 3]
    n, p = int(random.integers(6, 45)), int(random.integers(1, 5))
    X = random.normal(size=(n, p))
    if random.random() < 0.3:
        X = np.round(X, 1)
    gamma = float(random.choice([0.1, 0.5, 2.0]))
    kernels = [
        tn.kernels.LinearKernel(),
        tn.kernels.GaussianKernel(gamma),
        tn.kernels.PolynomialKernel(2, 1.0, 1.0),
        tn.kernels.LaplacianKernel(gamma),
    ]
    kernel = kernels[int(random.integers(len(kernels)))]
    score = X[:, 0] - X[:, -1] ** 2 + random.choice([0.0, 0.5]) * random.normal(size=n)
    if kind == "numbers":
        y = score
    else:
        y = (score > np.median(score)).astype(int)
        if kind == KINDS[1] and random.random() < 0.5:
            y = (X[:, 0] > np.median(X[:, 0])).astype(int)  # which a line can do
        y[0], y[1] = 0, 1
    weight = np.ones(n) if random.random() < 0.5 else random.uniform(0.2, 3.0, n)
    C = np.inf if kind == KINDS[1] else float(random.choice([0.05, 1.0, 20.0]))
    return Drawn(kind, kernel, C, float(random.choice([0.0, 0.1, 0.5])), X, y, weight)


def fitted(given: Drawn) -> Any:
    """The machine of these rows, solved to a small tolerance."""
    what = dict(kernel=given.kernel, C=given.C, tol=TOL)
    model = SVR(epsilon=given.epsilon, **what) if given.kind == "numbers" else SVC(**what)
    return model.fit(given.X, given.y, sample_weight=given.weight)


def features(K: Any, lost: float = 1e-12) -> Any:
    """Rows whose inner products are K, by eigenvectors that have more than a share of the largest eigenvalue."""
    each, vectors = np.linalg.eigh(K)
    some = each > lost * each[-1]
    return vectors[:, some] * np.sqrt(each[some])


def best(given: Drawn) -> float:
    """The least primal value, by Clarabel: over w, b and the slacks, rows as features of the kernel."""
    Z = features(given.kernel(given.X))
    n, r = Z.shape
    hard = np.isinf(given.C)
    price = np.zeros(n) if hard else given.C * given.weight
    one, eye = np.ones((n, 1)), np.eye(n)
    if given.kind == "numbers":
        slacks = np.r_[price, price]
        A = np.block([[-Z, -one, -eye, 0 * eye], [Z, one, 0 * eye, -eye], [np.zeros((2 * n, r + 1)), -np.eye(2 * n)]])
        b = np.r_[given.epsilon - given.y, given.epsilon + given.y, np.zeros(2 * n)]
    else:
        sign = np.where(given.y == 1, 1.0, -1.0)[:, None]
        slacks = price[:0] if hard else price
        A, b = np.block([-sign * Z, -sign * one]), -np.ones(n)
        if not hard:
            A, b = np.block([[A, -eye], [np.zeros((n, r + 1)), -eye]]), np.r_[b, np.zeros(n)]
    P = sp.diags(np.r_[np.ones(r), np.zeros(1 + len(slacks))], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    q, cones, A = np.r_[np.zeros(r + 1), slacks], [clarabel.NonnegativeConeT(len(b))], sp.csc_matrix(A)
    for tol in (1e-11, 1e-9):
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
        solved = clarabel.DefaultSolver(P, q, A, b, cones, settings).solve()
        if solved.status == clarabel.SolverStatus.Solved:
            return float(solved.obj_val)
    raise RuntimeError(f"Clarabel: {solved.status}")


def can_separate(given: Drawn, lost: float) -> bool:
    """Whether a plane separates the classes in the features of the kernel, by a linear program."""
    Z = features(given.kernel(given.X), lost)
    sign = np.where(given.y == 1, 1.0, -1.0)
    A = -sign[:, None] * np.column_stack([Z, np.ones(len(Z))])
    free = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(Z)), bounds=(None, None), method="highs")
    return bool(free.status == 0)


def decided_unlike(given: Drawn, separable: bool) -> bool:
    """Whether the linear program decides otherwise, with few features and with many that are perhaps only rounding."""
    return can_separate(given, 1e-9) == can_separate(given, 1e-13) != separable


class Examined(NamedTuple):
    """How one machine compares with what others find."""

    kind: str
    off: float
    """how far its primal and dual values are from the least that Clarabel finds, relative"""
    gap: float
    """relative"""
    below: float
    """by how much the proved gap is less than what Clarabel shows, relative: at most 0, but for rounding of both"""
    kkt: float
    """over the largest multiplier, if that is above 1: complementarity is a product with it"""
    refused: bool
    wrong: bool
    """whether it is refused, or not, unlike the linear program decides"""


def examine(seed: int) -> Examined:
    """A machine that the seed draws, beside Clarabel and HiGHS."""
    given = problem(seed)
    try:
        model = fitted(given)
    except tn.DataError:
        return Examined(given.kind, 0.0, 0.0, 0.0, 0.0, True, decided_unlike(given, False))
    wrong = given.kind == KINDS[1] and decided_unlike(given, True)
    claims, least = model.certificate_, best(given)
    gap = claims["gap"].value
    share = claims["relative gap"].value
    primal = gap / share if share else 0.0
    unit = max(abs(least), 1e-3)
    off = max(abs(primal - least), abs(primal - gap - least)) / unit if share else 0.0
    kkt = claims["KKT violation"].value / max(1.0, float(np.abs(model.dual_coef_).max(initial=0.0)))
    return Examined(given.kind, off, gap / unit, (primal - least - gap) / unit, kkt, False, wrong)
