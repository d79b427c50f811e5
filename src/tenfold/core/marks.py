"""Marks by which rows are recognised again: the least of the hashes of rows or parts, so that they merge.

Of two sets of rows that overlap, the same rows have the least hashes. The marks of a merged model are the least of the
marks of both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST = 256
DIGITS = 12


def marks_from(hashes: Any) -> str:
    """The least of some 48-bit hashes, as text."""
    least = hashes if len(hashes) <= MOST else np.partition(hashes, MOST)[:MOST]
    return "".join(f"{h:012x}" for h in sorted({int(h) for h in least}))


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
    made_of = np.array([int(word, 16) for word in known], dtype=np.uint64)
    bar = made_of[-1] if len(known) == MOST else np.uint64(1 << 48)
    could = hashes[hashes <= bar]
    return float(np.isin(could, made_of).mean()) if len(could) else 0.0
