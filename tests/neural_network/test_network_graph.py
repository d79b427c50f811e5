"""Networks as weighted graphs: states and gradients, against PyTorch's and finite differences."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from tenfold import MLPClassifier, MLPRegressor, NetworkGraph, Ridge, RNNClassifier, RNNRegressor
from tenfold.neural_network.mlp.backpropagation import loss_and_gradient
from tenfold.neural_network.mlp.network_weights import ACTIVATIONS

random = np.random.default_rng(0)
X = random.standard_normal((60, 3))
t = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
label = (t > 0).astype(int)
three = np.digitize(t, [-0.5, 0.5])


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("learner", "y"), [(MLPRegressor, t), (MLPClassifier, label), (MLPClassifier, three)])
def test_of_a_fitted_network_states_and_gradients_are_its_own(learner, y, activation):
    model = learner((4, 3), activation, max_iter=2).fit(X, y)
    graph, network, w = NetworkGraph.of(model), model._network(model.schema_), model.model_.weights
    assert graph.inputs == ("x0", "x1", "x2")
    for x, target in zip(X[:3], y[:3], strict=True):
        found = graph.gradients(x, target)
        loss, slope = loss_and_gradient(network, w, x[None], np.array([float(target)]), np.ones(1))
        assert found.loss == pytest.approx(loss, rel=1e-9)
        names = list(found.edges)
        expected = np.concatenate([W.ravel() for W, _ in network.layers(slope)])
        np.testing.assert_allclose([found.edges[name] for name in names], expected, rtol=1e-8, atol=1e-12)
        hidden = [v for v in graph.order if v not in graph.inputs]
        expected = np.concatenate([b for _, b in network.layers(slope)])
        np.testing.assert_allclose([found.nodes[name] for name in hidden], expected, rtol=1e-8, atol=1e-12)
        states = graph.states(x)
        every = np.concatenate([layer[0] for layer in network.states(w, x[None])])
        np.testing.assert_allclose([states[name] for name in hidden], every, rtol=1e-9)


def random_graph(seed):
    """Nodes in a row, edges from earlier to later ones, also past layers; every node leads to the last."""
    draw = np.random.default_rng(seed)
    names = [f"n{j}" for j in range(8)]
    edges = {(names[i], names[j]): draw.normal() for i in range(8) for j in range(i + 1, 8) if draw.random() < 0.4}
    edges |= {(names[i], names[i + 1]): draw.normal() for i in range(2, 7)}
    edges |= {(names[i], names[7]): draw.normal() for i in range(2)}
    return edges, names[7], dict(zip(names[2:], draw.normal(size=6).tolist(), strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_of_any_graph_gradients_are_finite_differences(seed):
    edges, last, constants = random_graph(seed)
    activation = ["tanh", "logistic", "leaky_relu"][seed % 3]
    graph = NetworkGraph(edges, [last], constants, activation)
    x = dict(zip(graph.inputs, np.random.default_rng(seed).normal(size=len(graph.inputs)).tolist(), strict=True))
    found, h = graph.gradients(x, 0.3), 1e-6
    for edge, weight in edges.items():
        up, down = (
            NetworkGraph({**edges, edge: weight + s * h}, [last], constants, activation).gradients(x, 0.3).loss
            for s in (1, -1)
        )
        assert found.edges[edge] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-7)
    for name in graph.inputs:
        up, down = (graph.gradients({**x, name: x[name] + s * h}, 0.3).loss for s in (1, -1))
        assert found.nodes[name] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_as_many_steps_as_the_longest_path_lead_to_the_states(seed):
    edges, last, constants = random_graph(seed)
    graph = NetworkGraph(edges, [last], constants)
    x = dict.fromkeys(graph.inputs, 0.7)
    states, depth = dict(x), graph.depths()[last]
    for _ in range(depth):
        states = graph.step(states)
    assert states == pytest.approx(graph.states(x), rel=1e-12)
    assert graph.step(states) == states


def test_cycles_and_dead_ends_are_named():
    ring = {("x", "a"): 1.0, ("a", "b"): 1.0, ("b", "a"): 1.0, ("b", "y"): 1.0}
    with pytest.raises(ValueError, match="has a cycle: .*(a.*b|b.*a).*Remedy: name one of its edges in delayed"):
        NetworkGraph(ring, ["y"], delayed=[("x", "a")])
    with pytest.raises(ValueError, match=r"delayed names \('a', 'x'\), which is no edge"):
        NetworkGraph(ring, ["y"], delayed=[("a", "x")])
    for call in (NetworkGraph(ring, ["y"]).states, lambda x: NetworkGraph(ring, ["y"]).gradients(x, 0.0)):
        with pytest.raises(ValueError, match=r"depend on the step. Remedy: run\(rows\), or unroll\(steps\)"):
            call([1.0])
    with pytest.raises(ValueError, match=r"unroll\(steps\).depths\(\)"):
        NetworkGraph(ring, ["y"]).depths()
    with pytest.raises(ValueError, match="at least 1, not 0"):
        NetworkGraph(ring, ["y"]).unroll(0)
    with pytest.raises(ValueError, match=r"a number for each of \('x',\), not 2"):
        NetworkGraph(ring, ["y"]).run([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"no path leads from \['z'\] to an output"):
        NetworkGraph({("x", "y"): 1.0, ("x", "z"): 1.0}, ["y"])
    with pytest.raises(ValueError, match=r"no edge has the nodes \['q'\]"):
        NetworkGraph({("x", "y"): 1.0}, ["y"], {"q": 1.0})
    with pytest.raises(ValueError, match="at least one node"):
        NetworkGraph({("x", "y"): 1.0}, [])
    with pytest.raises(ValueError, match=r"x must have a number for each of \('x',\)"):
        NetworkGraph({("x", "y"): 1.0}, ["y"]).states({"y": 1.0})
    with pytest.raises(ValueError, match="activation must be one of"):
        NetworkGraph({("x", "y"): 1.0}, ["y"], activation="step")
    with pytest.raises(ValueError, match="loss must be one of"):
        NetworkGraph({("x", "y"): 1.0}, ["y"], loss="hinge")


def test_columns_that_are_called_like_nodes_stay_apart():
    frame = pd.DataFrame(X, columns=["y", "h1_0", "c"])
    model = MLPRegressor(2, max_iter=1).fit(frame, t)
    graph = NetworkGraph.of(model)
    assert graph.inputs == ("y", "h1_0", "c")
    assert graph.outputs == ("y'",)
    assert graph.states(X[0])["y'"] == pytest.approx(model.predict(frame[:1])[0], rel=1e-9)


def test_a_picture_shows_weights_or_gradients():
    import matplotlib.pyplot as plt

    graph = NetworkGraph.of(MLPRegressor(3, max_iter=1).fit(X, t))
    plain, full = graph.plot(), graph.plot(X[0], t[0])
    for ax, name, values in ((plain, "weight", graph.edges), (full, "gradient", graph.gradients(X[0], t[0]).edges)):
        lines = ax.collections[0]
        most = max(map(abs, values.values()))
        np.testing.assert_allclose(lines.get_array() * most, list(values.values()), rtol=1e-12)
        assert lines.colorbar.ax.get_ylabel().startswith(name)
    assert plain.texts[0].get_text() == "x0"
    assert full.texts[0].get_text() == f"x0\n{X[0, 0]:.2g}"
    with pytest.raises(ValueError, match="a target needs an example"):
        graph.plot(target=1.0)
    plt.close("all")


def test_what_is_no_graph_of_layers_is_refused_with_a_remedy():
    rnn = RNNClassifier(2, max_iter=1).fit(X, np.repeat(label[::5], 5), lengths=[5] * 12)
    with pytest.raises(TypeError, match=r"cells of kind 'gru' multiply.*Remedy: RNNClassifier\(cell='simple'\)"):
        NetworkGraph.of(rnn)
    with pytest.raises(TypeError, match="a Ridge is no graph of sums and activations. Remedy: a fitted MLP"):
        NetworkGraph.of(Ridge())
    with pytest.raises(NotFittedError):
        NetworkGraph.of(MLPRegressor())
    graph = NetworkGraph({("a", "y"): 2.0, ("b", "y"): 3.0}, ["y"])
    with pytest.raises(ValueError, match=r"x must have a number for each of \('a', 'b'\), not 1 numbers"):
        graph.states([0.5])


# ---- an activation for each node ------------------------------------------------------------------


def test_each_node_has_its_own_activation():
    edges = {("x", "a"): 2.0, ("x", "b"): -1.0, ("a", "y"): 1.0, ("b", "y"): 0.5, ("x", "h"): 1.0, ("h", "y"): 3.0}
    kinds = {"a": "relu", "b": "logistic", "h": "heaviside", "y": "tanh"}
    graph = NetworkGraph(edges, ["y"], {"b": 0.3, "h": -0.5}, kinds)
    states = graph.states([0.5])
    assert states["a"] == 1.0
    assert states["b"] == pytest.approx(1 / (1 + np.exp(0.5 - 0.3)))
    assert states["h"] == 1.0  # what comes in is 0, and the step is 1 from 0 on
    assert graph.states([0.49])["h"] == 0.0
    assert states["y"] == pytest.approx(np.tanh(states["a"] + 0.5 * states["b"] + 3.0))
    with pytest.raises(ValueError, match="node 'h' is a step, whose gradient is 0"):
        graph.gradients([0.5], 1.0)
    smooth, h = {**kinds, "h": "leaky_relu"}, 1e-6
    found = NetworkGraph(edges, ["y"], {"b": 0.3}, smooth).gradients([0.4], 0.2)
    for edge, weight in edges.items():
        up, down = (
            NetworkGraph({**edges, edge: weight + s * h}, ["y"], {"b": 0.3}, smooth).gradients([0.4], 0.2).loss
            for s in (1, -1)
        )
        assert found.edges[edge] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-8)
    with pytest.raises(ValueError, match="loss='log_loss' has an activation of its own, and output 'y' has 'tanh'"):
        NetworkGraph(edges, ["y"], activation=smooth, loss="log_loss")
    with pytest.raises(ValueError, match="activation names 'x', which is no node"):
        NetworkGraph(edges, ["y"], activation={"x": "tanh"})
    with pytest.raises(ValueError, match="must be one of.*heaviside, not 'step'"):
        NetworkGraph(edges, ["y"], activation={"a": "step"})


# ---- cycles ---------------------------------------------------------------------------------------


def random_cycles(seed, share_delayed):
    """Every node may lead to every other one, also to itself; the edges that lead back are delayed, others may be."""
    draw = np.random.default_rng(seed)
    names = ["x", "z", "a", "b", "c", "y"]
    pairs = [(u, v) for u in names for v in names[2:] if draw.random() < 0.6]
    pairs = sorted({*pairs, ("x", "a"), ("z", "b"), ("a", "y"), ("b", "c"), ("c", "y")})
    edges = {pair: draw.normal(scale=0.7) for pair in pairs}
    back = [(u, v) for u, v in edges if names.index(u) >= names.index(v)]
    delayed = back + [pair for pair in edges if pair not in back and draw.random() < share_delayed]
    return edges, {v: draw.normal() for v in "abc"}, delayed


@pytest.mark.parametrize("seed", range(6))
def test_a_cycle_takes_a_step_along_each_edge(seed):
    edges, constants, _ = random_cycles(seed, 1.0)
    graph = NetworkGraph(edges, ["y"], constants)
    assert graph.recurrent
    assert graph.delayed == {*edges}
    rows = np.random.default_rng(seed).normal(size=(6, 2))
    found = graph.run(rows)
    before = dict.fromkeys(graph.order, 0.0)
    for row, states in zip(rows, found, strict=True):  # the state step, and the new inputs
        after = {**graph.step(before), **dict(zip(graph.inputs, row.tolist(), strict=True))}
        assert after == pytest.approx(states, rel=1e-12)
        before = states


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_unrolled_it_is_the_same_network_without_cycles(seed, share):
    edges, constants, delayed = random_cycles(seed, share)
    kinds = {"a": "tanh", "b": "logistic", "c": "leaky_relu", "y": "tanh"}
    graph = NetworkGraph(edges, ["y"], constants, kinds, delayed=delayed)
    rows = np.random.default_rng(seed).normal(size=(5, 2))
    for steps in (1, 2, 5):
        unrolled = graph.unroll(steps)
        assert not unrolled.recurrent
        assert set(unrolled.origin) == set(unrolled.edges)
        states, ran = unrolled.states(graph.at_steps(rows[:steps])), graph.run(rows[:steps])
        assert len(states) > steps or share == 1.0
        for copy, value in states.items():
            name, _, at = copy.rpartition("@")
            assert value == pytest.approx(ran[int(at) - 1][name] if int(at) else 0.0, rel=1e-12, abs=1e-14)
    # the gradient of an edge is the sum over its copies, not their mean
    found, h = graph.gradients_through_time(rows, 0.7), 1e-6
    assert found.loss == pytest.approx(0.5 * (graph.run(rows)[-1]["y"] - 0.7) ** 2, rel=1e-12)
    for edge, weight in edges.items():
        up, down = (
            NetworkGraph({**edges, edge: weight + s * h}, ["y"], constants, kinds, delayed=delayed).run(rows)[-1]["y"]
            for s in (1, -1)
        )
        want = (0.5 * (up - 0.7) ** 2 - 0.5 * (down - 0.7) ** 2) / (2 * h)
        assert found.edges[edge] == pytest.approx(want, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(("kind", "layers", "y"), [
    (RNNRegressor, 1, t[::5]),
    (RNNRegressor, 2, t[::5]),
    (RNNClassifier, 1, label[::5]),
    (RNNClassifier, 2, three[::5]),
])  # fmt: skip
def test_of_a_fitted_recurrent_network_it_is_its_own(kind, layers, y):
    """States, outputs and gradients through time are those of the network, by PyTorch."""
    lengths = np.full(12, 5)
    model = kind(3, cell="simple", num_layers=layers, max_iter=2).fit(X, y, lengths=lengths)
    graph = NetworkGraph.of(model)
    assert graph.inputs == ("x0", "x1", "x2")
    assert len(graph.delayed) == 9 * layers
    network, weights = model._network(model.schema_), model.model_.weights
    for at in range(3):
        rows = X[5 * at : 5 * at + 5]
        outputs = network.outputs_of(weights, rows[None], np.array([5]))[0]
        last = graph.run(rows)[-1]
        np.testing.assert_allclose([last[name] for name in graph.outputs], outputs, rtol=1e-9)
        loss, slope = network.loss_and_gradient(
            weights, rows[None], np.array([5]), np.array([y[at]], dtype=float), np.ones(1)
        )
        found = graph.gradients_through_time(rows, y[at])
        assert found.loss == pytest.approx(loss, rel=1e-9)
        *arrays, head, _ = network.arrays(slope)
        for layer in range(layers):
            W, U = arrays[4 * layer], arrays[4 * layer + 1]
            below = graph.inputs if layer == 0 else [f"h{layer}_{j}" for j in range(3)]
            names = [f"h{layer + 1}_{j}" for j in range(3)]
            for array, start in ((W, below), (U, names)):
                every = [[found.edges[u, v] for u in start] for v in names]
                np.testing.assert_allclose(every, array, rtol=1e-7, atol=1e-12)
        every = [[found.edges[f"h{layers}_{j}", v] for v in graph.outputs] for j in range(3)]
        np.testing.assert_allclose(every, head, rtol=1e-7, atol=1e-12)


def test_pictures_of_cycles_and_of_unrolled_graphs():
    import matplotlib.pyplot as plt

    graph = NetworkGraph(
        {("x", "h"): 1.0, ("h", "h"): 0.5, ("h", "y"): -2.0, ("y", "h"): 0.1}, ["y"], delayed=[("h", "h"), ("y", "h")]
    )
    ax = graph.plot()
    assert len(ax.patches) == 2
    np.testing.assert_allclose(ax.collections[0].get_array() * 2.0, [1.0, -2.0])
    unrolled = graph.unroll(3)
    rows = [[0.1], [0.2], [0.3]]
    ax = unrolled.plot(graph.at_steps(rows), 1.0)
    assert len(ax.patches) == 0
    place = dict(zip(unrolled.order, ax.collections[1].get_offsets(), strict=True))
    assert [round(float(place[f"h@{t}"][0] - place["h@1"][0])) for t in (1, 2, 3)] == [0, 1, 2]
    assert NetworkGraph({("a", "b"): 1.0, ("b", "a"): 1.0}, ["b"]).plot().texts[0].get_text() == "a"
    plt.close("all")
