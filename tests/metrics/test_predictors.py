"""Predictors of every kind: what they give is known when they are made, and rows in memory are predicted once."""

from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.engine.runner import Runner
from tenfold.metrics.predictors import Foreign, predictor_of
from tenfold.sources import part_rows

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
Y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
TRAIN, TEST = slice(0, 300), slice(300, None)


@pytest.mark.parametrize(
    ("model", "gives", "has_decision_function"),
    [
        (tn.GaussianNB(), {"prediction", "probability", "score"}, False),
        (make_pipeline(tn.StandardScaler(), tn.Ridge()), {"prediction"}, False),
        (tn.SGDClassifier(loss="hinge"), {"prediction", "score"}, True),
        (tn.VotingClassifier(voting="hard"), {"prediction", "score"}, True),
        (LogisticRegression(), {"prediction", "probability", "score"}, False),
        (RidgeClassifier(), {"prediction", "score"}, True),
        (Ridge(), {"prediction"}, False),
    ],
)
def test_what_a_predictor_gives_is_known_when_it_is_made(model, gives, has_decision_function):
    predictor = predictor_of(model.fit(X, Y))
    assert predictor.gives == gives
    assert predictor.has_decision_function is has_decision_function


def test_where_scores_come_from_can_be_chosen_of_estimators_that_have_both():
    both = LogisticRegression().fit(X, Y)
    assert Foreign.of(both, "decision_function").has_decision_function
    said = Foreign.of(both, "decision_function").of_rows(X, ["score"])["score"]
    assert np.array_equal(said[:, 1], both.decision_function(X))
    assert np.array_equal(said[:, 0], -said[:, 1])
    with pytest.raises(ValueError, match="RidgeClassifier has no predict_proba"):
        predictor_of(RidgeClassifier().fit(X, Y), "predict_proba")
    with pytest.raises(ValueError, match="asked for their probabilities"):
        predictor_of(tn.GaussianNB().fit(X, Y), "decision_function")


@pytest.mark.parametrize("model", [tn.KMeans(2), tn.StandardScaler(), tn.Ridge, "model"])
def test_what_predicts_nothing_is_refused(model):
    with pytest.raises((TypeError, AttributeError), match="neither a fitted classifier nor|__sklearn_tags__"):
        predictor_of(model)


class Counting(ClassifierMixin, BaseEstimator):
    """Counts how often it is asked, and for how many rows."""

    asked: ClassVar[Counter] = Counter()

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.asked["predict", len(X)] += 1
        return (X[:, 0] > 0).astype(int)

    def predict_proba(self, X):
        self.asked["predict_proba", len(X)] += 1
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([1 - p, p])


class Nowhere(Runner):
    """Refuses to open anything."""

    def open(self, source):
        raise AssertionError("rows in memory went to a runner")

    def map(self, function, parts, source):
        raise AssertionError("rows in memory went to a runner")


def test_an_estimator_in_memory_is_asked_once_for_all_rows_and_here():
    """However many parts and scores: its rows are not cut, and no cluster is sent what it says."""
    Counting.asked.clear()
    with part_rows(50), tn.on(Nowhere()):
        promise = tn.certify(Counting().fit(X, Y), X, Y, scoring=["error", "f1", "neg_log_loss", "roc_auc"], reused=1)
        assert Counting.asked == {("predict", 600): 1, ("predict_proba", 600): 2}  # probabilities, and scores
        Counting.asked.clear()
        tn.cross_validate(Counting(), X, Y, folds=3, scoring=["accuracy", "f1"])
    assert Counting.asked == {("predict", 200): 3}
    assert promise["roc auc"].value == pytest.approx(roc_auc_score(Y, X[:, 0]), abs=1e-12)


@pytest.mark.parametrize("source", [False, True])
def test_learners_without_probabilities_are_ranked_by_their_scores(source, tmp_path):
    model = tn.SGDClassifier(loss="hinge", max_iter=5).fit(X[TRAIN], Y[TRAIN])
    wanted = roc_auc_score(Y[TEST], model.decision_function(X[TEST]))
    rows = (tn.scan(X[TEST], target=Y[TEST]),) if source else (X[TEST], Y[TEST])
    assert tn.certify(model, *rows, scoring="roc_auc", reused=1)["roc auc"].value == pytest.approx(wanted, abs=1e-12)
    found = tn.permutation_importance(model, *rows, scoring="roc_auc", n_repeats=1)
    assert found.score == pytest.approx(wanted, abs=1e-12)
    curve = tn.partial_dependence(model, *rows[:1], 0, custom_values={0: [0.0, 1.0]})
    assert curve.decision
    assert np.diff(curve.average[0])[0] == pytest.approx(model.coef_[0, 0])
    folds = tn.cross_validate(tn.SGDClassifier(loss="hinge"), X, Y, folds=3, scoring="roc_auc").scores[0, 0]
    assert (folds > 0.6).all()
    with pytest.raises(tn.DataError, match="needs probabilities"):
        tn.cross_validate(tn.SGDClassifier(loss="hinge"), X, Y, folds=3, scoring="neg_log_loss")


def test_estimators_that_only_predict_are_not_ranked():
    model = NearestCentroid().fit(X, Y)
    if hasattr(model, "predict_proba") or hasattr(model, "decision_function"):
        pytest.skip("this scikit-learn gives it scores")
    with pytest.raises(tn.DataError, match="needs probabilities, and NearestCentroid has no predict_proba"):
        tn.certify(model, X, Y, scoring="roc_auc")
