"""Leave-one-out errors: each training row is predicted by all others."""

from __future__ import annotations

import numpy as np

from tenfold.core import Codes, Values
from tenfold.neighbors.distance import Distance
from tenfold.neighbors.nearest_rows import Nearest, nearest
from tenfold.stats.rows.training_rows import TrainingRows

MAX_LEFT_OUT_ROWS = 2_000
"""maximum number of rows that are left out: more take long and add little"""


def left_out_rows(rows: TrainingRows) -> Codes:
    """Which rows are left out in turn: all, or as many spread evenly over them."""
    n = len(rows)
    return np.arange(n) if n <= MAX_LEFT_OUT_ROWS else np.linspace(0, n - 1, MAX_LEFT_OUT_ROWS).astype(np.int64)


def lists_without_self(
    distance: Distance, rows: TrainingRows, which: Codes, wanted: float, classes: int
) -> Nearest | None:
    """The nearest other rows of some; None if those weigh too little. Of a row of weight 2, one of two is left out."""
    taken = np.minimum(rows.weight[which], 1.0)
    if not len(which) or rows.weight.sum() - taken.max() < wanted:
        return None
    pieces = [_nearest_others(distance, rows, which[i : i + 256], wanted, classes) for i in range(0, len(which), 256)]
    width = max(piece.number.shape[1] for piece in pieces)
    entries, number = (np.concatenate([_wide(x, width, fill) for x in some]) for some, fill in (
        ([p.entries for p in pieces], 0.0), ([p.number for p in pieces], -1)
    ))  # fmt: skip
    entries[number < 0, 0] = np.inf
    return Nearest(entries, number, np.concatenate([p.tied for p in pieces]), float(wanted), classes)


def _nearest_others(distance: Distance, rows: TrainingRows, which: Codes, wanted: float, classes: int) -> Nearest:
    taken = np.minimum(rows.weight[which], 1.0)
    found = nearest(distance, np.ascontiguousarray(rows.X[which]), rows, wanted + 1, classes)
    entries, tied = found.entries.copy(), found.tied.copy()
    own = found.number == which[:, None]
    entries[:, :, 1] -= own * taken[:, None]
    lost = np.flatnonzero(~own.any(axis=1))  # as far as the last, and not in the list
    y = rows.y[which[lost]]
    tied[lost, y.astype(np.int64) if classes else 0] -= taken[lost]
    tied[lost, -1] -= taken[lost] * y
    return Nearest(entries, found.number, tied, wanted + 1, classes).cut(wanted)


def _wide(x: Values, width: int, fill: float) -> Values:
    missing = width - x.shape[1]
    return np.pad(x, [(0, 0), (0, missing), *[(0, 0)] * (x.ndim - 2)], constant_values=fill) if missing else x
