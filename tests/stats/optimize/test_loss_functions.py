"""Losses against their formulas, and gradients against differences."""

import pickle

import numpy as np
import pytest
from scipy.special import expit, log_softmax

from tenfold.stats.optimize.loss_functions import (
    LOSSES,
    CrossEntropy,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    LogisticLoss,
    SigmoidError,
    SquaredError,
    ZeroOne,
)

SCORES = np.array([-50.0, -3.0, -1.0, -0.4, 0.0, 0.3, 0.999, 1.0, 2.5, 40.0])
FORMULAS = {
    SquaredError(): lambda f, y: 0.5 * (f - y) ** 2,
    EpsilonInsensitive(0.25): lambda f, y: np.maximum(0, np.abs(f - y) - 0.25),
    ZeroOne(): lambda f, y: (y * f <= 0).astype(float),
    LogisticLoss(): lambda f, y: np.logaddexp(0, -y * f),
    Hinge(): lambda f, y: np.maximum(0, 1 - y * f),
    Exponential(): lambda f, y: np.exp(-y * f),
    SigmoidError(): lambda f, y: 0.5 * expit(-y * f) ** 2,  # σ(f) - 1 = -σ(-f)
}


@pytest.mark.parametrize("loss", FORMULAS, ids=lambda loss: loss.name)
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_values(loss, y):
    np.testing.assert_allclose(loss.value(SCORES, y), FORMULAS[loss](SCORES, y), rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("loss", FORMULAS, ids=lambda loss: loss.name)
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_gradients_are_differences_of_values(loss, y):
    f = np.array([-2.03, -0.71, 0.13, 0.62, 1.87])  # no corner is near
    slope = (loss.value(f + 1e-6, y) - loss.value(f - 1e-6, y)) / 2e-6
    np.testing.assert_allclose(loss.gradient(f, y), slope, atol=1e-8)


@pytest.mark.parametrize("loss", [SquaredError(), LogisticLoss(), SigmoidError()], ids=lambda loss: loss.name)
def test_no_loss_bends_more_than_it_says(loss):
    f = np.linspace(-5, 5, 10_001)
    bend = np.diff(loss.gradient(f, 1.0)) / np.diff(f)
    assert bend.max() <= loss.curvature * (1 + 1e-6)
    assert bend.max() > loss.curvature * 0.99


@pytest.mark.parametrize(("unit", "times"), [("nats", 1.0), ("bits", 1 / np.log(2))])
def test_cross_entropy(unit, times):
    random = np.random.default_rng(0)
    f, label = random.normal(size=(7, 4)) * [1, 10, 100, 1], random.integers(0, 4, 7)
    loss = CrossEntropy(unit)
    log_p = log_softmax(f, axis=1)
    np.testing.assert_allclose(loss.value(f, label), -times * log_p[np.arange(7), label], rtol=1e-13, atol=1e-13)
    want = times * (np.exp(log_p) - np.eye(4)[label])
    np.testing.assert_allclose(loss.gradient(f, label), want, rtol=1e-12, atol=1e-13)


def test_of_two_classes_it_is_the_logistic_loss():
    two = np.column_stack([np.zeros_like(SCORES), SCORES])
    want = LogisticLoss().value(SCORES, 1)
    np.testing.assert_allclose(CrossEntropy().value(two, np.ones(10, int)), want, rtol=1e-12, atol=1e-15)


def test_the_gradient_of_a_sigmoid_unit_has_its_slope_and_that_of_the_logistic_loss_has_not():
    for y, t in ((-1.0, 0.0), (1.0, 1.0)):
        o = expit(SCORES)
        np.testing.assert_allclose(SigmoidError().gradient(SCORES, y), (o - t) * o * (1 - o), rtol=1e-9, atol=1e-16)
        np.testing.assert_allclose(LogisticLoss().gradient(SCORES, y), o - t, rtol=1e-12, atol=1e-16)
    assert SigmoidError.convex < LogisticLoss.convex


def test_hinge_counts_rows_within_the_margin():
    assert Hinge().value(0.5, 1) == 0.5  # on the right side, but not far enough
    assert ZeroOne().value(0.5, 1) == 0


def test_logistic_and_exponential_losses_are_above_zero_one():
    for loss in (Exponential(), Hinge(), LogisticLoss()):
        least = loss.value(SCORES, 1) / (np.log(2) if isinstance(loss, LogisticLoss) else 1)
        assert (least >= ZeroOne().value(SCORES, 1)).all()


def test_they_are_values():
    for cls in LOSSES.values():
        loss = cls()
        assert pickle.loads(pickle.dumps(loss)) == loss == cls()
        assert hash(loss) == hash(cls())
    assert EpsilonInsensitive(0.1) != EpsilonInsensitive(0.2)
    assert Hinge() != LogisticLoss()


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match="-1 or 1"):
        Hinge().value([1.0], [0])
    with pytest.raises(ValueError, match="epsilon must be at least 0"):
        EpsilonInsensitive(-1.0)
    with pytest.raises(ValueError, match="nats"):
        CrossEntropy("bytes")
    with pytest.raises(ValueError, match="numbered from 0 to 1"):
        CrossEntropy().value([[1.0, 2.0]], [2])
    with pytest.raises(ValueError, match="rows x classes"):
        CrossEntropy().gradient([1.0, 2.0], [0, 1])
