"""What several folds or learners make of the rows of a chunk alike: done once, and kept while the chunk is read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from tenfold.core.arrays import Codes, RowIndex, Values

T = TypeVar("T")

_here = threading.local()


@contextmanager
def chunk_memo() -> Iterator[None]:
    """Keep in this block, in this thread, what `kept` makes; then forget it."""
    before = getattr(_here, "kept", None)
    _here.kept = {}
    try:
        yield
    finally:
        _here.kept = before


def kept(key: Hashable, make: Callable[[], T]) -> T:
    """Return what was made under a key for the chunk that is being read; make it, if nothing was."""
    known: dict[Hashable, Any] | None = getattr(_here, "kept", None)
    if known is None:
        return make()
    if key not in known:
        known[key] = make()
    found: T = known[key]
    return found


def chosen(values: Values, which: RowIndex) -> Values:
    """Return some entries of an array; of objects, such as texts, it is kept of which array of the chunk they are."""
    found: Values = values[which]
    known: dict[Hashable, Any] | None = getattr(_here, "kept", None)
    if known is not None and values.dtype.hasobject:
        whole, rows = chosen_from(values) or (values, np.arange(len(values)))
        known["chosen", id(found)] = found, (whole, rows[which])
    return found


def chosen_from(values: Values) -> tuple[Values, Codes] | None:
    """Return the array of objects, as the chunk was read, of which these are entries, and which; None: not known."""
    known: dict[Hashable, Any] = getattr(_here, "kept", None) or {}
    found: tuple[Values, Codes] | None = known.get(("chosen", id(values)), (None, None))[1]
    return found
