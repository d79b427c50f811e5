"""PyTorch, with one thread while gradients are made: with more, the bits of a product depend on how many there are.

PyTorch has one number of threads for the process, and every thread takes it over when it first asks. So users are
counted, as for BLAS: the first one sets it, the last one restores what was there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_inside: list[int] = []
"""for each block that is open, the number of threads to restore"""


@contextmanager
def one_torch_thread() -> Iterator[Any]:
    """The module torch, for a block in which it has one thread."""
    torch = import_torch()
    with _lock:
        _inside.append(_inside[0] if _inside else torch.get_num_threads())
        torch.set_num_threads(1)  # even if it says 1: that is OpenMP's number, and MKL has its own
    try:
        yield torch
    finally:
        with _lock:
            before = _inside.pop()
            if not _inside:
                torch.set_num_threads(before)


def device_of(torch: Any, name: str) -> Any:
    """Return the device of this name, or raise an error that lists the available ones."""
    there = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if name not in there and f"{name}:0" not in there:
        raise ValueError(f"device={name!r} is not on this machine. Remedy: one of {', '.join(there)}")
    return torch.device(name)


def import_torch() -> Any:
    """The package PyTorch, which is loaded when a network is first trained."""
    try:
        import torch
    except ImportError:
        raise ImportError("training a network needs PyTorch. Remedy: pip install 'tenfold[neural]'") from None
    return torch
