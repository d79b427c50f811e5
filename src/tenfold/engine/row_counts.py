"""Counts that accompany every summary and merge with it: rows, and the workers that read them."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from tenfold.core.rows.row_sketch import RowSketch


@cache
def this_machine() -> str:
    """CPU, BLAS and versions of this process, in one line."""
    from threadpoolctl import threadpool_info

    blas = {
        f"{lib['internal_api']} {lib['version']} {lib.get('architecture', '')}".strip()
        for lib in threadpool_info()
        if lib["user_api"] == "blas"
    }
    versions = [f"python {platform.python_version()}", f"numpy {np.__version__}"]
    versions += [f"{name} {version(name)}" for name in ("scipy", "numba", "tenfold")]
    return f"{_cpu()}; {', '.join(sorted(blas))}; {', '.join(versions)}"


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = {line.split(":", 1)[1].strip() for line in lines if line.startswith("model n")}
    except OSError:
        names = set()
    return ", ".join(sorted(names)) or platform.processor() or platform.machine()


@dataclass(eq=False, slots=True)
class Counted:
    """A summary, with the rows that went into it and the machines that made it."""

    summary: Any
    rows: int
    dropped: int
    machines: frozenset[str]
    marks: RowSketch | None = None
    """of the rows, where they were asked for"""
    drawn: int = -1
    """number of rows with positive weight where weights are drawn; else the number of all rows"""

    @property
    def learned(self) -> int:
        """Rows that the summary is of."""
        return self.rows if self.drawn < 0 else self.drawn

    def __add__(self, other: Counted) -> Counted:
        marks = self.marks if other.marks is None else other.marks
        if self.marks is not None and other.marks is not None:
            marks = self.marks + other.marks
        return Counted(
            self.summary + other.summary,
            self.rows + other.rows,
            self.dropped + other.dropped,
            self.machines if self.machines == other.machines else self.machines | other.machines,
            marks,
            -1 if self.drawn < 0 or other.drawn < 0 else self.drawn + other.drawn,
        )
