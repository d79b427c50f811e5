"""The perceptron against its theorem, loops by hand, and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron as Theirs

import tenfold as tn
from tenfold import Perceptron
from tenfold.sources import part_rows
from tenfold.testing import bits, check_law
from tiers import draws

random = np.random.default_rng(1)
X = random.standard_normal((200, 3))
plane = X @ [1.0, -1.0, 0.5] + 0.2
noisy = plane + 0.7 * random.standard_normal(200) > 0
three = np.digitize(plane, [-0.7, 0.9])


def separable(seed, rows=60, columns=3, gap=0.05):
    """Rows on both sides of a plane, none within the gap."""
    random = np.random.default_rng(seed)
    u = random.standard_normal(columns + 1)
    X = random.standard_normal((4 * rows, columns)) * 10.0 ** random.integers(-1, 2)
    f = (u[0] + X @ u[1:]) / np.linalg.norm(u)
    far = np.abs(f) > gap
    return X[far][:rows], (f > 0)[far][:rows]


def by_hand(X, y, eta=1.0, epochs=1, changes=lambda z: z <= 0):
    w, made = np.zeros(X.shape[1] + 1), []
    for _ in range(epochs):
        count = 0
        for x, side in zip(X, np.where(y, 1, -1), strict=True):
            row = np.append(1.0, x)
            if changes(side * (w @ row)):
                w = w + eta * side * row
                count += 1
        made.append(count)
    return w, made


def weights(model):
    return np.append(model.intercept_, model.coef_)


def test_it_changes_where_the_score_is_zero_too():
    """Erratum 8: with y wᵀx < 0 it never leaves w = 0."""
    w, made = by_hand(X, noisy, epochs=3)
    model = Perceptron(shuffle=False, max_iter=3, tol=None).fit(X, noisy)
    np.testing.assert_allclose(weights(model), w, rtol=1e-12)
    assert model.mistakes_.tolist() == made
    stuck, none = by_hand(X, noisy, epochs=3, changes=lambda z: z < 0)
    assert not stuck.any()
    assert none == [0, 0, 0]


def test_as_scikit_learn_has_it():
    ours = Perceptron(shuffle=False, max_iter=4, tol=None).fit(X, three)
    theirs = Theirs(shuffle=False, max_iter=4, tol=None).fit(X, three)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (ours.predict(X) == theirs.predict(X)).all()


@settings(max_examples=draws(20, 40))
@given(
    st.integers(0, 10**6), st.sampled_from([0.01, 1.0, 37.0]), st.booleans(), st.booleans(),
    st.sampled_from(["rule", "averaged", "pocket"]),
)  # fmt: skip
def test_on_separable_rows_mistakes_are_never_above_the_bound(seed, eta0, mixing, weighted, variant):
    """Errata 23 and 28: the plane has length 1; any η > 0 ends."""
    rows, y = separable(seed)
    if len(set(y)) < 2:
        return
    weight = np.random.default_rng(seed).integers(1, 4, len(y)) if weighted else None
    with part_rows(17):
        model = Perceptron(variant, eta0=eta0, mixing=mixing, tol=None, max_iter=20_000)
        model.fit(rows, y, sample_weight=weight)
    assert model.mistakes_[-1] == 0, "the last epoch has no mistake"
    claims = model.certificate_
    if claims["training error"].value == 0:  # an average may be behind
        assert claims["mistakes"].value <= claims["mistake bound"].value
        A = np.column_stack([np.ones(len(rows)), rows])
        w = weights(model)
        margin = (np.where(y, 1, -1) * (A @ w)).min() / np.linalg.norm(w)
        assert claims["margin"].value == pytest.approx(margin, rel=1e-9)
        bound = (A**2).sum(axis=1).max() / margin**2
        assert claims["mistake bound"].value == pytest.approx(bound, rel=1e-9)
    else:
        assert variant == "averaged"


def test_no_step_length_changes_what_is_predicted():
    """Erratum 28: from w = 0 the weights are so many times as long, and nothing else."""
    rows, y = separable(5)
    found = [Perceptron(eta0=eta0, tol=None, max_iter=10_000).fit(rows, y) for eta0 in (1.0, 1 / 1024, 64.0)]
    for model in found[1:]:
        assert model.mistakes_.tolist() == found[0].mistakes_.tolist()
        np.testing.assert_allclose(model.coef_ / model.eta0, found[0].coef_, rtol=1e-9)
        assert model.certificate_["margin"].value == pytest.approx(found[0].certificate_["margin"].value)


def test_the_bound_needs_a_plane_of_length_one():
    """Erratum 23: with the margin of longer weights the bound would be below the mistakes."""
    rows, y = separable(3)
    model = Perceptron(tol=None, max_iter=10_000).fit(rows, y)
    A = np.column_stack([np.ones(len(rows)), rows])
    long = (np.where(y, 1, -1) * (A @ (1e3 * weights(model)))).min()
    false = (A**2).sum(axis=1).max() / long**2
    assert false < model.certificate_["mistakes"].value <= model.certificate_["mistake bound"].value


def test_the_average_is_that_of_all_weights_on_the_way():
    model = Perceptron("averaged", shuffle=False, max_iter=2, tol=None).fit(X, noisy)
    w, seen = np.zeros(4), []
    for _ in range(2):
        for x, side in zip(X, np.where(noisy, 1, -1), strict=True):
            row = np.append(1.0, x)
            if side * (w @ row) <= 0:
                w = w + side * row
            seen.append(w)
    np.testing.assert_allclose(weights(model), np.mean(seen, axis=0), rtol=1e-12)


def test_the_pocket_holds_the_best_of_the_longest_runs():
    model = Perceptron("pocket", shuffle=False, max_iter=6, tol=None).fit(X, noisy)
    w, best = np.zeros(4), (np.inf, None)
    A, sides = np.column_stack([np.ones(200), X]), np.where(noisy, 1, -1)
    for _ in range(6):
        run, longest, kept = 0, 0, w
        for row, side in zip(A, sides, strict=True):
            if side * (w @ row) <= 0:
                if run > longest:
                    longest, kept = run, w
                w, run = w + side * row, 0
            else:
                run += 1
        kept = w if run > longest else kept
        wrong = int((sides * (A @ kept) <= 0).sum())
        best = min(best, (wrong, kept), key=lambda pair: pair[0])
    np.testing.assert_allclose(weights(model), best[1], rtol=1e-12)
    assert model.certificate_["training error"].value == best[0] / 200


def test_on_noisy_rows_the_others_are_better_than_the_rule():
    errors = {
        variant: Perceptron(variant, max_iter=20, tol=None).fit(X, noisy).certificate_["training error"].value
        for variant in ("rule", "averaged", "pocket")
    }
    assert errors["averaged"] < errors["rule"]
    assert errors["pocket"] < errors["rule"]
    with pytest.raises(KeyError, match="mistake bound"):
        Perceptron().fit(X, noisy).certificate_["mistake bound"]


def test_mixing_is_the_mean_of_the_parts():
    with part_rows(50):
        model = Perceptron(mixing=True, shuffle=False, max_iter=1).fit(X, noisy)
    each = [by_hand(X[rows], noisy[rows]) for rows in np.split(np.arange(200), 4)]
    np.testing.assert_allclose(weights(model), np.mean([w for w, _ in each], axis=0), rtol=1e-12)
    assert model.mistakes_[0] == np.mean([made for _, made in each])
    assert "iterative parameter mixing" in model.certificate_["mixed"].because
    for law in ("associative", "identity", "pure", "threads", "certified"):
        check_law(law, Perceptron(mixing=True, max_iter=3), 3)


@pytest.mark.parametrize("variant", ["rule", "averaged", "pocket"])
def test_cuts_threads_and_sparse_rows(variant):
    rows = np.where(np.abs(X) > 0.5, X, 0.0)
    for shuffle in (False, True):
        found, model = set(), Perceptron(variant, max_iter=4, tol=None, shuffle=shuffle)
        for cut, threads in ((200, 1), (33, 2), (1, 3)):
            with part_rows(33 if shuffle else cut), tn.on(tn.Local(threads=threads)):
                found.add(bits(model.fit(rows, three).model_))
        assert len(found) == 1
    dense, sparse = (Perceptron(variant, max_iter=4, tol=None).fit(form, three) for form in (rows, sp.csr_array(rows)))
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9)


def test_partial_fit_walks_on_and_claims_no_bound(tmp_path):
    model = Perceptron("pocket", shuffle=False)
    for rows in (slice(0, 80), slice(80, 200)):
        model.partial_fit(X[rows], plane[rows] > 0, classes=[False, True])
    w, _ = by_hand(X, plane > 0)
    np.testing.assert_allclose(model.model_.trail.weights[0], w, rtol=1e-12)
    assert model.certificate_.get("mistake bound") is None
    model.save(tmp_path / "model.tenfold")
    assert tn.load(tmp_path / "model.tenfold").verify()


def test_cross_validation():
    halves = np.arange(200) % 2
    learner = Perceptron("averaged", shuffle=False)
    cv = tn.cross_validate([learner], X, noisy, folds=halves)
    for fold in (0, 1):
        model = learner.fit(X[halves != fold], noisy[halves != fold])
        assert cv.scores.ravel()[fold] == model.score(X[halves == fold], noisy[halves == fold])


def test_cross_validation_of_mixed_parts():
    """Each model mixes the parts of its own rows, in the first epoch as in later ones."""
    thirds = np.arange(180) % 3
    learner = Perceptron("averaged", shuffle=False, mixing=True, max_iter=1)
    with part_rows(30):
        cv = tn.cross_validate([learner], X[:180], noisy[:180], folds=thirds)
    for fold in range(3):
        with part_rows(20):
            model = learner.fit(X[:180][thirds != fold], noisy[:180][thirds != fold])
        assert cv.scores.ravel()[fold] == model.score(X[:180][thirds == fold], noisy[:180][thirds == fold])


@pytest.mark.parametrize("variant", ["rule", "pocket", "averaged"])
@pytest.mark.parametrize("size", [1e160, 1.7e308])
def test_rows_too_long_to_be_squared_are_refused(variant, size):
    with pytest.raises(tn.DataError, match="too long to be squared"):
        tn.Perceptron(variant=variant).fit([[size, 1.0], [-size, 2.0], [0.0, 1.0]], [0, 1, 1])


def test_heavy_rows_that_are_long_have_a_margin():
    X = np.array([[1e150, 1.0], [-1e150, 2.0], [1e150, 0.0]])
    model = tn.Perceptron().fit(X, [1, 0, 1], [1e12, 1e12, 1e12])
    assert np.isfinite(model.certificate_["margin"].value)


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 6])  # of which both classes come
def test_targets_0_and_1_with_a_step_at_zero_are_the_same_rule(seed):
    """w + (t - H(w'x)) x with H(0) = 1 changes weights at the same rows, once one of the class 0 has come."""
    X, side = separable(seed)
    order = np.argsort(side, kind="stable")[:1].tolist()  # a row of class 0 comes first
    order += [at for at in range(len(X)) if at not in order]
    X, side = X[order], side[order]
    model = Perceptron(max_iter=3, tol=None, shuffle=False).fit(X, side)
    w, t = np.zeros(4), side.astype(float)
    for _ in range(model.n_iter_):
        for row, target in zip(np.column_stack([np.ones(len(X)), X]), t, strict=True):
            w = w + (target - float(w @ row >= 0)) * row
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_rows_in_random_order_or_drawn_one_by_one_lead_to_a_plane_within_the_bound(seed):
    """Whichever row comes next, there are (R/gamma)^2 mistakes at most: shuffled epochs are one such order."""
    X, side = separable(seed, gap=0.2)
    model = Perceptron(tol=None, random_state=seed).fit(X, side)
    rows, y = np.column_stack([np.ones(len(X)), X]), np.where(side, 1.0, -1.0)
    found = np.append(model.intercept_, model.coef_)
    gamma = (y * (rows @ found)).min() / np.linalg.norm(found)
    bound = ((rows**2).sum(axis=1).max()) / gamma**2
    random, w, made = np.random.default_rng(seed), np.zeros(rows.shape[1]), 0
    for at in random.integers(0, len(rows), 200_000).tolist():
        if y[at] * (w @ rows[at]) <= 0:
            w, made = w + y[at] * rows[at], made + 1
    assert (y * (rows @ w) > 0).all()
    assert made <= bound
    assert model.mistakes_.sum() <= bound
