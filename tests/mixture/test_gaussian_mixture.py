import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats as st
import sklearn.mixture as peer
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from tenfold import GaussianMixture
from tenfold.sources import part_rows
from tenfold.testing import bits

KINDS = ("full", "tied", "diag", "spherical")


def clumps(n=300, p=3, k=3, seed=0, apart=3.0):
    """Clumps of rows, each with a covariance of its own."""
    random = np.random.default_rng(seed)
    each = [random.normal(size=(n, p)) @ random.normal(size=(p, p)) + apart * random.normal(size=p) for _ in range(k)]
    return np.concatenate(each)


def start(X, k, kind):
    """Weights, means and precisions to start from."""
    p = X.shape[1]
    unit = {"full": np.array([np.eye(p)] * k), "tied": np.eye(p), "diag": np.ones((k, p)), "spherical": np.ones(k)}
    precision = unit[kind] * (0.5 + np.arange(len(unit[kind]))).reshape(-1, *[1] * (unit[kind].ndim - 1))
    if kind == "tied":
        precision = unit[kind] + 0.3
    return {"weights_init": np.arange(1, k + 1) / (k * (k + 1) / 2), "means_init": X[:k], "precisions_init": precision}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("rounds", [1, 4, 100])
@pytest.mark.parametrize("kind", KINDS)
def test_equals_scikit_learn_from_the_same_start(kind, rounds):
    X = clumps()
    given = dict(covariance_type=kind, max_iter=rounds, **start(X, 3, kind))
    ours, theirs = GaussianMixture(3, **given).fit(X), peer.GaussianMixture(3, random_state=0, **given).fit(X)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10)
    assert (ours.n_iter_, ours.converged_) == (theirs.n_iter_, theirs.converged_)
    for ask in ("predict", "predict_proba", "score_samples"):
        np.testing.assert_allclose(getattr(ours, ask)(X), getattr(theirs, ask)(X), rtol=1e-8, atol=1e-12)
    for ask in ("score", "bic", "aic"):
        assert getattr(ours, ask)(X) == pytest.approx(getattr(theirs, ask)(X), rel=1e-12)
    assert ours.lower_bound_ == pytest.approx(theirs.score(X), rel=1e-12)
    assert ours.certificate_["bic"].value == pytest.approx(theirs.bic(X), rel=1e-12)
    (x, label), (z, peers) = ours.sample(20), theirs.sample(20)
    np.testing.assert_allclose(x, z, rtol=1e-8)
    assert label.tolist() == peers.tolist()


def test_density_is_that_of_the_components():
    X = clumps()
    model = GaussianMixture(3).fit(X)
    density = sum(
        w * st.multivariate_normal(m, c).pdf(X)
        for w, m, c in zip(model.weights_, model.means_, model.covariances_, strict=True)
    )
    np.testing.assert_allclose(model.score_samples(X), np.log(density), rtol=1e-10)
    assert model.lower_bound_ == pytest.approx(np.log(density).mean(), rel=1e-12)
    np.testing.assert_allclose(model.covariances_ @ model.precisions_, np.array([np.eye(3)] * 3), atol=1e-9)


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random_from_data", "random"])
@pytest.mark.parametrize("kind", KINDS)
def test_weighted_is_repeated_and_order_does_not_matter(kind, init):
    random = np.random.default_rng(1)
    X, times = clumps(60), random.integers(0, 4, 180)
    learner = GaussianMixture(3, covariance_type=kind, init_params=init, tol=1e-5, max_iter=500)
    a = learner.fit(X, sample_weight=times)
    before = a.weights_, a.means_, a.covariances_, a.lower_bound_
    assert a.score(X, sample_weight=times) == pytest.approx(a.lower_bound_, rel=1e-12)
    many = np.repeat(X, times, axis=0)
    with part_rows(50):
        b = learner.fit(many[random.permutation(len(many))])
    for x, z in zip(before, (b.weights_, b.means_, b.covariances_, b.lower_bound_), strict=True):
        np.testing.assert_allclose(x, z, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_likelihood_never_falls_and_gains_are_as_claimed(kind):
    X = clumps(100, 4, 3)
    given = dict(covariance_type=kind, reg_covar=0.0, tol=0.0, **start(X, 3, kind))
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        rounds = [GaussianMixture(3, max_iter=t, **given).fit(X) for t in range(1, 12)]
    found = [model.lower_bound_ for model in rounds]
    claimed = [model.certificate_["next round gains"].value for model in rounds]
    gained = np.diff(found)
    assert (gained >= -1e-10 * np.abs(found[1:])).all()
    assert (gained >= np.array(claimed[:-1]) - 1e-12).all()
    assert gained[0] > 1e-3
    assert claimed[0] > 0.1 * gained[0]


def test_same_bits_of_parquet_and_of_memory_cut_alike(tmp_path):
    X = clumps(2000)
    table = pa.table({f"x{j}": X[:, j] for j in range(3)})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1000)
    for kind in KINDS:
        learner = GaussianMixture(3, covariance_type=kind, max_iter=50, tol=1e-2)
        there = learner.fit(tn.scan(tmp_path / "rows.parquet"))
        first, labels = bits(there.model_), there.predict(table)
        assert there.score(tn.scan(tmp_path / "rows.parquet")) == pytest.approx(there.lower_bound_, rel=1e-12)
        with part_rows(1000), tn.on(tn.Local(threads=2)):
            here = learner.fit(X)
        assert bits(here.model_) == first
        np.testing.assert_array_equal(here.predict(X), labels)


