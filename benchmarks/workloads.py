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
