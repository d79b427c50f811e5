"""Scores by a parameter, against scikit-learn's validation_curve, from arrays, frames, sources and pipelines."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.model_selection import validation_curve as theirs
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tenfold as tn
from tenfold.sources import part_rows


def numbers(n=211, p=6, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p))
    return X, X @ random.normal(size=p) + random.normal(size=n)


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error", "neg_mean_absolute_error"])
def test_ridge_equals_scikit_learn(scoring):
    X, y = numbers()
    alphas = [0.01, 10.0, 1000.0]
    with part_rows(30):
        found = tn.validation_curve(
            tn.Ridge(), X, y, param_name="alpha", param_range=alphas, folds=5, scoring=scoring
        )  # fmt: skip
    train, test = theirs(Ridge(), X, y, param_name="alpha", param_range=alphas, cv=KFold(5), scoring=scoring)
    np.testing.assert_allclose(found.train_scores, train, rtol=1e-9)
    np.testing.assert_allclose(found.test_scores, test, rtol=1e-9)
    assert found.scans == (1 if "squared" in scoring or scoring == "r2" else 2)
    assert (found.sizes.sum(axis=2) == 211).all()


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "f1_macro"])
def test_naive_bayes_equals_scikit_learn_in_any_form(scoring, tmp_path):
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + random.normal(size=300), [-0.5, 0.5])
    values = [1e-9, 0.1, 10.0]
    options = dict(param_name="var_smoothing", param_range=values)
    train, test = theirs(GaussianNB(), X, y, cv=StratifiedKFold(4), scoring=scoring, **options)
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=37)
    for rows in ((X, y), (frame[list("abc")], y), (tn.scan(tmp_path / "rows.parquet", target="y"),)):
        found = tn.validation_curve(tn.GaussianNB(), *rows, folds=4, shuffle=False, scoring=scoring, **options)
        np.testing.assert_allclose(found.train_scores, train, rtol=1e-10)
        np.testing.assert_allclose(found.test_scores, test, rtol=1e-10)


def test_pipelines_and_estimators_of_scikit_learn():
    X, y = numbers(seed=2)
    X = X * [1, 100, 1, 1e-3, 1, 1]
    options = dict(param_name="ridge__alpha", param_range=[0.1, 50.0])
    train, test = theirs(make_pipeline(StandardScaler(), Ridge()), X, y, cv=KFold(4), **options)
    for learner in (make_pipeline(tn.StandardScaler(), tn.Ridge()), make_pipeline(StandardScaler(), Ridge())):
        found = tn.validation_curve(learner, X, y, folds=4, **options)
        np.testing.assert_allclose(found.train_scores, train, rtol=1e-9)
        np.testing.assert_allclose(found.test_scores, test, rtol=1e-9)


def test_best_and_what_it_prints():
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 40))
    y = X[:, 0] + random.normal(size=100)
    found = tn.validation_curve(tn.Ridge(), X, y, param_name="alpha", param_range=[1e-3, 30.0, 1e6])
    assert found.best == 30.0
    text = str(found)
    assert text.count("\n") == 4
    assert "1 scan of the rows" in text
    assert "<table" in found._repr_html_()
    low, high = found.interval()[1]
    assert low < found.test_scores[1].mean() < high


def test_refusals():
    X, y = numbers()
    with pytest.raises(ValueError, match="empty"):
        tn.validation_curve(tn.Ridge(), X, y, param_name="alpha", param_range=[])
    with pytest.raises(ValueError, match="one score"):
        tn.validation_curve(
            tn.Ridge(), X, y, param_name="alpha", param_range=[1.0], scoring=["r2", "neg_mean_squared_error"]
        )
