"""Truncated singular value decomposition beside scikit-learn's and LAPACK's."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD as Theirs
from sklearn.model_selection import GridSearchCV

import tenfold as tn

random = np.random.default_rng(0)
X = random.normal(size=(300, 6)) * [5, 4, 3, 2, 1, 0.5] + [3, 0, 1, 0, 0, 0]


@pytest.mark.quick
@pytest.mark.parametrize("sparse", [False, True])
def test_equals_scikit_learn(sparse):
    rows = sp.csr_array(np.where(X > 1, X, 0)) if sparse else X
    ours, theirs = tn.TruncatedSVD(3).fit(rows), Theirs(3, algorithm="arpack", random_state=0).fit(rows)
    for name in ("components_", "singular_values_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows), rtol=1e-8, atol=1e-10)
    Z = ours.transform(rows)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), rtol=1e-8, atol=1e-10)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_all_directions_give_the_rows_back():
    model = tn.TruncatedSVD(6).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-11)
    np.testing.assert_allclose(model.singular_values_, np.linalg.svd(X, compute_uv=False), rtol=1e-12)
    np.testing.assert_allclose(model.explained_variance_ratio_.sum(), 1.0, rtol=1e-12)
    assert model.certificate_["digits"].value > 10


def test_rows_of_few_directions():
    low = X[:, :2] @ random.normal(size=(2, 5))
    model = tn.TruncatedSVD(4).fit(low)
    np.testing.assert_allclose(model.singular_values_[:2], np.linalg.svd(low, compute_uv=False)[:2], rtol=1e-11)
    assert model.singular_values_[2:].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(4), atol=1e-12)


def test_weights_are_repetitions_and_parts_add_up():
    weight = random.integers(1, 4, len(X))
    twice = tn.TruncatedSVD(2).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(tn.TruncatedSVD(2).fit(X, sample_weight=weight).singular_values_, twice.singular_values_)
    halves = tn.TruncatedSVD(2).fit(X[:100]) + tn.TruncatedSVD(2).fit(X[100:])
    np.testing.assert_allclose(halves.components_, tn.TruncatedSVD(2).fit(X).components_, rtol=1e-9, atol=1e-11)


def test_files_and_what_is_refused(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame.to_parquet(tmp_path / "rows.parquet")
    model = tn.TruncatedSVD().fit(tn.scan(tmp_path / "rows.parquet"))
    assert model.components_.tobytes() == tn.TruncatedSVD().fit(frame).components_.tobytes()
    model.save(tmp_path / "model.tenfold")
    np.testing.assert_array_equal(tn.load(tmp_path / "model.tenfold").transform(frame), model.transform(frame))
    with pytest.raises(ValueError, match="n_components=7 must be at most n_features=6"):
        tn.TruncatedSVD(7).fit(X)
    with pytest.raises(ValueError, match="there are 2 components"):
        model.inverse_transform(X)


def test_a_constant_column_too_large_to_be_squared_is_named():
    with pytest.raises(tn.DataError, match="column 'x1' is too large to be squared"):
        tn.TruncatedSVD(1).fit([[1.0, 2e299], [2.0, 2e299]])


def test_text_and_searches():
    documents = ["the cat sat", "a cat ran", "stocks fell", "stocks rose", "the market fell", "a dog ran"] * 5
    kinds = ["pets", "pets", "money", "money", "money", "pets"] * 5
    pipe = tn.make_pipeline(tn.TfidfVectorizer(), tn.TruncatedSVD(2), tn.LogisticRegression())
    search = GridSearchCV(pipe, {"truncatedsvd__n_components": [1, 3]}, cv=3).fit(documents, kinds)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("learner", [tn.TruncatedSVD(2), tn.PCA(2)])
def test_products_of_very_many_columns_are_refused(learner):
    words = sp.csr_array((np.ones(3), ([0, 1, 2], [0, 50_000, 99_999])), shape=(3, 100_000))
    peer = f"sklearn.decomposition.{type(learner).__name__}"
    with pytest.raises(tn.DataError, match=f"of 100,000 columns .* would take 80 GB. Remedy: .*SelectKBest.*{peer}"):
        learner.fit(words)
