"""Boosting under scikit-learn's two names: their defaults, the same trees, and the weights of classes."""

import inspect

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.utils.class_weight import compute_sample_weight
from threadpoolctl import threadpool_limits

import tenfold as tn
from tenfold.ensemble.boosting import boosting
from tenfold.stats.rows.draws import Holdout
from tenfold.testing import bits

NAMES = [
    f"{name}{kind}" for name in ("GradientBoosting", "HistGradientBoosting") for kind in ("Classifier", "Regressor")
]


def rows(n=300, seed=0):
    """Columns of few values, so that bins lose nothing."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 20, (n, 4)).astype(float)
    return X, X[:, 0] * np.sin(X[:, 1]) + random.normal(size=n)


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_those_of_scikit_learn(name):
    ours, theirs = (
        {k: p.default for k, p in inspect.signature(getattr(where, name)).parameters.items()}
        for where in (tn, ensemble)
    )
    assert {k for k, value in theirs.items() if ours[k] != value} == {"random_state"}


@pytest.mark.parametrize("given", [{}, {"max_depth": None, "min_samples_split": 40}, {"max_leaf_nodes": 5}])
def test_trees_of_squared_errors_are_those_of_scikit_learn(given):
    X, y = rows()
    given = {"n_estimators": 5, **given}
    ours = tn.GradientBoostingRegressor(**given).fit(X, y)
    theirs = ensemble.GradientBoostingRegressor(**given, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-7)


@pytest.mark.parametrize("cuts", [[0.0], [-3.0, 4.0]])
def test_margins_of_classes_are_those_of_scikit_learn(cuts):
    X, y = rows(600)
    label = np.digitize(y, cuts)
    ours = tn.HistGradientBoostingClassifier(max_iter=5).fit(X, label).decision_function(X)
    with threadpool_limits(1):
        theirs = ensemble.HistGradientBoostingClassifier(max_iter=5, early_stopping=False).fit(X, label)
        theirs = theirs.decision_function(X)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("cuts", [[0.0], [-3.0, 4.0]])
def test_leaves_and_margins_of_stages_have_scikit_learns_shapes(cuts):
    X, y = rows(60)
    ours, theirs = (
        where.GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, np.digitize(y, cuts))
        for where in (tn, ensemble)
    )
    assert ours.apply(X).shape == theirs.apply(X).shape
    for a, b in zip(ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a.mean(), b.mean(), atol=0.1)
    assert ours.decision_function(X).shape == theirs.decision_function(X).shape


def test_both_names_grow_the_same_trees():
    X, y = rows()
    size = {"max_depth": 3, "max_leaf_nodes": None, "min_samples_leaf": 1}
    for plain, hist, target in (
        (tn.GradientBoostingRegressor(), tn.HistGradientBoostingRegressor(), y),
        (
            tn.GradientBoostingRegressor(loss="quantile", alpha=0.3),
            tn.HistGradientBoostingRegressor("quantile", quantile=0.3),
            y,
        ),
        (tn.GradientBoostingClassifier(), tn.HistGradientBoostingClassifier(), np.digitize(y, [-3.0, 3.0])),
    ):
        a, b = (model.set_params(max_iter=4).fit(X, target) for model in (plain, hist.set_params(**size)))
        assert bits(a.model_) == bits(b.model_)
        assert a.n_estimators_ == a.n_iter_ == 4


def test_a_quantile_has_its_default_level():
    X, y = rows()
    model = tn.GradientBoostingRegressor(loss="quantile", n_estimators=60).fit(X, y)
    assert abs((y <= model.predict(X)).mean() - 0.9) < 0.05


def test_many_rows_stop_early_by_themselves():
    X = np.arange(10_001.0)[:, None] % 7
    model = tn.HistGradientBoostingRegressor(max_iter=2)
    few, many = (model.fit(X[:n], X[:n, 0]).validation_score_ for n in (10_000, 10_001))
    assert len(few) == 0
    assert len(many) == 3
    assert np.isfinite(many).all()


@pytest.mark.parametrize("gathered", [True, False])
def test_rows_on_both_sides_of_early_stopping(monkeypatch, gathered):
    monkeypatch.setattr(boosting, "gathers", lambda setup: gathered)
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    off = "early_stopping=False"
    for model, target, remedy in (
        (tn.HistGradientBoostingClassifier(early_stopping=True), y, off),
        (tn.HistGradientBoostingRegressor(early_stopping=True), y, off),
        (tn.HistGradientBoostingRegressor("absolute_error", early_stopping=True), y, off),
        (tn.GradientBoostingClassifier(n_iter_no_change=2), y, "n_iter_no_change=None"),
        (tn.GradientBoostingRegressor(n_iter_no_change=2), y, "n_iter_no_change=None"),
    ):
        with pytest.raises(tn.DataError, match=f"sets all rows aside .* a smaller validation_fraction, or {remedy}"):
            model.set_params(validation_fraction=0.9999, random_state=1).fit(X, target)
        with pytest.raises(tn.DataError, match=f"sets no row aside .* a larger validation_fraction, or {remedy}"):
            model.set_params(validation_fraction=0.0001).fit(X, target)
    aside = ~Holdout(0, 0.5).learns(np.arange(8), 8)
    assert 0 < aside.sum() < 8
    model = tn.HistGradientBoostingClassifier(max_iter=2, early_stopping=True, validation_fraction=0.5)
    for told in (np.where(aside, "b", "a"), np.where(aside, "c", np.where(y, "a", "b"))):
        with pytest.raises(tn.DataError, match=r"all rows of class [bc] aside .* Remedy: early_stopping=False"):
            model.fit(X, told)
        model.set_params(early_stopping=False).fit(X, told)
        model.set_params(early_stopping=True)


def test_patience_makes_a_fit_stop_early():
    X, y = rows()
    noise = np.random.default_rng(1).normal(size=len(y))
    model = tn.GradientBoostingRegressor(n_estimators=200, n_iter_no_change=3).fit(X, noise)
    assert model.n_estimators_ < 200
    assert np.isfinite(model.validation_score_).all()
    assert len(model.validation_score_) == model.n_estimators_
    assert len(tn.GradientBoostingRegressor(n_estimators=2).fit(X, y).validation_score_) == 0


def test_losses_and_scores_of_rounds_are_scikit_learns():
    X, y = rows()
    for kind, target, loss in (
        ("Regressor", y, "squared_error"),
        ("Regressor", y, "absolute_error"),
        ("Classifier", y > 3, "log_loss"),
        ("Classifier", np.digitize(y, [-3.0, 3.0]), "log_loss"),
    ):
        ours, theirs = (
            getattr(where, f"GradientBoosting{kind}")(n_estimators=4, loss=loss).fit(X, target)
            for where in (tn, ensemble)
        )
        assert ours.train_score_.shape == theirs.train_score_.shape
        assert np.allclose(ours.train_score_, theirs.train_score_, rtol=0.15)
        ours, theirs = (
            getattr(where, f"HistGradientBoosting{kind}")(loss, max_iter=4, early_stopping=True, **given)
            for where, given in ((tn, {}), (ensemble, {"random_state": 0}))
        )
        with threadpool_limits(1):
            ours, theirs = ours.fit(X, target), theirs.fit(X, target)
            assert ours.train_score_.shape == theirs.train_score_.shape == ours.validation_score_.shape
            assert np.allclose(ours.train_score_, theirs.train_score_, rtol=0.15)
            never = theirs.set_params(early_stopping=False).fit(X, target)
        ours.set_params(early_stopping=False).fit(X, target)
        assert len(ours.train_score_) == len(never.train_score_) == 0
        assert len(ours.validation_score_) == len(never.validation_score_) == 0


@pytest.mark.parametrize("gathered", [True, False])
def test_weights_of_classes_are_weights_of_rows(monkeypatch, gathered):
    monkeypatch.setattr(boosting, "gathers", lambda setup: gathered)
    X, y = rows()
    for cuts in ([4.0], [-3.0, 4.0]):
        label = np.digitize(y, cuts)
        named = {0: 0.3, 1: 2.5}
        for given in ("balanced", named):
            weight = compute_sample_weight(given, label) if given == "balanced" else [named.get(c, 1.0) for c in label]
            ours = tn.HistGradientBoostingClassifier(max_iter=3, class_weight=given).fit(X, label)
            by_hand = tn.HistGradientBoostingClassifier(max_iter=3).fit(X, label, sample_weight=weight)
            assert bits(ours.model_) == bits(by_hand.model_)
            assert ours.certificate_["training loss"] == by_hand.certificate_["training loss"]


def test_weights_of_classes_that_are_not_there():
    X, y = rows(40)
    with pytest.raises(ValueError, match="class_weight names"):
        tn.HistGradientBoostingClassifier(class_weight={"left": 2.0}).fit(X, y > 0)
