"""Batch normalisation, embeddings, penalties, weights of classes and starts of multi-layer perceptrons."""

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax

import tenfold as tn
from tenfold import MLPClassifier, MLPRegressor
from tenfold.engine.plan import Plan
from tenfold.neural_network.mlp.backpropagation import gradient, loss_and_gradient, parameters, summed_loss, target
from tenfold.neural_network.mlp.network_weights import ACTIVATIONS, VARIANCE_FLOOR, Embedding, Network
from tenfold.neural_network.torch_thread import one_torch_thread
from tenfold.sources import part_rows
from tenfold.stats.combinators import As, Each, View
from tenfold.testing import bits

random = np.random.default_rng(0)
X = random.standard_normal((300, 4))
t = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
label = (t > 0).astype(int)
three = np.digitize(t, [-0.5, 0.5])
weight = random.integers(0, 4, 300) + 0.5 * (random.random(300) < 0.3)
LOSSES = {"squared_error": (1, t), "log_loss": (1, label), "cross_entropy": (3, three)}


def in_batch(network, w, rows, y, shares):
    """Loss and gradient of a batch that is learned from, and the moments of its sums."""
    with one_torch_thread() as torch:
        given, moments = parameters(network, torch.tensor(w)), []
        how = None if shares is None else torch.tensor(shares)
        loss = summed_loss(torch, network, given, torch.tensor(rows), target(torch, network, y), how, None, moments)
        return loss.item(), gradient(torch, loss, given).numpy(), [(m.numpy(), v.numpy()) for m, v in moments]


def differences(value, w, h=1e-5):
    return np.array([(value(w + h * e) - value(w - h * e)) / (2 * h) for e in np.eye(len(w))])


# ---- batch normalisation --------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_through_a_normalised_batch_are_finite_differences(loss, activation, weighted):
    outputs, y = LOSSES[loss]
    network = Network((4, 3, 2, outputs), activation, loss, batch_norm=True)
    w = network.initial(3) + 0.3 * np.random.default_rng(1).random(network.length)
    shares = weight[:30] / weight[:30].sum() if weighted else None
    slope = in_batch(network, w, X[:30], y[:30], shares)[1]
    expected = differences(lambda v: in_batch(network, v, X[:30], y[:30], shares)[0], w)
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_through_a_normalised_batch_are_those_by_hand(loss, weighted):
    """Ioffe, Szegedy 2015: with ẑ = (z - μ)/σ, ∂L/∂z = (ẑ' - c (Σ ẑ' + ẑ Σ ẑ'ẑ)) / σ, where ẑ' = ∂L/∂ẑ and c shares."""
    outputs, y = LOSSES[loss]
    rows, y = X[:40], y[:40]
    network = Network((4, 3, outputs), "tanh", loss, batch_norm=True)
    w = network.initial(3) + 0.3 * np.random.default_rng(2).random(network.length)
    c = weight[:40] / weight[:40].sum() if weighted else np.full(40, 1 / 40)
    W, b, scale, shift, _, _, V, a = (piece for _, piece in network.cut(w))
    z = rows @ W + b
    mean, variance = c @ z, c @ (z - c @ z) ** 2
    deviation = np.sqrt(variance + VARIANCE_FLOOR)
    hat = (z - mean) / deviation
    h = np.tanh(hat * scale + shift)
    f = h @ V + a
    if loss == "squared_error":
        value, error = c @ (0.5 * (f[:, 0] - y) ** 2), f - y[:, None]
    elif loss == "log_loss":
        value, error = c @ (np.logaddexp(0, f[:, 0]) - y * f[:, 0]), expit(f) - y[:, None]
    else:
        value, error = -c @ log_softmax(f, axis=1)[np.arange(40), y], softmax(f, axis=1) - np.eye(3)[y]
    error = c[:, None] * error
    above = error @ V.T * (1 - h**2)
    back = above * scale
    down = (back - c[:, None] * (back.sum(axis=0) + hat * (back * hat).sum(axis=0))) / deviation
    zero = np.zeros(3)
    expected = [rows.T @ down, down.sum(axis=0), (above * hat).sum(axis=0), above.sum(axis=0), zero, zero]
    expected += [h.T @ error, error.sum(axis=0)]
    loss, slope, moments = in_batch(network, w, rows, y, c if weighted else None)
    assert loss == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(slope, np.concatenate([e.ravel() for e in expected]), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(moments[0], [mean, variance], rtol=1e-12)


def test_a_normalised_network_is_that_of_torch():
    torch = pytest.importorskip("torch")
    network = Network((4, 3, 3), "relu", "cross_entropy", batch_norm=True)
    w = network.initial(5)
    net = torch.nn.Sequential(
        torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3, eps=VARIANCE_FLOOR), torch.nn.ReLU(), torch.nn.Linear(3, 3)
    ).double()
    pieces = [torch.tensor(piece) for _, piece in network.cut(w)]
    theirs = (*net[0].parameters(), *net[3].parameters())
    with torch.no_grad():
        for mine, other in zip((pieces[0].T, pieces[1], pieces[6].T, pieces[7]), theirs, strict=True):
            other.copy_(mine)
    model = MLPClassifier(
        3, solver="sgd", momentum=0.0, batch_norm=True, batch_size=50, shuffle=False, max_iter=2, alpha=0.0, tol=0.0,
        learning_rate_init=0.1, random_state=5,
    ).fit(X, three)  # fmt: skip
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(2):
        for rows, y in zip(torch.tensor(X).split(50), torch.tensor(three).split(50), strict=True):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(rows), y).backward()
            optimizer.step()
    expected = net.eval()(torch.tensor(X)).softmax(1).detach().numpy()
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)


