"""Quadratic discriminant analysis beside scikit-learn, the maximum of its likelihood, and classes that are too thin."""

import numpy as np
import pytest
import sklearn.discriminant_analysis as peer
from scipy.stats import multivariate_normal
from sklearn.model_selection import cross_val_score

import tenfold as tn
from tenfold import QuadraticDiscriminantAnalysis


def drawn(classes, seed=0, rows=900, columns=4):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    turn = random.normal(size=(classes, columns, columns))
    X = np.einsum("ij,ijk->ik", random.normal(size=(rows, columns)), turn[y])
    return X + random.normal(size=(classes, columns))[y] + np.arange(columns) * 10.0, y


@pytest.mark.parametrize("options", [{}, {"reg_param": 0.1}, {"priors": True}, {"reg_param": 1.0}])
@pytest.mark.parametrize("classes", [2, 3])
def test_equals_scikit_learn(classes, options):
    X, y = drawn(classes)
    if "priors" in options:
        options = {"priors": [0.2, 0.8] if classes == 2 else [0.2, 0.3, 0.5]}
    ours = QuadraticDiscriminantAnalysis(**options).fit(X, y)
    theirs = peer.QuadraticDiscriminantAnalysis(**options, store_covariance=True).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.means_, theirs.means_, rtol=1e-10)
    for c in range(classes):
        np.testing.assert_allclose(ours.covariance_[c], theirs.covariance_[c], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(ours.scalings_[c], theirs.scalings_[c], rtol=1e-8)
        if options.get("reg_param") != 1.0:
            np.testing.assert_allclose(np.abs(ours.rotations_[c]), np.abs(theirs.rotations_[c]), atol=1e-7)


def test_scores_are_log_densities():
    X, y = drawn(3, seed=1)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    wanted = np.column_stack(
        [
            np.log((y == c).mean())
            + multivariate_normal.logpdf(X, X[y == c].mean(axis=0), np.cov(X[y == c].T, bias=True))
            for c in range(3)
        ]
    )
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores - scores[:, :1], wanted - wanted[:, :1], atol=1e-8)


def test_likelihood_is_maximal():
    X, y = drawn(2, seed=2, rows=200)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    mine = X[y == 1]

    def likelihood(mean, covariance):
        return multivariate_normal.logpdf(mine, mean, covariance).sum()

    best = likelihood(model.means_[1], model.covariance_[1])
    random = np.random.default_rng(0)
    for _ in range(20):
        shift = 1e-3 * random.normal(size=4)
        assert likelihood(model.means_[1] + shift, model.covariance_[1]) < best
        turn = np.eye(4) + 1e-3 * random.normal(size=(4, 4))
        assert likelihood(model.means_[1], turn @ model.covariance_[1] @ turn.T) < best


def test_a_class_that_is_too_thin_is_named():
    """scikit-learn refuses it; here it may grow by another model, so it is said, and nothing is ever NaN."""
    X, y = drawn(3, seed=3)
    few = np.concatenate([np.flatnonzero(y != 1)[:60], np.flatnonzero(y == 1)[:3]])
    with pytest.raises(np.linalg.LinAlgError):
        peer.QuadraticDiscriminantAnalysis().fit(X[few], y[few])
    thin = QuadraticDiscriminantAnalysis().fit(X[few], y[few])
    claim = thin.certificate_["singular classes"]
    assert claim.value == 1
    assert "class 1 of weight 3" in claim.because
    assert "reg_param" in claim.because
    assert np.isfinite(thin.predict_proba(X)).all()
    assert (thin.predict(X[few][-3:]) == 1).all()
    mended = QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X[few], y[few])
    assert mended.certificate_.get("singular classes") is None
    rest = np.setdiff1d(np.arange(len(X)), few)
    grown = thin + QuadraticDiscriminantAnalysis().fit(X[rest], y[rest])
    assert grown.certificate_.get("singular classes") is None
    whole = QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(grown.predict_proba(X), whole.predict_proba(X), atol=1e-8)


def test_constant_and_repeated_columns_are_said():
    X, y = drawn(2, seed=4)
    for column in (np.full(len(X), 7.0), X[:, 0] - X[:, 2]):
        model = QuadraticDiscriminantAnalysis().fit(np.column_stack([X, column]), y)
        assert model.certificate_["singular classes"].value == 2
        assert "1 of 5 directions" in model.certificate_["singular classes"].because
        plain = QuadraticDiscriminantAnalysis().fit(X, y)
        np.testing.assert_allclose(model.predict_proba(np.column_stack([X, column])), plain.predict_proba(X), atol=1e-5)
    with pytest.raises(ValueError, match="NaN in column 'x0'"):
        plain.predict([[np.nan, 0.0, 0.0, 0.0]])


def test_digits_fall_as_columns_grow_alike():
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 2000)
    found = []
    for noise in (1.0, 1e-2, 1e-4):
        x = random.normal(size=2000) * (1 + y)
        X = np.column_stack([x, x + noise * random.normal(size=2000)])
        model = QuadraticDiscriminantAnalysis().fit(X, y)
        found.append(model.certificate_["digits"].value)
        exact = np.array(
            [
                multivariate_normal.logpdf(
                    X, X[y == c].mean(axis=0), np.cov(X[y == c].T.astype(np.longdouble), bias=True)
                )
                for c in (0, 1)
            ]
        )
        off = np.abs(model.decision_function(X) - (exact[1] - exact[0]) - np.log(y.mean() / (1 - y.mean())))
        assert off.max() < 10 ** -found[-1] * np.abs(exact).max() + 1e-6
    assert found[0] > found[1] > found[2] > 5


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("classes", [2, 3])
def test_ten_folds(classes, kind):
    X, y = drawn(classes, seed=6)
    X = X.astype(kind)
    found = tn.cross_validate(QuadraticDiscriminantAnalysis(), X, y, folds=10)
    wanted = cross_val_score(peer.QuadraticDiscriminantAnalysis(), X.astype(float), y, cv=10)
    np.testing.assert_array_equal(found.scores[0, 0], wanted)
    chance = tn.cross_validate(QuadraticDiscriminantAnalysis(), X, y, folds=5, shuffle=True)
    assert abs(chance.mean[0, 0] - wanted.mean()) < 0.05


def test_folds_and_weights_of_zero_and_classes_without_rows():
    X, y = drawn(3, seed=7, rows=300)
    weight = np.where(y == 2, 0.0, 1.0)
    model = QuadraticDiscriminantAnalysis().partial_fit(X, y, classes=[0, 1, 2, 5], sample_weight=weight)
    other = QuadraticDiscriminantAnalysis().fit(X[y < 2], y[y < 2])
    np.testing.assert_allclose(model.predict_proba(X)[:, :2], other.predict_proba(X), atol=1e-9)
    assert set(model.predict(X)) == {0, 1}
