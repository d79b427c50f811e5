"""Naive Bayes as ONNX graphs."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from onnx_runs import assert_same

random = np.random.default_rng(0)
X, new = random.normal(size=(300, 4)) * [1, 5, 0.1, 2], random.normal(size=(10_000, 4)) * [2, 9, 0.3, 4]
three = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1] / 5, [-0.6, 0.6])]
two = three == "a"
TARGETS = [two, three]


@pytest.mark.parametrize("target", TARGETS, ids=["two", "three"])
def test_gaussian(target):
    assert_same(tn.GaussianNB().fit(X, target), new)
    assert_same(tn.GaussianNB(priors=[1.0] + [0.0] * (len(set(target)) - 1)).fit(X, target), new)


@pytest.mark.parametrize("alpha", [1.0, 0.0])
@pytest.mark.parametrize("target", TARGETS, ids=["two", "three"])
def test_counts(target, alpha):
    counts = random.poisson(np.exp(0.3 * X[:, :1]) * [1, 0.2, 0.02, 3]).astype(float)
    others = random.poisson(0.5, size=(10_000, 4)).astype(float)
    assert_same(tn.MultinomialNB(alpha=alpha).fit(counts, target), others)
    assert_same(tn.BernoulliNB(alpha=alpha).fit(counts, target), others)
    assert_same(tn.BernoulliNB(alpha=alpha, binarize=None).fit(np.minimum(counts, 1), target), np.minimum(others, 1))


def test_a_row_that_no_class_allows_is_undecided():
    model = tn.MultinomialNB(alpha=0.0).fit([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    found = assert_same(model, np.array([[1.0, 1.0], [3.0, 0.0]]))
    assert found["probabilities"].tolist() == [[0.5, 0.5], [1.0, 0.0]]


def frame(n, seed, more=()):
    r = np.random.default_rng(seed)
    heat, calls = r.normal(size=n), r.poisson(2.0, n).astype(float)
    heat[r.random(n) < 0.1], calls[r.random(n) < 0.1] = np.nan, np.nan
    sky = r.choice(["sun", "rain", "größer", *more], n).astype(object)
    sky[r.random(n) < 0.1] = None
    return pd.DataFrame({"sky": sky, "heat": heat, "wind": r.integers(0, 2, n).astype(float), "calls": calls})


@pytest.mark.parametrize("params", [{}, {"alpha": 0.0}, {"poisson": ["calls"]}, {"m": 2.0, "p": "marginal"}], ids=str)
@pytest.mark.parametrize("target", TARGETS, ids=["two", "three"])
def test_columns_of_all_kinds(target, params):
    assert_same(tn.NaiveBayes(**params).fit(frame(300, 1), target), frame(10_000, 2, ["snow"]))


@pytest.mark.parametrize("params", [{}, {"alpha": 0.0}, {"fit_prior": False}], ids=str)
@pytest.mark.parametrize("target", TARGETS, ids=["two", "three"])
def test_categories(target, params):
    train, test = frame(300, 1)[["sky", "calls"]], frame(10_000, 2, ["snow"])[["sky", "calls"]]
    assert_same(tn.CategoricalNB(**params).fit(train, target), test)
    whole = train["calls"].fillna(0).to_numpy(int)[:, None]
    assert_same(tn.CategoricalNB(**params).fit(whole, target), random.integers(0, 12, size=(10_000, 1)))