def test_layers_of_prediction_have_the_normalisation_in_them():
    model = MLPRegressor((5, 3), "tanh", batch_norm=True, max_iter=20, learning_rate_init=0.01).fit(X, t)
    (W, V, U), (a, b, c) = model.coefs_, model.intercepts_
    by_layers = np.tanh(np.tanh(X @ W + a) @ V + b) @ U + c
    np.testing.assert_allclose(model.predict(X), by_layers[:, 0], rtol=1e-9, atol=1e-12)
    network, w = model._network(model.schema_), model.model_.weights
    value = loss_and_gradient(network, w, X, t, np.ones(300))[0]
    assert value == pytest.approx(0.5 * ((model.predict(X) - t) ** 2).sum(), rel=1e-12)
    assert tn.NetworkGraph.of(model).states(X[0])["y"] == pytest.approx(model.predict(X[:1])[0])


def test_gradients_do_not_vanish_in_deep_layers_of_logistic_units():
    given = {"hidden_layer_sizes": (8, 8, 8, 8), "activation": "logistic", "max_iter": 5, "learning_rate_init": 0.02}
    plain, normalised = (MLPClassifier(batch_norm=n, batch_size=30, **given).fit(X, label) for n in (False, True))
    assert normalised.loss_curve_[-1] < 0.6 < 0.68 < plain.loss_curve_[-1]  # log 2 tells nothing


def test_a_batch_of_one_row_and_rows_without_weight_are_no_obstacle():
    given = {"batch_norm": True, "max_iter": 3, "shuffle": False}
    one = MLPRegressor(3, batch_size=1, **given).fit(X[:20], t[:20])
    assert np.isfinite(one.predict(X)).all()
    norms = dict(one._network(one.schema_).cut(one.model_.weights))
    np.testing.assert_array_equal(norms["mean"], 0.0)  # nothing was normalised, so nothing was followed
    rest = MLPRegressor(3, batch_size=20, **given).fit(X[:41], t[:41])  # the last batch is one row
    assert np.isfinite(rest.predict(X)).all()
    few = np.where(np.arange(40) % 20 == 0, 1.0, 0.0)
    lonely = MLPRegressor(3, batch_size=20, **given).fit(X[:40], t[:40], sample_weight=few)
    assert np.isfinite(lonely.predict(X)).all()


