"""Adaline against the delta rule by hand, least squares, and what its moments claim."""

import numpy as np
import pytest
from sklearn.base import clone

import tenfold as tn
from tenfold import Adaline

random = np.random.default_rng(3)
X = random.normal(size=(150, 3)) * [1.0, 2.0, 0.5] + [1.0, -3.0, 0.0]
y = X @ [1.0, -1.0, 0.5] + random.normal(size=150) > 4
three = np.array(["a", "b", "c"])[np.digitize(X @ [1.0, -1.0, 0.5], [3.0, 5.0])]
weight = random.integers(1, 4, 150).astype(float)
SETS = {
    "numbers": (X, y, None),
    "weights": (X, y, weight),
    "three classes": (X, three, weight),
    "few distinct rows": (X.round() % 3, y, None),
    "fewer rows than columns": (random.normal(size=(4, 7)), np.array([0, 1, 1, 0]), None),
    "a constant and a repeated column": (np.column_stack([X, np.full(150, 2.0), X[:, 0]]), y, None),
    "large means": (X + 1e4, y, None),
}


def targets(y):
    """One column of 1 and -1 for two classes, else one for each."""
    classes = np.unique(y)
    each = np.where(np.asarray(y)[:, None] == classes, 1.0, -1.0)
    return each[:, 1:] if len(classes) == 2 else each


def design(X, constant):
    return np.column_stack([np.ones(len(X)) if constant else np.zeros(len(X)), X])


def weights(model):
    return np.column_stack([model.intercept_, model.coef_])


def error(X, y, weight, constant, w):
    c = np.ones(len(y)) if weight is None else weight
    return 0.5 * (c @ (targets(y) - design(X, constant) @ w.T) ** 2).sum() / c.sum()


def least(X, y, weight, constant):
    """The weights of least squares, by numpy."""
    root = np.sqrt(np.ones(len(y)) if weight is None else weight)[:, None]
    return np.linalg.lstsq(design(X, constant) * root, targets(y) * root, rcond=1e-9)[0].T


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_the_batch_rule_by_hand_though_it_sees_moments_alone(name, constant):
    rows, label, c = SETS[name]
    model = Adaline(None, max_iter=30, tol=None, fit_intercept=constant).fit(rows, label, sample_weight=c)
    A, t, c = design(rows, constant), targets(label), np.ones(len(label)) if c is None else c
    eta = 1 / np.linalg.eigvalsh((A * c[:, None]).T @ A / c.sum())[-1]
    w, curve = np.zeros((t.shape[1], A.shape[1])), []
    for _ in range(30):
        curve.append(error(rows, label, c, constant, w))
        w += eta * (c[:, None] * (t - A @ w.T)).T @ A / c.sum()
    np.testing.assert_allclose(weights(model), w, rtol=1e-7, atol=1e-9 * np.abs(w).max())
    np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-7)
    assert model.certificate_.provenance.passes == 1
    assert model.n_iter_ == model.t_ == 30


@pytest.mark.parametrize("constant", [True, False])
def test_row_by_row_by_hand(constant):
    model = Adaline(1, eta0=0.01, shuffle=False, max_iter=3, tol=None, fit_intercept=constant).fit(X, three)
    A, t = design(X, constant), targets(three)
    w = np.zeros((3, 4))
    for _ in range(3):
        for row, target in zip(A, t, strict=True):
            w += 0.01 * np.outer(target - w @ row, row)
    np.testing.assert_allclose(weights(model), w, rtol=1e-12)


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("batch_size", [1, 7, None])
@pytest.mark.parametrize("name", SETS)
def test_the_gap_is_the_distance_from_least_squares(name, batch_size, constant):
    rows, label, c = SETS[name]
    model = Adaline(batch_size, max_iter=4, fit_intercept=constant).fit(rows, label, sample_weight=c)
    here, best = (error(rows, label, c, constant, w) for w in (weights(model), least(rows, label, c, constant)))
    claims = model.certificate_
    np.testing.assert_allclose(claims["objective"].value, here, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(claims["gap"].value, here - best, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", ["numbers", "three classes", "few distinct rows", "fewer rows than columns"])
def test_it_ends_at_least_squares(name):
    rows, label, c = SETS[name]
    model = Adaline(None, tol=1e-11, max_iter=20_000).fit(rows, label, sample_weight=c)
    best = least(rows, label, c, True)
    np.testing.assert_allclose(design(rows, True) @ weights(model).T, design(rows, True) @ best.T, atol=1e-8)
    assert model.certificate_["gap"].value < 1e-18
    assert model.certificate_["gradient"].value <= 1e-11
    exact = tn.LeastSquaresClassifier().fit(rows, label, sample_weight=c)
    assert (model.predict(rows) == exact.predict(rows)).all()


def test_the_loss_of_all_rows_falls_with_every_epoch_as_its_theory_says():
    """With steps of 1/λ, the distance from the minimum is multiplied by (1 - μ/λ)² or less, μ the least curvature."""
    best = error(X, y, None, True, least(X, y, None, True))
    curve = Adaline(None, max_iter=200, tol=None).fit(X, y).loss_curve_ - best
    values = np.linalg.eigvalsh(design(X, True).T @ design(X, True))
    assert (curve[1:] <= (1 - values[0] / values[-1]) ** 2 * curve[:-1] + 1e-15).all()


def test_steps_that_are_too_long_are_told():
    for batch_size in (1, None):
        with pytest.raises(tn.DataError, match="weights diverge"):
            Adaline(batch_size, eta0=5.0, tol=None).fit(X, y)


def test_rows_that_no_plane_separates_leave_the_perceptron_moving_and_not_adaline():
    noisy = y ^ (random.random(150) < 0.15)
    found = Adaline(None).fit(X, noisy)
    assert found.n_iter_ < found.max_iter
    assert found.score(X, noisy) > 0.7


def test_partial_fit_goes_on_by_one_epoch():
    for batch_size in (1, None):
        one = Adaline(batch_size, eta0=0.02, tol=None, shuffle=False)
        twice = clone(one).partial_fit(X, y).partial_fit(X, y)
        np.testing.assert_array_equal(weights(twice), weights(one.set_params(max_iter=2).fit(X, y)))


def test_a_rule_stops_the_batch_form_by_its_gap():
    model = Adaline(None, tol=None).fit(X, y, stop=tn.Gap(1e-3))
    assert model.certificate_["gap"].value <= 1e-3
    assert 1 < model.n_iter_ < 1000
