"""Rows with the group that each belongs to, as a source: for learners that tell groups apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from tenfold.estimator.inputs import source_from, with_target
from tenfold.sources import Source
from tenfold.sources.dask import is_dask


def with_groups(model: Any, X: Any, y: Any, weight: Any, groups: Any) -> Source:
    """A source whose chunks bring the groups along: an entry for each row, or a column that is then no feature."""
    if is_dask(X):
        X, y, weight = with_target(X, y, weight), None, None
    if isinstance(X, Source):
        if y is not None or weight is not None:
            raise ValueError("a Source names its own target and weights: pass X and groups alone")
        source: Any = X
        if not isinstance(groups, str):
            raise ValueError("a Source has its groups in a column. Remedy: groups='name of the column'")
    else:
        fresh = model._blank()
        source = source_from(fresh, X, y, weight, fresh.need, reset=True)
    if isinstance(groups, str):
        return source.without(groups).with_side("groups", groups)
    groups = column_or_1d(np.asarray(groups))
    check_consistent_length(groups, np.empty(source.n_rows))
    return source.with_side("groups", groups)
