"""The weights of the rows after each round of AdaBoost, against reweighting by hand and the best stump."""

import math

import numpy as np
import pytest

import tenfold as tn


def best_error(X, y, weight):
    """The least weighted error of any stump, by trying all."""
    least = 1.0
    for column in X.T:
        for cut in np.unique(column):
            left = column <= cut
            for says in (left, ~left):
                least = min(least, weight[says != y].sum())
    return least


def test_weights_errors_and_votes_by_hand():
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 2)).round(2)
    y = (X**2).sum(axis=1) > 1.2
    steps = tn.trace(tn.AdaBoostClassifier(n_estimators=6), X, y)
    weight = np.full(30, 1 / 30)
    for t, member in enumerate(steps.model.estimators_):
        np.testing.assert_allclose(steps.weights[t], weight, rtol=1e-9)
        wrong = member.predict(X) != y
        assert (steps.wrong[t] == wrong).all()
        error = weight[wrong].sum()
        assert error == pytest.approx(best_error(X, y, weight), abs=1e-12)
        alpha = math.log((1 - error) / error)
        assert steps.errors[t] == pytest.approx(error)
        assert steps.alphas[t] == pytest.approx(alpha)
        weight = np.where(wrong, weight * (1 - error) / error, weight)
        weight /= weight.sum()
        assert weight[wrong].sum() == pytest.approx(0.5)  # guessing, under the weights that it leads to
    np.testing.assert_allclose(steps.weights[-1], weight, rtol=1e-9)
    vote = np.sign(sum(a * np.where(m.predict(X), 1, -1) for a, m in zip(steps.alphas, steps.model.estimators_)))
    assert (steps.vote_wrong[-1] == (vote > 0) ^ y).all()


@pytest.mark.parametrize("member", [None, tn.DecisionTreeClassifier(max_depth=2), tn.GaussianNB()])
def test_several_classes_weights_of_rows_and_other_learners(member):
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 2))
    y = np.array(["a", "b", "c"])[np.digitize(X.sum(axis=1) + random.normal(size=80), [-0.7, 0.7])]
    heft = random.integers(0, 4, 80).astype(float)
    learner = tn.AdaBoostClassifier(member, n_estimators=5, learning_rate=0.5)
    plain, steps = learner.fit(X, y, heft), tn.trace(learner, X, y, sample_weight=heft)
    assert steps.alphas.tobytes() == plain.estimator_weights_.tobytes()
    weight = heft / heft.sum()
    for t, (error, alpha) in enumerate(zip(steps.errors, steps.alphas, strict=True)):
        assert weight[steps.wrong[t]].sum() == pytest.approx(error)
        assert alpha == pytest.approx(0.5 * (math.log((1 - error) / error) + math.log(2)))
        weight = weight * np.exp(alpha * steps.wrong[t])
        weight /= weight.sum()
        np.testing.assert_allclose(steps.weights[t + 1], weight, rtol=1e-12)
    np.testing.assert_allclose(steps.weights.sum(axis=1), 1)
    staged = [(heft * missed).sum() / heft.sum() for missed in steps.vote_wrong]
    np.testing.assert_allclose(1 - np.array(staged), list(plain.staged_score(X, y, heft)))


def test_a_member_without_error_is_the_last():
    steps = tn.trace(tn.AdaBoostClassifier(), [[0.0], [1.0]], ["no", "yes"])
    assert steps.errors.tolist() == [0.0]
    assert steps.weights.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert steps.to_frame()["row 1"].tolist() == [0.5, 0.5]


def test_a_wide_table_is_cut_where_it_is_shown_and_whole_as_a_frame():
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 1))
    steps = tn.trace(tn.AdaBoostClassifier(n_estimators=50), X, (X[:, 0] > 0) ^ (random.random(50) < 0.3))
    assert steps.to_frame().shape == (len(steps.weights), 54)
    assert "..." in str(steps).split("\n")[0]
    assert len(str(steps).split("\n")) == 33
