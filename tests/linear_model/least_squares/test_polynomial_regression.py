"""Polynomials in double-double: certified data, the pipeline that cannot have them, and derivatives."""

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.pipeline import make_pipeline

import tenfold as tn
from rational import NIST, decimal_truth, digits, exact_solution, values
from tenfold import DataError, LinearRegression, PolynomialFeatures, PolynomialRegression
from tenfold.sources import part_rows
from tenfold.stats.moments.monomials import monomials

POWERS = {name: case for name, case in NIST.items() if case["degree"]}


@pytest.mark.parametrize("name", POWERS)
def test_nist(name):
    """Thirteen digits on every set from the raw x, Filip too."""
    case = NIST[name]
    rows = np.array(case["rows"])
    found = []
    for parts in (1, 4, 100):
        with part_rows(-(-len(rows) // parts)):
            model = PolynomialRegression(case["degree"], fit_intercept=case["intercept"])
            found.append(model.fit(rows[:, 1:], rows[:, 0]))
    certified = np.array(case["certified"])
    certified = np.append(certified[1:], certified[0]) if case["intercept"] else certified
    assert digits(values(found[1]), certified) >= 13
    for model in found:
        np.testing.assert_allclose(values(model), values(found[0]), rtol=3e-16)
        assert model.certificate_["digits"].value <= digits(values(model), decimal_truth(case)) + 1e-9
        assert model.certificate_["digits"].value >= 12.5


@pytest.mark.parametrize("parts", [1, 4])
def test_far_rows_of_little_weight(parts):
    """Sums are taken around the mean by weight: around that of all rows, heavy ones would lose their digits."""
    random = np.random.default_rng(0)
    X, y = random.integers(-9, 9, (40, 2)).astype(float), random.standard_normal(40)
    X[::4, 0] = 1e6 + np.arange(10)
    root = np.where(np.arange(40) % 4 == 0, 2.0**-20, 2.0**20)
    with part_rows(40 // parts):
        model = PolynomialRegression(fit_intercept=False).fit(X, y, sample_weight=root**2)
    a, b = X.T
    terms = np.column_stack([a, b, a * a, a * b, b * b]) * root[:, None]
    assert model.coef_names_.tolist() == ["x0", "x1", "x0^2", "x0 x1", "x1^2"]
    assert digits(model.coef_, exact_solution(terms, root * y, 0.0, False)) >= 14


def test_filip_beside_a_pipeline():
    """The pipeline's powers are rounded before the learner sees them, whatever it does afterwards."""
    case = NIST["Filip"]
    rows = np.array(case["rows"])
    certified = np.append(case["certified"][1:], case["certified"][0])
    powers = PolynomialFeatures(10, include_bias=False)
    pipeline = make_pipeline(powers, LinearRegression(precision="high")).fit(rows[:, 1:], rows[:, 0])
    assert 7 < digits(values(pipeline[-1]), certified) < 9
    model = PolynomialRegression(10).fit(rows[:, 1:], rows[:, 0])
    np.testing.assert_allclose(np.roll(model.standard_errors_, 1), case["certified_sd"], rtol=1e-12)
    residual = rows[:, 0] - model.predict(rows[:, 1:])
    np.testing.assert_allclose(np.sqrt(residual @ residual / 71), case["residual_sd"], rtol=1e-12)


@pytest.mark.parametrize("interaction_only", [False, True])
def test_equals_the_pipeline_where_that_has_digits(interaction_only):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    y = X[:, 0] * X[:, 1] + random.normal(size=300)
    weight = random.integers(0, 3, 300)
    basis = PolynomialFeatures(3, interaction_only=interaction_only, include_bias=False)
    Z = basis.fit_transform(X)
    with part_rows(70):
        model = PolynomialRegression(3, interaction_only).fit(X, y, sample_weight=weight)
    theirs = LinearRegression(precision="high").fit(Z, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-11)
    np.testing.assert_allclose(model.predict(X), theirs.predict(Z), rtol=1e-11)
    assert model.coef_names_.tolist() == basis.get_feature_names_out().tolist()
    peer = sm.OLS(np.repeat(y, weight), sm.add_constant(np.repeat(Z, weight, axis=0))).fit()
    np.testing.assert_allclose(np.roll(model.standard_errors_, 1), peer.bse, rtol=1e-8)
    ends = peer.get_prediction(sm.add_constant(Z)[:4]).conf_int(obs=True)
    np.testing.assert_allclose(model.predict_interval(X[:4]), ends, rtol=1e-8)


def test_fewer_than_five_rows_to_a_term_are_warned_of():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(29, 2)), random.normal(size=29)
    with pytest.warns(UserWarning, match="PolynomialRegression: there are only 4.83 rows to each of 6 terms"):
        model = PolynomialRegression(2).fit(X, y)
    assert model.certificate_["few rows"].value == 29 / 6
    assert "too few" in str(model.summary())
    assert PolynomialRegression(1).fit(X, y).certificate_.get("few rows") is None


def test_derivatives():
    X = np.random.default_rng(2).normal(size=(5, 3))
    terms, step = monomials(3, 4), 1e-6
    for by in range(3):
        move = step * (np.arange(3) == by)
        numeric = (terms.values(X + move) - terms.values(X - move)) / (2 * step)
        np.testing.assert_allclose(terms.slopes(X, terms.values(X), by), numeric, rtol=1e-6, atol=1e-8)


def test_model_file_and_merging(tmp_path):
    random = np.random.default_rng(3)
    X, y = random.normal(size=(80, 2)), random.normal(size=80)
    model = PolynomialRegression(2).fit(X, y)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(tn.load(tmp_path / "model").predict(X), model.predict(X))
    merged = PolynomialRegression(2).fit(X[:30], y[:30]) + PolynomialRegression(2).fit(X[30:], y[30:])
    np.testing.assert_allclose(merged.coef_, model.coef_, rtol=1e-13)


def test_what_cannot_be_done_is_said():
    with pytest.raises(DataError, match="too large to be squared"):
        PolynomialRegression(3).fit([[1e80], [2e80], [3e80]], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="terms. Remedy: a lower degree"):
        PolynomialRegression(9).fit(np.ones((3, 40)), np.ones(3))


def test_terms_whose_products_do_not_fit_into_memory_are_refused_before_they_are_made():
    X = np.random.default_rng(0).normal(size=(18, 60))  # 39,710 terms: a square of them takes 12 GB
    with pytest.raises(ValueError, match=r"60 columns gives more than 2,000 terms\. Remedy: a lower degree"):
        PolynomialRegression(3).fit(X, X[:, 0])


def test_models_of_unlike_rows_merge():
    x = np.array([[0.55], [-0.86], [-1e9], [-0.31]])
    y = np.array([0.31, -1.5, -3.99, -0.08])
    halves = [tn.PolynomialRegression().fit(x[rows], y[rows]) for rows in (slice(0, 2), slice(2, 4))]
    assert np.isfinite((halves[0] + halves[1]).predict(x)).all()


def test_a_constant_target_with_weights_of_unlike_scales():
    x = np.array([-0.56, 2.07, 0.17, -1.56, -0.01, 0.73], dtype=np.float32)
    weight = np.array([1e-12, 1e12, 1e12, 1e-12, 1e-12, 1e12])
    model = PolynomialRegression().fit(np.column_stack([x, x]), np.full(6, -0.001), weight)
    assert model.predict(np.column_stack([x, x])) == pytest.approx(-0.001)
