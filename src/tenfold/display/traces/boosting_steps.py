"""The steps of AdaBoost: the weights of the rows, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tenfold.inspection.traces.ada_boost_trace import AdaBoostTrace
from tenfold.model_selection.formatting import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_NAMED_ROUNDS = 12
"""rounds whose errors and votes are written below"""
MAX_CROSSED_ROWS = 60
"""rows at most where crosses show what members are wrong about"""


def draw_boosting(trace: AdaBoostTrace, ax: Axes | None) -> Axes:
    """Draw a map of the weights, rows by rounds."""
    rounds, rows = trace.wrong.shape
    size = min(2.4 + 0.75 * (rounds + 1), 14.0), min(1.8 + 0.22 * rows, 8.0)
    ax = axes("TraceDisplay", ax, size)
    image = ax.imshow(trace.weights.T, cmap="Blues", aspect="auto", vmin=0.0, interpolation="nearest")
    assert ax.figure is not None
    ax.figure.colorbar(image, ax=ax, label="weight of the row")
    if rows <= MAX_CROSSED_ROWS:
        at, row = np.nonzero(trace.wrong)
        ax.plot(at, row, "x", color="#d9822b", markersize=6, markeredgewidth=1.6)
        ax.set_title("x: the next member is wrong about the row", fontsize=9)
    if rounds <= MAX_NAMED_ROUNDS:
        said = [
            f"{t}\nε {e:.3f}\nα {a:.2f}" for t, (e, a) in enumerate(zip(trace.errors, trace.alphas, strict=True), 1)
        ]
        ax.set_xticks(range(rounds + 1), ["start", *said], fontsize=8)
    ax.set(xlabel="after round", ylabel="row")
    return ax
