"""Which rows belong together and are not independent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tenfold.core import Codes, DataError
from tenfold.engine.keys import Key, Labelled
from tenfold.evaluate.folds import Plan, plan
from tenfold.evaluate.judged import UNITS
from tenfold.sources.frames import is_frame
from tenfold.sources.labels import code, levels


def apart(model: Any, X: Any, column: str) -> tuple[Any, Any]:
    """A frame and one of its columns, which is left out of it if the model does not know it."""
    if not is_frame(X):
        raise DataError(f"groups={column!r} names a column, and X has no names. Remedy: groups as an array")
    names = list(getattr(X, "column_names", None) or X.columns)
    if column not in names:
        raise DataError(f"groups={column!r} is no column of X; there are {names[:20]}")
    values = np.asarray(X[column])
    if column in list(getattr(model, "feature_names_in_", ())):
        return X, values
    return (X.drop(columns=[column]) if type(X).__module__.startswith("pandas") else X.drop(column)), values


def group_codes(groups: Any) -> Codes:
    """Groups as numbers from 0."""
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ValueError(f"groups must be one value for each row, but has the shape {values.shape}")
    known = levels(values, "groups")
    codes = code(values, known, "groups")
    if np.isnan(codes).any():
        row = int(np.flatnonzero(np.isnan(codes))[0])
        raise DataError(f"groups misses a value in row {row}. Remedy: say to which group the row belongs")
    return codes.astype(np.int64)


def grouped(groups: Any, source: Any, need: Any, session: Any) -> tuple[Plan, Key, int]:
    """Which unit each row belongs to: its group, or several groups joined; and how many groups there are."""
    if isinstance(groups, str):
        found = plan(groups, source, need, session)
        key: Any = found.splits[0].key
        assert isinstance(key, Labelled)
        count = key.groups
        return found, replace(key, groups=min(count, UNITS), codes=np.arange(count) % UNITS), count
    count = int(groups.max(initial=-1)) + 1
    if count < 2:
        raise DataError("groups has one group only, which says nothing about others. Remedy: rows of more groups")
    found = plan(min(count, UNITS), source, need, session, groups=groups)
    return found, found.splits[0].key, count
