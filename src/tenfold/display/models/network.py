"""A Bayesian network as a picture: variables as boxes with their tables, parents above children."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tenfold.graphical.bayesian_network import BayesianNetwork
from tenfold.model_selection.formatting import axes, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_TABLE_ROWS = 8
"""rows of a table that are drawn; of more, the first ones"""
CELL, LINE = 0.62, 0.24
"""width of a number and height of a line, in inches"""
BOX_GAP = 0.55
"""between boxes, in inches"""


class NetworkDisplay:
    """A Bayesian network with its tables.

    Parameters
    ----------
    network : BayesianNetwork

    Attributes
    ----------
    boxes_ : dict of str to matplotlib patches
    arrows_ : list of matplotlib annotations
    texts_ : list of matplotlib texts
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> tables = {"rain": [0.2, 0.8], "wet": [[0.9, 0.1], [0.3, 0.7]]}
    >>> network = tn.BayesianNetwork({"rain": ["yes", "no"], "wet": ["yes", "no"]}, {"wet": ["rain"]}, tables)
    >>> display = tn.display.NetworkDisplay(network).plot()
    >>> sorted(display.boxes_), len(display.arrows_)
    (['rain', 'wet'], 1)
    """

    def __init__(self, network: BayesianNetwork) -> None:
        self.network = network

    def plot(self, ax: Axes | None = None, *, tables: bool | None = None, digits: int = 3) -> NetworkDisplay:
        """Draw the network with its tables.

        Parameters
        ----------
        ax : matplotlib axes, optional
        tables : bool, optional
            Whether to write the tables; by default if there are at most 16 variables.
        digits : int, default=3
            Of the probabilities.

        Returns
        -------
        display : NetworkDisplay
        """
        network = self.network
        full = len(network.names) <= 16 if tables is None else tables
        shown = {name: self._lines(name, digits) if full else [] for name in network.names}
        size = {name: _extent(short(name), lines) for name, lines in shown.items()}
        place, width, height = _layout(network, size)
        self.ax_ = axes(type(self).__name__, ax, (width, height))
        self.figure_ = self.ax_.figure
        self.boxes_: dict[str, Any] = {}
        self.texts_: list[Any] = []
        self.arrows_: list[Any] = []
        for name in network.names:
            self._box(name, place[name], size[name], shown[name])
        for parent, child in network.edges:
            (x, y), (to_x, to_y) = place[parent], place[child]
            start, end = (x, y - size[parent][1] / 2), (to_x, to_y + size[child][1] / 2)
            style = {"arrowstyle": "-|>", "color": "#666666", "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
            self.arrows_.append(self.ax_.annotate("", end, start, arrowprops=style, zorder=0.5))
        self.ax_.set_xlim(0, width)
        self.ax_.set_ylim(0, height)
        self.ax_.set_aspect("equal")
        self.ax_.axis("off")
        return self

    def _lines(self, name: str, digits: int) -> list[list[str]]:
        """The table of a variable: its values, then a line to each combination of its parents' values."""
        network = self.network
        some = network.parents[name]
        lines = [[*(short(one, 12) for one in some), *(short(str(value), 9) for value in network.values[name])]]
        for place in product(*(range(len(network.values[one])) for one in some)):
            if len(lines) > MAX_TABLE_ROWS:
                lines.append(["..."])
                break
            given = [short(str(network.values[one][code]), 9) for one, code in zip(some, place, strict=True)]
            lines.append([*given, *(f"{p:.{digits}g}" for p in network.tables[name][place])])
        return lines

    def _box(self, name: str, at: tuple[float, float], size: tuple[float, float], lines: list[list[str]]) -> None:
        from matplotlib.patches import FancyBboxPatch

        (x, y), (w, h) = at, size
        box = FancyBboxPatch(
            (x - w / 2, y - h / 2), w, h, boxstyle="round,pad=0,rounding_size=0.08", fc="#f4f8fc", ec="#4878a8", lw=1.2
        )
        self.boxes_[name] = self.ax_.add_patch(box)
        top = y + h / 2
        self._text(x, top - 0.19, short(name), weight="bold", fontsize=9)
        given = len(self.network.parents[name])
        for row, line in enumerate(lines):
            for column, word in enumerate(line):
                color = "#4878a8" if row == 0 or column < given else "#222222"
                place = x - w / 2 + (column + 0.5) * w / max(len(lines[0]), 1)
                self._text(place, top - 0.48 - row * LINE, word, fontsize=7.5, color=color)
        if lines:
            self.ax_.plot([x - w / 2 + 0.08, x + w / 2 - 0.08], [top - 0.60] * 2, color="#c0d0e0", lw=0.8)
            if given:
                cut = x - w / 2 + given * w / len(lines[0])
                self.ax_.plot([cut, cut], [top - 0.38, y - h / 2 + 0.06], color="#c0d0e0", lw=0.8)

    def _text(self, x: float, y: float, word: str, **how: Any) -> None:
        self.texts_.append(self.ax_.text(x, y, word, ha="center", va="center", **how))


def _extent(title: str, lines: list[list[str]]) -> tuple[float, float]:
    """Width and height of a box, in inches."""
    words = max(
        (max(map(len, column)) for column in zip(*lines[:1] + lines[1 : MAX_TABLE_ROWS + 1], strict=False)), default=0
    )
    wide = len(lines[0]) * max(CELL, 0.085 * words + 0.12) if lines else 0.0
    return max(wide, 0.095 * len(title) + 0.3), 0.38 + (LINE * len(lines) + 0.06 if lines else 0.0)


def _layout(
    network: BayesianNetwork, size: dict[str, tuple[float, float]]
) -> tuple[dict[str, tuple[float, float]], float, float]:
    """Positions of the boxes, each layer below its parents and near its neighbours, and the total size."""
    layer: dict[str, int] = {}
    for name in network.order:
        layer[name] = 1 + max((layer[one] for one in network.parents[name]), default=-1)
    near: dict[str, list[str]] = {name: list(some) for name, some in network.parents.items()}
    for parent, child in network.edges:
        near[parent].append(child)
    for name in reversed(network.order):  # a parent stands just above the first of its children
        below = [layer[one] for one in near[name] if layer[one] > layer[name]]
        if below:
            layer[name] = min(below) - 1
    layers = [[name for name in network.order if layer[name] == k] for k in range(max(layer.values()) + 1)]
    widths = [sum(size[name][0] + BOX_GAP for name in some) - BOX_GAP for some in layers]
    width = max(widths) + 0.6
    x: dict[str, float] = {}
    for some in layers:
        _spread(some, size, width, x)
    for _ in range(8):  # each layer in the order of the mean place of its neighbours
        for some in layers:
            mean = {name: float(np.mean([x[one] for one in near[name]])) if near[name] else x[name] for name in some}
            some.sort(key=mean.__getitem__)
            _spread(some, size, width, x)
    heights = [max(size[name][1] for name in some) for some in layers]
    height = sum(heights) + 1.2 * BOX_GAP * (len(layers) - 1) + 0.4
    place, top = {}, height - 0.2
    for some, tall in zip(layers, heights, strict=True):
        place.update({name: (x[name], top - tall / 2) for name in some})
        top -= tall + 1.2 * BOX_GAP
    return place, width, height


def _spread(some: list[str], size: dict[str, tuple[float, float]], width: float, x: dict[str, float]) -> None:
    """Put the boxes of a layer side by side, in the middle."""
    at = (width - sum(size[name][0] + BOX_GAP for name in some) + BOX_GAP) / 2
    for name in some:
        x[name] = at + size[name][0] / 2
        at += size[name][0] + BOX_GAP
