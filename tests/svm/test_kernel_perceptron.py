import numpy as np
import pytest

import tenfold as tn

random = np.random.default_rng(0)
X = random.normal(size=(120, 2))
RING = (np.linalg.norm(X, axis=1) > 1.1).astype(int)


def test_a_ring_is_learned_within_the_bound_on_mistakes():
    model = tn.KernelPerceptron(gamma=2.0).fit(X, RING)
    assert model.score(X, RING) == 1.0
    assert model.mistakes_[-1] == 0
    claims = model.certificate_
    assert claims["mistakes"].value == model.mistakes_.sum() <= claims["mistake bound"].value
    assert claims["margin"].value > 0
    np.testing.assert_allclose(model.decision_function(X) > 0, RING == 1)


def test_the_rule_by_hand():
    """Rows by their values; where y f ≤ 0, the coefficient of the row is changed by y."""
    model = tn.KernelPerceptron("linear", fit_intercept=False, max_iter=7).fit(X, RING)
    order = np.lexsort((RING, X[:, 1], X[:, 0]))
    A, y = X[order], np.where(RING[order] == 1, 1.0, -1.0)
    w, mistakes = np.zeros(2), []
    for _ in range(7):
        mistakes.append(0)
        for x, sign in zip(A, y):
            if sign * (w @ x) <= 0:
                w, mistakes[-1] = w + sign * x, mistakes[-1] + 1
    assert model.mistakes_.tolist() == mistakes
    np.testing.assert_allclose(model.decision_function(X), X @ w, rtol=1e-9, atol=1e-9)


def test_three_classes_precomputed_and_files(tmp_path):
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    k = tn.kernels.GaussianKernel(3.0)
    model = tn.KernelPerceptron(k, max_iter=500).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.dual_coef_.shape == (3, len(model.support_vectors_))
    model.save(tmp_path / "m")
    assert np.array_equal(tn.load(tmp_path / "m").predict(X), y)
    given = tn.KernelPerceptron("precomputed", max_iter=500).fit(k(X), y)
    assert given.score(k(X), y) == 1.0
    with pytest.raises(ValueError, match="compares sets"):
        tn.KernelPerceptron(tn.kernels.SetKernel()).fit(X, y)
