"""Columns that vary, beside scikit-learn: the same variances, names and rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import feature_selection as theirs
from sklearn.model_selection import GridSearchCV

import tenfold as tn
from tenfold.feature_selection import VarianceThreshold


def table(rows=300):
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 6)) * [1.0, 0.1, 1e-8, 100.0, 1.0, 1.0]
    X[:, 4], X[:, 5] = 0.5, 1e9 + np.arange(rows) % 2
    return X


@pytest.mark.quick
@pytest.mark.parametrize("threshold", [0, 0.05, 0.5])
def test_equals_scikit_learn(threshold):
    X = table()
    for rows in (X, np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X), sp.csr_array(np.round(X))):
        ours, other = VarianceThreshold(threshold).fit(rows), theirs.VarianceThreshold(threshold).fit(rows)
        np.testing.assert_allclose(ours.variances_, other.variances_, rtol=1e-9, atol=1e-25)
        np.testing.assert_array_equal(ours.get_support(), other.get_support())
        np.testing.assert_array_equal(ours.get_support(indices=True), other.get_support(indices=True))
        kept, expected = ours.transform(rows), other.transform(rows)
        assert sp.issparse(kept) == sp.issparse(expected)
        if sp.issparse(kept):
            np.testing.assert_array_equal(kept.toarray(), expected.toarray())
            back, other_back = ours.inverse_transform(kept).toarray(), other.inverse_transform(expected).toarray()
        else:
            np.testing.assert_array_equal(kept, expected)
            back, other_back = ours.inverse_transform(np.nan_to_num(kept)), other.inverse_transform(np.nan_to_num(kept))
        np.testing.assert_array_equal(back, other_back)


def test_a_range_smaller_than_the_variance_is_what_counts_only_without_gaps():
    X = np.array([[0.0, 0.0], [100.0, 100.0], [100.0, np.nan]])
    ours, other = VarianceThreshold().fit(X), theirs.VarianceThreshold().fit(X)
    assert ours.variances_.tolist() == other.variances_.tolist() == [100.0, 2500.0]


def test_a_constant_column_with_gaps_has_no_variance_of_rounding():
    X = np.array([[0.1, 1.0]] * 10 + [[np.nan, 2.0]])
    assert theirs.VarianceThreshold().fit(X).variances_[0] > 0
    assert VarianceThreshold().fit(X).variances_[0] == 0


def test_sparse_zeros_and_gaps_count():
    X = sp.csr_array(np.array([[2.0, 0.0, 3.0, np.nan], [2.0, 5.0, 3.0, 1.0], [2.0, 0.0, 0.0, 1.0]]))
    ours, other = VarianceThreshold().fit(X), theirs.VarianceThreshold().fit(X)
    np.testing.assert_allclose(ours.variances_, other.variances_, rtol=1e-12, atol=1e-300)
    assert ours.get_support().tolist() == [False, True, True, False]


def test_columns_without_values_and_without_variance_are_left_out():
    X = np.array([[np.nan, 1.0, 2.0], [np.nan, 1.0, 3.0]])
    model = VarianceThreshold().fit(X)
    assert np.isnan(model.variances_[0])
    assert model.get_support().tolist() == [False, False, True]
    assert model.certificate_["columns left out"].value == 2.0
    with pytest.raises(ValueError, match=r"No feature in X meets the variance threshold 7.00000\. Remedy"):
        VarianceThreshold(7).fit(X)
    with pytest.raises(ValueError, match=r"0.00000 \(X contains only one sample\)"):
        VarianceThreshold().fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="1 columns are kept"):
        model.inverse_transform(X)


def test_names_frames_files_and_parts(tmp_path):
    frame = pd.DataFrame(table(), columns=list("abcdef"))
    model = VarianceThreshold(0.05).set_output(transform="pandas").fit(frame)
    assert list(model.transform(frame).columns) == ["a", "d", "f"]
    frame.to_parquet(tmp_path / "rows.parquet")
    rows = tn.scan(tmp_path / "rows.parquet")
    assert VarianceThreshold(0.05).fit(rows).variances_.tobytes() == model.variances_.tobytes()
    assert VarianceThreshold(0.05).fit_transform(rows).collect().tolist() == model.transform(frame).values.tolist()
    model.save(tmp_path / "model.tenfold")
    assert tn.load(tmp_path / "model.tenfold").get_feature_names_out().tolist() == ["a", "d", "f"]
    halves = VarianceThreshold().fit(frame[:100]) + VarianceThreshold().fit(frame[100:])
    np.testing.assert_allclose(halves.variances_, VarianceThreshold().fit(frame).variances_, rtol=1e-12)


def test_in_pipelines_and_searches():
    X = pd.DataFrame(table(), columns=list("abcdef"))
    y = X["a"] + 0.01 * X["d"]
    pipe = tn.make_pipeline(VarianceThreshold(), tn.StandardScaler(), tn.Ridge())
    search = GridSearchCV(pipe, {"variancethreshold__threshold": [0.0, 10.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"variancethreshold__threshold": 0.0}
    assert tn.cross_validate(pipe, X, y, folds=3).scores.shape == (1, 1, 3)
    columns = tn.ColumnTransformer([("some", VarianceThreshold(0.05), ["a", "b"]), ("rest", "passthrough", ["c"])])
    assert columns.fit(X).get_feature_names_out().tolist() == ["some__a", "rest__c"]


def test_later_rows_in_which_nothing_changes():
    X = table()
    model = VarianceThreshold().partial_fit(X)
    support = model.get_support()
    model.partial_fit(np.tile(X[:1], (5, 1)))
    assert model.get_support().tolist() == support.tolist()
    assert model.certificate_.provenance.rows == len(X) + 5
