"""The weights of a perceptron after each mistake, against a loop by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

import tenfold as tn
from tenfold.datasets import load_gate, make_separable


def by_hand(X, y, eta=1.0, constant=True, epochs=100):
    """Rows as they come: (epoch, row, weights) of each mistake; y is 1 or -1."""
    w, found = np.zeros(X.shape[1] + 1), []
    for epoch in range(1, epochs + 1):
        before = len(found)
        for i, row in enumerate(X):
            if y[i] * (w[0] + w[1:] @ row) <= 0:
                w = w + eta * y[i] * np.append(float(constant), row)
                found.append((epoch, i, w))
        if len(found) == before:
            break
    return found


@pytest.mark.parametrize(("eta", "constant"), [(1.0, True), (0.25, False)])
def test_every_mistake_by_hand(eta, constant):
    X, y = make_separable(60, 3, margin=0.05, random_state=2)
    learner = tn.Perceptron(eta0=eta, fit_intercept=constant, shuffle=False, tol=None)
    steps = tn.trace(learner, X, y)
    expected = by_hand(X, 2 * y - 1, eta, constant)
    assert len(expected) > 5
    assert list(zip(steps.epoch.tolist(), steps.row.tolist(), strict=True)) == [one[:2] for one in expected]
    np.testing.assert_allclose(steps.weights[1:, 0], [w for _, _, w in expected], rtol=0, atol=1e-13)
    assert not steps.weights[0].any()
    assert not hasattr(learner, "coef_")  # a copy was fitted


@pytest.mark.parametrize("variant", ["rule", "averaged", "pocket"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_it_ends_at_the_bits_of_the_fit(variant, shuffle):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.3 * random.normal(size=200), [-0.5, 0.5])]
    weight = random.integers(0, 3, 200).astype(float)
    learner = tn.Perceptron(variant, max_iter=4, shuffle=shuffle)
    plain, steps = learner.fit(X, y, weight), tn.trace(learner, X, y, sample_weight=weight)
    assert steps.model.coef_.tobytes() == plain.coef_.tobytes()
    trail = plain.model_.trail.weights
    assert steps.weights[-1].tobytes() == trail.tobytes()
    assert (weight[steps.row] > 0).all()
    assert steps.epoch.max() == plain.n_iter_
    assert (np.diff(steps.epoch) >= 0).all()
    for step, (row, k) in enumerate(
        zip(steps.row, steps.output, strict=True)
    ):  # each was one, and moved towards its row
        before, after = steps.weights[step][k], steps.weights[step + 1][k]
        sign = 1 if y[row] == plain.classes_[k] else -1
        assert sign * (before[0] + before[1:] @ X[row]) <= 1e-12
        times = (after - before)[0] * sign
        np.testing.assert_allclose(after - before, sign * times * np.append(1, X[row]), atol=1e-12)
        assert 0 < times <= weight[row]
        np.testing.assert_array_equal(np.delete(steps.weights[step], k, 0), np.delete(steps.weights[step + 1], k, 0))


def test_mistakes_are_those_that_the_model_counts():
    X, y = make_separable(300, 2, margin=0.02, random_state=1)
    for rows in (X, sp.csr_matrix(X)):
        steps = tn.trace(tn.Perceptron(tol=None), rows, y)
        assert (
            np.bincount(steps.epoch, minlength=steps.model.n_iter_ + 1)[1:].tolist() == steps.model.mistakes_.tolist()
        )
        np.testing.assert_allclose(steps.X, X)


def test_the_table_has_a_line_for_each_mistake():
    steps = tn.trace(tn.Perceptron(shuffle=False, tol=None), *load_gate("and", return_X_y=True, as_frame=True))
    frame = steps.to_frame()
    assert frame.columns.tolist() == ["mistake", "epoch", "row", "constant", "a", "b"]
    assert len(frame) == len(steps.row) + 1
    assert frame[["constant", "a", "b"]].to_numpy().tolist() == steps.weights[:, 0].tolist()
    assert "mistakes in" in str(steps)
    assert "<table" in steps._repr_html_()


def test_categories_are_features_and_no_mistake_is_no_line():
    steps = tn.trace(tn.Perceptron(shuffle=False, tol=None), [["u"], ["v"], ["u"]], [0, 1, 0])
    assert steps.names == ("x0_u", "x0_v")
    assert steps.X.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert len(steps.weights) == len(steps.row) + 1


@pytest.mark.parametrize(
    ("learner", "says"),
    [(tn.Perceptron(mixing=True), "mixing=False"), (tn.Perceptron(class_weight="balanced"), "class_weight=None")],
)
def test_what_has_no_single_walk_is_refused(learner, says):
    with pytest.raises(ValueError, match=f"Remedy: {says}"):
        tn.trace(learner, [[0.0], [1.0]], [0, 1])
