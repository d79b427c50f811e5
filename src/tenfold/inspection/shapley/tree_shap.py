"""Shapley values of trees, forests and boosted trees: f(x) = E f + Σ φⱼ.

Those along the ways of rows are computed here; those over rows of data by the shap package, which takes trees of two
children a node. A split of categories becomes thresholds between their codes, with a copy of a
branch for each run of codes that leads to it. The copies share its rows, so that the expectations of the tree are the
same. What is missing or was not seen has a code beyond the last.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from tenfold.core import Array, Codes, Columns, DataError
from tenfold.ensemble.boosting.boosted import BoostedModel
from tenfold.ensemble.boosting.boosting import Boosting
from tenfold.ensemble.forest.random_forest import RandomForest
from tenfold.estimator import check_is_fitted
from tenfold.inspection.shapley.shapley import EMPTY_LEAF_ROWS, ShapleyTree
from tenfold.tree.decision_tree import DecisionTree
from tenfold.tree.forest import ForestModel
from tenfold.tree.records import TreeModel
from tenfold.tree.tree import Tree

MAX_NODES = 1_000_000
"""nodes of a tree"""
Explained = DecisionTree | RandomForest | Boosting


class TreeShap:
    """Shapley values of trees, forests and boosted trees: the contribution of each column to a prediction.

    Explained is what the trees sum up to: the prediction of a tree or forest for numbers, the probabilities of one for
    classes, the margins of boosted trees (log odds, or the log of a mean). By default a column that is not known goes
    the ways of the training rows, whose number each node has kept, as `shap.TreeExplainer` does without data: no rows
    and no other package are needed. With `data` the shap package computes the values (`pip install
    "tenfold[shap]"`). Values that are missing go where the tree sends them, and are part of a column like any other;
    where they go in parts (`missing="fractional"`) they are refused.

    Parameters
    ----------
    model : DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, RandomForestRegressor, \
