"""The centres of k-means round by round, against Lloyd's algorithm by hand."""

import numpy as np
import pytest

import tenfold as tn


def lloyd(X, weight, centers, rounds):
    """Centres, weights and inertia of each round."""
    found = []
    for _ in range(rounds):
        square = np.array([[((x - c) ** 2).sum() for c in centers] for x in X])
        label = square.argmin(axis=1)
        heft = np.array([weight[label == k].sum() for k in range(len(centers))])
        found.append((centers, heft, (weight * square.min(axis=1)).sum()))
        centers = np.array([np.average(X[label == k], axis=0, weights=weight[label == k]) for k in range(len(centers))])
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_each_round_by_hand(weighted):
    random = np.random.default_rng(1)
    X = np.concatenate([random.normal(size=(50, 3)) + m for m in ([0, 0, 0], [3, 0, 0], [0, 3, 1])])
    weight = random.integers(0, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    steps = tn.trace(tn.KMeans(3, init=X[:3], tol=0.0), X, sample_weight=weight if weighted else None)
    assert len(steps.centers) > 4
    for found, expected in zip(
        zip(steps.centers, steps.weight, steps.inertia, strict=True),
        lloyd(X, weight, X[:3], len(steps.centers)),
        strict=True,
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)
    assert (np.diff(steps.inertia) <= 1e-9).all()
    assert (steps.centers[0] == X[:3]).all()


@pytest.mark.parametrize("params", [{"n_init": 1}, {}, {"max_iter": 2}, {"init": "k-means||"}])
def test_it_ends_at_the_bits_of_the_fit(params):
    X = np.random.default_rng(0).normal(size=(400, 2))
    learner = tn.KMeans(5, **params)
    plain, steps = learner.fit(X), tn.trace(learner, X)
    assert steps.centers[-1].tobytes() == plain.cluster_centers_.tobytes() == steps.model.cluster_centers_.tobytes()
    assert steps.inertia[-1] == pytest.approx(plain.inertia_)
    assert plain.n_iter_ in (len(steps.centers), len(steps.centers) - 1)


def test_a_center_without_rows_goes_to_the_farthest_row():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    steps = tn.trace(tn.KMeans(2, init=[[5.0], [900.0]]), X)
    assert steps.weight[0].tolist() == [4.0, 0.0]
    assert sorted(steps.centers[-1].ravel().tolist()) == [0.5, 9.5]


def test_the_table_has_a_line_for_each_round():
    steps = tn.trace(tn.KMeans(2, init=[[0.0], [1.0]]), [[0.0], [1.0], [8.0], [9.0]])
    frame = steps.to_frame()
    assert frame["round"].tolist() == [1, 2, 3]
    assert frame["inertia"].tolist() == [113.0, 14.0, 1.0]
    assert frame["moved"].tolist()[1:] == [5.0, np.hypot(0.5, 2.5)]
    assert "inertia 1" in str(steps)
