"""Bisecting k-means: one cluster of all rows, of which the worst is cut in two by k-means until there are enough.

Each cut asks for weight, sum and squares of the rows nearest to two centres, among the rows of one cluster; these
merge. The cuts are a tree: a row goes to the nearer of two centres at each, so predicting looks at few of them.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from tenfold.cluster.initial_centers import best_seeds
from tenfold.cluster.kmeans_states import Measuring, SamplingSeeds
from tenfold.cluster.lloyd_round import Lloyd, labels
from tenfold.cluster.nearest_center import NearestCenter
from tenfold.cluster.row_sample import BucketSpread, SpreadAndMass, StartSample
from tenfold.core import MANY, Array, Chunk, Claim, Codes, Columns, Mergeable, Need, Remedy, Schema
from tenfold.core.field_values import NOT_NEGATIVE, Index
from tenfold.core.learner import Done
from tenfold.core.statistic import Statistic
from tenfold.estimator.shell.constraints import choice, integer, real, seed
from tenfold.estimator.shell.keyword_decisions import copied, ignored_verbose, same_clusters
from tenfold.estimator.shell.keywords import Refused
from tenfold.stats.rows.weighted_sample import Race

SAMPLE, EACH = 4096, 64
"""sampled rows from which the centres of a split are drawn: at least this many, or this many per cluster"""
STILL = 1e-15
"""share of the length of two centres by which means of the same rows may move: rounding"""


class BisectionTree(NamedTuple):
    """The tree of bisections; the two children of a node are adjacent and follow it."""

    centers: Annotated[Array, "node", "column"]
    left: Annotated[Codes, "node", Index("node", none=True)]
    """the first of its children; -1: it is a cluster"""
    weight: Annotated[Array, "node", NOT_NEGATIVE]
    inertia: Annotated[Array, "node", NOT_NEGATIVE]
    """of its rows around their mean; 0 if it cannot be cut"""

    def is_valid(self, schema: Schema) -> bool:
        """Whether every node but the root is the child of exactly one earlier node."""
        cut = self.left[self.left >= 0]
        behind = (self.left < 0) | (self.left > np.arange(len(self.left)))
        return len(self.left) == 2 * len(cut) + 1 and bool(behind.all()) and sorted(cut.tolist()) == self._places()

    def _places(self) -> list[int]:
        return list(range(1, len(self.left), 2))

    @property
    def leaves(self) -> Codes:
        """Numbers of the leaves, which are the clusters."""
        return np.flatnonzero(self.left < 0)

    def find(self, X: Columns) -> Codes:
        """The leaf of each row: at each cut the nearer of two centres."""
        at = np.zeros(len(X), np.int64)
        for node in np.flatnonzero(self.left >= 0):
            rows, first = np.flatnonzero(at == node), self.left[node]
            if len(rows):
                at[rows] = first + labels(X.rows(rows), self.centers[first : first + 2])
        return at

    def cut(self, node: int, halves: Halves) -> BisectionTree:
        """The tree with one more cut."""
        left = self.left.copy()
        left[node] = len(left)
        each = (halves.left, halves.right)
        means = [h.means()[0] for h in each]
        weight = [h.weight[0] for h in each]
        moved = [float(h.weight[0] * ((m - h.centers[0]) ** 2).sum()) for h, m in zip(each, means, strict=True)]
        inertia = [max(h.inertia - saved, 0.0) for h, saved in zip(each, moved, strict=True)]
        return BisectionTree(
            np.vstack([self.centers, *means]),
            np.concatenate([left, [-1, -1]]),
            np.concatenate([self.weight, weight]),
            np.concatenate([self.inertia, inertia]),
        )

    def uncut(self, node: int) -> BisectionTree:
        """The tree with this node marked as a leaf: none of its sampled rows differ."""
        inertia = self.inertia.copy()
        inertia[node] = 0.0
        return self._replace(inertia=inertia)


class Halves(Mergeable):
    """Rows of one cluster, by the nearer of two centres."""

    left: Lloyd
    right: Lloyd

    @property
    def weight(self) -> Array:
        """Total weight of the rows of each half."""
        return np.concatenate([self.left.weight, self.right.weight])

    def means(self) -> Array:
        """Mean of the rows of each half."""
        return np.concatenate([self.left.means(), self.right.means()])


class SumsOfHalves(Statistic[Halves]):
    """Weight, sum and squares of the rows of one cluster, by the nearer of two centres."""

    centers: Array
    left: Codes
    node: int
    pair: Array

    def summarize(self, chunk: Chunk) -> Halves:
        tree = BisectionTree(self.centers, self.left, np.zeros(0), np.zeros(0))
        inside = chunk if len(self.left) == 1 else chunk.rows(np.flatnonzero(tree.find(chunk.X) == self.node))
        near = labels(inside.X, self.pair)
        one, other = (Lloyd.of(inside.rows(np.flatnonzero(near == k)), self.pair[k : k + 1]) for k in (0, 1))
        return Halves(one, other)


class SumsByLeaf(Statistic[Lloyd]):
    """Weight, sum and squares of the rows of each cluster of a tree."""

    centers: Array
    left: Codes

    def summarize(self, chunk: Chunk) -> Lloyd:
        tree = BisectionTree(self.centers, self.left, np.zeros(0), np.zeros(0))
        at, leaves = tree.find(chunk.X), tree.leaves
        each = [Lloyd.of(chunk.rows(np.flatnonzero(at == leaf)), self.centers[leaf : leaf + 1]) for leaf in leaves]
        return Lloyd(
            self.centers[leaves],
            np.concatenate([one.weight for one in each]),
            np.concatenate([one.total for one in each]),
            float(sum(one.inertia for one in each)),
        )


class BisectingModel(NamedTuple):
    """The centres of the clusters, and the tree of cuts by which rows find them."""

    cluster_centers: Annotated[Array, "cluster", "column"]
    tree: BisectionTree
    n_iter: int


class Bisecting(NamedTuple):
    """A cluster is being cut in two: rounds of k-means among its rows."""

    step: int
    tree: BisectionTree
    sample: Race
    node: int
    pair: Annotated[Array, "half", "column"]
    rounds: int
    """of this cut"""
    tolerance: float


class Closing(NamedTuple):
    """The state after the last bisection: the rows of all clusters are summed once more."""

    step: int
    kept: BisectingModel


State: TypeAlias = Measuring | SamplingSeeds | Bisecting | Closing | Done
Summary: TypeAlias = BucketSpread | Race | Halves | Lloyd


halved_from_two = Refused(
    "a cluster is halved from two rows drawn by k-means++",
    Remedy("tn.BisectingKMeans(random_state=1)", "for other rows"),
    ("random", "k-means++"),
)
halved_once = Refused(
    "each cluster is halved once",
    Remedy("min((tn.BisectingKMeans(random_state=s).fit(X) for s in range(3)), key=lambda m: m.inertia_)"),
    (1,),
)


class BisectingKMeans(NearestCenter):
    """Bisecting k-means, exact in each pass.

    Begins with one cluster, and cuts the one of the largest inertia (or weight) in two until there are enough. The two
    centres of a cut are drawn from a sample of its rows, and settled on all of them; they depend on the rows and the
    seed, not on their order. Clusters are more alike in size than those of `KMeans`, and are found by few comparisons.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters, and centres, to find.
    bisecting_strategy : "biggest_inertia" or "largest_cluster", default="biggest_inertia"
        Which cluster to cut next.
    max_iter : int, default=300
        Rounds of each cut at most.
    tol : float, default=1e-4
        End a cut when the squared movement of its centres is at most this share of the mean variance.
    random_state : int, default=0
        Seed of the start of each cut. None draws one, and the certificate records it.
    init, n_init : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose, copy_x, algorithm : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    cluster_centers_ : array of shape (clusters, columns)
    inertia_ : float
        Sum of squared distances of rows to the centre of their cluster.
    labels_ : array
        Cluster of each row, if the rows were in memory.
    n_iter_ : int
        Rounds of all cuts.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import BisectingKMeans
    >>> model = BisectingKMeans(n_clusters=3).fit([[0.0], [1.0], [9.0], [10.0], [50.0], [51.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [0.5, 9.5, 50.5]
    """

    passes = MANY
    need = Need("numeric", sparse=True)
    hidden = frozenset({"tree"})
    law_params = ({"n_clusters": 3}, {"n_clusters": 4, "bisecting_strategy": "largest_cluster", "max_iter": 2})

    n_clusters: Annotated[int, integer(1)] = 8
    _: KW_ONLY
    bisecting_strategy: Annotated[str, choice("biggest_inertia", "largest_cluster")] = "biggest_inertia"
    max_iter: Annotated[int, integer(1)] = 300
    tol: Annotated[float, real(0)] = 1e-4
    random_state: Annotated[int | None, seed] = 0
    init: Annotated[Any, halved_from_two] = "random"
    n_init: Annotated[int, halved_once] = 1
    verbose: Annotated[int, ignored_verbose] = 0
    copy_x: Annotated[bool, copied] = True
    algorithm: Annotated[str, same_clusters] = "lloyd"

    def start(self, schema: Schema) -> State:
        """Before it is known how rows spread."""
        return Measuring(0)

    def ask(self, state: State) -> SpreadAndMass | StartSample | SumsOfHalves | SumsByLeaf | None:
        """How rows spread, and a sample of them; the halves of one cluster after the other; then all clusters."""
        match state:
            case Measuring():
                return SpreadAndMass(self.random_state)
            case SamplingSeeds():
                return StartSample.of(max(SAMPLE, EACH * self.n_clusters), self.random_state, state.spread)
            case Bisecting():
                return SumsOfHalves(state.tree.centers, state.tree.left, state.node, state.pair)
            case Closing():
                return SumsByLeaf(state.kept.tree.centers, state.kept.tree.left)
        return None

    def update(self, state: State, s: Summary) -> State:
        """Advance from the sample to the bisections, and to the end."""
        match state, s:
            case Measuring(), BucketSpread():
                s.refuse_small()
                return SamplingSeeds(0, s)
            case SamplingSeeds(), Race():
                spread = state.spread
                tolerance = self.tol * spread.square / (spread.weight * len(spread.columns.mean))
                root = BisectionTree(
                    spread.columns.mean[None], np.array([-1]), np.array([spread.weight]), np.array([spread.square])
                )
                return self._next(0, root, s, tolerance)
            case Bisecting(), Halves():
                return self._move(state, s)
            case Closing(), Lloyd():
                return Done.of(state.kept, state.step)
        raise TypeError(f"{type(s).__name__} does not belong to the state {type(state).__name__}")

    def _move(self, state: Bisecting, s: Halves) -> Bisecting | Closing:
        """The two centres at the means of their rows, till they hardly move; then the next cut."""
        step, means = state.step + 1, s.means()
        if (s.weight == 0).any():
            return self._next(step, state.tree.uncut(state.node), state.sample, state.tolerance)
        rounding = STILL**2 * float((state.pair**2).sum())
        still = float(((means - state.pair) ** 2).sum()) <= max(state.tolerance, rounding)
        if still or state.rounds + 1 >= self.max_iter:
            return self._next(step, state.tree.cut(state.node, s), state.sample, state.tolerance)
        return state._replace(step=step, pair=means, rounds=state.rounds + 1)

    def _next(self, step: int, tree: BisectionTree, sample: Race, tolerance: float) -> Bisecting | Closing:
        """The next cluster to cut, and two centres for it; the end, if there are enough, or no rows that differ."""
        rows, weight = sample.sample()
        at = tree.find(Columns(rows))
        while len(tree.leaves) < self.n_clusters:
            worth = np.where((tree.left < 0) & (tree.inertia > 0), self._worth(tree), -1.0)
            node = int(worth.argmax())
            if worth[node] < 0:
                break
            inside = at == node
            some = None if self.random_state is None else self.random_state + len(tree.left)
            pair = best_seeds(rows[inside], weight[inside], 2, some, sample.complete) if inside.any() else rows[:0]
            if len(pair) == 2:
                return Bisecting(step, tree, sample, node, pair, 0, tolerance)
            tree = tree.uncut(node)
        centers = np.ascontiguousarray(tree.centers[tree.leaves])
        return Closing(step, BisectingModel(centers, tree, step))

    def _worth(self, tree: BisectionTree) -> Array:
        return tree.inertia if self.bisecting_strategy == "biggest_inertia" else tree.weight

    def model(self, state: State) -> BisectingModel | None:
        if isinstance(state, Done):
            found: BisectingModel = state.model
            return found
        return state.kept if isinstance(state, Closing) else None

    def certify(self, model: BisectingModel, s: Summary) -> tuple[Claim, ...] | None:
        """The inertia of these clusters, and whether there are as many as were asked for."""
        if not isinstance(s, Lloyd) or not np.array_equal(s.centers, model.cluster_centers):
            return None
        why = "summed over all rows in float64, each with the centre that the cuts lead it to"
        claims: tuple[Claim, ...] = (
            Claim("inertia", s.inertia, "estimated", why, "objective", "rounding errors of the usual size"),
        )
        if len(model.cluster_centers) < self.n_clusters:
            why = f"fewer clusters than n_clusters={self.n_clusters}: no cluster has distinct rows left to split"
            claims += (Claim("clusters", float(len(model.cluster_centers)), "estimated", why, "data"),)
        return claims

    def label_from(self, model: BisectingModel, X: Columns) -> Codes:
        number = np.cumsum(model.tree.left < 0) - 1
        return number[model.tree.find(X)]

    def is_valid(self, model: BisectingModel, summary: Lloyd | None, schema: Schema) -> bool:
        return len(model.tree.leaves) == len(model.cluster_centers) > 0
