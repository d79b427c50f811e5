"""Regression trees beside scikit-learn's; whole numbers; constant targets."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor as Peer

from tenfold import DecisionTreeRegressor


def rows(seed, n=700):
    random = np.random.default_rng(seed)
    X = random.integers(0, 60, (n, 4)).astype(float)
    return X, X[:, 0] * (X[:, 1] > 20) + 5 * random.standard_normal(n), 0.5 + random.random(n)


@pytest.mark.parametrize("method", ["histogram", "exact"])
@pytest.mark.parametrize(
    "params",
    [
        {"max_depth": 5},
        {"min_samples_leaf": 7},
        {"min_weight_fraction_leaf": 0.03},
        {"min_impurity_decrease": 0.5},
        {"max_leaf_nodes": 17},
    ],
    ids=str,
)
def test_scikit_learns_tree(params, method):
    X, y, w = rows(0)
    ours = DecisionTreeRegressor(**params, method=method).fit(X, y, sample_weight=w)
    peer = Peer(**params).fit(X, y, sample_weight=w)
    assert len(ours.tree_.leaves) == peer.get_n_leaves()
    assert ours.predict(X) == pytest.approx(peer.predict(X), abs=1e-7)


def test_a_leaf_is_the_mean_of_its_rows():
    X, y, w = rows(1)
    model = DecisionTreeRegressor(max_depth=3).fit(X, y, sample_weight=w)
    found = model.predict(X)
    for value in np.unique(found):
        here = found == value
        assert value == pytest.approx((w * y)[here].sum() / w[here].sum(), rel=1e-8)


@pytest.mark.parametrize("weigh", [lambda w: None, lambda w: np.ceil(3 * w), lambda w: w, lambda w: np.ceil(1e9 * w)])
def test_no_leaf_is_further_from_the_mean_of_its_rows_than_is_claimed(weigh):
    """The mean is taken in rational arithmetic; the claim is no more than a thousand times what is found."""
    X, y, w = rows(1)
    w = weigh(w)
    model = DecisionTreeRegressor(max_depth=3).fit(X, 1e5 + y, sample_weight=w)
    found, worst = model.predict(X), 0.0
    for value in np.unique(found):
        here = np.flatnonzero(found == value)
        weight = [Fraction(1 if w is None else w[i]) for i in here]
        mean = sum(a * Fraction(1e5 + y[i]) for a, i in zip(weight, here, strict=True)) / sum(weight)
        worst = max(worst, float(abs(mean - Fraction(value))))
    assert 0 < worst <= model.certificate_["leaf error"].value <= 1000 * worst


def test_large_whole_weights_are_weights():
    X, y, _ = rows(4)
    one = DecisionTreeRegressor(max_depth=6).fit(X, y)
    for weight in (1e6, 1e12):
        model = DecisionTreeRegressor(max_depth=6).fit(X, y, sample_weight=np.full(len(X), weight))
        assert model.predict(X) == pytest.approx(one.predict(X), abs=1e-6)


@pytest.mark.parametrize("method", ["histogram", "exact"])
@pytest.mark.parametrize("value", [0.0, 3.3, 1e130])
def test_a_constant_target_is_not_split(value, method):
    X, _, w = rows(2)
    assert DecisionTreeRegressor(method=method).fit(X, np.full(len(X), value), sample_weight=w).tree_.node_count == 1


def test_rounding_is_not_taken_for_a_decrease():
    """Two constant halves far from zero: two leaves, however the sums are rounded."""
    X, _, w = rows(3)
    y = np.where(X[:, 0] > 30, 1e6 + 1 / 3, 1e6 - 1 / 7)
    assert DecisionTreeRegressor().fit(X, y, sample_weight=w).tree_.node_count == 3
