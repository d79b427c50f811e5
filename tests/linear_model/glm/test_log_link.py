"""Poisson and Gamma regression: scikit-learn, statsmodels, the condition at the optimum, offsets."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer
import statsmodels.api as sm

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits

random = np.random.default_rng(0)
N = 400
X = random.standard_normal((N, 3)) * [1, 10, 0.1] + [0, 50, 3]
ETA = (X - [0, 50, 3]) @ [0.3, -0.02, 2] + 0.5
COUNT = random.poisson(np.exp(ETA)).astype(float)
SIZE = random.gamma(2, np.exp(ETA) / 2)
EXPOSURE = random.random(N)
TURNED = [1, 2, 3, 0]
CASES = {
    "poisson": (tn.PoissonRegressor, peer.PoissonRegressor, sm.families.Poisson(), COUNT),
    "gamma": (tn.GammaRegressor, peer.GammaRegressor, sm.families.Gamma(sm.families.links.Log()), SIZE),
}


@pytest.mark.quick
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("case", CASES)
def test_as_scikit_learn(case, alpha, fit_intercept, weighted):
    ours, theirs, _, y = CASES[case]
    rows = X if fit_intercept else X - X.mean(axis=0)
    weight = random.integers(0, 3, N).astype(float) if weighted else None
    given = dict(alpha=alpha, fit_intercept=fit_intercept)
    model = ours(**given).fit(rows, y, sample_weight=weight)
    wanted = theirs(**given, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(rows, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, wanted.intercept_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.predict(rows), wanted.predict(rows), rtol=1e-6)
    assert model.score(rows, y, weight) == pytest.approx(wanted.score(rows, y, weight), rel=1e-6)
    assert 0 <= model.certificate_["gap"].value <= model.tol
    assert model.certificate_["gap"].status == "proved"
    g = (np.ones(N) if weight is None else weight) * (model.predict(rows) - y)
    g = g / model.predict(rows) if case == "gamma" else g
    total = N if weight is None else weight.sum()
    assert np.abs(g @ rows / total + alpha * model.coef_).max() < 1e-5


@pytest.mark.parametrize("parts", [None, 57])
@pytest.mark.parametrize("case", CASES)
def test_errors_as_statsmodels(case, parts):
    ours, _, family, y = CASES[case]
    with part_rows(parts or N):
        model = ours(alpha=0).fit(X, y)
    wanted = sm.GLM(y, sm.add_constant(X), family=family).fit(tol=1e-15, tol_criterion="params", maxiter=200)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), wanted.params[TURNED], rtol=1e-8)
    np.testing.assert_allclose(model.standard_errors_, wanted.bse[TURNED], rtol=1e-8)
    np.testing.assert_allclose(model.z_values_, wanted.tvalues[TURNED], rtol=1e-8)
    np.testing.assert_allclose(model.p_values_, wanted.pvalues[TURNED], rtol=1e-8)
    assert model.dispersion_ == pytest.approx(wanted.scale, rel=1e-8)
    assert f"{wanted.deviance:.6g}" in str(model.summary())
    assert list(model.terms_) == ["x0", "x1", "x2", "intercept"]


def test_weights_count_rows_in_the_errors():
    times = random.integers(0, 3, N)
    again = np.repeat(np.arange(N), times)
    for case in CASES:
        ours, _, _, y = CASES[case]
        weighed = ours(alpha=0).fit(X, y, sample_weight=times)
        repeated = ours(alpha=0).fit(X[again], y[again])
        np.testing.assert_allclose(weighed.standard_errors_, repeated.standard_errors_, rtol=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_an_offset_has_a_coefficient_of_one(case, tmp_path):
    ours, _, family, y = CASES[case]
    y = y * np.exp(EXPOSURE) if case == "gamma" else random.poisson(np.exp(ETA + EXPOSURE)).astype(float)
    wanted = sm.GLM(y, sm.add_constant(X), family=family, offset=EXPOSURE)
    wanted = wanted.fit(tol=1e-15, tol_criterion="params", maxiter=200)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.insert(1, "exposure", EXPOSURE)
    table = pa.Table.from_pandas(frame.assign(y=y))
    pa.parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=90)
    models = [
        ours(alpha=0, offset=3).fit(np.column_stack([X, EXPOSURE]), y),
        ours(alpha=0, offset="exposure").fit(frame, y),
        ours(alpha=0, offset="exposure").fit(tn.scan(tmp_path, target="y")),
    ]
    for model, at in zip(models, ([0, 1, 2], [0, 2, 3], [0, 2, 3]), strict=True):
        np.testing.assert_allclose(model.coef_[at], wanted.params[1:], rtol=1e-8)
        assert model.intercept_ == pytest.approx(wanted.params[0], rel=1e-8)
        np.testing.assert_allclose(model.standard_errors_[at], wanted.bse[1:], rtol=1e-8)
        assert np.delete(model.coef_, at) == [1.0]
    np.testing.assert_allclose(models[1].predict(frame), wanted.fittedvalues, rtol=1e-8)
    shrunk = ours(alpha=3.0, offset="exposure").fit(frame, y)
    assert shrunk.coef_[1] == 1.0
    with pytest.raises(ValueError, match="offset 'log_days' is not there"):
        ours(offset="log_days").fit(frame, y)
    with pytest.raises(ValueError, match="holds categories"):
        ours(offset="k").fit(frame.assign(k="a"), y)


@pytest.mark.quick
def test_targets_that_do_not_belong_are_named():
    y = COUNT.copy()
    y[7] = -1
    with pytest.raises(tn.DataError, match="the target is -1 in row 7"):
        tn.PoissonRegressor().fit(X, y)
    y[7] = 0
    with pytest.raises(tn.DataError, match="above 0"):
        tn.GammaRegressor().fit(X, y)


def test_a_far_start_does_not_overshoot():
    """Counts from none to a million: Newton's full steps would leap out of range."""
    rows = np.linspace(-7, 7, 200)[:, None]
    y = np.round(np.exp(2 * rows[:, 0]))
    model = tn.PoissonRegressor(alpha=0).fit(rows, y)
    wanted = sm.GLM(y, sm.add_constant(rows), family=sm.families.Poisson()).fit(tol=1e-14, tol_criterion="params")
    np.testing.assert_allclose(model.coef_, wanted.params[1:], rtol=1e-7)
    assert model.n_iter_ < 20


