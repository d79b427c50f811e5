"""FeatureUnion: what passes stands beside what transformers make of the same columns, as what it is."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import impute, pipeline, preprocessing
from sklearn.base import clone

import tenfold as tn

N = 60
X = pd.DataFrame(
    {
        "town": np.array(["Rome", "Oslo", "Bern", "Graz"])[np.arange(N) % 4],
        "grade": np.array(["a", "b", "c"])[np.arange(N) // 7 % 3],
        "rooms": np.arange(N) % 5,
    }
)
Y = ((X["town"] == "Oslo") ^ (X["grade"] == "b")).astype(int).to_numpy()


def unions(lib, imputer):
    """The same unions of either library, by name, each with the columns that it takes."""
    code = lib.OneHotEncoder(sparse_output=False)
    often = imputer(strategy="most_frequent")
    return {
        "text": ([("code", code), ("same", "passthrough")], ["town", "grade"]),
        "first": ([("same", "passthrough"), ("code", lib.OrdinalEncoder())], ["town", "grade"]),
        "mixed": ([("code", code), ("same", "passthrough")], ["town", "rooms"]),
        "numbers": ([("code", code), ("same", "passthrough")], ["rooms"]),
        "filled": ([("fill", often), ("same", "passthrough")], ["town", "rooms"]),
    }


@pytest.mark.parametrize("name", unions(tn, tn.SimpleImputer))
def test_what_passes_is_what_scikit_learn_passes(name, tmp_path):
    spec, columns = unions(tn, tn.SimpleImputer)[name]
    theirs = pipeline.FeatureUnion(unions(preprocessing, impute.SimpleImputer)[name][0])
    rows, gone = X[columns], X[columns].copy()
    if name == "filled":
        gone.loc[3:7, "town"] = np.nan
        rows = gone
    expected = theirs.fit_transform(rows).tolist()
    rows.assign(y=Y).to_parquet(tmp_path / "x.parquet", row_group_size=17)
    files = tn.scan(tmp_path / "x.parquet", target="y", columns=columns)
    for given in (rows, pl.from_pandas(rows), files):
        ours = tn.FeatureUnion(spec).fit(given)
        found = ours.transform(given)
        found = found.collect() if given is files else found
        assert [[v if v == v else None for v in row] for row in found.astype(object).tolist()] == [
            [v if v == v else None for v in row] for row in expected
        ]
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    ours.save(tmp_path / "model")
    assert np.array_equal(tn.load(tmp_path / "model").transform(X[columns]), ours.transform(X[columns]))


def test_categories_that_pass_are_categories_for_a_learner(tmp_path):
    union = tn.FeatureUnion([("code", tn.OrdinalEncoder()), ("same", "passthrough")])
    model = tn.make_pipeline(union, tn.HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=3))
    rows = X[["town", "grade"]]
    rows.assign(y=Y).to_parquet(tmp_path / "x.parquet", row_group_size=17)
    files = tn.scan(tmp_path / "x.parquet", target="y")
    expected = model.fit(rows, Y).predict_proba(rows)
    assert model[-1].is_categorical_.tolist() == [False, False, True, True]
    assert model.fit(files).predict_proba(rows).tobytes() == expected.tobytes()
    folds = {"folds": 3, "shuffle": False, "scoring": "neg_log_loss"}
    of_files = tn.cross_validate(model, files, **folds).scores
    np.testing.assert_allclose(tn.cross_validate(model, rows, Y, **folds).scores, of_files, rtol=1e-12)
    frame = clone(union).set_output(transform="pandas").fit_transform(rows)
    assert [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes] == [True, True, False, False]
    with pytest.raises(tn.DataError, match="'same__town' holds text, made by the step before. Remedy: put an encoder"):
        tn.make_pipeline(union, tn.StandardScaler()).fit(rows)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ([("count", tn.CountVectorizer()), ("same", "passthrough")], "as text for 'count', and unchanged for 'same'"),
        ([("same", "passthrough"), ("month", tn.DateParts())], "as dates for 'month', and unchanged for 'same'"),
        (
            [("code", tn.OneHotEncoder()), ("scale", tn.StandardScaler())],
            "categories for 'code', and as numbers for 's",
        ),
    ],
)
def test_columns_that_two_transformers_take_in_different_ways_are_refused(spec, said):
    """Numbers were read as codes of categories, beyond what there was."""
    with pytest.raises(ValueError, match=f"all columns enter .*{said}.*Remedy: ColumnTransformer, with a copy"):
        tn.FeatureUnion(spec).fit(X[["rooms"]])


def test_the_remedy_is_a_copy_under_another_name():
    rows = X.assign(text=X["town"], number=X["rooms"])
    both = tn.ColumnTransformer(
        [
            ("count", tn.CountVectorizer(), ["town"]),
            ("same", "passthrough", ["text"]),
            ("code", tn.OneHotEncoder(), ["rooms"]),
            ("scale", tn.StandardScaler(), ["number"]),
        ]
    )
    assert both.fit_transform(rows).shape == (N, 4 + 1 + 5 + 1)
    twice = [("count", tn.CountVectorizer(), ["town"]), ("same", "passthrough", ["town"])]
    with pytest.raises(
        ValueError, match="column 'town' enters as text for 'count', and unchanged for 'same'. Remedy: a"
    ):
        tn.ColumnTransformer(twice).fit(rows)
