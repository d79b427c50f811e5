"""Gradient descent against loops by hand, scikit-learn's optima, and its own certificate."""

import warnings

import numpy as np
import pytest
import scipy.optimize as so
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Ridge as TheirRidge

import tenfold as tn
from tenfold import DataError, MergeError, SGDClassifier, SGDRegressor
from tenfold.estimator.epochs import Epoch
from tenfold.sources import ArraySource, part_rows
from tenfold.stats.optimize.loss_functions import (
    CrossEntropy,
    EpsilonInsensitive,
    Hinge,
    LogisticLoss,
    SigmoidError,
    SquaredError,
    ZeroOne,
)
from tenfold.testing import bits

random = np.random.default_rng(0)
X = random.standard_normal((300, 4))
t = X @ [1.0, -2.0, 0.0, 0.5] + 1.0 + 0.3 * random.standard_normal(300)
label = (t > 1).astype(int)
three = np.digitize(t, [-0.5, 2.0])
weight = random.integers(0, 4, 300) + 0.5 * (random.random(300) < 0.3)
BATCH = {"batch_size": None, "learning_rate": "constant", "momentum": 0.9, "nesterovs_momentum": True}


# ---- by hand --------------------------------------------------------------------------------------


def test_the_delta_rule_adds_eta_times_error_times_row():
    """Erratum 15: w + η (t - wᵀφ) φ, one row after the other (Adaline)."""
    model = SGDRegressor(
        penalty=None, learning_rate="constant", eta0=0.05, shuffle=False, max_iter=3, tol=None
    ).fit(X, t)  # fmt: skip
    w, b, losses = np.zeros(4), 0.0, []
    for _ in range(3):
        loss = 0.0
        for x, y in zip(X, t, strict=True):
            error = y - (w @ x + b)
            loss += 0.5 * error**2
            w = w + 0.05 * error * x
            b += 0.05 * error
        losses.append(loss / 300)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, [b], rtol=1e-12)
    np.testing.assert_allclose(model.loss_curve_, losses, rtol=1e-12)


@pytest.mark.parametrize("learning_rate", ["constant", "optimal", "invscaling", "exponential"])
def test_schedules_and_penalties_by_hand(learning_rate):
    """Erratum 20: the gradient of ½ α |w|² is α w, and the bias has none."""
    alpha, share, eta0, power, decay = 0.1, 0.3, 0.1, 0.5, 0.7
    model = SGDClassifier(
        "hinge", penalty="elasticnet", alpha=alpha, l1_ratio=share, learning_rate=learning_rate, eta0=eta0,
        power_t=power, decay=decay, shuffle=False, max_iter=2, tol=None, average=True,
    ).fit(X, label)  # fmt: skip
    w, b, count, mean = np.zeros(4), 0.0, 0, np.zeros(5)
    for epoch in range(2):
        for x, y in zip(X, 2 * label - 1, strict=True):
            eta = {
                "constant": eta0,
                "optimal": eta0 / (1 + alpha * eta0 * count),
                "invscaling": eta0 / (count + 1) ** power,
                "exponential": eta0 * np.exp(-decay * epoch),
            }[learning_rate]
            slope = -y if y * (w @ x + b) < 1 else 0
            w = (1 - eta * alpha * (1 - share)) * w - eta * slope * x
            w = np.sign(w) * np.maximum(np.abs(w) - eta * alpha * share, 0)
            b -= eta * slope
            count += 1
            mean += (np.append(w, b) - mean) / count
    np.testing.assert_allclose(model.model_.training.summary.weights[0], np.append(b, w), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), mean, rtol=1e-11)


@pytest.mark.parametrize("nesterov", [False, True])
def test_mini_batches_and_momentum_by_hand(nesterov):
    model = SGDRegressor(
        alpha=0.2, learning_rate="constant", eta0=0.1, batch_size=64, momentum=0.6, nesterovs_momentum=nesterov,
        shuffle=False, max_iter=2, tol=None,
    ).fit(X, t)  # fmt: skip
    w, v = np.zeros(5), np.zeros(5)
    A = np.column_stack([np.ones(300), X])
    for _ in range(2):
        for start in range(0, 300, 64):
            some = slice(start, start + 64)
            at = w + 0.6 * v if nesterov else w
            g = A[some].T @ (A[some] @ at - t[some]) / len(A[some]) + 0.2 * at * [0, 1, 1, 1, 1]
            v = 0.6 * v - 0.1 * g
            w = w + v
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), w, rtol=1e-12)


