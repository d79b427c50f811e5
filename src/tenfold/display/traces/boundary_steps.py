"""The steps of a version space: both boundaries after each example."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenfold.concept.version_space import VersionSpace
from tenfold.display.models.version_space_diagram import BOUNDARY_COLOURS
from tenfold.inspection.traces.version_space_trace import VersionSpaceTrace
from tenfold.model_selection.formatting import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_DRAWN_EXAMPLES = 20
MAX_DRAWN_MEMBERS = 6
"""members of G that are written at a step; of others there are dots"""


def draw_boundaries(trace: VersionSpaceTrace, ax: Axes | None) -> Axes:
    """Draw a line for each step: the example, S in blue, G in orange, and how many hypotheses are between."""
    if len(trace.rows) > MAX_DRAWN_EXAMPLES:
        raise ValueError(f"{len(trace.rows)} examples cannot be drawn: the limit is {MAX_DRAWN_EXAMPLES}")
    table = trace.table
    general = [_members(space) for space in trace.spaces]
    letters = [max(map(len, [*words, "example"])) for words in ([one or "" for one in table["example"]], table["S"])]
    letters.append(max(len(one) for some in general for one in some))
    places = [0.0, letters[0] + 5.0, letters[0] + letters[1] + 10.0, letters[0] + letters[1] + 18.0]
    wide = places[3] + letters[2] + 3.0
    lines = sum(map(len, general))
    ax = axes("TraceDisplay", ax, (0.085 * wide, 0.6 + 0.36 * (lines + 0.6 * len(general))))
    for place, word in zip(places, ("example", "S: most specific", "size", "G: most general"), strict=True):
        ax.text(place, 0.8, word, fontsize=9, weight="bold", va="center")
    y = 0.0
    for step, some in enumerate(general):
        middle = y - (len(some) - 1) / 2
        if step:
            colour = "#4c9a5b" if trace.labels[step - 1] else "#c44e52"
            ax.text(-2.5, middle, table["label"][step], fontsize=11, color=colour, va="center", weight="bold")
            ax.text(places[0], middle, table["example"][step], fontsize=9, va="center")
        _box(ax, places[1], middle, table["S"][step], BOUNDARY_COLOURS[True, False])
        size = table["size"][step]
        ax.text(places[2], middle, "many" if size is None else f"{size:,}", fontsize=9, va="center")
        for k, member in enumerate(some):
            _box(ax, places[3], y - k, member, BOUNDARY_COLOURS[False, True])
        y -= len(some) + 0.6
        ax.axhline(y + 0.8, color="#dddddd", linewidth=0.8, zorder=0)
    ax.set(xlim=(-4.0, wide), ylim=(y + 0.7, 1.3))
    ax.axis("off")
    return ax


def _members(space: VersionSpace) -> list[str]:
    """The members of G as text, with dots if there are many."""
    found = list(map(str, space.general)) or ["empty"]
    return found if len(found) <= MAX_DRAWN_MEMBERS else [*found[: MAX_DRAWN_MEMBERS - 1], f"... {len(found)} in all"]


def _box(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    """Write a hypothesis in a box."""
    style = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": colour, "linewidth": 1.5}
    ax.text(x, y, text, fontsize=8.5, va="center", bbox=style)
