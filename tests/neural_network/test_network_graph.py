"""Networks as weighted graphs: states and gradients, against PyTorch's and finite differences."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from tenfold import MLPClassifier, MLPRegressor, NetworkGraph, RNNClassifier
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
    with pytest.raises(ValueError, match="has a cycle: .*a.*b|has a cycle: .*b.*a"):
        NetworkGraph({("x", "a"): 1.0, ("a", "b"): 1.0, ("b", "a"): 1.0, ("b", "y"): 1.0}, ["y"])
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
    with pytest.raises(TypeError, match="a RNNClassifier is no graph of layers without cycles. Remedy: a fitted MLP"):
        NetworkGraph.of(rnn)
    with pytest.raises(NotFittedError):
        NetworkGraph.of(MLPRegressor())
    graph = NetworkGraph({("a", "y"): 2.0, ("b", "y"): 3.0}, ["y"])
    with pytest.raises(ValueError, match=r"x must have a number for each of \('a', 'b'\), not 1 numbers"):
        graph.states([0.5])