@pytest.mark.parametrize("size", [None, 1, 64])
@pytest.mark.parametrize(
    ("loss", "slope"),
    [
        (SquaredError(), lambda f, y: f - y),
        (EpsilonInsensitive(0.2), lambda f, y: np.where(np.abs(f - y) > 0.2, np.sign(f - y), 0.0)),
        (Hinge(), lambda f, y: np.where(y * f < 1, -y, 0.0)),
        (LogisticLoss(), lambda f, y: -y / (1 + np.exp(y * f))),
        (SigmoidError(), lambda f, y: (expit(f) - (y + 1) / 2) * expit(f) * (1 - expit(f))),
    ],
    ids=["squared", "epsilon-insensitive", "hinge", "logistic", "sigmoid"],
)
def test_every_loss_descends_by_its_own_gradient(loss, slope, size):
    """w - η mean of the gradients: over all rows, row by row, or over batches of them."""
    learner, target, y = SGDRegressor, t, t
    if isinstance(loss, Hinge | LogisticLoss | SigmoidError):
        learner, target, y = SGDClassifier, label, 2.0 * label - 1
    model = learner(
        loss, penalty=None, learning_rate="constant", eta0=0.03, batch_size=size, shuffle=False, max_iter=3, tol=None
    ).fit(X, target)
    A, w = np.column_stack([np.ones(300), X]), np.zeros(5)
    for _ in range(3):
        for start in range(0, 300, size or 300):
            some = A[start : start + (size or 300)], y[start : start + (size or 300)]
            w = w - 0.03 * some[0].T @ slope(some[0] @ w, some[1]) / len(some[1])
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), w, rtol=1e-11)


def test_a_row_of_weight_two_is_two_rows_in_a_row():
    times = random.integers(0, 4, 300)
    options = {"shuffle": False, "max_iter": 2, "tol": None, "eta0": 0.01}
    for one, target in ((SGDRegressor(**options), t), (SGDClassifier(**options), three)):
        a = clone(one).fit(X, target, sample_weight=times)
        b = clone(one).fit(np.repeat(X, times, axis=0), np.repeat(target, times))
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-12)


# ---- optima ---------------------------------------------------------------------------------------


def test_over_all_rows_it_is_ridge():
    model = SGDRegressor(alpha=0.01, tol=1e-11, **BATCH).fit(X, t, sample_weight=weight)
    theirs = TheirRidge(0.01 * weight.sum(), tol=1e-12).fit(X, t, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, rtol=1e-8)
    assert model.certificate_["gradient"].value <= 1e-11


def test_a_sigmoid_unit_with_squared_errors_is_at_a_minimum_of_scipy():
    """The delta rule of one sigmoid unit, with a penalty: where it ends, scipy goes nowhere."""
    model = SGDClassifier("sigmoid_error", alpha=0.01, tol=1e-9, max_iter=20_000, **BATCH).fit(
        X, label, sample_weight=weight
    )

    def objective(w):
        o = expit(X @ w[1:] + w[0])
        return np.average(0.5 * (o - label) ** 2, weights=weight) + 0.005 * w[1:] @ w[1:]

    ours = np.append(model.intercept_, model.coef_)
    found = so.minimize(objective, ours, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(ours, found.x, atol=1e-6)
    assert model.certificate_["objective"].value == pytest.approx(objective(ours), rel=1e-12)
    assert "vacuous" in model.certificate_["gap"].because  # not convex: a slope of 0 proves no minimum
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(X @ ours[1:] + ours[0]), rtol=1e-12)


@pytest.mark.parametrize(("loss", "target"), [("log_loss", label), ("cross_entropy", label), ("cross_entropy", three)])
def test_over_all_rows_it_is_logistic_regression(loss, target):
    model = SGDClassifier(loss, alpha=0.05, tol=1e-9, **BATCH).fit(X, target, sample_weight=weight)
    theirs = TheirLogistic(C=1 / (0.05 * weight.sum()), tol=1e-10, max_iter=10_000)
    theirs.fit(X, target, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), theirs.predict_proba(X), atol=1e-6)


