"""Memory that the C library keeps after arrays are freed, given back to the system.

The allocator of glibc keeps freed blocks between blocks in use, for itself: after a scan in several threads, a hundred
megabytes and more. A container counts them.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


@cache
def _trim() -> Any:
    """glibc's function, or None on other systems."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def give_back() -> bool:
    """Give unused memory back, which takes milliseconds; whether there was any, as far as that is known."""
    trim = _trim()
    return bool(trim is not None and trim(0))
