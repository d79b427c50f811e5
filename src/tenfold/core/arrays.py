"""Names for the three kinds of array that states and summaries are made of, and ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

_ones = np.ones(1 << 18)


def ones(n: int) -> Any:
    """So many weights of one: mostly a view of the same ones."""
    return _ones[:n] if n <= len(_ones) else np.ones(n)
