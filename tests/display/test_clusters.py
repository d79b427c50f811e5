"""Elbow and silhouette against scikit-learn, from arrays, weights and sources."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples, silhouette_score

import tenfold as tn
from tenfold.metrics.silhouette import silhouettes
from tenfold.sources import part_rows

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def clumps(apart=6.0, n=60):
    random = np.random.default_rng(0)
    return np.concatenate(
        [random.normal(size=(n, 2)) + apart * np.array(at) for at in ([0, 0], [1, 0], [0, 1], [1, 1])]
    )


@pytest.mark.parametrize("learner", [tn.KMeans(4), tn.GaussianMixture(3), tn.KMeans(9)])
def test_silhouettes_are_those_of_scikit_learn(learner):
    X = clumps(2.5)
    model = learner.fit(X)
    label = model.predict(X)
    truth = silhouette_samples(X, label, metric="sqeuclidean")
    display = tn.display.SilhouetteDisplay.from_estimator(model, X)
    assert display.score == pytest.approx(truth.mean(), rel=1e-10)
    for k, mean in enumerate(display.mean):
        assert mean == pytest.approx(truth[label == k].mean(), rel=1e-10)
        assert display.weight[k].sum() == (label == k).sum()
        assert (
            np.abs(np.repeat(display.silhouette[k], display.weight[k].astype(int)) - np.sort(truth[label == k])).max()
            < 0.005
        )
    with part_rows(17):
        found = silhouettes(model, tn.scan(X + 0.0))
    assert found.score == pytest.approx(display.score, rel=1e-12)
    assert len(display.bars_) == len(display.mean)


def test_weights_are_repetitions_and_a_row_alone_has_none():
    X, random = clumps(2.0), np.random.default_rng(1)
    times = random.integers(0, 3, len(X))
    model = tn.KMeans(4).fit(X, sample_weight=times)
    many = np.repeat(X, times, axis=0)
    truth = silhouette_score(many, model.predict(many), metric="sqeuclidean")
    assert silhouettes(model, X, times).score == pytest.approx(truth, rel=1e-10)
    alone = tn.KMeans(2).fit([[0.0], [1.0], [99.0]])
    expected = silhouette_score([[0.0], [1.0], [99.0]], alone.labels_, metric="sqeuclidean")
    assert silhouettes(alone, [[0.0], [1.0], [99.0]]).score == pytest.approx(expected)
    near, far = (silhouettes(tn.KMeans(4, init=X[::60] + at).fit(X + at), X + at).score for at in (0.0, 1e7))
    assert far == pytest.approx(near, rel=1e-6)
    with pytest.raises(tn.DataError, match="at least two"):
        silhouettes(tn.KMeans(1).fit(X), X)
    with pytest.raises(TypeError, match="no clusters"):
        tn.display.SilhouetteDisplay.from_estimator(tn.StandardScaler().fit(X), X)


def test_elbow_is_where_the_clumps_are_all_found():
    X = clumps(9.0)
    display = tn.display.ElbowDisplay.from_estimator(tn.KMeans(), X, sizes=range(1, 9))
    assert display.best == 4
    alone = tn.KMeans(4).fit(X)
    assert display.values["inertia"][3] == alone.inertia_
    assert (np.diff(display.values["inertia"]) < 0).all()
    assert len(display.lines_) == 1
    mixtures = tn.display.ElbowDisplay.from_estimator(
        tn.GaussianMixture(covariance_type="spherical"), tn.scan(X), sizes=[4, 2, 6]
    )
    assert mixtures.sizes == [2, 4, 6]
    assert mixtures.best == 4
    assert mixtures.values["BIC"][1] == pytest.approx(mixtures.models[1].bic(X), rel=1e-12)
    assert set(mixtures.values) == {"BIC", "AIC"}
    with pytest.raises(ValueError, match="from 1 on"):
        tn.display.ElbowDisplay.from_estimator(tn.KMeans(), X, sizes=[0])
    with pytest.raises(TypeError, match="no clusters"):
        tn.display.ElbowDisplay.from_estimator(tn.Ridge(), X)
