"""Store of what one process holds between rounds: in memory within a budget, beyond it in files, or dropped.

Forgetting costs time and never changes a bit: whatever is here can be made again.
"""

from __future__ import annotations

import hashlib
import pickle
import shutil
import tempfile
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tenfold.core import Schema

Key = tuple[str, int]


class HeldStore:
    """Store of values by key.

    Parameters
    ----------
    budget : int
        Bytes to keep in memory; values beyond it are written to a temporary folder.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.used = 0
        self._memory: dict[Key, tuple[Any, int]] = {}
        self._files: dict[Key, Path] = {}
        self._folder: Path | None = None
        self._full = False
        self._lock = threading.Lock()

    def get(self, key: Key) -> Any:
        """The value, or None if it is not here (any more)."""
        found = self._memory.get(key)
        if found is not None:
            return found[0]
        path = self._files.get(key)
        if path is None:
            return None
        try:
            return pickle.loads(path.read_bytes())  # a file this process wrote, in a folder of its own
        except (OSError, EOFError, pickle.UnpicklingError):
            return None

    def put(self, key: Key, value: Any) -> None:
        """Store a value under a key, in place of an earlier one."""
        much = size(value)
        with self._lock:
            self.used -= self._memory.pop(key, (None, 0))[1]
            if self.used + much <= self.budget:
                self._memory[key] = (value, much)
                self.used += much
                self._files.pop(key, None)
                return
        self._spill(key, value)

    def drop(self, kind: str) -> None:
        """Forget all values of a kind."""
        with self._lock:
            for key in [key for key in self._memory if key[0] == kind]:
                self.used -= self._memory.pop(key)[1]
            for key in [key for key in self._files if key[0] == kind]:
                self._files.pop(key).unlink(missing_ok=True)

    def _spill(self, key: Key, value: Any) -> None:
        if self._full:
            return
        try:
            with self._lock:
                if self._folder is None:
                    self._folder = Path(tempfile.mkdtemp(prefix="tenfold-held-"))
            path = self._folder / hashlib.blake2b(repr(key).encode(), digest_size=16).hexdigest()
            path.write_bytes(pickle.dumps(value, protocol=5))
            self._files[key] = path
        except OSError:  # the disk is full: from now on what does not fit is made again
            self._full = True
            left = self._files.pop(key, None)
            with suppress(OSError):
                if left is not None:
                    left.unlink(missing_ok=True)

    def close(self) -> None:
        """Forget all values, and remove their files."""
        self._memory.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


@cache
def _slots(kind: type) -> list[str]:
    """The names that a class keeps its values under, if it has no dictionary for them."""
    return [name for base in kind.__mro__ for name in base.__dict__.get("__slots__", ())]


def size(value: Any) -> int:
    """About how many bytes a value has."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if value is None or isinstance(value, (int, float, str, Schema)):  # a schema is shared
        return 64
    if isinstance(value, (tuple, list)):
        return sum(map(size, value))
    if isinstance(value, dict):
        return sum(map(size, value.values()))
    kind: Any = type(value)
    if named := _slots(kind):
        return sum(size(getattr(value, name)) for name in named if hasattr(value, name))
    return size(vars(value)) if hasattr(value, "__dict__") else 64
