"""A tree drawn in the form of scikit-learn's `plot_tree`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sklearn.utils._param_validation import validate_parameter_constraints

from tenfold.display.models.tree_diagram import node_colour, places
from tenfold.estimator.shell.constraints import array, boolean, choice, integer, positive
from tenfold.model_selection.formatting import pyplot
from tenfold.tree.rules.labels import book_of, class_labels, condition, impurities, renamed
from tenfold.tree.rules.reading import Book, edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

SIGNS = {"<=": "<=", ">": ">"}
CONSTRAINTS: dict[str, Any] = {
    "max_depth": [integer(0), None],
    "feature_names": [array, None],
    "class_names": [array, boolean, None],
    "label": [choice("all", "root", "none")],
    "filled": [boolean],
    "impurity": [boolean],
    "node_ids": [boolean],
    "proportion": [boolean],
    "rounded": [boolean],
    "precision": [integer(0)],
    "fontsize": [positive, None],
}


def plot_tree(
    decision_tree: Any,
    *,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    label: str = "all",
    filled: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rounded: bool = False,
    precision: int = 3,
    ax: Axes | None = None,
    fontsize: float | None = None,
) -> list[Annotation]:
    """Draw a tree with what scikit-learn's `plot_tree` says in its boxes.

    Rows that fulfil the condition of a box go left. Beyond scikit-learn, a split of categories says which go where, a
    split of a column that had missing values which way those go, and columns have the names of the fit. A node of more
    than two branches names its column, and the categories are beside the lines. A tree of scikit-learn is handed to
    its own function; `TreeDisplay` draws smaller boxes.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier, DecisionTreeRegressor or a preset
        A fitted tree, also one of `estimators_` of a forest.
    max_depth : int, optional
        Draw no deeper than this; by default the whole tree.
    feature_names : sequence of str, optional
        Names of the columns. By default those of the fit; without any, `x[0]`, `x[1]`, ...
    class_names : sequence of str or bool, optional
        Names of the classes, in the order of `classes_`; True for the classes themselves. By default no box names one.
    label : {"all", "root", "none"}, default="all"
        Which boxes say what their numbers are.
    filled : bool, default=False
        Whether a box has the colour of its class, the paler the less sure; of numbers, the darker the larger.
    impurity : bool, default=True
        Whether to write the impurity of each node. Trees of numbers within a forest do not keep theirs.
    node_ids : bool, default=False
        Whether to write the number of each node.
    proportion : bool, default=False
        Whether samples are shares of all, and values shares of the node.
    rounded : bool, default=False
        Whether boxes have round corners.
    precision : int, default=3
        Digits behind the point.
    ax : matplotlib axes, optional
        Axes to draw on, which are cleared; by default the current ones.
    fontsize : float, optional
        By default, what fits.

    Returns
    -------
    annotations : list of matplotlib annotations
        The boxes, and the words beside lines. `samples` in a box is the weight of its training rows.

    Examples
    --------
    >>> import tenfold as tn
    >>> model = tn.CART().fit([[1.0], [2.0], [7.0]], ["in", "in", "out"])
    >>> boxes = tn.display.plot_tree(model, feature_names=["warmth"], class_names=True)
    >>> print(boxes[0].get_text())
    warmth <= 4.5
    gini = 0.444
    samples = 3
    value = [2, 1]
    class = in
    """
    given = {
        "max_depth": max_depth, "feature_names": feature_names, "class_names": class_names, "label": label,
        "filled": filled, "impurity": impurity, "node_ids": node_ids, "proportion": proportion, "rounded": rounded,
        "precision": precision, "fontsize": fontsize,
    }  # fmt: skip
    found = book_of(decision_tree)
    if found is None:
        from sklearn.tree import plot_tree as theirs

        return list(theirs(decision_tree, ax=ax, **given))
    validate_parameter_constraints(CONSTRAINTS, given, "plot_tree")
    book = renamed(found, feature_names, "x[{}]")
    boxes = _Boxes(book, label, proportion, node_ids, precision)
    if impurity:
        boxes.impurity = impurities(book, decision_tree.criterion, decision_tree.summary_)
    if class_names is not None and class_names is not False and book.schema.classes is not None:
        boxes.labels = class_labels(book, None if class_names is True else class_names)
    where = pyplot("plot_tree").gca() if ax is None else ax
    where.clear()
    where.set_axis_off()
    return _drawn(where, boxes, max_depth, filled, rounded, fontsize)


class _Boxes:
    """What the boxes say."""

    def __init__(self, book: Book, label: str, proportion: bool, node_ids: bool, precision: int) -> None:
        self.book, self.label, self.proportion, self.node_ids = book, label, proportion, node_ids
        self.precision = precision
        self.impurity: Any = None
        self.labels: list[str] | None = None

    def number(self, value: float) -> str:
        return str(round(float(value), self.precision))

    def test(self, k: int) -> str:
        """What node k asks: whether rows go to the first child, or just for the column."""
        tree = self.book.tree
        if tree.children[k] > 2:
            return self.book.schema.columns[int(tree.feature[k])].name
        return condition(self.book, k, 0, self.number, SIGNS)

    def text(self, k: int) -> str:
        """The lines of a box."""
        book, said = self.book, self.label == "all" or (self.label == "root" and k == 0)
        lines = [f"{'node ' * said}#{k}"] if self.node_ids else []
        if book.tree.feature[k] >= 0:
            lines.append(self.test(k))
        if self.impurity is not None:
            name, of = self.impurity
            lines.append(f"{name} = " * said + self.number(of[k]))
        whole = book.weight[0] or 1.0
        samples = f"{100 * book.weight[k] / whole:.1f}%" if self.proportion else f"{book.weight[k]:g}"
        lines.append("samples = " * said + samples)
        lines.append("value = " * said + self.value(k))
        if self.labels is not None:
            lines.append("class = " * said + self.labels[int(book.classes[k].argmax())])
        return "\n".join(lines)

    def value(self, k: int) -> str:
        """Weights or shares of the classes, or the mean."""
        book = self.book
        if book.schema.classes is None:
            return self.number(book.prediction[k])
        values = book.classes[k] / (book.weight[k] or 1.0) if self.proportion else book.classes[k]
        whole = not self.proportion and bool((values == np.floor(values)).all())
        return f"[{', '.join(str(int(one)) if whole else self.number(one) for one in values)}]"


def _drawn(
    ax: Axes, boxes: _Boxes, max_depth: int | None, filled: bool, rounded: bool, fontsize: float | None
) -> list[Annotation]:  # fmt: skip
    """Draw each node as a box with an arrow from the one above it; those below the last level as dots."""
    book, tree = boxes.book, boxes.book.tree
    deep = tree.max_depth if max_depth is None else min(max_depth + 1, tree.max_depth)
    x, wide = places(tree, deep)
    above, found, beside = tree.parent, [], []
    at = np.column_stack([(x + 0.5) / wide, (deep - tree.depth + 0.5) / (deep + 1)])
    for k in np.flatnonzero(tree.depth <= deep).tolist():
        up, cut = int(above[k]), max_depth is not None and tree.depth[k] > max_depth
        face: Any = node_colour(book, k) if filled else ax.get_facecolor()
        style: dict[str, Any] = {"fc": "grey" if cut else face}
        if rounded:
            style["boxstyle"] = "round"
        common: dict[str, Any] = {"xycoords": "axes fraction", "ha": "center", "va": "center"}
        common |= {"zorder": 100 - 10 * int(tree.depth[k]), "fontsize": fontsize}
        arrow: dict[str, Any] = {} if up < 0 else {"arrowprops": {"arrowstyle": "<-", "edgecolor": "black"}}
        text = "\n  (...)  \n" if cut else boxes.text(k)
        found.append(ax.annotate(text, at[max(up, 0)], at[k], bbox=style, **common, **arrow))
        if up < 0:
            continue
        child = int(k - tree.first_child[up])
        middle = 0.5 * (at[up] + at[k])
        if tree.children[up] > 2:
            plain = {"fc": ax.get_facecolor(), "ec": "none", "pad": 1.0}
            beside.append(ax.annotate(edge(book, up, child), middle, bbox=plain, **common))
        elif up == 0:
            side: dict[str, Any] = common | {"ha": ("right", "left")[child]}
            beside.append(ax.annotate(("True  ", "  False")[child], middle, **side))
    if fontsize is None:
        _fit(ax, found, beside, wide, deep + 1)
    return found + beside


def _fit(ax: Axes, boxes: list[Annotation], beside: list[Annotation], wide: int, high: int) -> None:
    """Let the largest box fill its place."""
    whole, canvas = ax.get_window_extent(), cast(Any, ax.figure.canvas)
    for box in boxes:
        box.update_bbox_position_size(canvas.get_renderer())
    sizes = [patch.get_window_extent() for box in boxes if (patch := box.get_bbox_patch()) is not None]
    width, height = max(size.width for size in sizes), max(size.height for size in sizes)
    size = float(boxes[0].get_fontsize()) * min(whole.width / wide / width, 0.8 * whole.height / high / height)
    for one in [*boxes, *beside]:
        one.set_fontsize(min(size, 14.0))
