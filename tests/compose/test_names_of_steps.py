"""Names of columns through all steps of a pipeline, whatever its rows were: those of scikit-learn's same steps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import compose, impute, linear_model, pipeline, preprocessing
from sklearn.base import clone

import tenfold as tn

N = 40
X = pd.DataFrame(
    {
        "size": np.where(np.arange(N) % 9, np.arange(N) * 0.5, np.nan),
        "same": 1.0,
        "town": np.array(["Rome", "Oslo", "Bern", "Rome", "Oslo"])[np.arange(N) % 5],
        "rooms": np.arange(N) % 7,
    }
)
Y = np.arange(N) % 4 + 0.1 * X["rooms"].to_numpy()


def branches(lib, imputer):
    numbers = ["size", "same"]
    code = lib.OneHotEncoder(sparse_output=False, drop="first")
    return [("num", imputer(add_indicator=True), numbers), ("cat", code, ["town"]), ("rest", "passthrough", ["rooms"])]


def steps(lib, imputer, transformer, whole):
    columns = transformer(branches(lib, imputer))
    return {
        "scaled": [columns, lib.StandardScaler(), lib.MinMaxScaler()],
        "products": [columns, lib.StandardScaler(), lib.PolynomialFeatures(2, include_bias=False)],
        "nested": [whole(columns, lib.StandardScaler()), lib.MaxAbsScaler()],
        "passed by": [columns, "passthrough", lib.StandardScaler()],
    }


OURS = steps(tn, tn.SimpleImputer, tn.ColumnTransformer, tn.make_pipeline)
THEIRS = steps(preprocessing, impute.SimpleImputer, compose.ColumnTransformer, pipeline.make_pipeline)


@pytest.mark.parametrize("name", OURS)
def test_names_are_those_of_scikit_learn(name, tmp_path):
    theirs = pipeline.make_pipeline(*clone(THEIRS[name], safe=False), linear_model.Ridge()).fit(X, Y)
    expected = theirs[:-1].get_feature_names_out().tolist()
    X.assign(y=Y).to_parquet(tmp_path / "x.parquet", row_group_size=11)
    forms = [(X, Y), (pl.from_pandas(X), Y), (tn.scan(X.assign(y=Y), target="y"),)]
    for rows in (*forms, (tn.scan(tmp_path / "x.parquet", target="y"),)):
        ours = tn.make_pipeline(*clone(OURS[name], safe=False), tn.Ridge()).fit(*rows)
        assert ours[:-1].get_feature_names_out().tolist() == expected
        terms = [row[0] for row in ours.summary().rows]
        assert terms == [*expected, "intercept"]
        ours.save(tmp_path / "model")
        loaded = tn.load(tmp_path / "model")
        assert loaded[:-1].get_feature_names_out().tolist() == expected
        assert [row[0] for row in loaded.summary().rows] == terms


def test_names_of_an_array_are_the_numbers_of_its_columns():
    rows = X[["size", "same", "rooms"]].to_numpy()
    ours = tn.make_pipeline(tn.SimpleImputer(add_indicator=True), tn.StandardScaler(), tn.Ridge()).fit(rows, Y)
    theirs = pipeline.make_pipeline(impute.SimpleImputer(add_indicator=True), preprocessing.StandardScaler())
    expected = theirs.fit(rows, Y).get_feature_names_out().tolist()
    assert ours[:-1].get_feature_names_out().tolist() == expected
    assert [row[0] for row in ours.summary().rows] == [*expected, "intercept"]


def test_a_certificate_names_the_columns_that_the_steps_before_make():
    rows = X.assign(town=np.where(X["town"] == "Bern", "Graz", X["town"]))
    columns = tn.ColumnTransformer([("num", "passthrough", ["rooms"]), ("cat", tn.OneHotEncoder(), ["town"])])
    model = tn.make_pipeline(columns, tn.KBinsDiscretizer(3), tn.NaiveBayes()).fit(rows, Y > 2)
    said = model.certificate_["columntransformer: cat: rarest category"].because
    assert "of column 'town'" in said  # the first of the columns of its transformer, the second of all
    own = tn.make_pipeline(tn.OrdinalEncoder(), tn.OneHotEncoder()).fit(rows[["town"]])
    assert "of column 'x0'" in own[-1].certificate_["rarest category"].because
    assert "of column 'town'" in own.certificate_["rarest category"].because
    assert model[:1].fit(rows).certificate_["cat: rarest category"].because == said
