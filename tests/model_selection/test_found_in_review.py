"""What a fresh pair of eyes found, kept found."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

import tenfold as tn
from tenfold.engine import fit
from tenfold.sources import ArraySource

n = 60
X = pd.DataFrame(np.random.default_rng(0).normal(size=(n, 2)), columns=list("ab"))
y = np.where(X.a > 0, "p", "q")


def test_transformed_rows_without_weight_stay_in_their_folds():
    rows = tn.scan(X.assign(y=X.a, w=np.r_[np.zeros(10), np.ones(50)]), target="y", weight="w")
    folds = np.repeat([0, 1, 2], 20)
    plain = tn.cross_validate(tn.LinearRegression(), rows, folds=folds).sizes
    scaled = tn.StandardScaler().fit(rows).transform(rows)
    assert plain == [(40, 10), (30, 20), (30, 20)]
    assert tn.cross_validate(tn.LinearRegression(), scaled, folds=folds).sizes == plain


def test_a_watcher_cannot_stop_before_there_is_a_model():
    A = np.arange(20.0)[:, None]
    done = fit(tn.Ridge(), ArraySource(A, 3 * A[:, 0]), runner=tn.Local(1), watchers=[lambda at: "enough"])
    assert done.at.certificate is not None
    assert done.at.model.coef[0] == pytest.approx(3.0, abs=0.1)


def test_many_folds_spill():
    twice = np.r_[X.values, X.values]
    folds = np.arange(120) % 60
    held = tn.cross_validate(tn.AdaBoostClassifier(n_estimators=2), twice, np.r_[y, y], folds=folds)
    with tn.on(tn.Local(threads=1, memory=0)):
        spilled = tn.cross_validate(tn.AdaBoostClassifier(n_estimators=2), twice, np.r_[y, y], folds=folds)
    assert np.array_equal(held.scores, spilled.scores)


def test_estimators_in_memory_with_a_column_of_folds():
    Z = X.assign(fold=np.array(["u", "v", "w"])[np.arange(n) % 3])
    both = tn.cross_validate([LogisticRegression(), DecisionTreeClassifier(random_state=0)], Z, y, folds="fold")
    assert both.scores.shape == (2, 1, 3)
    mixed = Z.assign(m=pd.Series([1, "x"] * 30, dtype=object)).drop(columns="m")
    assert np.array_equal(tn.cross_validate(LogisticRegression(), mixed, y, folds="fold").scores[0], both.scores[0])


def test_scores_without_probabilities():
    cv = tn.cross_validate(RidgeClassifier(), X, y, folds=3, scoring="roc_auc")
    assert (cv.scores > 0.9).all()
    with pytest.raises(tn.DataError, match="needs probabilities"):
        tn.cross_validate(RidgeClassifier(), X, y, folds=3, scoring="neg_log_loss")


def test_sizes_stand_in_the_order_of_the_folds():
    r = np.arange
    splits = [(r(10, 60), r(10)), (r(12, 60), r(5, 12)), (r(57), r(57, 60))]
    assert tn.cross_validate(tn.GaussianNB(), X, y, folds=splits).sizes == [(50, 10), (48, 7), (57, 3)]


@pytest.mark.parametrize(("learner", "target"), [(tn.LinearRegression(), X.a), (tn.GaussianNB(), y)])
def test_no_row_has_a_weight(learner, target):
    rows = tn.scan(X.assign(y=target, w=0.0), target="y", weight="w")
    with pytest.raises(tn.DataError, match="nothing to learn from"):
        tn.cross_validate(learner, rows, folds=3)


def test_a_target_of_one_column():
    cv = tn.cross_validate([LogisticRegression()], X, y[:, None].ravel(), folds=3)
    with pytest.warns(UserWarning, match="column-vector"):
        again = tn.cross_validate([LogisticRegression()], X, y[:, None], folds=3)
    assert np.array_equal(cv.scores, again.scores)


def test_missing_folds_are_refused():
    folds = np.where(np.arange(n) < 5, np.nan, np.arange(n) % 3)
    with pytest.raises(tn.DataError, match="folds has missing entries"):
        tn.cross_validate(tn.Ridge(), X, X.a.values, folds=folds)
    with pytest.raises(tn.DataError, match="groups has missing entries"):
        tn.cross_validate(tn.Ridge(), X, X.a.values, folds=2, groups=np.where(np.arange(n) < 5, None, "a"))


def test_models_of_tuning_and_of_shared_scans_have_a_history():
    best = tn.tune(tn.Ridge(), {"alpha": [1.0, 2.0]}, X, X.b + X.a**2, folds=3).best_estimator_
    assert best.history_[-1]["passes"] == 1.0
    (model,) = tn.fit_together([tn.Ridge()], X, X.b)
    assert model.history_