def test_bits_are_nats_over_the_logarithm_of_two():
    nats, in_bits = (
        SGDClassifier(CrossEntropy(unit), alpha=0.05 * times, tol=1e-9, **BATCH).fit(X, three)
        for unit, times in (("nats", 1), ("bits", 1 / np.log(2)))
    )
    np.testing.assert_allclose(nats.coef_, in_bits.coef_, atol=1e-6)
    ratio = in_bits.certificate_["objective"].value / nats.certificate_["objective"].value
    assert ratio == pytest.approx(1 / np.log(2), rel=1e-9)


def test_with_an_absolute_penalty_it_is_the_lasso():
    from sklearn.linear_model import Lasso

    options = {**BATCH, "momentum": 0.0, "nesterovs_momentum": False}
    model = SGDRegressor(penalty="l1", alpha=0.1, tol=1e-10, max_iter=5000, **options).fit(X, t)
    np.testing.assert_allclose(model.coef_, Lasso(0.1, tol=1e-12).fit(X, t).coef_, atol=1e-8)
    assert model.coef_[2] == 0


def test_row_by_row_with_falling_steps_it_comes_near():
    best = TheirRidge(0.01 * 300).fit(X, t)
    options = {"alpha": 0.01, "tol": None, "max_iter": 300}
    last = SGDRegressor(learning_rate="invscaling", power_t=0.7, **options).fit(X, t)
    mean = SGDRegressor(learning_rate="invscaling", power_t=0.5, average=True, **options).fit(X, t)
    assert np.abs(last.coef_ - best.coef_).max() < 0.03
    assert np.abs(mean.coef_ - best.coef_).max() < 0.01
    falling = SGDRegressor(learning_rate="constant", max_iter=300, tol=None, alpha=0.01).fit(X, t)
    assert last.certificate_["gap"].value < falling.certificate_["gap"].value


# ---- certificates ---------------------------------------------------------------------------------


