"""The sharpness of a network's minimum, against its Hessian by finite differences of gradients."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.model_selection.certification.sharpness import largest_eigenvalue
from tenfold.neural_network.mlp.backpropagation import loss_and_gradient
from tenfold.sources import part_rows

random = np.random.default_rng(0)
X = random.normal(size=(90, 3))
t = X[:, 0] * X[:, 1] + 0.1 * random.normal(size=90)
weight = random.uniform(0.5, 2.0, 90)
CASES = {
    "numbers": (tn.MLPRegressor((4, 3), "tanh", solver="lbfgs", alpha=0.3, max_iter=40), t),
    "two classes": (tn.MLPClassifier(4, "logistic", solver="lbfgs", max_iter=40, class_weight="balanced"), t > 0.3),
    "three classes": (tn.MLPClassifier(4, "tanh", max_iter=5, batch_norm=True), np.digitize(t, [-0.5, 0.5])),
    "relu": (tn.MLPClassifier(5, max_iter=30), np.digitize(t, [-0.5, 0.5])),
}


def hessian(model, y, weight):
    """By central differences of the gradient, which backpropagation makes."""
    network, w = model._network(model.schema_), model.model_.weights
    codes = np.asarray(y if model.schema_.classes is None else np.searchsorted(model.classes_, y), dtype=float)
    factors = model.model_.training.factors
    c = weight * factors[codes.astype(int)] if len(factors) else weight
    penalty = np.where(network.penalised, model._penalties[0], 0.0)

    def slope(at):
        return loss_and_gradient(network, at, X, codes, c)[1] + penalty * at

    H = np.array([(slope(w + e) - slope(w - e)) / 2e-5 for e in 1e-5 * np.eye(len(w))]) / c.sum()
    learnt = np.concatenate([np.full(v.size, n not in ("mean", "variance")) for n, v in network.cut(w)])
    return H[np.ix_(learnt, learnt)]


@pytest.mark.parametrize("name", CASES)
def test_the_largest_eigenvalue_of_the_second_derivatives(name):
    learner, y = CASES[name]
    model = learner.fit(X, y, sample_weight=weight)
    found = tn.sharpness(model, X, y, weight, max_iter=200, tol=1e-6)
    largest = np.linalg.eigvalsh(hessian(model, y, weight))[-1]
    np.testing.assert_allclose(found.value, largest, rtol=1e-4)
    early = tn.sharpness(model, X, y, weight, max_iter=3, tol=0.0)
    assert 0 < early.value <= found.value * (1 + 1e-9)
    assert "3 scans" in early.because


def test_the_same_bits_on_any_number_of_threads():
    model = tn.MLPRegressor(4, "tanh", max_iter=5).fit(X, t)
    with part_rows(20):
        values = []
        for threads in (1, 3):
            with tn.on(tn.Local(threads=threads)):
                values.append(tn.sharpness(model, tn.scan(X, t)).value)
    assert values[0] == values[1]


def test_longer_steps_than_two_over_sharpness_overshoot():
    model = tn.MLPRegressor((), alpha=0.0, solver="lbfgs", tol=1e-10).fit(X, t)
    sharp = tn.sharpness(model, X, t, tol=1e-9).value
    A, losses = np.column_stack([X, np.ones(90)]), []
    best = np.linalg.lstsq(A, t, rcond=None)[0]
    for times in (1.9, 2.1):
        w = best + 1e-3
        for _ in range(400):
            w = w - times / sharp * A.T @ (A @ w - t) / 90
        losses.append(np.abs(w - best).max())
    assert losses[0] < 1e-6
    assert losses[1] > 1.0


def test_lanczos_on_matrices_of_known_eigenvalues():
    for values in ([3.0, 1.0, -5.0], [2.0, 2.0, 2.0], [-1.0, -4.0, -2.0]):
        Q = np.linalg.qr(random.normal(size=(3, 3)))[0]
        H = Q @ np.diag(values) @ Q.T
        found, residual, _ = largest_eigenvalue(lambda v, H=H: H @ v, random.normal(size=3), 3, 1e-12)
        np.testing.assert_allclose(found, max(values), rtol=1e-10)
        assert residual < 1e-6


def test_what_cannot_be_judged_is_refused():
    model = tn.MLPClassifier(2, max_iter=1).fit(X, t > 0)
    with pytest.raises(tn.DataError, match="does not know"):
        tn.sharpness(model, X, np.digitize(t, [0.0, 0.5]).astype(str))
    with pytest.raises(TypeError, match="not Ridge"):
        tn.sharpness(tn.Ridge().fit(X, t), X, t)
    with pytest.raises(ValueError, match="max_iter must be"):
        tn.sharpness(model, X, t > 0, max_iter=0)


def test_frames_with_categories():
    frame = pd.DataFrame({"a": X[:, 0], "town": np.array(list("abc"))[np.arange(90) % 3]})
    model = tn.MLPRegressor(3, "tanh", max_iter=3, embedding=2).fit(frame, t)
    assert tn.sharpness(model, frame, t).value > 0


def test_rows_without_weight_and_odd_limits_are_refused():
    y = t > 0.3
    model = tn.MLPClassifier(3, max_iter=2, class_weight={False: 0.0, True: 1.0}).fit(X, y)
    with pytest.raises(tn.DataError, match="no weight"):
        tn.sharpness(model, X[~y], y[~y])
    with pytest.raises(ValueError, match="max_iter must be an integer"):
        tn.sharpness(model, X, y, max_iter=2.5)
    with pytest.raises(ValueError, match="tol must be a number from 0 on"):
        tn.sharpness(model, X, y, tol=-1.0)
