"""Overfitting by definition: a known case of each verdict, how often it cries wolf, sources and pairs."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

import tenfold as tn


def rows(n, seed, p=30, noise=2.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p))
    return X, X[:, 0] + noise * random.normal(size=n)


def test_trees():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 5))
    y = np.where(random.random(3000) < 0.25, X[:, 0] < 0, X[:, 0] > 0)
    train, test = (X[:300], y[:300]), (X[300:], y[300:])
    deep, stump = (DecisionTreeClassifier(max_depth=d, random_state=0).fit(*train) for d in (None, 1))
    found = tn.overfits(deep, stump, train, test, names=("deep", "stump"))
    assert found.verdict == "overfits"
    assert found
    assert found.train[0] == 0
    wrong = [model.predict(test[0]) != test[1] for model in (deep, stump)]
    table = [[int(((~wrong[0]) & (~wrong[1])).sum()), int(((~wrong[0]) & wrong[1]).sum())],
             [int((wrong[0] & (~wrong[1])).sum()), int((wrong[0] & wrong[1]).sum())]]  # fmt: skip
    expected = tn.difference_interval(table=table)
    assert (found.difference.low, found.difference.high) == (expected.low, expected.high)
    back = tn.overfits(stump, deep, train, test)
    assert back.verdict == "does not overfit"
    assert not back
    assert "no less error rate" in back.sentence
    few = tn.overfits(deep, stump, train, (X[300:310], y[300:310]))
    assert few.verdict == "undecided"
    assert "cannot be decided at this level" in str(few)
    assert "<table" in few._repr_html_()


def test_regressors_by_the_paired_t_interval():
    train, test = rows(50, 0), rows(600, 1)
    loose, stiff = tn.Ridge(1e-6).fit(*train), tn.Ridge(100.0).fit(*train)
    found = tn.overfits(loose, stiff, train, test)
    squares = [(model.predict(test[0]) - test[1]) ** 2 for model in (loose, stiff)]
    ends = stats.ttest_rel(*squares).confidence_interval(0.95)
    np.testing.assert_allclose((found.difference.low, found.difference.high), ends, rtol=1e-9)
    np.testing.assert_allclose(found.test, [s.mean() for s in squares], rtol=1e-12)
    assert found.verdict == "overfits"
    good = tn.overfits(tn.LinearRegression().fit(*rows(2000, 2)), tn.DummyRegressor().fit(*rows(2000, 2)),
                       rows(2000, 2), rows(2000, 3))  # fmt: skip
    assert good.verdict == "does not overfit"
    assert "but no more on others" in good.sentence


def test_equal_models_are_rarely_called_overfitted():
    """Two models as good as each other on all rows: 5 % at most may be found different, half of it each way."""
    random = np.random.default_rng(4)
    cries = 0
    for _ in range(400):
        y = random.integers(0, 2, 200)
        X = np.column_stack([np.where(random.random(200) < 0.3, 1 - y, y) for _ in range(2)])
        first, second = (_Column(j).fit(X, y) for j in (0, 1))
        train = (np.array([[0, 1]]), np.array([0]))  # the first is right on the one training row, the second wrong
        cries += tn.overfits(first, second, train, (X, y)).verdict == "overfits"
    assert cries / 400 <= 0.05


class _Column(DecisionTreeClassifier):
    """Says what is in a column."""

    def __init__(self, column=0):
        super().__init__()
        self.column = column

    def predict(self, X):
        return X[:, self.column]


def test_sources_give_what_arrays_give(tmp_path):
    X, y = rows(1200, 5, p=4)
    kind = np.where(y > 0, "up", "down")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y, kind=kind)
    frame[:400].to_parquet(tmp_path / "train.parquet", row_group_size=90)
    frame[400:].to_parquet(tmp_path / "test.parquet", row_group_size=130)
    for target, models in (
        ("y", (tn.LinearRegression(), Ridge(500.0))),
        ("kind", (tn.GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0))),
        ("kind", (tn.GaussianNB(), tn.DummyClassifier())),
    ):
        train, test = ((frame[list("abcd")][some], frame[target][some]) for some in (slice(0, 400), slice(400, None)))
        one, two = (model.fit(*train) for model in models)
        a = tn.overfits(one, two, train, test)
        sources = [tn.scan(tmp_path / f"{n}.parquet", target=target, columns=list("abcd")) for n in ("train", "test")]
        b = tn.overfits(one, two, *sources)
        np.testing.assert_allclose((*a.train, *a.test), (*b.train, *b.test), rtol=1e-12)
        np.testing.assert_allclose(a.difference.low, b.difference.low, rtol=1e-9)
        assert a.verdict == b.verdict


def test_refusals():
    train = rows(40, 6, p=2)
    model = tn.Ridge().fit(*train)
    with pytest.raises(TypeError, match="two classifiers or two regressors"):
        tn.overfits(model, tn.GaussianNB().fit(train[0], train[1] > 0), train, train)
    with pytest.raises(TypeError, match=r"test must be \(X, y\)"):
        tn.overfits(model, model, train, train[0])
    heavy = tn.scan(train[0], train[1], weight=np.arange(40.0))
    with pytest.raises(tn.DataError, match="without a weight"):
        tn.overfits(model, model, heavy, heavy)
