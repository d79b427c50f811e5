"""One function for all traces: what it takes, what it refuses, and that fits without it are as they were."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import tenfold as tn
from tenfold.datasets import load_enjoy_sport


def test_a_learner_without_a_trace_is_told():
    for learner in (tn.Ridge(), tn.GaussianNB(), object()):
        with pytest.raises(TypeError, match="has no trace. Remedy: one of Perceptron, AdaBoostClassifier, KMeans"):
            tn.trace(learner, [[0.0], [1.0]], [0, 1])


def test_rows_must_be_few_and_in_memory():
    X = np.random.default_rng(0).normal(size=(5_000, 2))
    with pytest.raises(TypeError, match="few rows in memory"):
        tn.trace(tn.KMeans(2), tn.scan(X))
    with pytest.raises(ValueError, match="which are one part"):
        tn.trace(tn.KMeans(2, max_iter=1), X)


def test_networks_are_fitted_before_and_spaces_have_no_weights():
    with pytest.raises(TypeError, match=r"Remedy: trace\(model, X\), without y"):
        tn.trace(tn.RNNClassifier(2), [[0.0]], [1])
    with pytest.raises(NotFittedError):
        tn.trace(tn.RNNClassifier(2), [[0.0]])
    sport = load_enjoy_sport()
    with pytest.raises(TypeError, match="without weights of rows"):
        tn.trace(tn.VersionSpace(sport.categories), sport.data, sport.target == "Yes", sample_weight=[1.0] * 4)


def test_a_fit_has_no_watchers_of_traces(monkeypatch):
    """Without a trace the loop is called with the watchers that it always had."""
    from tenfold.estimator.shell import estimator

    seen = []
    fit = estimator.fit
    monkeypatch.setattr(estimator, "fit", lambda *a, **k: seen.append(len(k["watchers"])) or fit(*a, **k))
    X = np.random.default_rng(0).normal(size=(50, 2))
    tn.KMeans(2).fit(X)
    tn.trace(tn.KMeans(2), X)
    assert seen == [1, 2]
