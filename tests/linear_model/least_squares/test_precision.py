"""Double-double from the rows to the coefficients: certified data, rational arithmetic, and merging."""

from fractions import Fraction

import numpy as np
import pytest

from rational import NIST, decimal_truth, design, digits, exact_solution, hard_problem, values
from tenfold import LinearRegression, Ridge
from tenfold.compiled.precision.double import cholesky, solve
from tenfold.sources import part_rows
from tenfold.stats.moments.double import Double
from tenfold.stats.moments.double_moments import DoubleMoments
from tenfold.testing import check_laws


@pytest.mark.parametrize("name", NIST)
def test_nist(name):
    """Thirteen digits at least, but for Filip, whose powers were rounded before. Any number of parts, one answer."""
    case = NIST[name]
    X, y = design(case)
    found = []
    for parts in (1, 4, 100):
        with part_rows(-(-len(y) // parts)):
            found.append(LinearRegression(fit_intercept=case["intercept"], precision="high").fit(X, y))
    certified = np.array(case["certified"])
    certified = np.append(certified[1:], certified[0]) if case["intercept"] else certified
    assert digits(values(found[1]), certified) >= (7.5 if name == "Filip" else 13)
    for model in found:
        np.testing.assert_allclose(values(model), values(found[0]), rtol=3e-16)
        assert model.certificate_["digits"].value <= digits(values(model), decimal_truth(case)) + 1e-9
        assert model.certificate_["digits"].value >= (7 if name == "Filip" else 12.5)
        assert model.verify().origin == "verified"


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_certified_digits_hold(alpha, fit_intercept):
    """Never above the truth, and the float64 numbers themselves are solved to the last digit."""
    for seed in range(30):
        X, y = hard_problem(seed)
        with part_rows(6):
            model = Ridge(alpha=alpha, fit_intercept=fit_intercept, precision="high").fit(X, y)
        found = digits(values(model), exact_solution(X, y, alpha, fit_intercept))
        assert found > 14.9, seed
        assert model.certificate_["digits"].value <= found + 1e-9, seed


def test_weights():
    random = np.random.default_rng(0)
    X, y = hard_problem(3)
    times = random.integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), times)
    with part_rows(5):
        model = LinearRegression(precision="high").fit(X, y, sample_weight=times)
    truth = exact_solution(X[repeated], y[repeated], 0.0, True)
    assert digits(values(model), truth) > 14.5


def test_models_add_up_to_the_last_digit():
    """Moments that were taken at other coefficients merge: nothing is lost, and no scan is missing."""
    X, y = design(NIST["Longley"])
    whole = LinearRegression(precision="high").fit(X, y)
    merged = LinearRegression(precision="high").fit(X[:9], y[:9]) + LinearRegression(precision="high").fit(X[9:], y[9:])
    np.testing.assert_allclose(values(merged), values(whole), rtol=1e-14)
    np.testing.assert_allclose(merged.standard_errors_, whole.standard_errors_, rtol=1e-12)


def test_far_from_zero():
    """A spread of 1 around 1e15, of which float64 has three bits left: what is there is used."""
    random = np.random.default_rng(1)
    X = random.integers(0, 9, (200, 2)) + 1e15
    y = random.integers(0, 99, 200) + 1e12
    with part_rows(30):
        model = LinearRegression(precision="high").fit(X, y)
    truth = exact_solution(X, y, 0.0, True)
    assert digits(values(model), truth) > 14.9


def test_collinear_columns_say_so():
    random = np.random.default_rng(2)
    X = random.normal(size=(50, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(50, 7.0)])
    y = random.normal(size=50)
    high, normal = LinearRegression(precision="high").fit(X, y), LinearRegression().fit(X, y)
    np.testing.assert_allclose(high.coef_, normal.coef_, atol=1e-10)
    assert high.certificate_["rank"].value == 3
    assert high.certificate_["constant columns"].value == 1
    assert high.certificate_["digits"].value == 0


def test_laws():
    check_laws(LinearRegression(precision="high"), draws=4)


def exact(d):
    return np.vectorize(lambda h, l: Fraction(float(h)) + Fraction(float(l)), otypes=[object])(d.high, d.low)


def test_arithmetic_has_thirty_one_digits():
    random = np.random.default_rng(3)
    a, b = (Double(*(random.normal(size=(4, 4)) * s for s in (1, 1e-17))) for _ in "ab")
    for found, truth in (
        (a + b, exact(a) + exact(b)),
        (a * b, exact(a) * exact(b)),
        (a / b, exact(a) / exact(b)),
        (a @ b, exact(a) @ exact(b)),
    ):
        wrong = np.abs((exact(found) - truth).astype(float)) / np.abs(exact(a)).max()
        assert wrong.max() < 1e-30
    S = a @ a.T
    size = np.exp2(-np.round(np.log2(np.diag(S.high)) / 2))
    S = S.scaled(np.outer(size, size))
    factor, rest, rank = cholesky(*S, 1e-29)
    assert rank == 4
    x = Double(*solve(factor, rest, *b))
    assert np.abs((exact(S) @ exact(x) - exact(b)).astype(float)).max() < 1e-29 * np.abs(x.high).max()


def test_moments_equal_rational_sums():
    """How other learners use it: sums of squares around the mean, of numbers that hardly differ."""
    from tenfold.core import Need
    from tenfold.sources import ArraySource

    random = np.random.default_rng(4)
    X = 1e8 + np.round(random.normal(size=(60, 2)), 3)
    y = 1e12 + np.round(random.random(60), 1)
    total = None
    for some in (slice(0, 7), slice(7, 60)):
        source, need = ArraySource(X[some], y[some]), Need(target="number")
        chunk = source.load(0, need, source.known(need))
        found = DoubleMoments.of(chunk, Double.of(np.zeros(3)), np.zeros(2))
        total = found if total is None else total + found
    Z = np.vectorize(Fraction, otypes=[object])(np.column_stack([X, y]))
    Z = Z - Z.sum(axis=0) / 60
    truth = Z.T @ Z
    wrong = np.abs((exact(total.second()) - truth).astype(float)) / np.abs(truth.astype(float))
    assert wrong.max() < 1e-20
