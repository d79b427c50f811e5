"""Affine maps of columns, and what is known of the columns that they make without reading a row again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Array
from tenfold.stats.moments.extremes import Extremes
from tenfold.stats.moments.moments import Moments


class AffineMap(NamedTuple):
    """z = A (x - center) + offset."""

    matrix: Array
    """outputs x columns; one-dimensional, if each output is made of the column at its place"""
    center: Array
    offset: Array | float = 0.0


class KnownColumns(NamedTuple):
    """What is known of some columns from summaries: moments, with the target if there is one, and perhaps extremes."""

    moments: Moments
    width: int
    """number of columns, without the target"""
    extremes: Extremes | None = None
    own: Any = None
    """the summary that the first step asked for itself"""

    def moved(self, by: AffineMap) -> KnownColumns:
        """Return what is known of the outputs of a map."""
        moments = self.moments.moved(by.matrix, by.center, by.offset)
        if self.extremes is None or by.matrix.ndim > 1:
            return KnownColumns(moments, len(by.matrix))
        ends = [by.matrix * (end - by.center) + by.offset for end in self.extremes_of]
        return KnownColumns(moments, len(by.matrix), Extremes(np.minimum(*ends), np.maximum(*ends)))

    @property
    def extremes_of(self) -> tuple[Array, Array]:
        """The least and the greatest value of each column."""
        assert self.extremes is not None
        return self.extremes.low, self.extremes.high
