"""Fits that begin at a fitted model: `start=`, and `warm_start=True` as scikit-learn has it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from tenfold.engine.executors.simulated import CALM, Simulated
from tenfold.sources import part_rows
from tenfold.testing import bits

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.1 * RANDOM.normal(size=200)
PLAIN = {"shuffle": False, "max_iter": 2, "tol": None, "warm_start": True}

LEARNERS = {
    "KMeans": tn.KMeans(3, max_iter=2),
    "MiniBatchKMeans": tn.MiniBatchKMeans(3, batch_size=20, max_iter=2),
    "SGDRegressor": tn.SGDRegressor(max_iter=2),
    "SGDClassifier": tn.SGDClassifier(max_iter=2, class_weight="balanced", average=True),
    "Perceptron": tn.Perceptron(max_iter=2, variant="pocket"),
    "MLPRegressor": tn.MLPRegressor((4,), max_iter=2),
}


def target(learner):
    """The target that a learner takes."""
    return {"number": Y, "class": Y > 0.5, None: None}[learner.need.target]


@pytest.mark.parametrize("name", LEARNERS)
def test_start_is_where_a_fit_begins(name):
    learner = LEARNERS[name]
    first = clone(learner).fit(X, target(learner))
    kept = bits(first.model_)
    second = clone(learner).fit(1.1 * X, target(learner), start=first)
    assert bits(first.model_) == kept
    assert bits(second.model_) != kept
    if "warm_start" in learner.get_params():
        warm = clone(learner).set_params(warm_start=True).fit(X, target(learner))
        warm.fit(1.1 * X, target(learner))
        assert bits(warm.model_) == bits(second.model_)
    second.verify()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_bits_in_memory_from_files_and_on_workers(tmp_path, name):
    learner = LEARNERS[name]
    frame = pd.DataFrame(X, columns=list("abc"))
    labelled = {} if learner.need.target is None else {"target": "y"}
    if labelled:
        frame["y"] = target(learner)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=50)
    file = tn.scan(tmp_path / "rows.parquet", **labelled)
    with part_rows(50):
        memory = tn.scan(frame, **labelled)
    found = []
    for source, runner in ((memory, tn.Local()), (file, tn.Local()), (file, Simulated(1, hazards=CALM))):
        with tn.on(runner):
            found.append(clone(learner).fit(source, start=clone(learner).fit(source)))
    assert bits(found[0].model_) == bits(found[1].model_) == bits(found[2].model_)


@pytest.mark.parametrize("learner", [tn.KMeans(3), tn.MiniBatchKMeans(3, batch_size=20)])
def test_clusters_begin_at_the_centres_of_a_model(learner):
    first = clone(learner).fit(X)
    found = clone(learner).fit(X + 0.1, start=first)
    given = clone(learner).set_params(init=first.cluster_centers_).fit(X + 0.1)
    assert bits(found.model_) == bits(given.model_)
    assert (found.predict(X + 0.1) == first.predict(X)).mean() > 0.9  # which keep their numbers
    with pytest.raises(ValueError, match="n_clusters is 3 and 4. Remedy: the same one"):
        clone(learner).set_params(n_clusters=4).fit(X, start=first)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("SGDClassifier", {"loss": "log_loss", "learning_rate": "constant", "eta0": 0.01}),
        ("SGDClassifier", {"loss": "hinge", "learning_rate": "invscaling", "eta0": 0.1, "power_t": 0.5}),
        ("SGDRegressor", {"learning_rate": "invscaling", "eta0": 0.01, "power_t": 0.25}),
        ("Perceptron", {}),
    ],
)
def test_warm_start_is_that_of_scikit_learn(name, given):
    ours, theirs = (getattr(where, name)(**PLAIN, **given) for where in (tn, linear_model))
    y = Y if name == "SGDRegressor" else Y > 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for rows in (slice(None), slice(0, 90), slice(90, 200)):
            ours.fit(X[rows], y[rows])
            theirs.fit(X[rows], y[rows])
            np.testing.assert_allclose(ours.coef_.ravel(), theirs.coef_.ravel(), rtol=1e-6)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-9)


def test_the_model_of_an_average_is_where_the_next_fit_begins():
    given = {"average": True, "max_iter": 1, "eta0": 1e-12, "learning_rate": "constant"}
    first = tn.SGDRegressor(average=True, max_iter=3).fit(X, Y)
    still = tn.SGDRegressor(**given).fit(X, Y, start=first)  # steps of no length
    np.testing.assert_allclose(still.coef_, first.coef_, rtol=1e-9)


def test_a_mistake_bound_is_not_claimed_of_weights_that_were_given():
    separable = X[np.abs(Y) > 0.5], Y[np.abs(Y) > 0.5] > 0
    first = tn.Perceptron(tol=None).fit(*separable)
    assert first.certificate_.get("mistake bound") is not None
    assert tn.Perceptron(tol=None).fit(*separable, start=first).certificate_.get("mistake bound") is None


@pytest.mark.parametrize(
    ("learner", "y"),
    [
        (tn.LogisticRegression(), Y > 0.3),
        (tn.LogisticRegression(C=np.inf), Y + RANDOM.normal(size=200) > 0),
        (tn.LogisticRegression(), np.digitize(Y, [-1, 1])),
        (tn.LogisticRegression(l1_ratio=0.5, class_weight="balanced"), Y > 0.3),
        (tn.PoissonRegressor(), np.round(np.exp(0.5 * Y))),
        (tn.GammaRegressor(), np.exp(0.5 * Y)),
    ],
)
def test_a_minimum_is_found_from_the_coefficients_of_a_model(learner, y):
    cold = clone(learner).fit(X, y)
    near = clone(learner).fit(X, y, start=cold)
    np.testing.assert_allclose(near.coef_, cold.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(near.intercept_, cold.intercept_, rtol=1e-5, atol=1e-6)
    assert near.certificate_["gap"].value <= max(2 * cold.certificate_["gap"].value, 1e-9)
    assert near.certificate_.provenance.passes < cold.certificate_.provenance.passes
    shifted, scaled = 1e3 * X + 50, clone(learner).fit(1e-3 * X - 7, y)  # far from it, too
    far, expected = clone(learner).fit(shifted, y, start=scaled), clone(learner).fit(shifted, y)
    np.testing.assert_allclose(far.coef_, expected.coef_, rtol=1e-4, atol=1e-8)
    assert bits(clone(learner).fit(X, y).model_) == bits(cold.model_)


def test_what_forgets_is_not_updated_in_a_pipeline():
    assert not hasattr(tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression()).fit(X, Y > 0), "update")
    assert not hasattr(tn.make_pipeline(tn.StandardScaler(), tn.KMeans(2)).fit(X), "update")
    with pytest.raises(tn.MergeError, match="do not merge. Remedy: one fit to the rows of both"):
        tn.LogisticRegression().fit(X, Y > 0) + tn.LogisticRegression().fit(X, Y > 1)


def test_what_is_fixed_stays_fixed():
    frame = pd.DataFrame({"a": X[:, 0], "k": np.where(X[:, 1] > 0, "u", "v")})
    penalised = tn.LogisticRegression().fit(frame, Y > 0.3)
    free = tn.LogisticRegression(C=np.inf, fit_intercept=False)
    far, expected = clone(free).fit(frame, Y > 0.3, start=penalised), clone(free).fit(frame, Y > 0.3)
    np.testing.assert_allclose(far.coef_, expected.coef_, atol=1e-5)
    assert far.intercept_.tolist() == [0.0]
    warm = tn.LogisticRegression(warm_start=True).fit(frame, Y > 0.3)
    once = bits(warm.model_)
    assert bits(warm.fit(frame, Y > 0.3).model_) == once


def test_what_cannot_continue_says_what_to_do():
    first = tn.SGDClassifier("hinge", max_iter=2).fit(X, Y > 0)
    with pytest.raises(ValueError, match="fit_intercept is True and False"):
        tn.SGDClassifier("hinge", fit_intercept=False).fit(X, Y > 0, start=first)
    with pytest.raises(tn.DataError, match="among the known classes"):
        tn.SGDClassifier("hinge").fit(X, np.digitize(Y, [-1, 1]), start=first)
    with pytest.raises(ValueError, match="X has 2 features"):
        tn.SGDClassifier("hinge").fit(X[:, :2], Y > 0, start=first)
    with pytest.raises(TypeError, match="SGDRegressor continues from a model of its own class"):
        tn.SGDRegressor().fit(X, Y, start=first)
    net = tn.MLPRegressor((3,), max_iter=1).fit(X, Y)
    with pytest.raises(ValueError, match="layers as the model has them"):
        tn.MLPRegressor((4,), max_iter=1).fit(X, Y, start=net)
