"""Logistic regression: scikit-learn, statsmodels, cones, the condition at the optimum, and what is said of the data."""

import math
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer
import statsmodels.api as sm
from scipy.special import logit
from sklearn.feature_extraction import FeatureHasher
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import faults
import tenfold as tn
from linear_model.glm.logistic_gaps import check, draw
from tenfold.linear_model.glm.glm import FIRST_SHARE_PARTS, MAX_HESSIAN_FEATURES, PARTS_PER_SHARE
from tenfold.sources import part_rows
from tenfold.stats.optimize.curvature import Curvature
from tenfold.testing import bits


def make(n=400, p=4, seed=0, classes=2):
    """Columns of unlike sizes and offsets."""
    random = np.random.default_rng(seed)
    Z = random.standard_normal((n, p))
    margin = Z @ random.standard_normal((p, classes)) + random.gumbel(size=(n, classes))
    return Z * 10.0 ** random.uniform(-1, 1, p) + random.standard_normal(p) * 5, margin.argmax(axis=1)


def near(found, wanted, to=1e-6):
    assert np.abs(found - wanted).max() <= to * max(np.abs(wanted).max(), 1e-3)


def objective(model, X, y, weight=None):
    """As scikit-learn has it, over C, not per row."""
    margin = np.asarray(X @ model.coef_.T) + model.intercept_
    if margin.shape[1] == 1:
        margin = np.column_stack([np.zeros(len(margin)), margin])
    loss = np.logaddexp.reduce(margin, axis=1) - margin[np.arange(len(y)), y]
    total = loss.sum() if weight is None else weight @ loss
    size = 0.5 * (1 - model.l1_ratio) * (model.coef_**2).sum() + model.l1_ratio * np.abs(model.coef_).sum()
    return total + size / model.C


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_two_classes_as_scikit_learn(C, fit_intercept, weighted):
    X, y = make()
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float) if weighted else None
    given = dict(C=C, fit_intercept=fit_intercept)
    ours = tn.LogisticRegression(**given).fit(X, y, sample_weight=weight)
    theirs = peer.LogisticRegression(**given, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    theirs.fit(X, y, sample_weight=weight)
    near(ours.coef_, theirs.coef_, 1e-6)
    near(ours.intercept_, theirs.intercept_, 1e-6)
    near(ours.predict_proba(X), theirs.predict_proba(X), 1e-6)
    near(ours.decision_function(X), theirs.decision_function(X), 1e-6)
    assert objective(ours, X, y, weight) <= objective(theirs, X, y, weight) * (1 + 1e-13)
    assert 0 < ours.certificate_["gap"].value <= ours.tol
    assert ours.certificate_["gap"].status == "proved"


def test_the_logit_of_the_probability_is_the_decision_function():
    """ln p/(1 - p) = w'x + b: one more in a column multiplies the odds by exp of its coefficient."""
    X, y = make()
    model = tn.LogisticRegression().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    inside = (p > 1e-6) & (p < 1 - 1e-6)
    np.testing.assert_allclose(logit(p)[inside], (X @ model.coef_[0] + model.intercept_[0])[inside], atol=1e-8)
    np.testing.assert_allclose(model.decision_function(X)[inside], logit(p)[inside], atol=1e-8)
    more = model.predict_proba(X + [1, 0, 0, 0])[:, 1]
    odds, before = more / (1 - more), p / (1 - p)
    inside &= more < 1 - 1e-6
    np.testing.assert_allclose((odds / before)[inside], np.exp(model.coef_[0, 0]), rtol=1e-6)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_many_classes_as_scikit_learn(C):
    X, y = make(classes=4)
    names = np.array(["a", "b", "c", "d"])[y]
    ours = tn.LogisticRegression(C=C).fit(X, names)
    theirs = peer.LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, names)
    near(ours.coef_, theirs.coef_, 1e-6)
    near(ours.predict_proba(X), theirs.predict_proba(X), 1e-7)
    assert np.abs(ours.coef_.sum(axis=0)).max() < 1e-9
    assert abs(ours.intercept_.sum() + 0.0) < 1e-6 * (1 + np.abs(ours.intercept_).max())
    assert objective(ours, X, y) <= objective(theirs, X, y) * (1 + 1e-13)
    assert ours.decision_function(X).shape == (len(X), 4)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ratio", [0.5, 1.0])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_absolute_values_in_the_penalty(C, ratio, classes):
    """The condition at the optimum: |g| ≤ λ₁ where a coefficient is zero, else g + λ₂β = -λ₁ sign β."""
    X, y = make(n=300, p=6, classes=classes)
    model = tn.LogisticRegression(C=C, l1_ratio=ratio).fit(X, y)
    miss = model.predict_proba(X)
    miss[np.arange(len(y)), y] -= 1
    miss = miss if classes > 2 else miss[:, 1:]
    g = miss.T @ X + (1 - ratio) / C * model.coef_
    size = ratio / C * (1 + 1e-9) + 1e-5
    assert np.abs(g).max() <= size
    live = model.coef_ != 0
    np.testing.assert_allclose(g[live], -ratio / C * np.sign(model.coef_[live]), atol=1e-5)
    assert np.abs(miss.sum(axis=0)).max() < 1e-5
    if C < 1 and ratio == 1:
        assert not live.all()
    with part_rows(37):
        near(tn.LogisticRegression(C=C, l1_ratio=ratio).fit(X, y).coef_, model.coef_, 1e-6)


