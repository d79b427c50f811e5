"""Selection of columns by the type of their values, or by name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector as SelectColumns

from tenfold.sources.column_choice import FirstRows, first_rows

KINDS = {
    "number": np.number,
    "datetime": np.datetime64,
    "datetimetz": np.datetime64,
    "timedelta": np.timedelta64,
    "string": np.object_,
    "str": np.object_,
    str: np.object_,
}
"""words of pandas for types that numpy has under another name"""


class ColumnSelector(SelectColumns):
    """Function that `make_column_selector` returns: from rows in memory, or a Source, to names of columns."""

    def __call__(self, rows: Any) -> list[str]:
        """The names of the columns that are chosen."""
        return chosen_columns(self, first_rows(rows))


def chosen_columns(selector: SelectColumns, first: FirstRows) -> list[Any]:
    """The columns that a selector, this one or scikit-learn's, chooses; of rows that are not of pandas, without it."""
    if type(first.rows).__name__ == "DataFrame":
        types = {word: _with_zones(getattr(selector, word)) for word in ("dtype_include", "dtype_exclude")}
        found: list[Any] = SelectColumns(selector.pattern, **types)(first.rows)
        return found
    chosen = []
    for label, kind in zip(first.labels, first.types(), strict=True):
        wanted = selector.dtype_include is None or _is_any(kind, selector.dtype_include)
        refused = selector.dtype_exclude is not None and _is_any(kind, selector.dtype_exclude)
        named = selector.pattern is None or re.search(selector.pattern, str(label)) is not None
        if wanted and not refused and named:
            chosen.append(label)
    return chosen


def _is_any(kind: Any, words: Any) -> bool:
    """Whether a type matches any of the given pandas type names; None is the type of categories."""
    each = words if isinstance(words, (list, tuple, set, frozenset)) else [words]
    if kind is None:
        return any(str(word) == "category" for word in each)
    return any(issubclass(kind.type, _meant(word)) for word in each if str(word) != "category")


def _meant(word: Any) -> type:
    """Return the NumPy type of a pandas type name."""
    meant = KINDS.get(word, word)
    return meant if isinstance(meant, type) and issubclass(meant, np.generic) else np.dtype(meant).type


def _with_zones(types: Any) -> Any:
    """Return column types; "datetime" also selects dates with a time zone, which pandas separates."""
    given = list(types) if isinstance(types, (list, tuple)) else [types]
    dates = any(isinstance(one, str) and one in ("datetime", "datetime64") for one in given)
    return [*given, "datetimetz"] if dates else types


def make_column_selector(
    pattern: str | None = None, *, dtype_include: Any = None, dtype_exclude: Any = None
) -> ColumnSelector:
    """Create a callable that selects columns by type or name, for ColumnTransformer, from frames and sources.

    Types are named as in pandas, which need not be installed: of a Source, no row is read to know them.

    Parameters
    ----------
    pattern : str, optional
        A regular expression that is to be found in the name.
    dtype_include, dtype_exclude : type or list of types, optional
        As `pandas.DataFrame.select_dtypes` has them: "number", "bool", "category", str, "datetime"; the last also for
        dates with a time zone.

    Returns
    -------
    selector : callable
        From a frame or a Source to a list of names.

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = tn.scan(pd.DataFrame({"size": [1.0], "city": ["Oslo"], "day": [pd.Timestamp("2024-02-29")]}))
    >>> tn.make_column_selector(dtype_include="number")(rows)
    ['size']
    >>> tn.make_column_selector(dtype_include="datetime")(rows)
    ['day']
    >>> tn.make_column_selector(pattern="^(?:city|day)$")(rows)
    ['city', 'day']
    """
    return ColumnSelector(pattern, dtype_include=dtype_include, dtype_exclude=dtype_exclude)
