"""Naive Bayes of mixed columns: the pure learners of each kind, what is missing, evidence column by column."""

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes as peer
from scipy.special import log_softmax
from scipy.stats import poisson

import tenfold as tn
from tenfold import NaiveBayes


@pytest.fixture
def frame():
    """Columns of all kinds, a seventh of the values missing, and classes."""
    random = np.random.default_rng(0)
    n = 600
    y = np.array(["a", "b", "c"])[random.integers(0, 3, n)]
    shift = (y == "b") * 1.0
    X = pd.DataFrame({
        "size": random.normal(size=n) + shift,
        "colour": np.array(["red", "green", "blue", "grey"], object)[random.integers(0, 3, n) + (shift > 0)],
        "has": (random.random(n) < 0.3 + 0.4 * shift).astype(float),
        "clicks": random.poisson(1 + 2 * shift).astype(float),
        "far": random.normal(size=n) * 0.01 + 1e8 + 0.01 * shift,
        "place": np.array(["x", "y"], object)[random.integers(0, 2, n)],
    })  # fmt: skip
    holes = X.mask(pd.DataFrame(random.random(X.shape) < 1 / 7, columns=X.columns))
    return holes, X, y, random.integers(0, 3, n).astype(float)


def joint(model, X):
    """log P(class, row) up to a constant."""
    return model.evidence(X).sum(axis=1) + model.class_log_prior_


@pytest.mark.parametrize("weighted", [False, True])
def test_of_one_kind_it_is_the_learner_of_that_kind(frame, weighted):
    _, X, y, weight = frame
    w = weight if weighted else None
    gaussian = NaiveBayes().fit(X[["size", "far"]], y, sample_weight=w)
    pure = tn.GaussianNB().fit(X[["size", "far"]], y, sample_weight=w)
    np.testing.assert_allclose(gaussian.theta_, pure.theta_, rtol=1e-15)
    np.testing.assert_allclose(gaussian.var_, pure.var_, rtol=1e-12)
    np.testing.assert_allclose(
        gaussian.predict_log_proba(X[["size", "far"]]), pure.predict_log_proba(X[["size", "far"]])
    )
    words = X[["colour", "place"]]
    mixed, pure = (m(alpha=0.3).fit(words, y, sample_weight=w) for m in (NaiveBayes, tn.CategoricalNB))
    np.testing.assert_array_equal(mixed.predict_proba(words), pure.predict_proba(words))
    mixed, pure = (m(alpha=0.3).fit(X[["has"]], y, sample_weight=w) for m in (NaiveBayes, tn.BernoulliNB))
    assert mixed.distributions_ == {"has": "bernoulli"}
    np.testing.assert_allclose(mixed.predict_proba(X[["has"]]), pure.predict_proba(X[["has"]]), rtol=1e-12)


def test_all_kinds_together_add_up_as_scikit_learn_has_them(frame):
    _, X, y, weight = frame
    model = NaiveBayes(poisson=["clicks"]).fit(X, y, sample_weight=weight)
    kinds = ["gaussian", "categorical", "bernoulli", "poisson", "gaussian", "categorical"]
    assert list(model.distributions_.values()) == kinds
    numbers, codes = X[["size", "far"]], X[["colour", "place"]].apply(lambda c: c.astype("category").cat.codes)
    pure = tn.GaussianNB().fit(numbers, y, sample_weight=weight)
    total = pure.predict_log_proba(numbers)
    for learner, some in ((peer.CategoricalNB(), codes), (peer.BernoulliNB(), X[["has"]])):
        total = total + learner.fit(some, y, sample_weight=weight).predict_log_proba(some) - model.class_log_prior_
    everyone = np.average(X["clicks"], weights=weight)
    for c, label in enumerate("abc"):
        x, w = X["clicks"][y == label], weight[y == label]
        total[:, c] += poisson.logpmf(X["clicks"], (w @ x + everyone) / (w.sum() + 1))
    np.testing.assert_allclose(model.predict_log_proba(X), log_softmax(total, axis=1), atol=1e-9)


def test_what_is_missing_is_left_out_exactly(frame):
    """Each column's parameters are those of the rows that have it; a row's score is that of the columns it has."""
    holes, _, y, weight = frame
    learner = NaiveBayes(poisson=["clicks"], var_smoothing=0.0)
    model = learner.fit(holes, y, sample_weight=weight)
    total = np.tile(model.class_log_prior_, (len(holes), 1))
    for j, name in enumerate(holes):
        there = holes[name].notna().to_numpy()
        alone = NaiveBayes(poisson=["clicks"] if name == "clicks" else None, var_smoothing=0.0)
        alone.fit(holes.loc[there, [name]], y[there], sample_weight=weight[there])
        np.testing.assert_allclose(model.theta_[:, j], alone.theta_[:, 0], rtol=1e-14)
        np.testing.assert_allclose(model.var_[:, j], alone.var_[:, 0], rtol=1e-10)
        said = alone.predict_log_proba(holes.loc[there, [name]]) - alone.class_log_prior_
        total[there] += said
    np.testing.assert_allclose(model.predict_log_proba(holes), log_softmax(total, axis=1), atol=1e-9)
    nothing = holes[:1].mask(np.ones((1, holes.shape[1]), bool))
    np.testing.assert_allclose(model.predict_log_proba(nothing)[0], model.class_log_prior_, rtol=1e-12)


