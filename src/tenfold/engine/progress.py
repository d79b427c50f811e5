"""Progress bar for scans of more than two seconds, on a terminal or in a notebook only.

Runners tell the bar in force, if there is one, how many parts of the scan are done. It does nothing before two
seconds are over, and then looks at the clock more often than it draws.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any

SECONDS_BEFORE_BAR = 2.0
"""seconds before the bar appears"""
POLL_SECONDS = 0.1
"""seconds between two looks of it"""

_bar: ContextVar[Bar | None] = ContextVar("bar", default=None)
_wish: ContextVar[bool | None] = ContextVar("verbose", default=None)


class Bar:
    """One bar for a fit: which scan, how far, how fast, how long still."""

    def __init__(self, what: str, patience: float = SECONDS_BEFORE_BAR) -> None:
        self.what = what
        self.scans = 0
        self._shown: Any = None
        self._due = time.monotonic() + patience
        self._done = self._total = 0
        self._rows = 0.0
        self._began = time.monotonic()

    def scan(self, parts: int, rows: float) -> None:
        """Begin a scan of n parts, with the number of rows of each (0 if unknown)."""
        self.scans += 1
        self._done, self._total, self._rows = 0, parts, rows
        self._began = time.monotonic()

    def advance(self, parts: int) -> None:
        """Advance the bar by n parts."""
        self._done += parts
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + POLL_SECONDS
        if self._shown is None:
            self._shown = _Page() if in_notebook() else _Terminal()
        gone = max(now - self._began, 1e-9)
        words = [f"{self._done}/{self._total} parts"]
        if self._rows:
            words.append(f"{_short(self._rows * self._done / gone)} rows/s")
        words.append(_clock(gone))
        if self._done:
            words.append(f"{_clock(gone * (self._total - self._done) / self._done)} left")
        self._shown.draw(f"{self.what}, scan {self.scans}", self._done, self._total, " · ".join(words))

    def close(self) -> None:
        """Remove the bar."""
        if self._shown is not None:
            self._shown.close()
            self._shown = None


class _Terminal:
    """A line that is drawn over and, at the end, erased."""

    def __init__(self) -> None:
        from rich import progress
        from rich.console import Console

        columns = (
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=30),
            progress.TextColumn("{task.fields[words]}"),
        )
        console = Console(file=sys.stderr, force_terminal=_wish.get() or None)
        self._lines = progress.Progress(*columns, console=console, transient=True, auto_refresh=False)
        self._task = self._lines.add_task("", words="")
        self._lines.start()

    def draw(self, title: str, done: int, total: int, words: str) -> None:
        self._lines.update(self._task, description=title, completed=done, total=total, words=words)
        self._lines.refresh()

    def close(self) -> None:
        self._lines.stop()


class _Page:
    """An output of the notebook's cell that is changed in place and, at the end, empty."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html = HTML
        self._handle = display(HTML(""), display_id=True)

    def draw(self, title: str, done: int, total: int, words: str) -> None:
        bar = f"<progress value='{done}' max='{total}' style='width:16em;vertical-align:middle'></progress>"
        line = f"<div style='font-family:monospace;white-space:nowrap'>{escape(title)} {bar} {escape(words)}</div>"
        self._handle.update(self._html(line))

    def close(self) -> None:
        self._handle.update(self._html(""))


def in_notebook() -> bool:
    """Whether this runs in a cell of a notebook."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and type(found).__name__ == "ZMQInteractiveShell"


def is_watched() -> bool:
    """Whether progress is shown: by the user's setting or, by default, on a terminal or in a notebook."""
    wish = _wish.get()
    if wish is not None:
        return wish
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _clock(seconds: float) -> str:
    whole = int(seconds + 0.5)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def _short(number: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.0f}"


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Show how far the scans in this block are, once they take long; blocks within it belong to it."""
    if _bar.get() is not None or not is_watched():
        yield
        return
    bar = Bar(what)
    token = _bar.set(bar)
    try:
        yield
    finally:
        _bar.reset(token)
        bar.close()


@contextmanager
def verbose(wish: bool | None) -> Iterator[None]:
    """Set whether progress is shown in this block: True, False, or None for the default."""
    token = _wish.set(wish)
    try:
        yield
    finally:
        _wish.reset(token)


def wish() -> bool | None:
    """Return the user's setting in this block."""
    return _wish.get()


def bar() -> Bar | None:
    """Return the active progress bar, or None."""
    return _bar.get()
