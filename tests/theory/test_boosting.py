"""The bounds of AdaBoost against AdaBoost itself, by brute force over stumps."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenfold.theory import adaboost_bound, adaboost_rounds


def boost(x, y, classes, rounds, share=1.0):
    """Errors, weights of the rounds, and votes of each row for each class after each round."""
    n = len(x)
    weight, votes = np.full(n, 1 / n), np.zeros((n, classes))
    errors, alphas, after = [], [], []
    stumps = [np.where(x > t, a, b) for t in np.unique(x)[:-1] for a in range(classes) for b in range(classes)]
    for _ in range(rounds):
        said = min(stumps, key=lambda s: weight[s != y].sum())
        e = weight[said != y].sum()
        if e <= 0 or e >= 1 - 1 / classes:
            break
        alpha = share * (log((1 - e) / e) + log(classes - 1))
        weight = weight * np.exp(alpha * (said != y))
        weight /= weight.sum()
        votes = votes + alpha * (said[:, None] == np.arange(classes))
        errors.append(e)
        alphas.append(alpha)
        after.append(votes)
        if share == 1 and classes == 2:
            assert weight[said != y].sum() == pytest.approx(0.5)  # so the same stump is not taken again at once
    return errors, alphas, after


def leads(votes, y):
    """By how much the class of each row leads, of all votes."""
    own = votes[np.arange(len(y)), y]
    others = np.where(np.arange(votes.shape[1]) == y[:, None], -np.inf, votes).max(axis=1)
    return (own - others) / votes.sum(axis=1)


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_never_exceeded(classes, share, seed):
    random = np.random.default_rng(seed)
    x = random.random(24)
    y = np.where(random.random(24) < 0.8, (x * 2 * classes).astype(int) % classes, random.integers(0, classes, 24))
    errors, alphas, after = boost(x, y, classes, 25, share)
    assert len(errors) > 3
    given = None if share == 1 else alphas
    for t, votes in enumerate(after, 1):
        lead = leads(votes, y)
        for theta in (0.0, 0.1, 0.4):
            some = None if given is None else given[:t]
            bound = float(adaboost_bound(errors[:t], classes=classes, margin=theta, alphas=some))
            assert (lead <= theta + 1e-12).mean() <= bound + 1e-12
        if classes == 2 and share == 1:
            loose = float(adaboost_bound(errors[:t], form="exponential"))
            assert float(adaboost_bound(errors[:t])) <= loose


def test_two_classes_end_without_errors():
    x = np.arange(12.0)
    y = ((x > 2) & (x < 9)).astype(int)
    errors, _, after = boost(x, y, 2, 60)
    edge = 0.5 - max(errors)
    needed = adaboost_rounds(12, edge)
    wrong = [(leads(votes, y) <= 0).mean() for votes in after]
    assert all(w == 0 for w in wrong[needed - 1 :])
    assert exp(-2 * needed * edge**2) < 1 / 12 <= exp(-2 * (needed - 1) * edge**2)
    first = next(t for t in range(1, 61) if float(adaboost_bound(errors[:t])) < 1 / 12)
    assert all(w == 0 for w in wrong[first - 1 :])


@given(st.integers(1, 10**6), st.floats(0.01, 0.499))
def test_rounds_invert_the_bound(m, edge):
    """Less than one row in m is wrong after so many rounds, and not yet after one less."""
    needed = adaboost_rounds(m, edge)
    after, before = (float(adaboost_bound([0.5 - edge] * t, form="exponential")) for t in (needed, max(needed - 1, 1)))
    assert after * m < 1 + 1e-9
    assert needed == 1 or before * m >= 1 - 1e-9


rates = st.lists(st.floats(0.001, 0.499), min_size=1, max_size=10)


@given(rates, st.floats(0, 1))
def test_known_forms_for_two_classes(e, theta):
    expected = np.prod([2 * sqrt(v ** (1 - theta) * (1 - v) ** (1 + theta)) for v in e])
    assert float(adaboost_bound(e, margin=theta)) == pytest.approx(expected, rel=1e-12)
    alphas = [log((1 - v) / v) for v in e]
    assert float(adaboost_bound(e, margin=theta, alphas=alphas)) == pytest.approx(expected, rel=1e-10)


def test_more_classes_need_errors_below_one_in_k():
    for classes in (3, 5, 10):
        assert float(adaboost_bound([1 / classes], classes=classes)) == pytest.approx(1)
        assert adaboost_bound([1 / classes + 0.01], classes=classes).vacuous
        assert not adaboost_bound([1 / classes - 0.01], classes=classes).vacuous
    assert float(adaboost_bound([0.3, 0.0])) == 0


def test_arguments():
    with pytest.raises(ValueError, match="errors"):
        adaboost_bound([0.6])
    with pytest.raises(ValueError, match="errors"):
        adaboost_bound([])
    with pytest.raises(ValueError, match="classes"):
        adaboost_bound([0.1], classes=1)
    with pytest.raises(ValueError, match="margin"):
        adaboost_bound([0.1], margin=2)
    with pytest.raises(ValueError, match="alphas"):
        adaboost_bound([0.1], alphas=[1.0, 2.0])
    with pytest.raises(ValueError, match="alphas"):
        adaboost_bound([0.1], alphas=[-1.0])
    with pytest.raises(ValueError, match="form"):
        adaboost_bound([0.1], classes=3, form="exponential")
