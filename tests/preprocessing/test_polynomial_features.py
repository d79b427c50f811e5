"""Products of columns beside scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
import sklearn.preprocessing as peer
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold import DataError, LinearRegression, PolynomialFeatures
from tenfold.sources import part_rows


@pytest.mark.parametrize("include_bias", [False, True])
@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_equals_scikit_learn(degree, interaction_only, include_bias):
    random = np.random.default_rng(degree)
    X = random.normal(size=(500, 4)) * [1, 100, 1e-3, 7]
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    options = {"interaction_only": interaction_only, "include_bias": include_bias}
    ours, theirs = PolynomialFeatures(degree, **options), peer.PolynomialFeatures(degree, **options)
    with part_rows(130):
        Z = ours.fit_transform(frame)
    np.testing.assert_allclose(Z, theirs.fit_transform(X), rtol=1e-15, atol=0)
    names = theirs.fit(frame).get_feature_names_out()
    assert ours.get_feature_names_out().tolist() == names.tolist()
    assert ours.n_output_features_ == theirs.n_output_features_ == Z.shape[1]


def test_hierarchical():
    """With every product come those it is made from: a shifted column spans the same functions."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    Z, moved = (PolynomialFeatures(3).fit_transform(x) for x in (X, X + 2.5))
    assert np.linalg.matrix_rank(np.hstack([Z, moved]), tol=1e-6) == Z.shape[1] == 10


def test_fewer_than_five_rows_to_a_term_are_warned_of():
    X = np.random.default_rng(1).normal(size=(25, 2))
    basis = PolynomialFeatures(2, include_bias=False)  # 5 terms
    with pytest.warns(UserWarning, match=r"only 4.8 rows to each of 5 terms, fewer than 5.* Remedy: a lower degree"):
        assert basis.fit(X[:24]).certificate_["few rows"].value == 24 / 5
    assert basis.fit(X).certificate_.get("few rows") is None
    assert basis.fit(X[:24], sample_weight=np.full(24, 2)).certificate_.get("few rows") is None
    line = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression())
    with pytest.warns(UserWarning, match="rows to each of 5 terms"):
        line.fit(X[:24], X[:24, 0])


def test_a_pipeline_of_ours_has_the_claim_too():
    X = np.random.default_rng(1).normal(size=(24, 2))
    line = tn.Pipeline([("basis", PolynomialFeatures(2)), ("model", LinearRegression(fit_intercept=False))])
    with pytest.warns(UserWarning, match="rows to each of 6 terms"):
        line.fit(X, X[:, 0])
    assert line.certificate_["basis: few rows"].value == 4


def test_a_source_is_transformed_part_by_part(tmp_path):
    X = np.random.default_rng(2).normal(size=(90, 2))
    pd.DataFrame(X, columns=["a", "b"]).to_parquet(tmp_path / "rows.parquet", row_group_size=20)
    source = tn.scan(tmp_path / "rows.parquet")
    basis = PolynomialFeatures(2).fit(source)
    np.testing.assert_array_equal(basis.transform(source).collect(), PolynomialFeatures(2).fit_transform(X))


def test_what_cannot_be_done_is_said():
    with pytest.raises(DataError, match=r"'x0\^3' is too large"):
        PolynomialFeatures(3).fit_transform([[1e150, 1.0]])
    with pytest.raises(ValueError, match="terms. Remedy: a lower degree"):
        PolynomialFeatures(9).fit(np.ones((3, 40)))
    with pytest.raises(ValueError, match="degree"):
        PolynomialFeatures(0).fit(np.ones((3, 4)))
