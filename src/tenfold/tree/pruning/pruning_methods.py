"""How a tree learner prunes: which pruner its parameters ask for, and what it needs of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import entr

from tenfold.compiled.tree.tree_missing import PARTS
from tenfold.compiled.tree.tree_search import ERROR, GINI, SUMS
from tenfold.core import Array, Codes, DataError, Flags, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.estimator import for_users
from tenfold.stats.rows.draws import Holdout
from tenfold.tree.growing.grower import TreeGrower
from tenfold.tree.growing.growing import Rules
from tenfold.tree.pruning import pruning
from tenfold.tree.pruning.pruning import Losses, Path
from tenfold.tree.records import Setup, TreeModel
from tenfold.tree.tree import Tree

HOLDOUT_PRUNERS = ("reduced_error", "best_cut", "cost_complexity")
"""pruners that hold rows back"""
BY_WEIGHT = ("pessimistic", "chi_squared")
"""pruners that need the weights of the training rows in each node alone"""


class Prices(NamedTuple):
    """The prices and impurities that `cost_complexity_pruning_path` finds."""

    ccp_alphas: Array
    impurities: Array


class Pruned(TreeGrower):
    """Base of tree learners that can be pruned."""

    min_impurity = 0.0

    @property
    def holds_back(self) -> bool:
        """Whether rows are set aside to prune by."""
        return self.prune in HOLDOUT_PRUNERS

    @property
    def _holdout(self) -> Holdout:
        """Which rows are held back to prune by, drawn at random."""
        return Holdout(self._seed, self.held_back) if self.holds_back else Holdout()

    def check_params(self, schema: Schema) -> None:
        super().check_params(schema)
        if self.holds_back and self._missing_code == PARTS:
            raise ValueError(
                f'prune="{self.prune}" with missing="fractional": validation rows end in one leaf each. '
                'Remedy: prune="pessimistic", or another way with missing values'
            )

    def check_row_count(self, rows: int, what: str) -> None:
        """Refuse to prune by no rows, or to grow from none."""
        if not rows:
            raise DataError(f'{what}: prune="{self.prune}" needs more rows. Remedy: prune="pessimistic", or None')

    def prune_grown(self, model: TreeModel) -> TreeModel:
        """The tree pruned by all that needs no rows."""
        if self.min_impurity > 0:
            weight = model.value.sum(axis=1)
            each = impurities(model.value, self.criterion_code) / np.where(weight > 0, weight, 1.0)
            model = cut_at(model, (model.tree.feature >= 0) & (each <= self.min_impurity))
        tree, ranges, at = model.tree, model.ranges, np.zeros(model.tree.node_count, bool)
        # A test wants to know how many rows there are: a weight of two stands for two, but one of 1/n for one.
        count = model.value if ranges.unit == 1.0 else model.value * (ranges.rows / model.value[0].sum())
        if self.prune == "pessimistic":
            at = pruning.pessimistic(tree, count, self.confidence)
        elif self.prune == "chi_squared":
            at = pruning.chi_squared(tree, count, self.significance)
        if self.ccp_alpha > 0:
            model = cut_at(model, at)
            at = cuts_at_alpha(model.tree, model.value, self.criterion_code, self.ccp_alpha)
        return cut_at(model, at)

    def prune_held_back(self, setup: Setup, model: TreeModel, sums: Codes) -> TreeModel:
        """The tree pruned by the channel sums of validation rows, with ln of the weight of that choice."""
        self.check_row_count(int(sums[:, -1].sum()), "no row was set aside for validation")
        each = setup.class_weight
        losses = losses_of(model, sums * np.append(each, 1) if len(each) else sums, self.rules(setup))
        if self.prune == "cost_complexity":
            path = path_of(model.tree, model.value, self.criterion_code, losses)
            steps = len(path.loss) - 1 - int(path.loss[::-1].argmin())
            at, prior = pruning.cuts_of(path, steps, model.tree.node_count), -float(np.log(len(path.loss)))
        else:
            at = (pruning.reduced_error if self.prune == "reduced_error" else pruning.best_cut)(model.tree, losses)
            prior = pruning.log_prior(model.tree, at)
        return cut_at(model, at)._replace(log_prior=prior)

    @for_users
    def cost_complexity_pruning_path(
        self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None
    ) -> Prices:
        """The prices of a leaf at which the tree of these rows gets smaller, and the impurity that is then left.

        Parameters
        ----------
        X : array, frame or Source
        y : array, optional
        sample_weight : array, optional

        Returns
        -------
        path : Prices
            `ccp_alphas` and `impurities`, as scikit-learn has them; of numbers, how far impurity is above that of
            the whole tree.
        """
        whole = self._blank()
        whole.prune, whole.ccp_alpha = None, 0.0
        whole.fit(X, y, sample_weight)
        path = path_of(whole.model_.tree, whole.model_.value, self.criterion_code)
        return Prices(path.alpha, path.impurity)


def cut_at(model: TreeModel, at: Flags) -> TreeModel:
    """The tree cut at these nodes, if there are any."""
    if not at.any():
        return model
    tree, old = pruning.cut(model.tree, at)
    return model._replace(tree=tree, value=model.value[old])


def losses_of(model: TreeModel, sums: Codes, rules: Rules) -> Losses:
    """Loss of validation rows at each node, from their channel sums: errors, or squares up to a constant."""
    every = pruning.up(model.tree, sums)
    if rules.criterion != SUMS:
        said = model.value.argmax(axis=1)
        found = (s[:, :-1].sum(axis=1) - s[np.arange(len(s)), said] for s in (every, sums))
        return Losses(*(x.astype(np.float64) for x in found))
    away = model.value[:, 0] - model.ranges.center
    g, h = (-sums[:, 0] * rules.units[0], sums[:, 1] * rules.units[1])
    up_g, up_h = (-every[:, 0] * rules.units[0], every[:, 1] * rules.units[1])
    return Losses(away * (away * up_h - 2 * up_g), away * (away * h - 2 * g))


def path_of(tree: Tree, value: Array, criterion: int, losses: Losses | None = None) -> Path:
    """The path of cost-complexity pruning, by the impurity that the tree was grown by; squares, of numbers.

    Of numbers, impurity is counted from that of the whole tree.
    """
    if criterion == SUMS:
        whole, above = value[0, 1], tree.parent[1:]
        rest = value[1:, 1] * (value[1:, 0] - value[above, 0]) ** 2
        drop = np.bincount(above, weights=rest, minlength=tree.node_count)
        root = drop.sum() / whole
    else:
        whole = value[0].sum()
        bad = impurities(value, criterion)
        below = np.bincount(tree.parent[1:], weights=bad[1:], minlength=tree.node_count)
        drop, root = np.where(tree.feature >= 0, bad - below, 0.0), bad[0] / whole
    return pruning.cost_complexity_path(tree, drop / whole, float(root), losses)


def cuts_at_alpha(tree: Tree, value: Array, criterion: int, alpha: float) -> Flags:
    """Nodes at which a tree is cut if each leaf costs `alpha` (minimal cost-complexity pruning)."""
    path = path_of(tree, value, criterion)
    steps = int(np.searchsorted(path.alpha, alpha, side="right")) - 1
    return pruning.cuts_of(path, steps, tree.node_count)


def impurities(weight: Array, criterion: int) -> Array:
    """Weighted impurity of nodes with these class weights: Gini, error, or entropy."""
    whole = weight.sum(axis=1)
    if criterion == ERROR:
        return np.asarray(whole - weight.max(axis=1))
    share = weight / np.where(whole > 0, whole, 1.0)[:, None]
    if criterion == GINI:
        return np.asarray(whole * (1 - (share**2).sum(axis=1)))
    return np.asarray(whole * entr(share).sum(axis=1) / np.log(2.0))
