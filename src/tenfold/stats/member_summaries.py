"""Summaries of several members of a team side by side: `+` adds each to its like."""

from __future__ import annotations

from typing import Annotated

from tenfold.core import Codes, Mergeable, Schema
from tenfold.core.axes import Bundle
from tenfold.core.field_values import COUNTS


class Joint(Mergeable):
    """The summaries of the members, and of how many rows each is."""

    rows: Annotated[Codes, "member", COUNTS]
    each: Bundle
    by_weight = ()

    def is_valid(self, schema: Schema) -> bool:
        """Whether the rows of each summary are counted."""
        return len(self.rows) == len(self.each.each)
