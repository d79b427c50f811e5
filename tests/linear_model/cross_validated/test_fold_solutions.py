"""Penalties chosen by cross-validation: scikit-learn on the same folds, brute force at random, laws of merging."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer
from sklearn.base import clone
from sklearn.model_selection import KFold, LeaveOneGroupOut

import tenfold as tn
from helpers import parts_of
from tenfold import DataError, ElasticNetCV, Lasso, LassoCV, LinearRegression, MergeError, Ridge, RidgeCV
from tenfold.sources import part_rows
from tenfold.stats.rows.draws import folds_of
from tenfold.testing import bits


def data(seed=0, n=203, p=8):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p)) * 10.0 ** random.integers(-1, 2, p) + random.normal(size=p) * 3
    y = X @ (random.normal(size=p) * (random.random(p) < 0.5)) + 4 * random.normal(size=n) + 7
    return X, y, random.uniform(0.2, 3.0, n)


@pytest.mark.parametrize("weighted", [False, True])
def test_lasso_of_scikit_learn(weighted):
    X, y, weight = data()
    weight = weight if weighted else None
    with part_rows(33):
        model = LassoCV(cv=10).fit(X, y, sample_weight=weight)
    wanted = peer.LassoCV(cv=10, tol=1e-13, max_iter=10**6).fit(X, y, sample_weight=weight)
    assert model.alpha_ == pytest.approx(wanted.alpha_, rel=1e-12)
    np.testing.assert_allclose(model.alphas_, wanted.alphas_, rtol=1e-12)
    np.testing.assert_allclose(model.mse_path_, wanted.mse_path_, rtol=1e-10)
    np.testing.assert_allclose(model.coef_, wanted.coef_, atol=1e-10)
    assert model.intercept_ == pytest.approx(wanted.intercept_, rel=1e-10)


def test_elastic_net_of_scikit_learn():
    X, y, _ = data()
    how = {"l1_ratio": [0.2, 0.7, 0.95], "cv": 4, "alphas": 30, "fit_intercept": False, "positive": True}
    model = ElasticNetCV(**how).fit(X, y)
    wanted = peer.ElasticNetCV(**how, tol=1e-13, max_iter=10**6).fit(X, y)
    assert (model.alpha_, model.l1_ratio_) == pytest.approx((wanted.alpha_, wanted.l1_ratio_), rel=1e-12)
    np.testing.assert_allclose(model.alphas_, wanted.alphas_, rtol=1e-12)
    np.testing.assert_allclose(model.mse_path_, wanted.mse_path_, rtol=1e-9)


def test_ridge_of_scikit_learn():
    X, y, _ = data()
    alphas = np.logspace(-2, 4, 13)
    model = RidgeCV(alphas, cv=7).fit(X, y)
    wanted = peer.RidgeCV(alphas, cv=7, scoring="neg_mean_squared_error").fit(X, y)
    assert model.alpha_ == wanted.alpha_
    assert model.best_score_ == pytest.approx(wanted.best_score_, rel=1e-11)
    np.testing.assert_allclose(model.coef_, Ridge(model.alpha_).fit(X, y).coef_, rtol=1e-12)


@pytest.mark.parametrize("learner", [LassoCV(alphas=5), RidgeCV([0.1, 10.0, 1e3], cv="random")], ids=["lasso", "ridge"])
def test_by_lot_is_by_brute_force(learner):
    """Every fold again: fit the others, predict it."""
    X, y, weight = data(1)
    with part_rows(50):
        model = learner.fit(X, y, sample_weight=weight)
    folds = fold_of_each(model, len(y), 50)
    assert len(set(folds)) == 10
    for i, alpha in enumerate(model.alphas_):
        for k in range(10):
            train, test = folds != k, folds == k
            one = (Ridge if isinstance(model, RidgeCV) else Lasso)(alpha)
            one.fit(X[train], y[train], sample_weight=weight[train])
            error = np.average((y[test] - one.predict(X[test])) ** 2, weights=weight[test])
            assert model.mse_path_[i, k] == pytest.approx(error, rel=1e-10)
    mean = model.mse_path_.mean(axis=1)
    assert model.alpha_ == model.alphas_[mean.argmin()]


def fold_of_each(model, n, rows):
    with part_rows(rows):
        return np.concatenate([folds_of(chunk, model.random_state, 10) for _, chunk in parts_of(np.ones(n))])


def test_by_lot_models_add_up():
    X, y, _ = data(2)
    with part_rows(102):
        whole = LassoCV(alphas=20).fit(X, y)
    grown = LassoCV(alphas=20).fit(X[:101], y[:101]).partial_fit(X[101:], y[101:])
    assert grown.alpha_ == pytest.approx(whole.alpha_, rel=1e-12)
    np.testing.assert_allclose(grown.mse_path_, whole.mse_path_, rtol=1e-10)
    assert whole.certificate_.provenance.passes == 1
    assert grown.verify().origin == "verified"
    merged = LassoCV(alphas=20).fit(X[:101], y[:101]) + LassoCV(alphas=20).fit(X[101:], y[101:])
    assert merged.certificate_["rows drawn together"].value == 101
    assert merged.verify().origin == "verified"
    assert merged.mse_path_.mean(axis=1).min() == pytest.approx(whole.mse_path_.mean(axis=1).min(), rel=0.1)
    with pytest.raises(MergeError, match="two LassoCV models of so few rows do not merge.*Remedy: partial_fit"):
        LassoCV(alphas=20).fit(X[:20], y[:20]) + LassoCV(alphas=20).fit(X[20:40], y[20:40])


@pytest.mark.parametrize("words", [False, True])
def test_equal_rows_are_in_different_folds(words):
    """Whole numbers and categories: what is left out is scored by models that have seen its like."""
    random = np.random.default_rng(3)
    X = random.integers(0, 2, (2000, 4)).astype(float)
    y = np.round(X @ [1.0, 0.5, 0.0, 0.0] + random.normal(size=2000))
    rows = (
        np.column_stack([X.astype(object), np.array(["u", "v"], object)[random.integers(0, 2, 2000)]]) if words else X
    )
    for ours, theirs in ((LassoCV(), peer.LassoCV(cv=10)), (RidgeCV(np.logspace(-1, 6, 15), cv="random"), None)):
        model = ours.fit(rows, y)
        mean = model.mse_path_.mean(axis=1)
        error = model.mse_path_.std(axis=1, ddof=1)[mean.argmin()] / np.sqrt(10)
        assert mean.min() < 1.02 * np.var(y - LinearRegression().fit(rows, y).predict(rows))
        if theirs is not None and not words:
            at = np.abs(np.log(model.alphas_ / theirs.fit(X, y).alpha_)).argmin()
            assert mean[at] <= mean.min() + error


def test_rows_in_a_row_do_not_add_up():
    X, y, _ = data()
    model = LassoCV(cv=3, alphas=5).fit(X, y)
    assert model.certificate_.provenance.passes == 2
    assert not hasattr(model, "partial_fit")
    with pytest.raises(MergeError):
        model + model


def test_the_same_bits_for_threads_and_forms():
    X, y, weight = data()
    found = set()
    for threads in (1, 2, 3):
        for cv in (None, 4):
            with tn.on(tn.Local(threads=threads)), part_rows(30):
                model = LassoCV(alphas=10, cv=cv).fit(X, y, sample_weight=weight)
            found.add((cv, bits(model.model_)))
    assert len(found) == 2


def test_given_folds():
    X, y, _ = data()
    groups = np.array(["b", "a", "c"])[np.arange(len(y)) % 3]
    splits = list(LeaveOneGroupOut().split(X, groups=groups))
    by_array, by_pairs = (LassoCV(alphas=10, cv=cv).fit(X, y) for cv in (groups, splits))
    wanted = peer.LassoCV(alphas=10, cv=splits, tol=1e-13, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(by_array.mse_path_, wanted.mse_path_, rtol=1e-10)
    assert np.array_equal(by_array.mse_path_, by_pairs.mse_path_)


def test_a_source_that_does_not_know_its_rows(tmp_path):
    import pandas as pd

    X, y, _ = data()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).assign(y=y, keep=np.arange(len(y)) % 4 > 0)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=40)
    import pyarrow.compute as pc

    source = tn.scan(tmp_path / "rows.parquet", target="y", where=pc.field("keep"), drop=["keep"])
    model = LassoCV(alphas=10, cv=5).fit(source)
    some = np.arange(len(y)) % 4 > 0
    wanted = peer.LassoCV(alphas=10, cv=KFold(5), tol=1e-13, max_iter=10**6).fit(X[some], y[some])
    np.testing.assert_allclose(model.mse_path_, wanted.mse_path_, rtol=1e-10)


def test_within_a_cross_validation():
    X, y, _ = data()
    cv = tn.cross_validate([LassoCV(alphas=5), RidgeCV(cv="random"), LassoCV(alphas=5, cv=3), RidgeCV()], X, y, folds=4)
    for k, test in enumerate(np.array_split(np.arange(len(y)), 4)):
        train = np.setdiff1d(np.arange(len(y)), test)
        lot = fold_of_each(LassoCV(), len(y), None)[train]  # a row keeps its fold, whichever rows are left out
        for i, learner in enumerate((LassoCV(alphas=5, cv=lot), RidgeCV(cv=lot), LassoCV(alphas=5, cv=3), RidgeCV())):
            alone = learner.fit(X[train], y[train]).score(X[test], y[test])
            assert cv.scores[i, 0, k] == pytest.approx(alone, rel=1e-10)


def test_rows_in_a_row_within_a_cross_validation():
    """Folds in a row are those of the rows that a model learns from, though others stand between them in each part."""
    X, y, _ = data()
    outer, learner = np.arange(len(y)) % 4, LassoCV(alphas=60, eps=0.1, cv=3)
    with part_rows(33):
        cv = tn.cross_validate([learner], X, y, folds=outer)
    for k in range(4):
        train = outer != k
        alone = clone(learner).fit(X[train], y[train]).score(X[~train], y[~train])
        assert cv.scores[0, 0, k] == pytest.approx(alone, rel=1e-10)


def test_of_equal_penalties_the_largest():
    """No column tells anything: all penalties predict the mean."""
    random = np.random.default_rng(0)
    X = np.column_stack([np.full(60, 2.0), np.full(60, 3.0)])
    model = LassoCV(alphas=[0.1, 1.0, 7.0]).fit(X, random.normal(size=60))
    assert model.alpha_ == 7.0


def test_certificate():
    X, y, _ = data()
    claims = LassoCV(alphas=10).fit(X, y).certificate_
    assert claims["gap"].value <= 1e-12
    assert 10 < claims["score digits"].value <= 15
    assert claims["folds"].value == 10
    exact = X @ np.ones(X.shape[1])
    assert LassoCV(alphas=[1e-9]).fit(X, exact).certificate_["score digits"].value < 3


def test_sparse_rows():
    X, y, _ = data()
    X[np.abs(X) < 3] = 0
    a, b = LassoCV(alphas=10, cv=5).fit(X, y), LassoCV(alphas=10, cv=5).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(a.mse_path_, b.mse_path_, rtol=1e-10)


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (50, "n_samples=20"),
        ([0, 1, 0], "20 rows"),
        ([([0], [1])] * 2, "each row in the test side of one split"),
        (np.zeros(20), "one fold"),
    ],
)
def test_refused(cv, words):
    X, y, _ = data(n=20)
    with pytest.raises((DataError, ValueError), match=words):
        LassoCV(cv=cv).fit(X, y)


def test_files(tmp_path):
    X, y, _ = data()
    for learner in (LassoCV(alphas=5), ElasticNetCV([0.5, 1.0], alphas=5, cv=3), RidgeCV(), RidgeCV(cv="random")):
        model = learner.fit(X, y)
        model.save(tmp_path / "model.tenfold")
        again = tn.load(tmp_path / "model.tenfold")
        assert np.array_equal(again.mse_path_, model.mse_path_)
        assert again.verify().origin == "verified"


@pytest.mark.parametrize("learner", [tn.RidgeCV, tn.LassoCV])
def test_folds_that_are_given_go_by_rows_of_the_whole_source(learner, tmp_path):
    """Rows are numbered through all parts of a file or a Dask array, those of weight zero too."""
    import dask.array as da
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(3)
    X = random.normal(size=(30, 3))
    y = X @ [1.0, 2.0, 0.0] + random.normal(size=30)
    weight = (random.random(30) < 0.8).astype(float)
    fold = random.integers(0, 3, 30)
    pq.write_table(
        pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y, "w": weight}),
        tmp_path / "r.parquet",
        row_group_size=7,
    )
    blocks = [da.from_array(v, chunks=7 if v.ndim == 1 else (7, -1)) for v in (X, y, weight)]
    model = learner(cv=fold, alphas=[0.01, 0.1, 1.0])
    errors = clone(model).fit(X, y, sample_weight=weight).mse_path_
    for source in (
        tn.scan(str(tmp_path / "r.parquet"), target="y", weight="w"),
        tn.scan(blocks[0], target=blocks[1], weight=blocks[2]),
    ):
        assert clone(model).fit(source).mse_path_ == pytest.approx(errors, rel=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_rows_that_are_left_out_one_by_one_are_those_of_scikit_learn(fit_intercept, scale):
    X, y, _ = data(4, n=61)
    alphas = np.logspace(-4, 4, 9)
    with part_rows(17):
        model = RidgeCV(alphas, fit_intercept).fit(scale * X, y)
    wanted = peer.RidgeCV(alphas, fit_intercept=fit_intercept, store_cv_results=True).fit(scale * X, y)
    assert model.alpha_ == wanted.alpha_
    assert model.best_score_ == pytest.approx(wanted.best_score_, rel=1e-10)
    np.testing.assert_allclose(model.mse_path_[::-1, 0], wanted.cv_results_.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-8)
    assert model.certificate_.provenance.passes == 2
    assert model.certificate_["score digits"].value > 9
    with pytest.raises(MergeError):
        model + model


def test_rows_that_are_left_out_one_by_one_are_by_brute_force():
    """A row of weight 2 is two rows, one of which is left out; of a weight below 1, all of it is."""
    X, y, weight = data(5, n=25, p=3)
    frame = np.column_stack([X.astype(object), np.array(["u", "v", "w"], object)[np.arange(25) % 3]])
    alphas = [0.3, 7.0]
    model = RidgeCV(alphas).fit(frame, y, sample_weight=weight)
    for a, alpha in enumerate(sorted(alphas, reverse=True)):
        total = 0.0
        for i in range(25):
            rest = weight - np.where(np.arange(25) == i, np.minimum(weight[i], 1.0), 0.0)
            without = Ridge(alpha).fit(frame, y, sample_weight=rest)
            total += weight[i] * (y[i] - without.predict(frame[i : i + 1])[0]) ** 2
        assert model.mse_path_[a, 0] == pytest.approx(total / weight.sum(), rel=1e-9)
    times = np.arange(25) % 3
    repeated = RidgeCV(alphas).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(RidgeCV(alphas).fit(X, y, sample_weight=times).mse_path_, repeated.mse_path_, rtol=1e-10)


def test_rows_left_out_have_the_same_bits_everywhere(tmp_path):
    import pandas as pd

    X, y, _ = data()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=40)
    found = set()
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)):
            found.add(bits(RidgeCV().fit(tn.scan(tmp_path / "rows.parquet", target="y")).model_))
    assert len(found) == 1


def test_a_row_that_decides_its_own_prediction_cannot_be_left_out():
    X = np.eye(6)[:, :3]
    y = np.arange(6.0)
    with pytest.raises(DataError, match=r"with alpha=0 a row decides its own prediction.*Remedy: larger alphas"):
        RidgeCV([0.0, 1.0]).fit(X, y)
    assert RidgeCV([0.1, 1.0]).fit(X, y).alpha_ == peer.RidgeCV([0.1, 1.0]).fit(X, y).alpha_
    wide = np.random.default_rng(6).normal(size=(8, 20))
    ours, theirs = (kind([0.1, 1.0]).fit(wide, wide[:, 0]) for kind in (RidgeCV, peer.RidgeCV))
    assert (ours.alpha_, ours.best_score_) == pytest.approx((theirs.alpha_, theirs.best_score_), rel=1e-7)


@pytest.mark.parametrize("learner", [LassoCV(alphas=20), ElasticNetCV(alphas=20)], ids=str)
def test_penalties_are_as_small_as_the_columns(learner):
    X, y, _ = data()
    unit = 2.0**-465  # about 1e-140: below scikit-learn's least penalty
    plain, small = clone(learner).fit(X, y), clone(learner).fit(X * unit, y)
    np.testing.assert_allclose(small.alphas_ / unit, plain.alphas_, rtol=1e-12)
    assert plain.score(X, y) > 0.3
    if isinstance(learner, LassoCV):  # the square of the elastic net is not scaled as the columns are
        assert small.score(X * unit, y) == pytest.approx(plain.score(X, y), rel=1e-6)
