"""When two records, or two outputs, are the same: to the bit, or to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core.axes import bits, is_record, values

__all__ = ["assert_close", "assert_same", "bits"]
ROUNDING_TOLERANCE = 1e-9
"""of the largest entry of a field"""


def assert_same(a: Any, b: Any, what: str, *, exact: bool | None = None, unit: float = 0.0) -> None:
    """Raise if two records differ: in any bit if they are exact, else beyond rounding.

    `unit` is the scale of the data, relative to which a field may be rounding errors only.
    """
    assert type(a) is type(b), f"{what}: {type(a).__name__} and {type(b).__name__}"
    exact = getattr(type(a), "exact", False) if exact is None else exact
    if not exact and hasattr(a, "canonical"):
        a, b = a.canonical(), b.canonical()
    for (name, _, x), (_, _, y) in zip(values(a), values(b), strict=True):
        where = f"{what}: {type(a).__name__}.{name}"
        if is_record(x):
            assert_same(x, y, where, exact=exact, unit=unit)
        elif exact or isinstance(x, str):
            assert np.array_equal(x, y, equal_nan=not isinstance(x, str)), f"{where}: {x} and {y}"
        else:
            assert_close(x, y, where, unit=unit)


def assert_close(
    x: ArrayLike, y: ArrayLike, what: str, rounding: float = ROUNDING_TOLERANCE, unit: float = 0.0
) -> None:
    """Two arrays agree to rounding, measured by the largest finite entry."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    assert x.shape == y.shape, f"{what}: shapes {x.shape} and {y.shape}"
    finite = np.isfinite(x) & np.isfinite(y)
    assert np.array_equal(x[~finite], y[~finite], equal_nan=True), f"{what}: {x} and {y}"
    size = max(np.abs(x[finite]).max(initial=0.0), np.abs(y[finite]).max(initial=0.0), 1e-100)
    off = np.abs(x[finite] - y[finite]).max(initial=0.0)
    assert off <= rounding * size + 1e-13 * unit, f"{what}: off by {off:.3g} of {size:.3g}"
