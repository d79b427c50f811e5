"""Indicators beside scikit-learn: to the bit, with text, numbers, holes and unknown categories."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peer
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold import OneHotEncoder
from tenfold.sources import part_rows
from tenfold.testing import bits, check_contract


def frame(seed=0, rows=3000):
    random = np.random.default_rng(seed)
    words = np.array(["a", "größe", "", "漢", " b"], dtype=object)
    return pd.DataFrame(
        {
            "text": words[random.integers(0, 5, rows)],
            "two": np.array(["no", "yes"], dtype=object)[random.integers(0, 2, rows)],
            "whole": random.integers(-3, 4, rows),
            "half": random.integers(0, 3, rows) / 2,
            "flag": random.integers(0, 2, rows).astype(bool),
            "same": np.full(rows, 7),
        }
    )


@pytest.mark.quick
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
def test_equals_scikit_learn(drop, sparse):
    X, new = frame(0), frame(1)
    ours = OneHotEncoder(drop=drop, sparse_output=sparse).fit(X)
    theirs = peer.OneHotEncoder(drop=drop, sparse_output=sparse).fit(X)
    for a, b in zip(ours.categories_, theirs.categories_, strict=True):
        assert a.tolist() == b.tolist()
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    with part_rows(100):
        in_parts = ours.transform(new)
    for found in (ours.transform(new), in_parts):
        assert found.dtype == np.float64
        assert sp.issparse(found) == sparse
        if sparse:
            assert found.format == "csr"
            assert found.has_canonical_format
        np.testing.assert_array_equal(dense(found), dense(theirs.transform(new)))


def dense(Z):
    return Z.toarray() if sp.issparse(Z) else Z


def test_counts_are_those_of_pandas():
    X = frame()
    expected = [X[name].value_counts().sort_index().tolist() for name in X]
    assert OneHotEncoder(handle_unknown="ignore").fit(X).value_count_.tolist() == sum(expected, [])


def test_a_missing_value_gives_zeros():
    X = np.array([["a", 1.0], [None, 2.0], ["b", np.nan], ["a", None]], dtype=object)
    Z = OneHotEncoder(handle_missing="ignore", sparse_output=False).fit_transform(X)
    assert Z.tolist() == [[1, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("drop", [None, "first"])
def test_a_column_without_a_value_has_no_indicators(drop):
    X = pd.DataFrame({"a": [1.0, 2.0], "gone": [np.nan, np.nan], "none": [None, None]})
    model = OneHotEncoder(drop=drop, handle_missing="ignore").fit(X)
    assert model.transform(X).shape == (2, 2 if drop is None else 1)
    assert model.get_feature_names_out().tolist()[-1] == "a_2.0"
    assert model.certificate_["rarest category"].value == 1
    assert OneHotEncoder(handle_missing="ignore").fit(X[["gone"]]).certificate_.get("rarest category") is None


def test_unknown_categories():
    X = [["a", 1], ["b", 2]]
    X, new = np.array(X, dtype=object), np.array([["a", 2], ["c", 3]], dtype=object)
    for drop in (None, "first"):
        with pytest.raises(tn.DataError, match="unknown categories in column 'x0', the first in row 1"):
            OneHotEncoder(drop=drop).fit(X).transform(new)
    found = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(X).transform(new)
    theirs = peer.OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(X).transform(new)
    np.testing.assert_array_equal(found, theirs)
    named = pd.DataFrame(X, columns=["word", "number"])
    with pytest.raises(tn.DataError, match="column 'number'"):
        OneHotEncoder().fit(named).transform(named.assign(number=[1, 9]))


def test_merging_unites_categories():
    X, new = frame(0), frame(1).assign(same=8, text="z")
    whole = OneHotEncoder(handle_unknown="ignore").fit(pd.concat([X, new]))
    merged = OneHotEncoder(handle_unknown="ignore").fit(X) + OneHotEncoder(handle_unknown="ignore").fit(new)
    grown = OneHotEncoder(handle_unknown="ignore").partial_fit(X).partial_fit(new)
    assert bits(whole.model_) == bits(merged.model_) == bits(grown.model_)
    assert merged.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert (merged.transform(new) != whole.transform(new)).nnz == 0
    binary = OneHotEncoder(drop="if_binary").fit([["a"], ["b"]])
    assert binary.transform([["b"]]).shape == (1, 1)
    assert (binary + OneHotEncoder(drop="if_binary").fit([["c"]])).transform([["b"]]).toarray().tolist() == [[0, 1, 0]]


def test_the_certificate_names_the_rarest():
    model = OneHotEncoder().fit([["a", "x"], ["b", "x"], ["c", "x"]], sample_weight=[2.0, 0.5, 1.0])
    assert model.certificate_["categories"].value == 3
    rarest = model.certificate_["rarest category"]
    assert (rarest.value, rarest.status, rarest.about) == (0.5, "proved", "data")
    assert "category 'b' of column 'x0'" in rarest.because


def test_frames_need_dense_output():
    X = frame()
    with pytest.raises(ValueError, match="sparse"):
        OneHotEncoder(handle_unknown="ignore").set_output(transform="pandas").fit_transform(X)
    ours = OneHotEncoder(handle_unknown="ignore", sparse_output=False).set_output(transform="pandas").fit_transform(X)
    theirs = peer.OneHotEncoder(sparse_output=False).set_output(transform="pandas").fit_transform(X)
    pd.testing.assert_frame_equal(ours, theirs)


@pytest.mark.quick
def test_contract_of_dense_output():
    assert len(check_contract(OneHotEncoder(handle_unknown="ignore", sparse_output=False), rows=7)) > 50


def test_round_trip(tmp_path):
    X = frame()
    X.loc[::5, "half"] = np.nan
    for number, model in enumerate(
        (
            OneHotEncoder(handle_missing="ignore").fit(X),
            OneHotEncoder(drop="first", sparse_output=False).fit(X.to_numpy()),
        )
    ):
        path = tmp_path / str(number)
        model.save(path)
        again = tn.load(path)
        assert (bits(again.model_), bits(again.summary_)) == (bits(model.model_), bits(model.summary_))
        assert again.verify().origin == "verified"
        assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
        given = X if number == 0 else X.to_numpy()
        np.testing.assert_array_equal(dense(again.transform(given)), dense(model.transform(given)))


@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
@pytest.mark.parametrize("limits", [{"min_frequency": 430}, {"min_frequency": 0.143}, {"max_categories": 2}, {}])
def test_rare_categories_and_the_way_back_equal_scikit_learn(limits, drop):
    X, new = frame(0), frame(1, 200)
    ours = OneHotEncoder(drop=drop, **limits).fit(X)
    theirs = peer.OneHotEncoder(drop=drop, **limits).fit(X)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    Z = theirs.transform(new)
    np.testing.assert_array_equal(dense(ours.transform(new)), dense(Z))
    for given in (Z, dense(Z)):
        assert ours.inverse_transform(given).tolist() == theirs.inverse_transform(given).tolist()


def test_an_unknown_category_may_count_as_a_rare_one():
    X = [["a"]] * 5 + [["b"], ["c"]]
    given = {"handle_unknown": "infrequent_if_exist", "sparse_output": False, "min_frequency": 2}
    ours, theirs = OneHotEncoder(**given).fit(X), peer.OneHotEncoder(**given).fit(X)
    new = [["a"], ["b"], ["never"]]
    assert ours.transform(new).tolist() == theirs.transform(new).tolist() == [[1, 0], [0, 1], [0, 1]]
    assert ours.infrequent_categories_[0].tolist() == ["b", "c"]
    assert OneHotEncoder(handle_unknown="infrequent_if_exist", sparse_output=False).fit(X).transform(
        [["never"]]
    ).tolist() == [[0, 0, 0]]


def test_no_category_comes_back_as_none_or_is_refused():
    model = OneHotEncoder(handle_unknown="ignore").fit([["a"], ["b"]])
    assert model.inverse_transform([[0, 0], [0, 1]]).tolist() == [[None], ["b"]]
    with pytest.raises(tn.DataError, match="row 0 has no category of column 'x0'"):
        OneHotEncoder().fit([["a"], ["b"]]).inverse_transform([[0, 0]])


def test_the_name_of_scikit_learn_has_its_defaults():
    ours, theirs = OneHotEncoder().get_params(), peer.OneHotEncoder().get_params()
    assert ours.items() <= {**theirs, "handle_missing": "category"}.items()
    with pytest.raises(tn.DataError, match="unknown categories"):
        OneHotEncoder().fit([["a"]]).transform([["b"]])


LISTS = [["d", "b", "a", "c", "never"], ["yes", "no"], [0.0, 0.5, 1.0, 1.5]]
WITH_MISSING = [["d", "b"], ["yes", "no", np.nan], [0.0, 0.5, 1.0, 1.5, 2.0, np.nan]]


def few(seed, gaps, rows=80):
    random = np.random.default_rng(seed)
    words = np.array(["a", "b", "c", "d"], dtype=object)
    X = pd.DataFrame(
        {
            "text": words[np.minimum(random.geometric(0.5, rows) - 1, 3)],
            "two": np.array(["no", "yes"], dtype=object)[random.integers(0, 2, rows)],
            "half": random.integers(0, 4, rows) / 2,
        }
    )
    for name in X if gaps else ():
        X.loc[random.random(rows) < 0.1, name] = np.nan
    return X


def same(a, b):
    a, b = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    return a.shape == b.shape and all(x == y or (x != x and y != y) for x, y in zip(a.flat, b.flat, strict=True))


def answer(call, rows):
    try:
        return call(rows)
    except ValueError:
        return None


@pytest.mark.filterwarnings("ignore:Found unknown categories")  # theirs
@pytest.mark.parametrize("handle_unknown", ["error", "ignore", "infrequent_if_exist"])
@pytest.mark.parametrize("drop", [None, "first", "if_binary", ["b", "yes", 1.0], ["b", "no", np.nan]])
@pytest.mark.parametrize("categories", ["auto", LISTS, WITH_MISSING])
def test_listed_dropped_and_missing_categories_equal_scikit_learn(categories, drop, handle_unknown):
    given = {"categories": categories, "drop": drop, "handle_unknown": handle_unknown, "sparse_output": False}
    for limits in ({}, {"min_frequency": 7}, {"max_categories": 3}):
        for gaps in (False, True):
            X = few(0, gaps)
            ours, theirs = (answer(kind(**given, **limits).fit, X) for kind in (OneHotEncoder, peer.OneHotEncoder))
            assert (ours is None) == (theirs is None)
            if ours is None:
                continue
            assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
            assert all(same(a, b) for a, b in zip(ours.categories_, theirs.categories_, strict=True))
            assert same(ours.drop_idx_, theirs.drop_idx_)
            for new in (few(1, False), few(1, True)):
                found, expected = (answer(model.transform, new) for model in (ours, theirs))
                assert (found is None) == (expected is None)
                if expected is not None:
                    np.testing.assert_array_equal(found, expected)


def test_the_way_back_from_a_missing_and_from_a_dropped_category():
    X = few(0, True)
    for drop in (None, "first", ["b", "no", np.nan]):
        given = {"drop": drop, "categories": [["d", "b", "a", "c", np.nan], ["yes", "no", np.nan], WITH_MISSING[2]]}
        ours, theirs = OneHotEncoder(**given).fit(X), peer.OneHotEncoder(**given).fit(X)
        assert same(ours.inverse_transform(ours.transform(X)), X)
        assert same(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)))


def test_listed_categories_are_the_same_in_parts_merged_in_files_and_beside_others(tmp_path):
    X = few(0, True)
    given = {"categories": WITH_MISSING, "handle_unknown": "ignore", "drop": np.array(["b", "no", 0.5], dtype=object)}
    whole = OneHotEncoder(**given).fit(X)
    with part_rows(7):
        assert bits(OneHotEncoder(**given).fit(X).model_) == bits(whole.model_)
    merged = OneHotEncoder(**given).fit(X[:30]) + OneHotEncoder(**given).fit(X[30:])
    assert bits(merged.model_) == bits(whole.model_)
    whole.save(tmp_path / "model")
    again = tn.load(tmp_path / "model")
    assert again.verify().origin == "verified"
    assert (again.transform(X) != whole.transform(X)).nnz == 0
    X.to_parquet(tmp_path / "x.parquet", row_group_size=20)
    rows = tn.scan(str(tmp_path / "x.parquet"))
    beside = tn.ColumnTransformer([("c", OneHotEncoder(**given), ["text", "two", "half"])]).fit(rows)
    new = few(1, True).assign(text="d")  # a category that is listed, and that no row need have had
    np.testing.assert_array_equal(dense(beside.transform(new)), dense(whole.transform(new)))
    together = tn.fit_together([OneHotEncoder(**given)], rows)[0]
    assert bits(together.model_) == bits(whole.model_)


def test_folds_know_listed_categories():
    X = few(0, False)[["text"]]
    y = (X["text"] == "a").to_numpy(float)
    encoder = OneHotEncoder(categories=[["a", "b", "c", "d", "never"]])
    ours = tn.cross_validate(make_pipeline(encoder, tn.Ridge()), X, y, folds=4)
    assert ours.scores.min() > 0.9


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"categories": [["a"]]}, "categories lists those of 1 columns, and there are 2"),
        ({"categories": [["a", "b"], ["x", "x"]]}, "In column 1, the predefined categories contain duplicate"),
        ({"categories": [["a", "b"], ["x", 1]]}, "column number 1 are text and numbers"),
        ({"categories": [["a", "b"], [2, 1]]}, "Unsorted categories"),
        ({"categories": [["a", "b"], [1, 2]]}, "column 'x1' holds text on one side and numbers on the other"),
        ({"categories": [["a", None, "b"], ["x"]]}, "Nan should be the last"),
        ({"categories": [["a"], ["x"]]}, "Found unknown categories \\['b'\\] in column 'x0' during fit"),
        ({"drop": ["a"]}, "`drop` should have one category for each of the 2 columns"),
        ({"drop": ["a", "y"]}, "column 'x1' has no category 'y' to leave out"),
        ({"drop": ["b", "x"], "min_frequency": 2}, "Unable to drop category 'b'"),
    ],
)
def test_lists_that_do_not_fit_are_refused(given, what):
    rows = np.array([["a", "x"], ["a", "x"], ["b", "x"]], dtype=object)
    with pytest.raises(ValueError, match=what):
        OneHotEncoder(**given).fit(rows)


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(handle_unknown="ignore", drop="first"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        tn.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    ],
)
def test_a_category_of_the_scored_fold_alone_is_unknown(encoder):
    """The folds of `cross_validate` are those of scikit-learn's, which encodes each fold by itself."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"letter": np.r_[["c"] * 6, random.choice(list("abe"), 54)]})
    y = frame["letter"].map(ord).to_numpy() - 97 + random.normal(size=60) / 10
    model = make_pipeline(encoder, tn.Ridge())
    found = tn.cross_validate(model, frame, y, cv=KFold(3)).scores.ravel()
    np.testing.assert_allclose(found, cross_val_score(model, frame, y, cv=KFold(3)), rtol=1e-9)


def test_an_unknown_category_of_a_fold_is_refused_if_it_is_an_error():
    frame = pd.DataFrame({"letter": ["c", "a", "b", "a", "b", "a"]})
    with pytest.raises(tn.DataError, match=r"unknown categories in column 'letter'.*handle_unknown=\"ignore\""):
        tn.cross_validate(make_pipeline(OneHotEncoder(), tn.Ridge()), frame, np.arange(6.0), cv=KFold(2))


def test_what_might_be_filled_in_is_no_category_until_it_is():
    frame = pd.DataFrame({"letter": ["x", "y", "x", "y"]})
    fill = tn.SimpleImputer(strategy="constant", fill_value="missing")
    for encoder in (tn.OrdinalEncoder(), OneHotEncoder(drop="first", sparse_output=False)):
        both = tn.ColumnTransformer([("c", tn.make_pipeline(fill, encoder), ["letter"])])
        np.testing.assert_array_equal(both.fit_transform(frame), encoder.fit_transform(frame))
