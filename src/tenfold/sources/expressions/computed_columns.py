"""Rows of a source with columns that are computed from others while they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any, Self

import pyarrow as pa

from tenfold.core import Codes, DataError, Labels, Values
from tenfold.core.value import digest_of
from tenfold.sources import arrow
from tenfold.sources.expressions.evaluate import evaluate
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.source import Source
from tenfold.sources.tables import ArrowSource, expression_of

Computed = tuple[tuple[tuple[str, str], ...], ...]
"""names and expressions (as JSON) of computed columns, for each `with_columns`, in the order of the calls"""


MAX_CALLS = 100
"""of `with_columns`, one after the other"""


class WithColumns(ArrowSource):
    """The rows of another source, with columns that are computed where they are read.

    Parameters
    ----------
    base : ArrowSource
    expressions : dict of str to ColumnExpression
        By the name of the column. One that the base has too is replaced; expressions see the columns of the base.
    """

    def __init__(self, base: ArrowSource, expressions: Mapping[str, ColumnExpression]) -> None:
        if len(base.computed) == MAX_CALLS:
            raise DataError(
                f"more than {MAX_CALLS} calls of with_columns follow each other. Remedy: one of all columns"
            )
        for name, expression in expressions.items():
            if not isinstance(expression, ColumnExpression):
                raise DataError(
                    f"column {name!r} is {expression!r}, and not an expression. Remedy: tenfold.lit({expression!r}), "
                    "a column of one value, or tenfold.col(...)"
                )
            _check_readable(name, expression)
            base.check_there(expression.columns())
        types, where = base.types, f" of {base.where}"
        empty = _in_types(types.empty_table(), _read_by(expressions), types, where)
        for name, column in evaluate(expressions, empty, where).items():
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
        used, where = _read_by(made), self._in(part)
        for start, table in self.base.tables(part, list(dict.fromkeys([*stored, *used])), rows):
            found = evaluate(made, _in_types(table, used, self.base.types, where), where, start)
            table = table.select(stored)
            for name, column in found.items():
                table = table.append_column(name, column)
            yield start, table

    def starts(self) -> Codes | None:
        return self.base.starts()

    def file_starts(self, starts: Codes | None = None) -> Codes | None:
        return self.base.file_starts(starts)

    def place(self, part: int) -> str:
        return self.base.place(part)

    def only(self, where: Any) -> Self:
        self._refuse_computed(where)
        other = copy(self)
        other.base, other._found = self.base.only(where), {}
        other.asked, other.counted = other.base.asked, other.base.counted
        return other

    def _refuse_computed(self, where: Any) -> None:
        """Refuse a filter by a column that is computed here: rows are filtered as they are stored."""
        names = [name for name in self.base.types.names if name not in self.expressions]
        stored = pa.schema([self.base.types.field(name) for name in names]).empty_table()
        try:
            stored.filter(expression_of(where))
        except (pa.ArrowException, KeyError) as error:
            raise DataError(
                f"`where` does not fit the columns of {self.where} as they are stored: "
                f"{str(error).partition(' in ')[0]}. Remedy: the columns that they are computed from, "
                "tenfold.scan(..., where=...)"
            ) from None

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


def _check_readable(name: str, expression: ColumnExpression) -> None:
    """Refuse an expression that could not be read from a model file, before a model is fitted to it."""
    try:
        read_expression(expression.to_json())
    except (DataError, RecursionError) as error:
        raise DataError(
            f"a model cannot keep the expression of column {name!r}: {error}. Remedy: compute parts of it by another "
            "call of with_columns before"
        ) from None


def _read_by(expressions: Mapping[str, ColumnExpression]) -> list[str]:
    """The names of the columns that expressions read."""
    return [name for expression in expressions.values() for name in expression.columns()]


def _in_types(table: pa.Table, names: Iterable[str], types: pa.Schema, where: str) -> pa.Table:
    """Some columns of one file in the types of all files, so that a computed column has one type; no dictionaries."""
    columns = {}
    for name in dict.fromkeys(names):
        column, kind = arrow.whole(table.column(name)), _plain(types.field(name).type)
        try:
            column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
            columns[name] = column if column.type == kind else column.cast(kind)
        except pa.ArrowException as error:
            raise DataError(
                f"column {name!r}{where} is {column.type}, and {kind} in other files, which does not hold all values: "
                f"{error}. Remedy: write the files with one type"
            ) from None
    return pa.table(columns) if columns else table.select([])


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of values in a dictionary or a view, of which few functions are there."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return pa.large_string() if pa.types.is_string_view(kind) else kind


def with_computed(source: Source, computed: Computed, features: Sequence[str] | None = None) -> Source:
    """The rows with the columns that a model was fitted to; rows that have them already are returned as they are.

    A column that none of the features is computed from, as the target of the fit, is left out if the rows lack what it
    is computed from.
    """
    if not computed or source.computed == computed:
        return source
    if source.computed:
        raise DataError(
            "these rows were given other computed columns than the model was fitted to. Remedy: the rows without "
            "`with_columns`: the model computes its columns itself"
        )
    each = [{name: read_expression(text) for name, text in made} for made in computed]
    wanted = [{*(name for made in each for name in made)} if features is None else {*features}]
    for made in reversed(each[1:]):
        wanted.insert(0, {*wanted[0], *_read_by({name: made[name] for name in made if name in wanted[0]})})
    for made, names in zip(each, wanted, strict=True):
        there = {*source.columns}
        source = source.with_columns(
            **{name: one for name, one in made.items() if name in names or {*one.columns()} <= there}
        )
    return source


@lru_cache(maxsize=1024)
def read_expression(text: str) -> ColumnExpression:
    """The expression that is written as JSON."""
    return ColumnExpression.from_json(text)
