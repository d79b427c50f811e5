"""A SELECT statement in levels: each computes columns of those below it, and the lowest reads the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenfold.core import Schema
from tenfold.core.schema import is_text
from tenfold.export.sql.sql_text import NOT_A_NUMBER, SqlColumn, quoted_name


class Query:
    """A statement that grows from the table upwards.

    Parameters
    ----------
    source : str
        What the lowest level reads, quoted.
    keep : sequence of str
        Columns of the table that come along under names of their own, which collide with none.
    """

    def __init__(self, source: str, keep: Sequence[str], prefix: str = "") -> None:
        if isinstance(keep, str):
            raise TypeError(f"keep is a list of columns, and {keep!r} is one. Remedy: keep=[{keep!r}]")
        self.source, self.keep, self.prefix, self.levels = source, list(keep), prefix, 0
        self.kept = [f"{prefix}{quoted_name(name)} AS {quoted_name(f'k{k}')}" for k, name in enumerate(self.keep)]

    def add(self, letter: str, expressions: Sequence[str]) -> list[str]:
        """Add a level that computes these expressions, and return the names that they have above it."""
        names = [quoted_name(f"{letter}{k}") for k in range(len(expressions))]
        columns = [*self.kept, *(f"{one} AS {name}" for one, name in zip(expressions, names, strict=True))]
        self.levels += 1
        self.source = f"(\nSELECT {', '.join(columns)} FROM {self.source}\n) AS {quoted_name(f's{self.levels}')}"
        self.kept = [quoted_name(f"k{k}") for k in range(len(self.keep))]
        return names

    def columns_of(self, schema: Schema) -> list[SqlColumn]:
        """Add the level that reads the columns of a model: NaN is missing, as NULL is."""
        found, expressions = [], []
        for column in schema.columns:
            labels = column.categories
            if column.kind in ("date", "time"):
                raise TypeError(
                    f"column {column.name!r} holds {column.kind}s, which to_sql does not take. Remedy: numbers of it "
                    "before the fit, DateParts()"
                )
            text = column.kind == "text" or (labels is not None and len(labels) > 0 and is_text(labels))
            expressions.append(read(self.prefix + quoted_name(column.name), text))
            found.append(text)
        used = [j for j, column in enumerate(schema.columns) if column.kind != "unused"]
        names = self.add("a", [expressions[j] for j in used])
        by_place = dict(zip(used, names, strict=True))
        return [SqlColumn(by_place.get(j, "NULL"), text) for j, text in enumerate(found)]

    def select(self, outputs: Mapping[str, str]) -> str:
        """Return the statement: the columns that are kept, and these under their names."""
        if twice := sorted({*self.keep} & {*outputs}):
            raise ValueError(f"columns {twice} of keep have the names of outputs. Remedy: leave them out of keep")
        kept = [f"{inner} AS {quoted_name(name)}" for inner, name in zip(self.kept, self.keep, strict=True)]
        made = [f"{expression} AS {quoted_name(name)}" for name, expression in outputs.items()]
        return f"SELECT {', '.join([*kept, *made])} FROM {self.source}"


def read(column: str, text: bool) -> str:
    """Return a column of a table as a model reads it."""
    return column if text else f"NULLIF(CAST({column} AS DOUBLE PRECISION), {NOT_A_NUMBER})"
