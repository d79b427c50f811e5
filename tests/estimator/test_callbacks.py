"""scikit-learn's callbacks, and the history of a fit."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import tenfold as tn

X = np.random.default_rng(0).standard_normal((2000, 4))


class Recorder:
    """A callback that remembers, and may ask to stop."""

    def __init__(self, most=10**9):
        self.most, self.begun, self.ended, self.open, self.models = most, [], [], 0, []

    def setup(self, estimator, context):
        self.open += 1

    def teardown(self, estimator, context):
        self.open -= 1

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.ended.append(context.task_name)
        if fitted_estimator is not None and context.parent is not None:
            self.models.append(fitted_estimator.predict(X[:3]))
        return len(self.ended) >= self.most


def test_each_turn_is_a_task():
    seen = Recorder()
    model = tn.KMeans(5).set_callbacks(seen).fit(X)
    assert seen.open == 0
    assert seen.begun[0] == "fit"
    assert seen.ended[-1] == "fit"
    assert sorted(seen.begun) == sorted(seen.ended)
    assert len(seen.ended) - 1 == min(len(model.history_), 100)
    assert "lloyd" in seen.ended
    assert all(len(labels) == 3 for labels in seen.models)
    assert len(seen.models) > 1


def test_a_callback_may_stop_a_fit():
    model = tn.KMeans(5, tol=0).set_callbacks(Recorder(most=6)).fit(X)
    assert model.certificate_.provenance.stopped == "a callback said so"
    assert model.n_iter_ < tn.KMeans(5, tol=0).fit(X).n_iter_


def test_an_error_tears_down():
    seen = Recorder()
    with pytest.raises(ValueError, match="NaN"):
        tn.KMeans(5).set_callbacks(seen).fit(np.full((5, 2), np.nan))
    assert seen.open == 0


def test_in_a_pipeline():
    seen = Recorder()
    make_pipeline(tn.StandardScaler(), tn.Ridge()).set_callbacks(seen).fit(X, X[:, 0])
    assert seen.open == 0
    assert "moments" in seen.ended or "fit" in seen.ended


def test_at_most_a_hundred_ticks():
    seen = Recorder()
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = tn.AdaBoostClassifier(n_estimators=120).set_callbacks(seen).fit(X, y)
    assert len(model.history_) > 120
    assert len(seen.ended) == 101


def test_history():
    model = tn.KMeans(5).fit(X)
    inertia = [turn["inertia"] for turn in model.history_ if "inertia" in turn]
    assert len(inertia) == len([t for t in model.history_ if t["asked"] == "lloyd"])
    assert all(a >= b * (1 - 1e-12) for a, b in zip(inertia, inertia[1:]))
    assert inertia[-1] == model.inertia_
    seconds = [turn["seconds"] for turn in model.history_]
    assert seconds == sorted(seconds)
    assert [turn["passes"] for turn in tn.Ridge().fit(X, X[:, 0]).history_][-1] >= 1.0
