"""Bounds on the error of unseen rows: right at their rate, and absent where they say nothing."""

import math

import numpy as np
import pytest

from tenfold import SVC, Perceptron
from tenfold.theory import compression_bound, pac_bayes_margin_bound


def draw(random, n, noise=0.0):
    """Two classes on a line through the plane, a strip between them left empty; some labels wrong."""
    X = random.normal(size=(4 * n, 2))
    X = X[np.abs(X @ [1.0, 2.0]) > 0.8][:n]
    return X, (X @ [1.0, 2.0] > 0) ^ (random.random(len(X)) < noise)


def test_each_is_the_theorem_at_this_machine():
    X, y = draw(np.random.default_rng(0), 400, 0.03)
    model = SVC(kernel="linear", C=10.0).fit(X, y)
    f, kept = model.decision_function(X), model.support_
    sign = np.where(y, 1.0, -1.0)
    others = np.setdiff1d(np.arange(len(X)), kept)
    wrong = int((sign * f <= 0)[others].sum())
    claim = model.certificate_["compression bound"]
    assert claim.value == float(compression_bound(len(kept), wrong, len(X), 0.05))
    assert claim.status == "with confidence"
    assert "chosen before the rows were seen" in claim.assumptions
    w = np.append(model.coef_[0], model.intercept_)
    Z = np.column_stack([X, np.ones(len(X))])
    margins = sign * (Z @ w) / np.linalg.norm(w) / np.linalg.norm(Z, axis=1)
    assert model.certificate_["margin bound"].value == pytest.approx(
        float(pac_bayes_margin_bound(margins, 0.05)), rel=1e-6
    )


@pytest.mark.parametrize("given", [{"C": 1.0}, {"C": math.inf}, {"C": 1.0, "kernel": "rbf", "gamma": 0.5}])
def test_support_vectors_alone_give_the_machine(given):
    """What the compression bound rests on."""
    X, y = draw(np.random.default_rng(1), 200, 0.0 if given["C"] == math.inf else 0.05)
    learner = SVC(**{"kernel": "linear", "tol": 1e-9, **given})
    model = learner.fit(X, y)
    kept = np.sort(model.support_)
    again = SVC(**learner.get_params()).fit(X[kept], y[kept])
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-5)


def test_rows_of_the_mistakes_alone_give_the_perceptron():
    X, y = draw(np.random.default_rng(2), 300)
    learner = Perceptron(shuffle=False, tol=None, max_iter=1000)
    model = learner.fit(X, y)
    w, changed = np.zeros(3), []
    for _ in range(model.n_iter_):
        for i, (x, sign) in enumerate(zip(np.column_stack([np.ones(len(X)), X]), np.where(y, 1, -1), strict=True)):
            if sign * (w @ x) <= 0:
                w = w + sign * x
                changed.append(i)
    assert len(changed) == model.mistakes_.sum()
    some = np.unique(changed)
    again = Perceptron(**learner.get_params()).fit(X[some], y[some])
    assert np.append(again.intercept_, again.coef_).tolist() == np.append(model.intercept_, model.coef_).tolist()
    claim = model.certificate_["compression bound"]
    assert claim.value == float(compression_bound(len(changed), 0, 300, 0.05))
    assert claim.value >= float(compression_bound(len(some), 0, 300, 0.05))


def test_they_hold_in_repeated_draws():
    """Of 40 samples, with three bounds each, fewer than one in twenty may break a bound; these leave room."""
    random = np.random.default_rng(3)
    far, truth = draw(random, 20_000, 0.05)
    clean = (far @ [1.0, 2.0]) > 0
    broken, said = 0, 0
    for _ in range(40):
        X, y = draw(random, 250, 0.05)
        model = SVC(kernel="linear", C=1.0, tol=1e-3).fit(X, y)
        error = float((model.predict(far) != truth).mean())
        bounds = [model.certificate_.get("compression bound"), model.certificate_.get("margin bound")]
        X, y = draw(random, 250)
        rule = Perceptron().fit(X, y)
        wrong = float((rule.predict(far) != clean).mean())
        checked = [(b, error) for b in bounds] + [(rule.certificate_.get("compression bound"), wrong)]
        said += sum(b is not None for b, _ in checked)
        broken += sum(b is not None and e > b.value for b, e in checked)
    assert said > 40
    assert broken <= 3


def test_absent_where_they_say_nothing_or_are_not_proved():
    random = np.random.default_rng(4)
    X, y = draw(random, 200)
    kinds = {"compression bound", "margin bound"}

    def claims(learner, y=y, **more):
        return kinds & {c.kind for c in learner.fit(X, y, **more).certificate_.claims}

    assert claims(SVC(kernel="linear")) == kinds
    assert "compression bound" in claims(Perceptron())
    assert not claims(SVC(kernel="linear"), random.random(200) < 0.5)
    assert not claims(Perceptron(), random.random(200) < 0.5)
    assert not claims(SVC())  # the width of the kernel is made from the rows
    assert claims(SVC(gamma=0.5))
    assert not claims(SVC(kernel="linear", class_weight="balanced"))
    assert not claims(SVC(kernel="linear"), sample_weight=np.full(200, 2.0))
    assert not claims(SVC(kernel="linear"), np.arange(200) % 3)
    assert not claims(Perceptron("averaged"))
    assert not claims(Perceptron(mixing=True))
    assert not claims(Perceptron(), sample_weight=np.where(y, 1.0, 0.5))
