"""What stays of a part between rounds: what a learner's lens made of it, and what follows the state.

Both can be made again from the rows and the state, to the same bits, so a runner may keep them, spill
them or lose them.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Chunk, Columns
from tenfold.core.arrays import ones


class Held(NamedTuple):
    """What is left of one chunk, once seen through a lens."""

    value: Any
    rows: int
    dropped: int
    part: int
    offset: int

    @classmethod
    def of(cls, lens: Callable[[Chunk], Any], chunk: Chunk) -> Held:
        """A chunk through a lens."""
        return cls(lens(chunk), chunk.n, chunk.dropped, chunk.part, chunk.offset)

    def chunk(self, scratch: Any) -> Chunk:
        """The chunk that a learner summarizes: no columns, no target, only what is held."""
        nothing = Columns(np.empty((self.rows, 0)), ())
        return Chunk(nothing, None, ones(self.rows), True, self.part, self.offset, self.dropped, self.value, scratch)


def through(learner: Any, state: Any, chunk: Chunk) -> Chunk:
    """A chunk as a learner summarizes it: through its lens, if it has one, with what follows the state."""
    lens = learner.lens(state)
    if lens is None:
        return chunk
    held = Held.of(lens, chunk)
    return held.chunk(learner.follow(state, held.value, None))


def token(lens: Any) -> str:
    """By which a lens is recognised: equal lenses share what is held."""
    return hashlib.blake2b(pickle.dumps(lens, protocol=5), digest_size=12).hexdigest()


def size(value: Any) -> int:
    """About how many bytes a value has."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, (tuple, list)):
        return sum(map(size, value))
    if isinstance(value, dict):
        return sum(map(size, value.values()))
    return size(vars(value)) if hasattr(value, "__dict__") else 64
