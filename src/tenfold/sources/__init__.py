"""Where rows come from."""

from tenfold.sources.arrays import ArraySource, part_rows
from tenfold.sources.base import Source

__all__ = ["ArraySource", "Source", "part_rows"]
