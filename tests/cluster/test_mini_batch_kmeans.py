"""Mini-batches against the rule written out, and against where Lloyd's rounds end."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import tenfold as tn
from tenfold.sources import part_rows

random = np.random.default_rng(2)
MIDDLES = random.normal(size=(5, 4)) * 6
X = MIDDLES[random.integers(0, 5, 4000)] + random.normal(size=(4000, 4))
START = X[:5] + 0.5


def by_hand(X, centers, size, walks, weight=None):
    """Batch by batch: each centre at the mean of the rows that it has met."""
    centers, counts = centers.copy(), np.zeros(len(centers))
    weight = np.ones(len(X)) if weight is None else weight
    for _ in range(walks):
        for first in range(0, len(X), size):
            rows, heavy = X[first : first + size], weight[first : first + size]
            near = cdist(rows, centers).argmin(axis=1)
            for k in range(len(centers)):
                mine = near == k
                mass = heavy[mine].sum()
                if mass:
                    total = counts[k] * centers[k] + heavy[mine] @ rows[mine]
                    counts[k] += mass
                    centers[k] = total / counts[k]
    return centers, counts


@pytest.mark.parametrize("rows", [None, 300])
@pytest.mark.parametrize("size", [1, 64, 5000])
def test_batches_are_those_of_the_rule_wherever_parts_are_cut(rows, size):
    few, weight = X[:900], random.integers(1, 4, 900).astype(float)
    model = tn.MiniBatchKMeans(5, init=START, batch_size=size, max_iter=2, tol=0.0, shuffle=False)
    with part_rows(rows):
        model.fit(few, sample_weight=weight)
    centers, counts = by_hand(few, START, size, model.n_iter_, weight)
    np.testing.assert_allclose(model.cluster_centers_, centers, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.counts_, counts)


def test_it_ends_near_where_rounds_of_k_means_end():
    model, exact = tn.MiniBatchKMeans(5).fit(X), tn.KMeans(5).fit(X)
    assert exact.inertia_ * (1 - 1e-9) <= model.inertia_ <= 1.01 * exact.inertia_
    assert model.inertia_ == pytest.approx((cdist(X, model.cluster_centers_).min(axis=1) ** 2).sum(), rel=1e-9)
    assert (model.labels_ == model.predict(X)).all()
    assert model.score(X) == pytest.approx(-model.inertia_, rel=1e-12)


def test_sorted_rows_and_few_distinct_ones():
    ordered = X[np.argsort(X[:, 0])]
    assert tn.MiniBatchKMeans(5).fit(ordered).inertia_ <= 1.05 * tn.KMeans(5).fit(X).inertia_
    model = tn.MiniBatchKMeans(3, batch_size=7).fit(np.repeat([[0.0], [1.0], [5.0]], 50, axis=0))
    assert sorted(model.cluster_centers_.ravel().tolist()) == [0.0, 1.0, 5.0]


def test_more_rows_go_on_where_the_model_is():
    model = tn.MiniBatchKMeans(5, init=START, batch_size=100, shuffle=False)
    for first in range(0, 1000, 200):
        model.partial_fit(X[first : first + 200])
    centers, counts = by_hand(X[:1000], START, 100, 1)
    np.testing.assert_allclose(model.cluster_centers_, centers, rtol=1e-9)
    np.testing.assert_allclose(model.counts_, counts)
    assert model.n_iter_ == 5
    model.partial_fit(X[:1])  # fewer rows than clusters: the centres are there already
    assert model.counts_.sum() == 1001


def test_sparse_rows_and_a_file(tmp_path):
    counts = np.maximum(np.round(X), 0.0)
    dense = tn.MiniBatchKMeans(4).fit(counts)
    sparse = tn.MiniBatchKMeans(4).fit(sp.csr_array(counts))
    np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, rtol=1e-9, atol=1e-12)
    dense.save(tmp_path / "model")
    loaded = tn.load(tmp_path / "model")
    assert np.array_equal(loaded.predict(counts), dense.labels_)
    loaded.partial_fit(counts[:100])
    assert loaded.counts_.sum() == dense.counts_.sum() + 100
