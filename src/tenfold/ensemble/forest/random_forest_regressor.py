"""A forest of trees for numbers: each sees rows of its own draw; their means are averaged."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable, Need
from tenfold.core.statistic import Statistic
from tenfold.ensemble.forest.random_forest import RandomForest
from tenfold.estimator import Regressor, fitted
from tenfold.stats.trees.tree_bins import WeightUnit, numbers_of
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor
from tenfold.tree.forest import ForestModel, ForestOutOfBag, unseen_values
from tenfold.tree.growing.grower import NumberTrees
from tenfold.tree.growing.node_statistics import TreeDraws
from tenfold.tree.records import Setup


class ForestSquares(Mergeable):
    """Sums of out-of-bag squared errors and targets, and the weight of rows that every tree has drawn."""

    squares: float
    """of the errors"""
    whole: float
    """weight"""
    away: float
    spread: float
    """Σ of the target's distance from the centre, and of its square"""
    drawn: float
    """weight of the rows that every tree has drawn"""

    @classmethod
    def of(
        cls, sums: Array, trees: Codes, target: Array, weight: Codes, unit: WeightUnit, forest: ForestModel
    ) -> ForestSquares:
        """The errors of summed predictions of so many trees for each row."""
        weights = weight * unit.unit if len(weight) else np.ones(len(trees))
        told = trees > 0
        w, y = weights[told], target[told]
        error, away = sums[told, 0] / trees[told] - y, y - forest.ranges.center
        return cls(
            float(w @ error**2), float(w.sum()), float(w @ away), float(w @ away**2), float(weights[~told].sum())
        )


class OutOfBagSquares(ForestOutOfBag[ForestSquares]):
    """Squared errors of out-of-bag predictions."""

    def summarize(self, chunk: Chunk) -> ForestSquares:
        seen, _ = self.weighted_rows(chunk, self.draws.bootstrap)
        return ForestSquares.of(*self.unseen(seen), numbers_of(seen.target), seen.weight, self.weights, self.forest)


class OutOfBagSquaresOfValues(Statistic[ForestSquares]):
    """Squared errors of the out-of-bag predictions of unbinned rows."""

    weights: WeightUnit
    forest: ForestModel
    draws: TreeDraws

    def summarize(self, chunk: Chunk) -> ForestSquares:
        chunk = chunk.of_weight()
        found = unseen_values(self.forest, self.draws, chunk.X, chunk.places())
        return ForestSquares.of(*found, chunk.y, self.weights.in_units(chunk.weight), self.weights, self.forest)


class RandomForestRegressor(RandomForest, NumberTrees, Regressor):
    """A random forest on binned columns, the same trees for any threads and workers.

    Each tree draws every row a Poisson number of times, from a hash of its place and the tree. The trees' means are
    averaged.

    Parameters
    ----------
    n_estimators : int, default=100
        How many members are fitted, each to rows of its own draw.
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Each leaf has at least this share of the weight of all rows.
    min_impurity_decrease : float, default=0.0
        Least decrease of the variance, weighted by the node's share of the rows; shares are of all rows, however many a
        tree has drawn.
    max_features : int, float, "sqrt" or "log2", optional
        How many columns each node may choose from; all by default. More, if none of those can be split, or by enough.
    max_leaf_nodes : int, optional
        With it, the split of greatest gain comes first.
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
    criterion, monotonic_cst : optional
        As in scikit-learn; other values raise an error that names an alternative.
    oob_score, n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    trees_ : Tree
        The nodes of all trees, one tree after the other.
    roots_ : array of shape (trees,)
    value_ : array of shape (nodes, 1)
        Mean of the target.
    feature_importances_ : array of shape (columns,)
        By decrease of the squared error, which favours columns with many values, and gives noise its share.
    estimators_ : list of DecisionTreeRegressor
        The trees, each by itself.
    oob_score_ : float
        Out-of-bag R²; NaN without rows that some tree has not drawn.
    max_features_ : int
        How many columns each node may choose from.
    n_outputs_ : int
        One: that of the target.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import RandomForestRegressor
    >>> X = [[float(i)] for i in range(20)]
    >>> model = RandomForestRegressor(50).fit(X, [0.0] * 10 + [8.0] * 10)
    >>> model.predict([[1.5], [17.5]])
    array([0., 8.])
    """

    need = Need("mixed", missing=True, sparse=True, target="number")
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_estimators": 3},
        {"n_estimators": 3, "bootstrap": False, "min_impurity_decrease": 0.01},
        {"n_estimators": 2, "max_features": "sqrt", "max_leaf_nodes": 4, "ccp_alpha": 0.01},
    )

    def member(self) -> DecisionTreeRegressor:
        return DecisionTreeRegressor(**self.limits())

    def member_values(self, value: Array) -> Array:
        # The means of the nodes; their weights are not kept, so each is one.
        return np.column_stack([value[:, 0], np.ones(len(value))])

    def values(self, setup: Setup, sums: Codes) -> Array:
        g, h = (sums[:, k] * unit for k, unit in enumerate(self.units(setup)))
        return np.asarray(setup.ranges.center - g / np.where(h > 0, h, 1.0))[:, None]

    def unseen(self, setup: Setup, forest: ForestModel, draws: TreeDraws) -> Statistic[ForestSquares]:
        if forest.continued:  # trees of an earlier fit have bins of their own
            return OutOfBagSquaresOfValues(setup.weights, forest, draws)
        return OutOfBagSquares(setup.weights, forest, draws, lens=setup.lens)

    def certify(self, model: ForestModel, s: ForestSquares) -> tuple[Claim, ...]:
        """The error on rows that trees have not drawn, or on all if they draw none; how finely targets were summed."""
        fine, more = "targets were summed in whole multiples of this", self.column_claims(model.ranges)
        claims = [
            Claim("resolution", self.target_unit(model.ranges), "proved", fine, "arithmetic"),
            *self.continued_claims(model),
        ]
        if not self.bootstrap:
            why = "over the training rows, sent down all trees"
            claims.append(Claim("training mean squared error", s.squares / s.whole, "proved", why, "data"))
        elif s.whole:
            why = "each row predicted by the trees not fitted to it: rather too high than too low"
            claims.append(Claim("out-of-bag mean squared error", s.squares / s.whole, "estimated", why, "unseen rows"))
        return *claims, *more

    @property
    @fitted
    def oob_score_(self) -> float:
        """Out-of-bag R²."""
        s: ForestSquares = self.summary_
        if not self.bootstrap:
            raise AttributeError("oob_score_")  # every tree has seen every row
        spread = s.spread - s.away * s.away / s.whole if s.whole else 0.0
        return 1 - s.squares / spread if spread > 0 else float("nan")

    def predict_from(self, model: ForestModel, X: Columns) -> Array:
        """The mean of the trees' means."""
        return model.means(X)[:, 0]