def _optimum(loss, A, y, l2, l1, constant):
    """The least objective, by coordinates or by L-BFGS on split weights."""

    def value(w):
        u = w[1:5] - w[5:]
        f = A @ u + constant * w[0]
        g = loss.gradient(f, y) / len(y)
        down = A.T @ g + l2 * u
        return (
            loss.value(f, y).mean() + l2 / 2 * u @ u + l1 * w[1:].sum(),
            np.concatenate([[constant * g.sum()], down + l1, -down + l1]),
        )

    bounds = [(None, None)] + [(0, None)] * 8
    options = {"ftol": 1e-16, "gtol": 1e-12, "maxiter": 5000, "maxcor": 40}
    return so.minimize(value, np.zeros(9), jac=True, bounds=bounds, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("loss", [SquaredError(), LogisticLoss()], ids=lambda loss: loss.name)
def test_the_gap_is_never_below_the_truth_nor_uselessly_above(loss, share, constant):
    learner = SGDRegressor if isinstance(loss, SquaredError) else SGDClassifier
    y, target = (t, t) if learner is SGDRegressor else (2 * label - 1, label)
    alpha = 0.05
    least = _optimum(loss, X, y, alpha * (1 - share), alpha * share, constant)
    for tol in (1.0, 0.1, 1e-2, 1e-3, 1e-5):
        model = learner(
            loss, penalty="elasticnet", alpha=alpha, l1_ratio=share, fit_intercept=constant, batch_size=None,
            learning_rate="constant", tol=tol,
        ).fit(X, target)  # fmt: skip
        claims = model.certificate_
        true = claims["objective"].value - least
        assert claims["gap"].value >= true - 1e-13
        assert claims["gradient"].value <= tol
        if tol <= 1e-2 and not constant:
            assert claims["gap"].value <= 100 * true + 1e-12
    assert claims["gap"].value <= 1e-3


@pytest.mark.parametrize("loss", ["hinge", "exponential", EpsilonInsensitive(0.2)])
def test_the_gap_of_other_losses(loss):
    learner = SGDRegressor if isinstance(loss, EpsilonInsensitive) else SGDClassifier
    target = t if learner is SGDRegressor else label
    rough = learner(loss, alpha=0.1, max_iter=3, tol=None).fit(X, target)
    fine = learner(loss, alpha=0.1, max_iter=500, tol=None, learning_rate="optimal", average=True).fit(X, target)
    true = rough.certificate_["objective"].value - fine.certificate_["objective"].value
    assert rough.certificate_["gap"].value >= true > 0


def test_it_says_how_it_ended_and_how_parts_were_walked():
    model = SGDClassifier(max_iter=2, tol=None).fit(X, label)
    assert model.certificate_["epochs"].value == 2
    assert "max_iter was reached" in model.certificate_["epochs"].because
    assert model.certificate_["mixed"].value == 0
    assert "iterative parameter mixing" in SGDClassifier(mixing=True).fit(X, label).certificate_["mixed"].because
    assert model.verify().origin == "verified"


# ---- order, parts, forms --------------------------------------------------------------------------

VARIANTS = [
    SGDClassifier(),
    SGDClassifier("log_loss", penalty="elasticnet", average=True),
    SGDClassifier("cross_entropy", penalty="l1", batch_size=7, momentum=0.3),
    SGDClassifier(penalty=None, mixing=True),
]


@pytest.mark.parametrize("learner", VARIANTS, ids=range(4))
def test_sparse_rows_lead_to_the_same_place(learner):
    rows = np.where(np.abs(X) > 0.6, X, 0.0)
    learner = clone(learner).set_params(max_iter=5, tol=None)
    dense, sparse = (clone(learner).fit(form, three, sample_weight=weight) for form in (rows, sp.csr_array(rows)))
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(dense.intercept_, sparse.intercept_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(dense.loss_curve_, sparse.loss_curve_, rtol=1e-9)


def test_sparse_rows_with_a_strong_penalty():
    rows = sp.random_array((200, 30), density=0.1, rng=np.random.default_rng(1), format="csr")
    y = rows @ np.arange(30.0)
    options = {"alpha": 50.0, "eta0": 0.0199, "learning_rate": "constant", "max_iter": 3, "tol": None, "average": True}
    a, b = (SGDRegressor(**options).fit(form, y) for form in (rows, rows.toarray()))
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9)
    np.testing.assert_allclose(a.model_.training.summary.weights, b.model_.training.summary.weights, rtol=1e-9)


@pytest.mark.parametrize("learner", VARIANTS[:3], ids=range(3))
def test_cuts_and_threads_do_not_change_a_bit(learner):
    learner = clone(learner).set_params(max_iter=4, tol=None)
    for shuffle in (False, True):
        found = set()
        for rows, threads in ((300, 1), (37, 2), (1, 3)):
            with part_rows(37 if shuffle else rows), tn.on(tn.Local(threads=threads)):
                found.add(bits(learner.set_params(shuffle=shuffle).fit(X, three, sample_weight=weight).model_))
        assert len(found) == 1


def test_equal_rows_are_met_apart():
    """With few distinct rows a walk goes to and fro between them, as one over distinct rows does."""
    kinds = random.integers(0, 2, (3000, 3)).astype(float)
    label = np.where(random.random(3000) < 0.1 + 0.5 * kinds[:, 0], "yes", "no")
    best = SGDClassifier("log_loss", batch_size=None).fit(kinds, label).score(kinds, label)
    assert SGDClassifier("log_loss", max_iter=5, tol=None).fit(kinds, label).score(kinds, label) > best - 0.02
    numbers = np.round(kinds @ [1.0, 2.0, 0.0] + random.normal(size=3000))
    assert SGDRegressor(max_iter=5, tol=None).fit(kinds, numbers).score(kinds, numbers) > 0.5


def test_seeds_and_epochs_give_other_orders():
    found = {bits(SGDClassifier(max_iter=1, random_state=seed).fit(X, label).model_) for seed in (0, 0, 1)}
    assert len(found) == 2
    learner = SGDClassifier(random_state=3)
    state = learner.start(ArraySource(X, label).schema_of(0, learner.need))
    chunk = ArraySource(X, label).load(0, learner.need, ArraySource(X, label).schema_of(0, learner.need))
    epochs = [learner.ask(Epoch.of(step, *state[1:])) for step in (0, 1)]
    walks = [epoch.in_order(chunk) for epoch in epochs]
    assert (walks[0][0] != walks[1][0]).any()
    rows = np.column_stack([X, label.astype(float)])
    for block, y, weight, order in walks:
        assert sorted(map(tuple, np.column_stack([block, y])[order])) == sorted(map(tuple, rows))
        assert (weight == 1).all()


def test_mixing_is_the_mean_of_the_parts():
    options = {"max_iter": 1, "tol": None, "eta0": 0.01, "shuffle": False}
    with part_rows(100):
        mixed = SGDRegressor(mixing=True, **options).fit(X, t)
    each = [SGDRegressor(**options).fit(X[rows], t[rows]).coef_ for rows in np.split(np.arange(300), 3)]
    np.testing.assert_allclose(mixed.coef_, np.mean(each, axis=0), rtol=1e-12)


def test_laws_of_mixing():
    from tenfold.testing import check_law

    for learner in (SGDClassifier(mixing=True, max_iter=3), SGDRegressor(batch_size=None, max_iter=3)):
        for law in ("associative", "identity", "pure", "recoding", "threads", "certified"):
            check_law(law, learner, 3)


# ---- the shell ------------------------------------------------------------------------------------


def test_partial_fit_walks_on():
    options = {"shuffle": False, "eta0": 0.01, "tol": None}
    model = SGDClassifier(**options)
    for rows in (slice(0, 100), slice(100, 250), slice(250, 300)):
        model.partial_fit(X[rows], three[rows], classes=[0, 1, 2])
    whole = SGDClassifier(max_iter=1, **options).fit(X, three)
    assert model.coef_.tobytes() == whole.coef_.tobytes()
    assert model.n_iter_ == 3
    assert model.verify()
    with pytest.raises(ValueError, match="class"):
        model.partial_fit(X, three + 1)


def test_two_models_do_not_merge():
    with pytest.raises(MergeError, match="one row after another"):
        SGDRegressor().fit(X, t) + SGDRegressor().fit(X, t)


def test_model_files(tmp_path):
    for learner in (SGDRegressor(EpsilonInsensitive(0.3)), SGDClassifier(CrossEntropy("bits")), SGDClassifier(Hinge())):
        model = learner.fit(X, t if isinstance(learner, SGDRegressor) else three)
        model.save(tmp_path / "model.tenfold")
        again = tn.load(tmp_path / "model.tenfold")
        assert again.loss == learner.loss
        assert bits(again.model_) == bits(model.model_)
        assert again.predict(X).tobytes() == model.predict(X).tobytes()
        assert again.verify().origin == "verified"
        grown = again.partial_fit(X, t if isinstance(learner, SGDRegressor) else three)
        assert grown.n_iter_ == model.n_iter_ + 1


def test_cross_validation_is_that_of_the_parts():
    one = np.arange(300) % 2
    cv = tn.cross_validate(SGDClassifier(shuffle=False), X, three, folds=one)
    for fold in (0, 1):
        model = SGDClassifier(shuffle=False).fit(X[one != fold], three[one != fold])
        assert cv.scores.ravel()[fold] == model.score(X[one == fold], three[one == fold])


def test_categories_enter_by_themselves():
    import pandas as pd

    colour = np.array(["blue", "green", "red"])[random.integers(0, 3, 300)]
    frame = pd.DataFrame({"x": X[:, 0], "colour": colour})
    by_hand = np.column_stack([X[:, 0], colour == "blue", colour == "green", colour == "red"]).astype(float)
    target = X[:, 0] + 2 * (colour == "red")
    a, b = SGDRegressor(**BATCH, tol=1e-9).fit(frame, target), SGDRegressor(**BATCH, tol=1e-9).fit(by_hand, target)
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-7)
    c, d = SGDRegressor(max_iter=2, tol=None, shuffle=False), SGDRegressor(max_iter=2, tol=None, shuffle=False)
    np.testing.assert_allclose(c.fit(frame, target).coef_, d.fit(by_hand, target).coef_, rtol=1e-12)
    assert a.coef_names_.tolist() == ["x", "colour_blue", "colour_green", "colour_red"]


