"""What results look like: levels in words, names that fit, tables of text and of HTML, axes to draw on."""

from __future__ import annotations

import html
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tenfold.core.certificate import number_of
from tenfold.stats.metrics import scorers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def percent(level: float) -> str:
    """A level in words: 95 %."""
    return f"{100 * level:.6g} %"


def positive_note(scoring: Sequence[str], pos_label: object) -> str:
    """Which class is the positive one, for the note below a table, if one of the scores depends on it."""
    one_sided = any(name in scorers and scorers[name].one_sided for name in scoring)
    return f"; positive class: {pos_label!r}" if one_sided and pos_label is not None else ""


def folds_note(folds: int, division: str) -> str:
    """How many folds there are and how rows were divided, for the note below a table."""
    return f"{number_of(folds, 'fold')} {division}".rstrip()


def scans_note(scans: int, seconds: float) -> str:
    """Cost of a result in scans and seconds, for the note below a table."""
    return f"{number_of(scans, 'scan')} of the rows, {duration(seconds)}"


def duration(seconds: float) -> str:
    """A time as a person reads it: 0.12 s, 41 min, 2.5 h."""
    if seconds < 100:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def short(name: str, most: int = 40) -> str:
    """A name that fits into a sentence."""
    return name if len(name) <= most else f"{name[: most - 3]}..."


def shortened(names: Sequence[str], most: int = 40) -> list[str]:
    """Names that fit; those that would be equal if they were cut stay whole."""
    cut = [short(name, most) for name in names]
    return [name if cut.count(one) > 1 else one for name, one in zip(names, cut, strict=True)]


def in_columns(rows: list[list[str]]) -> str:
    """Rows of text, one below the other."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)


def html_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str = "",
    bold: int | None = None,
    groups: Sequence[tuple[str, int]] = (),
) -> str:
    """Render a small HTML table for notebooks; one row may be highlighted, and groups of columns have a heading."""
    cell = "style='text-align:left;padding:2px 8px'"
    top = "".join(f"<th {cell}>{html.escape(h)}</th>" for h in head)
    if groups:
        above = "".join(f"<th {cell} colspan='{columns}'>{html.escape(name)}</th>" for name, columns in groups)
        top = f"{above}</tr><tr>{top}"
    body = "".join(
        f"<tr{' style=font-weight:bold' if i == bold else ''}>"
        + "".join(f"<td {cell}>{html.escape(c)}</td>" for c in row)
        + "</tr>"
        for i, row in enumerate(rows)
    )
    below = f"<caption style='caption-side:bottom;text-align:left'>{html.escape(caption)}</caption>" if caption else ""
    return f"<table class='tenfold-table'><thead><tr>{top}</tr></thead><tbody>{body}</tbody>{below}</table>"


class ByKey:
    """A result whose attributes can be read by key too, as those of scikit-learn's `Bunch`."""

    def __getitem__(self, key: str) -> Any:
        if isinstance(key, str) and not key.startswith("_") and hasattr(self, key):
            return getattr(self, key)
        raise KeyError(key)


class ResultTable:
    """A result that is shown as a table with a note below: as text, and as HTML in a notebook."""

    def _head(self) -> list[str]:
        raise NotImplementedError

    def _rows(self) -> list[list[str]]:
        raise NotImplementedError

    def _groups(self) -> list[tuple[str, int]]:
        """Headings above the head, each with how many columns it is for; none by default."""
        return []

    def _note(self) -> str:
        raise NotImplementedError

    def _bold(self) -> int | None:
        """The number of the row that is highlighted in a notebook."""
        return None

    def __str__(self) -> str:
        above = [cell for name, columns in self._groups() for cell in (name, *[""] * (columns - 1))]
        return in_columns([*([above] if above else []), self._head(), *self._rows()]) + "\n" + self._note()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(self._head(), self._rows(), self._note(), self._bold(), self._groups())


def pyplot(who: str) -> ModuleType:
    """Import `matplotlib.pyplot`, when the first figure is drawn."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(f"{who} needs matplotlib. Remedy: pip install 'tenfold[plot]'") from None
    return plt


def axes(who: str, ax: Axes | None, size: tuple[float, float] = (5.0, 4.6)) -> Axes:
    """The axes to draw on: those given, or of a new figure."""
    plt = pyplot(who)
    made: Axes = plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax
    return made
