"""Shapley values of trees, forests and boosted trees, by the shap package: f(x) = E f + Σ φⱼ."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes, Columns
from tenfold.estimator import check_is_fitted
from tenfold.trees.boosted import BoostedModel
from tenfold.trees.boosting import Boosting
from tenfold.trees.decision_tree import DecisionTree
from tenfold.trees.forest import ForestModel
from tenfold.trees.random_forest import RandomForest
from tenfold.trees.records import TreeModel
from tenfold.trees.shap_trees import binary_tree
from tenfold.trees.tree import Tree

Explained = DecisionTree | RandomForest | Boosting


class TreeShap:
    """What each column adds to a prediction, by TreeSHAP of the shap package.

    Needs shap: `pip install "tenfold[shap]"`. Explained is what the trees sum up to: the prediction of a tree or forest
    for numbers, the probabilities of one for classes, the margins of boosted trees (log odds, or the log of a mean).
    Values that are missing go where the tree sends them, and are part of a column like any other; where they
    go in parts (`missing="fractional"`) they are refused.

    Parameters
    ----------
    model : DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, RandomForestRegressor, \
GradientBoostingClassifier or GradientBoostingRegressor
        Fitted.
    data : array or frame, optional
        Rows for the expectations. A single tree knows how many rows came by its nodes, and can do without.
    feature_perturbation : {"auto", "interventional", "tree_path_dependent"}, default="auto"
        Where the values of columns come from that are not known: from rows of `data`, whatever the known ones are
        (time grows with the rows: give 100 to 1,000); or from the rows that came by the same nodes. By default the
        former if there are `data`; shap sums it in single precision, to about seven digits.

    Attributes
    ----------
    explainer : shap.TreeExplainer
        For interactions and more; it takes rows as `encode` makes them.
    expected_value : float, or array of shape (outputs,)

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = tn.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] + 2 * X[:, 1])
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
        shap = _shap()
        self.model = model
        tree, roots, value, base, ended = _parts_of(model)
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
        if feature_perturbation == "tree_path_dependent" and rows is not None:
            ended = _ended(tree, roots, rows)
        if ended is None:
            if rows is None:
                raise ValueError(
                    f"{type(model).__name__} does not keep how many rows came by its nodes. Remedy: TreeShap(model, "
                    "data), with some of the rows it was made from"
                )
            ended = np.zeros(tree.node_count)
        stops = np.append(roots[1:], tree.node_count)
        tables = [binary_tree(tree, a, b, value, ended) for a, b in zip(roots.tolist(), stops.tolist(), strict=True)]
        forest = {
            "trees": tables, "internal_dtype": np.float64, "input_dtype": np.float64, "base_offset": np.array(base),
            "tree_output": "raw_value",
        }  # fmt: skip
        background = rows if feature_perturbation == "interventional" else None
        self.explainer = shap.TreeExplainer(forest, background, feature_perturbation=feature_perturbation)
        found = np.asarray(self.explainer.expected_value, dtype=np.float64).ravel()
        self.expected_value: float | Array = float(found[0]) if len(found) == 1 else found

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
        levels = self.model.schema_.levels

        def numbers(_: Explained, model: object, columns: Columns) -> Array:
            out = columns.take(np.arange(len(columns)))
            for j in np.flatnonzero(levels):
                code = out[:, j]
                code[~((code >= 0) & (code < levels[j]))] = levels[j]
            return out

        found = self.model._apply(numbers, X, list)
        if not isinstance(found, np.ndarray):
            raise TypeError("TreeShap takes arrays and frames. Remedy: a sample of the rows")
        if self._in_parts:
            tree = self.model.model_.tree
            lacking = np.isnan(found) | ((levels > 0) & (found == levels))
            lacking |= (tree.feature[tree.apply(Columns(found, missing=True))] >= 0)[:, None]
            if lacking.any():
                raise ValueError(
                    f"row {int(lacking.any(axis=1).argmax())} goes down the tree in parts (missing='fractional'): "
                    "a value of it is missing or was not seen, and TreeSHAP follows one way. Remedy: leave it out, or "
                    "fit with missing='learned'"
                )
        return found

    def shap_values(self, X: ArrayLike) -> Array:
        """What each column adds, for each row.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        values : array of shape (rows, columns), or (rows, columns, outputs)
            With `expected_value` they sum to what the trees say.
        """
        return self._values(self.encode(X))

    def _values(self, rows: Array) -> Array:
        return np.asarray(self.explainer.shap_values(rows, check_additivity=False))

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
        return _shap().Explanation(self._values(rows), base, rows, display_data=shown, feature_names=names)


def _shap() -> Any:
    """The package; what it warns of while it is loaded is its own affair."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import shap
    except ImportError:
        raise ImportError("TreeShap needs shap. Remedy: pip install 'tenfold[shap]'") from None
    return shap


class Parts(NamedTuple):
    """What there is to explain."""

    trees: Tree
    roots: Codes
    value: Array
    """what a row that ends in a node adds"""
    base: Array
    ended: Array | None
    """how many training rows ended in each node, if that is known"""


def _parts_of(model: Explained) -> Parts:
    """The trees of a model, and what they add."""
    if not isinstance(model, DecisionTree | RandomForest | Boosting):
        raise TypeError(f"{type(model).__name__} is no tree, forest or boosted trees of tenfold")
    check_is_fitted(model)
    found: TreeModel | ForestModel | BoostedModel = model.model_
    match found:
        case TreeModel(tree, value):
            if model.schema_.classes is not None:
                weight = value.sum(axis=1)
                value = value / np.where(weight > 0, weight, 1.0)[:, None]
            else:
                weight, value = value[:, 1], value[:, :1]
            ended = np.where(tree.feature < 0, weight, 0.0)
            return Parts(tree, np.zeros(1, np.int64), value, np.zeros(value.shape[1]), ended)
        case ForestModel(roots, trees, value):
            return Parts(trees, roots, value / len(roots), np.zeros(value.shape[1]), None)
        case BoostedModel(roots, trees, added, base):
            tree_of = np.repeat(np.arange(len(roots)), np.diff(np.append(roots, trees.node_count)))
            value = np.zeros((len(added), len(base)))
            value[np.arange(len(value)), tree_of % len(base)] = added
            return Parts(trees, roots, value, base, None)


def _ended(tree: Tree, roots: Codes, rows: Array) -> Array:
    """How many rows end in each node."""
    X, out = Columns(rows, missing=True), np.zeros(tree.node_count)
    for root in roots.tolist():
        out += np.bincount(tree.apply(X, root), minlength=tree.node_count)
    return out