def test_the_path_ends_where_all_coefficients_are_zero():
    X, y = make()
    most = np.abs((y - y.mean()) @ (X - X.mean(axis=0))).max()
    assert not tn.LogisticRegression(C=0.999 / most, l1_ratio=1).fit(X, y).coef_.any()
    assert tn.LogisticRegression(C=1.001 / most, l1_ratio=1).fit(X, y).coef_.any()


def test_standard_errors_as_statsmodels():
    X, y = make()
    ours = tn.LogisticRegression(C=np.inf).fit(X, y)
    theirs = sm.Logit(y, sm.add_constant(X)).fit(disp=0, tol=1e-14)
    turned = [*range(1, 5), 0]
    np.testing.assert_allclose(np.append(ours.coef_[0], ours.intercept_), theirs.params[turned], rtol=1e-8)
    np.testing.assert_allclose(ours.standard_errors_, theirs.bse[turned], rtol=1e-8)
    np.testing.assert_allclose(ours.covariance_, theirs.cov_params()[np.ix_(turned, turned)], rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(ours.p_values_, theirs.pvalues[turned], rtol=1e-8)
    np.testing.assert_allclose(ours.conf_int(0.9), theirs.conf_int(0.1)[turned], rtol=1e-7)
    text = str(ours.summary())
    assert "The p-values and intervals hold if" in text
    assert f"{2 * -theirs.llf:.6g}" in text


@pytest.mark.parametrize(
    ("model", "classes", "reason"),
    [
        (tn.LogisticRegression(), 2, "do not include the bias"),
        (tn.LogisticRegression(C=np.inf), 3, "two classes only"),
    ],
)
def test_a_summary_without_standard_errors_has_the_estimates_and_the_reason(model, classes, reason):
    X, y = make(classes=classes)
    model = model.fit(X, y)
    with pytest.raises(ValueError, match=reason):
        model.conf_int()
    found = model.summary()
    assert reason in str(found)
    assert found.rows[1] == ("x1", *(f"{v:.6g}" for v in model.coef_[:, 1]))
    assert found.rows[-1] == ("intercept", *(f"{v:.6g}" for v in model.intercept_))
    assert len(found.header) == 1 + len(model.coef_)


def test_no_standard_errors_at_another_state():
    with pytest.raises(ValueError, match="last pass"):
        _early(*make()).conf_int()


def _early(X, y):
    """A state that is not the one of its summary."""
    model = tn.LogisticRegression(C=np.inf).fit(X, y)
    model.model_ = model.model_._replace(coef=model.model_.coef + 1)
    return model


def test_without_an_intercept_there_is_none_in_the_errors():
    X, y = make()
    ours = tn.LogisticRegression(C=np.inf, fit_intercept=False).fit(X, y)
    theirs = sm.Logit(y, X).fit(disp=0, tol=1e-14)
    np.testing.assert_allclose(ours.standard_errors_, theirs.bse, rtol=1e-8)
    assert len(ours.terms_) == 4


@pytest.mark.parametrize("seed", range(12))
def test_certified_gaps_from_both_sides(seed):
    found = check(seed)
    for certified, true in zip(found.certified, found.true, strict=True):
        assert certified >= true - found.blur
    assert found.certified[-1] <= 10 * max(found.true[-1], 0.0) + found.tol
    assert found.oracles < 1e-9
    assert any(draw(s).ratio for s in range(12))
    assert len(found.certified) >= 2


def test_a_wide_gap_is_never_below_the_truth():
    """L-BFGS, for two classes and for three: the certified gap at every pass."""
    from tenfold.engine import Local, fit
    from tenfold.sources import ArraySource

    random = np.random.default_rng(0)
    for classes in (2, 3):
        X = sp.random(300, MAX_HESSIAN_FEATURES + 5, 0.01, "csr", random_state=1)
        y = (
            X @ random.standard_normal((MAX_HESSIAN_FEATURES + 5, classes)) + random.gumbel(size=(300, classes))
        ).argmax(axis=1)
        learner = tn.LogisticRegression(C=0.3)
        seen = []
        done = fit(
            learner, ArraySource(X, y), runner=Local(1), stop=learner.stop(), watchers=[seen.append]
        )  # fmt: skip
        best = tn.LogisticRegression(C=0.3, tol=1e-22, max_iter=400).fit(X, y)
        least = objective(best, X, y)
        gaps = []
        for at in seen[1:]:
            model = tn.LogisticRegression(C=0.3)
            model.__dict__.update(model_=at.model)
            true = (objective(model, X, y) - least) / len(y)
            gaps.append((at.certificate["gap"].value, true))
        assert all(certified >= true - 1e-13 for certified, true in gaps)
        assert gaps[-1][0] <= math.sqrt(learner.tol)
        assert gaps[-1][0] <= 10 * gaps[-1][1] + math.sqrt(learner.tol)
        assert len(done.at.summary.gram) == 0
        theirs = peer.LogisticRegression(C=0.3, tol=1e-9, max_iter=3000).fit(X, y)
        near(best.coef_, theirs.coef_, 1e-4)


def test_separable_data_has_no_minimiser_and_it_is_said():
    """The loss falls to zero for ever; so it does where only some rows can be separated, but not to zero."""
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    with pytest.warns(UserWarning, match="no coefficients minimise.*Remedy: a finite C"):
        model = tn.LogisticRegression(C=np.inf).fit(X, y)
    claim = model.certificate_["separable"]
    assert (claim.status, claim.about) == ("proved", "data")
    assert model.score(X, y) == 1.0
    grown = tn.LogisticRegression(C=np.inf)
    grown.__dict__.update(model.__dict__)
    grown.model_ = model.model_._replace(coef=2 * model.model_.coef, intercept=2 * model.model_.intercept)
    assert objective(grown, X, y) < objective(model, X, y)  # larger is better, always
    with pytest.raises(ValueError, match="separable, so the maximum likelihood estimate does not exist"):
        model.conf_int()
    assert "separable, so" in str(model.summary())
    with pytest.warns(UserWarning, match="as they do if some rows can be separated"):
        model = tn.LogisticRegression(C=np.inf).fit([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert model.certificate_["separable"].status == "estimated"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tn.LogisticRegression().fit(X, y)
    assert "only the penalty" in model.certificate_["separable"].because
    assert model.certificate_["gap"].value <= model.tol
    assert tn.LogisticRegression(C=np.inf).fit(*make()).certificate_.get("separable") is None


def test_sparse_rows_are_the_same_as_dense():
    X = sp.random(500, 30, 0.2, "csr", random_state=0)
    y = (X @ np.random.default_rng(0).standard_normal(30) > 0).astype(int)
    for given in ({}, {"C": 0.1, "l1_ratio": 0.7}, {"fit_intercept": False}):
        near(
            tn.LogisticRegression(**given).fit(X, y).coef_,
            tn.LogisticRegression(**given).fit(X.toarray(), y).coef_,
            1e-7,
        )


def test_hashed_words_without_a_dense_matrix():
    """2^16 columns, whose Hessian would have 34 GB; `benchmarks/logistic.py --hashed` has 2^18."""
    random = np.random.default_rng(0)
    words = random.integers(0, 3000, (400, 12))
    tell = random.standard_normal(3000)
    y = (tell[words].sum(axis=1) > 0).astype(int)
    X = FeatureHasher(2**16, input_type="string").transform([[f"w{w}" for w in row] for row in words])
    ours = tn.LogisticRegression().fit(X, y)
    theirs = peer.LogisticRegression(tol=1e-8, max_iter=1000).fit(X, y)
    assert (objective(ours, X, y) - objective(theirs, X, y)) / len(y) <= ours.certificate_["gap"].value <= 1e-7
    assert ours.score(X, y) == theirs.score(X, y)
    with pytest.raises(ValueError, match="too many for a penalty of absolute values"):
        tn.LogisticRegression(l1_ratio=1).fit(X, y)


def test_categories_are_features():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": random.standard_normal(600),
            "colour": np.array(["red", "green", "blue"])[random.integers(0, 3, 600)],
            "kind": np.array(["k", "l"])[random.integers(0, 2, 600)],
        }
    )
    y = (frame["size"] + (frame["colour"] == "red") + random.logistic(size=600) > 0).to_numpy()
    ours = tn.LogisticRegression().fit(frame, y)
    wide = pd.get_dummies(frame, dtype=float)
    assert list(ours.coef_names_) == list(wide.columns)
    near(ours.coef_, peer.LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(wide, y).coef_, 1e-6)
    near(ours.predict_proba(frame), tn.LogisticRegression().fit(wide, y).predict_proba(wide), 1e-9)
    free = tn.LogisticRegression(C=np.inf).fit(frame, y)
    first = wide.drop(columns=["colour_blue", "kind_k"])
    theirs = sm.Logit(y.astype(float), sm.add_constant(first)).fit(disp=0, tol=1e-14)
    assert free.coef_[0, 1] == free.coef_[0, 4] == 0
    at = [0, 2, 3, 5]
    np.testing.assert_allclose(free.coef_[0, at], theirs.params.iloc[1:], rtol=1e-8)
    np.testing.assert_allclose(free.standard_errors_[at], theirs.bse.iloc[1:], rtol=1e-8)
    assert "not estimated" in str(free.summary())


@pytest.mark.parametrize("ordered", [False, True])
def test_a_share_of_the_parts_comes_first(ordered):
    """Few full passes; a share that has one class alone is left out. Never worse than scikit-learn."""
    random = np.random.default_rng(0)
    X = random.standard_normal((PARTS_PER_SHARE * 20_000, 3))
    y = (X @ [1.0, -2.0, 0.5] + 1 + random.logistic(size=len(X)) > 0).astype(int)
    if ordered:
        at = np.argsort(y, kind="stable")
        X, y = X[at], y[at]
    ours = tn.LogisticRegression().fit(X, y)
    theirs = peer.LogisticRegression().fit(X, y)
    assert objective(ours, X, y) <= objective(theirs, X, y)
    asked = [turn["asked"] for turn in ours.history_]
    some = [f"CurvatureAt_1_in_{n}" for n in (PARTS_PER_SHARE * FIRST_SHARE_PARTS, PARTS_PER_SHARE)]
    assert {"FeatureScales", "CurvatureAt"} <= set(asked)
    assert set(some) & set(asked) == (set() if ordered else set(some))
    assert ours.n_iter_ <= (8 if ordered else 3)
    assert ours.certificate_.provenance.rows == len(X)
    assert ours.certificate_["gap"].value <= ours.tol


def test_far_columns_lose_nothing():
    """A constant of a million beside a spread of one: the same model as that of the centred columns."""
    X, y = make()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    near(tn.LogisticRegression().fit(Z + 1e6, y).coef_, tn.LogisticRegression().fit(Z, y).coef_, 1e-7)


def test_constant_and_repeated_columns():
    X, y = make()
    wide = np.column_stack([X, np.full(len(y), 7.0), X[:, 0]])
    model = tn.LogisticRegression().fit(wide, y)
    assert model.coef_[0, 4] == 0
    assert model.coef_[0, 0] == pytest.approx(model.coef_[0, 5], rel=1e-9)
    free = tn.LogisticRegression(C=np.inf).fit(wide, y)
    assert free.certificate_["rank"].value == 5.0
    near(free.predict_proba(wide), tn.LogisticRegression(C=np.inf).fit(X, y).predict_proba(X), 1e-7)


def test_stopped_early_it_says_how_far_it_is():
    X, y = make()
    model = tn.LogisticRegression(max_iter=1).fit(X, y)
    assert model.certificate_.provenance.stopped == "1 round"
    best = tn.LogisticRegression().fit(X, y)
    assert model.certificate_["gap"].value >= (objective(model, X, y) - objective(best, X, y)) / len(y) > 1e-6


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="needs two classes.*one class"):
        tn.LogisticRegression().fit([[1.0], [2.0]], ["a", "a"])


