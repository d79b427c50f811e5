"""Standardisation beside scikit-learn, with holes, zeros, constants and offsets."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peer
from sklearn.pipeline import make_pipeline

import tenfold.core.rows.columns
from tenfold import DataError, Ridge, StandardScaler


def test_equals_scikit_learn():
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 4)) * [1, 100, 1e-3, 1] + [0, 5, 1, 1e6]
    X[random.random(X.shape) < 0.1] = np.nan
    weight = random.random(5000)
    for w in (None, weight):
        ours, theirs = StandardScaler().fit(X, sample_weight=w), peer.StandardScaler().fit(X, sample_weight=w)
        for name in ("mean_", "var_", "scale_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10, atol=1e-20)
        np.testing.assert_allclose(ours.n_samples_seen_, theirs.n_samples_seen_)
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-8)
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X, rtol=1e-12)


def test_a_constant_is_centred_not_scaled():
    X = np.column_stack([np.full(1000, 0.1), np.arange(1000.0)])
    for weight in (None, np.random.default_rng(0).random(1000)):
        model = StandardScaler().fit(X, sample_weight=weight)
        assert model.scale_[0] == 1.0
        assert model.certificate_["constant columns"].value == 1
        np.testing.assert_allclose(model.transform(X)[:, 0], 0.0, atol=1e-16)


def test_sparse_keeps_its_zeros():
    X = sp.random_array((300, 5), density=0.2, format="csr", rng=0)
    model = StandardScaler(with_mean=False).fit(X)
    np.testing.assert_allclose(model.scale_, X.toarray().std(axis=0))
    Z = model.transform(X)
    assert sp.issparse(Z)
    assert Z.nnz == X.nnz
    np.testing.assert_allclose(model.inverse_transform(Z).toarray(), X.toarray())
    with pytest.raises(TypeError, match="[Ss]parse"):
        StandardScaler().fit(X)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sparse_rows_are_summed_without_their_zeros(kind, monkeypatch):
    random = np.random.default_rng(4)
    dense = np.where(random.random((400, 6)) < 0.3, random.normal(size=(400, 6)) + [0, 1, 1e6, 0, 0, 0], 0.0)
    dense[:, 3], dense[:, 4], dense[0, 5] = 0.0, random.normal(size=400) + 1e8, 3.0
    dense, weight = dense.astype(kind), random.integers(0, 4, 400) * 0.1
    monkeypatch.setattr(tenfold.core.rows.columns, "copy_sparse", None)  # which makes dense rows
    some = [StandardScaler(with_mean=False).fit(form(dense), sample_weight=weight) for form in (sp.csr_array, np.array)]
    np.testing.assert_allclose(some[0].var_, some[1].var_, rtol=1e-12)
    np.testing.assert_allclose(some[0].var_, np.cov(dense.T, aweights=weight, ddof=0).diagonal(), rtol=1e-6)
    parts = [(sp.csr_array(dense[a:b]), weight[a:b]) for a, b in ((0, 7), (7, 250), (250, 400))]
    merged = sum((StandardScaler(with_mean=False).fit(X, sample_weight=w) for X, w in parts[1:]),
                 start=StandardScaler(with_mean=False).fit(parts[0][0], sample_weight=parts[0][1]))  # fmt: skip
    np.testing.assert_allclose(merged.var_, some[0].var_, rtol=1e-12, atol=1e-20)


def test_float32_stays_float32():
    X = np.random.default_rng(1).normal(size=(100, 3)).astype(np.float32)
    assert StandardScaler().fit_transform(X).dtype == np.float32


def test_in_a_pipeline_of_scikit_learn():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(500, 3)) * [1, 10, 100], random.normal(size=500)
    ours = make_pipeline(StandardScaler(), Ridge(alpha=5.0)).fit(X, y)
    theirs = make_pipeline(peer.StandardScaler(), Ridge(alpha=5.0)).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_a_column_without_values_is_left_alone():
    X = np.array([[1.0, np.nan], [3.0, np.nan]])
    model = StandardScaler().fit(X)
    assert model.scale_.tolist() == [1.0, 1.0]
    assert np.isnan(model.transform(X)[:, 1]).all()


def test_a_column_whose_variance_is_below_all_numbers():
    X, weight = np.array([[5.36e-161], [-1.88e-161]]), np.array([1.0, 1e12])
    model = StandardScaler().fit(X, sample_weight=weight)
    found = model.transform(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, StandardScaler().fit_transform(X * 1e160, sample_weight=weight), rtol=0.2)


def test_a_column_that_overflows_where_models_merge_is_named():
    X = np.array([[1.0, 1e154], [2.0, 1.01e154]])
    names = ["fine", "huge"]
    a, b = (StandardScaler().fit(pd.DataFrame(sign * X, columns=names)) for sign in (1, -1))
    with pytest.raises(DataError, match=r"^column 'huge' is too large to be squared\. Remedy: .*MaxAbsScaler"):
        a + b
