"""Numbers of categories beside scikit-learn's OrdinalEncoder."""

import numpy as np
import pandas as pd
import pytest
import sklearn.preprocessing as peer

import tenfold as tn
from tenfold import OrdinalEncoder
from tenfold.sources import part_rows
from tenfold.testing import bits


def frame(seed=0, rows=600):
    random = np.random.default_rng(seed)
    words = np.array(["a", "größe", "", "漢", " b"], dtype=object)
    return pd.DataFrame(
        {
            "text": words[np.minimum(random.geometric(0.5, rows) - 1, 4)],
            "whole": random.integers(-3, 4, rows),
            "half": random.integers(0, 3, rows) / 2,
        }
    )


@pytest.mark.parametrize("limits", [{}, {"min_frequency": 60}, {"min_frequency": 0.15}, {"max_categories": 3}])
def test_equals_scikit_learn(limits):
    X, new = frame(), frame(1)
    ours, theirs = OrdinalEncoder(**limits).fit(X), peer.OrdinalEncoder(**limits).fit(X)
    np.testing.assert_array_equal(ours.transform(new), theirs.transform(new))
    for a, b in zip(ours.categories_, theirs.categories_, strict=True):
        assert a.tolist() == b.tolist()
    if limits:
        for a, b in zip(ours.infrequent_categories_, theirs.infrequent_categories_, strict=True):
            assert (a is None and b is None) or a.tolist() == b.tolist()
    back = ours.inverse_transform(theirs.transform(new))
    assert back.tolist() == theirs.inverse_transform(theirs.transform(new)).tolist()
    assert ours.get_feature_names_out().tolist() == ["text", "whole", "half"]
    with part_rows(50):
        assert bits(OrdinalEncoder(**limits).fit(X).model_) == bits(ours.model_)


LISTS = [[" b", "漢", "", "größe", "a", "never"], [-3, -2, -1, 0, 1, 2, 3, 9], [0.0, 0.5, 1.0]]


@pytest.mark.parametrize("limits", [{}, {"min_frequency": 60}, {"max_categories": 3}])
def test_listed_categories_equal_scikit_learn(limits):
    X, new = frame(), frame(1)
    new.loc[3, "text"], new.loc[4, "whole"] = "never", 9
    given = {"categories": LISTS, **limits}
    ours, theirs = OrdinalEncoder(**given).fit(X), peer.OrdinalEncoder(**given).fit(X)
    np.testing.assert_array_equal(ours.transform(new), theirs.transform(new))
    assert [a.tolist() for a in ours.categories_] == [a.tolist() for a in theirs.categories_] == LISTS
    back = ours.inverse_transform(theirs.transform(new))
    assert back.tolist() == theirs.inverse_transform(theirs.transform(new)).tolist()


def test_rows_that_have_other_categories_than_those_listed():
    X = np.array([["a"], ["b"], [np.nan]], dtype=object)
    with pytest.raises(ValueError, match="unknown categories \\['b', nan\\] in column 'x0' during fit"):
        OrdinalEncoder(categories=[["a"]]).fit(X)
    given = {"categories": [["a"]], "handle_unknown": "use_encoded_value", "unknown_value": -1}
    assert OrdinalEncoder(**given).fit(X).transform(X).ravel().tolist() == [0.0, -1.0, -1.0]
    assert peer.OrdinalEncoder(**given).fit(X[:2]).transform(X).ravel().tolist() == [0.0, -1.0, -1.0]


NUMBERS = np.array([[1.0, 2.0], [np.nan, 1.0], [3.0, 1.0], [3.0, 2.0]])


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"encoded_missing_value": -1},
        {"min_frequency": 0.4},
        {"handle_unknown": "use_encoded_value", "unknown_value": -2},
        {"categories": [[1.0, 3.0, np.nan], [1.0, 2.0]]},
    ],
)
def test_missing_values_are_scikit_learns(given):
    ours, theirs = OrdinalEncoder(**given).fit(NUMBERS), peer.OrdinalEncoder(**given).fit(NUMBERS)
    for a, b in zip(ours.categories_, theirs.categories_, strict=True):
        np.testing.assert_array_equal(a, b)
    told = theirs.transform(NUMBERS)
    np.testing.assert_array_equal(ours.transform(NUMBERS), told)
    if "min_frequency" not in given:  # scikit-learn's fails
        back = ours.inverse_transform(told)
        assert back.dtype == np.float64
        np.testing.assert_array_equal(back, theirs.inverse_transform(told).astype(np.float64))


