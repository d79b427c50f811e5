"""Source of rows with a group label each, for learners that distinguish groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from tenfold.sources import Source, as_source


def with_groups(model: Any, X: Any, y: Any, weight: Any, groups: Any) -> Source:
    """A source whose chunks bring the groups along: an entry for each row, or a column that is then no feature."""
    fresh = model._blank()
    source = as_source(X, y, weight, fresh.need, model=fresh)
    if isinstance(groups, str):
        return source.without(groups).with_side("groups", groups)
    if source.lazy:
        raise ValueError("a Source has its groups in a column. Remedy: groups='name of the column'")
    groups = column_or_1d(np.asarray(groups))
    check_consistent_length(groups, np.empty(source.n_rows or 0))
    return source.with_side("groups", groups)
