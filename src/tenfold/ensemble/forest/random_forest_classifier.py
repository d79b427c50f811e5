"""A forest of trees for classes: each sees rows of its own draw, and few columns at a node; shares are averaged."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np

from tenfold.compiled.tree import tree_search as ts
from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable, Need, Remedy
from tenfold.core.statistic import Statistic
from tenfold.ensemble.forest.random_forest import RandomForest
from tenfold.estimator import fitted
from tenfold.estimator.class_weights import ClassWeight
from tenfold.estimator.shell.constraints import choice, integer, nonzero_fraction
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.shell.kinds import winners
from tenfold.estimator.shell.parameters import Behind
from tenfold.stats.trees.tree_bins import Target, WeightUnit
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier
from tenfold.tree.forest import ForestModel, ForestOutOfBag, unseen_values
from tenfold.tree.growing.grower import ClassTrees, MaxFeatures
from tenfold.tree.growing.node_statistics import TreeDraws
from tenfold.tree.records import Setup

CRITERIA = {"gini": ts.GINI, "entropy": ts.ENTROPY, "log_loss": ts.ENTROPY}


class ForestErrors(Mergeable):
    """Weights, in whole units, of rows that their out-of-bag trees misclassify or classify."""

    wrong: int
    whole: int
    """of the rows that some tree has not drawn"""
    drawn: int
    """of those that every tree has"""

    @classmethod
    def of(cls, sums: Array, trees: Codes, label: Target, weight: Codes) -> ForestErrors:
        """Compute out-of-bag errors from summed class probabilities, the number of trees, and the rows' classes."""
        weight = weight if len(weight) else np.ones(len(trees), np.int64)
        told = trees > 0
        wrong = told & (winners(sums) != label)
        return cls(int(weight[wrong].sum()), int(weight[told].sum()), int(weight[~told].sum()))


class OutOfBagErrors(ForestOutOfBag[ForestErrors]):
    """Weights of rows that are misclassified out of bag."""

    def summarize(self, chunk: Chunk) -> ForestErrors:
        seen, _ = self.weighted_rows(chunk, self.draws.bootstrap)
        return ForestErrors.of(*self.unseen(seen), seen.target, seen.weight)


class OutOfBagErrorsOfValues(Statistic[ForestErrors]):
    """Out-of-bag errors of unbinned rows, for trees whose thresholds are not bin edges."""

    weights: WeightUnit
    forest: ForestModel
    draws: TreeDraws

    def summarize(self, chunk: Chunk) -> ForestErrors:
        chunk = chunk.of_weight()
        found = unseen_values(self.forest, self.draws, chunk.X, chunk.places())
        return ForestErrors.of(*found, chunk.y, self.weights.in_units(chunk.weight))


same_weights = refused(
    "classes have one weight in all trees",
    Remedy('tn.{name}(class_weight="balanced")'),
    "balanced_subsample",
)


