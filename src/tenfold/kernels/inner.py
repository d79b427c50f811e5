"""Functions that only kernels call: parts of them, compiled without a way in from Python, which would cost as much."""

from __future__ import annotations

import numba

inner = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
inner_dividing = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
"""as `compiling.dividing`"""
