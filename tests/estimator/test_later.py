"""What is made when somebody looks, and what is checked once, is as if it were made and checked at once."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.core import Certificate
from tenfold.estimator.shell.callbacks import MAX_DEFERRED_BYTES, History

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
y = X @ [1.0, 2.0, 0.0, -1.0] + RNG.normal(size=300)
CLASSES = (y > 0).astype(int)
LEARNERS = [
    tn.Ridge(),
    tn.Lasso(0.1),
    tn.PCA(2),
    tn.LogisticRegression(),
    tn.KMeans(3),
    tn.GaussianNB(),
    tn.SGDRegressor(),
]


def fitted(learner, rows):
    target = {"class": CLASSES, "number": y}.get(learner.need.target)
    return copy.deepcopy(learner).fit(rows, None if target is None else target.copy())


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_a_certificate_speaks_of_the_state_it_was_measured_at(learner):
    looked_at = fitted(learner, X.copy()).certificate_
    claims, where = looked_at.claims, looked_at.provenance
    rows = X.copy()
    model = fitted(learner, rows)
    early = model.certificate_
    rows[:] = 0.0
    for name in ("alpha", "C", "n_components", "n_clusters", "var_smoothing", "eta0"):
        if name in model.get_params():
            model.set_params(**{name: 1})
    assert early.claims == claims
    assert early.provenance == where
    assert model.certificate_ == looked_at


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_claims_nobody_looked_at_are_pickled_and_saved(learner, tmp_path):
    model = fitted(learner, X)
    expected = fitted(learner, X).certificate_
    assert pickle.loads(pickle.dumps(model)).certificate_ == expected
    model.save(tmp_path / "m.tenfold")
    assert tn.load(tmp_path / "m.tenfold").certificate_.claims == expected.claims
    assert model.verify().claims == expected.claims


def test_models_merge_unlooked_at():
    halves = [tn.Ridge().fit(X[at], y[at]) for at in (slice(0, 150), slice(150, 300))]
    apart = [tn.Ridge().fit(X[at], y[at]) for at in (slice(0, 150), slice(150, 300))]
    assert [str(one.certificate_) for one in apart]
    assert (halves[0] + halves[1]).certificate_ == (apart[0] + apart[1]).certificate_


def test_a_history_is_the_same_early_and_late():
    model = tn.LogisticRegression().fit(X, CLASSES)
    turns = model.history_
    assert [turn["asked"] for turn in turns][:2] == ["FeatureScales", "CurvatureAt"]
    assert turns[-1]["gap"] == model.certificate_["gap"].value
    assert all("gap" in turn for turn in turns[2:])
    assert model.history_ is turns
    assert pickle.loads(pickle.dumps(tn.LogisticRegression().fit(X, CLASSES))).history_[-1]["gap"] == turns[-1]["gap"]
    assert not hasattr(tn.LogisticRegression(), "history_")


def test_a_history_does_not_hold_on_to_much():
    class State:
        step = 0

    class At:
        state, asked, passes, summary = State, None, 1.0, None
        model = np.zeros(MAX_DEFERRED_BYTES // 8 + 1)

    made = []
    history = History()
    for number in range(3):
        At.certificate = Certificate.later(lambda number=number: made.append(number) or ())
        history(At)
    assert made == [0, 1]
    assert len(history.turns) == 3
    assert made == [0, 1, 2]


def test_a_partial_fit_has_no_history_of_the_fit_before():
    model = tn.Ridge().fit(X, y)
    assert model.history_
    model.partial_fit(X + 1, y)
    assert not hasattr(model, "history_")


def test_arrays_that_are_not_looked_at_twice_are_refused_all_the_same():
    model = tn.Ridge().fit(X, y)
    with pytest.raises(ValueError, match="X has 3 features, but Ridge is expecting 4 features"):
        model.predict(X[:, :3])
    for wrong in (X[:0], X[:, :0], X[0], X[None]):
        with pytest.raises(ValueError, match=r"minimum of 1|Expected 2D|dim 3"):
            model.predict(wrong)
    for value, said in ((np.nan, "NaN"), (np.inf, "infinity")):
        target = y.copy()
        target[3] = value
        with pytest.raises(ValueError, match=f"Input y contains {said}"):
            tn.Ridge().fit(X, target)
        with pytest.raises(ValueError, match=f"Input y contains {said}"):
            tn.GaussianNB().fit(X, target)
    with pytest.raises(ValueError, match="inconsistent"):
        tn.Ridge().fit(X, y[:-1])
    with pytest.raises(ValueError, match="continuous"):
        tn.GaussianNB().fit(X, y)


def test_an_array_after_a_frame_is_warned_of():
    model = tn.Ridge().fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 4


def test_classes_of_rows_without_weight_do_not_exist():
    labels = np.append(CLASSES[:-1], 7)
    weight = np.append(np.ones(len(labels) - 1), 0.0)
    assert tn.GaussianNB().fit(X, labels, weight).classes_.tolist() == [0, 1]
    assert tn.GaussianNB().fit(X, labels).classes_.tolist() == [0, 1, 7]


def test_parameters_are_told_apart_by_type():
    tn.Ridge(alpha=1).fit(X, y)
    with pytest.raises(ValueError, match="'fit_intercept' parameter of Ridge"):
        tn.Ridge(alpha=1, fit_intercept=1).fit(X, y)
    for _ in range(2):
        with pytest.raises(ValueError, match="'alpha' parameter of Ridge"):
            tn.Ridge(alpha=-1.0).fit(X, y)
