"""Indicators beside scikit-learn: to the bit, with text, numbers, holes and unknown categories."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peer

import tenfold as tn
from tenfold import OneHot
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


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
def test_equals_scikit_learn(drop, sparse):
    X, new = frame(0), frame(1)
    ours = OneHot("error", drop, sparse).fit(X)
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
    assert OneHot().fit(X).value_count_.tolist() == sum(expected, [])


def test_a_missing_value_gives_zeros():
    X = np.array([["a", 1.0], [None, 2.0], ["b", np.nan], ["a", None]], dtype=object)
    Z = OneHot("error", sparse_output=False).fit_transform(X)
    assert Z.tolist() == [[1, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("drop", [None, "first"])
def test_a_column_without_a_value_has_no_indicators(drop):
    X = pd.DataFrame({"a": [1.0, 2.0], "gone": [np.nan, np.nan], "none": [None, None]})
    model = OneHot("error", drop).fit(X)
    assert model.transform(X).shape == (2, 2 if drop is None else 1)
    assert model.get_feature_names_out().tolist()[-1] == "a_2.0"
    assert model.certificate_["rarest category"].value == 1
    assert OneHot().fit(X[["gone"]]).certificate_.get("rarest category") is None


def test_unknown_categories():
    X = [["a", 1], ["b", 2]]
    X, new = np.array(X, dtype=object), np.array([["a", 2], ["c", 3]], dtype=object)
    for drop in (None, "first"):
        with pytest.raises(tn.DataError, match="unknown categories in column 'x0', the first in row 1"):
            OneHot("error", drop).fit(X).transform(new)
    found = OneHot("ignore", sparse_output=False).fit(X).transform(new)
    theirs = peer.OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(X).transform(new)
    np.testing.assert_array_equal(found, theirs)
    named = pd.DataFrame(X, columns=["word", "number"])
    with pytest.raises(tn.DataError, match="column 'number'"):
        OneHot("error").fit(named).transform(named.assign(number=[1, 9]))


def test_merging_unites_categories():
    X, new = frame(0), frame(1).assign(same=8, text="z")
    whole = OneHot().fit(pd.concat([X, new]))
    merged = OneHot().fit(X) + OneHot().fit(new)
    grown = OneHot().partial_fit(X).partial_fit(new)
    assert bits(whole.model_) == bits(merged.model_) == bits(grown.model_)
    assert merged.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert (merged.transform(new) != whole.transform(new)).nnz == 0
    binary = OneHot(drop="if_binary").fit([["a"], ["b"]])
    assert binary.transform([["b"]]).shape == (1, 1)
    assert (binary + OneHot(drop="if_binary").fit([["c"]])).transform([["b"]]).toarray().tolist() == [[0, 1, 0]]


def test_the_certificate_names_the_rarest():
    model = OneHot().fit([["a", "x"], ["b", "x"], ["c", "x"]], sample_weight=[2.0, 0.5, 1.0])
    assert model.certificate_["categories"].value == 3
    rarest = model.certificate_["rarest category"]
    assert (rarest.value, rarest.status, rarest.about) == (0.5, "proved", "data")
    assert "category number 1 of column number 0" in rarest.because


def test_frames_need_dense_output():
    X = frame()
    with pytest.raises(ValueError, match="sparse"):
        OneHot().set_output(transform="pandas").fit_transform(X)
    ours = OneHot(sparse_output=False).set_output(transform="pandas").fit_transform(X)
    theirs = peer.OneHotEncoder(sparse_output=False).set_output(transform="pandas").fit_transform(X)
    pd.testing.assert_frame_equal(ours, theirs)


def test_contract_of_dense_output():
    assert len(check_contract(OneHot(sparse_output=False), rows=7)) > 50


def test_round_trip(tmp_path):
    X = frame()
    X.loc[::5, "half"] = np.nan
    for number, model in enumerate((OneHot().fit(X), OneHot("error", "first", False).fit(X.to_numpy()))):
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
    ours = OneHot("error", drop, **limits).fit(X)
    theirs = peer.OneHotEncoder(drop=drop, **limits).fit(X)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    Z = theirs.transform(new)
    np.testing.assert_array_equal(dense(ours.transform(new)), dense(Z))
    for given in (Z, dense(Z)):
        assert ours.inverse_transform(given).tolist() == theirs.inverse_transform(given).tolist()


def test_an_unknown_category_may_count_as_a_rare_one():
    X = [["a"]] * 5 + [["b"], ["c"]]
    given = {"handle_unknown": "infrequent_if_exist", "sparse_output": False, "min_frequency": 2}
    ours, theirs = OneHot(**given).fit(X), peer.OneHotEncoder(**given).fit(X)
    new = [["a"], ["b"], ["never"]]
    assert ours.transform(new).tolist() == theirs.transform(new).tolist() == [[1, 0], [0, 1], [0, 1]]
    assert ours.infrequent_categories_[0].tolist() == ["b", "c"]
    assert OneHot("infrequent_if_exist", sparse_output=False).fit(X).transform([["never"]]).tolist() == [[0, 0, 0]]


def test_no_category_comes_back_as_none_or_is_refused():
    model = OneHot().fit([["a"], ["b"]])
    assert model.inverse_transform([[0, 0], [0, 1]]).tolist() == [[None], ["b"]]
    with pytest.raises(tn.DataError, match="row 0 has no category of column 'x0'"):
        OneHot("error").fit([["a"], ["b"]]).inverse_transform([[0, 0]])


def test_the_name_of_scikit_learn_has_its_defaults():
    ours, theirs = tn.OneHotEncoder().get_params(), peer.OneHotEncoder().get_params()
    assert ours.items() <= theirs.items()
    with pytest.raises(tn.DataError, match="unknown categories"):
        tn.OneHotEncoder().fit([["a"]]).transform([["b"]])


@pytest.mark.parametrize(("drop", "words"), [("first", ["a", "b", "c", None]), ("if_binary", ["a", "b", None])])
def test_a_missing_value_is_not_taken_for_the_dropped_category(drop, words):
    rows = np.array(words, dtype=object)[:, None]
    model = tn.OneHotEncoder(drop=drop, sparse_output=False).fit(rows)
    with pytest.raises(tn.DataError, match=f"'x0', row {len(words) - 1} is missing.*Remedy: drop=None"):
        model.transform(rows)
    assert model.transform(rows[:-1]).sum() == len(words) - 2
