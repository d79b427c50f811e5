"""k-means: J never rises, brute force on little data, order and repetition, the lower bound."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster as peer
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from tenfold import KMeans, Local
from tenfold.core import Rounds
from tenfold.engine import fit
from tenfold.sources import ArraySource, part_rows


def brute_force(X, k):
    """The least inertia of any assignment."""
    best = np.inf
    for labels in product(range(k), repeat=len(X)):
        labels = np.array(labels)
        groups = [X[labels == c] for c in range(k) if (labels == c).any()]
        best = min(best, sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups))
    return best


@pytest.mark.parametrize("seed", range(8))
def test_certified_bound_from_both_sides(seed):
    """Inertia is at least the optimum, and the certified gap covers the true one."""
    X = np.random.default_rng(seed).normal(size=(8, 2))
    model = KMeans(n_clusters=2, tol=0.0).fit(X)
    best = brute_force(X, 2)
    assert model.inertia_ >= best * (1 - 1e-12)
    gap = model.certificate_["gap"]
    assert gap.status == "proved"
    assert gap.value >= (model.inertia_ - best) / model.inertia_ - 1e-12
    assert gap.value < 1


def test_inertia_never_rises():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    found = []
    learner = KMeans(n_clusters=6, tol=0.0, init=X[:6])
    fit(
        learner,
        ArraySource(X),
        runner=Local(threads=2),
        stop=Rounds(30),
        watchers=[lambda at: found.append(at.certificate["inertia"].value) if at.certificate else None],
    )
    assert len(found) > 10
    assert all(b <= a * (1 + 1e-12) for a, b in zip(found, found[1:], strict=False))


def test_rounds_are_scikit_learns():
    """From the same start, the same centres after the same rounds."""
    X = np.random.default_rng(1).normal(size=(2000, 5))
    for rounds in (1, 2, 7):
        ours = KMeans(4, init=X[:4], max_iter=rounds, tol=0.0).fit(X)
        theirs = peer.KMeans(4, init=X[:4], n_init=1, max_iter=rounds, tol=0.0).fit(X)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-10)
        np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-10)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        assert ours.n_iter_ == rounds


def test_order_and_cuts_do_not_change_the_start():
    random = np.random.default_rng(2)
    X = random.normal(size=(9000, 3))
    reference = KMeans(5, tol=0.0).fit(X)
    shuffled = KMeans(5, tol=0.0).fit(X[random.permutation(len(X))])
    with part_rows(1000):
        cut = KMeans(5, tol=0.0).fit(X)
    for other in (shuffled, cut):
        np.testing.assert_allclose(other.cluster_centers_, reference.cluster_centers_, atol=1e-9)


def test_repeated_rows_are_weights():
    random = np.random.default_rng(3)
    rows = random.normal(size=(6000, 3))
    times = random.integers(1, 4, 6000)
    a = KMeans(4, tol=0.0).fit(rows, sample_weight=times)
    b = KMeans(4, tol=0.0).fit(np.repeat(rows, times, axis=0))
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(a.inertia_, b.inertia_, rtol=1e-9)


def test_heavy_rows_are_found():
    """Thirty places hold most of the weight among many other distinct rows."""
    random = np.random.default_rng(4)
    places = 50 * random.normal(size=(30, 3))
    X = np.vstack([np.repeat(places, 500, axis=0), random.normal(size=(8000, 3)) * 50])
    ours = np.mean([KMeans(30, random_state=s).fit(X).inertia_ for s in range(5)])
    theirs = np.mean([peer.KMeans(30, n_init=1, random_state=s).fit(X).inertia_ for s in range(5)])
    assert ours <= theirs


@pytest.mark.parametrize("form", ["array", "source", "parts", "given centres", "together"])
def test_fewer_rows_than_clusters_are_refused_and_fewer_distinct_ones_warned_of(form):
    """As scikit-learn does, however the rows come."""

    def fitted(X):
        X, k = np.array(X), 4
        if form == "together":
            return tn.fit_together([KMeans(k)], tn.scan(X))[0]
        with part_rows(2 if form == "parts" else 4096):
            start = {"init": [[0.0], [1.0], [0.0], [5.0]], "tol": 0.0} if form == "given centres" else {}
            return KMeans(k, **start).fit(tn.scan(X) if form == "source" else X)

    few, alike = [[0.0], [1.0], [2.0]], [[0.0], [0.0], [1.0], [1.0], [0.0]]
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        peer.KMeans(4).fit(few)
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        fitted(few)
    said = r"Number of distinct clusters \(2\) found smaller than n_clusters \(4\)"
    with pytest.warns(ConvergenceWarning, match=said):
        peer.KMeans(4, n_init=1).fit(alike)
    with pytest.warns(ConvergenceWarning, match=said):
        model = fitted(alike)
    assert model.certificate_["clusters"].value == 2


def test_rows_of_weight_zero_make_no_cluster():
    with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"):
        KMeans(3).fit([[0.0], [1.0], [2.0]], sample_weight=[1.0, 1.0, 0.0])


def test_fewer_distinct_rows_than_clusters():
    with pytest.warns(ConvergenceWarning):
        model = KMeans(3).fit([[0.0], [0.0], [1.0], [1.0]])
    assert sorted(model.cluster_centers_.ravel().tolist()) == [0.0, 1.0]
    assert model.inertia_ == 0
    assert model.certificate_["clusters"].value == 2


def test_empty_clusters_are_placed_anew():
    X = np.vstack([np.zeros((20, 2)), np.ones((20, 2)), 9 * np.ones((3, 2)), [[50.0, 50.0]]])
    start = np.array([[0.0, 0.0], [1.0, 1.0], [500.0, 500.0], [600.0, 600.0]])
    model = KMeans(4, init=start, tol=0.0).fit(X)
    assert model.inertia_ == 0
    assert len(np.unique(model.labels_)) == 4


def test_sparse_float32_and_offset():
    random = np.random.default_rng(5)
    X = random.normal(size=(3000, 4)) + np.repeat(10 * random.normal(size=(3, 4)), 1000, axis=0)
    model = KMeans(3, tol=0.0).fit(X)
    sparse = KMeans(3, tol=0.0).fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.cluster_centers_, model.cluster_centers_)
    single = KMeans(3, tol=0.0).fit(X.astype(np.float32))
    np.testing.assert_allclose(single.inertia_, model.inertia_, rtol=1e-5)
    far = KMeans(3, tol=0.0).fit(X + 1e8)
    np.testing.assert_allclose(far.inertia_, model.inertia_, rtol=1e-6)


def test_seed_none_is_recorded_and_repeats():
    X = np.random.default_rng(6).normal(size=(500, 2))
    first = KMeans(3, random_state=None).fit(X)
    again = KMeans(3, random_state=first.certificate_.provenance.seed).fit(X)
    np.testing.assert_array_equal(first.cluster_centers_, again.cluster_centers_)


def test_wrong_start_is_named():
    with pytest.raises(ValueError, match=r"init has shape \(2, 1\)"):
        KMeans(3, init=[[0.0], [1.0]]).fit([[0.0], [1.0], [2.0]])


def test_a_model_of_many_passes_does_not_merge():
    model = KMeans(1).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="reads its rows several times"):
        model + model
    assert not hasattr(model, "partial_fit")


@pytest.mark.parametrize("scale", [1e-30, 1e25])
def test_squares_that_float32_does_not_hold(scale):
    X = np.random.default_rng(0).normal(size=(60, 3))
    plain = KMeans(4, init=X[:4]).fit(X)
    narrow = (X * scale).astype(np.float32)
    model = KMeans(4, init=narrow[:4]).fit(narrow)
    assert (model.labels_ == plain.labels_).all()
    assert model.inertia_ / scale**2 == pytest.approx(plain.inertia_, rel=1e-5)


def test_centres_too_large_to_be_squared_are_refused():
    X = np.column_stack([np.arange(6.0), np.full(6, 9.7e298)])
    with pytest.raises(tn.DataError, match=r"too large to be squared\. Remedy: rescale"):
        tn.KMeans(2, init=[[0.0, 9.7e298], [1.0, -9.7e298]]).fit(X)


def test_transform_and_score_are_those_of_scikit_learn(tmp_path):
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    ours = KMeans(4, init=X[:4], tol=0.0).fit(X, sample_weight=weight)
    theirs = peer.KMeans(4, init=X[:4], n_init=1, tol=0.0).fit(X, sample_weight=weight)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-8)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.fit_transform(sp.csr_array(X)), KMeans(4, init=X[:4], tol=0.0).fit(X).transform(X))
    ours.fit(X, sample_weight=weight)
    assert ours.score(X, sample_weight=weight) == pytest.approx(theirs.score(X, sample_weight=weight), rel=1e-10)
    assert ours.score(X, sample_weight=weight) == pytest.approx(-ours.inertia_, rel=1e-12)
    assert ours.score(tn.scan(X)) == pytest.approx(theirs.score(X), rel=1e-10)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.transform(X + 1e8).min() == pytest.approx(theirs.transform(X + 1e8).min(), rel=1e-6)


def test_more_starts_are_not_worse_and_reach_the_best_of_few_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    one = np.array([KMeans(12, tol=0.0, random_state=s).fit(X).inertia_ for s in range(8)])
    ten = np.array([KMeans(12, tol=0.0, n_init=10, random_state=s).fit(X).inertia_ for s in range(8)])
    theirs = min(peer.KMeans(12, n_init=10, tol=0.0, random_state=s).fit(X).inertia_ for s in range(8))
    assert ten.mean() < one.mean()
    assert ten.min() <= theirs * (1 + 1e-3)
    assert ten.max() - ten.min() < one.max() - one.min()


def test_start_by_several_draws_is_good_and_does_not_depend_on_order():
    rng = np.random.default_rng(5)
    middles = rng.uniform(-50, 50, size=(20, 3))
    X = np.concatenate([middle + rng.normal(size=(150, 3)) for middle in middles])
    learner = KMeans(20, init="k-means||", tol=0.0)
    model = learner.fit(X)
    best = peer.KMeans(20, init=middles, n_init=1, tol=0.0).fit(X).inertia_
    assert model.inertia_ == pytest.approx(best, rel=1e-6)
    before = np.sort(model.cluster_centers_, axis=0)
    with part_rows(257):
        again = learner.fit(rng.permutation(X))
    np.testing.assert_allclose(np.sort(again.cluster_centers_, axis=0), before, rtol=1e-8)
    assert [turn["asked"] for turn in model.history_][:6] == ["SpreadAndMass", *["FarSample"] * 4, "NearestSums"]
    times = rng.integers(0, 3, len(X))
    weighted = learner.fit(X, sample_weight=times).inertia_
    assert learner.fit(np.repeat(X, times, axis=0)).inertia_ == pytest.approx(weighted, rel=1e-9)
    few = np.repeat([[0.0, 0.0], [1.0, 5.0], [7.0, 7.0]], 5, axis=0)
    assert KMeans(3, init="k-means||").fit(few).inertia_ == 0.0


@pytest.mark.parametrize("kind", [KMeans, tn.MiniBatchKMeans])
def test_one_start_is_one_start(kind):
    """Starts are drawn one after another, so of few rows each further one can only lower the inertia."""
    X = np.random.default_rng(3).normal(size=(200, 2))
    each = {n: [kind(9, n_init=n, random_state=s).fit(X).inertia_ for s in range(6)] for n in (1, 2, 5, "auto")}
    assert np.mean(each[1]) > np.mean(each[2]) > np.mean(each[5])
    assert np.mean(each[1]) > np.mean(each["auto"])
    if kind is KMeans:
        assert (np.diff([each[n] for n in (1, 2, 5)], axis=0) <= 1e-9).all()


@pytest.mark.parametrize("learner", [tn.KMeans(2), tn.MiniBatchKMeans(2), tn.BisectingKMeans(2)], ids=str)
def test_columns_whose_distances_vanish_are_refused_with_a_remedy_that_works(learner):
    X = np.random.default_rng(0).normal(size=(60, 2)) + 5 * (np.arange(60) % 2)[:, None]
    small = np.column_stack([np.full(60, 5.0), X * 1e-170])
    with pytest.raises(tn.DataError, match=r"column 'x1' is too small: distances would vanish.*MaxAbsScaler\(\) first"):
        learner.fit(small)
    found = tn.MaxAbsScaler().fit_transform(small)
    assert len(set(zip(learner.fit(found).labels_.tolist(), (np.arange(60) % 2).tolist(), strict=True))) == 2
