"""Neighbours by the angle between rows are those of scikit-learn."""

import numpy as np
import pytest
import sklearn.neighbors as sk

import tenfold as tn


def some_rows(rows, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3)) * 10.0 ** random.integers(-3, 4, size=(rows, 1))
    X[::17] = 0.0
    return X, random.integers(0, 3, rows)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_cosine_is_that_of_scikit_learn(weights):
    (X, y), (Z, _) = some_rows(80, 0), some_rows(30, 1)
    Z = Z[Z.any(axis=1)]  # zeros are equally far from all rows
    ours = tn.KNeighborsClassifier(4, metric="cosine", weights=weights).fit(X, y)
    theirs = sk.KNeighborsClassifier(4, metric="cosine", weights=weights, algorithm="brute").fit(X, y)
    (away, index), (expected, numbers) = ours.kneighbors(Z), theirs.kneighbors(Z)
    np.testing.assert_allclose(away, expected, atol=1e-12)
    assert (index == numbers).all()
    np.testing.assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba_over(Z, X, y), ours.predict_proba(Z), atol=1e-12)
    regression = tn.KNeighborsRegressor(4, metric="cosine").fit(X, y * 1.0)
    expected = sk.KNeighborsRegressor(4, metric="cosine").fit(X, y * 1.0).predict(Z)
    np.testing.assert_allclose(regression.predict(Z), expected, atol=1e-9)


def test_a_row_of_zeros_is_at_distance_1_from_all():
    model = tn.KNeighborsClassifier(3, metric="cosine").fit([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]], [0, 1, 1])
    assert model.kneighbors([[0.0, 0.0]])[0].tolist() == [[1.0, 1.0, 1.0]]
    assert model.kneighbors([[5.0, 0.0]])[0].tolist() == [[0.0, 1.0, 1.0]]


@pytest.mark.parametrize("metric", ["l1", "l2", "cityblock", "infinity", "p"])
@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_other_names_of_metrics_and_algorithms(metric, algorithm):
    (X, y), (Z, _) = some_rows(60, 2), some_rows(20, 3)
    ours = tn.KNeighborsClassifier(3, metric=metric, algorithm=algorithm).fit(X, y)
    theirs = sk.KNeighborsClassifier(3, metric=metric, algorithm="kd_tree").fit(X, y)
    np.testing.assert_allclose(ours.kneighbors(Z)[0], theirs.kneighbors(Z)[0], rtol=1e-9)


def test_weights_of_columns_do_not_go_with_angles():
    with pytest.raises(ValueError, match="Remedy: scale the columns"):
        tn.KNeighborsClassifier(1, metric="cosine", attribute_weights=[1.0, 2.0]).fit([[1.0, 2.0]], [0])
