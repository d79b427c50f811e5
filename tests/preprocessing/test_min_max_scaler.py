"""Scaling to a range beside scikit-learn: to the bit, with holes, constants and numbers of any size."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peer

import tenfold as tn
from tenfold import MinMaxScaler
from tenfold.testing import bits

NAMES = ("data_min_", "data_max_", "data_range_", "scale_", "min_")


def awkward():
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 6)) * [1, 100, 1e-3, 1, 1e9, 1e-300]
    X[random.random(X.shape) < 0.1] = np.nan
    X[:, 3] = 0.1
    X[:, 4] += 1e15
    X[:, 5] = np.round(random.normal(size=5000)) * -0.0
    return X


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("ends", [(0, 1), (-1.0, 1.0), (3, 3.5)])
def test_equals_scikit_learn(ends, clip):
    X = awkward()
    ours, theirs = MinMaxScaler(ends, clip).fit(X[:4000]), peer.MinMaxScaler(ends, clip=clip).fit(X[:4000])
    for name in NAMES:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert ours.n_samples_seen_ == theirs.n_samples_seen_ == 4000
    Z = ours.transform(X)
    np.testing.assert_array_equal(Z, theirs.transform(X))
    np.testing.assert_array_equal(ours.inverse_transform(Z), theirs.inverse_transform(Z))
    assert np.nanmax(Z) <= ends[1] or not clip


def test_single_precision():
    X = awkward()[:, :3].astype(np.float32)
    Z = MinMaxScaler(clip=True).fit_transform(X)
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z, peer.MinMaxScaler().fit_transform(X), atol=1e-6)
    assert (np.nanmin(Z, axis=0) == 0).all()
    assert (np.nanmax(Z, axis=0) == 1).all()


def test_small_numbers_are_stretched_too():
    X = np.array([[1e-200], [3e-200], [2e-200]])
    np.testing.assert_allclose(MinMaxScaler().fit_transform(X), [[0.0], [1.0], [0.5]], atol=1e-12)


def test_constant_and_empty_columns_are_said():
    X = np.array([[1.0, 7.0, np.nan], [3.0, 7.0, np.nan]])
    model = MinMaxScaler().fit(X)
    assert model.certificate_["gap"].value == 0
    assert model.certificate_["constant columns"].value == 2
    assert np.isnan(model.data_min_).tolist() == [False, False, True]
    assert model.transform([[2.0, 7.0, 5.0]]).tolist() == [[0.5, 0.0, 5.0]]


def test_days_add_up():
    X = awkward()
    whole, (a, b) = MinMaxScaler().fit(X), (MinMaxScaler().fit(part) for part in np.split(X, 2))
    grown = MinMaxScaler().partial_fit(X[:2500]).partial_fit(X[2500:])
    assert bits((a + b).model_) == bits(grown.model_) == bits(whole.model_)
    assert (a + b).n_samples_seen_ == grown.n_samples_seen_ == 5000
    gone = MinMaxScaler().fit([[np.nan], [np.nan]])
    assert (gone + MinMaxScaler().fit([[2.0]])).data_min_.tolist() == [2.0]


def test_rows_of_weight_zero_do_not_exist():
    model = MinMaxScaler().fit([[0.0], [5.0], [9.0]], sample_weight=[1, 2, 0])
    assert (model.data_max_.tolist(), model.n_samples_seen_) == ([5.0], 2)


def test_round_trip(tmp_path):
    X = awkward()
    X[:, 1] = np.nan
    model = MinMaxScaler((-2, 3.5), clip=True).fit(X)
    model.save(tmp_path / "model")
    again = tn.load(tmp_path / "model")
    assert (bits(again.model_), bits(again.summary_)) == (bits(model.model_), bits(model.summary_))
    assert again.verify().origin == "verified"
    assert again.n_samples_seen_ == 5000
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


@pytest.mark.parametrize("ends", [(1, 0), (1, 1), (0, np.inf), (0, np.nan), (0,), (0, 1, 2)])
def test_a_range_goes_up(ends):
    with pytest.raises(ValueError):
        MinMaxScaler(ends).fit([[1.0], [2.0]])


def test_sparse_is_refused():
    with pytest.raises(TypeError, match="[Ss]parse"):
        MinMaxScaler().fit(sp.csr_array(np.eye(3)))
