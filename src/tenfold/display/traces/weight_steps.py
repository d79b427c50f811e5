"""The steps of a perceptron: the line after each mistake, or its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tenfold.inspection.traces.perceptron_trace import PerceptronTrace
from tenfold.model_selection.formatting import axes, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASS_COLOURS = ("#d9822b", "#3b82c4")
MAX_NUMBERED_MISTAKES = 15
"""mistakes whose numbers are written beside their rows"""


def draw_weights(trace: PerceptronTrace, ax: Axes | None) -> Axes:
    """Draw the lines of two classes in two features, otherwise the weights by mistake."""
    if trace.X.shape[1] == 2 and trace.weights.shape[1] == 1:
        return _lines(trace, axes("TraceDisplay", ax, (5.6, 4.8)))
    ax = axes("TraceDisplay", ax, (6.4, 4.0))
    steps = np.arange(len(trace.weights))
    for k in range(trace.weights.shape[1]):
        of = f" of {trace.model.classes_[k]}" if trace.weights.shape[1] > 1 else ""
        for j, name in enumerate(("constant", *trace.names)):
            ax.step(steps, trace.weights[:, k, j], where="post", label=name + of, linewidth=1.4)
    ax.set(xlabel="mistake", ylabel="weight")
    if len(ax.lines) <= 12:
        ax.legend(frameon=False, fontsize="small")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _lines(trace: PerceptronTrace, ax: Axes) -> Axes:
    """Draw the rows, and the line after each mistake."""
    for label, colour, marker in zip(trace.model.classes_, CLASS_COLOURS, "os", strict=True):
        some = trace.X[trace.y == label]
        ax.scatter(
            some[:, 0], some[:, 1], c=colour, marker=marker, s=36, label=str(label), edgecolors="white", linewidths=0.6,
            zorder=3,
        )  # fmt: skip
    low, high = trace.X.min(axis=0), trace.X.max(axis=0)
    around = 0.25 * np.maximum(high - low, 1e-9)
    ax.set(xlim=(low[0] - around[0], high[0] + around[0]), ylim=(low[1] - around[1], high[1] + around[1]))
    last = len(trace.row)
    shades = pyplot("TraceDisplay").get_cmap("Greys")(np.linspace(0.25, 0.8, max(last, 1)))
    for step, (constant, a, b) in enumerate(trace.weights[1:, 0], start=1):
        long = a * a + b * b
        if long == 0:
            continue  # no line: every row is on the same side
        through = -constant * a / long, -constant * b / long
        look = {"color": "#222222", "linewidth": 2.2} if step == last else {"color": shades[step - 1], "linewidth": 0.9}
        ax.axline(through, (through[0] - b, through[1] + a), label="the last line" if step == last else None, **look)
    at: dict[int, list[int]] = {}
    for step, row in enumerate(trace.row.tolist(), start=1):
        at.setdefault(row, []).append(step)
    for row, steps in at.items() if last <= MAX_NUMBERED_MISTAKES else ():
        ax.annotate(
            ", ".join(map(str, steps)), trace.X[row], (6, 6), textcoords="offset points", fontsize=8, color="#b03030",
            zorder=4,
        )  # fmt: skip
    wrong = trace.X[list(at)]
    ax.scatter(
        wrong[:, 0], wrong[:, 1], s=110, facecolors="none", edgecolors="#b03030", linewidths=1.2, label="a mistake"
    )
    ax.set(xlabel=trace.names[0], ylabel=trace.names[1], title=f"{last} mistakes in {trace.model.n_iter_} epochs")
    ax.legend(fontsize="small", framealpha=0.9, edgecolor="none", loc="best")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
