"""What a split of each column would gain at a node of a tree: the table from which a decision tree takes its choice.

Weights of classes by column and bin merge, so rows are looked at once for the bins, and counted once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tenfold.compiled.tree.tree_search import RATIO
from tenfold.core import Array, Chunk, Flags, MatrixLike, VectorLike
from tenfold.core.learner import Initial
from tenfold.core.statistic import Statistic
from tenfold.engine import current, opened, schema_of
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.sources.inputs import as_source
from tenfold.stats.combinators import As, View
from tenfold.stats.trees.rare_rows import Neighbors
from tenfold.stats.trees.tree_bins import Cut, SampleAndRanges, WeightUnit, strata_of
from tenfold.theory.checks import whole
from tenfold.tree.decision_tree_classifier import CRITERIA, DecisionTreeClassifier
from tenfold.tree.growing.channels import ClassChannels
from tenfold.tree.growing.histograms import add_histograms
from tenfold.tree.growing.levelwise import search_columns
from tenfold.tree.pruning.pruning_methods import impurities
from tenfold.tree.records import Histograms
from tenfold.tree.tree import Tree, leaf

MEASURES = ("entropy", "gain_ratio", "gini", "error")


@dataclass(frozen=True, eq=False)
class SplitGains:
    """Gain of the best split of each column at a node.

    Parameters
    ----------
    names : tuple of str
        The columns.
    criteria : tuple of str
        "entropy" (information gain, in bits), "gain_ratio", "gini" and "error".
    gains : array of shape (columns, criteria)
        The decrease of impurity by the column's best split, or its gain ratio; 0 if it cannot be split.
    thresholds : array of shape (columns, criteria)
        Where that split is: values up to there go left. NaN for categories, and where there is no split; infinity, if
        the values that are there are split from those that are missing.
    impurity : array of shape (criteria,)
        Of the node before the split; that of the gain ratio is entropy.
    weight : float
        Of the rows of the node.
    """

    names: tuple[str, ...]
    criteria: tuple[str, ...]
    gains: Array
    thresholds: Array
    impurity: Array
    weight: float

    def of(self, column: str, criterion: str = "entropy") -> float:
        """Gains of the best split of one column, by criterion."""
        return float(self.gains[self.names.index(column), self.criteria.index(criterion)])

    def best(self, criterion: str = "entropy") -> str:
        """The column of greatest gain, the first of ties: the one that a tree splits, if the gain is positive."""
        return self.names[int(self.gains[:, self.criteria.index(criterion)].argmax())]

    def __str__(self) -> str:
        """A line a column, in their order, with the threshold of greatest information gain."""
        wide = max(6, *(len(name) for name in self.names))
        lines = [f"{'column':{wide}s} " + " ".join(f"{name:>10s}" for name in self.criteria) + "  threshold"]
        for name, gains, places in zip(self.names, self.gains, self.thresholds, strict=True):
            where = "" if np.isnan(places[0]) else f"{places[0]:.6g}"
            lines.append(f"{name:{wide}s} " + " ".join(f"{x:10.6f}" for x in gains) + f"  {where:>9s}".rstrip())
        return "\n".join(lines)


class NodeWeights(Statistic[Histograms]):
    """Weights of classes by column and bin, of the rows that come to a node of a tree, and of the others."""

    cut: Cut
    channels: ClassChannels
    weights: WeightUnit
    tree: Tree
    below: Flags
    """whether each node is in the subtree that is explained"""

    def summarize(self, chunk: Chunk) -> Histograms:
        chunk = chunk.of_weight()
        slot = np.where(self.below[self.tree.apply(chunk.X)], 0, 1)
        hist = np.zeros((2, self.channels.size, int(self.cut.offset[-1])), np.int64)
        numbers = self.channels.numbers(chunk.y, self.weights.in_units(chunk.weight))
        add_histograms(hist, np.arange(2), self.cut.bins(chunk), self.cut, slot, numbers)
        return Histograms.of(hist, None)


def split_gains(
    X: MatrixLike,
    y: VectorLike | None = None,
    *,
    sample_weight: VectorLike | None = None,
    tree: DecisionTreeClassifier | None = None,
    node: int = 0,
    split: str = "multiway",
) -> SplitGains:
    """Information gain, gain ratio, decrease of Gini impurity and of errors, of the best split of every column.

    At the root of all rows, or at a node of a fitted tree: then with its bins, its way with missing values and its
    limits, so that the greatest gain by its criterion is the split that the tree made.

    Parameters
    ----------
    X : array, frame or Source
        The rows: an array, a frame or a Source.
    y : array, optional
        The classes.
    sample_weight : array, optional
        A weight for each row; by default all count once.
    tree : DecisionTreeClassifier, optional
        A fitted tree. None: the root, columns of numbers cut into at most 255 bins.
    node : int, default=0
        A node of the tree: its number in `tree_`. Rows come to it as they do in prediction.
    split : {"multiway", "subset"}, default="multiway"
        How categories are split, if no tree is given: into a branch for each, or into two sets.

    Returns
    -------
    gains : SplitGains

    Examples
    --------
    >>> from tenfold import split_gains
    >>> days = [["sun", 31.0], ["sun", 22.0], ["rain", 24.0], ["rain", 12.0]]
    >>> print(split_gains(days, ["out", "out", "out", "in"]))
    column    entropy gain_ratio       gini      error  threshold
    x0       0.311278   0.311278   0.125000   0.000000
    x1       0.811278   1.000000   0.375000   0.250000         17
    """
    if split not in ("multiway", "subset"):
        raise ValueError(f'split={split!r}: "multiway" or "subset" is needed')
    plain = DecisionTreeClassifier(split=split, cat_penalty=0.0)
    learner: DecisionTreeClassifier = plain if tree is None else as_fitted(tree)
    grown = leaf() if tree is None else learner.model_.tree
    at = whole("node", node, 0)
    if not 0 <= at < grown.node_count:
        raise ValueError(f"node={node}: the tree has nodes 0 to {grown.node_count - 1}")
    if at and learner.missing == "fractional":
        raise ValueError('with missing="fractional" a row may come to several nodes. Remedy: node=0, or another way')
    need = learner.need
    source = as_source(X, y, sample_weight, need, model=tree, reset=tree is None)
    with opened(current(), source) as session:
        schema = schema_of(source, need, session) if tree is None else learner.schema_
        view = View(need, schema)
        asked = SampleAndRanges(int(learner.random_state or 0), strata_of(schema))
        setup = learner.setup(Initial(0, schema), session.answer(As(view, asked)).summary)
        if setup.beside.size:
            setup = setup.refined(session.answer(As(view, Neighbors(setup.beside))).summary)
        channels = learner.channels(setup)
        weights = NodeWeights(setup.cut, channels, setup.weights, grown, _below(grown, at))
        found: Histograms = session.answer(As(view, weights)).summary
    first = slice(int(setup.cut.offset[1]))  # every row is in one bin of the first column
    both = found.split(channels.size, int(setup.cut.offset[-1]))[0]
    setup, hist = learner.weighed(setup, both[:, :, first].sum(axis=(0, 2))), both[0]
    if len(each := setup.class_weight):
        hist = hist * np.append(each, 1)[:, None]
    hist = hist * learner._parts
    rules, unit = learner.rules(setup), learner.units(setup)[0] / learner._parts
    sums = hist[:, first].sum(axis=1)
    weight = float(sums[:-1].sum() * unit)
    if not weight:
        raise ValueError(f"no row comes to node {node}")
    edges = np.append(setup.edges, np.full((len(setup.edges), 1), np.inf), axis=1)
    gains, thresholds = (np.full((len(edges), len(MEASURES)), x) for x in (0.0, np.nan))
    for m, measure in enumerate(MEASURES):
        by = rules._replace(criterion=CRITERIA[measure])
        for j in range(len(edges)):
            found_gain, _, place, _, _ = search_columns(hist, np.array([j]), sums, setup.cut, by)
            if found_gain >= 0:
                gains[j, m] = found_gain if CRITERIA[measure] == RATIO else found_gain * unit / weight
                thresholds[j, m] = np.nan if setup.ranges.levels[j] else edges[j, place]
    before = [impurities(sums[None, :-1] * unit, CRITERIA[measure])[0] / weight for measure in MEASURES]
    return SplitGains(schema.names, MEASURES, gains, thresholds, np.array(before), weight)


def _below(tree: Tree, node: int) -> Flags:
    """Whether each node is this one, or below it."""
    above, found = tree.parent, np.zeros(tree.node_count, bool)
    found[node] = True
    for k in range(node + 1, tree.node_count):
        found[k] = found[above[k]]
    return found
