"""Certified data, and least squares in rational arithmetic: what several test files compare with."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np

NIST = json.loads((Path(__file__).parent / "linear" / "nist.json").read_text())


def digits(values, truth):
    with np.errstate(divide="ignore"):
        return float(np.minimum(15, -np.log10(np.abs(values - truth) / np.abs(truth))).min())


def values(model):
    return np.append(model.coef_, model.intercept_) if model.fit_intercept else model.coef_


def exact_solution(X, y, alpha, fit_intercept):
    """Solve the normal equations of the numbers as they are in rational arithmetic."""
    rows = [[Fraction(v) for v in row] + [Fraction(1)] * fit_intercept for row in X]
    target = [Fraction(v) for v in y]
    q = len(rows[0])
    A = [[sum(r[i] * r[j] for r in rows) for j in range(q)] for i in range(q)]
    b = [sum(r[i] * t for r, t in zip(rows, target, strict=True)) for i in range(q)]
    for i in range(q - fit_intercept):
        A[i][i] += Fraction(float(alpha))
    for i in range(q):
        pivot = next(k for k in range(i, q) if A[k][i])
        A[i], A[pivot], b[i], b[pivot] = A[pivot], A[i], b[pivot], b[i]
        for k in range(q):
            if k != i and A[k][i]:
                f = A[k][i] / A[i][i]
                A[k] = [u - f * v for u, v in zip(A[k], A[i], strict=True)]
                b[k] -= f * b[i]
    return np.array([float(b[i] / A[i][i]) for i in range(q)])


def hard_problem(seed):
    """From easy to nearly singular: columns of any size and offset, one nearly a copy of another."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(24, 4)) * 10.0 ** random.integers(-3, 4, 4)
    X += 10.0 ** random.integers(-2, 4) * random.normal(size=4)
    X[:, 3] = X[:, 0] + 10.0 ** -random.integers(0, 9) * X[:, 3]
    return X, X @ random.normal(size=4) + random.normal(size=24) * 10.0 ** -random.integers(0, 9)


def design(case):
    rows = np.array(case["rows"])
    y, X = rows[:, 0], rows[:, 1:]
    if case["degree"]:
        X = np.column_stack([X[:, 0] ** k for k in range(1, case["degree"] + 1)])
    return X, y


def decimal_truth(case):
    """The solution for the numbers as they are printed, not as float64 has them."""
    rows = [[Fraction(str(v)) for v in row] for row in case["rows"]]
    y = [row[0] for row in rows]
    X = [[row[1] ** k for k in range(1, case["degree"] + 1)] if case["degree"] else row[1:] for row in rows]
    return exact_solution(X, y, 0.0, case["intercept"])
