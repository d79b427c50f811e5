"""Weights of any size, and targets as large and as small as squares allow."""

import numpy as np
import pytest

from tenfold import (
    C45,
    ID3,
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)

random = np.random.default_rng(0)
X = random.standard_normal((400, 3))
Y = np.abs(X[:, 0]) + 0.1
REGRESSORS = [
    DecisionTreeRegressor(max_depth=5),
    DecisionTreeRegressor(max_depth=5, method="exact"),
    RandomForestRegressor(5, max_depth=5, bootstrap=False),
    HistGradientBoostingRegressor(max_iter=10),
    HistGradientBoostingRegressor("absolute_error", max_iter=10),
    HistGradientBoostingRegressor("poisson", max_iter=10),
]


@pytest.mark.parametrize("weight", [1 / 400, 1e-9, 1e-15, 1e12])
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_weights_may_be_multiplied_by_any_number(model, weight):
    said = model.fit(X, Y).predict(X)
    assert model.fit(X, Y, sample_weight=np.full(400, weight)).predict(X) == pytest.approx(said, abs=2e-3)


@pytest.mark.parametrize("weight", [1 / 400, 1e-9, 1e12])
def test_weights_of_classes_may_be_multiplied_by_any_number(weight):
    model = HistGradientBoostingClassifier(max_iter=10)
    said = model.fit(X, X[:, 0] > 0).predict_proba(X)
    assert model.fit(X, X[:, 0] > 0, sample_weight=np.full(400, weight)).predict_proba(X) == pytest.approx(
        said, abs=1e-6
    )


def test_a_leaf_of_boosting_has_so_many_rows_whatever_they_weigh():
    weight = random.uniform(0.01, 10.0, 400)
    for some in (None, weight, np.ceil(weight)):
        model = HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=37).fit(X, Y, sample_weight=some)
        leaves = np.unique(model.predict(X), return_counts=True)[1]
        assert len(leaves) > 1
        assert leaves.min() >= 37


@pytest.mark.parametrize("scale", [1e-140, 1e-60, 1e60, 1e130])
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_targets_may_be_multiplied_by_a_large_number(model, scale):
    said = model.fit(X, Y).predict(X)
    assert model.fit(X, Y * scale).predict(X) / scale == pytest.approx(said, abs=2e-3)


@pytest.mark.parametrize("scale", [1e-308, 1e-200, 1e-160, 1e154, 1e200, 1e307])
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_targets_beyond_that_are_refused(model, scale):
    with pytest.raises(DataError, match="too large|too small"):
        model.fit(X, Y * scale)


@pytest.mark.parametrize("learner", [ID3, C45, DecisionTreeClassifier])
def test_a_row_far_lighter_than_the_others_still_has_a_class(learner):
    words = np.array([["m"], ["b"], ["x"]], dtype=object)
    model = learner().fit(words, ["y", "y", "n"], np.array([1e-12, 1e12, 1e12]))
    said = model.predict_proba(words)
    assert said.sum(axis=1) == pytest.approx(1)
    if learner is not DecisionTreeClassifier:  # a branch for each category
        assert (model.predict(words) == ["y", "y", "n"]).all()


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_a_constant_target_of_light_rows(model):
    light = np.full(30, 2e-14)
    np.testing.assert_allclose(model.fit(X[:30], np.ones(30), sample_weight=light).predict(X[:30]), 1.0, rtol=1e-12)


@pytest.mark.parametrize("scale", [2.0**-45, 1.0, 2.0, 2.0**20, 2.0**45])
@pytest.mark.parametrize("method", ["histogram", "exact"])
def test_of_columns_that_divide_the_rows_alike_the_first_is_taken(scale, method):
    """One rises where the other falls; whatever the weights, rounding does not choose."""
    y = np.array([995.2653984905248, 998.6716197363301])
    model = DecisionTreeRegressor(method=method).fit([[-3.0, -5.0], [-5.0, 1.0]], y, sample_weight=[scale, scale])
    np.testing.assert_allclose(model.predict([[-6.0, -6.0], [0.0, 2.0]]), [y[1], y[0]], rtol=1e-9)