def test_bad_values_are_named():
    X, y = make()
    X[17, 2] = np.nan
    with pytest.raises(tn.DataError, match="column 'x2', row 17"):
        tn.LogisticRegression().fit(X, y)


def test_model_file(tmp_path):
    X, y = make(classes=3)
    for model in (tn.LogisticRegression(), tn.LogisticRegression(C=np.inf), tn.LogisticRegression(l1_ratio=0.4)):
        model.fit(X, y).save(tmp_path / "m.tenfold")
        again = tn.load(tmp_path / "m.tenfold")
        assert bits(again.model_) == bits(model.model_)
        assert isinstance(again.summary_, Curvature)
        assert again.verify().origin == "verified"
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_the_same_bits_on_two_processes(tmp_path):
    """From Parquet, with a share; float32 columns."""
    random = np.random.default_rng(0)
    X = random.standard_normal((40_000, 3)).astype(np.float32)
    y = (X @ [1.0, -1.0, 0.3] + random.logistic(size=len(X)) > 0).astype(np.int8)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1200)
    source = tn.scan(tmp_path, target="y")
    found = set()
    for threads in (1, 2):
        with tn.on(tn.Local(threads=threads)):
            model = tn.LogisticRegression().fit(source)
        found.add(bits(model.model_) + bits(model.summary_))
    with faults.Cluster(2) as cluster, tn.on(cluster.runner):
        model = tn.LogisticRegression().fit(source)
    assert found == {bits(model.model_) + bits(model.summary_)}
    near(model.coef_, tn.LogisticRegression().fit(X, y).coef_, 1e-7)


