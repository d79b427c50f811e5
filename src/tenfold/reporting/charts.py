"""Charts as SVG within a page: lines and points between 0 and 1, in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from tenfold.core import Array

SIZE, LEFT, TOP, RIGHT, BOTTOM = 300, 52, 12, 12, 44
"""of the square of data, and the margins around it"""
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Line(NamedTuple):
    """Points that a line connects."""

    x: Array
    y: Array
    look: str
    """its class in the style sheet: "model" or "reference" """


class Points(NamedTuple):
    """Points with intervals."""

    x: Array
    y: Array
    ends: Array
    """(2, points): ends of the interval of each"""


class Chart(NamedTuple):
    """A drawing with its title and what it shows in words."""

    title: str
    svg: str
    words: str


def line_chart(
    title: str, x_label: str, y_label: str, shown: Sequence[Line | Points], words: str
) -> Chart:  # fmt: skip
    """Draw lines and points whose coordinates are between 0 and 1."""
    width, height = LEFT + SIZE + RIGHT, TOP + SIZE + BOTTOM
    parts = [f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{SIZE}" height="{SIZE}"/>']
    for tick in TICKS:
        x, y = _x(tick), _y(tick)
        parts.append(f'<line class="grid" x1="{x}" y1="{TOP}" x2="{x}" y2="{TOP + SIZE}"/>')
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y}" x2="{LEFT + SIZE}" y2="{y}"/>')
        parts.append(f'<text x="{x}" y="{TOP + SIZE + 16}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{LEFT - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    parts.append(f'<text x="{_x(0.5)}" y="{height - 6}" text-anchor="middle">{escape(x_label)}</text>')
    middle = _y(0.5)
    parts.append(
        f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">{escape(y_label)}</text>'
    )
    for one in shown:
        parts += _line(one) if isinstance(one, Line) else _points(one)
    drawn = "\n".join(parts)
    label = escape(f"{title}. {words}", quote=True)
    return Chart(title, f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">\n{drawn}\n</svg>', words)


def _line(line: Line) -> list[str]:
    points = " ".join(f"{_x(x)},{_y(y)}" for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True))
    return [f'<polyline class="{line.look}" points="{points}"/>']


def _points(points: Points) -> list[str]:
    found = []
    for x, y, low, high in zip(points.x.tolist(), points.y.tolist(), *points.ends.tolist(), strict=True):
        found.append(f'<line class="interval" x1="{_x(x)}" y1="{_y(low)}" x2="{_x(x)}" y2="{_y(high)}"/>')
        found.append(f'<circle class="point" cx="{_x(x)}" cy="{_y(y)}" r="3"/>')
    return found


def _x(share: float) -> str:
    return f"{LEFT + SIZE * share:.1f}"


def _y(share: float) -> str:
    return f"{TOP + SIZE * (1 - share):.1f}"
