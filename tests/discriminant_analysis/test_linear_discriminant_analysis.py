"""Linear discriminant analysis beside scikit-learn's solvers, its theory, and what singular rows are told."""

import numpy as np
import pytest
import sklearn.discriminant_analysis as peer
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import tenfold as tn
from tenfold import FisherDiscriminant, LinearDiscriminantAnalysis
from tenfold.testing import bits, check_law


def drawn(classes, seed=0, rows=900, columns=5):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    X = random.normal(size=(rows, columns)) @ random.normal(size=(columns, columns))
    return X + 2 * random.normal(size=(classes, columns))[y] + np.arange(columns) * 10.0, y


def beside(ours, theirs, X, y):
    """Everything that both have, equal to 1e-8; the signs of components are free, and with them their centre."""
    ours, theirs = ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.means_, theirs.means_, rtol=1e-10)
    np.testing.assert_allclose(ours.priors_, theirs.priors_, rtol=1e-12)
    if theirs.solver == "lsqr":
        return
    ratio = theirs.explained_variance_ratio_
    np.testing.assert_allclose(ours.explained_variance_ratio_, ratio, atol=1e-8)
    found, wanted = ours.transform(X), theirs.transform(X)
    found, wanted = found - found.mean(axis=0), wanted - wanted.mean(axis=0)
    signs = np.sign((found * wanted).sum(axis=0))
    np.testing.assert_allclose(found, wanted * signs, atol=1e-8 * np.abs(wanted).max())


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_equals_the_default_solver(classes, given):
    X, y = drawn(classes)
    priors = np.arange(1.0, classes + 1) / np.arange(1.0, classes + 1).sum() if given else None
    ours, theirs = LinearDiscriminantAnalysis(priors=priors), peer.LinearDiscriminantAnalysis(priors=priors)
    beside(ours, theirs, X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("solver", ["eigen", "lsqr"])
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0, "auto"])
@pytest.mark.parametrize("classes", [2, 3])
def test_equals_the_solvers_with_shrinkage(classes, shrinkage, given, solver):
    X, y = drawn(classes, seed=1)
    options = {"shrinkage": shrinkage, "priors": np.array([0.7, 0.2, 0.1])[:classes] if given else None}
    if given and classes == 2:
        options["priors"] = [0.7, 0.3]
    ours, theirs = LinearDiscriminantAnalysis(**options), peer.LinearDiscriminantAnalysis(solver=solver, **options)
    beside(ours, theirs, X, y)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9, atol=1e-12)


def test_ledoit_wolf_of_merged_rows_is_that_of_all():
    """Fourth moments move with the mean: merged from far-apart pieces they are those of the whole."""
    X, y = drawn(3, rows=300)
    order = np.argsort(X[:, 0])
    pieces = [LinearDiscriminantAnalysis(shrinkage="auto").fit(X[o], y[o]) for o in np.array_split(order, 4)]
    theirs = peer.LinearDiscriminantAnalysis(shrinkage="auto", solver="lsqr").fit(X, y)
    np.testing.assert_allclose(sum(pieces).covariance_, theirs.covariance_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("law", ["associative", "identity", "recoding", "merging", "chunking", "repetition"])
def test_laws_of_fourth_moments(law):
    check_law(law, LinearDiscriminantAnalysis(shrinkage="auto"), draws=5)


def test_posterior_of_two_classes_is_a_sigmoid():
    """w = Σ⁻¹(m₁ - m₂), w₀ = -½ m₁ᵀΣ⁻¹m₁ + ½ m₂ᵀΣ⁻¹m₂ + ln(π/(1-π)), and P(C₁ | x) = σ(wᵀx + w₀)."""
    X, y = drawn(2, seed=3)
    model = LinearDiscriminantAnalysis().fit(X, y)
    m1, m2 = X[y == 1].mean(axis=0), X[y == 0].mean(axis=0)
    within = sum((X[y == c] - X[y == c].mean(axis=0)).T @ (X[y == c] - X[y == c].mean(axis=0)) for c in (0, 1))
    inverse, share = np.linalg.inv(within / len(X)), y.mean()
    w = inverse @ (m1 - m2)
    w0 = -0.5 * m1 @ inverse @ m1 + 0.5 * m2 @ inverse @ m2 + np.log(share / (1 - share))
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_[0], w0, rtol=1e-8)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(X @ w + w0), atol=1e-9)


def test_the_softmax_sums_over_all_classes():
    X, y = drawn(4, seed=4)
    model = LinearDiscriminantAnalysis().fit(X, y)
    scores = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.predict_proba(X), np.exp(scores) / np.exp(scores).sum(axis=1)[:, None], atol=1e-10)


