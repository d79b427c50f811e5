"""The mean baseline against scikit-learn's and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor as Theirs

import tenfold as tn
from tenfold.sources import part_rows


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(weighted):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(301, 2)), random.normal(size=301) + 5
    weight = random.random(301) * random.integers(0, 2, 301) if weighted else None
    with part_rows(20):
        mine = tn.DummyRegressor().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(mine.predict(X), Theirs().fit(X, y, weight).predict(X), rtol=1e-14)


def test_far_from_zero_the_mean_and_the_variance_keep_their_digits():
    y = 1e9 + np.random.default_rng(1).random(1000)
    exact = [Fraction(v) for v in y.tolist()]
    mean = sum(exact) / 1000
    with part_rows(7):
        model = tn.DummyRegressor().fit(np.zeros((1000, 1)), y)
    assert model.constant_ == float(mean)
    variance = float(sum((v - mean) ** 2 for v in exact) / 1000)
    assert model.certificate_["training mean squared error"].value == pytest.approx(variance, rel=1e-13)


def test_r2_of_it_is_zero_on_its_own_rows():
    X, y = np.zeros((50, 1)), np.arange(50.0) ** 2
    assert abs(tn.DummyRegressor().fit(X, y).score(X, y)) < 1e-15
