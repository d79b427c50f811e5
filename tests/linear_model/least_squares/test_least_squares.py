"""Least squares: certified data, exact rational arithmetic, scikit-learn, and the optimality condition."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer
from sklearn.base import clone

from rational import NIST, design, digits, exact_solution, hard_problem, values
from tenfold import DataError, ElasticNet, LinearRegression, MaxAbsScaler, MergeError, PolynomialRegression, Ridge
from tenfold.sources import part_rows
from tenfold.stats.moments.moments import Moments
from tenfold.stats.moments.rfactor import RFactor


@pytest.mark.parametrize("chunks", [1, 4])
@pytest.mark.parametrize("name", NIST)
def test_nist(name, chunks):
    case = NIST[name]
    X, y = design(case)
    with part_rows(-(-len(y) // chunks)):
        model = LinearRegression(fit_intercept=case["intercept"]).fit(X, y)
    certified = np.array(case["certified"])
    certified = np.append(certified[1:], certified[0]) if case["intercept"] else certified
    found, claimed = digits(values(model), certified), model.certificate_["digits"].value
    assert found >= case["digits"]
    assert found - 3 <= claimed <= found


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_certified_digits_hold(alpha, fit_intercept):
    """Never above the truth, against rational arithmetic."""
    for seed in range(60):
        X, y = hard_problem(seed)
        with part_rows(6):
            model = Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(X, y)
        found = digits(values(model), exact_solution(X, y, alpha, fit_intercept))
        assert model.certificate_["digits"].value <= found + 1e-9, seed


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_certified_digits_are_not_idle(fit_intercept):
    """Not far below it either. Whole numbers: those are not taken for rounded ones."""
    slack = []
    for seed in range(60):
        X, y = (np.rint(1e6 * v) for v in hard_problem(seed))
        if np.linalg.matrix_rank(X - X.mean(axis=0)) < 4:
            continue
        with part_rows(6):
            model = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
        found = digits(values(model), exact_solution(X, y, 0.0, fit_intercept))
        slack.append(found - model.certificate_["digits"].value)
    assert len(slack) > 30
    assert min(slack) > -1e-9
    assert np.median(slack) < 3


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 100.0])
def test_equals_scikit_learn(alpha, weighted):
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 8)) + 3
    y = X @ random.normal(size=8) + random.normal(size=5000)
    weight = random.random(5000) if weighted else None
    ours = Ridge(alpha=alpha).fit(X, y, sample_weight=weight)
    theirs = peer.Ridge(alpha=alpha, solver="svd").fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_gradient_is_zero():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(300, 5)), random.normal(size=300)
    model = Ridge(alpha=2.0).fit(X, y)
    residual = y - model.predict(X)
    np.testing.assert_allclose(X.T @ residual - 2.0 * model.coef_, 0, atol=1e-11)
    assert abs(residual.sum()) < 1e-11
    assert model.certificate_["gap"].value < 1e-24


@pytest.mark.parametrize("near", [1000.0, 1e-9])
def test_gap_claim_covers_the_true_gap_of_wrong_coefficients(near):
    """The certificate speaks of the state it is given: spoil the state and the gap is the true one."""
    random = np.random.default_rng(2)
    X, y = random.normal(size=(200, 4)), random.normal(size=200)
    X[:, 3] = X[:, 0] * 1e3 + near * X[:, 3]
    model = Ridge(alpha=1e-9).fit(X, y)
    assert type(model.summary_) is (Moments if near > 1 else RFactor)

    def objective(coef):
        centred = (y - y.mean()) - (X - X.mean(axis=0)) @ coef
        return 0.5 * centred @ centred + 0.5e-9 * coef @ coef

    for size in (1e-6, 1e-3, 1.0):
        wrong = model.model_._replace(coef=model.coef_ + size * random.normal(size=4))
        claims = {c.kind: c.value for c in model.certify(wrong, model.summary_)}
        true = (objective(wrong.coef) - objective(model.coef_)) / (0.5 * ((y - y.mean()) ** 2).sum())
        assert true <= claims["gap"] * (1 + 1e-6)
        assert claims["gap"] <= 10 * true


def test_escalates_only_where_it_pays():
    random = np.random.default_rng(3)
    X = random.normal(size=(1000, 6))
    y = X[:, 0] * 1e-3 + random.normal(size=1000)
    easy = LinearRegression().fit(X, y)
    assert isinstance(easy.summary_, Moments)
    assert easy.certificate_.provenance.passes == 1
    hard = LinearRegression().fit(np.column_stack([X, X[:, 0] + 1e-7 * X[:, 1]]), y)
    assert isinstance(hard.summary_, RFactor)
    assert hard.certificate_.provenance.passes > 1


def test_sparse_is_dense():
    random = np.random.default_rng(4)
    dense = random.normal(size=(500, 12)) * (random.random((500, 12)) < 0.2)
    y = dense @ random.normal(size=12) + 1
    a, b = Ridge().fit(dense, y), Ridge().fit(sp.csr_array(dense), y)
    np.testing.assert_array_equal(a.coef_, b.coef_)
    np.testing.assert_allclose(a.predict(dense), b.predict(sp.csr_array(dense)), rtol=1e-12)


def test_collinear_columns_give_the_shortest_solution_and_say_so():
    random = np.random.default_rng(5)
    X = random.normal(size=(50, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(50, 7.0)])
    y = random.normal(size=50)
    model = LinearRegression().fit(X, y)
    theirs = peer.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-10)
    assert model.certificate_["rank"].value == 3
    assert model.certificate_["constant columns"].value == 1
    assert model.certificate_["digits"].value == 0


def test_more_columns_than_rows():
    random = np.random.default_rng(6)
    X, y = random.normal(size=(10, 30)), random.normal(size=10)
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)
    np.testing.assert_allclose(model.coef_, peer.LinearRegression().fit(X, y).coef_, atol=1e-9)


def test_moments_and_r_factors_merge_to_moments():
    random = np.random.default_rng(7)
    X = random.normal(size=(400, 3))
    near = X.copy()
    near[:, 2] = near[:, 0] + 1e-8 * near[:, 2]
    y = random.normal(size=400)
    easy, hard = LinearRegression().fit(X, y), LinearRegression().fit(near, y)
    assert isinstance(hard.summary_, RFactor)
    for merged in (easy + hard, hard + easy):
        assert isinstance(merged.summary_, Moments)
        whole = LinearRegression().fit(np.vstack([X, near]), np.append(y, y))
        np.testing.assert_allclose(merged.coef_, whole.coef_, rtol=1e-8)
    both = hard + LinearRegression().fit(near[:200], y[:200])
    assert isinstance(both.summary_, RFactor)
    whole = LinearRegression().fit(np.vstack([near, near[:200]]), np.append(y, y[:200]))
    np.testing.assert_allclose(both.predict(near), whole.predict(near), atol=1e-7)


def test_a_merged_model_that_wants_another_scan_says_so():
    random = np.random.default_rng(8)
    x = random.normal(size=(300, 1))
    a = LinearRegression().fit(np.column_stack([x, 5 * random.normal(size=(300, 1))]), x[:, 0])
    b = LinearRegression().fit(np.column_stack([x, x + 1e-9 * x**2]), x[:, 0])
    merged = a + b
    state = merged.update(merged.start(merged.schema_), merged.summary_)
    assert (merged.certificate_.get("another scan") is None) == (merged.ask(state) is None)
    assert merged.certificate_.provenance.stopped == "merged"


def test_models_that_do_not_fit_together():
    X, y = np.eye(3), np.arange(3.0)
    with pytest.raises(MergeError, match=r"alpha is 1.0 and 2.0"):
        Ridge().fit(X, y) + Ridge(alpha=2.0).fit(X, y)
    with pytest.raises(MergeError, match="only on the right"):
        Ridge().fit(X[:, :2], y) + Ridge().fit(X, y)
    with pytest.raises(TypeError):
        Ridge().fit(X, y) + LinearRegression().fit(X, y)
    assert sum([Ridge().fit(X, y)]).coef_.shape == (3,)


def test_large_offset_keeps_its_digits():
    """Raw sums of squares would leave nothing of a spread of 1 around 1e9."""
    random = np.random.default_rng(9)
    X = random.normal(size=(2000, 2))
    y = X @ [1.0, -1.0]
    model = LinearRegression().fit(X + 1e9, y)
    shifted = (X + 1e9) - 1e9
    truth = np.linalg.lstsq(shifted - shifted.mean(axis=0), y - y.mean(), rcond=None)[0]
    np.testing.assert_allclose(model.coef_, truth, rtol=1e-9)


@pytest.mark.parametrize("seed", [4, 52, 128, 174, 247])
def test_digits_hold_where_a_column_is_nothing_beside_the_penalty(seed):
    """Weights of 1e-24 to 1e24 and columns of 1e-30 to 1e30: no more digits are claimed than are right."""
    random = np.random.default_rng(seed)
    n, p = int(random.integers(5, 40)), int(random.integers(1, 4))
    X = random.normal(size=(n, p)) * 10.0 ** random.choice([0, 0, 0, 30, -30, 15], p)
    y = random.normal(size=n) + X[:, 0] / np.abs(X[:, 0]).max()
    weight = 10.0 ** random.choice([0, 0, 24, -24, 12], n)
    for alpha in (1e-3, 1.0, 1e3):
        model = Ridge(alpha, fit_intercept=False).fit(X, y, weight)
        roots = [Fraction(float(w)) for w in weight]
        rows = [[Fraction(float(v)) for v in row] for row in X]
        A = [[sum(w * r[i] * r[j] for w, r in zip(roots, rows)) for j in range(p)] for i in range(p)]
        b = [sum(w * r[i] * Fraction(float(t)) for w, r, t in zip(roots, rows, y)) for i in range(p)]
        for i in range(p):
            A[i][i] += Fraction(alpha)
        truth = solve_exactly(A, b)
        squares = sum(w * Fraction(float(t)) ** 2 for w, t in zip(roots, y))
        alone = [
            Fraction(math.sqrt(squares)) * Fraction(math.sqrt(A[i][i] - Fraction(alpha))) / A[i][i] for i in range(p)
        ]
        sizes = [max(abs(t), a / 10**10) for t, a in zip(truth, alone)]  # what is smaller counts as zero
        off = [abs(Fraction(float(c)) - t) / s for c, t, s in zip(model.coef_, truth, sizes)]
        right = min(16.0 if not e else math.log10(e.denominator) - math.log10(e.numerator) for e in off)
        assert model.certificate_["digits"].value <= max(right, 0.0) + 0.3


def solve_exactly(A, b):
    """Gauss and Jordan, in fractions."""
    rows = [[*row, t] for row, t in zip(A, b, strict=True)]
    for i in range(len(rows)):
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [u - rows[k][i] * v for u, v in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("size", [1e-100, 1e-140, 1e-160, 1e-300])
@pytest.mark.parametrize("learner", [LinearRegression(), Ridge(), ElasticNet(0.1), ElasticNet(0.1, 0.0)])
def test_a_column_however_small_spoils_nothing(learner, size):
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2))
    y = X[:, 1] + 0.1 * random.normal(size=40)
    if size < 1e-150 and isinstance(learner, LinearRegression):
        with pytest.raises(DataError, match=r"column 'x0' is too small to be squared .*tenfold.MaxAbs"):
            learner.fit(X * [size, 1.0], y)
        scaled = MaxAbsScaler().fit_transform(X * [size, 1.0])
        np.testing.assert_allclose(learner.fit(scaled, y).predict(scaled), clone(learner).fit(X, y).predict(X))
        return
    found = learner.fit(X * [size, 1.0], y)
    assert np.isfinite(found.predict(X * [size, 1.0])).all()
    alone = clone(learner).fit(X[:, 1:], y)
    np.testing.assert_allclose(found.coef_[1], alone.coef_[0], rtol=0.05)
    if size < 1e-150 and isinstance(learner, Ridge):
        assert found.coef_[0] == found.certificate_["digits"].value == 0
        assert "too small to be squared" in found.certificate_["digits"].because


@pytest.mark.parametrize("learner", [LinearRegression(), Ridge()])
def test_columns_of_very_unlike_sizes(learner):
    X = np.array([[-1.1e100, 9.7e-161, -2e-100, 1e200], [-5.3e99, -1.9e-161, 1.1e-100, 1e200]])
    if isinstance(learner, LinearRegression):
        with pytest.raises(DataError, match=r"column 'x1' is too small to be squared"):
            clone(learner).fit(X, [-0.3, 0.5])
        return
    found = clone(learner).fit(X, [-0.3, 0.5])
    assert np.isfinite(found.predict(X)).all()
    assert found.certificate_["digits"].value == 0
    assert clone(learner).fit(X[:, 3:], [1e120, 2e120]).certificate_["constant columns"].value == 1


@pytest.mark.parametrize("learner", [LinearRegression(), Ridge(), PolynomialRegression()])
def test_digits_of_a_target_whose_products_are_too_small_are_not_claimed(learner):
    X, y = np.array([[-4.0], [-5.0], [3.0]]), np.array([8.1e-302, -2.8e-301, 5.1e-301])
    small = clone(learner).fit(X, y, sample_weight=[1.7e-13, 7.4e-13, 9.6e-13])
    assert small.certificate_["digits"].value == 0
    assert "the target, is too small to be squared" in small.certificate_["digits"].because
    assert clone(learner).fit(X, y * 1e300).certificate_["digits"].value > 12
    assert clone(learner).fit(X, np.zeros(3)).certificate_["digits"].value > 12


@pytest.mark.parametrize("learner", [LinearRegression(), LinearRegression(precision="high"), Ridge()])
def test_squares_that_overflow_with_their_weights_are_refused(learner):
    learner.set_params(fit_intercept=False)
    with pytest.raises(DataError, match=r"column 'x0' is too large to be squared\. Remedy: rescale it"):
        learner.fit([[-3.37e149], [-3.37e149]], [1.0, 2.0], sample_weight=[1e12, 1e12])