def test_model_file_and_score_of_a_source(tmp_path):
    for ours, *_, y in CASES.values():
        model = ours(alpha=0.1).fit(X, y)
        model.save(tmp_path / "m.tenfold")
        again = tn.load(tmp_path / "m.tenfold")
        assert bits(again.model_) == bits(model.model_)
        assert again.verify().origin == "verified"
        assert again.score(tn.scan(X, target=y)) == pytest.approx(model.score(X, y), rel=1e-12)


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_a_step_so_long_that_the_loss_is_infinite_is_shortened(form):
    y = np.array([1e6, 2e6, 1e6, 2e6])
    X = form([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    model = tn.PoissonRegressor(alpha=0.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-9)


@pytest.mark.parametrize("learner", [tn.PoissonRegressor(), tn.GammaRegressor()])
def test_the_score_of_a_constant_target_is_one_or_zero(learner):
    model = learner.fit([[0.0], [1.0], [2.0]], [1.0, 1.0, 1.0])
    assert model.score([[1.0], [2.0]], [3.0, 3.0]) == 0.0
    assert model.score([[1.0]], model.predict([[1.0]])) == 1.0


def test_a_gradient_too_long_to_be_squared_bounds_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = tn.GammaRegressor(fit_intercept=False, max_iter=3).fit([[1.377e30]], [2.0661e-160])
    assert model.certificate_["gap"].because.startswith("no loss is below its least")


@pytest.mark.parametrize("learner", [tn.PoissonRegressor(), tn.GammaRegressor()])
@pytest.mark.parametrize("far", [-1e12, 1e12])
@pytest.mark.filterwarnings("ignore:overflow encountered in exp")
def test_rows_infinitely_far_off_have_a_score(learner, far):
    model = learner.fit([[0.1], [-0.1]], [8.0, 2.0])
    X, y = [[0.0], [0.1], [far]], [3.0, 5.0, 4.0]
    assert model.score(X, y, sample_weight=[1.0, 1.0, 0.0]) == model.score(X[:2], y[:2])
    if learner.__class__ is tn.GammaRegressor or far > 0:
        assert model.score(X, y) == -np.inf


def test_steps_whose_curvature_overflows_are_not_made():
    X = [[8.53e-11, -2.38e29], [6.5e-12, 1.637e30], [-5.6e-11, -1.06e29], [3.5e-12, -1.354e30], [-5.66e-11, 3.79e29]]
    model = tn.PoissonRegressor(fit_intercept=False).fit(X, np.full(5, 1e8))
    assert np.isfinite(model.predict(X)).all()
    assert model.certificate_["gap"].value >= 0


def test_a_mean_as_good_as_zero_is_saved(tmp_path):
    model = tn.PoissonRegressor(fit_intercept=False).fit([[3760021143012797]], [2.3785e30])
    model.save(tmp_path / "m.tenfold")
    assert bits(tn.load(tmp_path / "m.tenfold").model_) == bits(model.model_)


def test_a_target_too_small_to_be_divided_by():
    model = tn.PoissonRegressor().fit([[-1.0]], [3.9e-300], sample_weight=[7e-13])
    assert 0 <= model.predict([[-1.0]])[0] < 1e-299


def test_columns_so_small_that_their_coefficients_cannot_be_squared():
    model = tn.PoissonRegressor(alpha=0.0, fit_intercept=False).fit([[2.72e-161], [1e-161]], [0.0, 3.0])
    assert np.isfinite(model.predict([[2.72e-161]])).all()
    assert model.certificate_["gap"].value >= 0


def test_a_light_row_very_far_away():
    x, y = [0.95, -0.57, -1.33, 1e12, 1.07, 0.82], [1.32, 2.57, 1.43, 1.72, 2.77, 1.37]
    weight = [1e12, 1e12, 1e12, 1e-12, 1e12, 1e12]
    model = tn.PoissonRegressor().fit(np.array(x)[:, None], y, sample_weight=weight)
    assert model.certificate_["gap"].value >= 0


@pytest.mark.parametrize("case", CASES)
def test_folds_of_which_the_first_parts_have_no_rows(case):
    """The share of the parts that is read first is all of one fold, which the model of the others must not see."""
    ours, _, _, y = CASES[case]
    whole = tn.cross_validate(ours(0.1), X, y, folds=5).scores
    with part_rows(N // 5):
        np.testing.assert_allclose(tn.cross_validate(ours(0.1), X, y, folds=5).scores, whole, rtol=1e-9)
