"""Paths: scikit-learn's, the order of entry, and that no row is read."""

import numpy as np
import pytest
import sklearn.linear_model as peer

from tenfold import ElasticNet, ElasticNetCV, Lasso, LassoCV


def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 9)) @ np.diag(10.0 ** np.arange(-1, 2).repeat(3))
    return X, X @ (random.normal(size=9) * (np.arange(9) % 3 < 2)) + random.normal(size=120) + 3


@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
def test_scikit_learn(l1_ratio):
    X, y = data()
    path = ElasticNet(1.0, l1_ratio).fit(X, y).path()
    centred, middle = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, _ = peer.enet_path(centred, middle, l1_ratio=l1_ratio, alphas=100, tol=1e-14, max_iter=10**6)
    np.testing.assert_allclose(path.alphas, alphas, rtol=1e-12)
    np.testing.assert_allclose(path.coefs, coefs.T, atol=1e-10)
    np.testing.assert_allclose(path.intercepts, y.mean() - X.mean(axis=0) @ path.coefs.T, atol=1e-10)
    assert path.gaps.max() <= 1e-12
    assert path.df[0] <= 1
    assert path.df.tolist() == [np.count_nonzero(row) for row in path.coefs]


def test_each_penalty_as_if_alone():
    X, y = data()
    path = Lasso().fit(X, y).path([0.03, 3.0, 0.3])
    assert path.alphas.tolist() == [3.0, 0.3, 0.03]
    for alpha, coef, intercept in zip(path.alphas, path.coefs, path.intercepts):
        alone = Lasso(alpha).fit(X, y)
        np.testing.assert_allclose(coef, alone.coef_, atol=1e-13)
        assert intercept == pytest.approx(alone.intercept_, rel=1e-12)


def test_at_the_largest_penalty_the_first_column_is_about_to_enter():
    X, y = data()
    top = Lasso().fit(X, y).path(2).alphas[0]
    assert not Lasso(top * (1 + 1e-9)).fit(X, y).coef_.any()
    (first,) = np.flatnonzero(Lasso(top * (1 - 1e-6)).fit(X, y).coef_)
    assert Lasso().fit(X, y).path().order[0] == f"x{first}"


def test_merged_models_have_the_path_of_all_rows():
    X, y = data()
    merged = (Lasso().fit(X[:50], y[:50]) + Lasso().fit(X[50:], y[50:])).path(20)
    np.testing.assert_allclose(merged.coefs, Lasso().fit(X, y).path(20).coefs, atol=1e-12)


def test_the_path_of_a_chosen_penalty():
    X, y = data()
    model = LassoCV().fit(X, y)
    path = model.path()
    at = np.flatnonzero(path.alphas == model.alpha_)[0]
    np.testing.assert_allclose(path.coefs[at], model.coef_, atol=1e-12)


def test_without_anything_to_explain():
    X, _ = data()
    path = Lasso().fit(X, np.ones(len(X))).path(4)
    assert not path.coefs.any()
    assert (path.alphas > 0).all()


def test_plot_and_repr():
    import matplotlib

    matplotlib.use("Agg")
    X, y = data()
    path = Lasso().fit(X, y).path()
    ax = path.plot(labels=3)
    assert len(ax.texts) == 3
    assert len(ax.lines) == len(path.order) + 1
    assert ax.xaxis_inverted()
    assert "100 penalties" in repr(path)


def test_refused(tmp_path):
    import tenfold as tn

    X, y = data()
    with pytest.raises(ValueError, match="l1_ratio=0"):
        ElasticNet(l1_ratio=0.0).fit(X, y).path()
    with pytest.raises(ValueError, match="positive"):
        Lasso().fit(X, y).path([0.0, 1.0])
    Lasso().fit(X, y).save(tmp_path / "bare.tenfold", summary=False)
    with pytest.raises(ValueError, match="summary"):
        tn.load(tmp_path / "bare.tenfold").path()


def test_a_mixture_that_leaves_no_grid_is_refused():
    with pytest.raises(ValueError, match="no finite grid of penalties. Remedy: give the alphas"):
        ElasticNetCV(l1_ratio=1e-320).fit(np.arange(20.0)[:, None], np.arange(20.0))


def test_a_gap_that_rounding_hides_is_not_waited_for():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 5))
    y = X @ np.arange(5.0) + random.normal(size=60)
    model = Lasso(0.01, tol=1e-200).fit(X, y)
    assert model.n_iter_ < 1000
    assert model.dual_gap_ < 1e-12