GradientBoostingClassifier, GradientBoostingRegressor, HistGradientBoostingClassifier or HistGradientBoostingRegressor
        The fitted model that is explained.
    data : array or frame, optional
        Rows for the expectations. Without, they are those of the training rows.
    feature_perturbation : {"auto", "interventional", "tree_path_dependent"}, default="auto"
        Source of the values of unknown columns: rows of `data`, independent of the known columns
        (time grows with the rows: give 100 to 1,000), which needs shap; or from the rows that came by the same nodes.
        By default the former if there are `data`; shap sums it in single precision, to about seven digits.

    Attributes
    ----------
    explainer : shap.TreeExplainer
        For interactions and more; it takes rows as `encode` makes them, and needs shap.
    expected_value : float, or array of shape (outputs,)
    trees : dict
        The model as `shap.TreeExplainer` takes it, for rows as `encode` makes them.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = tn.RandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0] + 2 * X[:, 1])
    >>> shap = tn.TreeShap(model)
    >>> values = shap.shap_values(X[:5])
    >>> bool(np.allclose(shap.expected_value + values.sum(axis=1), model.predict(X[:5])))
    True
    """

    def __init__(
        self,
        model: Explained,
        data: ArrayLike | None = None,
        *,
        feature_perturbation: Literal["auto", "interventional", "tree_path_dependent"] = "auto",
    ) -> None:
        self.model = model
        tree, roots, value, base, ended = self._parts = _parts_of(model)
        rows = None if data is None else self.encode(data)
        if feature_perturbation == "auto":
            feature_perturbation = "tree_path_dependent" if rows is None else "interventional"
        if rows is None and feature_perturbation == "interventional":
            raise ValueError("feature_perturbation='interventional' needs rows. Remedy: TreeShap(model, data)")
        if self._in_parts and feature_perturbation == "interventional":
            raise ValueError(
                "with missing='fractional' rows with values of others may go down the tree in parts, and TreeSHAP "
                "follows one way. Remedy: feature_perturbation='tree_path_dependent'"
            )
        self._background: Array | None = None
        if feature_perturbation == "interventional":
            self._background = rows
            found = np.asarray(self.explainer.expected_value, dtype=np.float64).ravel()
        else:
            if rows is not None:
                ended = _ended(tree, roots, rows)
                self._parts = self._parts._replace(ended=ended)
            self._trees = [ShapleyTree(tree, *span, value, ended) for span in self._parts.spans]
            found = base + sum(one.expected for one in self._trees)
        self.expected_value: float | Array = float(found[0]) if len(found) == 1 else found

    @cached_property
    def trees(self) -> dict[str, Any]:
        """The model as `shap.TreeExplainer` takes it, for rows as `encode` makes them."""
        tree, _, value, base, ended = self._parts
        return {
            "trees": [binary_tree(tree, *span, value, ended) for span in self._parts.spans],
            "internal_dtype": np.float64, "input_dtype": np.float64, "base_offset": np.array(base),
            "tree_output": "raw_value",
        }  # fmt: skip

    @cached_property
    def explainer(self) -> Any:
        """The `shap.TreeExplainer` of the model, for rows as `encode` makes them."""
        how = "tree_path_dependent" if self._background is None else "interventional"
        return _shap().TreeExplainer(self.trees, self._background, feature_perturbation=how)

    @property
    def _in_parts(self) -> bool:
        """Whether rows with missing values go to all branches."""
        return isinstance(self.model, DecisionTree) and self.model.missing == "fractional"

    def encode(self, X: ArrayLike) -> Array:
        """Rows as numbers, categories as codes; a category that is missing or was not seen has one beyond the last.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        X : array of shape (rows, columns)
        """
        found = self.model._apply(lambda learner, model, columns: self.coded(columns), X, list)
        if not isinstance(found, np.ndarray):
            raise TypeError("TreeShap takes arrays and frames. Remedy: a sample of the rows, or explain(model, rows)")
        return found

    def coded(self, columns: Columns) -> Array:
        """The same of rows that have been read."""
        levels, found = self.model.schema_.levels, columns.take(np.arange(len(columns)))
        for j in np.flatnonzero(levels):
            code = found[:, j]
            code[~((code >= 0) & (code < levels[j]))] = levels[j]
        if self._in_parts:
            tree = self.model.model_.tree
            lacking = np.isnan(found) | ((levels > 0) & (found == levels))
            lacking |= (tree.feature[tree.apply(Columns(found, missing=True))] >= 0)[:, None]
            if lacking.any():
                raise ValueError(
                    f"row {columns.row(int(lacking.any(axis=1).argmax()))} goes down the tree in parts "
                    "(missing='fractional'): a value of it is missing or was not seen, and TreeSHAP follows one way. "
                    "Remedy: leave it out, or fit with missing='learned'"
                )
        return found

    def shap_values(self, X: ArrayLike) -> Array:
        """Compute the contribution of each column for each row.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        values : array of shape (rows, columns), or (rows, columns, outputs)
            With `expected_value` they sum to the prediction of the trees.
        """
        return self.values_of(self.encode(X))

    def values_of(self, rows: Array) -> Array:
        """The same of rows as `encode` makes them."""
        if self._background is not None:
            return np.asarray(self.explainer.shap_values(rows, check_additivity=False))
        out = np.zeros((*rows.shape, self._parts.value.shape[1]))
        for tree in self._trees:
            tree.add_values(rows, out)
        return out if out.shape[2] > 1 else out[:, :, 0]

    def __call__(self, X: ArrayLike) -> Any:
        """A `shap.Explanation`, for the pictures of shap.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        explanation : shap.Explanation
        """
        rows, schema = self.encode(X), self.model.schema_
        shown = rows.astype(object)
        for j in np.flatnonzero(schema.levels):
            known = np.array([*schema.columns[j].categories, None], dtype=object)
            shown[:, j] = known[rows[:, j].astype(int)]
        base = np.repeat(np.asarray(self.expected_value)[None], len(rows), axis=0)
        names = list(schema.names)
        return _shap().Explanation(self.values_of(rows), base, rows, display_data=shown, feature_names=names)


def _shap() -> Any:
    """The package; what it warns of while it is loaded is its own affair."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import shap
    except ImportError:
        raise ImportError("this part of TreeShap needs shap. Remedy: pip install 'tenfold[shap]'") from None
    return shap


