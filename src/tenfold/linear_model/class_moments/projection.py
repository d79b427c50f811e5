"""Learners that project rows on a few directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Columns
from tenfold.estimator import Transformer


class Projector(Transformer):
    """Brings `directions(model)`: where the projection is zero, and columns x components."""

    mixes_columns = True

    def directions(self, model: Any) -> tuple[Array, Array]:
        """Centre and directions of the discriminant projection."""
        raise NotImplementedError

    def transform_from(self, model: Any, X: Columns) -> Array:
        """(x - centre) on each direction."""
        center, directions = self.directions(model)
        out = np.empty((len(X), directions.shape[1]))
        for rows, block in X.blocks(shift=center):
            np.matmul(block, directions, out=out[rows])
        return out

    def names_out(self, names: list[str]) -> list[str]:
        name = type(self).__name__.lower()
        return [f"{name}{k}" for k in range(self.directions(self.model_)[1].shape[1])]


TIED = 1e-6
"""entries of a direction that differ by less, as a share: two standardised columns have loadings of one size"""


def oriented(directions: Array, scale: Array | None = None, towards: Array | None = None) -> Array:
    """Each direction turned towards a vector or, without one, so that its largest entry is positive.

    Entries are compared as those of columns of unit scale; of entries that are as good as equal, the first is taken.
    Directions are columns; of a stack, all of them.
    """
    if not directions.size:
        return directions
    if towards is None:
        loading = directions if scale is None else directions * scale[..., :, None]
        size = np.abs(loading)
        largest = (size >= (1 - TIED) * size.max(axis=-2, keepdims=True)).argmax(axis=-2)
        ahead = np.take_along_axis(loading, largest[..., None, :], -2)
    else:
        ahead = np.matmul(towards[..., None, :], directions)
    return directions * np.where(ahead < 0, -1.0, 1.0)
