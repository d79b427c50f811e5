"""A network as a weighted graph: s_v = a(r_v), r_v = b_v + Σ w_uv s_u over the edges that lead to v.

Gradients go back along the edges: of what comes into a node ∂L/∂r_v = a'(r_v) Σ w_vu ∂L/∂r_u over the edges that leave
it, and of an edge ∂L/∂w_uv = s_u ∂L/∂r_v.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax

from tenfold.core import Array
from tenfold.estimator import check_is_fitted
from tenfold.neural_network.mlp.mlp import MLP
from tenfold.neural_network.mlp.network_weights import ACTIVATIONS, SLOPE
from tenfold.neural_network.mlp.objective import losses

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Node = str
Edge = tuple[str, str]

LOSSES = ("squared_error", "log_loss", "cross_entropy")


class GraphGradients(NamedTuple):
    """The loss of one example, and how it changes with what comes into each node, and with the weight of each edge."""

    loss: float
    nodes: dict[Node, float]
    edges: dict[Edge, float]


class NetworkGraph:
    """A feed-forward network as a graph of nodes and weighted edges, without cycles.

    Parameters
    ----------
    edges : dict of (str, str) to float
        The weight of the edge from one node to another.
    outputs : sequence of str
        The output nodes; their inputs are the outputs of the network, without an activation.
    intercepts : dict of str to float, optional
        The constants of nodes, 0 of those that are not named.
    activation : {"relu", "leaky_relu", "tanh", "logistic", "identity"}, default="tanh"
        Of all nodes but inputs (those that no edge leads to) and outputs.
    loss : {"squared_error", "log_loss", "cross_entropy"}, default="squared_error"
        The loss of the outputs, by name.

    Attributes
    ----------
    inputs : tuple of str
        Nodes that no edge leads to.
    order : tuple of str
        All nodes, each after those that lead to it.

    Examples
    --------
    >>> from tenfold import NetworkGraph
    >>> graph = NetworkGraph({("x", "h"): 2.0, ("h", "y"): -1.0, ("x", "y"): 0.5}, ["y"], activation="identity")
    >>> graph.states({"x": 3.0})
    {'x': 3.0, 'h': 6.0, 'y': -4.5}
    >>> graph.gradients({"x": 3.0}, target=-4.0).edges[("h", "y")]
    -3.0
    """

    def __init__(
        self,
        edges: Mapping[Edge, float],
        outputs: Sequence[Node],
        intercepts: Mapping[Node, float] | None = None,
        activation: str = "tanh",
        loss: str = "squared_error",
    ) -> None:
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}")
        if loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}, not {loss!r}")
        self.edges = {(u, v): float(w) for (u, v), w in edges.items()}
        self.outputs, self.activation, self.loss = tuple(outputs), activation, loss
        self.intercepts = {name: float(b) for name, b in (intercepts or {}).items()}
        below: dict[Node, list[Node]] = {}
        for u, v in self.edges:
            below.setdefault(u, [])
            below.setdefault(v, []).append(u)
        try:
            self.order = tuple(TopologicalSorter(below).static_order())
        except CycleError as error:
            raise ValueError(f"the graph has a cycle: {' -> '.join(error.args[1])}") from None
        self._below = below
        self.inputs = tuple(name for name in self.order if not below[name])
        strange = sorted({*self.outputs, *self.intercepts} - set(self.order))
        if strange or not self.outputs:
            raise ValueError(f"no edge has the nodes {strange}" if strange else "outputs must name at least one node")
        reached = self._leading_to(self.outputs)
        if lost := [name for name in self.order if name not in reached]:
            raise ValueError(f"no path leads from {lost} to an output. Remedy: drop them, or name more outputs")

    def _leading_to(self, ends: Sequence[Node]) -> set[Node]:
        found, look = set(ends), list(ends)
        while look:
            new = [u for u in self._below[look.pop()] if u not in found]
            found.update(new)
            look += new
        return found

    @classmethod
    def of(cls, model: Any) -> NetworkGraph:
        """The graph of a fitted MLPClassifier or MLPRegressor.

        Inputs have the names of the features, hidden nodes are h1_0, h1_1, ..., and outputs y, or y and the class; with
        an apostrophe more than features have, if some begin with h or y.

        Parameters
        ----------
        model : MLPClassifier or MLPRegressor

        Returns
        -------
        graph : NetworkGraph

        Examples
        --------
        >>> from tenfold import MLPRegressor, NetworkGraph
        >>> model = MLPRegressor(2, max_iter=1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
        >>> NetworkGraph.of(model).order
        ('x0', 'h1_0', 'h1_1', 'y')
        """
        if not isinstance(model, MLP):
            raise TypeError(
                f"a {type(model).__name__} is no graph of layers without cycles. Remedy: a fitted MLPClassifier or "
                "MLPRegressor, or the nodes and edges themselves, NetworkGraph(edges, outputs)"
            )
        check_is_fitted(model)
        labels = [] if model.schema_.classes is None else model.schema_.classes
        network, weights = model._network(model.schema_), model.model_.weights
        columns = list(model.schema_.feature_names)
        said = ["y"] if network.sizes[-1] == 1 else [f"y_{label}" for label in labels]
        hidden = [[f"h{at}_{j}" for j in range(n)] for at, n in enumerate(network.sizes[1:-1], 1)]
        mark = "'" * max((len(name) - len(name.rstrip("'")) + 1 for name in columns if name[:1] in "hy"), default=0)
        names = [columns, *([name + mark for name in each] for each in (*hidden, said))]
        edges: dict[Edge, float] = {}
        intercepts: dict[Node, float] = {}
        for at, (W, b) in enumerate(network.layers(weights)):
            edges |= {(u, v): W[i, j] for i, u in enumerate(names[at]) for j, v in enumerate(names[at + 1])}
            intercepts |= dict(zip(names[at + 1], b.tolist()))
        return cls(edges, names[-1], intercepts, network.activation, network.loss)

    def step(self, states: Mapping[Node, float]) -> dict[Node, float]:
        """One step of all nodes at once: each takes what its neighbours below were before it.

        Parameters
        ----------
        states : dict of str to float
            Of all nodes; 0 of those that are not named.

        Returns
        -------
        states : dict of str to float
            Inputs stay. After as many steps as the longest path has edges, `states` of the inputs.

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> graph = NetworkGraph({("x", "h"): 2.0, ("h", "y"): 1.0}, ["y"], activation="identity")
        >>> graph.step({"x": 1.0})
        {'x': 1.0, 'h': 2.0, 'y': 0.0}
        """
        return {name: self._state(name, states)[1] for name in self.order}

    def states(self, x: Mapping[Node, float] | Sequence[float]) -> dict[Node, float]:
        """The state of every node for one example; of outputs, without an activation.

        Parameters
        ----------
        x : dict of str to float, or sequence of float
            The inputs, by name or in the order of `inputs`.

        Returns
        -------
        states : dict of str to float

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> NetworkGraph({("a", "y"): 2.0, ("b", "y"): 3.0}, ["y"]).states([1.0, 10.0])
        {'a': 1.0, 'b': 10.0, 'y': 32.0}
        """
        return self._walk(x)[1]

    def gradients(self, x: Mapping[Node, float] | Sequence[float], target: float) -> GraphGradients:
        """The loss of one example, and its gradient at every node and edge, by backpropagation.

        Parameters
        ----------
        x : dict of str to float, or sequence of float
        target : float
            A number; of "log_loss" 0 or 1, and of "cross_entropy" the number of the class among `outputs`.

        Returns
        -------
        gradients : GraphGradients

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> graph = NetworkGraph({("x", "y"): 2.0}, ["y"], {"y": 1.0})
        >>> graph.gradients([3.0], target=5.0)
        GraphGradients(loss=2.0, nodes={'x': 4.0, 'y': 2.0}, edges={('x', 'y'): 6.0})
        """
        inputs, states = self._walk(x)
        f = np.array([[states[name] for name in self.outputs]])
        loss = float(losses(self.loss, f, np.array([float(target)]))[0])
        if self.loss == "squared_error":
            error = f[0] - target
        else:
            error = expit(f[0]) - target if self.loss == "log_loss" else softmax(f[0]) - np.eye(f.size)[int(target)]
        above = dict.fromkeys(self.order, 0.0)
        above.update(zip(self.outputs, error.tolist()))
        nodes: dict[Node, float] = {}
        for name in reversed(self.order):
            nodes[name] = above[name] * self._slope(name, inputs[name])
            for u in self._below[name]:
                above[u] += self.edges[u, name] * nodes[name]
        edges = {(u, v): states[u] * nodes[v] for u, v in self.edges}
        return GraphGradients(loss, {name: nodes[name] for name in self.order}, edges)

    def _walk(self, x: Mapping[Node, float] | Sequence[float]) -> tuple[dict[Node, float], dict[Node, float]]:
        """What comes into every node, and what it makes of it."""
        if not isinstance(x, Mapping) and len(x) != len(self.inputs):
            raise ValueError(f"x must have a number for each of {self.inputs}, not {len(x)} numbers")
        given = dict(x) if isinstance(x, Mapping) else dict(zip(self.inputs, x, strict=True))
        if set(given) != set(self.inputs):
            raise ValueError(f"x must have a number for each of {self.inputs}, not for {tuple(given)}")
        inputs, states = {name: float(given[name]) for name in self.inputs}, dict[Node, float]()
        for name in self.order:
            inputs[name], states[name] = self._state(name, states if self._below[name] else inputs)
        return inputs, states

    def _state(self, name: Node, states: Mapping[Node, float]) -> tuple[float, float]:
        """What comes into a node from these states, and what it makes of it."""
        if not self._below[name]:
            return states.get(name, 0.0), states.get(name, 0.0)
        r = sum((self.edges[u, name] * states.get(u, 0.0) for u in self._below[name]), self.intercepts.get(name, 0.0))
        return r, r if name in self.outputs else float(ACTIVATIONS[self.activation](np.array(r)))

    def _slope(self, name: Node, r: float) -> float:
        """The derivative of a node's activation where this comes in."""
        if not self._below[name] or name in self.outputs or self.activation == "identity":
            return 1.0
        if self.activation in ("relu", "leaky_relu"):
            return 1.0 if r > 0 else (0.0 if self.activation == "relu" else SLOPE)
        h = float(ACTIVATIONS[self.activation](np.array(r)))
        return h * (1 - h) if self.activation == "logistic" else 1 - h * h

    def depths(self) -> dict[Node, int]:
        """How many edges the longest path has from an input to each node.

        Returns
        -------
        depths : dict of str to int

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> NetworkGraph({("x", "h"): 1.0, ("h", "y"): 1.0, ("x", "y"): 1.0}, ["y"]).depths()
        {'x': 0, 'h': 1, 'y': 2}
        """
        found: dict[Node, int] = {}
        for name in self.order:
            found[name] = 1 + max((found[u] for u in self._below[name]), default=-1)
        return found

    def plot(
        self,
        x: Mapping[Node, float] | Sequence[float] | None = None,
        target: float | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the graph, inputs on the left.

        Parameters
        ----------
        x : dict of str to float, or sequence of float, optional
            An example: nodes are then coloured by their states, which are written into them.
        target : float, optional
            Its target: edges are then as wide and coloured as their gradients, else as their weights.
        ax : matplotlib axes, optional

        Returns
        -------
        ax : matplotlib axes

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> graph = NetworkGraph({("x", "h"): 2.0, ("h", "y"): 1.0}, ["y"])
        >>> len(graph.plot([0.5], target=1.0).collections)
        2
        """
        try:
            import matplotlib.pyplot as plt
            from matplotlib.collections import LineCollection
        except ImportError:
            raise ImportError("plot needs matplotlib. Remedy: pip install 'tenfold[plot]'") from None
        if target is not None and x is None:
            raise ValueError("a target needs an example: x")
        if ax is None:
            ax = plt.subplots(layout="constrained")[1]
        place = self._places()
        widths = self.edges if x is None or target is None else self.gradients(x, target).edges
        most = max(map(abs, widths.values())) or 1.0
        share = np.array(list(widths.values())) / most
        lines = LineCollection(
            [[place[u], place[v]] for u, v in widths], array=share, cmap="coolwarm", clim=(-1, 1), zorder=1,
            linewidths=0.4 + 3.0 * np.abs(share),
        )  # fmt: skip
        ax.add_collection(lines)
        states = None if x is None else self.states(x)
        at = np.array([place[name] for name in self.order])
        far = 1.0 if states is None else max(map(abs, states.values())) or 1.0
        colours: Array = np.zeros(len(at)) if states is None else np.array([states[name] for name in self.order]) / far
        ax.scatter(
            at[:, 0], at[:, 1], c=colours, s=900, cmap="coolwarm", vmin=-1.6, vmax=1.6, edgecolors="#555555", zorder=2
        )
        for name, (h, v) in place.items():
            ax.text(
                h, v, name if states is None else f"{name}\n{states[name]:.2g}", ha="center", va="center", fontsize=7
            )
        what = "weight" if target is None else "gradient"
        ax.figure.colorbar(lines, ax=ax, label=f"{what} of an edge, in {most:.2g}", shrink=0.7)
        ax.margins(0.12)
        ax.axis("off")
        return ax

    def _places(self) -> dict[Node, tuple[float, float]]:
        """Where each node is drawn: by its depth, and beside those of the same."""
        rows: dict[int, list[Node]] = {}
        for name, depth in self.depths().items():
            rows.setdefault(depth, []).append(name)
        return {
            name: (float(depth), (len(some) - 1) / 2 - at)
            for depth, some in rows.items()
            for at, name in enumerate(some)
        }