class ExplainedTrees(NamedTuple):
    """The trees of a model, their node values and training rows, in one table."""

    trees: Tree
    roots: Codes
    value: Array
    """what a row that ends in a node adds"""
    base: Array
    ended: Array
    """how many training rows ended in each node"""

    @property
    def spans(self) -> Iterator[tuple[int, int]]:
        """The first node of each tree, and that of the next."""
        return pairwise([*self.roots.tolist(), self.trees.node_count])


def _parts_of(model: BaseEstimator) -> ExplainedTrees:
    """The trees of a model, and what they add."""
    if not isinstance(model, DecisionTree | RandomForest | Boosting):
        text = f"{type(model).__name__} is not a tree, forest or boosted trees of tenfold. Remedy: "
        if isinstance(model, Pipeline):
            text += (
                "tenfold.explain(pipeline, X), what each column of X contributes through all steps; or "
                "TreeShap(pipeline[-1]) for rows of pipeline[:-1].transform(X)"
            )
            raise TypeError(text)
        raise TypeError(f"{text}tenfold.explain(model, X), for linear models and naive Bayes too")
    check_is_fitted(model)
    found: TreeModel | ForestModel | BoostedModel = model.model_
    match found:
        case TreeModel(tree, value):
            if model.schema_.classes is not None:
                weight = value.sum(axis=1)
                value = value / np.where(weight > 0, weight, 1.0)[:, None]
            else:
                weight, value = value[:, 1], value[:, :1]
            roots, base = np.zeros(1, np.int64), np.zeros(value.shape[1])
            return ExplainedTrees(tree, roots, value, base, np.where(tree.feature < 0, weight, 0.0))
        case ForestModel(roots, trees, value, cover):
            ended = np.where(trees.feature < 0, cover, 0.0)
            said = value / len(found.voters)
            said[np.delete(roots, found.voters)] = 0.0  # of trees that have drawn no row: they are a root
            return ExplainedTrees(trees, roots, said, np.zeros(value.shape[1]), ended)
        case BoostedModel(roots, trees, added, cover, base):
            tree_of = np.repeat(np.arange(len(roots)), np.diff(np.append(roots, trees.node_count)))
            value = np.zeros((len(added), len(base)))
            value[np.arange(len(value)), tree_of % len(base)] = added
            return ExplainedTrees(trees, roots, value, base, np.where(trees.feature < 0, cover, 0.0))


def _ended(tree: Tree, roots: Codes, rows: Array) -> Array:
    """How many rows end in each node."""
    X, out = Columns(rows, missing=True), np.zeros(tree.node_count)
    for root in roots.tolist():
        out += np.bincount(tree.apply(X, root), minlength=tree.node_count)
    return out


def binary_tree(tree: Tree, start: int, stop: int, value: Array, ended: Array) -> dict[str, Any]:
    """One tree of a forest, in nodes from `start` to `stop`.

    Parameters
    ----------
    tree : Tree
    start, stop : int
    value : array of shape (nodes, outputs)
        What is said of rows that end in a node.
    ended : array of shape (nodes,)
        How many rows end there.
    """
    if (tree.route_at[start:stop] < 0).all():
        return _plain(tree, start, stop, value[start:stop], ended[start:stop])
    return Unfolding(tree, value, ended).table(start)


