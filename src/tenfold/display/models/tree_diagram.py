"""A tree, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from tenfold.core import Array
from tenfold.estimator import as_fitted
from tenfold.model_selection.formatting import axes
from tenfold.tree.rules.reading import Book, edge
from tenfold.tree.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

COLOURS = ("#3b82c4", "#d9822b", "#4c9a5b", "#b05cc6", "#c44e52", "#8c7a5b", "#5bbcc4", "#c4b23b")
MAX_HORIZONTAL_ANSWERS = 8
"""branches at most whose answers are written across"""
CHARACTERS_PER_LINE = 13
"""letters in a line of an answer, about"""


@runtime_checkable
class SingleTree(Protocol):
    """A model that is one tree."""

    def book(self) -> Book:
        """The tree and the predictions of its nodes."""


class TreeDisplay:
    """A picture of a tree: a box a node, a line a branch.

    The colour of a leaf is that of its class, the paler the less sure; of numbers, the darker the larger. An inner node
    names the column that it splits. Below is the weight of the training rows.

    Parameters
    ----------
    book : Book
        The tree and the predictions of its nodes, from `model.book()`.

    Attributes
    ----------
    boxes_, lines_ : lists of matplotlib artists
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> model = tn.ID3().fit([["sun", "mild"], ["sun", "hot"], ["rain", "mild"]], ["out", "in", "in"])
    >>> len(tn.display.TreeDisplay.from_estimator(model).boxes_)
    5
    """

    def __init__(self, book: Book) -> None:
        self.book = book

    @classmethod
    def from_estimator(
        cls,
        estimator: SingleTree,
        *,
        max_depth: int | None = None,
        ax: Axes | None = None,
        fontsize: float | None = None,
    ) -> TreeDisplay:
        """Draw a fitted tree.

        Parameters
        ----------
        estimator : DecisionTreeClassifier, DecisionTreeRegressor or a preset
        max_depth : int, optional
            Draw no deeper.
        ax : matplotlib axes, optional
        fontsize : float, optional
            By default, what fits.

        Returns
        -------
        display : TreeDisplay
        """
        if not isinstance(estimator, SingleTree):
            raise TypeError(f"{type(estimator).__name__} is not a single tree")
        return cls(as_fitted(estimator).book()).plot(ax, max_depth=max_depth, fontsize=fontsize)

    def plot(
        self, ax: Axes | None = None, *, max_depth: int | None = None, fontsize: float | None = None
    ) -> TreeDisplay:  # fmt: skip
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
        max_depth : int, optional
            Draw no deeper.
        fontsize : float, optional
            By default, what fits.

        Returns
        -------
        display : TreeDisplay
        """
        tree = self.book.tree
        deep = tree.max_depth if max_depth is None else min(max_depth, tree.max_depth)
        x, wide = places(tree, deep)
        ax = axes("TreeDisplay", ax, (max(4.0, min(1.25 * wide, 24.0)), 1.2 + 1.25 * deep))
        size = fontsize or _fitting(ax, wide)
        self.ax_, self.figure_ = ax, ax.figure
        self.boxes_: list[Text] = []
        self.lines_: list[Line2D] = []
        above = tree.parent
        for k in np.flatnonzero(tree.depth <= deep).tolist():
            y, up = -int(tree.depth[k]), int(above[k])
            if up >= 0:
                self.lines_ += ax.plot([x[up], x[k]], [y + 1, y], color="#999999", linewidth=1.0, zorder=1)
                self._answer(up, k, x, size)
            self.boxes_.append(self._box(k, x[k], y, deep, size))
        ax.set(xlim=(-0.6, wide - 0.4), ylim=(-deep - 0.45, 0.45))
        ax.axis("off")
        return self

    def _answer(self, up: int, k: int, x: Array, size: float) -> None:
        """Write the answer at the edge to node k: across it, or upright near the node where there are many edges."""
        tree = self.book.tree
        many, words = tree.children[up] > MAX_HORIZONTAL_ANSWERS, edge(self.book, up, int(k - tree.first_child[up]))
        at = 0.68 if many else 0.58
        self.ax_.text(
            x[up] + at * (x[k] - x[up]), -int(tree.depth[up]) - at, words if many else _folded(words), ha="center",
            va="center", fontsize=0.9 * size, rotation=90 if many else 0, zorder=2,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        )  # fmt: skip

    def _box(self, k: int, x: float, y: float, deep: int, size: float) -> Text:
        book, tree = self.book, self.book.tree
        inner = tree.feature[k] >= 0
        face: str | tuple[float, float, float]
        if inner and tree.depth[k] < deep:
            text, face = book.schema.columns[int(tree.feature[k])].name, "white"
        else:
            text, face = ("…" if inner else book.answer(k)), node_colour(book, k)
        style = {"boxstyle": "round,pad=0.4", "facecolor": face, "edgecolor": "#666666", "linewidth": 0.8}
        label = f"{text}\n{book.weight[k]:g}"
        return self.ax_.text(x, y, label, ha="center", va="center", fontsize=size, bbox=style, zorder=3)


def places(tree: Tree, deep: int) -> tuple[Array, int]:
    """Horizontal positions of the nodes, leaves at unit distance, others centred over their children; and the width."""
    x, wide, stack = np.zeros(tree.node_count), 0, [(0, False)]
    while stack:
        k, done = stack.pop()
        first, many = int(tree.first_child[k]), int(tree.children[k])
        if tree.feature[k] < 0 or tree.depth[k] >= deep:
            x[k], wide = wide, wide + 1
        elif done:
            x[k] = 0.5 * (x[first] + x[first + many - 1])
        else:
            stack.append((k, True))
            stack.extend((child, False) for child in range(first + many - 1, first - 1, -1))
    return x, wide


def node_colour(book: Book, k: int) -> tuple[float, float, float]:
    """The colour of the prediction of a node: of classes the paler the less sure, of numbers the darker the larger."""
    from matplotlib.colors import to_rgb

    if book.schema.classes is None:
        low, high = float(book.prediction.min()), float(book.prediction.max())
        strength, base = 0.15 + 0.6 * (book.prediction[k] - low) / (high - low if high > low else 1.0), COLOURS[0]
    else:
        classes = len(book.schema.classes)
        chance = 1 / max(classes, 2)
        strength = 0.15 + 0.5 * max(float(book.share[k]) - chance, 0.0) / (1 - chance)
        base = COLOURS[int(np.searchsorted(book.schema.classes, book.prediction[k])) % len(COLOURS)]
    red, green, blue = (1 - strength * (1 - channel) for channel in to_rgb(base))
    return red, green, blue


def _folded(words: str) -> str:
    """Lines of an answer, broken after commas only."""
    lines: list[str] = []
    for part in words.split(", "):
        if lines and len(lines[-1]) + len(part) < CHARACTERS_PER_LINE:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return ",\n".join(lines)


def _fitting(ax: Axes, wide: int) -> float:
    """Font size for this number of leaves side by side."""
    inches = ax.get_window_extent().width / ax.figure.dpi
    return float(np.clip(9.0 * inches / max(wide, 1), 4.0, 10.0))
