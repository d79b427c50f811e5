"""Networks of radial basis functions against scikit-learn's k-means and linear models, put together by hand."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.cluster
import sklearn.linear_model as linear
from scipy.spatial.distance import cdist
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.neural_network.rbf.rbf_network import falling
from tenfold.testing import bits

rng = np.random.default_rng(3)
X = rng.normal(size=(600, 2))
y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2
ring = np.where(np.hypot(X[:, 0], X[:, 1]) > 1.2, "out", "in")
three = np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3])


def hidden(model, rows):
    return np.exp(-model.gamma_ * cdist(rows, model.centers_, "sqeuclidean"))


def test_the_centres_are_those_of_k_means():
    model = tn.RBFNetworkRegressor(12).fit(X, y)
    ours = tn.KMeans(12).fit(X)
    assert np.array_equal(model.centers_, np.unique(ours.cluster_centers_, axis=0))
    theirs = sklearn.cluster.KMeans(12, init=model.centers_, n_init=1).fit(X)
    assert theirs.inertia_ > (1 - 1e-3) * ours.inertia_
    assert model.certificate_["centers: inertia"].value == ours.certificate_["inertia"].value
    apart = cdist(model.centers_, model.centers_)
    nearest = np.where(apart > 0, apart, np.inf).min(axis=1).mean()
    assert model.gamma_ == pytest.approx(0.5 / nearest**2, rel=1e-12)


@pytest.mark.parametrize("gamma", ["auto", 0.3])
def test_weights_as_ridge_regression_has_them(gamma):
    weight = rng.integers(0, 4, len(X)).astype(float)
    model = tn.RBFNetworkRegressor(15, gamma=gamma, alpha=0.01).fit(X, y, sample_weight=weight)
    peer = linear.Ridge(0.01, tol=1e-12).fit(hidden(model, X), y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-6)
    assert model.intercept_ == pytest.approx(peer.intercept_, rel=1e-6)
    np.testing.assert_allclose(model.predict(X), peer.predict(hidden(model, X)), atol=1e-8)


@pytest.mark.parametrize("target", [ring, three])
def test_weights_as_logistic_regression_has_them(target):
    model = tn.RBFNetworkClassifier(10, C=2.0).fit(X, target)
    peer = linear.LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(hidden(model, X), target)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(hidden(model, X)), atol=1e-5)
    assert model.coef_.shape == peer.coef_.shape
    assert model.certificate_["gap"].status == "proved"


def test_it_separates_what_no_line_does():
    line = tn.LogisticRegression().fit(X, ring).score(X, ring)
    assert tn.RBFNetworkClassifier(20).fit(X, ring).score(X, ring) > 0.97 > 0.75 > line


def test_far_rows_are_told_the_constant():
    model = tn.RBFNetworkRegressor(5).fit(X, y)
    assert model.predict([[1e6, -1e6]])[0] == model.intercept_


def test_parquet_parts_and_a_file(tmp_path):
    columns = {"a": X[:, 0], "b": X[:, 1], "y": y, "ring": ring}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "rows.parquet", target="y", columns=["a", "b"])
    model = tn.RBFNetworkRegressor(6).fit(source)
    with tn.on(tn.Local(threads=2)):
        assert bits(tn.RBFNetworkRegressor(6).fit(source).model_) == bits(model.model_)
    table = pa.table(columns).select(["a", "b"])
    in_memory = tn.RBFNetworkRegressor(6).fit(table, y)
    np.testing.assert_allclose(model.predict(table), in_memory.predict(table), atol=1e-6)
    model.save(tmp_path / "model.tenfold")
    loaded = tn.load(tmp_path / "model.tenfold")
    assert np.array_equal(loaded.predict(table), model.predict(table))
    assert np.array_equal(loaded.coef_, model.coef_)


@pytest.mark.parametrize("rows", [X.round(), np.ones((50, 2)), X[:3], np.c_[X + 1e8, np.zeros(len(X))]])
def test_few_distinct_rows_have_fewer_centres(rows):
    target = np.arange(len(rows)) % 2
    model = tn.RBFNetworkClassifier(40).fit(rows, target)
    distinct = len(np.unique(rows, axis=0))
    assert len(model.centers_) == min(distinct, 40)
    assert np.isfinite(model.predict_proba(rows)).all()


def test_within_scikit_learn():
    pipeline = make_pipeline(tn.StandardScaler(), tn.RBFNetworkClassifier())
    search = GridSearchCV(pipeline, {"rbfnetworkclassifier__n_centers": [2, 20]}, cv=3).fit(X, ring)
    assert search.best_params_ == {"rbfnetworkclassifier__n_centers": 20}
    assert cross_val_score(tn.RBFNetworkRegressor(50), X, y).mean() > 0.9
    ours = tn.cross_validate(tn.RBFNetworkRegressor(50), X, y, folds=5)
    assert ours.mean > 0.9


def test_centres_out_of_range_are_an_error():
    with pytest.raises(tn.DataError, match="column 'x0' is too small"):
        tn.RBFNetworkRegressor(3).fit(X[:60] * 1e-157, y[:60])
    for apart in (1e-160, 1e200):
        with pytest.raises(tn.DataError, match="give gamma"):
            falling(np.array([[0.0], [apart]]))
