"""Frames that `set_output` makes of a ColumnTransformer: columns that pass keep their types, as in scikit-learn."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.compose
from sklearn import preprocessing

import tenfold as tn

ROWS = 30
FRAME = pd.DataFrame(
    {
        "town": np.array(["Rome", "Oslo", "Bern"])[np.arange(ROWS) % 3],
        "grade": pd.Categorical(np.array(["a", "b"])[np.arange(ROWS) % 2]),
        "rooms": np.arange(ROWS),
        "area": np.linspace(1, 9, ROWS, dtype=np.float32),
        "new": np.arange(ROWS) % 5 == 0,
        "price": np.linspace(5, 1, ROWS),
    },
    index=np.arange(ROWS) + 100,
)
Y = np.arange(ROWS) % 2
PASSED = ["town", "rooms", "area", "new", "grade"]


def branches(scaler):
    return {
        "text": [("same", "passthrough", PASSED), ("scale", scaler, ["price"])],
        "numbers": [("scale", scaler, ["price"]), ("same", "passthrough", ["rooms", "area", "new"])],
        "twice": [("one", "passthrough", ["rooms", "town"]), ("two", "passthrough", ["rooms"])],
    }


@pytest.mark.parametrize("name", ["text", "numbers", "twice"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_types_are_those_of_scikit_learn(library, name):
    ours = tn.ColumnTransformer(branches(tn.StandardScaler())[name]).set_output(transform=library)
    theirs = sklearn.compose.ColumnTransformer(branches(preprocessing.StandardScaler())[name])
    theirs.set_output(transform=library)
    X = FRAME if library == "pandas" else pl.DataFrame(FRAME)
    expected = theirs.fit_transform(X)
    for found in (ours.fit_transform(X), ours.transform(X)):
        if library == "pandas":
            pd.testing.assert_frame_equal(found, expected)
        else:
            assert found.schema == expected.schema
            assert found.to_pandas().equals(expected.to_pandas())


@pytest.mark.parametrize("form", ["array", "arrow", "other library"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_numbers_beside_text_are_numbers_whatever_the_rows_are(library, form):
    other = pl.DataFrame(FRAME) if library == "pandas" else FRAME
    X = {"array": FRAME.to_numpy(object), "arrow": pa.Table.from_pandas(FRAME), "other library": other}[form]
    columns = [("same", "passthrough", [0, 2]), ("scale", tn.StandardScaler(), [5])]
    found = tn.ColumnTransformer(columns).set_output(transform=library).fit_transform(X)
    found = found.to_pandas() if library == "polars" else found
    assert [pd.api.types.is_numeric_dtype(kind) for kind in found.dtypes] == [False, True, True]
    assert found.iloc[:, 0].tolist() == FRAME["town"].tolist()
    assert found.iloc[:, 1].tolist() == FRAME["rooms"].tolist()


def test_filled_in_numbers_beside_filled_in_text_are_numbers():
    X = FRAME.assign(price=FRAME["price"].where(FRAME["new"]), town=FRAME["town"].where(~FRAME["new"]))
    fill = tn.SimpleImputer(strategy="most_frequent")
    found = tn.ColumnTransformer([("fill", fill, ["town", "price"])]).set_output(transform="pandas").fit_transform(X)
    assert found["fill__price"].dtype == np.float64
    assert found["fill__town"].isna().sum() == 0


def test_training_rows_of_an_encoder_by_target_have_text_beside_them(tmp_path):
    """What `fit_transform` makes of text that passes is text, as `transform` makes it: a fit takes it, and predicts."""
    X = FRAME[["town", "grade", "price"]].astype({"grade": str})
    columns = tn.ColumnTransformer(
        [("mean", tn.TargetEncoder(), ["town"]), ("same", "passthrough", ["grade", "price"])]
    )
    assert columns.fit_transform(X, Y)[:, 1:].tolist() == X[["grade", "price"]].to_numpy(object).tolist()
    X.assign(y=Y).to_parquet(tmp_path / "x.parquet", row_group_size=7)
    rows = tn.scan(tmp_path / "x.parquet", target="y")
    assert columns.fit_transform(rows).collect()[:, 1:].tolist() == X[["grade", "price"]].to_numpy(object).tolist()
    model = tn.make_pipeline(columns, tn.HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3))
    expected = model.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(rows).predict_proba(rows).collect(), expected)
    framed = tn.make_pipeline(columns.set_output(transform="pandas"), model[-1])
    np.testing.assert_array_equal(framed.fit(X, Y).predict_proba(X), expected)