def test_steps_that_are_too_long_are_told():
    with pytest.raises(DataError, match="eta0='auto'"):
        SGDRegressor(eta0=10.0, learning_rate="constant", tol=None, max_iter=500).fit(X, t)
    with pytest.raises(DataError, match="StandardScaler"):
        SGDRegressor(eta0=10.0, learning_rate="constant", batch_size=None, tol=None, max_iter=3000).fit(X, t)
    model = SGDRegressor().fit(1e6 * X, t)
    assert np.isfinite(model.coef_).all()


def test_losses_that_cannot_teach_or_tell_probabilities():
    with pytest.raises(ValueError, match="no slope"):
        SGDClassifier(ZeroOne()).fit(X, label)
    assert not hasattr(SGDClassifier(), "predict_proba")
    with pytest.raises(ValueError, match="log_loss"):
        tn.cross_validate(SGDClassifier(), X, label, folds=3, scoring="neg_log_loss")
    with pytest.raises(ValueError, match="numbers"):
        SGDRegressor(Hinge()).fit(X, t)


def test_probabilities_of_one_class_against_the_rest():
    model = SGDClassifier("log_loss").fit(X, three)
    p = model.predict_proba(X)
    sigma = 1 / (1 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(p, sigma / sigma.sum(axis=1, keepdims=True), rtol=1e-9)
    np.testing.assert_allclose(np.log(p), model.predict_log_proba(X), atol=1e-9)


def test_probabilities_where_every_class_is_next_to_impossible():
    X, y = np.array([[0.0, 2.0], [1.0, -3.0], [0.0, 0.0], [1.0, 1.0]]), [0, 7, 5, 1]
    model = SGDClassifier(loss="log_loss").fit(X, y)
    scores = np.array([[-800.0, -801.0, -900.0, -1000.0], [0.0, -1.0, -2.0, -3.0]])
    found = model.probability_from(scores)
    np.testing.assert_allclose(found[0, :2], [1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))], rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(found[1], model.probability_from(scores[1:])[0], rtol=0)


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "exponential"])
def test_one_class_has_a_gap_that_is_a_number_and_verifies(loss):
    """Nothing bounds the constant of one class; where the slope along it is 0, nothing has to."""
    model = tn.SGDClassifier(loss=loss, max_iter=20).fit([[0.0], [1.0]], [0, 0])
    assert 0 <= model.certificate_["gap"].value <= model.certificate_["objective"].value
    assert model.verify().origin == "verified"


