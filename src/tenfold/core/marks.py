"""Marks by which rows are recognised again: the least of the hashes of rows or parts, so that they merge.

Of two sets of rows that overlap, the same rows have the least hashes. The marks of a merged model are the least of the
marks of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MOST = 256
DIGITS = 12


def marks_from(hashes: Iterable[int]) -> str:
    """The least of some 48-bit hashes, as text."""
    return "".join(f"{h:012x}" for h in sorted(set(hashes))[:MOST])


def words(marks: str) -> list[str]:
    """The marks, one by one."""
    return [marks[i : i + DIGITS] for i in range(0, len(marks), DIGITS)]


def united(a: str, b: str) -> str:
    """The marks of the rows of both."""
    return "".join(sorted({*words(a), *words(b)})[:MOST])


def common(made: str, hashes: Any) -> float:
    """Share of some hashes that are among those of a model, of all that could be: nought if none could."""
    known = words(made)
    if not known:
        return 0.0
    bar = known[-1] if len(known) == MOST else "f" * DIGITS
    could = [word for h in set(hashes) if (word := f"{h:012x}") <= bar]
    return sum(word in set(known) for word in could) / len(could) if could else 0.0