def test_its_direction_is_fishers():
    X, y = drawn(2, seed=5)
    np.testing.assert_allclose(
        LinearDiscriminantAnalysis().fit(X, y).coef_, FisherDiscriminant().fit(X, y).coef_, rtol=1e-10
    )
    X, y = drawn(4, seed=5)
    ours, fisher = LinearDiscriminantAnalysis().fit(X, y), FisherDiscriminant().fit(X, y)
    np.testing.assert_allclose(ours.scalings_, fisher.scalings_, rtol=1e-6)


def test_normal_classes_are_classified_as_well_as_can_be():
    """The error comes near Bayes': Φ(-½ √δ) with δ the squared distance of the means."""
    from scipy.stats import norm

    random = np.random.default_rng(6)
    y = random.integers(0, 2, 40_000)
    X = random.normal(size=(40_000, 3)) + np.outer(y, [1.0, 1.0, 1.0])
    wrong = 1 - LinearDiscriminantAnalysis().fit(X[:20_000], y[:20_000]).score(X[20_000:], y[20_000:])
    bayes = norm.cdf(-0.5 * np.sqrt(3))
    assert abs(wrong - bayes) < 4 * np.sqrt(bayes * (1 - bayes) / 20_000) + 1e-3


def test_singular_scatter_is_said():
    """A column that repeats others, one that is constant, more columns than rows: as the peer, and it is said."""
    X, y = drawn(3, seed=7)
    twice = np.column_stack([X, X[:, 0] + X[:, 1], np.full(len(X), 3.0)])
    ours, theirs = LinearDiscriminantAnalysis().fit(twice, y), peer.LinearDiscriminantAnalysis().fit(twice, y)
    np.testing.assert_allclose(ours.predict_proba(twice), theirs.predict_proba(twice), atol=1e-8)
    assert ours.certificate_["constant columns"].value == 1
    assert ours.certificate_["rank"].value == 5
    assert "shrinkage" in ours.certificate_["rank"].because
    wide = LinearDiscriminantAnalysis().fit(np.random.default_rng(0).normal(size=(8, 20)), [0, 1] * 4)
    assert wide.certificate_["rank"].value == 6
    assert np.isfinite(wide.predict_proba(np.ones((1, 20)))).all()
    plain = LinearDiscriminantAnalysis().fit(X, y).certificate_
    assert plain.get("rank") is None
    assert plain.get("constant columns") is None


def test_digits_hold():
    """Columns that nearly repeat each other: against an exact solution, no digit claimed is wrong."""
    from fractions import Fraction

    random = np.random.default_rng(8)
    for noise in (1e-1, 1e-2, 1e-3):
        a = random.integers(-1000, 1000, 300)
        X = np.column_stack([a, a + np.rint(random.normal(size=300) * 1000 * noise)]).astype(float)
        y = (a + random.integers(-800, 800, 300) > 0).astype(int)
        model = LinearDiscriminantAnalysis().fit(X, y)
        rows = [[Fraction(int(v)) for v in row] for row in X]
        means = [[sum(r[j] for r, c in zip(rows, y) if c == k) / int((y == k).sum()) for j in (0, 1)] for k in (0, 1)]
        S = [
            [sum((r[i] - means[c][i]) * (r[j] - means[c][j]) for r, c in zip(rows, y)) / 300 for j in (0, 1)]
            for i in (0, 1)
        ]
        d = [means[1][j] - means[0][j] for j in (0, 1)]
        det = S[0][0] * S[1][1] - S[0][1] ** 2
        exact = np.array(
            [float((S[1][1] * d[0] - S[0][1] * d[1]) / det), float((S[0][0] * d[1] - S[0][1] * d[0]) / det)]
        )
        scale = np.sqrt([float(S[0][0]), float(S[1][1])])
        off = np.linalg.norm((model.coef_[0] - exact) * scale) / np.linalg.norm(exact * scale)
        assert off < 10 ** -model.certificate_["digits"].value
        assert model.certificate_["digits"].value > 8


def test_far_offsets_and_far_classes_keep_their_digits():
    random = np.random.default_rng(9)
    Z, y = random.normal(size=(4000, 3)), random.integers(0, 2, 4000)
    Z = np.round(Z, 4) + y[:, None]
    near, far = (LinearDiscriminantAnalysis().fit(Z + shift, y) for shift in (0.0, 2.0**24))
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    apart = LinearDiscriminantAnalysis().fit(Z + 1e7 * y[:, None], y)
    np.testing.assert_allclose(apart.covariance_, near.covariance_, rtol=1e-6)


