"""The most frequent text, filled in before features of text and before encoders, wherever the imputer stands."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.impute as peer
from sklearn import feature_extraction, pipeline, preprocessing
from sklearn.model_selection import KFold, cross_val_score

import tenfold as tn
from tenfold.impute.text_values import TextValuesByColumn
from tenfold.sources import part_rows
from tenfold.testing import bits

NOTES = ["red fox", "red hen", None, "red hen", "hen house", None, "blue fox red", "red fox"] * 3
X = pd.DataFrame({"note": NOTES, "town": ["Rome", None, "Bern", "Rome", "Oslo", None, "Bern", "Oslo"] * 3})
NEW = pd.DataFrame({"note": [None, "a green fox", "hen"], "town": [None, "Oslo", "Bern"]})
Y = np.array([0, 1, 1, 1, 0, 1, 0, 0] * 3)


def often():
    return tn.SimpleImputer(strategy="most_frequent")


def filled(encoder):
    """scikit-learn's columns: the most frequent text, then an encoder."""
    steps = [peer.SimpleImputer(strategy="most_frequent")]
    if isinstance(encoder, feature_extraction.text.CountVectorizer):
        steps.append(preprocessing.FunctionTransformer(np.ravel))
    return pipeline.make_pipeline(*steps, encoder)


def dense(found):
    found = found.collect() if hasattr(found, "collect") else found
    return found.toarray() if hasattr(found, "toarray") else found


@pytest.fixture
def forms(tmp_path):
    """The same rows in all forms, by name, each with its target."""
    X.assign(y=Y).to_parquet(tmp_path / "x.parquet", row_group_size=7)

    def of(name):
        some = X[[name]]
        return {
            "array": (some.to_numpy(object), Y),
            "pandas": (some, Y),
            "polars": (pl.DataFrame(some), Y),
            "scanned": (tn.scan(some.assign(y=Y), target="y"), None),
            "parquet": (tn.scan(tmp_path / "x.parquet", target="y", columns=[name]), None),
        }

    return of


@pytest.mark.parametrize("form", ["array", "pandas", "polars", "scanned", "parquet"])
@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("note", tn.CountVectorizer(), feature_extraction.text.CountVectorizer()),
        ("note", tn.TextFeatures(), feature_extraction.text.TfidfVectorizer()),
        ("town", tn.OneHotEncoder(), preprocessing.OneHotEncoder()),
        ("town", tn.OrdinalEncoder(), preprocessing.OrdinalEncoder()),
    ],
)
def test_equals_scikit_learn_in_every_place(form, name, ours, theirs, forms, tmp_path):
    rows, y = forms(name)[form]
    theirs = filled(theirs).fit(X[[name]].to_numpy(object))
    at = 0 if form == "array" else name
    branch = tn.make_pipeline(often(), ours)
    models = [
        tn.make_pipeline(often(), ours),
        tn.ColumnTransformer([("words", branch, [at])]),
        tn.make_pipeline(tn.ColumnTransformer([("words", often(), [at])]), ours),
        tn.FeatureUnion([("words", branch)]),
    ]
    new = NEW[[name]].to_numpy(object) if form == "array" else NEW[[name]]
    for model in models:
        for given, columns in ((rows, X[[name]]), (new, NEW[[name]])):
            expected = dense(theirs.transform(columns.to_numpy(object)))
            np.testing.assert_allclose(dense(model.fit(rows, y).transform(given)), expected, rtol=1e-12)
        model.save(tmp_path / "model")
        np.testing.assert_array_equal(dense(tn.load(tmp_path / "model").transform(new)), dense(model.transform(new)))


def test_folds_and_members_learn_the_text_of_their_rows(forms):
    model = tn.make_pipeline(often(), tn.CountVectorizer(), tn.LogisticRegression(max_iter=1000))
    words = filled(feature_extraction.text.CountVectorizer())
    theirs = pipeline.make_pipeline(words, tn.LogisticRegression(max_iter=1000))
    expected = cross_val_score(theirs, X[["note"]].to_numpy(object), Y, cv=KFold(4), scoring="neg_log_loss")
    for form, (rows, y) in forms("note").items():
        new = NEW[["note"]].to_numpy(object) if form == "array" else NEW[["note"]]
        found = tn.cross_validate(model, rows, y, scoring="neg_log_loss", folds=KFold(4)).scores
        np.testing.assert_allclose(found.ravel(), expected, rtol=1e-6)
        vote = tn.VotingClassifier([("words", model), ("again", model)], voting="soft").fit(rows, y)
        np.testing.assert_allclose(vote.predict_proba(new), model.fit(rows, y).predict_proba(new))


def test_the_same_bits_in_any_parts_and_of_a_sum():
    branch = tn.ColumnTransformer([("words", tn.make_pipeline(often(), tn.TextFeatures()), ["note"])])
    whole = branch.fit(X)
    with part_rows(5):
        assert bits(branch.fit(X).model_) == bits(whole.model_)
    imputer = whole.named_transformers_["words"][0]
    assert imputer.statistics_.tolist() == ["red fox"]  # as often as "red hen", and before it
    assert imputer.certificate_["columns with gaps"].value == 1
    assert imputer.certificate_["modes in groups"].value == 0
    weighted = tn.ColumnTransformer([("words", tn.make_pipeline(often(), tn.TextFeatures()), ["note"])])
    heavy = np.where(X["note"] == "hen house", 9.0, 1.0)
    model = weighted.fit(tn.scan(X.assign(w=heavy), weight="w"))
    assert model.named_transformers_["words"][0].statistics_.tolist() == ["hen house"]


def test_several_columns_of_text_merge():
    statistic = TextValuesByColumn()

    class Chunk:
        def __init__(self, rows):
            self.X, self.weight = self, np.ones(len(rows))
            self.rows, self.shape = rows, rows.shape

        def column(self, j):
            return self.rows[:, j]

    values = X.astype(object).where(X.notna(), None).to_numpy()
    parts = [statistic.summarize(Chunk(values[a : a + 5])) for a in range(0, 24, 5)]
    whole, merged = statistic.summarize(Chunk(values)), parts[0]
    for part in parts[1:]:
        merged = merged + part
    assert bits(merged) == bits(whole)
    assert whole.columns[1] == {"Bern": 6.0, "Oslo": 6.0, "Rome": 6.0}
    assert whole.modes() == ["red fox", "Bern"]
    assert whole.missing.tolist() == [6.0, 6.0]
    assert statistic.summarize(Chunk(np.full((2, 2), None))).modes() == [None, None]


def test_a_column_without_texts():
    none = pd.DataFrame({"note": pd.Series([None, None], dtype="string")})
    columns = tn.ColumnTransformer([("words", tn.make_pipeline(often(), tn.CountVectorizer()), ["note"])])
    with pytest.raises(tn.DataError, match="column 'note'.*no row had a value of this column.*Remedy: leave it out"):
        columns.fit(none)
    kept = tn.SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    columns = tn.ColumnTransformer([("words", tn.make_pipeline(kept, tn.CountVectorizer()), ["note"])])
    assert columns.fit(none).get_feature_names_out().tolist() == ["words__missing_value"]