def test_evidence_adds_up_to_the_score(frame):
    holes, _, y, _ = frame
    model = NaiveBayes(poisson=["clicks"]).fit(holes, y)
    evidence = model.evidence(holes)
    assert evidence.shape == (600, 6, 3)
    assert not evidence[holes["size"].isna(), 0].any()
    np.testing.assert_allclose(log_softmax(joint(model, holes), axis=1), model.predict_log_proba(holes), atol=1e-9)


def test_weights_are_repeated_rows_and_parts_merge(frame):
    holes, _, y, weight = frame
    learner = NaiveBayes(poisson=["clicks"], m=2.0, p="marginal")
    model = learner.fit(holes, y, sample_weight=weight)
    again = np.repeat(np.arange(600), weight.astype(int))
    repeated = NaiveBayes(**learner.get_params()).fit(holes.iloc[again], y[again])
    np.testing.assert_allclose(model.predict_proba(holes), repeated.predict_proba(holes), rtol=1e-9)
    parts = [
        NaiveBayes(**learner.get_params()).fit(holes[some], y[some], sample_weight=weight[some])
        for some in (slice(0, 200), slice(200, 600))
    ]
    np.testing.assert_allclose((parts[0] + parts[1]).predict_proba(holes), model.predict_proba(holes), rtol=1e-9)


def test_folds_are_those_of_scikit_learn_and_may_differ_in_kind(frame):
    """A column of 0, 1 and a single 2 is Bernoulli without the fold that has the 2."""
    holes, _, y, _ = frame
    holes = holes.assign(has=holes["has"].where(np.arange(600) != 7, 2.0))
    found = tn.cross_validate(NaiveBayes(), holes, y, folds=5, scoring=["accuracy", "neg_log_loss"])
    from sklearn.model_selection import StratifiedKFold, cross_validate

    theirs = cross_validate(
        NaiveBayes(), holes, y, cv=StratifiedKFold(5), scoring=["accuracy", "neg_log_loss"], return_estimator=True
    )
    kinds = {model.distributions_["has"] for model in theirs["estimator"]}
    assert kinds == {"bernoulli", "gaussian"}
    np.testing.assert_allclose(found.scores[0, 0], theirs["test_accuracy"], rtol=1e-12)
    np.testing.assert_allclose(found.scores[0, 1], theirs["test_neg_log_loss"], rtol=1e-9)


def test_values_that_no_class_has_say_nothing():
    X = pd.DataFrame({"has": [0, 0, 0, 0], "clicks": [0, 0, 0, 0], "size": [0.0, 1.0, 5.0, 6.0]})
    model = NaiveBayes(alpha=0.0, poisson=["clicks"]).fit(X, [0, 0, 1, 1])
    known = model.predict_proba(pd.DataFrame({"has": [np.nan], "clicks": [np.nan], "size": [1.5]}))
    for has, clicks in ((1, 0), (0, 3), (0.5, -1), (7, 0)):
        odd = pd.DataFrame({"has": [has], "clicks": [clicks], "size": [1.5]})
        np.testing.assert_allclose(model.predict_proba(odd), known, rtol=1e-12)
    only = NaiveBayes(alpha=0.0).fit([[0], [0], [1], [1]], [0, 0, 1, 1])
    assert only.predict_proba([[0], [1]]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_class_without_values_of_a_column_takes_those_of_all():
    X = pd.DataFrame({"size": [1.0, 2.0, None, None], "word": ["u", "v", None, None], "other": [0.0, 1.0, 4.0, 5.0]})
    model = NaiveBayes().fit(X, ["a", "a", "b", "b"])
    assert model.theta_[:, 0].tolist() == [1.5, 1.5]
    assert model.evidence(X[:1])[0, 0].tolist() == [model.evidence(X[:1])[0, 0, 0]] * 2
    empty = NaiveBayes().fit(X.assign(size=np.nan, word=pd.array([None] * 4, dtype="string")), ["a", "a", "b", "b"])
    assert (empty.evidence(X)[:, :2].std(axis=2) == 0).all()
    assert empty.predict(X).tolist() == ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"poisson": ["price"]}, r"poisson names \['price'\], which are not among the columns"),
        ({"poisson": ["size"]}, r"columns \['size'\] hold numbers below 0. Remedy: leave them out of poisson="),
        ({"bernoulli": ["clicks"]}, r"columns \['clicks'\] hold numbers other than 0 and 1"),
        ({"bernoulli": ["colour"]}, r"columns \['colour'\] cannot be bernoulli: they are categorical"),
        ({"bernoulli": ["has"], "poisson": [2]}, r"columns \['has'\] cannot be poisson: they are bernoulli"),
        ({"class_prior": [1.0]}, "Number of priors must match number of classes: 3"),
    ],
)
def test_wrong_input_is_named(frame, params, message):
    holes, _, y, _ = frame
    with pytest.raises(ValueError, match=message):
        NaiveBayes(**params).fit(holes, y)


def test_certificate_says_what_is_thin(frame):
    holes, _, y, _ = frame
    certificate = NaiveBayes().fit(holes, y).certificate_
    assert certificate["gap"].value == 0
    assert certificate["smallest class"].value == min(np.unique(y, return_counts=True)[1])
    assert 0 < certificate["unseen pairs"].value < 0.5
