"""Columns by the type of what they hold, or by their name."""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_selector as SelectColumns

from tenfold.sources.column_choice import first_rows


class ColumnSelector(SelectColumns):
    """What `make_column_selector` makes: a function of rows in memory, or of a Source, to names of columns."""

    def __call__(self, rows: Any) -> list[str]:
        """The names of the columns that are chosen."""
        found: list[str] = super().__call__(first_rows(rows))
        return found


def make_column_selector(
    pattern: str | None = None, *, dtype_include: Any = None, dtype_exclude: Any = None
) -> ColumnSelector:
    """Choose columns by their types or their names: for ColumnTransformer, of frames and of sources.

    Types are those that pandas gives the columns: of a Source, no row is read to know them.

    Parameters
    ----------
    pattern : str, optional
        A regular expression that is to be found in the name.
    dtype_include, dtype_exclude : type or list of types, optional
        As `pandas.DataFrame.select_dtypes` has them: "number", "bool", "category", str, "datetime".

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
    >>> tn.make_column_selector(pattern="^(?:city|day)$")(rows)
    ['city', 'day']
    """
    return ColumnSelector(pattern, dtype_include=dtype_include, dtype_exclude=dtype_exclude)
