"""Sums in twice the working precision against fractions, which do not round; the proximal step against its optimum."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiled.ways import both_ways
from tenfold.compiled.linear_model.proximal import sweep, violation
from tenfold.compiled.precision import double
from tenfold.compiled.precision.error_free import add_gradient, two_product, two_sum
from tiers import draws

NUMBERS = st.floats(-1e100, 1e100, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-100)
WAYS = pytest.mark.parametrize("way", ["compiled", "written"])


def pick(kernel, way):
    return kernel if way == "compiled" else kernel.py_func


@WAYS
@settings(max_examples=draws(20, 100))
@given(a=NUMBERS, b=NUMBERS)
def test_a_sum_and_a_product_with_what_rounding_cut_off(way, a, b):
    for kernel, wanted in ((two_sum, Fraction(a) + Fraction(b)), (two_product, Fraction(a) * Fraction(b))):
        high, low = pick(kernel, way)(a, b)
        assert Fraction(high) + Fraction(low) == wanted


@both_ways(add_gradient)
def test_a_gradient_with_residuals_that_cancel(run):
    """y is x·coef to fifteen digits: the residual is what is left."""
    random = np.random.default_rng(0)
    block, coef, intercept = random.normal(size=(20, 3)) * 1e3, random.normal(size=3), 0.7
    y, w = block @ coef + intercept, random.integers(1, 4, 20).astype(float)
    center, scale = block.mean(axis=0), np.array([512.0, 1024.0, 2048.0])
    residual, high, low = np.empty(20), np.zeros(4), np.zeros(4)
    run(block, y, w, coef, intercept, center, scale, residual, high, low)
    rest, sums = [], [Fraction(0)] * 4
    for x, t, v in zip(block.tolist(), y.tolist(), w.tolist(), strict=True):
        r = Fraction(t) - Fraction(intercept) - sum(Fraction(a) * Fraction(b) for a, b in zip(x, coef.tolist()))
        rest.append(float(r))
        terms = [Fraction(1), *((Fraction(a) - Fraction(c)) / Fraction(s) for a, c, s in zip(x, center, scale))]
        sums = [old + Fraction(v) * r * d for old, d in zip(sums, terms, strict=True)]
    np.testing.assert_allclose(residual, rest, rtol=1e-12)
    size = float(max(abs(s) for s in sums))
    for j in range(4):
        assert abs(float(Fraction(high[j]) + Fraction(low[j]) - sums[j])) < 1e-13 * size


def exact_product(a, b):
    return [[sum(Fraction(x) * Fraction(y) for x, y in zip(row, col)) for col in zip(*b, strict=True)] for row in a]


def worst(high, low, wanted):
    """Largest error as a share of the largest entry."""
    off = max(
        abs(Fraction(h) + Fraction(l) - w)
        for hs, ls, ws in zip(high.tolist(), low.tolist(), wanted, strict=True)
        for h, l, w in zip(hs, ls, ws, strict=True)
    )
    return float(off / max(abs(w) for ws in wanted for w in ws))


@both_ways(double.product)
def test_a_product_of_matrices_to_thirty_digits(run):
    random = np.random.default_rng(1)
    a, b, none = random.normal(size=(4, 5)), random.normal(size=(5, 3)), np.zeros
    assert worst(*run(a, none((4, 5)), b, none((5, 3))), exact_product(a.tolist(), b.tolist())) < 1e-29


@both_ways(double.add_gram)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_gram_matrix_to_thirty_digits(run, weighted):
    random = np.random.default_rng(2)
    rows, weight = random.normal(size=(30, 3)) + 1e5, random.integers(1, 4, 30).astype(float)
    gram, rest = np.zeros((4, 4)), np.zeros((4, 4))
    run(rows, np.zeros((30, 3)), weight if weighted else np.empty(0), gram, rest)
    d = np.column_stack([rows, np.ones(30)]).tolist()
    w = weight.tolist() if weighted else [1.0] * 30
    turned = [[Fraction(v) * Fraction(x) for x, v in zip(col, w)] for col in zip(*d)]
    wanted = [[sum(a * Fraction(b) for a, b in zip(row, col)) for col in zip(*d)] for row in turned]
    lower = [[value if k <= j else Fraction(0) for k, value in enumerate(row)] for j, row in enumerate(wanted)]
    assert worst(np.tril(gram), np.tril(rest), lower) < 1e-29


@both_ways(double.cholesky, double.solve)
def test_a_system_that_floats_cannot_solve(run):
    """The Hilbert matrix of order 9, of condition 5e11, scaled to ones on the diagonal."""
    cholesky, solve = run
    n = 9
    H = 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    A = H / np.sqrt(np.outer(np.diag(H), np.diag(H)))
    np.fill_diagonal(A, 1.0)
    A = (A + A.T) / 2
    factor, rest, rank = cholesky(A, np.zeros((n, n)), 1e-25)
    assert rank == n
    x = np.arange(1.0, n + 1)
    b = [sum(Fraction(v) * Fraction(t) for v, t in zip(row, x.tolist())) for row in A.tolist()]
    high = np.array([[float(v)] for v in b])
    low = np.array([[float(v - Fraction(h))] for v, h in zip(b, high[:, 0].tolist())])
    found, more = solve(factor, rest, high, low)
    np.testing.assert_allclose((found + more)[:, 0], x, rtol=1e-14)
    assert np.abs(np.linalg.solve(A, high[:, 0]) / x - 1).max() > 1e-9, "in floats it is lost"


@both_ways(double.cholesky)
def test_a_column_that_follows_from_others_is_named(run):
    A = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 1.0], [0.5, 1.0, 1.0]])
    assert run(A, np.zeros((3, 3)), 1e-25)[2] == 2


@both_ways(sweep, violation)
@pytest.mark.parametrize("seed", range(4))
def test_sweeps_lead_to_the_optimum(run, seed):
    go, off = run
    random = np.random.default_rng(seed)
    L = random.normal(size=(6, 6))
    S, q, l = L @ L.T + np.eye(6), 3 * random.normal(size=6), np.array([0.0, 0.5, 1.0, 2.0, 50.0, 0.1])
    v, u = np.zeros(6), q.copy()
    values = []
    for _ in range(400):
        go(S, l, 1, v, u)
        values.append(0.5 * v @ S @ v - q @ v + l @ np.abs(v))
    assert (np.diff(values) <= 1e-12).all(), "it never rises"
    np.testing.assert_allclose(u, q - S @ v, atol=1e-10)
    assert off(u, l, v) < 1e-9
    assert v[4] == 0, "so large a penalty leaves nothing"
    slope = S @ v - q  # of the smooth part, by itself
    assert np.abs(slope[v != 0] + (l * np.sign(v))[v != 0]).max() < 1e-9
    assert (np.abs(slope[v == 0]) <= l[v == 0] + 1e-9).all()
    some = random.normal(size=6)
    assert values[-1] <= 0.5 * some @ S @ some - q @ some + l @ np.abs(some)
    assert off(u + 1, l, v) > 0.5
