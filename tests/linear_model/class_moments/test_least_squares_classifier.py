"""Least squares on indicators: the normal equations, outputs that add up to one, and its known weakness."""

import numpy as np
import pytest
from scipy.optimize import minimize

import tenfold as tn
from tenfold import LeastSquaresClassifier, LinearDiscriminantAnalysis


def drawn(classes, seed=0, rows=500, columns=4):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    X = random.normal(size=(rows, columns)) @ random.normal(size=(columns, columns))
    return X + 2 * random.normal(size=(classes, columns))[y] + 5.0, y


def solved(X, y, classes, weight=None):
    root = np.sqrt(np.ones(len(X)) if weight is None else weight)[:, None]
    design = np.column_stack([np.ones(len(X)), X])
    return np.linalg.lstsq(design * root, np.eye(classes)[y] * root, rcond=None)[0].T


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_solves_the_normal_equations(classes, weighted):
    X, y = drawn(classes)
    weight = np.random.default_rng(1).random(len(X)) if weighted else None
    model = LeastSquaresClassifier().fit(X, y, sample_weight=weight)
    wanted = solved(X, y, classes, weight)
    np.testing.assert_allclose(model.coef_, wanted[:, 1:], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, wanted[:, 0], rtol=1e-8, atol=1e-10)
    outputs = X @ wanted[:, 1:].T + wanted[:, 0]
    np.testing.assert_array_equal(model.predict(X), outputs.argmax(axis=1))
    np.testing.assert_allclose(outputs.sum(axis=1), 1.0, atol=1e-10)
    assert model.certificate_["gap"].value < 1e-20


def test_probabilities_are_the_nearest_to_the_outputs():
    X, y = drawn(3, seed=2)
    model = LeastSquaresClassifier().fit(X, y)
    outputs = 5 * model.decision_function(X) - 4 / 3  # far out of the simplex, and they still add up to 1
    found = model.probability_from(outputs)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for row, nearest in zip(outputs[:8], found[:8]):
        best = minimize(
            lambda p, row=row: ((p - row) ** 2).sum(), np.full(3, 1 / 3), bounds=[(0, 1)] * 3,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        )  # fmt: skip
        np.testing.assert_allclose(nearest, best.x, atol=1e-6)
    two = LeastSquaresClassifier().fit(X, y > 0)
    share = 0.5 + 0.5 * two.decision_function(X)
    np.testing.assert_allclose(two.predict_proba(X)[:, 1], np.clip(share, 0, 1), atol=1e-12)


def test_outliers_on_the_right_side_move_it():
    """Rows far beyond their own class's side, which no border should mind: LDA's errors stay, least squares' grow."""
    random = np.random.default_rng(3)
    y = np.repeat([0, 1], 200)
    X = random.normal(size=(400, 2)) * 0.6 + np.outer(y, [3.0, 0.0])
    far = np.column_stack([np.full(40, 12.0), np.full(40, -9.0)]) + random.normal(size=(40, 2))
    both, labels = np.vstack([X, far]), np.append(y, np.ones(40, int))
    before = LeastSquaresClassifier().fit(X, y)
    after = LeastSquaresClassifier().fit(both, labels)
    assert before.score(X, y) > 0.99
    assert after.score(X, y) < before.score(X, y) - 0.01


def test_the_middle_of_three_classes_in_a_row_is_masked():
    random = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], 100)
    X = random.normal(size=(300, 1)) * 0.3 + 3.0 * y[:, None]
    found = LeastSquaresClassifier().fit(X, y)
    assert (found.predict(X) == 1).sum() < 20
    assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) > 0.99


def test_columns_that_repeat_each_other_are_said():
    X, y = drawn(3, seed=5)
    model = LeastSquaresClassifier().fit(np.column_stack([X, 2 * X[:, 1], np.ones(len(X))]), y)
    assert model.certificate_["rank"].value == 4
    assert model.certificate_["constant columns"].value == 1
    np.testing.assert_allclose(
        model.decision_function(np.column_stack([X, 2 * X[:, 1], np.ones(len(X))])),
        LeastSquaresClassifier().fit(X, y).decision_function(X),
        atol=1e-8,
    )


def test_ten_folds():
    X, y = drawn(3, seed=6)
    found = tn.cross_validate(LeastSquaresClassifier(), X, y, folds=5)
    from sklearn.model_selection import StratifiedKFold

    for j, (train, test) in enumerate(StratifiedKFold(5).split(X, y)):
        W = solved(X[train], y[train], 3)
        said = (X[test] @ W[:, 1:].T + W[:, 0]).argmax(axis=1)
        assert found.scores[0, 0, j] == pytest.approx((said == y[test]).mean(), abs=1e-12)
