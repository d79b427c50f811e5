"""Names for the three kinds of array that states and summaries are made of, and ones."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bits = NDArray[np.uint64]
Labels: TypeAlias = NDArray[Any]
"""classes or categories: texts or numbers"""
Names: TypeAlias = NDArray[np.object_]
"""texts, as pandas and scikit-learn have them"""
CSR: TypeAlias = sp.csr_array
Matrix: TypeAlias = NDArray[Any] | sp.csr_array
"""rows of numbers, dense (in any float type) or sparse"""

_ones = np.ones(1 << 18)


def ones(n: int) -> Any:
    """So many weights of one: mostly a view of the same ones."""
    return _ones[:n] if n <= len(_ones) else np.ones(n)
