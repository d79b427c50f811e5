import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster as peer
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from tenfold import BisectingKMeans
from tenfold.sources import part_rows


def clumps(n=60, seed=0):
    random = np.random.default_rng(seed)
    middles = [[0, 0, 0], [0, 9, 0], [40, 0, 0], [40, 9, 0], [40, 18, 30]]
    return np.concatenate([random.normal(size=(n, 3)) + middle for middle in middles])


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_clumps_are_found_as_by_scikit_learn(strategy):
    X = clumps()
    model = BisectingKMeans(5, bisecting_strategy=strategy).fit(X)
    theirs = peer.BisectingKMeans(5, bisecting_strategy=strategy, init="k-means++", n_init=5, random_state=0).fit(X)
    assert model.inertia_ <= theirs.inertia_ * (1 + 1e-9)
    assert (model.labels_ == model.predict(X)).all()
    away = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.inertia_ == pytest.approx(away, rel=1e-12)
    for k, center in enumerate(model.cluster_centers_):
        np.testing.assert_allclose(center, X[model.labels_ == k].mean(axis=0), atol=0.1)
    assert model.transform(X).shape == (300, 5)
    assert model.verify().origin == "verified"


def test_each_cut_is_of_the_worst_cluster_and_lowers_the_inertia():
    X = clumps()
    fits = [BisectingKMeans(k, tol=0.0).fit(X) for k in range(1, 9)]
    found = [model.inertia_ for model in fits]
    assert (np.diff(found) < 0).all()
    assert found[0] == pytest.approx(((X - X.mean(axis=0)) ** 2).sum(), rel=1e-12)
    for before, after in zip(fits[:-1], fits[1:], strict=True):
        own = [((X[before.labels_ == k] - c) ** 2).sum() for k, c in enumerate(before.cluster_centers_)]
        kept = {tuple(c) for c in before.cluster_centers_} & {tuple(c) for c in after.cluster_centers_}
        (cut,) = {tuple(c) for c in before.cluster_centers_} - kept
        assert cut == tuple(before.cluster_centers_[int(np.argmax(own))])


def test_two_clusters_are_those_of_k_means():
    X = clumps()
    ours, plain = BisectingKMeans(2, tol=0.0).fit(X), tn.KMeans(2, tol=0.0).fit(X)
    assert ours.inertia_ == pytest.approx(plain.inertia_, rel=1e-12)


@pytest.mark.full
def test_order_cuts_weights_and_form_do_not_matter():
    X, random = clumps(), np.random.default_rng(1)
    plain = BisectingKMeans(6, tol=0.0).fit(X)
    with part_rows(37):
        again = BisectingKMeans(6, tol=0.0).fit(random.permutation(X))
    np.testing.assert_allclose(again.cluster_centers_, plain.cluster_centers_, rtol=1e-9, atol=1e-12)
    times = random.integers(0, 3, len(X))
    a = BisectingKMeans(6, tol=0.0).fit(X, sample_weight=times)
    b = BisectingKMeans(6, tol=0.0).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-9)
    sparse = BisectingKMeans(6, tol=0.0).fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.cluster_centers_, plain.cluster_centers_, rtol=1e-9)
    lazy = BisectingKMeans(6, tol=0.0).fit(tn.scan(X))
    np.testing.assert_allclose(lazy.cluster_centers_, plain.cluster_centers_, rtol=1e-9)


def test_fewer_distinct_rows_than_clusters_are_said():
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model = BisectingKMeans(4).fit([[0.0], [0.0], [1.0], [1.0], [5.0]])
    assert len(model.cluster_centers_) == 3
    assert model.certificate_["clusters"].value == 3
    with pytest.raises(ValueError, match="n_samples=2"):
        BisectingKMeans(3).fit([[0.0], [1.0]])


def test_loaded_model_is_the_same(tmp_path):
    X = clumps()
    model = BisectingKMeans(5).fit(X)
    model.save(tmp_path / "cuts.tenfold")
    np.testing.assert_array_equal(tn.load(tmp_path / "cuts.tenfold").predict(X), model.labels_)


def test_rounding_does_not_move_centres_forever():
    """Means of the same rows, around other centres, differ in their last digits: `tol=0` is reached all the same."""
    random = np.random.default_rng(0)
    rows, weight = random.integers(0, 3, (108, 3)).astype(float), random.random(108)
    for order in (np.arange(108), *(random.permutation(108) for _ in range(20))):
        model = tn.BisectingKMeans(2, tol=0.0).fit(rows[order], sample_weight=weight[order])
        assert model.n_iter_ < 20
