"""Rows that are held back from growing, to prune by: drawn by the place of the row, so the same on every runner.

What pruning needs of them are channel sums by node, one more reduce: they never have to be in one place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Chunk, Flags
from tenfold.kernels.gradients import kept
from tenfold.stats.binned import sample_of
from tenfold.stats.tree_bins import Look, Seen, TreeLens


class Halves(NamedTuple):
    """Rows to grow from, and rows held back."""

    grown: Seen
    back: Seen


@dataclass(frozen=True, eq=False)
class HalvesLens:
    """A lens that tells them apart."""

    lens: TreeLens
    seed: int
    share: float

    def __call__(self, chunk: Chunk) -> Halves:
        """Both."""
        seen, stays = self.lens(chunk), grows(chunk, self.seed, self.share)
        return Halves(seen.rows(stays), seen.rows(~stays))


def grows(chunk: Chunk, seed: int, share: float) -> Flags:
    """Which rows are not held back."""
    out = np.empty(chunk.n, bool)
    kept(chunk.places(), seed, 0, 1.0 - share, out)
    return out


def parted(chunk: Chunk, seed: int, share: float) -> tuple[Chunk, Chunk]:
    """The rows of a chunk to grow from, and those held back."""
    stays = grows(chunk, seed, share)
    return chunk.rows(np.flatnonzero(stays)), chunk.rows(np.flatnonzero(~stays))


def look(chunk: Chunk, seed: int, share: float) -> Look:
    """A look at all rows, for the range of numbers; bins come from rows that are not held back."""
    return replace(Look.of(chunk, seed), sample=sample_of(parted(chunk, seed, share)[0], seed))


def half(held: Any, back: bool = False) -> Any:
    """What is held of the rows to grow from, or of those held back."""
    if not isinstance(held, Halves):
        return held
    return held.back if back else held.grown
