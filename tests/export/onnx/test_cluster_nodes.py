"""Clusters, discriminants and projections as ONNX graphs."""

import numpy as np
import pytest

import tenfold as tn
from onnx_runs import assert_same

random = np.random.default_rng(0)
X, new = random.normal(size=(300, 4)) * [1, 5, 0.1, 2] + 3, random.normal(size=(10_000, 4)) * [2, 9, 0.3, 4] + 3
three = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1] / 5, [3.0, 4.2])]
two = three == "a"


@pytest.mark.parametrize("learner", [tn.KMeans(5, random_state=0), tn.MiniBatchKMeans(4, random_state=0)], ids=repr)
def test_clusters(learner):
    assert_same(learner.fit(X), new)


@pytest.mark.parametrize("target", [two, three], ids=["two", "three"])
@pytest.mark.parametrize(
    "learner",
    [
        tn.LinearDiscriminantAnalysis(), tn.LinearDiscriminantAnalysis(shrinkage=0.3),
        tn.QuadraticDiscriminantAnalysis(), tn.QuadraticDiscriminantAnalysis(reg_param=0.2),
    ],
    ids=repr,
)  # fmt: skip
def test_discriminants(learner, target):
    assert_same(learner.fit(X, target), new)


@pytest.mark.parametrize(
    "learner",
    [tn.PCA(), tn.PCA(2, whiten=True), tn.StandardScaler(), tn.MinMaxScaler(), tn.MaxAbsScaler(),
     tn.RobustScaler(unit_variance=True), tn.SimpleImputer()],
    ids=repr,
)  # fmt: skip
def test_transformers(learner):
    assert_same(learner.fit(X), new)


def test_a_projection_before_a_model():
    assert_same(
        tn.make_pipeline(tn.StandardScaler(), tn.LinearDiscriminantAnalysis(), tn.GaussianNB()).fit(X, three), new
    )
    assert_same(tn.make_pipeline(tn.StandardScaler(), tn.PCA(3), tn.KMeans(3)).fit(X), new)