def test_folds_and_tuning_as_scikit_learn():
    X, y = make(n=200)
    mine, theirs = tn.LogisticRegression(), peer.LogisticRegression(solver="newton-cholesky", tol=1e-12)
    found = tn.cross_validate(mine, X, y, folds=KFold(5), scoring=["accuracy", "neg_log_loss"])
    for at, name in enumerate(["accuracy", "neg_log_loss"]):
        np.testing.assert_allclose(
            found.scores[0, at], cross_val_score(theirs, X, y, cv=KFold(5), scoring=name), rtol=1e-6
        )
    grid = {"C": [0.001, 0.1, 10.0]}
    tuned = tn.tune(mine, grid, X, y, folds=KFold(5), scoring="neg_log_loss")
    wanted = GridSearchCV(theirs, grid, cv=KFold(5), scoring="neg_log_loss").fit(X, y)
    assert tuned.best_params_ == wanted.best_params_
    np.testing.assert_allclose(tuned.results.mean[:, 0], wanted.cv_results_["mean_test_score"], rtol=1e-6)


@pytest.mark.parametrize(
    "X",
    [sp.csr_array([[1e300, 1.0], [2e299, 2.0]]), pd.DataFrame({"x1": ["u", "v"], "x0": [1e300, 1.0]})],
    ids=["sparse", "categories"],
)
def test_columns_too_large_to_be_squared_are_refused_in_any_form(X):
    with pytest.raises(tn.DataError, match="column 'x0' is too large to be squared"):
        tn.LogisticRegression().fit(X, [0, 1])