# ---- embeddings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_norm", [False, True])
def test_gradients_of_embeddings_are_finite_differences_and_those_of_the_product(batch_norm):
    network = Network((8, 3, 1), "tanh", "squared_error", batch_norm, (Embedding(1, 4, 2), Embedding(6, 2, 1)))
    w = network.initial(0)
    rows = np.column_stack([X[:30, :1], np.eye(4)[random.integers(0, 4, 30)], X[:30, 1:2], np.eye(2)[label[:30]]])
    value, slope = loss_and_gradient(network, w, rows, t[:30], np.ones(30))
    expected = differences(lambda v: loss_and_gradient(network, v, rows, t[:30], np.ones(30))[0], w)
    learnt = np.concatenate([np.full(p.size, name not in ("mean", "variance")) for name, p in network.cut(w)])
    np.testing.assert_allclose(slope[learnt], expected[learnt], rtol=1e-6, atol=1e-6)
    assert not slope[~learnt].any()
    assert value == pytest.approx(0.5 * ((network.outputs(w, rows)[:, 0] - t[:30]) ** 2).sum(), rel=1e-12)
    if not batch_norm:
        plain = Network((8, 3, 1), "tanh", "squared_error")
        folded = np.concatenate([part.ravel() for layer in network.layers(w) for part in layer])
        below = plain.layers(loss_and_gradient(plain, folded, rows, t[:30], np.ones(30))[1])[0][0]
        (_, E), _, (_, W), *_ = network.cut(w)
        (_, dE), (_, dF), (_, dW), *_ = network.cut(slope)
        np.testing.assert_allclose(dE, below[1:5] @ W[1:3].T, rtol=1e-9)  # of E W: the gradient of it times Wᵀ
        np.testing.assert_allclose(dW[1:3], E.T @ below[1:5], rtol=1e-9)
        np.testing.assert_allclose(dF, below[6:8] @ W[4:5].T, rtol=1e-9)


def frame_of(codes):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({name: np.array([f"{name}{k:02}" for k in range(20)])[c] for name, c in zip("ab", codes.T)})


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_an_exclusive_or_of_two_columns_of_twenty_categories_is_learned_with_few_weights(solver):
    codes = np.random.default_rng(3).integers(0, 20, (600, 2))
    frame, y = frame_of(codes), (codes[:, 0] + codes[:, 1]) % 2
    given = {"max_iter": 40, "learning_rate_init": 0.03, "batch_size": 50} if solver == "adam" else {}
    model = MLPClassifier(8, "tanh", embedding=2, solver=solver, random_state=2, **given).fit(frame, y)
    assert len(model.model_.weights) == 2 * 20 * 2 + (2 * 2 + 1) * 8 + 9
    assert len(model.model_.weights) < (2 * 20 + 1) * 8  # of one-hot features, in the first layer alone
    every = np.stack(np.meshgrid(np.arange(20), np.arange(20)), axis=-1).reshape(-1, 2)
    assert model.score(frame_of(every), every.sum(axis=1) % 2) > 0.99  # pairs that were not seen, too


def test_an_unknown_category_has_zeros():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.array(["u", "v", "w"])[random.integers(0, 3, 300)]})
    model = MLPRegressor(3, "tanh", embedding=2, max_iter=5).fit(frame, t)
    assert model.embeddings_["kind"].shape == (3, 2)
    assert [W.shape for W in model.coefs_] == [(4, 3), (3, 1)]
    other = frame.head(5).assign(kind="elsewhere")
    (W, V), (a, b) = model.coefs_, model.intercepts_
    expected = np.tanh(frame.x.to_numpy()[:5, None] * W[0] + a) @ V + b
    np.testing.assert_allclose(model.predict(other), expected[:, 0], rtol=1e-9)
    auto = MLPRegressor(3, embedding="auto", max_iter=1).fit(frame, t)
    assert auto.embeddings_["kind"].shape == (3, 3)
    plain, none = (MLPRegressor(3, embedding=e, max_iter=2).fit(X, t) for e in (4, None))
    assert plain.embeddings_ == {}
    np.testing.assert_array_equal(plain.predict(X), none.predict(X))


# ---- weights of classes ---------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
@pytest.mark.parametrize("given", [{0: 2.0, 2: 0.5}, "balanced"])
def test_weights_of_classes_are_weights_of_their_rows(solver, given):
    options = {"hidden_layer_sizes": 3, "solver": solver, "max_iter": 5, "shuffle": False}
    counts = np.bincount(three, weights=weight)
    factors = weight.sum() / (3 * counts) if given == "balanced" else np.array([2.0, 1.0, 0.5])
    model = MLPClassifier(class_weight=given, **options).fit(X, three, sample_weight=weight)
    other = MLPClassifier(**options).fit(X, three, sample_weight=weight * factors[three])
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), rtol=1e-9)
    objective = model.certificate_["objective"].value
    assert objective == pytest.approx(other.certificate_["objective"].value, rel=1e-9)