def test_far_from_the_origin_and_in_other_units():
    X = clumps()
    plain = GaussianMixture(3, reg_covar=0.0).fit(X)
    far = GaussianMixture(3, reg_covar=0.0).fit(X + 1e8)
    np.testing.assert_allclose(np.sort(far.weights_), np.sort(plain.weights_), rtol=1e-5)
    assert far.lower_bound_ == pytest.approx(plain.lower_bound_, rel=1e-5)
    small = GaussianMixture(3, reg_covar=0.0).fit(X * [1.0, 1e-6, 1e6])
    assert small.lower_bound_ == pytest.approx(plain.lower_bound_, rel=1e-3)


def test_components_that_merged_emptied_collapsed_or_want_to_be_split_are_reported():
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 2))
    given = {"weights_init": [0.5, 0.5], "precisions_init": [np.eye(2)] * 2}
    alike = GaussianMixture(2, means_init=[[0.0, 0], [1e-3, 0]], **given)
    assert "0 and 1" in alike.fit(X).certificate_["merged components"].because
    away = GaussianMixture(2, means_init=[[0.0, 0], [99.0, 0]], **given)
    model = away.fit(X)
    assert "number 1:" in model.certificate_["empty components"].because
    assert np.isfinite(model.score_samples(X)).all()
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0), atol=1e-10)
    with_clump = np.concatenate([X, np.full((20, 2), 30.0)])
    model = GaussianMixture(2).fit(with_clump)
    assert model.certificate_["collapsed components"].value == 1
    assert model.certificate_.get("merged components") is None
    two = np.concatenate([X, X + [9.0, 0.0]])
    claim = GaussianMixture(1).fit(two).certificate_["components to split"]
    assert claim.value == 1
    assert "flat" in claim.because
    good = GaussianMixture(2).fit(two).certificate_
    assert all(good.get(f"{how} components") is None for how in ("merged", "empty", "collapsed"))
    assert good.get("components to split") is None
    heavy = random.standard_t(3, size=(2000, 2))
    assert "heavy-tailed" in GaussianMixture(1).fit(heavy).certificate_["components to split"].because


def test_condition_is_said():
    X = clumps(200, 3, 1)
    near = np.column_stack([X, X[:, 0] + 1e-4 * np.random.default_rng(1).normal(size=200)])
    claim = GaussianMixture(1, reg_covar=0.0).fit(near).certificate_["condition"]
    covariance = np.corrcoef(near.T)
    assert claim.value == pytest.approx(np.linalg.cond(covariance), rel=1e-2)
    assert claim.value > 1e6


def test_what_has_no_density_is_refused_by_component():
    X = np.column_stack([np.arange(10.0), np.arange(10.0)])
    with pytest.raises(tn.DataError, match=r"component number 0 .* reg_covar"):
        GaussianMixture(1, reg_covar=0.0).fit(X)
    with pytest.raises(tn.DataError, match="covariance of all"):
        GaussianMixture(2, covariance_type="tied", reg_covar=0.0).fit(X)
    with pytest.raises(tn.DataError, match="component number"):
        GaussianMixture(1, covariance_type="diag", reg_covar=0.0).fit(X * [1.0, 0.0])
    with pytest.raises(ValueError, match="Expected n_samples >= n_components"):
        GaussianMixture(3).fit([[0.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="no more distinct rows"):
        model = GaussianMixture(3).fit([[0.0], [0.0], [1.0], [1.0]])
    assert len(model.weights_) == 2
    with pytest.raises(tn.DataError, match="row 1"):
        GaussianMixture(1).fit([[0.0], [np.nan], [1.0]])
    with pytest.raises(tn.DataError, match="NaN"):
        GaussianMixture(1).fit([[0.0], [2.0], [1.0]]).score_samples([[np.nan]])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"weights_init": [0.5, 0.6]}, "sum to 1"),
        ({"weights_init": [1.0]}, "shape"),
        ({"means_init": [[0.0]]}, "shape"),
        ({"means_init": [[0.0, 0.0], [np.nan, 0.0]]}, "NaN"),
        ({"precisions_init": [[[1.0, 0.0], [0.0, -1.0]]] * 2}, "positive definite"),
        ({"precisions_init": [[[1.0, 0.5], [0.0, 1.0]]] * 2}, "symmetric"),
        ({"precisions_init": [[1.0, 0.0]] * 2, "covariance_type": "diag"}, "positive"),
    ],
)
def test_wrong_starts_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        GaussianMixture(2, **given).fit(clumps(20, 2))


def test_given_means_alone_take_the_rows_nearest_to_them():
    X = clumps(100, 2, 2, apart=8.0)
    means = [X[:100].mean(axis=0), X[100:].mean(axis=0)]
    model = GaussianMixture(2, means_init=means, max_iter=0).fit(X)
    near = ((X[:, None] - np.array(means)) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(model.weights_, np.bincount(near) / 200)
    np.testing.assert_array_equal(model.means_, means)
    assert (GaussianMixture(2).fit_predict(X) == GaussianMixture(2).fit(X).predict(X)).all()


def test_loaded_model_is_the_same(tmp_path):
    X = clumps()
    for kind in KINDS:
        model = GaussianMixture(3, covariance_type=kind).fit(X)
        model.save(tmp_path / "mixture.tenfold")
        loaded = tn.load(tmp_path / "mixture.tenfold")
        np.testing.assert_array_equal(loaded.score_samples(X), model.score_samples(X))
        assert loaded.lower_bound_ == model.lower_bound_
        assert loaded.verify().origin == "verified"
