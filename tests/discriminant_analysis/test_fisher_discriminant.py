"""Fisher's discriminant: its direction, its threshold, the criterion no other directions exceed."""

import numpy as np
import pytest
import scipy.linalg as sla

from tenfold import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis


def drawn(classes, seed=0, rows=400, columns=4, share=None):
    random = np.random.default_rng(seed)
    y = random.choice(classes, rows, p=share)
    X = random.normal(size=(rows, columns)) @ random.normal(size=(columns, columns))
    return X + 1.5 * random.normal(size=(classes, columns))[y], y


def scatters(X, y):
    """S_W and S_B, sums of outer products, per row."""
    m = X.mean(axis=0)
    within = sum(np.outer(x - X[y == c].mean(axis=0), x - X[y == c].mean(axis=0)) for x, c in zip(X, y))
    between = sum((y == c).sum() * np.outer(X[y == c].mean(axis=0) - m, X[y == c].mean(axis=0) - m) for c in set(y))
    return within / len(X), between / len(X)


def test_two_classes():
    """w = S_W⁻¹(m₂ - m₁) points to the second class, w₀ = -wᵀm, so the threshold on wᵀx is +wᵀm."""
    X, y = drawn(2, share=[0.8, 0.2])
    model = FisherDiscriminant().fit(X, y)
    within, _ = scatters(X, y)
    m1, m2, m = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0), X.mean(axis=0)
    w = np.linalg.solve(within, m2 - m1)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], -w @ m, rtol=1e-9)
    assert w @ m2 > w @ m1
    np.testing.assert_array_equal(model.predict(X), (X @ w > w @ m).astype(int))
    np.testing.assert_allclose(model.decision_function(X), X @ w - w @ m, rtol=1e-8, atol=1e-8)
    assert (model.transform(X)[y == 1].mean() - model.transform(X)[y == 0].mean()) > 0
    assert (model.predict(X) != y).any()  # errors on the training rows are possible


@pytest.mark.parametrize("seed", range(6))
def test_the_difference_of_the_means_separates_less(seed):
    """(w'(m₂ - m₁))² / w' S_W w is greatest at Fisher's w; w = m₂ - m₁ does not see how rows spread."""
    X, y = drawn(2, seed=seed)
    within, _ = scatters(X, y)
    apart = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)

    def criterion(w):
        return (w @ apart) ** 2 / (w @ within @ w)

    w = FisherDiscriminant().fit(X, y).coef_[0]
    assert criterion(w) == pytest.approx(apart @ np.linalg.solve(within, apart), rel=1e-9)
    assert criterion(apart) < 0.99 * criterion(w)


def test_two_classes_is_least_squares_with_targets_n_over_n_c():
    """Targets n/n₁ for the first class and -n/n₂ for the second: the same direction, and zero where wᵀx = wᵀm."""
    X, y = drawn(2, seed=1, share=[0.7, 0.3])
    n, n2 = len(y), int(y.sum())
    target = np.where(y == 1, n / n2, -n / (n - n2))
    beta = np.linalg.lstsq(np.column_stack([np.ones(n), X]), target, rcond=None)[0]
    model = FisherDiscriminant().fit(X, y)
    cosine = beta[1:] @ model.coef_[0] / np.linalg.norm(beta[1:]) / np.linalg.norm(model.coef_)
    assert cosine > 1 - 1e-12
    np.testing.assert_array_equal(model.predict(X), (np.column_stack([np.ones(n), X]) @ beta > 0).astype(int))


@pytest.mark.parametrize("components", [1, 2, 3])
def test_many_classes_maximise_the_criterion(components):
    X, y = drawn(4, seed=2)
    model = FisherDiscriminant(n_components=components).fit(X, y)
    within, between = scatters(X, y)

    def criterion(W):
        return np.trace(np.linalg.solve(W @ within @ W.T, W @ between @ W.T))

    W = model.scalings_.T
    best = sla.eigh(between, within, eigvals_only=True)[::-1][:components].sum()
    np.testing.assert_allclose(model.criterion_, best, rtol=1e-9)
    np.testing.assert_allclose(criterion(W), best, rtol=1e-9)
    np.testing.assert_allclose(W @ within @ W.T, np.eye(components), atol=1e-9)
    random = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 1.0):
        assert criterion(W + size * random.normal(size=W.shape)) < best
    assert model.certificate_["criterion"].value == model.criterion_


def test_many_classes_take_the_nearest_mean():
    X, y = drawn(4, seed=3)
    model = FisherDiscriminant(n_components=2).fit(X, y)
    Z = model.transform(X)
    means = np.array([Z[y == c].mean(axis=0) for c in range(4)])
    nearest = ((Z[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X), nearest)
    equal = LinearDiscriminantAnalysis(priors=[0.25] * 4).fit(X, y)
    same = FisherDiscriminant().fit(X, y)
    np.testing.assert_allclose(same.predict_proba(X), equal.predict_proba(X), atol=1e-6)


def test_separable_rows_may_be_on_the_wrong_side():
    """A line separates them, but means and spreads do not see it."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [13.0], [14.0], [15.0], [16.0], [100.0]])
    y = (X[:, 0] > 10.5).astype(int)
    model = FisherDiscriminant().fit(X, y)
    assert (model.predict(X) != y).any()


def test_singular_scatter_is_said():
    X, y = drawn(3, seed=4)
    model = FisherDiscriminant().fit(np.column_stack([X, X[:, 0], np.zeros(len(X))]), y)
    assert model.certificate_["rank"].value == 4
    assert model.certificate_["constant columns"].value == 1
    plain = FisherDiscriminant().fit(X, y)
    np.testing.assert_allclose(model.criterion_, plain.criterion_, rtol=1e-8)


def test_equal_rows_and_one_class():
    same = FisherDiscriminant().fit([[1.0, 2.0]] * 4, [0, 0, 1, 1])
    assert same.certificate_["constant columns"].value == 2
    assert np.isfinite(same.predict_proba([[1.0, 2.0]])).all()
    alone = FisherDiscriminant().fit([[1.0], [2.0]], ["a", "a"])
    assert alone.predict([[5.0]]).tolist() == ["a"]
    missing = FisherDiscriminant().partial_fit([[1.0], [2.0]], ["b", "b"], classes=["a", "b"])
    assert missing.predict([[5.0]]).tolist() == ["b"]
    assert np.isfinite(missing.predict_proba([[5.0]])).all()


def test_direction_of_least_squares_with_two_classes():
    X, y = drawn(2, seed=5)
    lsq, fisher = LeastSquaresClassifier().fit(X, y), FisherDiscriminant().fit(X, y)
    a, b = lsq.coef_[1] - lsq.coef_[0], fisher.coef_[0]
    assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) > 1 - 1e-12
