"""Bias and variance against closed forms for least squares and ridge, and Domingos' parts by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tenfold as tn
from tenfold.model_selection.curves.loss_decomposition import squared, zero_one


def test_least_squares_on_disjoint_sets_has_the_variance_of_the_closed_form():
    """Normal columns, an intercept: σ² (1/n + (1 + 1/n) p / (n - p - 2)), and no bias (random design)."""
    p, sigma, found = 5, 2.0, []
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.normal(size=(6000, p))
        f = X @ np.ones(p)
        y = f + sigma * random.normal(size=6000)
        parts = tn.bias_variance(
            tn.LinearRegression(), X, y, sets=50, sampling="disjoint", truth=f, random_state=seed
        )  # fmt: skip
        found.append((parts.bias, parts.variance, parts.noise))
        n = parts.train_size
    bias, variance, noise = np.mean(found, axis=0)
    assert n == 84
    assert variance == pytest.approx(sigma**2 * (1 / n + (1 + 1 / n) * p / (n - p - 2)), rel=0.08)
    assert abs(bias) < 0.01
    assert noise == pytest.approx(sigma**2, rel=0.05)


@pytest.mark.parametrize("alpha", [0.0, 30.0])
def test_ridge_on_a_fixed_design_has_the_parts_of_the_closed_form(alpha):
    """Sets differ in their noise alone: h(x) = xᵀ A y with A = (XᵀX + αI)⁻¹ Xᵀ, so everything is known."""
    random = np.random.default_rng(0)
    X, at, beta, sigma = random.normal(size=(30, 6)), random.normal(size=(40, 6)), random.normal(size=6), 1.5
    A = np.linalg.solve(X.T @ X + alpha * np.eye(6), X.T)
    bias = ((at @ A @ X @ beta - at @ beta) ** 2).mean()
    variance = sigma**2 * ((at @ A) ** 2).sum(axis=1).mean()
    sets = [(X, X @ beta + sigma * random.normal(size=30)) for _ in range(600)]
    learner = tn.Ridge(alpha, fit_intercept=False)
    found = tn.bias_variance(learner, at, at @ beta, sets=sets, truth=at @ beta)
    assert found.variance == pytest.approx(variance, rel=0.12)
    assert found.bias == pytest.approx(bias, rel=0.1, abs=0.01)
    assert found.noise == 0
    assert found.loss == pytest.approx(found.bias + found.variance, rel=1e-12)


def test_the_loss_is_the_sum_of_its_parts():
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 3))
    y = X[:, 0] ** 2 + random.normal(size=400)
    for sampling in ("bootstrap", "disjoint"):
        for learner, target in ((tn.Ridge(), y), (tn.GaussianNB(), np.digitize(y, [0, 1]))):
            found = tn.bias_variance(learner, X, target, sets=8, sampling=sampling)
            assert found.loss == pytest.approx(found.bias + found.variance, rel=1e-12)
            assert np.isnan(found.noise)


def test_bias_is_not_inflated_by_the_variance_of_a_mean_of_few():
    random = np.random.default_rng(2)
    said, truth = random.normal(size=(3, 200_000)), np.zeros(200_000)
    parts = squared(said, truth, truth, np.ones(200_000)).result(False, 3, 0)
    assert abs(parts.bias) < 0.01  # the squared mean of three would be 1/3
    assert parts.variance == pytest.approx(1, abs=0.01)


def test_domingos_by_hand():
    """Five models. Row 0: right by 4 of 5. Row 1: main prediction 1 is wrong, hit by 2. Row 2: wrong, hit by 1 of 5."""
    said = np.array([[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 0, 1], [1, 0, 0]])
    y = np.array([0, 0, 0])
    parts = zero_one(said, y, None, np.ones(3), 3).result(True, 5, 0)
    assert parts.bias == pytest.approx(2 / 3)
    assert parts.variance_unbiased == pytest.approx(0.2 / 3)
    assert parts.variance_biased == pytest.approx((0.4 + 0.2) / 3)
    assert parts.loss == pytest.approx((0.2 + 0.6 + 0.8) / 3)
    assert parts.loss == pytest.approx(parts.bias + parts.variance)


def test_domingos_with_noise_of_two_classes():
    """L = c₁ N + B + c₂ V with c₁ = 2 P(h = best) - 1 and c₂ = ±1, row by row."""
    random = np.random.default_rng(3)
    best = random.integers(0, 2, 400)
    noise = 0.2
    said = np.where(random.random((25, 400)) < random.random(400), best, 1 - best)
    y = np.where(random.random((4000, 400)) < noise, 1 - best, best)  # many draws of the target
    parts = [zero_one(said, one, best, np.ones(400), 2).result(True, 25, 0) for one in y[:200]]
    hit = (said == best).mean(axis=0)
    main = np.where(hit > 0.5, best, 1 - best)
    expected = ((2 * hit - 1) * noise).mean() + (main != best).mean() + np.where(main == best, 1 - hit, -hit).mean()
    assert np.mean([p.loss for p in parts]) == pytest.approx(expected, abs=0.01)
    assert parts[0].bias + parts[0].variance == pytest.approx((1 - hit).mean(), rel=1e-12)
    assert np.mean([p.noise for p in parts]) == pytest.approx(noise, abs=0.01)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_one_scan_of_summaries_gives_what_fits_of_the_sets_give(kind, tmp_path):
    random = np.random.default_rng(4)
    X = random.normal(size=(2000, 3))
    y = X[:, 0] + random.normal(size=2000)
    mine, theirs = (tn.Ridge(), Ridge()) if kind == "numbers" else (tn.GaussianNB(), GaussianNB())
    y = y if kind == "numbers" else np.digitize(y, [-1, 1])
    options = dict(sets=12, sampling="disjoint", test=0.25, random_state=5)
    a, b = (tn.bias_variance(one, X, y, **options) for one in (mine, theirs))
    pd.DataFrame(X, columns=list("abc")).assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=99)
    c = tn.bias_variance(mine, tn.scan(tmp_path / "rows.parquet", target="y"), **options)
    assert a.rows == b.rows == c.rows == 500
    for one in (b, c):
        for name in ("loss", "bias", "variance"):
            assert getattr(one, name) == pytest.approx(getattr(a, name), rel=1e-10)


def test_pipelines_trees_and_truth_by_number_of_the_row():
    random = np.random.default_rng(5)
    X = random.normal(size=(900, 2))
    f = X @ [1.0, 2.0]
    y = f + 0.5 * random.normal(size=900)
    for learner in (make_pipeline(tn.StandardScaler(), tn.Ridge()), make_pipeline(StandardScaler(), Ridge())):
        found = tn.bias_variance(learner, X, y, sets=5, sampling="disjoint", truth=f)
        assert found.noise == pytest.approx(0.25, rel=0.2)
        assert abs(found.bias) < 0.01
    stump, deep = (
        tn.bias_variance(DecisionTreeClassifier(max_depth=d, random_state=0), X, y > 0, sets=20) for d in (1, None)
    )
    assert stump.bias > deep.bias
    assert stump.variance_unbiased < deep.variance_unbiased


def test_what_it_prints():
    random = np.random.default_rng(6)
    X, y = random.normal(size=(100, 2)), random.normal(size=100)
    text = str(tn.bias_variance(tn.Ridge(), X, y, sets=5))
    assert "bias² and noise" in text
    assert "5 sets of 70 rows, scored on 30 others" in text
    assert "<table" in tn.bias_variance(tn.Ridge(), X, y, sets=5, truth=y)._repr_html_()


def test_refusals():
    X, y = np.zeros((10, 1)), np.arange(10.0)
    with pytest.raises(tn.DataError, match="disjoint"):
        tn.bias_variance(tn.Ridge(), tn.scan(X, y))
    with pytest.raises(ValueError, match="sets"):
        tn.bias_variance(tn.Ridge(), X, y, sets=1)
    with pytest.raises(ValueError, match="test"):
        tn.bias_variance(tn.Ridge(), X, y, test=1.0)
    with pytest.raises(TypeError, match="neither"):
        tn.bias_variance(tn.StandardScaler(), X, y)


@pytest.mark.parametrize("sampling", ["bootstrap", "disjoint"])
def test_with_a_known_truth_the_loss_is_the_sum_of_its_parts_on_few_rows_too(sampling):
    random = np.random.default_rng(3)
    X = random.uniform(-1, 1, size=(120, 1))
    f = 3 * X[:, 0] ** 2
    right = f > 1
    flipped = np.where(random.random(120) < 0.3, ~right, right)
    for learner, target, truth in ((tn.Ridge(), f + random.normal(size=120), f), (tn.GaussianNB(), flipped, right)):
        found = tn.bias_variance(learner, X, target, truth=truth, sets=5, sampling=sampling)
        parts = found.noise + found.bias + found.variance + found.cross
        assert found.loss == pytest.approx(parts, rel=1e-12)
        assert abs(found.cross) > 0.01, "on so few rows it is not nothing"
        assert "cross term" in str(found)
        assert "cross term" in found._repr_html_()