def _plain(tree: Tree, start: int, stop: int, value: Array, ended: Array) -> dict[str, Any]:
    """Return the same nodes without categorical splits."""
    feature = tree.feature[start:stop]
    inner = feature >= 0
    left = np.where(inner, tree.first_child[start:stop] - start, -1)
    right = np.where(inner, left + 1, -1)
    cover = np.where(inner, 0.0, np.maximum(ended, EMPTY_LEAF_ROWS))
    depth = tree.depth[start:stop]
    for level in range(int(depth.max(initial=0)), -1, -1):
        at = np.flatnonzero(inner & (depth == level))
        cover[at] = cover[left[at]] + cover[right[at]]
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.where(tree.missing_left[start:stop] == 1, left, right),
        "features": np.where(inner, feature, -1),
        "thresholds": np.where(inner, tree.threshold[start:stop], 0.0),
        "values": np.array(value),
        "node_sample_weight": cover,
    }


class Unfolding:
    """A tree with splits of categories, node by node."""

    def __init__(self, tree: Tree, value: Array, ended: Array) -> None:
        self.tree, self.value, self.ended = tree, value, ended
        self.nodes: list[list[Any]] = []

    def table(self, root: int) -> dict[str, Any]:
        """Table of all nodes below a root."""
        self._node(root, 1.0)
        left, right, default, feature, threshold, cover, node = (np.array(c) for c in zip(*self.nodes, strict=True))
        return {
            "children_left": left, "children_right": right, "children_default": default, "features": feature,
            "thresholds": threshold, "values": self.value[node], "node_sample_weight": cover,
        }  # fmt: skip

    def _node(self, k: int, share: float) -> int:
        """The number of a node for node k, to which this share of its rows comes."""
        t = self.tree
        if t.feature[k] < 0:
            return self._leaf(k, share)
        if t.route_at[k] >= 0:
            route = t.route[t.route_at[k] : t.route_at[k] + t.route_width[k]]
            starts = [0, *(np.flatnonzero(route[1:-1] != route[:-2]) + 1).tolist(), len(route) - 1, len(route)]
            runs = [(low, int(route[low])) for low, high in pairwise(starts) if low < high]
            often = {branch: sum(b == branch for _, b in runs) for _, branch in runs}
            return self._runs(k, runs, often, share)
        at = self._inner(k, float(t.threshold[k]))
        left, right = (self._node(int(t.first_child[k]) + side, share) for side in (0, 1))
        return self._close(at, left, right, bool(t.missing_left[k]))

    def _runs(self, k: int, runs: list[tuple[int, int]], often: dict[int, int], share: float) -> int:
        """Runs of codes, each with its branch: halved until there is one."""
        if len(runs) == 1:
            branch = runs[0][1]
            some = share / often[branch]
            return self._leaf(k, some) if branch < 0 else self._node(int(self.tree.first_child[k]) + branch, some)
        half = len(runs) // 2
        at = self._inner(k, runs[half][0] - 0.5)
        left, right = (self._runs(k, some, often, share) for some in (runs[:half], runs[half:]))
        return self._close(at, left, right, False)

    def _inner(self, k: int, threshold: float) -> int:
        if len(self.nodes) > MAX_NODES:
            raise DataError(
                f"with its splits of categories in two, a tree has more than {MAX_NODES:,} nodes. Remedy: a smaller "
                "max_depth, or fewer categories"
            )
        self.nodes.append([-1, -1, -1, int(self.tree.feature[k]), threshold, 0.0, k])
        return len(self.nodes) - 1

    def _close(self, at: int, left: int, right: int, missing_left: bool) -> int:
        self.nodes[at][:3] = left, right, left if missing_left else right
        self.nodes[at][5] = self.nodes[left][5] + self.nodes[right][5]
        return at

    def _leaf(self, k: int, share: float) -> int:
        self.nodes.append([-1, -1, -1, -1, 0.0, max(float(self.ended[k]), EMPTY_LEAF_ROWS) * share, k])
        return len(self.nodes) - 1
