"""What results look like: levels in words, names that fit, tables of text and of HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from tenfold.stats.metrics import scorers


def percent(level: float) -> str:
    """A level in words: 95 %."""
    return f"{100 * level:.6g} %"


def positive_note(scoring: Sequence[str], pos_label: Any) -> str:
    """Which class is the positive one, for the note below a table, if one of the scores depends on it."""
    one_sided = any(name in scorers and scorers[name].one_sided for name in scoring)
    return f"; positive class: {pos_label!r}" if one_sided and pos_label is not None else ""


def short(name: str, most: int = 40) -> str:
    """A name that fits into a sentence."""
    return name if len(name) <= most else f"{name[: most - 3]}..."


def in_columns(rows: list[list[str]]) -> str:
    """Rows of text, one below the other."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A small table for notebooks."""
    cell = "style='text-align:left;padding:2px 8px'"
    top = "".join(f"<th {cell}>{html.escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td {cell}>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    below = f"<caption style='caption-side:bottom;text-align:left'>{html.escape(caption)}</caption>" if caption else ""
    return f"<table class='tenfold-table'>{below}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
