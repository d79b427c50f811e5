"""What each step of a job cost, in this process and in those that it started."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np


class Steps:
    """Times the steps of a job, and keeps what they found.

    Parameters
    ----------
    job : str
        The name of the tools.
    """

    def __init__(self, job: str) -> None:
        self.job = job
        self.steps: dict[str, dict[str, float]] = {}
        self.found: dict[str, Any] = {"bits": {}}
        self.begun: list[str] = []

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step: wall time and CPU time."""
        print(f"\n-- {name}", flush=True)
        self.begun.append(name)
        wall, cpu = time.perf_counter(), _cpu()
        yield
        self.steps[name] = {"wall": time.perf_counter() - wall, "cpu": _cpu() - cpu}
        print(f"-- {self.steps[name]['wall']:.1f} s, CPU {self.steps[name]['cpu']:.1f} s", flush=True)

    def keep(self, name: str, *values: object) -> None:
        """Keep a digest of arrays, to the bit."""
        found = b"".join(np.ascontiguousarray(value).tobytes() for value in values)
        self.found["bits"][name] = sha256(found).hexdigest()

    def write(self, folder: Path) -> None:
        """Write times, peak memory and what was found as JSON."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
        told = {"job": self.job, "steps": self.steps, "peak MB": peak, "found": self.found}
        (folder / f"{self.job}.json").write_text(json.dumps(told, indent=1))


def _cpu() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, kinds))
