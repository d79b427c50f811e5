"""The majority baseline against scikit-learn's, with weights, text, missing values and unseen categories."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier as Theirs
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.sources import part_rows


@pytest.mark.parametrize("strategy", ["prior", "most_frequent"])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(strategy, weighted):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(301, 2)), np.array(["a", "b", "c"])[random.choice(3, 301, p=[0.3, 0.5, 0.2])]
    weight = random.random(301) * random.integers(0, 2, 301) if weighted else None
    with part_rows(20):
        mine = tn.DummyClassifier(strategy).fit(X, y, sample_weight=weight)
    theirs = Theirs(strategy=strategy).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-14)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    np.testing.assert_allclose(mine.class_prior_, theirs.class_prior_, rtol=1e-14)


def test_the_certificate_says_the_training_error():
    X, y = np.zeros((10, 1)), np.repeat(["ham", "spam"], [7, 3])
    model = tn.DummyClassifier().fit(X, y)
    assert model.certificate_["training error"].value == pytest.approx(1 - model.score(X, y), abs=1e-15)


def test_takes_text_and_holes_and_values_it_has_not_seen():
    frame = pd.DataFrame({"word": ["x", None, "y", "x"], "number": [1.0, np.nan, 2.0, 3.0]})
    model = tn.DummyClassifier().fit(frame, [0, 1, 1, 1])
    new = pd.DataFrame({"word": ["never"], "number": [np.nan]})
    assert model.predict(new).tolist() == [1]


def test_folds_of_it_cost_what_folds_of_naive_bayes_cost():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(200, 3)), random.integers(0, 2, 200)
    cv = tn.cross_validate([tn.DummyClassifier(), tn.GaussianNB()], X, y, folds=5)
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    np.testing.assert_allclose(cv.scores[0, 0], cross_val_score(Theirs(), X, y, cv=StratifiedKFold(5)), atol=1e-15)


@pytest.mark.parametrize("strategy", ["most_frequent", "prior"])
def test_of_classes_as_frequent_but_for_rounding_the_first_is_said(strategy):
    """0.3 + 3 x 0.1 is more than 0.6, if one sums in floating point; the first class is said, whichever has more."""
    weight = [0.3, 0.1 * 3, 0.6]
    assert weight[0] + weight[1] > weight[2]
    for y in ([0, 0, 1], [1, 1, 0]):
        model = tn.DummyClassifier(strategy=strategy).fit(np.zeros((3, 1)), y, weight)
        assert model.predict([[0]]) == [0]


@pytest.mark.parametrize("kind", [tn.DummyClassifier, tn.DummyRegressor])
def test_columns_of_any_type(kind, tmp_path):
    """Dates and text beside numbers: in memory, over files, in folds beside a learner that reads columns."""
    when = pd.date_range("2020-01-01", periods=40)
    frame = pd.DataFrame({"when": when, "note": [f"note {i}" for i in range(40)], "size": np.arange(40.0)})
    frame["y"] = np.arange(40) % 4 // 3
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=7)
    X = frame.drop(columns="y")
    model, files = kind().fit(X, frame["y"]), tn.scan(tmp_path / "rows.parquet", target="y")
    np.testing.assert_array_equal(model.predict(X), kind().fit(files).predict(files).collect())
    np.testing.assert_array_equal(model.predict(X), model.predict(files).collect())
    assert model.n_features_in_ == 3
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(tn.load(tmp_path / "model").predict(X), model.predict(X))
    other = tn.LogisticRegression() if kind is tn.DummyClassifier else tn.Ridge()
    numbers = tn.ColumnTransformer([("numbers", tn.StandardScaler(), ["size"])])
    found = tn.cross_validate([kind(), make_pipeline(numbers, other), make_pipeline(numbers, kind())], files, folds=4)
    np.testing.assert_allclose(found.scores[0], found.scores[2], rtol=1e-12)


def test_after_a_transformer_and_in_a_vote():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    scaled = tn.StandardScaler().fit(X).transform(tn.scan(X, target=y))
    assert tn.DummyClassifier().fit(scaled).predict(scaled).collect().tolist() == [0] * 50
    vote = tn.VotingClassifier([("none", tn.DummyClassifier()), ("bayes", tn.GaussianNB())], voting="soft").fit(X, y)
    assert vote.predict(X).tolist() == tn.GaussianNB().fit(X, y).predict(X).tolist()


def test_a_column_of_dates_is_not_in_its_way():
    frame = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=6), "word": list("ababab")})
    assert tn.DummyClassifier().fit(frame, [0, 1, 1] * 2).predict(frame).tolist() == [1] * 6
