"""The data on which tenfold is timed beside its peers, each made from a seed, and how time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np


def regression(n: int = 1_000_000, p: int = 50, seed: int = 0) -> tuple[Any, Any]:
    """Normal columns, a sparse linear target with noise."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p))
    w = random.standard_normal(p) * (random.random(p) < 0.3)
    return X, X @ w + random.standard_normal(n)


def clusters(n: int = 500_000, p: int = 32) -> Any:
    """Normal float32 columns: no clusters at all, the hardest case for k-means."""
    return np.random.default_rng(0).standard_normal((n, p)).astype(np.float32)


def seconds(call: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """The best of some wall times, and the last result."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return best, result


class Promises:
    """What a benchmark promises: each line says whether it is kept, and `settle` ends the process with 1 if one is not.

    Parameters
    ----------
    bind : bool
        False: the sizes are not those that the promises are about, so figures are printed and bind nobody.
    """

    def __init__(self, bind: bool = True) -> None:
        self.bind = bind
        self.missed: list[str] = []

    def at_least(self, what: str, found: float, promised: float) -> None:
        """A figure that must not be below this."""
        self._note(what, found, "at least", promised, found >= promised)

    def at_most(self, what: str, found: float, promised: float) -> None:
        """A figure that must not be above this."""
        self._note(what, found, "at most", promised, found <= promised)

    def _note(self, what: str, found: float, how: str, promised: float, kept: bool) -> None:
        """Nan is neither: it is a miss."""
        if self.bind and not kept:
            self.missed.append(f"{what}: {found:.4g}, promised {how} {promised:g}")

    def settle(self) -> None:
        """Say what was missed, and fail."""
        if not self.bind:
            print("\nother sizes than the usual ones: nothing was promised")
        elif self.missed:
            print("\nmissed:", *self.missed, sep="\n  ", flush=True)
            raise SystemExit(1)
        else:
            print("\nall promises are kept")
