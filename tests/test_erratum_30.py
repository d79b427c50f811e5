"""Erratum 30, point by point: each of these fails with the formula as the notes print it."""

import numpy as np
import pytest

from tenfold import AdaBoostClassifier, DecisionTreeClassifier, theory
from tenfold.display import MarginsDisplay
from tenfold.stats.counts.information import entropy


def rows(eps, delta, n):
    return theory.sample_size(eps, delta, log_size=theory.log_conjunctions(n))


def test_erratum_30_rows_are_polynomial_in_one_over_eps_and_delta():
    """Halving ε doubles them, δ enters by its logarithm, n linearly; a polynomial in ε would stay bounded."""
    for k in range(1, 12):
        assert rows(0.2 / 2**k, 0.05, 10) <= 2 * rows(0.2 / 2 ** (k - 1), 0.05, 10) <= rows(0.2 / 2**k, 0.05, 10) + 2
    assert rows(0.2 / 2**12, 0.05, 10) > 1000 * rows(0.2, 0.05, 10)
    assert rows(0.1, 0.05 / 1000, 10) - rows(0.1, 0.05, 10) <= 70  # ln(1000)/0.1
    assert rows(0.1, 0.05, 20) <= 2 * rows(0.1, 0.05, 10)


def test_erratum_30_rows_are_polynomial_in_the_size_of_the_concept():
    """Concepts of so many bits: rows grow with the bits, which no polynomial in 1/ε, 1/δ and n alone allows."""
    found = [theory.sample_size(0.1, 0.05, log_size=bits * np.log(2)) for bits in (100, 200, 400, 800)]
    assert (np.diff(found) > 0).all()
    np.testing.assert_allclose(np.array(found[1:]) / found[:-1], 2, rtol=0.05)
    assert theory.sample_size(0.1, 0.05, log_size=1e6 * np.log(2)) > 1000 * found[0]


def test_erratum_30_entropy_runs_over_classes():
    """Three classes that are equally frequent have log₂ 3 bits, whatever the columns; two values have 1 at most."""
    X = np.array([["u"], ["u"], ["v"]] * 20)
    y = np.repeat(["a", "b", "c"], 20)
    bits = entropy(np.unique(y, return_counts=True)[1])
    assert bits == pytest.approx(np.log2(3))
    assert entropy(np.unique(X, return_counts=True)[1]) < 1
    X = np.where(y == "c", "v", "u")[:, None]
    splits = [
        DecisionTreeClassifier(criterion="entropy", min_impurity=least).fit(X, y).tree_.node_count > 1
        for least in (1.2, bits - 1e-9, bits + 1e-9)
    ]
    assert splits == [True, True, False]


def test_erratum_30_pruning_uses_rows_that_the_tree_has_not_seen():
    """By the rows it grew from no cut would ever pay: the full tree has no error on them, the pruned one has some."""
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3))
    y = (X[:, 0] > 0) ^ (random.random(600) < 0.2)
    full = DecisionTreeClassifier(random_state=0).fit(X, y)
    cut = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(X, y)
    assert full.score(X, y) == 1
    assert cut.score(X, y) < 1
    assert cut.tree_.node_count < full.tree_.node_count / 4
    far = random.normal(size=(5000, 3))
    assert cut.score(far, far[:, 0] > 0) > full.score(far, far[:, 0] > 0) + 0.05
    claim = cut.certificate_["validation error"]
    assert claim.value > 0
    assert "rows" in claim.because


def boosted():
    random = np.random.default_rng(1)
    X = random.normal(size=(120, 2))
    y = X.sum(axis=1) + 0.5 * random.normal(size=120) > 0
    model = AdaBoostClassifier(n_estimators=12).fit(X, y)
    left, right = (np.where(side == 1, 1, -1) for side in (model.left_, model.right_))
    said = np.where(X[:, model.feature_] <= model.threshold_, left, right)
    return model, X, np.where(y, 1, -1), said


def test_erratum_30_the_margin_of_a_vote_has_no_sign_function():
    """y Σ α h / Σ α is from -1 to 1; with a sign around the sum it would be -1 or 1, and tell errors only."""
    model, X, y, said = boosted()
    alpha = model.estimator_weights_
    margin = y * (said @ alpha) / alpha.sum()
    shown = MarginsDisplay.from_estimator(model, X, y > 0, rounds=[12]).margin[0]
    np.testing.assert_allclose(shown, np.unique(np.round(margin, 12)), atol=1e-9)
    assert (np.abs(margin) < 0.9).mean() > 0.5


def test_erratum_30_the_weighted_error_is_a_share():
    """Σ w [h ≠ y] / Σ w, from 0 to 1; weights that are multiplied and never divided sum to more."""
    model, _, y, said = boosted()
    w, raw = np.ones(len(y)), []
    for t, (alpha, error) in enumerate(zip(model.estimator_weights_, model.estimator_errors_, strict=True)):
        wrong = said[:, t] != y
        assert error == pytest.approx(w[wrong].sum() / w.sum(), rel=1e-9)
        assert 0 < error < 0.5
        assert alpha == pytest.approx(np.log((1 - error) / error), rel=1e-9)
        raw.append(w[wrong].sum() / len(y))
        w = w * np.exp(alpha * wrong)
    assert max(raw) > 1