def test_balanced_classes_find_the_rare_one():
    rare = (X[:, 0] + 0.5 * random.standard_normal(300) > 1.9).astype(int)
    given = {"hidden_layer_sizes": (), "solver": "lbfgs"}
    plain, balanced = (MLPClassifier(class_weight=w, **given).fit(X, rare) for w in (None, "balanced"))
    assert balanced.predict(X)[rare == 1].mean() > plain.predict(X)[rare == 1].mean() + 0.2
    from sklearn.linear_model import LogisticRegression

    theirs = LogisticRegression(C=1e4, class_weight="balanced", tol=1e-8, max_iter=1000).fit(X, rare)
    np.testing.assert_allclose(balanced.predict_proba(X), theirs.predict_proba(X), atol=0.02)


def test_a_class_may_count_for_nothing():
    model = MLPClassifier(3, class_weight={0: 0.0, 1: 1.0, 2: 1.0}, batch_size=10, shuffle=False, max_iter=15)
    order = np.argsort(three, kind="stable")  # whole batches of it
    model.fit(X[order], three[order])
    assert np.isfinite(model.predict_proba(X)).all()
    assert not (model.predict(X) == 0).any()
    with pytest.raises(ValueError, match="class_weight names \\['no'\\]"):
        MLPClassifier(class_weight={"no": 1.0}).fit(X, three)


# ---- penalties, starts, warm starts ---------------------------------------------------------------


def test_absolute_values_are_penalised_beside_squares():
    model = MLPRegressor(5, alpha=3.0, l1_ratio=0.25, max_iter=4).fit(X, t, sample_weight=weight)
    W = np.concatenate([each.ravel() for each in model.coefs_])
    F = 0.5 * weight @ (model.predict(X) - t) ** 2 + 3.0 * (0.75 * 0.5 * W @ W + 0.25 * np.abs(W).sum())
    assert model.certificate_["objective"].value == pytest.approx(F / weight.sum(), rel=1e-12)
    noise = np.column_stack([X, random.standard_normal((300, 20))])
    given = {"hidden_layer_sizes": (), "alpha": 30.0, "max_iter": 400, "learning_rate_init": 0.03}
    given |= {"batch_size": 300}  # the penalty is divided by the rows of a batch
    l1, l2 = (MLPRegressor(l1_ratio=ratio, **given).fit(noise, 3 * X[:, 0]).coefs_[0] for ratio in (1.0, 0.0))
    assert np.abs(l1[4:]).max() < 0.02 < np.abs(l2[4:]).max()
    from sklearn.linear_model import Lasso

    lasso = Lasso(alpha=0.1).fit(noise, 3 * X[:, 0])
    np.testing.assert_allclose(l1[:, 0], lasso.coef_, atol=0.05)


