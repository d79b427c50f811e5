"""How a tree learner prunes: which pruner its parameters ask for, and what it needs of the rows."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import entr

from tenfold.core import Array, Codes, DataError
from tenfold.estimator.base import Estimator
from tenfold.kernels.tree_missing import PARTS
from tenfold.kernels.tree_search import ERROR, GINI, SUMS
from tenfold.stats.draws import Holdout
from tenfold.trees import pruning
from tenfold.trees.missing import WAYS
from tenfold.trees.pruning import Losses, Path
from tenfold.trees.tree import Tree

BY_ROWS = ("reduced_error", "best_cut", "cost_complexity")
"""pruners that hold rows back"""
BY_WEIGHT = ("pessimistic", "chi_squared")
"""pruners that need the weights of the training rows in each node alone"""


class Prices(NamedTuple):
    """What `cost_complexity_pruning_path` finds."""

    ccp_alphas: Array
    impurities: Array


class Pruned(Estimator):
    """What pruning adds to a tree learner."""

    fitting: ClassVar[frozenset[str]] = Estimator.fitting | {"cost_complexity_pruning_path"}

    prune: str | None
    held_back: float
    ccp_alpha: float
    confidence: float
    significance: float
    random_state: Any
    missing: str

    def _back(self) -> bool:
        """Whether rows are held back."""
        return self.prune in BY_ROWS

    def _holdout(self) -> Holdout:
        """Which rows those are."""
        return Holdout(int(self.random_state), self.held_back) if self._back() else Holdout()

    def check_pruning(self) -> None:
        """Refuse what does not go together."""
        if self._back() and WAYS[self.missing] == PARTS:
            raise ValueError(
                f'prune="{self.prune}" with missing="fractional": rows that are held back end in one leaf each. '
                'Remedy: prune="pessimistic", or another way with missing values'
            )

    def enough(self, rows: int, what: str) -> None:
        """Refuse to prune by no rows, or to grow from none."""
        if not rows:
            raise DataError(f'{what}: prune="{self.prune}" needs more rows. Remedy: prune="pessimistic", or None')

    def prune_grown(self, state: Any) -> Any:
        """The state with its tree pruned by all that needs no rows; in a phase of its own, if rows are held back."""
        tree, rules = state.tree, self.rules_of(state)
        at = np.zeros(tree.node_count, bool)
        # A test wants to know how many rows there are: a weight of two stands for two, but one of 1/n for one.
        count = state.value if state.unit == 1.0 else state.value * (state.rows / state.value[0].sum())
        if self.prune == "pessimistic":
            at = pruning.pessimistic(tree, count, self.confidence)
        elif self.prune == "chi_squared":
            at = pruning.chi_squared(tree, count, self.significance)
        if self.ccp_alpha > 0:
            state = cut_state(state, at)
            path = path_of(state.tree, state.value, rules.criterion)
            steps = int(np.searchsorted(path.alpha, self.ccp_alpha, side="right")) - 1
            at = pruning.cuts_of(path, steps, state.tree.node_count)
        return cut_state(state, at)._replace(phase="prune" if self._back() else "judge")

    def prune_held_back(self, state: Any, sums: Codes) -> Any:
        """The state with its tree pruned by the channel sums of held-back rows, and ln of the weight of that choice."""
        self.enough(int(sums[:, -1].sum()), "no row was held back")
        rules = self.rules_of(state)
        weighed = sums * np.append(state.factor, 1) if len(state.factor) else sums
        losses = losses_of(state, weighed, rules)
        if self.prune == "cost_complexity":
            path = path_of(state.tree, state.value, rules.criterion, losses)
            steps = len(path.loss) - 1 - int(path.loss[::-1].argmin())
            at, prior = pruning.cuts_of(path, steps, state.tree.node_count), -float(np.log(len(path.loss)))
        else:
            at = (pruning.reduced_error if self.prune == "reduced_error" else pruning.best_cut)(state.tree, losses)
            prior = pruning.log_prior(state.tree, at)
        return cut_state(state, at)._replace(phase="judge", log_prior=prior)

    def cost_complexity_pruning_path(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
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
        state = whole.model_
        path = path_of(state.tree, state.value, whole.rules_of(state).criterion)
        return Prices(path.alpha, path.impurity)


def cut_state(state: Any, at: Any) -> Any:
    """The state, its tree cut at these nodes, if there are any."""
    if not at.any():
        return state
    tree, old = pruning.cut(state.tree, at)
    return state._replace(tree=tree, value=state.value[old])


def losses_of(state: Any, sums: Codes, rules: Any) -> Losses:
    """What held-back rows lose by each node, from their channel sums: errors; or squares, but for a constant."""
    every = pruning.up(state.tree, sums)
    if rules.criterion != SUMS:
        said = state.value.argmax(axis=1)
        found = (s[:, :-1].sum(axis=1) - s[np.arange(len(s)), said] for s in (every, sums))
        return Losses(*(x.astype(np.float64) for x in found))
    away = state.value[:, 0] - state.center
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


def impurities(weight: Array, criterion: int) -> Array:
    """Of nodes with these weights of classes, times their weight: Gini, error, or else entropy."""
    whole = weight.sum(axis=1)
    if criterion == ERROR:
        return np.asarray(whole - weight.max(axis=1))
    share = weight / np.where(whole > 0, whole, 1.0)[:, None]
    if criterion == GINI:
        return np.asarray(whole * (1 - (share**2).sum(axis=1)))
    return np.asarray(whole * entr(share).sum(axis=1) / np.log(2.0))
