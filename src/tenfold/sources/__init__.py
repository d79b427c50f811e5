"""Where rows come from."""

from tenfold.sources.array_source import ArraySource, part_rows
from tenfold.sources.inputs import as_source, is_lazy
from tenfold.sources.source import Source

__all__ = ["ArraySource", "Source", "as_source", "is_lazy", "part_rows"]
