"""Machines through the origin of the features: against Clarabel, and against what has no offset by itself."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp

import tenfold as tn
from dual_problems import features
from tenfold.kernels import GaussianKernel, LinearKernel, PolynomialKernel, SpectrumKernel
from tenfold.svm.dual import dual_problem

KERNELS = [LinearKernel(), GaussianKernel(0.5), PolynomialKernel(2, 1.0, 0.0)]


def least(Z, price, sign=None, y=None, epsilon=0.0):
    """The least of ½|w|² + Σ price · loss over w, with f = Zw, by Clarabel."""
    (n, r), eye = Z.shape, np.eye(len(Z))
    if sign is not None:
        A, b = np.block([[-sign[:, None] * Z, -eye], [np.zeros((n, r)), -eye]]), np.r_[-np.ones(n), np.zeros(n)]
    else:
        none = 0 * eye
        A = np.block([[-Z, -eye, none], [Z, none, -eye], [np.zeros((2 * n, r)), -np.eye(2 * n)]])
        b = np.r_[epsilon - y, epsilon + y, np.zeros(2 * n)]
        price = np.r_[price, price]
    P = sp.diags(np.r_[np.ones(r), np.zeros(len(price))], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    q, cones = np.r_[np.zeros(r), price], [clarabel.NonnegativeConeT(len(b))]
    return float(clarabel.DefaultSolver(P, q, sp.csc_matrix(A), b, cones, settings).solve().obj_val)


@pytest.mark.quick
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_classes_beside_clarabel(kernel, C):
    random = np.random.default_rng(3)
    X, weight = random.normal(size=(60, 3)) + 1, random.uniform(0.2, 2, 60)
    y = X[:, 0] - X[:, 1] ** 2 + random.normal(size=60) > -0.5
    sign = np.where(y, 1.0, -1.0)
    model = tn.SVC(kernel=kernel, C=C, tol=1e-9, fit_intercept=False).fit(X, y, sample_weight=weight)
    f = model.decision_function(X)
    beta = np.zeros(60)
    beta[model.support_] = model.dual_coef_[0]
    value = 0.5 * beta @ kernel(X) @ beta + C * weight @ np.maximum(0, 1 - sign * f)
    best = least(features(kernel(X)), C * weight, sign)
    assert value == pytest.approx(best, rel=1e-6)
    assert model.intercept_.tolist() == [0.0]
    np.testing.assert_allclose(f, kernel(X) @ beta, atol=1e-9)
    assert model.certificate_["relative gap"].value < 1e-7
    assert model.certificate_["KKT violation"].value < 1e-6
    assert tn.SVC(kernel=kernel, C=C, tol=1e-9).fit(X, y, sample_weight=weight).intercept_[0] != 0


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_numbers_beside_clarabel(kernel):
    random = np.random.default_rng(4)
    X = random.normal(size=(50, 2)) + 1
    y = X[:, 0] - X[:, 1] ** 2 + 0.3 * random.normal(size=50) + 2
    model = tn.SVR(kernel=kernel, C=2.0, epsilon=0.2, tol=1e-9, fit_intercept=False).fit(X, y)
    beta = np.zeros(50)
    beta[model.support_] = model.dual_coef_[0]
    off = np.maximum(0, np.abs(y - model.predict(X)) - 0.2)
    value = 0.5 * beta @ kernel(X) @ beta + 2.0 * off.sum()
    assert value == pytest.approx(least(features(kernel(X)), np.full(50, 2.0), y=y, epsilon=0.2), rel=1e-6)
    assert model.certificate_["relative gap"].value < 1e-7


def test_linear_machine_without_an_intercept_is_the_same():
    random = np.random.default_rng(5)
    X = random.normal(size=(200, 4)) + 0.5
    y = X[:, 0] + random.normal(size=200) > 0
    ours = tn.SVC(kernel="linear", tol=1e-9, fit_intercept=False).fit(X, y)
    linear = tn.LinearSVC(loss="hinge", fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, linear.coef_, atol=1e-5)


def test_hard_margin_needs_a_plane_through_the_origin():
    X = np.array([[1.0], [2.0], [4.0]])
    with pytest.raises(tn.DataError, match="no plane through the origin separates"):
        tn.SVC(kernel="linear", C=np.inf, fit_intercept=False).fit(X, [0, 0, 1])
    assert tn.SVC(kernel="linear", C=np.inf).fit(X, [0, 0, 1]).score(X, [0, 0, 1]) == 1
    model = tn.SVC(kernel="linear", C=np.inf, fit_intercept=False).fit([[-2.0], [0.5]], [0, 1])
    np.testing.assert_allclose(model.coef_, [[2.0]])
    assert model.certificate_["margin"].value == pytest.approx(0.5)


def test_working_sets_find_what_one_gram_matrix_does(monkeypatch):
    random = np.random.default_rng(6)
    X = random.normal(size=(700, 3))
    y = random.integers(0, 3, 700)
    given = dict(C=2.0, tol=1e-7, fit_intercept=False)
    at_once = tn.SVC(**given).fit(X, y)
    at_once_numbers = tn.SVR(**given).fit(X, X[:, 0] ** 2)
    monkeypatch.setattr(dual_problem, "MAX_FULL_GRAM_ROWS", 100)
    apart = tn.SVC(**given).fit(X, y)
    np.testing.assert_allclose(apart.decision_function(X), at_once.decision_function(X), atol=1e-4)
    np.testing.assert_allclose(tn.SVR(**given).fit(X, X[:, 0] ** 2).predict(X), at_once_numbers.predict(X), atol=1e-4)


def test_strings_and_matrices_too():
    words, y = ["ab", "abab", "ba", "bb", "bbb"], [1, 1, 0, 0, 0]
    kernel = SpectrumKernel(1)
    of_words = tn.SVC(kernel=kernel, fit_intercept=False, tol=1e-9).fit(words, y)
    of_matrix = tn.SVC(kernel="precomputed", fit_intercept=False, tol=1e-9).fit(kernel(words), y)
    np.testing.assert_allclose(of_words.decision_function(words), of_matrix.decision_function(kernel(words)), atol=1e-8)