def test_the_best_of_several_starts_is_kept():
    given = {"hidden_layer_sizes": 2, "activation": "tanh", "solver": "lbfgs", "max_iter": 15}
    several = [MLPRegressor(n_init=n, **given).fit(X, t).certificate_["objective"].value for n in (1, 2, 3)]
    assert several == sorted(several, reverse=True)
    assert several[-1] < several[0]
    model = MLPRegressor(n_init=3, **given).fit(X, t)
    assert model.n_iter_ == len(model.loss_curve_)
    assert model.verify().origin == "verified"
    stopped = {"hidden_layer_sizes": 3, "early_stopping": True, "max_iter": 5, "validation_fraction": 0.3}
    scores = [MLPClassifier(n_init=n, **stopped).fit(X, label).validation_scores_.max() for n in (1, 3)]
    assert scores[1] >= scores[0]
    with part_rows(50), tn.on(tn.Local(threads=2)):
        two = MLPRegressor(n_init=3, **given).fit(X, t)
    with part_rows(50), tn.on(tn.Local(threads=1)):
        assert bits(two.model_) == bits(MLPRegressor(n_init=3, **given).fit(X, t).model_)


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_a_warm_start_goes_on_from_the_weights(solver):
    model = MLPRegressor(5, "tanh", solver=solver, max_iter=8, warm_start=True).fit(X, t)
    before, epochs = model.certificate_["objective"].value, model.n_iter_
    first = [W.copy() for W in model.coefs_]
    again = model.fit(X, t).certificate_["objective"].value
    assert again < before
    assert model.n_iter_ > epochs
    assert len(model.loss_curve_) == model.n_iter_
    other = MLPRegressor(5, "tanh", solver=solver, max_iter=8).fit(X, t).fit(X, t)
    for mine, theirs in zip(first, other.coefs_, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(ValueError, match="Remedy: warm_start=False"):
        model.set_params(hidden_layer_sizes=6).fit(X, t)


def test_a_warm_start_is_that_of_scikit_learn():
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier as Theirs

    given = {"hidden_layer_sizes": (4,), "max_iter": 3, "shuffle": False, "warm_start": True, "batch_size": 50}
    mine, theirs = MLPClassifier(**given), Theirs(**given)
    mine.fit(X, three)
    layers = iter([(W.copy(), b.copy()) for W, b in zip(mine.coefs_, mine.intercepts_)])
    theirs._init_coef = lambda fan_in, fan_out, dtype: next(layers)
    mine.fit(X, three)
    with pytest.warns(ConvergenceWarning):
        theirs.fit(X, three)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
    mine.fit(X, three)
    with pytest.warns(ConvergenceWarning):
        theirs.fit(X, three)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_a_device_is_there_or_those_that_are_are_named(solver):
    given = {"hidden_layer_sizes": 3, "solver": solver, "max_iter": 2}
    named, plain = (MLPClassifier(device=device, **given).fit(X, three) for device in ("cpu", None))
    np.testing.assert_array_equal(named.predict_proba(X), plain.predict_proba(X))
    for absent in ("cuda:97", "nowhere", "meta"):
        with pytest.raises(ValueError, match=f"device='{absent}' is not on this machine. Remedy: one of cpu"):
            MLPClassifier(device=absent, **given).fit(X, three)


def test_what_batches_alone_can_do_is_refused_without():
    with pytest.raises(ValueError, match="Remedy: solver='adam'"):
        MLPClassifier(batch_norm=True, solver="lbfgs").fit(X, label)
    with pytest.raises(ValueError, match="Remedy: l1_ratio=0"):
        MLPClassifier(l1_ratio=0.5, solver="lbfgs").fit(X, label)


def test_a_bound_counts_the_epochs_of_all_starts():
    given = {"early_stopping": True, "max_iter": 5, "validation_fraction": 0.5}
    one, four = (MLPClassifier(3, n_init=n, **given).fit(X, label).certificate_["validation bound"] for n in (1, 4))
    assert "among 5 epochs counted in" in one.because
    assert "among 20 epochs of all starts counted in" in four.because


def test_a_start_that_diverges_leaves_the_others():
    given = {"hidden_layer_sizes": 5, "solver": "sgd", "learning_rate_init": 0.025, "max_iter": 4, "random_state": 6}
    rows, far = 4 * X[:, :3], 20 * X[:, 0]
    with pytest.raises(tn.DataError, match="weights diverge"):
        MLPRegressor(**given).fit(rows, far)  # the first of the starts
    assert np.isfinite(MLPRegressor(n_init=6, **given).fit(rows, far).predict(rows)).all()
    with pytest.raises(tn.DataError, match="weights diverge"):
        MLPRegressor(n_init=2, **{**given, "learning_rate_init": 100.0}).fit(rows, far)


def test_a_warm_start_weighs_classes_as_it_is_told_now():
    model = MLPClassifier(4, max_iter=40, warm_start=True, learning_rate_init=0.05).fit(X, label)
    assert model.predict(X).mean() < 0.7
    assert model.set_params(class_weight={0: 0.0, 1: 1.0}).fit(X, label).predict(X).mean() > 0.9
    model.set_params(class_weight="balanced").fit(X, label)
    few = np.flatnonzero((label == 0) | (np.arange(300) % 10 == 0))
    model.fit(X[few], label[few])
    fresh = MLPClassifier(4, max_iter=2, class_weight="balanced").fit(X[few], label[few])
    np.testing.assert_array_equal(model.model_.training.factors, fresh.model_.training.factors)
    assert not len(model.set_params(class_weight=None).fit(X, label).model_.training.factors)


def test_classes_are_not_balanced_by_some_of_the_rows():
    with pytest.raises(ValueError, match="Remedy: class_weight as a dict"):
        MLPClassifier(4, class_weight="balanced").partial_fit(X, label, classes=[0, 1])


def test_classes_are_weighed_once_for_a_network_and_a_logistic_regression():
    source, each = tn.scan(X, label), []
    for learner in (MLPClassifier(3, class_weight="balanced"), tn.LogisticRegression(class_weight="balanced")):
        schema = source.schema_of(0, learner.need)
        each.append(As(View(learner.need, schema), learner.ask(learner.start(schema))))
    assert len(Plan(Each(tuple(each))).leaves) == 1
