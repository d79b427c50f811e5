"""Decorators of kernels: how they are compiled, a record of compilations, and a notice about them.

Strict arithmetic throughout: with `fastmath` a process that compiled a kernel and one that loaded
it from the cache can give different bits, and then summaries would depend on who made them.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

import numba
from numba.core import config, event

try:
    from tenfold.compiled.shipped import Kernel
except ImportError:  # a numba whose inner parts have other names: its own cache will do
    Kernel = None  # type: ignore[assignment, misc]


def _kernel(lanes: bool = False, **options: Any) -> Any:
    """As `numba.njit(nogil=True, cache=True)`, with the kernels that were shipped before numba's own cache."""
    if Kernel is None or config.DISABLE_JIT:
        return numba.njit(nogil=True, cache=True, **options)
    return lambda function: Kernel(function, targetoptions={"nopython": True, "nogil": True, **options}, lanes=lanes)


kernel = _kernel()
dividing = _kernel(error_model="numpy")
"""a division by zero gives infinity, not an error: so loops of divisions become vector instructions, same bits"""
lanes = _kernel(lanes=True, error_model="numpy")
"""the same, and statements that are alike become vector instructions (LLVM's SLP vectorizer, which numba leaves off):
for sums that are written out side by side; also those of the functions it calls. Same bits"""

inner = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
inner_dividing = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
"""for functions that only kernels call: without a way in from Python, which would take as long to compile"""

written_in = numba.njit(inline="always", error_model="numpy")
"""a formula that becomes part of the loop it is used in"""


compilations: list[str] = []
"""names of the functions of this package that this process has compiled"""


class _Compilations(event.Listener):
    """Remembers what is compiled, and says once per process that it is; a kernel that is loaded says nothing."""

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if not (function.__module__ or "").startswith("tenfold."):
            return
        compilations.append(function.__name__)
        if len(compilations) > 1:
            return
        logging.getLogger("tenfold").info("compiling, once")
        if (sys.stderr is not None and sys.stderr.isatty()) or "ipykernel" in sys.modules:
            print("tenfold: compiling, once (the next session starts at full speed)", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Do nothing; numba calls it after each compilation."""


event.register("numba:compile", _Compilations())
