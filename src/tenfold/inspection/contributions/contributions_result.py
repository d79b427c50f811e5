"""Contributions to predictions as a result: a table of contributions, with the values of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array, Codes
from tenfold.core.certificate import number_of
from tenfold.estimator.lazy_output import Mapped
from tenfold.model_selection.formatting import ResultTable, short
from tenfold.sources import is_lazy
from tenfold.sources.frames import is_frame, table_of

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN_ROWS = 3
"""rows in the table"""
SHOWN_COLUMNS = 20
"""columns of the input in the table"""


@dataclass(frozen=True, eq=False, repr=False)
class Contributions(ResultTable):
    """Contributions of the columns of the input to predictions: with the base they sum to the raw prediction.

    Attributes
    ----------
    columns : list of str
        Of the input; those that the model does not read are left out.
    values : array of shape (rows, columns) or (rows, columns, classes), or Source
        The contributions. For a Source of rows it is one, with a column for each, or for each and each class.
    base : float, or array of shape (classes,)
        Raw prediction of which nothing is known: its mean over rows.
    output : str
        What is explained: the raw prediction, in words.
    classes : list or None
        The classes, if there are more than two.
    rows : array, frame or Source
        The rows that are explained.
    prediction : array of shape (rows,) or (rows, classes)
        The raw prediction of each row.
    importances : array of shape (columns,) or (columns, classes)
        Mean absolute contribution of each column.
    """

    columns: list[str]
    values: Array | Mapped
    base: Any
    output: str
    classes: list[Any] | None
    rows: Any

    @property
    def prediction(self) -> Array:
        """The raw prediction of each row, by the sum of the contributions."""
        found: Array = np.concatenate([self.base + part.sum(axis=1) for part in self._parts()])
        return found

    @property
    def importances(self) -> Array:
        """Mean absolute contribution of each column; of a Source in one scan."""
        total, rows = 0.0, 0
        for part in self._parts():
            total, rows = total + np.abs(part).sum(axis=0), rows + len(part)
        return np.asarray(total) / max(rows, 1)

    def _parts(self) -> Iterator[Array]:
        """The contributions, part by part."""
        each: Iterable[Array] = [self.values] if isinstance(self.values, np.ndarray) else self.values
        return map(self._shaped, each)

    def of(self, label: Any) -> Contributions:
        """The contributions to one class.

        Parameters
        ----------
        label : class
            One of more than two.

        Returns
        -------
        contributions : Contributions
        """
        if not self.classes or label not in self.classes:
            raise ValueError(f"{label!r} is none of the classes that are explained by themselves: {self.classes}")
        k = self.classes.index(label)
        if not isinstance(self.values, np.ndarray):
            raise TypeError("contributions for a Source have a column for each class. Remedy: their column, by name")
        what = f"{self.output} of {label!r}"
        return replace(self, values=self.values[:, :, k], base=float(self.base[k]), output=what, classes=None)

    def row(self, number: int) -> Array:
        """The contributions to the prediction of one row.

        Parameters
        ----------
        number : int
            Of the row, from 0 on; of a Source one of the first.

        Returns
        -------
        contributions : array of shape (columns,) or (columns, classes)
        """
        found = self._first(number + 1)
        if not 0 <= number < len(found):
            raise ValueError(f"there is no row {number}; there are {number_of(len(found), 'row')}")
        row: Array = found[number]
        return row

    def inputs(self, number: int) -> dict[str, Any]:
        """The values of the columns in one row.

        Parameters
        ----------
        number : int
            Of the row, from 0 on.

        Returns
        -------
        values : dict
            By the names of the columns.
        """
        if is_lazy(self.rows):
            table = self.rows.head(number + 1).to_arrow().slice(number, 1)
        elif is_frame(self.rows):
            some = self.rows[number : number + 1] if hasattr(self.rows, "iloc") else self.rows.slice(number, 1)
            table = table_of(some)
        else:
            some = self.rows[[number]].toarray() if sp.issparse(self.rows) else np.asarray(self.rows)[[number]]
            return dict(zip(self.columns, some[0].tolist(), strict=False))
        values = {name: column.to_pylist()[0] for name, column in zip(table.column_names, table.columns, strict=True)}
        if not {*self.columns} <= {*values}:  # they had no names
            return dict(zip(self.columns, values.values(), strict=False))
        return {name: values[name] for name in self.columns}

    def to_pandas(self) -> DataFrame:
        """Contributions as a DataFrame: a row for each, in memory."""
        import pandas as pd

        names = self.columns
        found = self.values if isinstance(self.values, np.ndarray) else np.concatenate(list(self.values))
        if self.classes:
            names = [f"{name}: {label}" for name in self.columns for label in self.classes]
        return pd.DataFrame(found.reshape(len(found), -1), columns=names)

    # ---- what is shown ---------------------------------------------------------------------------

    def _first(self, rows: int) -> Array:
        """The contributions to the first rows."""
        if isinstance(self.values, np.ndarray):
            return self.values[:rows]
        found = self.values.first_outputs(rows)
        return self._shaped(np.empty((0, len(self.values.names))) if found is None else found)

    def _shaped(self, part: Array) -> Array:
        """Rows x columns, and classes if they are explained."""
        return part.reshape(len(part), len(self.columns), len(self.classes)) if self.classes else part

    @property
    def _order(self) -> Codes:
        """The columns, those that contribute most first."""
        known = (
            self.importances if isinstance(self.values, np.ndarray) else np.abs(self._first(SHOWN_ROWS)).mean(axis=0)
        )
        return np.argsort(-(known.sum(axis=1) if known.ndim > 1 else known), kind="stable")

    def _rows_in_table(self) -> int:
        """How many rows the table has columns for."""
        return 1 if self.classes else len(self._first(SHOWN_ROWS))

    def _head(self) -> list[str]:
        if self.classes:
            return ["column", *(f"row 0, {label!r}" for label in self.classes)]
        mean = ["mean size"] if self._has_mean else []
        return ["column", *mean, *(f"row {i}" for i in range(self._rows_in_table()))]

    @property
    def _has_mean(self) -> bool:
        """Whether the mean absolute contributions are known without reading all rows, and say more than a row."""
        return isinstance(self.values, np.ndarray) and len(self.values) > 1

    def _rows(self) -> list[list[str]]:
        found, order = self._first(SHOWN_ROWS), self._order[:SHOWN_COLUMNS].tolist()
        if self.classes:
            return [[short(self.columns[j]), *(f"{v:+.4g}" for v in found[0, j])] for j in order] if len(found) else []
        given = [self.inputs(i) for i in range(len(found))]
        mean = self.importances if self._has_mean else None
        out = []
        for j in order:
            name = self.columns[j]
            cells = [f"{one[j]:+.4g} ({in_words(given[i][name])})" for i, one in enumerate(found)]
            out.append([short(name), *([] if mean is None else [f"{mean[j]:.4g}"]), *cells])
        return out

    def _note(self) -> str:
        base = ", ".join(f"{one:.4g}" for one in np.atleast_1d(self.base))
        note = f"base {base}; with the contributions of a row it sums to the {self.output}"
        more = len(self.columns) - SHOWN_COLUMNS
        return f"{note}; {number_of(more, 'more column')}" if more > 0 else note


def in_words(value: Any) -> str:
    """A value of a row, as it fits in a table."""
    if value is None or value != value:
        return "missing"
    return f"{value:.4g}" if isinstance(value, float) else short(str(value), 24)