def test_a_gradient_too_long_to_be_squared_has_a_length():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        certificate = SGDRegressor(max_iter=1, shuffle=False).fit([[-2.9e148], [2e148]], [3e100, 2e100]).certificate_
    assert 1e160 < certificate["gradient"].value < np.inf
    assert "vacuous" in certificate["gap"].because


def test_rows_too_long_for_their_weights_are_refused():
    with pytest.raises(tn.DataError, match="rows are too long, times their weights"):
        tn.SGDClassifier().fit([[1.866e150], [1.0]], ["yes", "no"], sample_weight=[2e12, 1.0])


def test_a_rule_ends_epochs_and_a_last_pass_certifies_them():
    rows = np.random.default_rng(0).normal(size=(200, 3))
    short = tn.SGDRegressor(max_iter=2, tol=None).fit(rows, rows[:, 0])
    model = tn.SGDRegressor(max_iter=50, tol=None).fit(rows, rows[:, 0], stop=tn.Rounds(2))
    assert (model.n_iter_, model.certificate_.provenance.stopped) == (2, "2 rounds")
    np.testing.assert_array_equal(model.coef_, short.coef_)
    assert model.certificate_["gradient"].value == short.certificate_["gradient"].value


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "cross_entropy"])
@pytest.mark.parametrize("target", [label, three], ids=["two", "three"])
def test_weights_that_lead_steps_astray_are_told_of_and_the_remedy_works(loss, target):
    heavy = np.full(len(X), 1e9)
    with pytest.warns(ConvergenceWarning, match=r"twice that of weights of zero.*Remedy: divide sample_weight by its"):
        SGDClassifier(loss, max_iter=5).fit(X, target, sample_weight=heavy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        light = SGDClassifier(loss).fit(X, target, sample_weight=heavy / heavy.mean())
    assert light.score(X, target) > 0.7
