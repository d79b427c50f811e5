"""Multi-layer perceptrons against backpropagation by hand, finite differences and scikit-learn's steps."""

import re
import subprocess
import sys
import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor
from threadpoolctl import threadpool_limits

import tenfold as tn
from tenfold import DataError, MergeError, MLPClassifier, MLPRegressor
from tenfold.core import Stop
from tenfold.neural_network.mlp.backpropagation import loss_and_gradient
from tenfold.neural_network.mlp.network_weights import ACTIVATIONS, SLOPE, Network
from tenfold.neural_network.mlp.plain_backpropagation import PlainGradient
from tenfold.neural_network.torch_thread import one_torch_thread
from tenfold.sources import ArraySource, part_rows
from tenfold.testing import bits

random = np.random.default_rng(0)
X = random.standard_normal((300, 4))
t = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
label = (t > 0).astype(int)
three = np.digitize(t, [-0.5, 0.5])
weight = random.integers(0, 4, 300) + 0.5 * (random.random(300) < 0.3)
LOSSES = {"squared_error": (1, t), "log_loss": (1, label), "cross_entropy": (3, three)}


# ---- gradients ------------------------------------------------------------------------------------

SLOPES = {
    "identity": lambda z, h: np.ones_like(z),
    "logistic": lambda z, h: h * (1 - h),
    "tanh": lambda z, h: 1 - h**2,
    "relu": lambda z, h: (z > 0).astype(float),
    "leaky_relu": lambda z, h: np.where(z > 0, 1.0, SLOPE),
}


def by_hand(network, w, X, y, c):
    """Backpropagation: a node's error is a'(r), at its own input r, times the errors above; an edge's gradient is the
    error above times the state below."""
    layers = network.layers(w)
    states, inputs = [X], []
    for W, b in layers:
        inputs.append(states[-1] @ W + b)
        states.append(ACTIVATIONS[network.activation](inputs[-1]))
    f = inputs[-1]
    if network.loss == "squared_error":
        loss, error = 0.5 * (f[:, 0] - y) ** 2, f - y[:, None]
    elif network.loss == "log_loss":
        loss, error = np.logaddexp(0, f[:, 0]) - y * f[:, 0], expit(f) - y[:, None]
    else:
        one = np.eye(f.shape[1])[y]
        loss, error = -(log_softmax(f, axis=1) * one).sum(axis=1), softmax(f, axis=1) - one
    error, found = error * c[:, None], []
    for at in reversed(range(len(layers))):
        found = [(states[at].T @ error).ravel(), error.sum(axis=0), *found]
        if at:
            error = (error @ layers[at][0].T) * SLOPES[network.activation](inputs[at - 1], states[at])
    return c @ loss, np.concatenate(found)


