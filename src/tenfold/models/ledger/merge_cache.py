"""Merges that stay in memory, the latest of them, up to a number of bytes."""

from __future__ import annotations

import numpy as np

from tenfold.core.axes import is_record, values
from tenfold.models.ledger.merged import Merged

MAX_BYTES = 1 << 28
"""of one learner"""
RECORD_BYTES = 1 << 13
"""about as many as a merge has beside its summary: where its rows came from"""


class MergeCache:
    """Merges by the stamps of their nodes; the oldest give way.

    Parameters
    ----------
    most : int, default=MAX_BYTES
        Bytes, about.
    """

    def __init__(self, most: int = MAX_BYTES) -> None:
        self.most, self.bytes = most, 0
        self._found: dict[str, Merged] = {}

    def __contains__(self, stamp: object) -> bool:
        return stamp in self._found

    def __getitem__(self, stamp: str) -> Merged:
        return self._found[stamp]

    def __setitem__(self, stamp: str, merged: Merged) -> None:
        self._found[stamp] = merged
        self.bytes += array_bytes(merged.summary) + RECORD_BYTES
        while self.bytes > self.most and len(self._found) > 1:
            oldest = next(iter(self._found))
            self.bytes -= array_bytes(self._found.pop(oldest).summary) + RECORD_BYTES


def array_bytes(record: object) -> int:
    """Return how many bytes the arrays of a record have."""
    total = 0
    for _, field, value in values(record):
        if is_record(field.type):
            total += array_bytes(value)
        elif isinstance(value, np.ndarray):
            total += value.nbytes
    return total
