"""Scaling by the largest absolute value beside scikit-learn: to the bit, with holes and zeros."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peer

from tenfold import MaxAbsScaler, StandardScaler


def test_equals_scikit_learn():
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 4)) * [1, 100, 1e-3, 1]
    X[random.random(X.shape) < 0.1] = np.nan
    X[:, 3] = 0.0
    ours, theirs = MaxAbsScaler().fit(X), peer.MaxAbsScaler().fit(X)
    np.testing.assert_array_equal(ours.max_abs_, theirs.max_abs_)
    np.testing.assert_array_equal(ours.scale_, theirs.scale_)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X, rtol=1e-15)


def test_sparse_keeps_its_zeros():
    X = sp.random_array((300, 5), density=0.2, format="csr", rng=0)
    model = MaxAbsScaler().fit(X)
    Z = model.transform(X)
    assert sp.issparse(Z)
    assert Z.nnz == X.nnz
    np.testing.assert_allclose(Z.toarray(), X.toarray() / np.abs(X.toarray()).max(axis=0))


@pytest.mark.parametrize("scaler", [MaxAbsScaler(), StandardScaler(with_mean=False)])
def test_infinity_in_a_sparse_matrix_is_refused(scaler):
    X = sp.csr_array(np.eye(3))
    model = scaler.fit(X)
    X.data[1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.transform(X)
    with pytest.raises(ValueError, match="infinity in column|infinity or a value"):
        scaler.fit(X)


def test_the_maximum_of_days_is_the_maximum():
    days = [MaxAbsScaler().fit([[v]]) for v in (1.0, -7.0, 3.0)]
    assert sum(days).max_abs_.tolist() == [7.0]


def test_sparse_rows_with_missing_values_and_parts_of_numbers():
    X = sp.csr_array(
        (np.array([1.0, -3.0, np.nan, 2.0, 2.0]), np.array([0, 2, 0, 1, 1]), np.array([0, 2, 3, 5])), (3, 4)
    )
    assert MaxAbsScaler().fit(X).max_abs_.tolist() == [1.0, 4.0, 3.0, 0.0]
