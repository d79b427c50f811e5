"""Table that `summary()` returns: a heading, rows, and notes below, as text and as HTML."""

from __future__ import annotations

import html
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """A table with a heading and sentences below it."""

    title: str
    facts: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[tuple[str, tuple[str, ...]], ...]
    """headings, and sentences under each"""

    def __str__(self) -> str:
        wide = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        lines = [self.title, *self.facts, ""]
        for row in (self.header, *self.rows):
            first, *others = (f"{c:<{w}}" if j == 0 else f"{c:>{w}}" for j, (c, w) in enumerate(zip(row, wide)))
            lines.append("  ".join([first, *others]).rstrip())
        for heading, sentences in self.notes:
            lines += ["", f"{heading}:", *(f"- {s}" for s in sentences)]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def cells(row: tuple[str, ...], tag: str) -> str:
            side = ["left", *["right"] * (len(row) - 1)]
            each = (f"<{tag} style='text-align:{s}'>{html.escape(c)}</{tag}>" for c, s in zip(row, side))
            return f"<tr>{''.join(each)}</tr>"

        facts = "<br>".join(map(html.escape, self.facts))
        body = "".join(cells(row, "td") for row in self.rows)
        notes = "".join(
            f"<p><b>{html.escape(heading)}</b></p><ul>{''.join(f'<li>{html.escape(s)}</li>' for s in some)}</ul>"
            for heading, some in self.notes
        )
        return (
            f"<div class='tenfold-summary'><p><b>{html.escape(self.title)}</b><br>{facts}</p>"
            f"<table><thead>{cells(self.header, 'th')}</thead><tbody>{body}</tbody></table>{notes}</div>"
        )
