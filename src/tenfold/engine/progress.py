"""Progress bar for what takes more than two seconds, on a terminal or in a notebook only.

Runners tell the bar in force, if there is one, how many parts of the scan are done, and the loop which learners are at
work, and in which round: many rounds read nothing. It does nothing before two seconds are over, and then looks at the
clock more often than it draws.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any, NamedTuple

SECONDS_BEFORE_BAR = 2.0
"""seconds before the bar appears"""
POLL_SECONDS = 0.1
"""seconds between two looks of it"""
BAR_WIDTH = 30
"""of a bar on a terminal, in characters"""

_bar: ContextVar[Bar | None] = ContextVar("bar", default=None)
_wish: ContextVar[bool | None] = ContextVar("verbose", default=None)


class Work(NamedTuple):
    """Learners at work, and the round that they are in."""

    who: str
    round: int = 0
    """0, if they are not in the same"""
    most: int = 0
    """rounds at the most; 0, if nothing limits them"""
    exact: bool = False
    """whether there are so many rounds, and no fewer"""

    def __str__(self) -> str:
        limit = f" of {'' if self.exact else 'at most '}{self.most}" if self.most else ""
        return ", ".join(filter(None, (self.who, f"round {self.round}{limit}" if self.round else "")))


NOBODY = Work("")


class Bar:
    """One bar for a fit: which scan or round, of which learner, how far, how fast, how long still."""

    def __init__(self, what: str, patience: float = SECONDS_BEFORE_BAR) -> None:
        self.what = what
        self.scans = 0
        self._shown: Any = None
        self._due = time.monotonic() + patience
        self._expected = 0
        self._work, self._reads = NOBODY, True
        self._done = self._total = 0
        self._rows = 0.0
        self._began = self._turned = self._rounds_began = time.monotonic()
        self._first = NOBODY
        """of the rounds that have read nothing since they began"""
        self._more, self._round = 0, 0
        """rounds of others that follow, and the last round"""

    def expect(self, scans: int | None) -> None:
        """Announce about how many scans are still to come; None if nobody knows."""
        self._expected = 0 if scans is None else self.scans + scans

    def ask(self, work: Work = NOBODY, reads: bool = True) -> None:
        """Begin to compute what these learners ask for, from rows that are read, or from those that are held."""
        self._work, self._reads = work, reads

    def scan(self, parts: int, rows: float) -> None:
        """Begin a scan of n parts, with the number of rows of each (0 if unknown)."""
        self.scans += self._reads
        self._done, self._total, self._rows = 0, parts, rows
        self._began = self._turned = time.monotonic()
        if self._reads:
            self._first = NOBODY
        if self._reads and self._shown is not None:  # the first part may take long
            self._draw_parts(self._began)

    def advance(self, parts: int) -> None:
        """Advance the bar by n parts."""
        self._done += parts
        now = time.monotonic()
        if now < self._due:
            return
        if self._work.most and not self._reads:
            self._draw_round(self._work, now, self._done / self._total)
        else:
            self._draw_parts(now)

    def turn(self, work: Work, more: int = 0) -> None:
        """Begin to make the next state of a learner, which reads nothing; others have n rounds to make after it."""
        now = time.monotonic()
        slow, self._turned, self._more = now - self._turned >= POLL_SECONDS, now, more
        if self._first.most != work.most or not 0 < self._first.round <= self._round <= work.round:
            self._first, self._rounds_began = work, now
        self._round = work.round
        if now >= self._due or (slow and self._shown is not None):  # what follows a slow one may take as long
            self._draw_round(work, now)

    def _draw_parts(self, now: float) -> None:
        gone = max(now - self._began, 1e-9)
        words = [f"{self._done}/{self._total} parts"]
        if self._rows and self._reads and self._done:
            words.append(f"{_short(self._rows * self._done / gone)} rows/s")
        words.append(_clock(gone))
        left = gone * (self._total - self._done) / max(self._done, 1)
        if self._done and left >= 1:
            last = self._reads and self.scans == self._expected and not self._work.most
            words.append(f"{_clock(left)} left" + ("" if last else " of this scan"))
        self._draw(self._work, self._done, self._total, words, now)

    def _draw_round(self, work: Work, now: float, share: float = 0.0) -> None:
        gone, done = now - self._rounds_began, work.round - 1 + share
        rounds = done - (self._first.round - 1)
        words = [_clock(gone)] if work.round else ["computing", _clock(gone)]
        if work.most and rounds > 0 and (left := gone * (work.most - done + self._more) / rounds) >= 1:
            words.append(f"{'about' if work.exact else 'at most'} {_clock(left)} left")
        self._draw(work, done if work.most else 0, work.most, words, now)

    def _draw(self, work: Work, done: float, total: int, words: list[str], now: float) -> None:
        self._due = now + POLL_SECONDS
        if self._shown is None:
            self._shown = _Page() if in_notebook() else _Terminal()
        scan = f"scan {self.scans}" + (f" of about {self._expected}" if self.scans <= self._expected else "")
        who = work._replace(who="" if work.who == self.what else work.who)
        self._shown.draw(", ".join(filter(None, (self.what, scan, str(who)))), done, total, " · ".join(words))

    def close(self) -> None:
        """Remove the bar."""
        if self._shown is not None:
            self._shown.close()
            self._shown = None


class _Terminal:
    """A line, or two if it is too long, drawn over and, at the end, erased."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=sys.stderr, force_terminal=_wish.get() or None)
        self._live = Live(console=console, transient=True, auto_refresh=False)
        self._live.start()

    def draw(self, title: str, done: float, total: int, words: str) -> None:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        width = self._live.console.width
        long = len(title) + BAR_WIDTH + len(words) + 2 > width
        name = Text(title, no_wrap=True, overflow="ellipsis")
        bar = ProgressBar(total or None, done, min(BAR_WIDTH, max(width - len(words) - 1, 1)))
        line = Table.grid(padding=(0, 1))
        line.add_row(*(() if long else (name,)), bar, Text(words, no_wrap=True))
        self._live.update(Group(name, line) if long else line, refresh=True)

    def close(self) -> None:
        self._live.stop()


class _Page:
    """An output of the notebook's cell that is changed in place and, at the end, empty."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html = HTML
        self._handle = display(HTML(""), display_id=True)

    def draw(self, title: str, done: float, total: int, words: str) -> None:
        far = f"value='{done:g}' max='{total}' " if total else ""
        bar = f"<progress {far}style='width:16em;vertical-align:middle'></progress>"
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
