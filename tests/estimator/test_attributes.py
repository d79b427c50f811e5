"""Fitted attributes are those of scikit-learn, in value, shape and type; and they belong to the fitted model."""

import numpy as np
import pytest
from sklearn import dummy, kernel_ridge, linear_model, naive_bayes, preprocessing

import tenfold as tn

random = np.random.default_rng(0)
X = random.normal(size=(60, 3))
Y = X @ random.normal(size=(3, 2)) + random.normal(size=(60, 2))
y = Y[:, 0]
labels = np.digitize(y, [-0.5, 0.5])


@pytest.mark.parametrize(
    "team",
    [
        tn.VotingClassifier([("a", tn.LinearSVC()), ("b", tn.SVC())]),
        tn.StackingClassifier([("a", tn.LinearSVC()), ("b", tn.SVC())], cv=2),
        tn.VotingRegressor([("a", tn.LinearSVR())]),
    ],
    ids=lambda team: type(team).__name__,
)
def test_members_that_draw_nothing_need_no_seed(team):
    target = y if isinstance(team, tn.VotingRegressor) else labels
    model = team.fit(X, target)
    peer = type(team).__name__
    assert model.predict(X).shape == y.shape, peer
    for member in model.estimators_:
        assert member.set_params(random_state=np.random.RandomState(0)).seed() is None
    if peer == "VotingRegressor":
        np.testing.assert_array_equal(model.predict(X), tn.LinearSVR().fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("model", "target", "name"),
    [
        (tn.LinearRegression(), y, "coef_"),
        (tn.LinearRegression(), Y, "intercept_"),
        (tn.LogisticRegression(), labels, "coef_"),
        (tn.KMeans(2), None, "cluster_centers_"),
        (tn.StandardScaler(), None, "mean_"),
    ],
)
def test_an_attribute_of_the_model_cannot_be_set(model, target, name):
    model.fit(X, target)
    before = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    with pytest.raises(AttributeError, match=f"{name} belongs to the fitted .* Remedy: change a copy"):
        setattr(model, name, np.zeros(3))
    model.fit(X, target)  # which sets them
    after = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    np.testing.assert_array_equal(before, after)
    model.note_ = "mine"
    assert model.note_ == "mine"


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("other", [False, True])
def test_scalers_have_no_numbers_of_what_they_do_not_do(one, other):
    for name, names, flags in (
        ("StandardScaler", ("mean_", "var_", "scale_"), ("with_mean", "with_std")),
        ("RobustScaler", ("center_", "scale_"), ("with_centering", "with_scaling")),
    ):
        given = dict(zip(flags, (one, other), strict=True))
        ours, theirs = getattr(tn, name)(**given).fit(X), getattr(preprocessing, name)(**given).fit(X)
        for attribute in names:
            mine, peer = getattr(ours, attribute), getattr(theirs, attribute)
            assert (mine is None) == (peer is None), (name, attribute)
            if peer is not None:
                np.testing.assert_allclose(mine, peer)
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X))
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X)


codes = np.digitize(X, [-0.5, 0.5])


@pytest.mark.parametrize(
    ("ours", "theirs", "rows", "target", "names"),
    [
        (tn.DummyRegressor(), dummy.DummyRegressor(), X, y, ["constant_"]),
        (tn.DummyRegressor(), dummy.DummyRegressor(), X, Y, ["constant_"]),
        (tn.KernelRidge(), kernel_ridge.KernelRidge(), X, y, ["dual_coef_", "X_fit_"]),
        (tn.KernelRidge(), kernel_ridge.KernelRidge(), X, Y, ["dual_coef_", "X_fit_"]),
        (tn.KernelRidge(), kernel_ridge.KernelRidge(), X, Y[:, :1], ["dual_coef_", "X_fit_"]),
        (tn.CategoricalNB(), naive_bayes.CategoricalNB(), codes, labels, ["category_count_"]),
    ],
)
def test_attributes_have_the_shapes_of_scikit_learn(ours, theirs, rows, target, names):
    ours.fit(rows, target)
    theirs.fit(rows, target)
    for name in names:
        mine, peer = np.asarray(getattr(ours, name)), np.asarray(getattr(theirs, name))
        assert mine.shape == peer.shape, name
        np.testing.assert_allclose(mine, peer, rtol=1e-6, atol=1e-8)


def test_passes_of_logistic_regression_are_an_array():
    for target in (y > 0, labels):
        ours, theirs = tn.LogisticRegression().fit(X, target), linear_model.LogisticRegression().fit(X, target)
        assert (ours.n_iter_.shape, ours.n_iter_.dtype) == (theirs.n_iter_.shape, theirs.n_iter_.dtype)
        assert ours.n_iter_[0] == ours.model_.n_iter


@pytest.mark.parametrize("target", [y, Y], ids=["one", "two"])
def test_sparse_coefficients_are_a_matrix(target):
    ours, theirs = tn.Lasso(0.3).fit(X, target), linear_model.Lasso(0.3, tol=1e-10).fit(X, target)
    found, peer = ours.sparse_coef_, theirs.sparse_coef_
    peers = np.vstack([one.toarray() for one in peer]) if isinstance(peer, list) else peer.toarray()
    assert (type(found).__name__, found.shape) == ("csr_matrix", peers.shape)
    np.testing.assert_allclose(found.toarray(), peers, atol=1e-6)