class RandomForestClassifier(RandomForest, ClassTrees):
    """A random forest on binned columns, the same trees for any threads and workers.

    Each tree draws every row a Poisson number of times, from a hash of its place and the tree, and each node chooses
    among a few columns. The trees' shares of the classes are averaged.

    Parameters
    ----------
    n_estimators : int, default=100
        How many members are fitted, each to rows of its own draw.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        What a split is chosen by: the impurity that it takes away.
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Each leaf has at least this share of the weight of all rows.
    min_impurity_decrease : float, default=0.0
        Least decrease, weighted by the node's share of the rows; shares are of all rows, however many a tree has drawn.
    max_features : int, float, "sqrt" or "log2", default="sqrt"
        How many columns each node may choose from; None: all. More, if none of those can be split, or by enough.
    max_leaf_nodes : int, optional
        With it, the split of greatest gain comes first.
    class_weight : dict or "balanced", optional
        Weights of classes; "balanced" gives all the same. The out-of-bag error takes no notice of them.
    bootstrap : bool, default=True
        Whether trees draw rows; else each sees all.
    min_data_per_group : int, default=1
        Categories with fewer rows in a node are taken together there, as one; "subset" splits only.
    cat_smooth : float, default=0.0
        Smoothing of category means: categories are sorted as if each had this many additional rows at the mean of the
        node.
    cat_penalty : float, default=1.0
        Times that the decrease which chance alone gives to a column of more than ten categories is taken off what
        its best set gains; with 0, an uninformative column of many categories is split before all others.
    max_bins : int or "auto", default="auto"
        Bins of each numeric column, at most 255; splits lie between bins. Half of the edges lie beside the values of
        rare classes and extreme targets. "auto": 255, or one for each number of at most 4,096 rows.
    random_state : int, default=0
        Seed of the draws, and of the sample that bins come from. None draws one, and the certificate records it.
    max_samples : int or float, optional
        How many rows each tree draws, or their share of all; by default as many as there are. How often a row is drawn
        is a Poisson number, so these are means; a tree that draws no row is left out.
    ccp_alpha : float, default=0.0
        What a leaf costs: branches of a grown tree that lower its impurity by less than their leaves cost are cut.
    warm_start : bool, default=False
        Whether a second `fit` keeps the trees of the first one and adds others, up to `n_estimators` of them together.
    monotonic_cst : optional
        As in scikit-learn; other values raise an error that names an alternative.
    oob_score, n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    n_classes_ : int
    trees_ : Tree
        The nodes of all trees, one tree after the other.
    roots_ : array of shape (trees,)
    value_ : array of shape (nodes, classes)
        Shares of the classes.
    feature_importances_ : array of shape (columns,)
        By decrease of impurity, which favours columns with many values, and gives noise its share.
    estimators_ : list of DecisionTreeClassifier
        The trees, each by itself.
    oob_score_ : float
        Out-of-bag accuracy; NaN without rows that some tree has not drawn.
    max_features_ : int
        How many columns each node may choose from.
    n_outputs_ : int
        One: that of the target.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import RandomForestClassifier
    >>> X = [[float(i)] for i in range(20)]
    >>> model = RandomForestClassifier(20).fit(X, ["a"] * 10 + ["b"] * 10)
    >>> model.predict([[1.5], [17.5]]).tolist()
    ['a', 'b']
    """

    need = Need("mixed", missing=True, sparse=True, target="class")
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_estimators": 3},
        {"n_estimators": 3, "criterion": "entropy", "class_weight": "balanced", "max_leaf_nodes": 4},
        {"n_estimators": 2, "bootstrap": False, "max_features": None, "ccp_alpha": 0.01},
        {"n_estimators": 3, "max_samples": 0.6},
    )

    _: KW_ONLY
    criterion: Annotated[str, choice(*CRITERIA), Behind("n_estimators")] = "gini"
    max_features: Annotated[MaxFeatures, integer(1), nonzero_fraction, choice("sqrt", "log2"), None] = "sqrt"
    class_weight: Annotated[ClassWeight, dict, choice("balanced"), None, same_weights, Behind("max_leaf_nodes")] = None

    def member(self) -> DecisionTreeClassifier:
        return DecisionTreeClassifier(self.criterion, **self.limits())

    @property
    def criterion_code(self) -> int:
        return CRITERIA[self.criterion]

    def values(self, setup: Setup, sums: Codes) -> Array:
        # The shares of the classes; all alike, where there is no weight: a tree may have drawn nothing.
        weight = sums[:, :-1].sum(axis=1, keepdims=True)
        return np.where(weight > 0, sums[:, :-1] / np.maximum(weight, 1), 1 / (sums.shape[1] - 1))

    def unseen(self, setup: Setup, forest: ForestModel, draws: TreeDraws) -> Statistic[ForestErrors]:
        if setup.rare or forest.continued:  # trees of an earlier fit have bins of their own
            return OutOfBagErrorsOfValues(setup.weights, forest, draws)
        return OutOfBagErrors(setup.weights, forest, draws, lens=setup.lens)

    def certify(self, model: ForestModel, s: ForestErrors) -> tuple[Claim, ...]:
        """The error on rows that trees have not drawn; the training error, if they draw none."""
        more = (*self.continued_claims(model), *self.column_claims(model.ranges))
        if not self.bootstrap:
            why = "share of the weight of the training rows, sent down all trees"
            return Claim("training error", s.wrong / s.whole, "proved", why, "data"), *more
        why = "share of the weight of the rows that every tree was fitted to: no prediction is out of bag"
        claims = [Claim("rows never out of bag", s.drawn / (s.drawn + s.whole), "proved", why, "data")]
        if s.whole:
            why = "each row predicted by the trees not fitted to it: rather too high than too low"
            claims.append(Claim("out-of-bag error", s.wrong / s.whole, "estimated", why, "unseen rows"))
        return *claims, *more

    @property
    @fitted
    def oob_score_(self) -> float:
        """Out-of-bag accuracy: share of the rows that trees which have not drawn them classify correctly."""
        s: ForestErrors = self.summary_
        if not self.bootstrap:
            raise AttributeError("oob_score_")  # every tree has seen every row
        return 1 - s.wrong / s.whole if s.whole else float("nan")

    def scores_from(self, model: ForestModel, X: Columns) -> Array:
        """The mean of the trees' shares."""
        return model.means(X)
