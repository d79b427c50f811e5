"""Snapshot of a fit: enough to watch it, to stop it, and to resume it with the same bits."""

from __future__ import annotations

from typing import Any, NamedTuple

from tenfold.core import Certificate, Provenance, Schema
from tenfold.core.rows.row_sketch import RowSketch


class Snapshot(NamedTuple):
    """One turn of the loop."""

    schema: Schema
    state: Any
    model: Any = None
    """model of the last certified state, if any, with which to predict"""
    summary: Any = None
    asked: Any = None
    """the expression that the summary answers"""
    certificate: Certificate | None = None
    """certificate of that model"""
    rows: int = 0
    dropped: int = 0
    passes: float = 0.0
    machines: frozenset[str] = frozenset()
    marks: RowSketch | str = ""
    """by which some of the rows are recognised again"""


class Fit(NamedTuple):
    """The last snapshot, and why it is the last."""

    at: Snapshot
    reason: str

    def provenance(self, source: str, parts: int, seed: int | None = None, first_part: int = 0) -> Provenance:
        """Where the model came from."""
        at = self.at
        return Provenance(
            source, at.rows, at.dropped, parts, at.passes, self.reason,
            tuple(sorted(at.machines)), seed, str(at.marks), first_part,
        )  # fmt: skip
