"""One part, loaded, as a view for one need: what a learner summarizes."""

from __future__ import annotations

from typing import Any, NamedTuple

from tenfold.core.arrays import Array
from tenfold.core.columns import Columns


class Chunk(NamedTuple):
    """Rows of one part. Rows of weight zero are not in it."""

    X: Columns
    y: Any
    """float64 numbers, or int64 class codes, or None"""
    weight: Array
    uniform: bool
    """whether every weight is one"""
    part: int
    offset: int
    """number of the part's first row in the source"""
    dropped: int = 0
    """rows of weight zero that were left out"""
    held: Any = None
    """what the learner's lens made of the rows; then X has no columns and y is None"""
    scratch: Any = None
    """what the learner's `follow` made for these rows and the state"""
    beside: Any = None
    """the column that the need names as `beside`, as it comes: a fold, a group"""

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.X.shape[0]

    def rows(self, which: Any) -> Chunk:
        """Some of the rows: a slice or their numbers."""
        y = None if self.y is None else self.y[which]
        return self._replace(X=self.X.rows(which), y=y, weight=self.weight[which], dropped=0, beside=None)