def test_a_constant_column_of_any_size_changes_nothing():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = [0, 1, 0, 1]
    alone = tn.LogisticRegression().fit(X, y)
    for size in (1e-200, 1.0, -2.1e299):
        beside = tn.LogisticRegression().fit(np.column_stack([X, np.full(4, size)]), y)
        assert beside.coef_[0, 1] == 0
        np.testing.assert_allclose(beside.predict_proba(np.column_stack([X, np.full(4, size)])), alone.predict_proba(X))


@pytest.mark.parametrize("size", [1e-170, 1e-300])
def test_columns_too_small_to_be_squared_are_refused_if_nothing_penalises_them(size):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]) * size, [0, 1, 0, 1]
    with pytest.raises(tn.DataError, match=r"predictor number 0 is too small to be squared .* Remedy: rescale"):
        tn.LogisticRegression(C=np.inf).fit(X, y)
    np.testing.assert_allclose(tn.LogisticRegression().fit(X, y).predict_proba(X), 0.5)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_the_constants_of_many_classes_are_level_wherever_the_columns_are(l1_ratio):
    X, y = make(classes=3)[:2]
    for away in (0.0, 100.0):
        model = tn.LogisticRegression(l1_ratio=l1_ratio).fit(X + away, y)
        assert abs(model.intercept_.mean()) < 1e-9 * np.abs(model.intercept_).max()
        assert model.certificate_["gap"].value < 1e-6


def test_far_columns_beside_one_hot_ones_need_no_more_rounds():
    """The Hessian is rounded so much that it proves nothing; the penalty proves that the optimum is reached."""
    random, n = np.random.default_rng(0), 8_000
    shop, kind = np.eye(40)[random.integers(0, 40, n)], np.eye(8)[random.integers(0, 8, n)]
    minutes = 3 * np.arange(n)
    parts = [np.full(n, 2026), np.ones(n), 1 + minutes // 1440, minutes // 1440 % 7, minutes // 60 % 24]
    X = np.column_stack([*parts, shop, kind])
    y = random.random(n) < 0.35 + 0.2 * kind[:, 0]
    model = tn.LogisticRegression().fit(X, y)
    assert model.n_iter_[0] < 10
    assert model.certificate_["gap"].value < 1e-12
    assert model.certificate_.provenance.stopped == "done"
    theirs = peer.LogisticRegression(tol=1e-12, max_iter=5_000, solver="newton-cholesky").fit(X[:, 2:], y)
    np.testing.assert_allclose(model.coef_[:, 2:], theirs.coef_, rtol=1e-4, atol=1e-6)
