"""The lists of SLIQ: each column sorted once, and the node of each row before and after each split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Labels
from tenfold.inspection.traces.step_table import StepTable, rows_in_memory
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier
from tenfold.tree.rules.conditions import branch, words


class AttributeList(NamedTuple):
    """A column, sorted: its values, and the row that each belongs to."""

    values: Labels
    rows: Codes


class Split(NamedTuple):
    """A split of a node."""

    node: int
    """the node that is split; the root is 0"""
    children: tuple[int, ...]
    conditions: tuple[str, ...]
    """by which rows go to each of the children, in words"""
    gain: float
    """the decrease of impurity, times the weight of the node"""


@dataclass(frozen=True, eq=False, repr=False)
class SLIQTrace(StepTable):
    """The lists of SLIQ: attribute lists, sorted once, and the class list, which says in which node each row is.

    A split changes the class list alone: rows of the node move to its children. Rows of weight zero are left out.

    Attributes
    ----------
    model : SLIQ or DecisionTreeClassifier
        Fitted.
    attribute_lists : dict of str to AttributeList
        For each column its `values`, sorted, missing ones last, and the `rows` that they belong to.
    labels : array of shape (rows,)
        The class list: the class of each row.
    nodes : array of shape (splits + 1, rows)
        The class list: the node of each row before the first split, and after each.
    splits : tuple of Split
        The splits, level by level: `node`, `children`, `conditions` and `gain`.

    Examples
    --------
    >>> from tenfold import SLIQ, trace
    >>> steps = trace(SLIQ(), [[30, 65], [23, 15], [40, 75], [55, 40]], ["good", "bad", "good", "bad"])
    >>> print(steps)
    x0  row of x0  x1  row of x1  row  class  node  after split 1
    23  1          15  1          0    good   0     2
    30  0          40  3          1    bad    0     1
    40  2          65  0          2    good   0     2
    55  3          75  2          3    bad    0     1
    split 1: node 0 into 1 (x1 <= 52.5), 2 (x1 > 52.5)
    >>> steps.attribute_list("x0", step=1)["node"]
    [1, 2, 2, 1]
    """

    model: DecisionTreeClassifier
    attribute_lists: dict[str, AttributeList]
    labels: Labels
    nodes: Codes
    splits: tuple[Split, ...]

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns of the table by name: attribute lists side by side, then the class list."""
        found: dict[str, list[Any]] = {}
        for name, (values, rows) in self.attribute_lists.items():
            found |= {name: values.tolist(), f"row of {name}": rows.tolist()}
        found |= {"row": list(range(len(self.labels))), "class": self.labels.tolist(), "node": self.nodes[0].tolist()}
        return found | {f"after split {k}": nodes.tolist() for k, nodes in enumerate(self.nodes[1:], start=1)}

    def attribute_list(self, name: str, step: int = -1) -> dict[str, list[Any]]:
        """An attribute list, with the class and the node that the class list has for each entry.

        Parameters
        ----------
        name : str
            The column.
        step : int, default=-1
            After how many splits; -1: after all.

        Returns
        -------
        table : dict of str to list
        """
        values, rows = self.attribute_lists[name]
        return {
            "value": values.tolist(), "row": rows.tolist(), "class": self.labels[rows].tolist(),
            "node": self.nodes[step][rows].tolist(),
        }  # fmt: skip

    def _note(self) -> str:
        lines = [
            f"split {k}: node {one.node} into "
            + ", ".join(f"{child} ({when})" for child, when in zip(one.children, one.conditions, strict=True))
            for k, one in enumerate(self.splits, start=1)
        ]
        return "\n".join(lines) or "no split: the root is a leaf"


def trace_sliq(model: DecisionTreeClassifier, X: Any, y: Any, sample_weight: Any) -> SLIQTrace:
    """Grow an exact tree, and return its lists before and after each split.

    Parameters
    ----------
    model : SLIQ or DecisionTreeClassifier
        With `method="exact"`; not fitted, it will be.
    X, y, sample_weight
        As for `fit`.

    Returns
    -------
    trace : SLIQTrace
    """
    if model.method != "exact" or model.prune is not None or model.missing == "fractional":
        raise ValueError(
            "lists of rows are those of an exact tree that is not pruned, in which each row is in one node. "
            "Remedy: SLIQ()"
        )
    model.fit(X, y, sample_weight)
    chunk, _ = rows_in_memory(model, X, y, sample_weight)
    tree, book = model.tree_, model.book()
    columns = np.concatenate([np.array(block) for _, block in chunk.X.blocks()]).T
    lists = {}
    for column, values in zip(model.schema_.columns, columns, strict=True):
        order = np.argsort(values, kind="stable")
        lists[column.name] = AttributeList(_named(values[order], column.categories), order)
    above, leaf = tree.parent, tree.apply(chunk.X)
    nodes, splits = [np.zeros(chunk.n, np.int64)], []
    for k in np.flatnonzero(tree.feature >= 0).tolist():
        children = tuple(range(int(tree.first_child[k]), int(tree.first_child[k] + tree.children[k])))
        said = tuple(words(branch(tree, k, at), book.schema, book.gaps) for at in range(len(children)))
        splits.append(Split(k, children, said, float(tree.gain[k])))
        nodes.append(np.where(nodes[-1] == k, _below(leaf, k, above), nodes[-1]))
    return SLIQTrace(model, lists, model.classes_[chunk.y], np.array(nodes), tuple(splits))


def _named(values: Array, categories: Labels | None) -> Labels:
    """Values of a column, categories by their names; None where they are missing."""
    if categories is None:
        return values
    return np.array([None if np.isnan(code) else categories[int(code)] for code in values], dtype=object)


def _below(leaf: Codes, node: int, above: Codes) -> Codes:
    """The child of a node through which each leaf is reached; the root where the node is not above it."""
    at = leaf.copy()
    while (going := (at > 0) & (above[at] != node)).any():
        at[going] = above[at[going]]
    return at
