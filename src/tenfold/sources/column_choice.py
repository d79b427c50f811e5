"""Which columns are meant: by name, number, slice, mask, or by a function that looks at the first rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from tenfold.core import DataError, MatrixLike
from tenfold.sources.arrow import is_category
from tenfold.sources.dask_frames import is_dask
from tenfold.sources.frames import is_frame, table_of
from tenfold.sources.inputs import as_source
from tenfold.sources.source import Source, no_column

INSPECTED_ROWS = 100
"""rows that a function looks at"""


class FirstRows(NamedTuple):
    """Names of the columns, and the first rows (none for a source), from which types are inferred."""

    labels: tuple[Any, ...]
    """names, or the numbers of columns without names"""
    rows: Any
    """a frame of pandas, an Arrow table, or an array"""
    taken: Mapping[str, str] = MappingProxyType({})
    """by the name of a column that is no feature: what it is, and the remedy"""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the column names of a source; labels that are not text are dropped."""
        if all(isinstance(label, str) for label in self.labels):
            return self.labels
        return tuple(f"x{j}" for j in range(len(self.labels)))

    def without(self, column: str | None) -> FirstRows:
        """Return all columns except the named one, which says the fold or the group of each row."""
        if column is None:
            return self
        day = ".dt.date()" if self._has_dates(column) else ""
        remedy = f"tenfold.col({column!r}){day} in place of its name, which leaves it a feature"
        taken = {**self.taken, column: f"says the fold or the group of each row. Remedy: {remedy}"}
        left = [label for label in self.labels if label != column]
        if len(left) == len(self.labels):
            return self._replace(taken=taken)
        rows = self.rows.select(left) if isinstance(self.rows, pa.Table) else self.rows[left]
        return FirstRows(tuple(left), rows, taken)

    def _has_dates(self, column: str) -> bool:
        """Whether a column holds points in time."""
        if not isinstance(self.rows, pa.Table) or column not in self.rows.column_names:
            return False
        return bool(pa.types.is_timestamp(self.rows.schema.field(column).type))

    def refuse_taken(self, chosen: Any) -> None:
        """Refuse columns, by their names, that are no features."""
        for name in [chosen] if isinstance(chosen, str) else chosen if isinstance(chosen, (list, tuple)) else ():
            if isinstance(name, str) and name in self.taken and name not in self.labels:
                made = [str(label) for label in self.labels if f"__{name}" in str(label)]
                if made and not any(label.endswith(f"__{name}") for label in made):  # an encoder has made many of it
                    raise DataError(
                        f"there is no column {name!r}, of which the step before made {len(made):,} columns, such as "
                        f"{made[0]!r}. Remedy: in a ColumnTransformer 'passthrough', or OrdinalEncoder(), for {name!r} "
                        "keeps it one column of categories"
                    )
                if made:
                    raise no_column(name, self.names)
                what, _, remedy = self.taken[name].partition(". ")
                raise DataError(f"column {name!r} {what}, so it is no feature. {remedy}")

    def types(self) -> list[Any]:
        """The type of each column, as numpy has it; None for categories."""
        if not isinstance(self.rows, pa.Table):
            return [np.asarray(self.rows).dtype] * len(self.labels)
        return [_type_of(kind) for kind in self.rows.schema.types]

    def holds_text(self, j: int) -> bool:
        """Whether the column with this index contains text."""
        if isinstance(self.rows, pa.Table):
            return is_category(self.rows.schema.types[j])
        values = self.rows[:, j] if isinstance(self.rows, np.ndarray) else self.rows.iloc[:, j]
        return any(isinstance(value, str) for value in values)

    def frame(self) -> Any:
        """The rows as a frame of pandas, for functions that choose columns."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "a function that selects columns needs pandas, which is not installed. Remedy: names of "
                "columns, tenfold.make_column_selector, or pip install pandas"
            ) from None
        if isinstance(self.rows, pd.DataFrame):
            return self.rows
        if isinstance(self.rows, pa.Table):
            found = self.rows.to_pandas(date_as_object=False)
        else:
            found = pd.DataFrame(self.rows)
        return found.set_axis(list(self.labels), axis=1)


def _taken(source: Source) -> dict[str, str]:
    """The columns of a source that are no features, and why."""
    remedy = "is left out of the features. Remedy: tenfold.scan without it in `drop`, or with it in `columns`"
    found = {name: remedy for name in source.columns if name not in source.names}
    for role in ("target", "weight", "sequence"):
        for name in source.columns_of(role):
            found[name] = f"is the {role}. Remedy: leave it out of the columns that are transformed"
    return found


def no_rows(names: Sequence[str]) -> FirstRows:
    """Columns of numbers with these names, and no row."""
    return FirstRows(tuple(names), pa.schema([(name, pa.float64()) for name in names]).empty_table())


def _type_of(kind: pa.DataType) -> Any:
    if pa.types.is_dictionary(kind):
        return None
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return np.dtype("M8[ns]")
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return np.dtype(object if text else kind.to_pandas_dtype())


def first_rows(X: MatrixLike) -> FirstRows:
    """The names and types of columns, with the first rows, of a source none; without names they are numbered.

    Parameters
    ----------
    X : array, CSR matrix, frame, collection of Dask, Source, or first rows
    """
    if isinstance(X, FirstRows):
        return X
    if is_dask(X):
        X = as_source(X)
    if isinstance(X, Source):
        found = X.schema.empty_table().select(list(X.names))
        return FirstRows(X.names if X.named else tuple(range(len(X.names))), found, _taken(X))
    if is_frame(X):
        X = X.head(INSPECTED_ROWS) if type(X).__name__ == "DataFrame" else table_of(X).slice(0, INSPECTED_ROWS)
        if type(X).__module__.split(".")[0] == "pandas":
            return FirstRows(tuple(X.columns), X)
        table = table_of(X)
        return FirstRows(tuple(table.column_names), table)
    X = X.tocsr()[:INSPECTED_ROWS].toarray() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2:
        raise DataError(f"Expected 2D array, got {X.ndim}D array instead: X is not a table of rows and columns")
    return FirstRows(tuple(range(X.shape[1])), X[:INSPECTED_ROWS])


def places_of(chosen: Any, names: Sequence[str], who: str) -> tuple[int, ...]:
    """The numbers of the columns that are meant, in the order in which they are named.

    Parameters
    ----------
    chosen : str, int, slice, list of str or int, or mask
    names : sequence of str
        Of all columns.
    who : str
        Whose columns they are, for errors.
    """
    if isinstance(chosen, slice):
        return tuple(range(*_numbered(chosen, names).indices(len(names))))
    if isinstance(chosen, (str, int, np.integer)) and not isinstance(chosen, bool):
        chosen = [chosen]
    given = list(chosen) if hasattr(chosen, "__iter__") else [chosen]
    if given and all(isinstance(one, (bool, np.bool_)) for one in given):
        if len(given) != len(names):
            raise ValueError(f"the mask of {who} has {len(given)} entries, but there are {len(names)} columns")
        return tuple(np.flatnonzero(given).tolist())
    return tuple(_place(one, names, who) for one in given)


def _place(one: Any, names: Sequence[str], who: str) -> int:
    if isinstance(one, str):
        if one not in names:
            raise no_column(one, names)
        return list(names).index(one)
    if not isinstance(one, (int, np.integer)) or isinstance(one, bool):
        raise ValueError(
            f"the columns of {who} hold {one!r}. Remedy: names or numbers of columns, a slice, a mask, or a function"
        )
    if not -len(names) <= one < len(names):
        raise ValueError(f"{who} selects column number {one}, but there are {len(names)} columns")
    return int(one) % len(names)


def _numbered(chosen: slice, names: Sequence[str]) -> slice:
    """A slice of numbers; one of names has its last name in it, as in pandas."""
    start, stop = chosen.start, chosen.stop
    start = _place(start, names, "a slice") if isinstance(start, str) else start
    stop = _place(stop, names, "a slice") + 1 if isinstance(stop, str) else stop
    return slice(start, stop, chosen.step)
