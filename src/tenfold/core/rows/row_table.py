"""Some rows of a source with all columns, shown as a table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyarrow import ChunkedArray, Schema, Table

MAX_WIDTH = 120
"""characters of a line of text"""
MAX_TEXT = 24
"""characters of a value"""


class RowTable:
    """Rows with their original types: a table when printed or in a notebook, an Arrow table for other libraries.

    `table["price"]` is a column; `to_pandas` and `to_polars` make frames. Whatever takes
    Arrow tables takes it as well: `polars.from_arrow(table)`, `model.predict(table)`.

    Parameters
    ----------
    table : pyarrow.Table

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> tn.scan(pd.DataFrame({"size": [1, 2], "note": ["fast", None]})).head()
    size  note
       1  fast
       2  null
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self.table.column_names)

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    @property
    def schema(self) -> Schema:
        """The names and types of the columns."""
        return self.table.schema

    def __len__(self) -> int:
        return self.num_rows

    def __getitem__(self, name: str) -> ChunkedArray:
        return self.table.column(name)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def select(self, names: list[str]) -> RowTable:
        """The rows with some of their columns.

        Parameters
        ----------
        names : list of str

        Returns
        -------
        table : RowTable
        """
        return RowTable(self.table.select(names))

    def to_arrow(self) -> Table:
        """The rows as an Arrow table."""
        return self.table

    def to_pandas(self) -> Any:
        """The rows as a frame of pandas."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """The rows as a frame of polars."""
        import polars

        return polars.from_arrow(self.table)

    def to_pydict(self) -> dict[str, list[Any]]:
        """A list of values for each column."""
        return dict(self.table.to_pydict())

    def to_pylist(self) -> list[dict[str, Any]]:
        """A dictionary for each row."""
        return list(self.table.to_pylist())

    def __repr__(self) -> str:
        names, columns = self.column_names, self._texts()
        if not columns:
            return f"{len(self)} rows without columns"
        cells = [[_cut(name), *column] for name, column in zip(names, columns, strict=True)]
        wide = [max(map(len, column)) for column in cells]
        shown, width = 0, 0
        while shown < len(cells) and (not shown or width + wide[shown] + 2 <= MAX_WIDTH):
            width, shown = width + wide[shown] + 2, shown + 1
        numeric = [_is_number(field) for field in self.schema]
        lines = []
        for row in zip(*cells[:shown], strict=True):
            each = (f"{v:>{w}}" if number else f"{v:<{w}}" for v, w, number in zip(row, wide, numeric))
            lines.append("  ".join(each).rstrip())
        if shown < len(cells):
            lines.append(f"and columns {', '.join(map(repr, names[shown:]))}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        numeric = [_is_number(field) for field in self.schema]
        side = ["right" if number else "left" for number in numeric]
        head = "".join(f"<th style='text-align:{s}'>{escape(n)}</th>" for s, n in zip(side, self.column_names))
        body = "".join(
            f"<tr>{''.join(f'<td style=text-align:{s}>{escape(v)}</td>' for s, v in zip(side, row))}</tr>"
            for row in zip(*self._texts())
        )
        return f"<table class='tenfold-source'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _texts(self) -> list[list[str]]:
        """Return the values of each column as short texts."""
        return [[_text(value) for value in column.to_pylist()] for column in self.table.columns]


def _is_number(field: Any) -> bool:
    return str(field.type).startswith(("int", "uint", "float", "double", "halffloat", "decimal"))


def _text(value: object) -> str:
    if value is None:
        return "null"
    return f"{value:.6g}" if isinstance(value, float) else _cut(str(value))


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
