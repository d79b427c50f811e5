"""Rows of length one beside scikit-learn, dense and CSR, with zeros and numbers of any size."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peer

import tenfold as tn
from tenfold import Normalizer
from tenfold.testing import bits

NORMS = ("l1", "l2", "max")
ORDER = {"l1": 1, "l2": 2, "max": np.inf}


def awkward():
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 6)) * [1, 100, 1e-3, 1, 1e9, 0]
    X[random.random(X.shape) < 0.5] = 0.0
    X[::7] = 0.0
    return X


@pytest.mark.parametrize("norm", NORMS)
def test_equals_scikit_learn(norm):
    X = awkward()
    X[(np.abs(X) < 1e-6) & (X != 0)] = 1e-6  # theirs leaves rows shorter than 2e-15 as they are
    Z, theirs = Normalizer(norm).fit_transform(X), peer.Normalizer(norm).fit_transform(X)
    np.testing.assert_allclose(Z, theirs, rtol=1e-12, atol=0)
    if norm == "max":
        np.testing.assert_array_equal(Z, theirs)
    length = np.linalg.norm(Z, ORDER[norm], axis=1)
    np.testing.assert_allclose(length, X.any(axis=1), rtol=1e-14)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("norm", NORMS)
def test_sparse_is_dense_and_stays_sparse(norm, dtype, form):
    X = form(awkward().astype(dtype))
    before = X.copy()
    model = Normalizer(norm).fit(X)
    Z = model.transform(X)
    assert isinstance(Z, form)
    assert Z.dtype == dtype
    assert Z.nnz == X.nnz
    assert abs(X - before).sum() == 0
    tight = 1e-12 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(Z.toarray(), model.transform(X.toarray()), rtol=tight)


def test_places_given_twice_are_one_place():
    X = sp.csr_array((np.array([1.0, 2.0, 4.0, 1.0, -1.0]), [0, 0, 1, 0, 0], [0, 3, 5]), shape=(2, 2))
    model = Normalizer().fit(X)
    np.testing.assert_allclose(model.transform(X).toarray(), [[0.6, 0.8], [0.0, 0.0]])
    assert model.certificate_["zero rows"].value == 1


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e-200, 1e-17, 1.0, 1e200, 4e307])
@pytest.mark.parametrize("norm", NORMS)
def test_any_size(norm, size):
    X = size * np.array([[3.0, 4.0], [4.0, -3.0]])
    expected = X / size / np.linalg.norm(X / size, ORDER[norm], axis=1)[:, None]
    rtol = 1e-12 if size > 1e-310 else 1e-3  # subnormal numbers have few digits
    for rows in (X, sp.csr_array(X)):
        Z = Normalizer(norm).fit_transform(rows)
        np.testing.assert_allclose(Z.toarray() if sp.issparse(Z) else Z, expected, rtol=rtol)


def test_single_precision():
    X = awkward().astype(np.float32)
    Z = Normalizer().fit_transform(X)
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z, Normalizer().fit_transform(X.astype(np.float64)), rtol=1e-6)


def test_rows_of_zeros_are_said():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    for rows in (X, sp.csr_array(X)):
        model = Normalizer().fit(rows, sample_weight=[2.0, 1.0, 5.0])
        assert model.certificate_["zero rows"].value == 7
        assert model.certificate_["gap"].value == 0
        other = Normalizer().fit(2 * rows, sample_weight=[2.0, 1.0, 5.0])
        assert (model + other).certificate_["zero rows"].value == 14


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused(wrong):
    X = np.eye(3)
    X[1, 1] = wrong
    for rows in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match="NaN|infinity"):
            Normalizer().fit(rows)
        with pytest.raises(ValueError, match="NaN|infinity"):
            Normalizer().fit(np.eye(3)).transform(rows)


def test_round_trip(tmp_path):
    X = awkward()
    model = Normalizer("l1").fit(X)
    model.save(tmp_path / "model")
    again = tn.load(tmp_path / "model")
    assert (bits(again.model_), bits(again.summary_)) == (bits(model.model_), bits(model.summary_))
    assert again.verify().origin == "verified"
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