def test_classes_come_later_and_empty_ones_are_never_predicted():
    X, y = drawn(3, seed=10)
    early = LinearDiscriminantAnalysis().fit(X[y < 2], y[y < 2])
    late = LinearDiscriminantAnalysis().fit(X[y == 2], y[y == 2])
    both, whole = early + late, LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(both.predict_proba(X), whole.predict_proba(X), atol=1e-9)
    assert late.predict(X[:3]).tolist() == [2, 2, 2]
    for absent in ([0, 1, 9], [-1, 0, 1]):
        grown = LinearDiscriminantAnalysis().partial_fit(X[y < 2], y[y < 2], classes=absent)
        assert set(grown.predict(X)) == {0, 1}
        np.testing.assert_allclose(grown.predict_proba(X).sum(axis=1), 1.0)
    for absent in ([0, 9], [-1, 0]):
        one = LinearDiscriminantAnalysis().partial_fit(X[y == 0], y[y == 0], classes=absent)
        assert set(one.predict(X)) == {0}
        assert np.isfinite(one.predict_proba(X)).all()


def test_components():
    X, y = drawn(4, seed=11)
    few = LinearDiscriminantAnalysis(n_components=2).fit(X, y)
    assert few.transform(X).shape == (900, 2)
    np.testing.assert_allclose(few.transform(X), LinearDiscriminantAnalysis().fit_transform(X, y)[:, :2])
    assert few.get_feature_names_out().tolist() == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    projected, classes = few.transform(X), range(4)
    within = sum(np.cov(projected[y == c].T, bias=True) * (y == c).mean() for c in classes)
    np.testing.assert_allclose(within, np.eye(2), atol=1e-10)


def test_priors_are_checked():
    X, y = drawn(2)
    for wrong, message in (
        ([1.0], "match number of classes: 2"),
        ([1.5, -0.5], "non-negative"),
        ([0.5, 0.6], "sum to 1"),
    ):
        with pytest.raises(ValueError, match=message):
            LinearDiscriminantAnalysis(priors=wrong).fit(X, y)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (LinearDiscriminantAnalysis(), peer.LinearDiscriminantAnalysis()),
        (LinearDiscriminantAnalysis(shrinkage="auto"), peer.LinearDiscriminantAnalysis("lsqr", shrinkage="auto")),
    ],
)
def test_ten_folds_of_one_scan(ours, theirs, shuffle):
    X, y = drawn(3, seed=12)
    found = tn.cross_validate(ours, X, y, folds=10, shuffle=shuffle, scoring=["accuracy", "neg_log_loss"])
    if not shuffle:
        wanted = cross_val_score(theirs, X, y, cv=10)
        np.testing.assert_array_equal(found.scores[0, 0], wanted)
    by_itself = tn.cross_validate(_WithoutGroups(ours), X, y, folds=10, shuffle=shuffle, scoring="neg_log_loss")
    np.testing.assert_allclose(found.scores[0, 1], by_itself.scores[0, 0], rtol=1e-9)


def _WithoutGroups(learner):
    """The same learner without its accelerators."""
    cls = type(learner)
    slow = type(cls.__name__, (cls,), {"__init__": cls.__init__, "summarize_groups": lambda *_: None})
    slow.shares = lambda self, state: None
    return slow(**clone(learner).get_params())


def test_discriminants_of_one_kind_share_a_scan():
    X, y = drawn(3, seed=13)
    many = [LinearDiscriminantAnalysis(), FisherDiscriminant(), tn.LeastSquaresClassifier()]
    one = tn.cross_validate(many[0], X, y).scans
    assert tn.cross_validate(many, X, y).scans == one


@pytest.mark.parametrize(
    "name", ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "FisherDiscriminant", "PCA"]
)
def test_model_file(name, tmp_path):
    X, y = drawn(3, seed=14)
    model = getattr(tn, name)().fit(X, None if name == "PCA" else y)
    model.save(tmp_path / "model.tenfold")
    again = tn.load(tmp_path / "model.tenfold")
    assert bits(again.model_) == bits(model.model_)
    other = getattr(tn, name)().fit(X + 1, None if name == "PCA" else y)
    assert bits((again + other).model_) == bits((model + other).model_)
    assert again.verify().origin == "verified"


def test_columns_too_small_for_fourth_powers_are_refused():
    X, y = drawn(2, seed=15, rows=60)
    learner = LinearDiscriminantAnalysis(shrinkage="auto")
    with pytest.raises(tn.DataError, match=r"column 'x1' is too small.*Remedy: rescale it"):
        learner.fit(X * [1.0, 1e-90, 1.0, 1.0, 1.0], y)
    near = learner.fit(X * [1.0, 1e-60, 1.0, 1.0, 1.0], y).predict_proba(X * [1.0, 1e-60, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(near, learner.fit(X, y).predict_proba(X), atol=1e-9)


def test_a_tolerance_beyond_all_directions_keeps_none():
    X, y = drawn(2, seed=16, rows=60)
    model = LinearDiscriminantAnalysis(tol=1e155).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
