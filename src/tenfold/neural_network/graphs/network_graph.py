"""A network as a weighted graph: s_v = a_v(r_v), r_v = b_v + Σ w_uv s_u over the edges that lead to v.

Gradients go back along the edges: of what comes into a node ∂L/∂r_v = a'(r_v) Σ w_vu ∂L/∂r_u over the edges that leave
it, and of an edge ∂L/∂w_uv = s_u ∂L/∂r_v.

A delayed edge brings what u was one step before, so a graph may have cycles: unrolled, with a copy of each node for
each step, it has none. The gradient of an edge is then the sum over its copies (backpropagation through time).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax

from tenfold.core import Array, Schema
from tenfold.estimator import check_is_fitted
from tenfold.neural_network.mlp.mlp import MLP
from tenfold.neural_network.mlp.network_weights import ACTIVATIONS, SLOPE
from tenfold.neural_network.mlp.objective import losses
from tenfold.neural_network.sequences.rnn import RNN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Node = str
Edge = tuple[str, str]

LOSSES = ("squared_error", "log_loss", "cross_entropy")
NODE_ACTIVATIONS = (*ACTIVATIONS, "heaviside")
"""of single nodes: Heaviside's step is 1 from 0 on"""
NODE_SIZE = 900.0
"""square points of a node that is drawn, with a name of up to four letters"""


class GraphGradients(NamedTuple):
    """The loss of one example, and how it changes with what comes into each node, and with the weight of each edge."""

    loss: float
    nodes: dict[Node, float]
    edges: dict[Edge, float]


