"""Columns too small to be squared are refused where that would make them look constant."""

import numpy as np
import pytest
from sklearn.base import clone

import tenfold as tn

random = np.random.default_rng(0)
X = random.normal(size=(80, 3))
Y = X @ [1.0, 2.0, 3.0] + 0.1 * random.normal(size=80)
LABEL = (Y > 0).astype(int)
LEARNERS = [
    tn.LinearRegression(),
    tn.LinearRegression(precision="high"),
    tn.Ridge(0.0),
    tn.LinearDiscriminantAnalysis(),
    tn.QuadraticDiscriminantAnalysis(),
    tn.FisherDiscriminant(),
    tn.LeastSquaresClassifier(),
    tn.GaussianNB(),
    tn.NaiveBayes(),
    tn.SVC(),
]


@pytest.mark.parametrize("size", [1e-155, 1e-170, 1e-300])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_too_small_to_be_squared_is_refused_and_the_remedy_works(learner, size):
    y = Y if learner.need.target == "number" else LABEL
    words = r"too small to be squared.*Remedy: rescale (it|them), tenfold.MaxAbsScaler\(\)"
    with pytest.raises(tn.DataError, match=words):
        clone(learner).fit(X * size, y)
    near = tn.MaxAbsScaler().fit_transform(X * size)
    assert clone(learner).fit(near, y).score(near, y) > 0.9


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_small_columns_that_can_be_squared_are_learned_from(learner):
    y = Y if learner.need.target == "number" else LABEL
    small = clone(learner).fit(X * 1e-140, y).score(X * 1e-140, y)
    assert small == pytest.approx(clone(learner).fit(X, y).score(X, y), abs=0.02)


def test_one_small_column_beside_others():
    """It is named; smoothing or a penalty beside which it is nothing makes up for it."""
    rows = X * [1.0, 1e-170, 1.0]
    for learner, y in ((tn.LinearRegression(), Y), (tn.LinearDiscriminantAnalysis(), LABEL)):
        with pytest.raises(tn.DataError, match="column 'x1' is too small to be squared"):
            learner.fit(rows, y)
    regular = tn.QuadraticDiscriminantAnalysis(reg_param=0.1)
    for learner, y in ((tn.Ridge(), Y), (tn.GaussianNB(), LABEL), (regular, LABEL)):
        without = clone(learner).fit(rows[:, ::2], y).score(rows[:, ::2], y)
        assert learner.fit(rows, y).score(rows, y) == pytest.approx(without, abs=0.02)
    with pytest.raises(tn.DataError, match="column 'x1' is too small to be squared"):
        tn.GaussianNB(var_smoothing=0.0).fit(rows, LABEL)
    mixed = np.column_stack([np.where(LABEL, "u", "v").astype(object), rows.astype(object)])
    with pytest.raises(tn.DataError, match="column 'x2' is too small to be squared"):
        tn.NaiveBayes(var_smoothing=0.0).fit(mixed, LABEL)


def test_transformers():
    with pytest.raises(tn.DataError, match="column 'x1' is too small to be squared"):
        tn.StandardScaler().fit(X * [1.0, 1e-170, 1.0])
    assert tn.StandardScaler(with_std=False).fit_transform(X * 1e-170).any()
    np.testing.assert_allclose(tn.StandardScaler().fit_transform(X * 1e-148).std(axis=0), 1.0)
    with pytest.raises(tn.DataError, match="column 'x0' is too small to be squared"):
        tn.PCA().fit(X * 1e-170)
    assert tn.PCA(2).fit_transform(X * [1.0, 1e-170, 1.0]).shape == (80, 2)
    assert not tn.StandardScaler().fit_transform(np.zeros((5, 2))).any()


def test_merged_co_moments_are_symmetric_to_the_bit():
    model = tn.Ridge().fit(X[:30], Y[:30]) + tn.Ridge().fit(X[30:], Y[30:])
    merged = model.summary_.comoment
    assert (merged == merged.T).all()
    assert np.allclose(merged, len(X) * np.cov(np.column_stack([X, Y]).T, bias=True), rtol=1e-12)
