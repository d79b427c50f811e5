"""Rows of a source with columns that are computed from others while they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from functools import lru_cache
from typing import Any, Self

import pyarrow as pa

from tenfold.core import Codes, DataError, Labels, Values
from tenfold.core.value import digest_of
from tenfold.sources.expressions.evaluate import evaluate
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.source import Source
from tenfold.sources.tables import ArrowSource

Computed = tuple[tuple[tuple[str, str], ...], ...]
"""names and expressions (as JSON) of computed columns, for each `with_columns`, in the order of the calls"""


class WithColumns(ArrowSource):
    """The rows of another source, with columns that are computed where they are read.

    Parameters
    ----------
    base : ArrowSource
    expressions : dict of str to ColumnExpression
        By the name of the column. One that the base has too is replaced; expressions see the columns of the base.
    """

    def __init__(self, base: ArrowSource, expressions: Mapping[str, ColumnExpression]) -> None:
        for name, expression in expressions.items():
            if not isinstance(expression, ColumnExpression):
                raise DataError(f"column {name!r} is {expression!r}, and not an expression. Remedy: tenfold.col(...)")
            base.check_there(expression.columns())
        types = base.types
        for name, column in evaluate(expressions, _in_types(types.empty_table(), types), f" of {base.where}").items():
            at, field = types.get_field_index(name), pa.field(name, column.type)
            types = types.append(field) if at < 0 else types.set(at, field)
        super().__init__(types, base.roles, base.where, base.y, base.weight)
        self.base, self.expressions = base, dict(expressions)
        new = [name for name in expressions if name not in base.names and name not in base.roles.taken]
        self.names = (*base.names, *new)
        self.named, self.lazy, self.asked, self.side = base.named, base.lazy, base.asked, base.side
        self.classes, self.counted, self.first_part = base.classes, base.counted, base.first_part

    @property
    def computed(self) -> Computed:
        made = tuple((name, expression.to_json()) for name, expression in self.expressions.items())
        return (*self.base.computed, made)

    def __len__(self) -> int:
        return len(self.base)

    @property
    def n_rows(self) -> int | None:
        return self.base.n_rows

    @property
    def stated_classes(self) -> Labels | None:
        return None if self.roles.target in self.expressions else self.base.stated_classes

    def tables(self, part: int, columns: list[str], rows: int | None = None) -> Iterator[tuple[int, pa.Table]]:
        made = {name: self.expressions[name] for name in columns if name in self.expressions}
        stored = [name for name in columns if name not in made]
        read = list(dict.fromkeys([*stored, *(c for e in made.values() for c in e.columns())]))
        for start, table in self.base.tables(part, read, rows):
            found = evaluate(made, _in_types(table, self.base.types), self._in(part), start)
            table = table.select(stored)
            for name, column in found.items():
                table = table.append_column(name, column)
            yield start, table

    def starts(self) -> Codes | None:
        return self.base.starts()

    def place(self, part: int) -> str:
        return self.base.place(part)

    def only(self, where: Any) -> Self:
        other = copy(self)
        other.base, other._found = self.base.only(where), {}
        other.asked, other.counted = other.base.asked, other.base.counted
        return other

    def target_values(self) -> Values | None:
        return self.base.target_values()

    def in_memory(self) -> int:
        return self.base.in_memory()

    def arrays(self) -> tuple[Any, ...]:
        return self.base.arrays()

    def graph(self) -> Any:
        return self.base.graph()

    def fingerprint(self) -> str:
        made = digest_of(self.computed[-1], self.names).hex()[:16]
        return f"{self.base.fingerprint()}, with {len(self.expressions)} computed columns {made}"


def _in_types(table: pa.Table, types: pa.Schema) -> pa.Table:
    """Columns of one file in the types of all files, so that a computed column has one type."""
    for k, field in enumerate(table.schema):
        kind = types.field(field.name).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if field.type != kind and not pa.types.is_dictionary(field.type):
            table = table.set_column(k, field.name, table.column(k).cast(kind))
    return table


def with_computed(source: Source, computed: Computed) -> Source:
    """The rows with the columns that a model was fitted to; rows that have them already are returned as they are."""
    if not computed or source.computed == computed:
        return source
    if source.computed:
        raise DataError(
            "these rows were given other computed columns than the model was fitted to. Remedy: the rows without "
            "`with_columns`: the model computes its columns itself"
        )
    for made in computed:
        source = source.with_columns(**{name: read_expression(text) for name, text in made})
    return source


@lru_cache(maxsize=1024)
def read_expression(text: str) -> ColumnExpression:
    """The expression that is written as JSON."""
    return ColumnExpression.from_json(text)