class NetworkGraph:
    """A network as a graph of nodes and weighted edges: feed-forward, or with cycles of which an edge is delayed.

    Parameters
    ----------
    edges : dict of (str, str) to float
        The weight of the edge from one node to another.
    outputs : sequence of str
        The output nodes.
    intercepts : dict of str to float, optional
        The constants of nodes, 0 of those that are not named.
    activation : {"relu", "leaky_relu", "tanh", "logistic", "identity"} or dict of str to such, default="tanh"
        Of all nodes but inputs (those that no edge leads to) and outputs, which have none; or of each node that is
        named, also outputs; of others "tanh", of outputs "identity". A node may also be a "heaviside" step, which is 1
        from 0 on.
    loss : {"squared_error", "log_loss", "cross_entropy"}, default="squared_error"
        The loss of the outputs, by name. All but the squared error take outputs without an activation.
    delayed : collection of (str, str), optional
        Edges that bring what their first node was one step before. By default none, or all if the graph has a cycle.
        The others form no cycle.

    Attributes
    ----------
    inputs : tuple of str
        Nodes that no edge leads to.
    order : tuple of str
        All nodes, each after those that lead to it by an edge that is not delayed.
    origin : dict of (str, str) to (str, str)
        Of an unrolled graph, the edge that each edge is a copy of; else empty.

    Examples
    --------
    >>> from tenfold import NetworkGraph
    >>> graph = NetworkGraph({("x", "h"): 2.0, ("h", "y"): -1.0, ("x", "y"): 0.5}, ["y"], activation="identity")
    >>> graph.states({"x": 3.0})
    {'x': 3.0, 'h': 6.0, 'y': -4.5}
    >>> graph.gradients({"x": 3.0}, target=-4.0).edges[("h", "y")]
    -3.0

    A node that remembers: h is the sum of what x was so far.

    >>> memory = NetworkGraph(
    ...     {("x", "h"): 1.0, ("h", "h"): 1.0, ("h", "y"): 2.0}, ["y"], activation="identity", delayed=[("h", "h")]
    ... )
    >>> [states["y"] for states in memory.run([[1.0], [2.0], [3.0]])]
    [2.0, 6.0, 12.0]
    >>> memory.unroll(2).order
    ('h@0', 'x@1', 'x@2', 'h@1', 'h@2', 'y@2')
    """

    def __init__(
        self,
        edges: Mapping[Edge, float],
        outputs: Sequence[Node],
        intercepts: Mapping[Node, float] | None = None,
        activation: str | Mapping[Node, str] = "tanh",
        loss: str = "squared_error",
        delayed: Collection[Edge] | None = None,
    ) -> None:
        if loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}, not {loss!r}")
        self.edges = {(u, v): float(w) for (u, v), w in edges.items()}
        self.outputs, self.activation, self.loss = tuple(outputs), activation, loss
        self.intercepts = {name: float(b) for name, b in (intercepts or {}).items()}
        self.origin: dict[Edge, Edge] = {}
        self._rolled: dict[Node, int] = {}  # depth of each node of the graph that this one unrolls
        self._below: dict[Node, list[Node]] = {}
        for u, v in self.edges:
            self._below.setdefault(u, [])
            self._below.setdefault(v, []).append(u)
        self.order, self.delayed = self._ordered(delayed)
        self.inputs = tuple(name for name in self.order if not self._below[name])
        strange = sorted({*self.outputs, *self.intercepts} - set(self.order))
        if strange or not self.outputs:
            raise ValueError(f"no edge has the nodes {strange}" if strange else "outputs must name at least one node")
        self.activations = self._each_activation()
        reached = self._leading_to(self.outputs)
        if lost := [name for name in self.order if name not in reached]:
            raise ValueError(f"no path leads from {lost} to an output. Remedy: drop them, or name more outputs")

    def _ordered(self, delayed: Collection[Edge] | None) -> tuple[tuple[Node, ...], frozenset[Edge]]:
        """All nodes in an order along edges that are not delayed, and those that are."""
        if strange := sorted({*(delayed or ())} - self.edges.keys()):
            raise ValueError(f"delayed names {strange[0]}, which is no edge of the graph")
        later = frozenset(delayed or ())
        below = {v: [u for u in some if (u, v) not in later] for v, some in self._below.items()}
        try:
            return tuple(TopologicalSorter(below).static_order()), later
        except CycleError as error:
            if delayed is not None:
                cycle = " -> ".join(error.args[1])
                raise ValueError(f"the graph has a cycle: {cycle}. Remedy: name one of its edges in delayed") from None
        return (*(v for v, some in below.items() if not some), *(v for v, some in below.items() if some)), frozenset(
            self.edges
        )

    def _each_activation(self) -> dict[Node, str]:
        """The activation of every node; of inputs none."""
        named = dict(self.activation) if isinstance(self.activation, Mapping) else {}
        usual = self.activation if isinstance(self.activation, str) else "tanh"
        some = ACTIVATIONS if isinstance(self.activation, str) else NODE_ACTIVATIONS
        for one in (usual, *named.values()):
            if one not in some:
                raise ValueError(f"activation must be one of {', '.join(some)}, not {one!r}")
        if strange := sorted({*named} - {*self.order} | {*named} & {*self.inputs}):
            raise ValueError(f"activation names {strange[0]!r}, which is no node that an edge leads to")
        found = {v: named.get(v, "identity" if v in self.outputs else usual) for v in self.order}
        odd = [v for v in self.outputs if found[v] != "identity"]
        if odd and self.loss != "squared_error":
            raise ValueError(
                f"loss={self.loss!r} has an activation of its own, and output {odd[0]!r} has {found[odd[0]]!r}. "
                "Remedy: no activation of outputs, or loss='squared_error'"
            )
        return found

    def _leading_to(self, ends: Sequence[Node]) -> set[Node]:
        found, look = set(ends), list(ends)
        while look:
            new = [u for u in self._below[look.pop()] if u not in found]
            found.update(new)
            look += new
        return found

    @classmethod
    def of(cls, model: Any) -> NetworkGraph:
        """The graph of a fitted MLPClassifier or MLPRegressor, or of an RNNClassifier or RNNRegressor of simple cells.

        Inputs have the names of the features, hidden nodes are h1_0, h1_1, ..., and outputs y, or y and the class; with
        an apostrophe more than features have, if some begin with h or y. Edges among the states of a recurrent network
        are delayed.

        Parameters
        ----------
        model : MLPClassifier, MLPRegressor, RNNClassifier or RNNRegressor

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
        if not isinstance(model, MLP | RNN):
            raise TypeError(
                f"a {type(model).__name__} is no graph of sums and activations. Remedy: a fitted MLPClassifier, "
                "MLPRegressor or RNNClassifier, or the nodes and edges themselves, NetworkGraph(edges, outputs)"
            )
        check_is_fitted(model)
        if isinstance(model, RNN):
            return cls._of_recurrent(model)
        network, weights = model._network(model.schema_), model.model_.weights
        names = _layer_names(model.schema_, network.sizes[1:-1], network.sizes[-1])
        edges: dict[Edge, float] = {}
        intercepts: dict[Node, float] = {}
        for at, (W, b) in enumerate(network.layers(weights)):
            edges |= {(u, v): W[i, j] for i, u in enumerate(names[at]) for j, v in enumerate(names[at + 1])}
            intercepts |= dict(zip(names[at + 1], b.tolist()))
        return cls(edges, names[-1], intercepts, network.activation, network.loss)

    @classmethod
    def _of_recurrent(cls, model: Any) -> NetworkGraph:
        """The graph of a recurrent network: its states are nodes, each with delayed edges to those of its layer."""
        network = model._network(model.schema_)
        cell = network.encoder
        if cell.cell != "simple":
            raise TypeError(
                f"cells of kind {cell.cell!r} multiply states by gates, so they are no graph of sums and activations. "
                f"Remedy: {type(model).__name__}(cell='simple')"
            )
        *arrays, head, constants = network.arrays(model.model_.weights)
        names = _layer_names(model.schema_, (cell.width,) * cell.layers, network.outputs)
        edges: dict[Edge, float] = {}
        intercepts: dict[Node, float] = {}
        delayed: list[Edge] = []
        for at in range(cell.layers):
            W, U, b, d = arrays[4 * at : 4 * at + 4]
            below, states = names[at], names[at + 1]
            edges |= {(u, v): W[j, i] for i, u in enumerate(below) for j, v in enumerate(states)}
            again = {(u, v): U[j, i] for i, u in enumerate(states) for j, v in enumerate(states)}
            edges, delayed = edges | again, [*delayed, *again]
            intercepts |= dict(zip(states, (b + d).tolist(), strict=True))
        edges |= {(u, v): head[i, j] for i, u in enumerate(names[-2]) for j, v in enumerate(names[-1])}
        intercepts |= dict(zip(names[-1], constants.tolist(), strict=True))
        return cls(edges, names[-1], intercepts, "tanh", network.loss, delayed)

    @property
    def recurrent(self) -> bool:
        """Whether edges are delayed, so that states depend on the steps before."""
        return bool(self.delayed)

    def run(self, rows: Sequence[Sequence[float]] | Array) -> list[dict[Node, float]]:
        """The states of all nodes at each step of a sequence of inputs, from states 0.

        Parameters
        ----------
        rows : sequence of sequences of float
            The inputs at each step, in the order of `inputs`.

        Returns
        -------
        states : list of dict of str to float

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> ring = NetworkGraph({("x", "a"): 1.0, ("a", "b"): 1.0, ("b", "a"): 0.5}, ["b"], activation="identity")
        >>> [states["b"] for states in ring.run([[1.0], [0.0], [0.0], [0.0], [0.0]])]  # every edge takes a step
        [0.0, 0.0, 1.0, 0.0, 0.5]
        """
        found: list[dict[Node, float]] = []
        before: dict[Node, float] = {}
        for row in rows:
            if len(row) != len(self.inputs):
                raise ValueError(f"each of the rows must have a number for each of {self.inputs}, not {len(row)}")
            now = {name: float(x) for name, x in zip(self.inputs, row, strict=True)}
            for name in self.order:
                if self._below[name]:
                    now[name] = self._activated(name, self._sum(name, now, before))
            before = {name: now[name] for name in self.order}
            found.append(before)
        return found

    def unroll(self, steps: int) -> NetworkGraph:
        """The same network without cycles: a copy of each node for each step, the outputs of the last step.

        Parameters
        ----------
        steps : int

        Returns
        -------
        graph : NetworkGraph
            Its nodes are called h@1, h@2 and so on; h@0 is what h was before the first step. Nodes that do not lead to
            the outputs of the last step are left out. `at_steps` makes its inputs of rows.

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> memory = NetworkGraph({("x", "h"): 1.0, ("h", "h"): 0.5}, ["h"], delayed=[("h", "h")])
        >>> unrolled = memory.unroll(3)
        >>> list(unrolled.edges)
        [('h@0', 'h@1'), ('x@1', 'h@1'), ('h@1', 'h@2'), ('x@2', 'h@2'), ('h@2', 'h@3'), ('x@3', 'h@3')]
        >>> unrolled.origin["h@1", "h@2"]
        ('h', 'h')
        """
        if steps < 1:
            raise ValueError(f"steps must be at least 1, not {steps}")
        origin = {
            (f"{u}@{t - 1 if (u, v) in self.delayed else t}", f"{v}@{t}"): (u, v)
            for t in range(1, steps + 1)
            for u, v in sorted(self.edges, key=lambda edge: edge not in self.delayed)
        }
        below: dict[Node, list[Node]] = {}
        for u, v in origin:
            below.setdefault(v, []).append(u)
        ends = [f"{name}@{steps}" for name in self.outputs]
        kept, look = set(ends), list(ends)
        while look:
            new = [u for u in below.get(look.pop(), ()) if u not in kept]
            kept.update(new)
            look += new
        origin = {edge: of for edge, of in origin.items() if edge[1] in kept}
        times = [(name, f"{name}@{t}") for t in range(1, steps + 1) for name in self.order if self._below[name]]
        made = NetworkGraph(
            {edge: self.edges[of] for edge, of in origin.items()},
            ends,
            {copy: self.intercepts[name] for name, copy in times if copy in kept and name in self.intercepts},
            {copy: self.activations[name] for name, copy in times if copy in kept},
            self.loss,
        )
        made.origin, made._rolled = origin, self._shown_levels()
        return made

    def at_steps(self, rows: Sequence[Sequence[float]] | Array) -> dict[Node, float]:
        """Rows as the inputs of the graph that is unrolled over as many steps; all states before the first are 0.

        Parameters
        ----------
        rows : sequence of sequences of float
            The inputs at each step, in the order of `inputs`.

        Returns
        -------
        x : dict of str to float
        """
        given = {
            f"{name}@{t}": float(x) for t, row in enumerate(rows, 1) for name, x in zip(self.inputs, row, strict=True)
        }
        return {name: given.get(name, 0.0) for name in self.unroll(len(rows)).inputs}

    def gradients_through_time(self, rows: Sequence[Sequence[float]] | Array, target: float) -> GraphGradients:
        """The loss of one sequence, by the outputs of its last step, and its gradient, through all steps.

        Parameters
        ----------
        rows : sequence of sequences of float
            The inputs at each step, in the order of `inputs`.
        target : float
            As of `gradients`.

        Returns
        -------
        gradients : GraphGradients
            Of edges, the sum over their copies in the unrolled graph; of nodes, of each copy.

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> memory = NetworkGraph({("x", "h"): 1.0, ("h", "h"): 1.0}, ["h"], delayed=[("h", "h")])
        >>> memory.gradients_through_time([[1.0], [2.0]], target=2.0)  # h is 1, then 3
        GraphGradients(loss=0.5, nodes={'h@0': 1.0, 'x@1': 1.0, 'x@2': 1.0, 'h@1': 1.0, 'h@2': 1.0}, \
edges={('x', 'h'): 3.0, ('h', 'h'): 1.0})
        """
        unrolled = self.unroll(len(rows))
        found = unrolled.gradients(self.at_steps(rows), target)
        edges = dict.fromkeys(self.edges, 0.0)
        for edge, of in unrolled.origin.items():
            edges[of] += found.edges[edge]
        return GraphGradients(found.loss, found.nodes, edges)

    def step(self, states: Mapping[Node, float]) -> dict[Node, float]:
        """One step of all nodes at once: each takes what its neighbours below were before it.

        Parameters
        ----------
        states : dict of str to float
            Of all nodes; 0 of those that are not named.

        Returns
        -------
        states : dict of str to float
            Inputs stay. Without cycles, after as many steps as the longest path has edges, `states` of the inputs.

        Examples
        --------
        >>> from tenfold import NetworkGraph
        >>> graph = NetworkGraph({("x", "h"): 2.0, ("h", "y"): 1.0}, ["y"], activation="identity")
        >>> graph.step({"x": 1.0})
        {'x': 1.0, 'h': 2.0, 'y': 0.0}
        """
        return {
            name: self._activated(name, self._sum(name, states, states)) if self._below[name] else states.get(name, 0.0)
            for name in self.order
        }

    def states(self, x: Mapping[Node, float] | Sequence[float]) -> dict[Node, float]:
        """The state of every node for one example.

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
        if steps := [name for name in self.order if self.activations[name] == "heaviside" and self._below[name]]:
            raise ValueError(f"node {steps[0]!r} is a step, whose gradient is 0. Remedy: 'logistic' or 'tanh'")
        nodes: dict[Node, float] = {}
        for name in reversed(self.order):
            nodes[name] = above[name] * self._slope(name, inputs[name])
            for u in self._below[name]:
                above[u] += self.edges[u, name] * nodes[name]
        edges = {(u, v): states[u] * nodes[v] for u, v in self.edges}
        return GraphGradients(loss, {name: nodes[name] for name in self.order}, edges)

    def _walk(self, x: Mapping[Node, float] | Sequence[float]) -> tuple[dict[Node, float], dict[Node, float]]:
        """What comes into every node, and what it makes of it."""
        if self.delayed:
            raise ValueError(
                "states of a graph with delayed edges depend on the step. Remedy: run(rows), or unroll(steps)"
            )
        if not isinstance(x, Mapping) and len(x) != len(self.inputs):
            raise ValueError(f"x must have a number for each of {self.inputs}, not {len(x)} numbers")
        given = dict(x) if isinstance(x, Mapping) else dict(zip(self.inputs, x, strict=True))
        if set(given) != set(self.inputs):
            raise ValueError(f"x must have a number for each of {self.inputs}, not for {tuple(given)}")
        inputs, states = {name: float(given[name]) for name in self.inputs}, dict[Node, float]()
        for name in self.order:
            if self._below[name]:
                inputs[name] = self._sum(name, states, states)
            states[name] = self._activated(name, inputs[name]) if self._below[name] else inputs[name]
        return inputs, states

    def _sum(self, name: Node, now: Mapping[Node, float], before: Mapping[Node, float]) -> float:
        """What comes into a node from these states, along delayed edges from those before."""
        each = (
            weight * (before if (u, name) in self.delayed else now).get(u, 0.0)
            for u in self._below[name]
            for weight in [self.edges[u, name]]
        )
        return sum(each, self.intercepts.get(name, 0.0))

    def _activated(self, name: Node, r: float) -> float:
        """What a node makes of what comes in."""
        kind = self.activations[name]
        return float(r >= 0) if kind == "heaviside" else float(ACTIVATIONS[kind](np.array(r)))

    def _slope(self, name: Node, r: float) -> float:
        """The derivative of a node's activation where this comes in."""
        kind = self.activations[name]
        if not self._below[name] or kind == "identity":
            return 1.0
        if kind in ("relu", "leaky_relu"):
            return 1.0 if r > 0 else (0.0 if kind == "relu" else SLOPE)
        h = float(ACTIVATIONS[kind](np.array(r)))
        return h * (1 - h) if kind == "logistic" else 1 - h * h

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
        if self.delayed:
            raise ValueError("a graph with delayed edges has no longest path. Remedy: unroll(steps).depths()")
        return self._levels()

    def _levels(self) -> dict[Node, int]:
        """How many edges that are not delayed the longest path to each node has."""
        found: dict[Node, int] = {}
        for name in self.order:
            below = [found[u] for u in self._below[name] if (u, name) not in self.delayed]
            found[name] = 1 + max(below, default=-1)
        return found

    def plot(
        self,
        x: Mapping[Node, float] | Sequence[float] | None = None,
        target: float | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the graph, inputs on the left; unrolled, a column for each step. Delayed edges are curved.

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
            from matplotlib.patches import FancyArrowPatch
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
        straight = np.array([edge not in self.delayed for edge in widths], dtype=bool)
        lines = LineCollection(
            [[place[u], place[v]] for u, v in widths if (u, v) not in self.delayed], array=share[straight],
            cmap="coolwarm", clim=(-1, 1), zorder=1, linewidths=0.4 + 3.0 * np.abs(share[straight]),
        )  # fmt: skip
        ax.add_collection(lines)
        for (u, v), part in zip(widths, share.tolist(), strict=True):
            if (u, v) in self.delayed:
                (x0, y0), (x1, y1) = place[u], place[v]
                ends = ((x0 - 0.12, y0 + 0.16), (x0 + 0.12, y0 + 0.16)) if u == v else ((x0, y0), (x1, y1))
                arc = "arc3,rad=-1.8" if u == v else "arc3,rad=0.25"
                ax.add_patch(
                    FancyArrowPatch(
                        *ends, connectionstyle=arc, arrowstyle="-|>", mutation_scale=11, shrinkA=0 if u == v else 14,
                        shrinkB=0 if u == v else 14, color=lines.to_rgba(np.array([part]))[0], zorder=1, linestyle="--",
                        linewidth=0.6 + 2.4 * abs(part),
                    )
                )  # fmt: skip
        states = None if x is None else self.states(x)  # of a graph with delayed edges an error with its remedy
        at = np.array([place[name] for name in self.order])
        far = 1.0 if states is None else max(map(abs, states.values())) or 1.0
        colours: Array = np.zeros(len(at)) if states is None else np.array([states[name] for name in self.order]) / far
        room = NODE_SIZE * min(max(max(map(len, self.order)) / 4, 1.0), 2.0) ** 1.5  # for their names
        ax.scatter(
            at[:, 0], at[:, 1], c=colours, s=room, cmap="coolwarm", vmin=-1.6, vmax=1.6, edgecolors="#555555", zorder=2
        )
        for name, (across, up) in place.items():
            ax.text(
                across,
                up,
                name if states is None else f"{name}\n{states[name]:.2g}",
                ha="center",
                va="center",
                fontsize=7,
            )
        what = "weight" if target is None else "gradient"
        ax.figure.colorbar(lines, ax=ax, label=f"{what} of an edge, in {most:.2g}", shrink=0.7)
        ax.margins(0.12)
        ax.axis("off")
        return ax

    def _places(self) -> dict[Node, tuple[float, float]]:
        """Where each node is drawn: by its depth, and beside those of the same; unrolled, by its step."""
        if self.origin:
            known = list(self._rolled)
            deep = max(self._rolled.values()) + 1
            return {
                name: (float(step) + 0.8 * self._rolled[kind] / deep, float(known.index(kind)))
                for name in self.order
                for kind, _, step in [name.rpartition("@")]
            }
        rows: dict[int, list[Node]] = {}
        for name, depth in self._shown_levels().items():
            rows.setdefault(depth, []).append(name)
        return {
            name: (float(depth), (len(some) - 1) / 2 - at)
            for depth, some in rows.items()
            for at, name in enumerate(some)
        }

    def _shown_levels(self) -> dict[Node, int]:
        """The depth of each node; where all edges are delayed, how many lead to it from an input at least."""
        if len(self.delayed) < len(self.edges):
            return self._levels()
        found = dict.fromkeys(self.inputs or self.order[:1], 0)
        look = list(found)
        for u in look:
            for v in (v for a, v in self.edges if a == u and v not in found):
                found[v] = found[u] + 1
                look.append(v)
        return {name: found.get(name, 0) for name in self.order}


def _layer_names(schema: Schema, hidden: Sequence[int], outputs: int) -> list[list[Node]]:
    """Names of the nodes of each layer: features, hidden units, outputs."""
    labels = [] if schema.classes is None else schema.classes
    columns = list(schema.feature_names)
    said = ["y"] if outputs == 1 else [f"y_{label}" for label in labels]
    units = [[f"h{at}_{j}" for j in range(n)] for at, n in enumerate(hidden, 1)]
    mark = "'" * max((len(name) - len(name.rstrip("'")) + 1 for name in columns if name[:1] in "hy"), default=0)
    return [columns, *([name + mark for name in each] for each in (*units, said))]
