"""What each unit makes of its input, by the formula: hidden units, outputs, and the step of a perceptron."""

import numpy as np
import pytest

from tenfold import BooleanNetwork, MLPClassifier, MLPRegressor

X = np.random.default_rng(0).normal(size=(60, 3)) * 3
UNITS = {
    "identity": lambda r: r,
    "relu": lambda r: np.where(r > 0, r, 0),
    "leaky_relu": lambda r: np.where(r > 0, r, 0.01 * r),
    "logistic": lambda r: 1 / (1 + np.exp(-r)),
    "tanh": lambda r: (np.exp(r) - np.exp(-r)) / (np.exp(r) + np.exp(-r)),
}


@pytest.mark.parametrize("activation", UNITS)
def test_units_are_those_of_the_formulas(activation):
    unit = UNITS[activation]
    y = X[:, 0] - X[:, 1]
    model = MLPRegressor(4, activation, max_iter=2).fit(X, y)
    (W, V), (b, c) = model.coefs_, model.intercepts_
    np.testing.assert_allclose(model.predict(X), (unit(X @ W + b) @ V + c)[:, 0], rtol=1e-10, atol=1e-12)
    model = MLPClassifier(4, activation, max_iter=2).fit(X, np.digitize(y, [-1, 1]))
    (W, V), (b, c) = model.coefs_, model.intercepts_
    e = np.exp(unit(X @ W + b) @ V + c)
    np.testing.assert_allclose(model.predict_proba(X), e / e.sum(axis=1, keepdims=True), rtol=1e-10)  # softmax
    model = MLPClassifier(4, activation, max_iter=2).fit(X, y > 0)
    (W, V), (b, c) = model.coefs_, model.intercepts_
    p = 1 / (1 + np.exp(-(unit(X @ W + b) @ V + c)[:, 0]))  # sigmoid
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], p, rtol=1e-10)
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    step = BooleanNetwork([([[2.0], [-1.0]], [-0.5])])  # Heaviside
    assert step.predict(corners).tolist() == np.heaviside(corners @ [2, -1] - 0.5, 0).tolist()
