"""The columns of a chunk, some of them with other values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Columns
from tenfold.core.rows.columns import columns_class
from tenfold.model_selection.frame_columns import sparse_with


class Swap:
    """The columns of a chunk, some of them swapped; what it gave before is no longer valid when it gives the next.

    Parameters
    ----------
    X : Columns
    """

    def __init__(self, X: Columns) -> None:
        self.X = X
        self.work = np.array(X.data) if isinstance(X.data, np.ndarray) else None
        self.last: list[int] = []

    def __call__(self, at: Sequence[int], values: ArrayLike) -> Columns:
        """Replace the columns `at` by these values (rows x swapped columns, or one row for all)."""
        X, at = self.X, list(at)
        text = isinstance(X.data, tuple) and any(X.data[j].dtype.hasobject for j in at)
        values = np.broadcast_to(np.asarray(values, dtype=object if text else None), (len(X), len(at)))
        data: Any
        if self.work is not None:
            self.work[:, self.last] = X.data[:, self.last]
            self.work[:, at] = values
            self.last, data = at, self.work
        elif isinstance(X.data, tuple):
            some = dict(zip(at, values.T, strict=True))
            data = tuple(
                np.ascontiguousarray(some[j], dtype=old.dtype) if j in some else old for j, old in enumerate(X.data)
            )
        else:
            data = sparse_with(X.data, at, values)
        return columns_class(data)(data, X.names, missing=X.missing, offset=X.offset, kept=X.kept, place=X.place)