def test_a_missing_value_that_fitting_did_not_have_is_unknown():
    X = np.array([["a"], [None]], dtype=object)
    with pytest.raises(tn.DataError, match="Found unknown categories in column 'x0', the first in row 1"):
        OrdinalEncoder().fit([["a"], ["b"]]).transform(X)
    with pytest.raises(ValueError, match="Found unknown categories"):
        peer.OrdinalEncoder().fit([["a"], ["b"]]).transform(X)
    given = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
    for kind in (OrdinalEncoder, peer.OrdinalEncoder):
        assert kind(**given).fit([["a"], ["b"]]).transform(X).ravel().tolist() == [0.0, -1.0]


def test_booleans_stay_booleans_beside_missing_ones():
    X = pd.DataFrame({"b": pd.Series([True, False, None], dtype=object)})
    for model in (OrdinalEncoder(), tn.OneHotEncoder()):
        assert model.fit(X).categories_[0].tolist()[:2] == [False, True]
        assert model.categories_[0].dtype == object
        assert model.inverse_transform(model.transform(X)).ravel().tolist()[:2] == [True, False]


def test_numbers_come_back_as_numbers():
    X = frame()[["whole"]]
    model = OrdinalEncoder().fit(X)
    back = model.inverse_transform(model.transform(X))
    assert back.dtype == np.int64
    assert (back == X.to_numpy()).all()


def test_unknown_and_missing_categories():
    given = {"handle_unknown": "use_encoded_value", "unknown_value": -1, "encoded_missing_value": -2}
    X, new = (np.array([some], dtype=object).T for some in (["a", "b", np.nan], ["c", np.nan, "a"]))
    ours, theirs = OrdinalEncoder(**given).fit(X), peer.OrdinalEncoder(**given).fit(X)
    assert ours.transform(new).tolist() == theirs.transform(new).tolist() == [[-1], [-2], [0]]
    assert ours.inverse_transform(ours.transform(new)).tolist() == [[None], [None], ["a"]]
    assert np.isnan(OrdinalEncoder().fit(X).transform([[None]])).all()
    with pytest.raises(tn.DataError, match="unknown categories in column 'x0', the first in row 1.*unknown_value"):
        OrdinalEncoder().fit(X).transform([["a"], ["c"]])


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"unknown_value": -1}, "unknown_value must be"),
        ({"handle_unknown": "use_encoded_value"}, "unknown_value must be"),
        ({"handle_unknown": "use_encoded_value", "unknown_value": 1}, "unknown_value=1 is also the place.*'x0'"),
        ({"encoded_missing_value": 0}, "encoded_missing_value=0 is also the place.*'x0'"),
    ],
)
def test_values_that_mean_two_things_are_refused(given, what):
    with pytest.raises(ValueError, match=what):
        OrdinalEncoder(**given).fit([["a"], ["b"]])


def test_models_add_up_and_number_anew():
    a, b = OrdinalEncoder().fit([["b"], ["d"]]), OrdinalEncoder().fit([["a"], ["d"]])
    assert (a + b).transform([["a"], ["b"], ["d"]]).ravel().tolist() == [0.0, 1.0, 2.0]
    assert (a + b).value_count_.tolist() == [1.0, 1.0, 2.0]


def test_a_wrong_number_of_columns_to_transform_back():
    with pytest.raises(tn.DataError, match="not \\(rows, 1\\)"):
        OrdinalEncoder().fit([["b"], ["d"]]).inverse_transform([[0.0, 1.0]])


def test_a_source_is_encoded_when_it_is_read(tmp_path):
    X = frame()
    X.to_parquet(tmp_path / "x.parquet", row_group_size=100)
    rows = tn.scan(str(tmp_path / "x.parquet"))
    model = OrdinalEncoder().fit(rows)
    np.testing.assert_array_equal(model.transform(rows).collect(), model.transform(X))


@pytest.mark.parametrize("learner", [tn.OneHotEncoder, OrdinalEncoder, tn.TargetEncoder])
def test_dates_are_refused_with_a_remedy_that_is_no_encoder(learner):
    rows = pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2021-01-01"]), "a": ["u", "v"]})
    with pytest.raises(tn.DataError, match=r"'when' \(timestamp.*Remedy: .*\.astype\(str\), or .*DateParts\(\)") as e:
        learner().fit(rows, [0, 1])
    assert "OneHotEncoder" not in str(e.value)
    assert learner().fit(rows.astype(str), [0, 1]).transform(rows.astype(str)).shape[0] == 2