@pytest.mark.parametrize("hidden", [(), (5,), (4, 3)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_those_of_backpropagation_by_hand(loss, activation, hidden):
    outputs, y = LOSSES[loss]
    network = Network((4, *hidden, outputs), activation, loss)
    w, c = random.standard_normal(network.length), weight[:40]
    value, slope = loss_and_gradient(network, w, X[:40], y[:40].astype(float), c)
    expected, gradient = by_hand(network, w, X[:40], y[:40], c)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(slope, gradient, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("hidden", [(), (5,), (4, 3)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_of_batches_are_those_of_automatic_differentiation(loss, activation, hidden):
    outputs, y = LOSSES[loss]
    network = Network((4, *hidden, outputs), activation, loss)
    w, rows = random.standard_normal(network.length), (X[:40], y[:40].astype(float))
    with one_torch_thread() as torch:
        plain = PlainGradient(torch, network, torch.tensor(w))
        given = torch.tensor(rows[0]), plain.targets(rows[1])
        for c, share in ((weight[:40], torch.tensor(weight[:40])), (np.full(40, 1 / 40), None)):
            value, slope = loss_and_gradient(network, w, *rows, c)
            assert plain.of(*given, share) == pytest.approx(value, rel=1e-12)
            np.testing.assert_allclose(plain.slope.numpy(), slope, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_finite_differences(loss, activation):
    outputs, y = LOSSES[loss]
    network = Network((4, 4, 3, outputs), activation, loss)
    w, rows = np.random.default_rng(1).standard_normal(network.length), (X[:30], y[:30].astype(float), np.ones(30))
    slope = loss_and_gradient(network, w, *rows)[1]
    h = 1e-5
    both = [[loss_and_gradient(network, w + s * h * e, *rows)[0] for e in np.eye(len(w))] for s in (1, -1)]
    np.testing.assert_allclose(slope, np.subtract(*both) / (2 * h), rtol=1e-6, atol=1e-6)


def test_the_gradient_of_an_outer_weight_is_the_error_times_the_state_below():
    """Erratum 3: with one unit in each layer ∂L/∂w₂ = (f - y) h₁, where h₁ = a(u₁) is the state, not the input u₁."""
    network = Network((1, 1, 1), "logistic", "squared_error")
    w1, b1, w2, b2 = w = np.array([0.7, -0.2, 1.3, 0.1])
    x, y = 1.5, 0.4
    u1 = w1 * x + b1
    h1 = expit(u1)
    error = w2 * h1 + b2 - y
    slope = loss_and_gradient(network, w, np.array([[x]]), np.array([y]), np.ones(1))[1]
    assert slope[2] == pytest.approx(error * h1, rel=1e-12)
    assert abs(slope[2] - error * u1) > 0.01
    graph = tn.NetworkGraph({("x", "h"): w1, ("h", "y"): w2}, ["y"], {"h": b1, "y": b2}, "logistic")
    assert graph.gradients([x], y).edges["h", "y"] == pytest.approx(error * h1, rel=1e-12)


def test_the_gradient_of_a_node_uses_the_slope_at_its_own_input():
    """Erratum 31: of a hidden node v it is a'(r_v) Σ w (errors above), r_v what comes in, not what goes out."""
    network = Network((1, 1, 1), "tanh", "squared_error")
    w1, b1, w2, b2 = w = np.array([0.7, -0.2, 1.3, 0.1])
    x, y = 1.5, 0.4
    r = w1 * x + b1
    error = w2 * np.tanh(r) + b2 - y
    slope = loss_and_gradient(network, w, np.array([[x]]), np.array([y]), np.ones(1))[1]
    assert slope[1] == pytest.approx((1 - np.tanh(r) ** 2) * w2 * error, rel=1e-12)
    assert abs(slope[1] - (1 - np.tanh(np.tanh(r)) ** 2) * w2 * error) > 0.01


def test_gradients_of_all_rows_are_reset_each_round():
    """Erratum 31: two passes at the same weights give the same sum, not twice of it."""
    model = MLPRegressor(3, solver="lbfgs", max_iter=1)
    source = ArraySource(X, t)
    schema = source.schema_of(0, model.need)
    statistic = model.ask(model.start(schema))
    chunk = source.load(0, model.need, schema)
    first, second = statistic.summarize(chunk), statistic.summarize(chunk)
    np.testing.assert_array_equal(first.slope, second.slope)


# ---- beside scikit-learn --------------------------------------------------------------------------


def beside(model, theirs, y, weight=None):
    """Both, from the same weights; without shuffling they meet the same batches."""
    schema = ArraySource(X, y).schema_of(0, model.need)
    start, network = model.start(schema).training.weights, model._network(schema)
    layers = iter(network.layers(start.copy()))
    theirs._init_coef = lambda fan_in, fan_out, dtype: next(layers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(X, y, sample_weight=weight)
    return model.fit(X, y, sample_weight=weight), theirs


STEPS = {"shuffle": False, "max_iter": 6, "batch_size": 64, "hidden_layer_sizes": (7, 5), "random_state": 0, "tol": 0.0}
WAYS = [
    {"activation": "relu"},
    {"activation": "tanh", "alpha": 0.5},
    {"activation": "logistic", "solver": "sgd", "learning_rate_init": 0.1},
    {"solver": "sgd", "nesterovs_momentum": False, "learning_rate": "invscaling", "learning_rate_init": 0.5},
    {"solver": "sgd", "momentum": 0.0, "learning_rate": "adaptive", "tol": 10.0, "n_iter_no_change": 1},
    {"activation": "identity", "beta_1": 0.5, "beta_2": 0.9, "epsilon": 1e-3},
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", LOSSES)
def test_steps_are_those_of_scikit_learn(loss, way):
    y, options = LOSSES[loss][1], {**STEPS, **way}
    ours, theirs = (MLPRegressor, TheirRegressor) if loss == "squared_error" else (MLPClassifier, TheirClassifier)
    for c in (None, weight + 0.5):
        model, other = beside(ours(**options), theirs(**options), y, c)
        assert model.n_iter_ == other.n_iter_
        if c is None:  # else theirs is a mean of batches by rows, ours by weight
            np.testing.assert_allclose(model.loss_curve_, other.loss_curve_, rtol=1e-9)
        for mine, other_one in zip(
            [*model.coefs_, *model.intercepts_], [*other.coefs_, *other.intercepts_], strict=True
        ):
            np.testing.assert_allclose(mine, other_one, rtol=1e-7, atol=1e-9)
        if loss != "squared_error":
            np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_lbfgs_comes_as_low_as_scipy_from_the_same_weights(loss):
    y, options = LOSSES[loss][1], {"hidden_layer_sizes": (4,), "activation": "tanh", "solver": "lbfgs", "alpha": 10.0}
    options |= {"max_iter": 2000, "tol": 1e-7, "random_state": 0}
    ours, theirs = (MLPRegressor, TheirRegressor) if loss == "squared_error" else (MLPClassifier, TheirClassifier)
    model, other = beside(ours(**options), theirs(max_fun=100_000, **options), y, weight)
    assert model.certificate_["objective"].value == pytest.approx(other.loss_, rel=1e-6)
    assert model.certificate_["gradient"].value < 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_steps_of_lbfgs_are_those_of_scipy(loss):
    y, options = LOSSES[loss][1], {"hidden_layer_sizes": (4,), "activation": "tanh", "solver": "lbfgs", "alpha": 0.1}
    options |= {"max_iter": 12, "tol": 1e-9, "random_state": 0}
    ours, theirs = (MLPRegressor, TheirRegressor) if loss == "squared_error" else (MLPClassifier, TheirClassifier)
    model, other = beside(ours(**options), theirs(**options), y)
    assert model.n_iter_ == other.n_iter_ == 12
    for mine, other_one in zip(model.coefs_, other.coefs_, strict=True):
        np.testing.assert_allclose(mine, other_one, rtol=1e-6, atol=1e-7)
    assert model.certificate_["objective"].value == pytest.approx(other.loss_, rel=1e-9)


def test_conjugate_gradients_come_to_where_it_is_flat():
    options = {"activation": "tanh", "solver": "cg", "alpha": 10.0, "tol": 1e-6, "max_iter": 2000}
    model = MLPRegressor(4, **options).fit(X, t, sample_weight=weight)
    assert model.certificate_["gradient"].value < 1e-5
    assert (np.diff(model.loss_curve_) <= 0).all()
    assert model.n_iter_ == len(model.loss_curve_)
    assert model.certificate_.provenance.passes > model.n_iter_  # some lines are searched
    few = MLPRegressor(4, **{**options, "max_fun": 9}).fit(X, t, sample_weight=weight)
    assert few.certificate_.provenance.passes <= 10
    linear = MLPRegressor((), **options).fit(X, t, sample_weight=weight)
    np.testing.assert_allclose(linear.coefs_[0][:, 0], tn.Ridge(10.0).fit(X, t, sample_weight=weight).coef_, atol=1e-5)


def test_without_hidden_layers_it_is_ridge():
    model = MLPRegressor((), solver="lbfgs", alpha=3.0, tol=1e-9, max_iter=1000).fit(X, t, sample_weight=weight)
    exact = tn.Ridge(3.0).fit(X, t, sample_weight=weight)
    np.testing.assert_allclose(model.coefs_[0][:, 0], exact.coef_, atol=1e-7)
    np.testing.assert_allclose(model.intercepts_[0], exact.intercept_, atol=1e-7)


# ---- what it learns -------------------------------------------------------------------------------


@pytest.mark.parametrize("truth", list(product([0, 1], repeat=4)), ids=str)
def test_every_boolean_function_of_two_inputs_is_learned(truth):
    corners = np.array(list(product([0.0, 1.0], repeat=2)))
    model = MLPClassifier(8, "tanh", solver="lbfgs").fit(corners, truth)
    assert model.predict(corners).tolist() == list(truth)


def test_digits_are_told_above_97_percent():
    D, digit = load_digits(return_X_y=True)
    train, test, c, d = train_test_split(D / 16, digit, random_state=0)
    model = MLPClassifier(max_iter=60, batch_size=100, learning_rate_init=0.003).fit(train, c)
    assert model.score(test, d) > 0.97
    stopped = MLPClassifier(early_stopping=True, batch_size=50, max_iter=60, n_iter_no_change=3).fit(train, c)
    assert stopped.n_iter_ < 60
    best = stopped.validation_scores_.argmax()
    assert stopped.validation_scores_[best] == stopped.validation_scores_.max()
    bound = stopped.certificate_["validation bound"]
    assert 1 - stopped.score(test, d) < bound.value < 0.2
    assert bound.status == "with confidence"


def test_drop_out_leaves_units_out_in_training_alone():
    many = MLPRegressor(50, dropout=0.5, max_iter=150, learning_rate_init=0.01).fit(X, t)
    np.testing.assert_array_equal(many.predict(X), many.predict(X))
    assert many.score(X, t) > 0.6
    bare = MLPRegressor(50, max_iter=150, learning_rate_init=0.01).fit(X, t)
    assert bare.loss_curve_[-1] < many.loss_curve_[-1]


def test_columns_of_categories_and_sparse_rows_are_features_like_others():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": X[:, 0], "kind": np.array(["u", "v", "w"])[random.integers(0, 3, 300)]})
    one_hot = np.column_stack([X[:, 0], *(frame.kind == k for k in "uvw")]).astype(float)
    options = {"hidden_layer_sizes": 4, "shuffle": False, "max_iter": 3}
    mixed, plain = MLPClassifier(**options).fit(frame, label), MLPClassifier(**options).fit(one_hot, label)
    np.testing.assert_allclose(mixed.coefs_[0], plain.coefs_[0], rtol=1e-12)
    np.testing.assert_allclose(mixed.predict_proba(frame), plain.predict_proba(one_hot), rtol=1e-9)
    import scipy.sparse as sp

    rows = X * (np.abs(X) > 1)
    for solver in ("adam", "lbfgs"):
        dense, sparse = (MLPClassifier(solver=solver, **options).fit(R, three) for R in (rows, sp.csr_array(rows)))
        np.testing.assert_allclose(dense.coefs_[0], sparse.coefs_[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(sparse.predict_proba(sp.csr_array(rows)), dense.predict_proba(rows), rtol=1e-9)


# ---- bits, files, certificates --------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["lbfgs", "cg", "adam"])
def test_threads_do_not_change_a_bit(solver):
    found = set()
    for threads in (1, 2, 3):
        with tn.on(tn.Local(threads=threads)), part_rows(37):
            model = MLPClassifier(5, solver=solver, max_iter=5).fit(X, three)
        found.add(bits(model.model_))
    assert len(found) == 1


def test_where_rows_are_cut_changes_rounding_alone():
    model, whole = (MLPRegressor(5, "tanh", solver="lbfgs", max_iter=20) for _ in range(2))
    with part_rows(41):
        model.fit(X, t, sample_weight=weight)
    whole.fit(X, t, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=1e-6, atol=1e-8)


def test_cuts_do_not_change_a_bit_of_batches_in_order():
    with part_rows(41):
        parts = MLPRegressor(5, batch_size=32, shuffle=False, max_iter=3).fit(X, t)
    assert bits(parts.model_) == bits(MLPRegressor(5, batch_size=32, shuffle=False, max_iter=3).fit(X, t).model_)


@pytest.mark.full
def test_a_saved_model_predicts_without_torch(tmp_path):
    model = MLPClassifier((6, 5), max_iter=3).fit(X, three)
    model.save(tmp_path / "net.tenfold")
    np.save(tmp_path / "rows.npy", X)
    program = f"""
import sys
import numpy as np
import tenfold as tn

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ImportError(name)

sys.meta_path.insert(0, Absent())
model = tn.load({str(tmp_path / "net.tenfold")!r})
np.save({str(tmp_path / "said.npy")!r}, model.predict_proba(np.load({str(tmp_path / "rows.npy")!r})))
try:
    tn.MLPClassifier().fit([[0.0], [1.0]], [0, 1])
except ImportError as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    np.testing.assert_array_equal(np.load(tmp_path / "said.npy"), model.predict_proba(X))
    assert "pip install 'tenfold[neural]'" in out


def test_torch_has_its_threads_back():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with one_torch_thread(), one_torch_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
    MLPRegressor(3, max_iter=1).fit(X, t)
    assert torch.get_num_threads() == 2
    with threadpool_limits(1), one_torch_thread():  # OpenMP has one already: MKL must, too
        assert set(re.findall(r"mkl_get_max_threads\(\) : (\d+)", torch.__config__.parallel_info())) <= {"1"}
    torch.set_num_threads(before)


def test_the_certificate_speaks_of_the_model():
    model = MLPRegressor(5, alpha=2.0, max_iter=4).fit(X, t, sample_weight=weight)
    error = (model.predict(X) - t) ** 2
    squares = sum((W**2).sum() for W in model.coefs_)
    F = (0.5 * weight @ error + squares) / weight.sum()
    said = model.certificate_
    assert said["objective"].value == pytest.approx(F, rel=1e-12)
    assert said["gap"].value == said["objective"].value
    assert said["gap"].because.startswith("vacuous")
    network = model._network(model.schema_)
    slope = by_hand(network, model.model_.weights, X, t, weight)[1]
    slope += 2.0 * np.where(network.penalised, model.model_.weights, 0.0)
    assert said["gradient"].value == pytest.approx(np.linalg.norm(slope) / weight.sum(), rel=1e-9)
    assert model.verify().origin == "verified"


def test_rounds_of_all_rows_can_be_stopped_and_are_certified():
    model = MLPRegressor(5, "tanh", solver="lbfgs").fit(X, t, stop=tn.Rounds(7))
    assert model.certificate_.provenance.stopped == "7 rounds"
    squares = sum((W**2).sum() for W in model.coefs_)
    F = (0.5 * ((model.predict(X) - t) ** 2).sum() + 0.5 * model.alpha * squares) / 300
    assert model.certificate_["objective"].value == pytest.approx(F, rel=1e-12)
    assert model.certificate_["objective"].value < model.loss_curve_[0]


def test_a_rule_ends_epochs_and_a_last_pass_certifies_them():
    short = MLPRegressor(5, max_iter=3, tol=0.0).fit(X, t)
    model = MLPRegressor(5, max_iter=50, tol=0.0).fit(X, t, stop=tn.Rounds(3))
    assert (model.n_iter_, model.certificate_.provenance.stopped) == (3, "3 rounds")
    for one, other in zip(model.coefs_, short.coefs_, strict=True):
        np.testing.assert_array_equal(one, other)
    assert model.certificate_["gradient"].value == short.certificate_["gradient"].value
    assert "a rule ended it" in model.certificate_["epochs"].because
    first = MLPRegressor(5, max_iter=50, n_init=3).fit(X, t, stop=tn.Seconds(0))
    assert (first.n_iter_, first.certificate_.provenance.stopped) == (1, "0 seconds")


def test_a_rule_leaves_the_last_step_that_was_taken_and_no_trial():
    class Passes(Stop):
        """Ends after some passes, in the middle of a line search too."""

        def __init__(self, most):
            self.left = most

        def __call__(self, step, certificate, seconds):
            self.left -= step > 0
            return "enough" if self.left < 0 else None

    whole = MLPRegressor(5, "tanh", solver="lbfgs", max_iter=40).fit(X, t)
    for most in range(2, 30, 3):
        model = MLPRegressor(5, "tanh", solver="lbfgs", max_iter=40).fit(X, t, stop=Passes(most))
        assert model.certificate_.provenance.stopped == "enough"
        assert model.certificate_["objective"].value == pytest.approx(whole.loss_curve_[model.n_iter_ - 1], rel=1e-12)


def test_rows_held_back_say_how_the_losses_differ():
    model = MLPRegressor(5, early_stopping=True, validation_fraction=0.3, max_iter=6, tol=0.0).fit(X, t)
    said, held = model.certificate_, model.summary_.held
    assert said["validation gap"].value == pytest.approx(
        said["validation loss"].value - model.summary_.loss / model.summary_.mass
    )
    assert said.get("validation bound") is None
    assert held.rows + model.summary_.mass == 300
    kept = model.ask(model.start(model.schema_)).holdout.learns(np.arange(300), 300)
    theirs = t[~kept]
    r2 = 1 - ((model.predict(X[~kept]) - theirs) ** 2).sum() / ((theirs - theirs.mean()) ** 2).sum()
    assert held.score(True) == pytest.approx(r2, rel=1e-9)
    assert model.validation_scores_.max() == pytest.approx(r2, rel=1e-9)


@pytest.mark.parametrize("patience", [2, 5])
def test_it_stops_once_validation_rows_gain_nothing_more(patience):
    """As scikit-learn: more epochs in a row than the patience are below the best before; the best of all is kept."""
    given = {"early_stopping": True, "max_iter": 200, "tol": 0.0, "learning_rate_init": 0.02}
    model = MLPClassifier(20, n_iter_no_change=patience, **given).fit(X, label)
    scores = model.validation_scores_
    best = len(scores) - 1 - int(np.argmax(scores[::-1]))
    assert model.n_iter_ == len(scores) == best + patience + 2 < 200
    kept = model.ask(model.start(model.schema_)).holdout.learns(np.arange(300), 300)
    assert np.mean(model.predict(X[~kept]) == label[~kept]) == pytest.approx(max(scores))


def test_partial_fit_goes_on_from_where_the_model_is():
    a, b = MLPClassifier(5, shuffle=False, max_iter=2, tol=0.0), MLPClassifier(5, shuffle=False)
    a.fit(X, three)
    b.partial_fit(X, three, classes=[0, 1, 2]).partial_fit(X, three)
    for mine, theirs in zip(a.coefs_, b.coefs_, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(MergeError):
        a + b


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match="hidden_layer_sizes must be > 0"):
        MLPClassifier((5, 0)).fit(X, label)
    with pytest.raises(ValueError, match="Remedy: dropout=0, or solver='adam'"):
        MLPClassifier(dropout=0.5, solver="lbfgs").fit(X, label)
    with pytest.raises(ValueError, match="dropout must be below 1"):
        MLPClassifier(dropout=1.0).fit(X, label)
    with pytest.raises(DataError, match="learning_rate_init=1e\\+03. Remedy"):
        MLPRegressor(solver="sgd", learning_rate_init=1e3, max_iter=50).fit(1e3 * X, 1e3 * t)


def test_layers_are_views_in_order():
    network = Network((3, 4, 2), "relu", "cross_entropy")
    w = np.arange(network.length, dtype=float)
    flat = np.concatenate([part.ravel() for layer in network.layers(w) for part in layer])
    np.testing.assert_array_equal(flat, w)
    assert network.penalised.sum() == sum(m * n for m, n in pairwise(network.sizes))


def test_the_loss_of_the_last_epoch_and_the_best_validation_score():
    given = {"hidden_layer_sizes": (3,), "max_iter": 4}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        plain, stopped = MLPRegressor(**given).fit(X, t), MLPClassifier(early_stopping=True, **given).fit(X, label)
        theirs = TheirClassifier(early_stopping=True, **given).fit(X, label)
    assert isinstance(plain.loss_, float)
    assert plain.loss_ == plain.loss_curve_[-1]
    assert plain.best_validation_score_ is None
    assert stopped.best_validation_score_ == max(stopped.validation_scores_)
    assert theirs.best_validation_score_ == max(theirs.validation_scores_)


@pytest.mark.parametrize("solver", ["lbfgs", "cg"])
@pytest.mark.parametrize("size", [1e100, 1e150])
def test_a_gradient_that_overflows_is_refused(solver, size):
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    with pytest.raises(tn.DataError, match=r"the loss or its gradient overflows.*Remedy: rescale the columns"):
        tn.MLPRegressor(3, solver=solver).fit(X * size, X[:, 0])
