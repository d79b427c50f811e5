"""Standard errors, tests and intervals: statsmodels, certified data, and what they say in repeated samples."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import optimize, stats

import tenfold as tn
from rational import NIST, design
from tenfold import DataError, LinearRegression, Ridge
from tenfold.sources import part_rows
from tenfold.testing import bits, check_laws

ROBUST = ["HC0", "HC1", "HC2", "HC3"]


def rows(seed=0, n=400):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4)) * [1, 10, 0.1, 2] + [0, 5, 1, 100]
    group = random.integers(0, 25, n)
    noise = (1 + np.abs(X[:, 0])) * random.normal(size=n) + random.normal(size=25)[group]
    return X, X @ [1.0, 0.2, -3.0, 0.0] + noise, group


def peer(X, y, kind, group, fit_intercept):
    model = sm.OLS(y, np.column_stack([X, np.ones(len(X))]) if fit_intercept else X).fit()
    if kind == "classical":
        return model
    more = {"groups": group} if kind == "cluster" else {}
    return model.get_robustcov_results(kind, use_t=True, **more)


@pytest.mark.quick
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["classical", *ROBUST, "cluster"])
def test_equals_statsmodels(kind, fit_intercept):
    X, y, group = rows()
    groups = {"groups": group} if kind == "cluster" else {}
    with part_rows(70):
        model = LinearRegression(fit_intercept=fit_intercept, standard_errors=kind).fit(X, y, **groups)
    theirs = peer(X, y, kind, group, fit_intercept)
    close = {"rtol": 1e-8}
    np.testing.assert_allclose(model.covariance_, theirs.cov_params(), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(model.standard_errors_, theirs.bse, **close)
    np.testing.assert_allclose(model.t_values_, theirs.tvalues, **close)
    np.testing.assert_allclose(model.p_values_, theirs.pvalues, **close)
    np.testing.assert_allclose(model.conf_int(0.9), theirs.conf_int(0.1), **close)
    np.testing.assert_allclose(model.r2_, theirs.rsquared, **close)
    np.testing.assert_allclose(model.adjusted_r2_, theirs.rsquared_adj, **close)
    np.testing.assert_allclose(model.residual_variance_, theirs.scale, **close)
    ours = [model.log_likelihood_, model.aic_, model.bic_]
    np.testing.assert_allclose(ours, [theirs.llf, theirs.aic, theirs.bic], **close)
    if fit_intercept:
        f = model.f_test_
        np.testing.assert_allclose([f.statistic, f.p_value, f.df], [theirs.fvalue, theirs.f_pvalue, 4], **close)
        assert f.df_residual == (24 if kind == "cluster" else 395)
    assert model.terms_.tolist() == ["x0", "x1", "x2", "x3", "intercept"][: 4 + fit_intercept]


@pytest.mark.parametrize("of", ["mean", "row"])
def test_prediction_intervals_equal_statsmodels(of):
    X, y, _ = rows()
    model = LinearRegression().fit(X, y)
    theirs = peer(X, y, "classical", None, True).get_prediction(np.column_stack([X[:9], np.ones(9)]))
    expected = theirs.conf_int(alpha=0.2, obs=of == "row")
    np.testing.assert_allclose(model.predict_interval(X[:9], 0.8, of), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", ["classical", "HC3", "cluster"])
def test_weights_are_frequencies(kind):
    """A row of weight 2 is two rows, in every degree of freedom."""
    X, y, group = rows(1, 120)
    times = np.random.default_rng(1).integers(0, 4, 120)
    repeated = np.repeat(np.arange(120), times)
    groups = {"groups": group} if kind == "cluster" else {}
    model = LinearRegression(standard_errors=kind).fit(X, y, sample_weight=times, **groups)
    theirs = peer(X[repeated], y[repeated], kind, group[repeated], True)
    np.testing.assert_allclose(model.standard_errors_, theirs.bse, rtol=1e-8)


def test_weights_of_mean_one_give_weighted_least_squares():
    X, y, group = rows(2)
    weight = np.random.default_rng(2).random(400) + 0.1
    weight /= weight.mean()
    theirs = sm.WLS(y, np.column_stack([X, np.ones(400)]), weight).fit()
    model = LinearRegression().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.standard_errors_, theirs.bse, rtol=1e-8)
    model = LinearRegression(standard_errors="cluster").fit(X, y, sample_weight=weight, groups=group)
    theirs = theirs.get_robustcov_results("cluster", groups=group, use_t=True)
    np.testing.assert_allclose(model.standard_errors_, theirs.bse, rtol=1e-8)


def test_least_squares_is_maximum_likelihood_of_normal_noise():
    """No coefficients and no variance are likelier; weights count rows; rows that fit have no largest likelihood."""
    X, y, _ = rows(5, 60)
    model = LinearRegression().fit(X, y)

    def log_likelihood(values):
        return stats.norm.logpdf(y, X @ values[:4] + values[4], np.exp(values[5])).sum()

    best = np.r_[model.coef_, model.intercept_, 0.5 * np.log(((y - model.predict(X)) ** 2).mean())]
    assert log_likelihood(best) == pytest.approx(model.log_likelihood_, rel=1e-12)
    slope = optimize.approx_fprime(best, log_likelihood, 1e-7)
    assert np.abs(slope * np.r_[1, 0.1, 10, 0.01, 1, 1]).max() < 0.02
    for move in np.random.default_rng(5).normal(size=(50, 6)) * [0.1, 0.01, 1, 0.05, 1, 0.1]:
        assert log_likelihood(best + move) < model.log_likelihood_
    twice = LinearRegression().fit(X, y, sample_weight=np.full(60, 2.0))
    assert twice.log_likelihood_ == pytest.approx(2 * model.log_likelihood_, rel=1e-12)
    assert LinearRegression().fit(X[:4, :1], X[:4, 0]).aic_ < -250
    assert "AIC" in str(model.summary())


@pytest.mark.quick
def test_one_scan_unless_errors_are_robust():
    X, y, _ = rows()
    assert LinearRegression().fit(X, y).certificate_.provenance.passes == 1
    assert LinearRegression(standard_errors="HC1").fit(X, y).certificate_.provenance.passes == 2


@pytest.mark.parametrize("kind", ["HC0", "HC3"])
def test_with_r_factors_too(kind):
    X, y, _ = rows(3)
    X[:, 1] = X[:, 0] + 1e-6 * X[:, 1]
    with part_rows(90):
        model = LinearRegression(standard_errors=kind).fit(X, y)
    assert type(model.summary_).__name__ == "FactorScores"
    high = LinearRegression(standard_errors=kind, precision="high").fit(X, y)
    np.testing.assert_allclose(model.standard_errors_, high.standard_errors_, rtol=1e-8)


def test_keys_of_clusters(tmp_path):
    """Numbers, text, a column of a frame, a column of a file: the same clusters, the same errors."""
    X, y, group = rows(4)
    learner = LinearRegression(standard_errors="cluster")
    expected = learner.fit(X, y, groups=group).standard_errors_
    words = np.array([f"firm {g}" for g in group], dtype=object)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(firm=words)
    found = [
        learner.fit(X, y, groups=words).standard_errors_,
        learner.fit(X, y, groups=group + 0.5).standard_errors_,
        learner.fit(frame.drop(columns="firm"), y, groups=group).standard_errors_,
        learner.fit(frame, y, groups="firm").standard_errors_,
    ]
    frame.assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=80)
    source = tn.scan(tmp_path / "rows.parquet", target="y")
    found.append(learner.fit(source, groups="firm").standard_errors_)
    for errors in found:
        np.testing.assert_allclose(errors, expected, rtol=1e-10)
    assert learner.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_allclose(learner.predict(frame[list("abcd")])[:5], (X @ learner.coef_ + learner.intercept_)[:5])


def test_what_is_missing_is_said():
    X, y, group = rows()
    with pytest.raises(DataError, match="need the cluster of each row"):
        LinearRegression(standard_errors="cluster").fit(X, y)
    with pytest.raises(ValueError, match="groups go with"):
        LinearRegression().fit(X, y, groups=group)
    with pytest.raises(DataError, match="some rows have no group"):
        LinearRegression(standard_errors="cluster").fit(X, y, groups=np.where(group == 3, np.nan, group))
    with pytest.raises(DataError, match="no column 'firm'"):
        LinearRegression(standard_errors="cluster").fit(X, y, groups="firm")
    with pytest.raises(ValueError, match="between 0 and 1"):
        LinearRegression().fit(X, y).conf_int(95)
    with pytest.raises(ValueError, match="no F test"):
        _ = Ridge().fit(X, y).f_test_
    assert not hasattr(LinearRegression(), "standard_errors_")


def test_merged_models():
    """Classical errors merge. Robust ones are taken at the coefficients, and say that these are others now."""
    X, y, _ = rows()
    whole = LinearRegression().fit(X, y)
    halves = [LinearRegression().fit(X[s], y[s]) for s in (slice(99), slice(99, None))]
    np.testing.assert_allclose(sum(halves).standard_errors_, whole.standard_errors_, rtol=1e-10)
    halves = [LinearRegression(standard_errors="HC3").fit(X[s], y[s]) for s in (slice(99), slice(99, None))]
    merged = sum(halves)
    np.testing.assert_allclose(merged.coef_, whole.coef_, rtol=1e-10)
    assert merged.certificate_["another scan"].value == 1
    with pytest.raises(ValueError, match="merged from others"):
        _ = merged.standard_errors_


def test_a_refit_forgets():
    X, y, _ = rows()
    model = LinearRegression().fit(X, y)
    before = model.standard_errors_
    model.fit(X, 2 * y)
    np.testing.assert_allclose(model.standard_errors_, 2 * before, rtol=1e-10)


@pytest.mark.parametrize("learner", [LinearRegression(standard_errors="HC3"), Ridge(standard_errors="HC0")])
def test_laws(learner):
    check_laws(learner, draws=4)


@pytest.mark.quick
def test_same_bits_by_cluster():
    X, y, group = rows(5)
    found = set()
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)), part_rows(33):
            model = LinearRegression(standard_errors="cluster").fit(X, y, groups=group)
        found.add((bits(model.model_), bits(model.summary_)))
        assert model.verify().origin == "verified"
    assert len(found) == 1


def test_model_file(tmp_path):
    X, y, group = rows()
    model = LinearRegression(standard_errors="cluster").fit(X, y, groups=group)
    model.save(tmp_path / "model")
    again = tn.load(tmp_path / "model")
    np.testing.assert_array_equal(again.covariance_, model.covariance_)
    model.save(tmp_path / "small", summary=False)
    with pytest.raises(ValueError, match="without its summary"):
        _ = tn.load(tmp_path / "small").standard_errors_


@pytest.mark.parametrize("name", NIST)
def test_nist_standard_deviations(name):
    """Certified standard deviations of the estimates and of the residuals, R² and F."""
    case = NIST[name]
    X, y = design(case)
    with part_rows(-(-len(y) // 4)):
        model = LinearRegression(fit_intercept=case["intercept"], precision="high").fit(X, y)
    sd = np.roll(case["certified_sd"], -1) if case["intercept"] else case["certified_sd"]
    atol = 1e-12 * np.abs(y).max()  # residuals of Wampler1 and 2 are none
    rtol = 1e-6 if name == "Filip" else 1e-12
    size = np.abs(np.append(model.coef_, model.intercept_)[: len(sd)])
    np.testing.assert_allclose(model.standard_errors_, sd, rtol=rtol, atol=1e-12 * size.max())
    np.testing.assert_allclose(np.sqrt(model.residual_variance_), case["residual_sd"], rtol=rtol, atol=atol)
    np.testing.assert_allclose(model.r2_, case["r2"], rtol=rtol)
    if case["F"] is not None:
        np.testing.assert_allclose(model.f_test_.statistic, case["F"], rtol=rtol)


def test_ridge_covariance_and_shrinkage_in_repeated_samples():
    """E β̂ = (I - α (X'X + αI)⁻¹) β, and the spread around that is the standard error (canon L9)."""
    random = np.random.default_rng(6)
    X = random.normal(size=(60, 3)) @ [[1, 0.9, 0], [0, 0.5, 0], [0, 0, 1]]
    beta, alpha, draws = np.array([1.0, -2.0, 0.5]), 20.0, 4000
    Y = (X @ beta)[:, None] + random.normal(size=(60, draws))
    C = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    model = Ridge(alpha).fit(X, Y[:, 0])
    np.testing.assert_allclose(model.inference_.shrinkage, np.eye(3) - alpha * np.linalg.inv(C + alpha * np.eye(3)))
    estimates = np.linalg.solve(C + alpha * np.eye(3), (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)))
    np.testing.assert_allclose(model.coef_, estimates[:, 0], rtol=1e-10)
    errors = model.standard_errors_[:3] / np.sqrt(model.residual_variance_)  # at σ = 1
    np.testing.assert_allclose(estimates.std(axis=1), errors, rtol=0.05)
    far = np.abs(estimates.mean(axis=1) - model.inference_.shrinkage @ beta)
    assert (far < 4 * errors / np.sqrt(draws)).all()
    text = str(model.summary())
    assert "kept" in text
    assert "biased" in text


def test_intervals_cover():
    """95 % intervals: classical ones miss too often where the variance grows with x, HC3 do not."""
    random = np.random.default_rng(7)
    hits = {"classical": 0, "HC3": 0}
    for _ in range(150):
        x = random.normal(size=(60, 1))
        y = x[:, 0] + x[:, 0] ** 2 * random.normal(size=60)
        for kind in hits:
            low, high = LinearRegression(standard_errors=kind).fit(x, y).conf_int()[0]
            hits[kind] += low <= 1 <= high
    assert hits["classical"] < 0.85 * 150
    assert hits["HC3"] > 0.9 * 150


def test_summary_says_everything():
    X, y, _ = rows()
    model = LinearRegression().fit(pd.DataFrame(X, columns=["age", "income", "<b>", "size"]), y)
    text, page = str(model.summary()), model.summary()._repr_html_()
    for word in ["age", "intercept", "std. error", "R²", "F(4, 395)", "2.5 %", "linear in the columns", "digits"]:
        assert word in text
    assert "&lt;b&gt;" in page
    assert "<b>" not in page.split("<table>")[1].split("</table>")[0]
    assert len(model.summary().notes[0][1]) == len(model.certificate_.claims)


def test_terms_that_are_zero_by_definition():
    """A constant column, and the category that the others are compared with."""
    X, y, _ = rows()
    X[:, 1] = 7.0
    model = LinearRegression().fit(X, y)
    assert model.standard_errors_[1] == 0
    assert np.isnan(model.t_values_[1])
    theirs = peer(X[:, [0, 2, 3]], y, "classical", None, True)
    np.testing.assert_allclose(model.standard_errors_[[0, 2, 3, 4]], theirs.bse, rtol=1e-8)
    assert "by definition" in str(model.summary())
    frame = pd.DataFrame({"x": X[:, 0], "color": np.array(["red", "blue", "green"])[np.arange(400) % 3]})
    for kind in ("classical", "HC3"):
        model = LinearRegression(standard_errors=kind).fit(frame, y)
        dummies = pd.get_dummies(frame["color"], drop_first=True).to_numpy(float)
        theirs = peer(np.column_stack([X[:, 0], dummies]), y, kind, None, True)
        assert model.terms_.tolist() == ["x", "color_blue", "color_green", "color_red", "intercept"]
        np.testing.assert_allclose(model.standard_errors_[[0, 2, 3, 4]], theirs.bse, rtol=1e-8)


@pytest.mark.quick
def test_as_many_parameters_as_rows():
    random = np.random.default_rng(8)
    X, y = random.normal(size=(5, 4)), random.normal(size=5)
    model = LinearRegression().fit(X, y)
    assert np.isinf(model.standard_errors_).all()
    assert (model.p_values_ == 1).all()
    assert "no residual degrees of freedom" in str(model.summary())


def test_rows_that_decide_alone():
    X, y, _ = rows()
    X[:, 3] = 0.0
    X[17, 3] = 1.0
    model = LinearRegression(standard_errors="HC3").fit(X, y)
    assert model.inference_.alone == 1
    assert np.isfinite(model.standard_errors_).all()
    assert "decide a coefficient alone" in str(model.summary())


@pytest.mark.parametrize("kind", ["HC0", "HC3", "cluster"])
def test_a_part_of_fewer_rows_than_columns_merges_with_others(kind):
    """It has fewer directions, so that its scores have another shape; the coefficients are those of all rows."""
    X, y, group = rows(n=60)

    def fitted(some):
        more = {"groups": group[some]} if kind == "cluster" else {}
        return LinearRegression(standard_errors=kind).fit(X[some], y[some], **more)

    whole = fitted(slice(None))
    for merged in (fitted(slice(57)) + fitted(slice(57, None)), fitted(slice(3)) + fitted(slice(3, None))):
        np.testing.assert_allclose(merged.coef_, whole.coef_, rtol=1e-8)
        with pytest.raises(ValueError, match="merged from others"):
            merged.infer()
