"""The steps of SLIQ: attribute lists and class list before and after each split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenfold.inspection.traces.sliq_trace import SLIQTrace
from tenfold.model_selection.formatting import axes, pyplot, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_DRAWN_ROWS = 40
MAX_DRAWN_SPLITS = 6
"""the first splits are drawn, and no more"""


def draw_lists(trace: SLIQTrace, ax: Axes | None) -> Axes:
    """Draw the lists side by side, before the first split and after each; cells have the colour of the node."""
    n = len(trace.labels)
    if n > MAX_DRAWN_ROWS:
        raise ValueError(f"lists of {n} rows cannot be drawn: the limit is {MAX_DRAWN_ROWS}")
    steps = min(len(trace.splits), MAX_DRAWN_SPLITS)
    names = [*trace.attribute_lists, "class"]
    wide = len(names) + 0.6
    ax = axes("TraceDisplay", ax, (1.0 + 0.72 * wide * (steps + 1), 1.6 + 0.26 * n))
    shades = pyplot("TraceDisplay").get_cmap("Set3").colors
    for step in range(steps + 1):
        left = step * wide
        for j, name in enumerate(names):
            if name == "class" and j == len(names) - 1:
                values, rows = trace.labels.tolist(), range(n)
            else:
                values, rows = trace.attribute_lists[name].values.tolist(), trace.attribute_lists[name].rows.tolist()
            ax.text(left + j + 0.5, -0.35, short(name, 11), ha="center", va="center", fontsize=8, weight="bold")
            for at, (value, row) in enumerate(zip(values, rows, strict=True)):
                node = int(trace.nodes[step, row])
                _cell(ax, left + j, at, f"{_word(value)} · {row}", shades[node % len(shades)])
        if step:
            one = trace.splits[step - 1]
            said = f"split {step}: node {one.node}\n" + "\n".join(
                f"{child}: {short(when, 26)}" for child, when in zip(one.children, one.conditions, strict=True)
            )
        else:
            said = "before: all rows in node 0\neach entry is value · row"
        ax.text(left, -0.9, said, ha="left", va="bottom", fontsize=8)
    ax.set(xlim=(-0.2, (steps + 1) * wide - 0.4), ylim=(n + 0.2, -3.2))
    ax.axis("off")
    return ax


def _cell(ax: Any, x: float, y: float, text: str, colour: Any) -> None:
    """Draw an entry of a list."""
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((x, y), 0.96, 0.94, facecolor=colour, edgecolor="white", linewidth=0.5))
    ax.text(x + 0.48, y + 0.5, text, ha="center", va="center", fontsize=7)


def _word(value: Any) -> str:
    """A value in few letters."""
    return f"{value:.3g}" if isinstance(value, float) else short(str(value), 8)
