"""Columns by their scores, beside scikit-learn: the same scores, p-values and columns."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import feature_selection as theirs
from sklearn.model_selection import GridSearchCV

import tenfold as tn
from tenfold.feature_selection import SelectKBest, SelectPercentile

rng = np.random.default_rng(0)
CLASSES = rng.integers(0, 3, 400)
SCALES, MEANS, SHIFTS = [1, 1e-3, 100, 1, 1, 1, 1], [0, 0, 50, 1, 2, 3, 4], [1, 0, 9, 0.1, 0.1, 0.1, 0.1]
NUMBERS = rng.normal(size=(400, 7)) * SCALES + MEANS + np.outer(CLASSES, SHIFTS)
COUNTS = rng.poisson(2, (400, 7)) + np.outer(CLASSES, [1, 0, 2, 0, 0, 0, 0])
TARGET = NUMBERS @ [1, 2, 0, 3, 0, 0, 1] + rng.normal(size=400)
CASES = {"f_classif": (NUMBERS, CLASSES), "f_regression": (NUMBERS, TARGET), "chi2": (COUNTS, CLASSES)}


@pytest.mark.quick
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("sparse", [False, True])
def test_scores_and_p_values_are_scikit_learns(name, sparse):
    X, y = CASES[name]
    X = sp.csr_array(np.where(X > 0, X, 0)) if sparse else X
    func = getattr(theirs, name)
    for ours, other in (
        (SelectKBest(name, k=3), theirs.SelectKBest(func, k=3)),
        (SelectKBest(func, k="all"), theirs.SelectKBest(func, k="all")),
        (SelectPercentile(func, percentile=40), theirs.SelectPercentile(func, percentile=40)),
        (SelectPercentile(name, percentile=100), theirs.SelectPercentile(func, percentile=100)),
    ):
        ours.fit(X, y), other.fit(X, y)
        np.testing.assert_allclose(ours.scores_, other.scores_, rtol=1e-9)
        np.testing.assert_allclose(ours.pvalues_, other.pvalues_, rtol=1e-7, atol=1e-300)
        np.testing.assert_array_equal(ours.get_support(), other.get_support())
        found, expected = ours.transform(X), other.transform(X)
        assert sp.issparse(found) == sparse
        if sparse:
            found, expected = found.toarray(), expected.toarray()
        np.testing.assert_array_equal(found, expected)


def test_classes_in_words_and_parts():
    words = np.array(["a", "b", "c"])[CLASSES]
    whole = SelectKBest(k=2).fit(NUMBERS, words)
    np.testing.assert_allclose(whole.scores_, theirs.f_classif(NUMBERS, words)[0], rtol=1e-9)
    for name, (X, y) in CASES.items():
        halves = SelectKBest(name, k=2).fit(X[:150], y[:150]) + SelectKBest(name, k=2).fit(X[150:], y[150:])
        np.testing.assert_allclose(halves.scores_, SelectKBest(name, k=2).fit(X, y).scores_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:Features .* are constant", "ignore:invalid value", "ignore:divide by zero")
def test_columns_that_do_not_change():
    X = np.column_stack([np.full(400, 0.5), NUMBERS[:, 0], CLASSES == 1, np.zeros(400)]).astype(float)
    ours, other = SelectKBest(k=2).fit(X, CLASSES), theirs.SelectKBest(k=2).fit(X, CLASSES)
    np.testing.assert_allclose(ours.scores_, other.scores_, rtol=1e-9)
    assert np.isnan(ours.scores_[[0, 3]]).all()
    assert ours.get_support().tolist() == [False, True, True, False]
    ours, other = SelectKBest("f_regression", k=2).fit(X, TARGET), theirs.f_regression(X, TARGET)
    np.testing.assert_allclose(ours.scores_, other[0], rtol=1e-9)
    assert ours.pvalues_[0] == other[1][0] == 1.0
    perfect = SelectKBest("f_regression", k=1).fit(X[:, 1:2], 2 * X[:, 1])
    assert perfect.scores_[0] > 1e12
    assert perfect.pvalues_[0] == 0.0


def test_equal_scores_leave_the_columns_that_scikit_learn_leaves():
    X = NUMBERS[:, [0, 1, 1, 1, 2, 2]]
    for k in range(1, 7):
        ours, other = SelectKBest(k=k).fit(X, CLASSES), theirs.SelectKBest(k=k).fit(X, CLASSES)
        np.testing.assert_array_equal(ours.get_support(), other.get_support())
    for share in (20, 34, 50, 75):
        ours = SelectPercentile(percentile=share).fit(X, CLASSES)
        other = theirs.SelectPercentile(percentile=share).fit(X, CLASSES)
        np.testing.assert_array_equal(ours.get_support(), other.get_support())


def test_what_is_refused():
    with pytest.raises(tn.ParameterError, match="score_func='mutual_info_classif' is not one.*Remedy"):
        SelectKBest(theirs.mutual_info_classif).fit(NUMBERS, CLASSES)
    with pytest.raises(tn.ParameterError, match="score_func='gini'"):
        SelectPercentile("gini").fit(NUMBERS, CLASSES)
    with pytest.raises(ValueError, match="no column is left"):
        SelectKBest(k=0).fit(NUMBERS, CLASSES)
    with pytest.raises(ValueError, match="Negative values"):
        SelectKBest("chi2", k=1).fit(NUMBERS - 10, CLASSES)
    with pytest.raises(ValueError, match="NaN"):
        SelectKBest(k=1).fit(np.where(NUMBERS > 2, np.nan, NUMBERS), CLASSES)
    with pytest.warns(UserWarning, match="k=9 is greater than n_features=7"):
        assert SelectKBest(k=9).fit(NUMBERS, CLASSES).get_support().all()


def test_files_model_files_and_names(tmp_path):
    for name, (X, y) in CASES.items():
        frame = pd.DataFrame(X, columns=list("abcdefg")).assign(y=y)
        frame.to_parquet(tmp_path / f"{name}.parquet")
        rows = tn.scan(tmp_path / f"{name}.parquet", target="y")
        by_file, by_frame = SelectKBest(name, k=2).fit(rows), SelectKBest(name, k=2).fit(frame.drop(columns="y"), y)
        assert by_file.scores_.tobytes() == by_frame.scores_.tobytes()
        by_function = SelectKBest(getattr(theirs, name), k=2).fit(frame.drop(columns="y"), y)
        by_function.save(tmp_path / "model.tenfold")
        loaded = tn.load(tmp_path / "model.tenfold")
        assert loaded.score_func is getattr(theirs, name)
        assert loaded.get_feature_names_out().tolist() == by_frame.get_feature_names_out().tolist()
        shown = by_frame.set_output(transform="pandas").transform(frame.drop(columns="y"))
        assert list(shown.columns) == loaded.get_feature_names_out().tolist()


def test_in_pipelines_and_searches():
    frame = pd.DataFrame(NUMBERS, columns=list("abcdefg"))
    pipe = tn.make_pipeline(tn.StandardScaler(), SelectKBest(k=2), tn.GaussianNB())
    search = GridSearchCV(pipe, {"selectkbest__k": [1, "all"]}, cv=3).fit(frame, CLASSES)
    assert search.best_params_["selectkbest__k"] == 1
    assert tn.cross_validate(pipe, frame, CLASSES, folds=3).scores.shape == (1, 1, 3)
    columns = tn.ColumnTransformer([("best", SelectKBest(k=1), ["a", "b"]), ("rest", "passthrough", ["c"])])
    assert columns.fit(frame, CLASSES).get_feature_names_out().tolist() == ["best__a", "rest__c"]


@pytest.mark.parametrize("percentile", [10, 30, 50, 70, 90])
@pytest.mark.parametrize("infinite", [1, 2, 3])
def test_percentiles_of_infinite_scores(infinite, percentile):
    """Columns that tell the classes apart without an error have infinite scores, as in scikit-learn."""
    y = np.tile([0.0, 1.0], 20)
    X = np.random.default_rng(0).normal(size=(40, 6))
    X[:, :infinite] = y[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = tn.SelectPercentile(percentile=percentile).fit(X, y)
    kept = ours.get_support()
    assert kept.sum() - int(6 * percentile / 100) in (0, 1)  # those above the percentile, at least as many as asked
    assert ours.scores_[kept].min(initial=np.inf) >= ours.scores_[~kept].max(initial=0)


def test_columns_that_say_the_same_are_tied_whatever_rounding_adds():
    """A column of booleans and its complement have one score; their sums are rounded differently."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 17).astype(float)
        one = rng.random(17) < 0.6
        X = np.column_stack([one, ~one, one * 3.0, 0.1 - 0.7 * one])
        whole = [SelectKBest(k=2).fit(X, y), SelectPercentile(percentile=30).fit(X, y)]
        for cut in (5, 9):
            for a, b in zip(whole, [SelectKBest(k=2), SelectPercentile(percentile=30)], strict=True):
                merged = b.partial_fit(X[:cut], y[:cut]).partial_fit(X[cut:], y[cut:])
                assert merged.get_support().tolist() == a.get_support().tolist()
