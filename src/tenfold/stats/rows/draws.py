"""Random draws within a fit, from row ids (`core/rows/chunk.py`), a seed, and a purpose.

The folds of cross-validation are drawn in `model_selection/cross_validation/folds.py`.

Every purpose has a stream of its own, so that draws for different purposes are independent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenfold.compiled.rows.shuffling import deal
from tenfold.compiled.tree.forests import draw_rows, tree_keys
from tenfold.compiled.tree.gradients import in_share
from tenfold.core import Bits, Chunk, Codes, Flags
from tenfold.core.rows.chunk import ROW_IDS_PER_LEVEL

ROW_STREAM, COLUMN_STREAM, SEED_STREAM, FOLD_STREAM = range(4)
"""streams: the bootstraps of members, the columns of their nodes, the seeds of members, folds"""


def keys_of(seed: int, stream: int, first: int, n: int) -> Bits:
    """Return the 64-bit keys of the draws of some members, such as trees."""
    out = np.empty(n, np.uint64)
    tree_keys(int(seed), stream, first, out)
    return out


def times_of(places: Codes, key: np.uint64) -> Codes:
    """How often a member with this key draws each row: Poisson numbers of mean one."""
    out = np.empty(len(places), np.int64)
    draw_rows(places, key, out)
    return out


def thinned(times: Codes, places: Codes, key: np.uint64, share: float) -> Codes:
    """How many of its draws each row keeps, each with this chance: Poisson numbers of this mean, from those of one."""
    out = np.zeros_like(times)
    for draw in range(int(times.max(initial=0))):
        some = np.flatnonzero(times > draw)
        out[some] += share_of(places[some], int(key >> np.uint64(1)), draw, share)
    return out


def folds_of(chunk: Chunk, seed: int, folds: int) -> Codes:
    """Return the random fold of each row: any k consecutive rows of positive weight are in k folds, in random order."""
    return folds_of_places(chunk.places(), seed, folds)


def folds_of_places(places: Codes, seed: int, folds: int) -> Codes:
    """Return the random folds of rows given by their ids."""
    out = np.empty(len(places), np.int64)
    deal(places, int(keys_of(seed, FOLD_STREAM, 0, 1)[0] >> np.uint64(1)), folds, out)
    return out


class Holdout(NamedTuple):
    """Rows that are held back from learning, to prune or to stop by: drawn by place, the same on every runner."""

    seed: int = 0
    share: float = 0.0
    begin: int = 0
    """the place from which on rows are validation rows that were given; 0: none were"""

    @property
    def by_place(self) -> bool:
        """Whether any rows are held back, so that places are needed."""
        return self.share > 0 or self.begin > 0

    def learns(self, places: Codes, rows: int) -> Flags:
        """Return which rows are used for training; None of them is drawn if none is held out."""
        if self.begin:
            return places % ROW_IDS_PER_LEVEL < self.begin
        return share_of(places, self.seed, 0, 1.0 - self.share) if self.share else np.ones(rows, bool)


def share_of(places: Codes, seed: int, draw: int, share: float) -> Flags:
    """Whether each row is in a share of all: the same rows wherever they are, others in each draw."""
    out = np.empty(len(places), bool)
    in_share(places, seed, draw, share, out)
    return out
