"""`cross_validate` with weights: models and scores of the weights, as computed by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.metrics import accuracy_score, mean_absolute_error, r2_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tenfold as tn

pytestmark = pytest.mark.timeout(60)
FOLDS = KFold(4, shuffle=True, random_state=0)


def rows(n=120):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 3))
    y = X @ [1.0, -2.0, 0.5] + random.normal(size=n)
    weight = random.integers(0, 4, n).astype(float)  # some of them 0
    return X, y, weight


def by_hand(learner, X, y, weight, score, name="sample_weight"):
    scores = []
    for train, test in FOLDS.split(X):
        model = clone(learner).fit(X[train], y[train], **{name: weight[train]})
        scores.append(score(y[test], model.predict(X[test]), sample_weight=weight[test]))
    return scores


@pytest.mark.parametrize("learner", [tn.Ridge(), TheirRidge(), tn.CART(min_samples_leaf=5)])
def test_of_numbers(learner):
    X, y, weight = rows()
    if isinstance(learner, tn.CART):
        y = (y > 0).astype(int)
    names = ["accuracy"] if isinstance(learner, tn.CART) else ["r2", "neg_mean_absolute_error"]
    found = tn.cross_validate(learner, X, y, folds=FOLDS, scoring=names, sample_weight=weight)
    scores = {"accuracy": accuracy_score, "r2": r2_score, "neg_mean_absolute_error": mean_absolute_error}
    for name in names:
        sign = -1 if name.startswith("neg_") else 1
        expected = sign * np.array(by_hand(learner, X, y, weight, scores[name]))
        np.testing.assert_allclose(found.scores[0][names.index(name)], expected, rtol=1e-9)


def test_of_classes_and_of_a_pipeline():
    X, y, weight = rows()
    y = np.where(y > 0, "up", "down")
    ours = tn.cross_validate(tn.GaussianNB(), X, y, folds=FOLDS, sample_weight=weight)
    np.testing.assert_allclose(ours.scores[0][0], by_hand(tn.GaussianNB(), X, y, weight, accuracy_score))
    theirs = make_pipeline(StandardScaler(), LogisticRegression())
    found = tn.cross_validate(theirs, X, y, folds=FOLDS, params={"sample_weight": weight})
    name = "logisticregression__sample_weight"
    np.testing.assert_allclose(found.scores[0][0], by_hand(theirs, X, y, weight, accuracy_score, name))


def test_whole_weights_are_rows_that_come_again():
    X, y, _ = rows(60)
    weight = np.tile([1.0, 3.0], 30)
    again = np.repeat(np.arange(60), weight.astype(int))
    fold = np.arange(60) % 3
    found = tn.cross_validate(tn.Ridge(), X, y, folds=fold, sample_weight=weight)
    expected = tn.cross_validate(tn.Ridge(), X[again], y[again], folds=fold[again])
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9)


def test_the_weights_of_a_frame_are_those_of_a_source():
    X, y, weight = rows()
    frame = pd.DataFrame(X, columns=list("abc"))
    found = tn.cross_validate(tn.Ridge(), frame, y, folds=4, sample_weight=weight)
    source = tn.scan(frame.assign(y=y, w=weight), target="y", weight="w")
    np.testing.assert_array_equal(found.scores, tn.cross_validate(tn.Ridge(), source, folds=4).scores)


def test_weights_that_do_not_fit_are_refused():
    X, y, weight = rows()
    with pytest.raises(ValueError, match="names its own target and weights"):
        tn.cross_validate(tn.Ridge(), tn.scan(X, y), sample_weight=weight)
    with pytest.raises(ValueError, match="sample_weight alone"):
        tn.cross_validate(tn.Ridge(), X, y, params={"groups": weight})
    with pytest.raises(ValueError, match="KNeighborsRegressor.* takes no sample_weight"):
        tn.cross_validate(KNeighborsRegressor(), X, y, sample_weight=weight)
    with pytest.raises(ValueError):
        tn.cross_validate(tn.Ridge(), X, y, sample_weight=weight[:5])
