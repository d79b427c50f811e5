"""A recurrent network unrolled in time: a copy of it for each row, and the state that goes from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tenfold.inspection.traces.unrolled_network import UnrolledNetwork
from tenfold.model_selection.formatting import axes, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_DRAWN_STEPS = 24
MAX_DRAWN_UNITS = 16
STEP = 1.9
"""width of a copy"""
UNIT = 0.42
"""height of a unit"""


def draw_unrolled(trace: UnrolledNetwork, ax: Axes | None) -> Axes:
    """Draw inputs below, the units of each layer in columns, and predictions above, from left to right."""
    layers, steps, units = trace.states.shape
    if steps > MAX_DRAWN_STEPS or units > MAX_DRAWN_UNITS:
        raise ValueError(
            f"{steps} steps of {units} units cannot be drawn: the limits are {MAX_DRAWN_STEPS} and {MAX_DRAWN_UNITS}"
        )
    tall = units * UNIT + 0.9
    top = layers * tall + 0.2
    ax = axes("TraceDisplay", ax, (1.6 + 0.62 * STEP * steps, 2.2 + 0.62 * top))
    image = None
    for t in range(steps):
        x = t * STEP
        _box(ax, x, -0.75, _words(trace.X[t]), "#eeeeee")
        for layer in range(layers):
            low = layer * tall
            heights = low + UNIT * (np.arange(units)[::-1] + 0.5)
            image = ax.scatter(
                np.full(units, x), heights, c=trace.states[layer, t], cmap="coolwarm", vmin=-1, vmax=1, s=150,
                edgecolors="#555555", linewidths=0.8, zorder=3,
            )  # fmt: skip
            middle = low + units * UNIT / 2
            _arrow(ax, (x, -0.45 if layer == 0 else low - 0.85), (x, low - 0.08))
            if t + 1 < steps:
                _arrow(ax, (x + 0.3, middle), (x + STEP - 0.3, middle))
            if t == 0:
                _arrow(ax, (x - 0.95, middle), (x - 0.3, middle))
                ax.text(x - 1.0, middle, f"h{layer if layers > 1 else ''} = 0", ha="right", va="center", fontsize=8)
        last = t + 1 == steps
        _arrow(ax, (x, top - 1.05), (x, top - 0.42), "#222222" if last else "#aaaaaa")
        said = "\n".join(
            f"{name} {value:.2f}" for name, value in zip(trace.output_names, trace.outputs[t], strict=True)
        )
        ax.text(
            x, top - 0.35, said, ha="center", va="bottom", fontsize=8, color="#222222" if last else "#888888",
            weight="bold" if last else "normal",
        )  # fmt: skip
        ax.text(x, -1.35, f"t = {t + 1}", ha="center", va="center", fontsize=8)
    ax.set(xlim=(-2.4, (steps - 1) * STEP + 1.2), ylim=(-1.7, top + 0.35 * len(trace.output_names)))
    ax.axis("off")
    assert image is not None
    assert ax.figure is not None
    ax.figure.colorbar(image, ax=ax, label="state of a unit", shrink=0.6)
    return ax


def _words(row: Any) -> str:
    """The values of a row as text."""
    each = [f"{value:.3g}" if isinstance(value, float) else short(str(value), 10) for value in np.asarray(row).tolist()]
    return ", ".join(each)


def _box(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    """Write the input of a step in a box."""
    style = {"boxstyle": "round,pad=0.3", "facecolor": colour, "edgecolor": "#999999"}
    ax.text(x, y, text, ha="center", va="center", fontsize=8, bbox=style)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str = "#666666") -> None:
    """Draw where numbers go."""
    look = {"arrowstyle": "-|>", "color": colour, "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=look, zorder=1)
