"""Sources of Arrow tables: roles of columns, and chunks as a need requires.

A subclass says how many parts there are and how to read some columns of one of them; this class makes chunks
of them.
"""

from __future__ import annotations

import hashlib
import re
import threading
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_
from typing import Any, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.core import Array, Chunk, Codes, Column, DataError, Labels, Need, Schema, Values, VectorLike
from tenfold.core.arrays import ones
from tenfold.core.rows.columns import columns_class
from tenfold.sources import arrow, validation
from tenfold.sources.array_source import even_cuts, fingerprints_of
from tenfold.sources.label_codes import class_codes
from tenfold.sources.label_codes import levels as plain_levels
from tenfold.sources.source import Source, no_column
from tenfold.sources.validation import MISSING_CATEGORY_REMEDY

MISSING_FIELD = re.compile(r"FieldRef\.Name\((.*?)\)")
NOT_COMPARED = re.compile(r"matching input types \((\w+).*?, (\w+).*?\)")
"""what Arrow says of a filter that does not fit the columns"""
PANDAS_INDEX = re.compile(r"__index_level_\d+__")
"""the name under which pandas writes an index without a name, which is no feature of a frame either"""
INSPECTED_ROWS = 100
"""rows by which an error tells whether text means numbers"""


@dataclass(frozen=True)
class Roles:
    """Roles of the columns. Columns without a role are features."""

    target: str | None = None
    """the column to predict"""
    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    weight: str | None = None
    sequence: str | None = None
    outputs: tuple[str, ...] = ()
    """the columns of a target of several"""

    @property
    def taken(self) -> tuple[str, ...]:
        """Return the columns that are not features: target, weight, and sequence ids."""
        some = (*self.outputs, self.target, self.weight, self.sequence)
        return tuple(dict.fromkeys(name for name in some if name is not None))

    def left_out(self, names: Set[str]) -> Set[str]:
        """Return the columns among the names that are neither features nor have another role, as the caller wished."""
        if self.columns is None:
            return names & {*self.drop}
        return names - {*self.taken, *(name for name in self.columns if name not in self.drop)}

    def features(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the features among the names, or raise with the name of a missing column."""
        if repeated := sorted({n for n in names if list(names).count(n) > 1} if len(set(names)) < len(names) else []):
            raise DataError(f"columns {repeated} appear more than once. Remedy: rename them")
        taken = self.taken
        for name in (*taken, *(self.columns or ()), *self.drop, *self.categorical):
            if name not in names:
                raise no_column(name, names)
        if self.columns is None:
            chosen = tuple(name for name in names if not PANDAS_INDEX.fullmatch(name))
        else:
            chosen = tuple(dict.fromkeys(self.columns))
        return tuple(n for n in chosen if n not in taken and n not in self.drop)


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name for a column to add, after underscores: as many as no other column of this name has."""
    found, others = f"__{name}", {*taken}
    while found in others:
        found = f"_{found}"
    return found


_cached = threading.local()


class ArrowSource(Source):
    """Rows that come as Arrow tables, part by part."""

    def __init__(
        self, schema: pa.Schema, roles: Roles, where: str, y: Values | None = None, weight: Array | None = None
    ) -> None:
        super().__init__()
        self.types = schema
        self.roles = roles
        self.where = where
        """how the user wrote it, for errors that print the call that would work"""
        self.asked = ""
        """the row filter as the user passed it"""
        self.names = roles.features(schema.names)
        self.sequence = roles.sequence
        self.named = True
        self.y, self.weight = y, weight
        self.classes: Labels | None = None

    @property
    def columns(self) -> Sequence[str]:
        names: list[str] = self.types.names
        return names

    @property
    def schema(self) -> pa.Schema:
        return self.types

    def preview(self, part: int, rows: int | None = None) -> Iterator[pa.Table]:
        # Yield the first rows of a part, all columns; a target and weights given beside a frame are not among them.
        for _, table in self.tables(part, list(self.columns), rows):
            table = table.select(list(self.columns))
            yield table if table.schema.types == self.types.types else self._in_types(table)

    def _in_types(self, table: pa.Table) -> pa.Table:
        """The rows of one file in the types of all: those of a column that is not used may have none in common."""
        for k, field in enumerate(self.types):
            column = table.column(k)
            if pa.types.is_dictionary(column.type) and not pa.types.is_dictionary(field.type):
                column = arrow.whole(column).dictionary_decode()
            try:
                table = table.set_column(k, field.name, column.cast(field.type, safe=False))
            except pa.ArrowException:
                continue
        return table

    def columns_of(self, role: str) -> tuple[str, ...]:
        roles = self.roles
        found = {"target": (*roles.outputs, roles.target), "weight": (roles.weight,), "sequence": (roles.sequence,)}
        return tuple(name for name in found[role] if name is not None)

    def role_text(self) -> str:
        target = list(self.roles.outputs) or self.roles.target
        roles = {"target": target, "weight": self.roles.weight, "sequence": self.roles.sequence}
        return "".join(f", {role} {name!r}" for role, name in roles.items() if name is not None)

    @property
    def weighted(self) -> bool:
        return self.weight is not None or self.roles.weight is not None

    @property
    def outputs(self) -> int:
        if self.y is not None:
            return self.y.shape[1] if self.y.ndim == 2 else 0
        return len(self.roles.outputs) if self.roles.target is None else 0

    @property
    def has_target(self) -> bool:
        return self.roles.target is not None or super().has_target

    def output(self, at: int) -> Self:
        if not self.outputs:
            return super().output(at)
        other = copy(self)
        other._found = {}
        if self.y is not None:
            other.y = self.y[:, at]
        else:
            other.roles = replace(self.roles, target=self.roles.outputs[at])
        return other

    def unweighted(self) -> Self:
        if not self.weighted:
            return self
        other = super().unweighted()
        other.roles = replace(self.roles, weight=None)
        return other

    def raw(self, part: int, columns: Sequence[str]) -> Iterator[pa.Table]:
        self.check_there(columns)
        for _, table in self._tables(part, list(columns), None):
            yield table.select(list(columns))

    def with_columns(self, /, **expressions: Any) -> Source:
        from tenfold.sources.expressions.computed_columns import WithColumns  # which is a source of tables itself

        return WithColumns(self, expressions) if expressions else self

    @abstractmethod
    def tables(self, part: int, columns: list[str], rows: int | None = None) -> Iterator[tuple[int, pa.Table]]:
        """Yield some columns of one part in pieces that fit in memory, each with the number of its first row.

        With `rows`, at most the first n rows.
        """

    def starts(self) -> Codes | None:
        """The number of each part's first row, and of all rows, where it is known without reading them."""
        return None

    @abstractmethod
    def place(self, part: int) -> str:
        """Where a part comes from, for errors; empty if it is in memory."""

    def scans_for(self, need: Need) -> bool:
        unknown = need.target == "class" and self.stated_classes is None
        return unknown or any(self._is_category(n, need) for n in self.names)

    @property
    def stated_classes(self) -> Labels | None:
        """The classes of the target, where they are known without a look at the rows."""
        return None

    def _is_category(self, name: str, need: Need) -> bool:
        if (kind := need.kind_of(name)) != "mixed":
            return kind == "categorical"
        return name in self.roles.categorical or arrow.is_category(self.types.field(name).type)

    def _refuse_types(self, need: Need) -> None:
        """Name every column that this need cannot take, and print the call that would work."""
        if not self.names:
            raise DataError(f"no column of {self.where} is left as a feature. Remedy: drop fewer, or name others")
        wrong = {}
        for name in self.names:
            kind = self.types.field(name).type
            fits = arrow.is_label if self._is_category(name, need) else arrow.is_number
            fits = {"text": arrow.is_text, "date": _is_date}.get(how := need.kind_of(name), fits)
            if how != "unused" and (not fits(kind) or (how == "numeric" and name in self.roles.categorical)):
                wrong[name] = "a category" if fits(kind) else str(kind)
        if wrong:
            said = ", ".join(f"{n!r} ({k})" for n, k in wrong.items())
            drop = [*self.roles.drop, *(n for n in wrong if n not in self.roles.drop)]
            words = {
                "numeric": "numbers",
                "categorical": "categories",
                "mixed": "numbers or categories",
                "text": "text",
                "date": "dates",
            }
            other = {
                "categorical": "make text of them first, .astype(str)",
                "mixed": "convert them first",
                "text": "make text of them first, .astype(str)",
                "date": "make dates of them first, pandas.to_datetime",
            }
            kinds = {need.kind_of(name) for name in wrong}
            wanted = kinds.pop() if len(kinds) == 1 else "mixed"
            remedy = other.get(wanted, "encode them first (OneHotEncoder for categories)")
            dates = [n for n in wrong if _is_date(self.types.field(n).type)]
            if dates and wanted in ("numeric", "mixed"):
                remedy += f"; make numbers of dates, ColumnTransformer([('when', DateParts(), {dates!r}), ...])"
            elif dates and wanted == "categorical":
                remedy += ", or parts of dates, DateParts()"
            if ".csv" in self.where and any(pa.types.is_binary(self.types.field(n).type) for n in wrong):
                remedy += (
                    "; text of a CSV file that is not in UTF-8 is binary: "
                    f"tenfold.scan(pandas.read_csv({self.where}, encoding='latin-1'), ...)"
                )
            leave_out = f"leave them out, {self._call(drop)}"
            texts = [n for n in wrong if wanted == "numeric" and self._means_numbers(n)]
            if len(texts) == len(wrong):
                leave_out += ", which a model that was fitted to them does not take"
                raise DataError(
                    f"columns that cannot be used as {words[wanted]}: {said}. Remedy: "
                    f"{arrow.remedy_for_text(texts, self._in_frame)}; or {leave_out}"
                )
            raise DataError(f"columns that cannot be used as {words[wanted]}: {said}. Remedy: {leave_out}, or {remedy}")

    def _means_numbers(self, name: str) -> bool:
        """Whether a column is text that means numbers, by the first rows."""
        if not arrow.is_text(self.types.field(name).type):
            return False
        _, table = next(iter(self.tables(0, [name], INSPECTED_ROWS)), (0, None))
        return table is not None and arrow.means_numbers(table.column(name))

    @property
    def _in_frame(self) -> bool:
        """Whether the rows are a frame that was passed as such, and no source."""
        return self.where in ("X", "X.drop")

    def _call(self, drop: Sequence[str], asked: str = "") -> str:
        """The call that the user wrote, with other columns dropped or other rows taken."""
        if self.where == "X.drop":
            return f"fit(X.drop({drop!r}), y)"
        if self.where == "X":
            return f"fit(X.drop(columns={list(drop)!r}), y)"
        roles = self.roles
        target = list(roles.outputs) or roles.target
        given: dict[str, Any] = {"target": target, "columns": roles.columns, "drop": drop}
        given |= {"categorical": roles.categorical}
        given |= {"weight": roles.weight, "sequence": roles.sequence}
        said = [f"{k}={(list(v) if isinstance(v, tuple) else v)!r}" for k, v in given.items() if v]
        more = asked or self.asked
        return f"tenfold.scan({', '.join([self.where, *said, *([f'where={more}'] if more else [])])})"

    def schema_of(self, part: int, need: Need) -> Schema:
        self._refuse_types(need)
        coded = [n for n in self.names if self._is_category(n, need)]
        found: dict[str, Any] = {}
        classes = None if self.classes is None else plain_levels(self.classes, "classes")
        if need.target == "class" and self.stated_classes is not None:
            classes = self.stated_classes if classes is None else np.union1d(classes, self.stated_classes)
        for start, table in self._pieces(part, coded, need) if self.scans_for(need) else ():
            table, _, _ = self._weighted_rows(table, start, part)
            for name in coded:
                some = arrow.levels(table.column(name), self._at(name, part))
                found[name] = Column(name, "categorical", some) + Column(name, "categorical", found.get(name))
                found[name] = found[name].categories
            if need.target == "class":
                some = self._classes(table, part)
                classes = some if classes is None else np.union1d(classes, some)
        columns = tuple(
            Column(n, "categorical", found.get(n, np.empty(0, dtype=object)))
            if n in coded
            else Column(n, self._plain(n, need))
            for n in self.names
        )
        return Schema(columns, need.target, classes, self.named)

    def _plain(self, name: str, need: Need) -> Literal["numeric", "text", "date", "time", "unused"]:
        """The kind of a column that has no categories."""
        kind = need.plain(name)
        return "time" if kind == "date" and arrow.is_time(self.types.field(name).type) else kind

    def _classes(self, table: pa.Table, part: int) -> Labels:
        return validation.check_classes(arrow.levels(self._target_of(table, part, labels=True), "the target"), "it")

    def check_columns(self, schema: Schema) -> None:
        # Refuse a schema of columns that are not there: they are taken by name, in any order, and more may be there.
        # A model of unnamed columns takes them by their places, so there must be as many.
        if not schema.named and not {*schema.names} <= {*self.names}:
            validation.check_columns(self.names, self.named, schema)
            return
        used = [c.name for c in schema.columns if c.kind != "unused"]
        there = {*self.types.names}
        if missing := [name for name in used if name not in there]:
            raise DataError(
                f"columns {missing} that the model was fitted with are missing: {self.where} has "
                f"{list(self.types.names)[:20]}. Remedy: rows with the columns of the fit, or a fit without these; "
                f"rows.with_columns(**dict.fromkeys({missing}, tenfold.lit(None))), where they have no value"
            )
        left_out = self.roles.left_out(there - {*self.names})
        if left_out and (lost := [name for name in used if name in left_out]):
            how = "drop" if {*lost} & {*self.roles.drop} else "columns"
            raise DataError(
                f"columns {lost} that the model was fitted with are left out of {self.where} by `{how}`. Remedy: leave "
                "them in, or fit a model without them"
            )

    def read(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        return self.first_rows(part, need, schema, None)

    def first_rows(self, part: int, need: Need, schema: Schema, rows: int | None) -> Iterator[Chunk]:
        names = self._named_in(schema)
        place = self.first_row_id(part)
        used = [n for n, c in zip(names, schema.columns, strict=True) if c.kind != "unused"]
        for start, table in self._pieces(part, used, need, rows):
            chunk = self._chunk(start, table, part, need, schema, names)
            yield chunk._replace(first_row_id=place)
            place += chunk.n

    def _named_in(self, schema: Schema) -> list[str]:
        """The columns of a schema, by their names here."""
        names = list(schema.names)
        return list(self.names) if not schema.named and len(names) == len(self.names) else names

    def check_schema(self, need: Need, schema: Schema) -> None:
        # Refuse, or warn of, categories that are hardly meant as such, unless the user declared them.
        chosen = {*self.roles.categorical, *(f.name for f in self.types if pa.types.is_dictionary(f.type))}
        given = self.where in ("X", "X.drop")  # to fit, not to scan
        keep = "give the column the type category" if given else "tenfold.scan(..., categorical=[{name!r}])"
        self._check_categories(need, schema, chosen, keep)

    @contextmanager
    def once(self, part: int, needs: int, columns: Sequence[str] = ()) -> Iterator[None]:
        _cached.tables, _cached.part, _cached.columns = {} if needs > 1 else None, part, columns
        try:
            yield
        finally:
            _cached.tables = None

    def _tables(self, part: int, columns: list[str], rows: int | None) -> Iterator[tuple[int, pa.Table]]:
        kept = getattr(_cached, "tables", None)
        if kept is None or part != _cached.part or rows is not None:
            yield from self.tables(part, columns, rows)
            return
        known = next((some for had, some in kept.items() if {*columns} <= {*had}), None)
        if known is None:
            wanted = tuple(dict.fromkeys([*columns, *(_cached.columns if not kept else ())]))
            known = kept[wanted] = list(self.tables(part, list(wanted)))
        yield from known

    def columns_read(self, need: Need, schema: Schema | None = None) -> Sequence[str]:
        if schema is not None:
            return self._wanted(
                [n for n, c in zip(self._named_in(schema), schema.columns, strict=True) if c.kind != "unused"], need
            )
        return self._wanted([n for n in self.names if self._is_category(n, need)], need) if self.scans_for(need) else ()

    def _pieces(
        self, part: int, names: list[str], need: Need, rows: int | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """Features with the columns of target and weight that the need takes."""
        given = {name: self.side[name] for name, column in self._side(need).items() if column is None}
        for start, table in self._tables(part, self._wanted(names, need), rows):
            stop = start + table.num_rows
            if need.target and self.y is not None:
                table = table.append_column(self._added("y"), pa.array(self.y[start:stop]))
            if self.weight is not None:
                table = table.append_column(self._added("weight"), pa.array(self.weight[start:stop]))
            for name, values in given.items():
                table = table.append_column(self._added(f"side {name}"), pa.array(values[start:stop]))
            yield start, table

    def _wanted(self, names: Sequence[str], need: Need) -> list[str]:
        """Names of features, and of the columns of target, weight and side that the need takes."""
        targets = (*self.roles.outputs, self.roles.target) if need.target else ()  # all, to be read once
        more = [*targets, self.roles.weight, *self._side(need).values()]
        return list(dict.fromkeys([*names, *(n for n in more if n is not None)]))

    def _side(self, need: Need) -> dict[str, str | None]:
        """Return the values of a side column, and its column name; None: it was passed with the rows."""
        found: dict[str, Any] = {name: name for name in need.side}
        found |= {name: values if isinstance(values, str) else None for name, values in self.side.items()}
        self.check_there([column for column in found.values() if column is not None])
        return found

    def _added(self, name: str) -> str:
        """Return an unused name for a column that is added to the table for a while."""
        return free_name(name, self.types.names)

    def _weighted_rows(self, table: pa.Table, start: int, part: int) -> tuple[pa.Table, Array | None, Codes | None]:
        """The rows that have a weight, the weights (None: there are none), and which rows (None: all)."""
        name = self._added("weight") if self.weight is not None else self.roles.weight
        if name is None:
            return table, None, None
        where = self._at(name, part)
        weight = validation.weights(arrow.numbers(table.column(name), where), where, start)
        if weight.all():
            return table, weight, None
        kept = np.flatnonzero(weight)
        return table.take(pa.array(kept)), weight[kept], kept

    def _chunk(self, start: int, table: pa.Table, part: int, need: Need, schema: Schema, names: list[str]) -> Chunk:
        rows = table.num_rows
        table, weight, kept = self._weighted_rows(table, start, part)
        data = []
        for column, name in zip(schema.columns, names, strict=True):
            if column.kind == "unused":
                data.append(np.zeros(table.num_rows, np.float32))
                continue
            found, where = table.column(name), self._at(name, part)
            if column.kind == "text":
                data.append(validation.present(arrow.texts(found, where), need, where, start, kept))
                continue
            if column.kind == "date" or column.kind == "time":
                data.append(arrow.dates(found, where, time=column.kind == "time"))
                continue
            if column.kind == "numeric":
                data.append(arrow.numbers(found, where, name, self._in_frame))
                continue
            coded = arrow.codes(found, column.categories, where)
            if not need.missing and np.isnan(coded).any():
                i = int(np.flatnonzero(np.isnan(coded))[0])
                at = start + (i if kept is None else int(kept[i]))
                raise DataError(f"Input X contains NaN in {where}, row {at}. Remedy: {MISSING_CATEGORY_REMEDY}")
            data.append(coded)
        values = tuple(data) if data else np.empty((table.num_rows, 0))
        columns = columns_class(values)
        return Chunk(
            X=columns(values, schema.names, missing=need.missing, offset=start, kept=kept, place=self.place(part)),
            y=self._target(table, part, need, schema),
            weight=ones(table.num_rows) if weight is None else weight,
            uniform=weight is None,
            part=part,
            offset=start,
            dropped=rows - table.num_rows,
            side={n: arrow.whole(table.column(c or self._added(f"side {n}"))) for n, c in self._side(need).items()},
        )

    def _target(self, table: pa.Table, part: int, need: Need, schema: Schema) -> Values | None:
        if need.target is None:
            return None
        column = self._target_of(table, part, labels=need.target == "class")
        if need.target == "class":
            if pa.types.is_integer(column.type) and schema.classes.dtype.kind in "iu":
                return class_codes(column.to_numpy(), schema.classes)
            coded = arrow.codes(column, schema.classes, "the target")
            if len(coded) and coded.min() < 0:
                return class_codes(arrow.levels(column, "the target"), schema.classes)  # raises, by name
            return coded.astype(np.int64)
        return arrow.numbers(column, self._at(self.roles.target or "y", part)).astype(np.float64, copy=False)

    def _target_of(self, table: pa.Table, part: int, labels: bool) -> pa.ChunkedArray:
        """The column of the target, which may miss nothing; NaN among `labels` counts as missing."""
        name = self._added("y") if self.y is not None else self.roles.target
        if self.outputs:
            raise validation.refuse_outputs(self.outputs, repr((*self.roles.outputs, "y.iloc[:, 0]")[0]))
        if name is None:
            raise DataError(
                f"the target is missing. Remedy: name its column, tenfold.scan({self.where}, target=...); rows without "
                "a target are predicted, and neither learned from nor scored"
            )
        column = table.column(name)
        if arrow.misses(column, nan=labels):
            raise self.target_error(part)
        return column

    def target_error(self, part: int, row: int | None = None) -> DataError:
        name = self.roles.target
        rows = f"pyarrow.compute.field({name!r})"
        kind = self.types.field(name).type if name in self.types.names else pa.null()
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
            rows += f".cast({str(kind)!r})"  # an entry that is null is not missing to Arrow
        if pa.types.is_floating(kind):
            rows = f"pyarrow.compute.is_finite({rows})"  # NaN is not missing to Arrow
        else:
            rows += ".is_valid()"
        if self.asked:
            rows = f"... & {rows}"
        return DataError(
            f"the target is missing or not finite in some rows{self._in(part)}. Remedy: leave them out, "
            f"{self._call(self.roles.drop, rows)}"
        )

    def _at(self, name: str, part: int) -> str:
        return f"column {name!r}{self._in(part)}"

    def _in(self, part: int) -> str:
        place = self.place(part)
        return f" of {place}" if place else ""


class TableSource(ArrowSource):
    """An Arrow table in memory (or mapped from a file): equal slices of its rows are the parts."""

    at_hand = True

    def __init__(
        self,
        table: pa.Table,
        roles: Roles,
        where: str = "X",
        y: Values | None = None,
        weight: Array | None = None,
        named: bool = True,
    ) -> None:
        super().__init__(table.schema, roles, where, y, weight)
        self.table = table
        self.file_sizes: list[int] = []
        """of rows that were read from files, in their order: rows of each file"""
        self.named = named
        self.counted: int = table.num_rows
        self._cuts = even_cuts(table.num_rows)

    def __len__(self) -> int:
        return len(self._cuts) - 1

    def tables(self, part: int, columns: list[str], rows: int | None = None) -> Iterator[tuple[int, pa.Table]]:
        start, stop = int(self._cuts[part]), int(self._cuts[part + 1])
        yield start, self.table.select(columns).slice(start, min(stop - start, stop if rows is None else rows))

    def starts(self) -> Codes | None:
        return self._cuts

    def file_starts(self, starts: Codes | None = None) -> Codes | None:
        if not self.file_sizes:
            return None
        first: Codes = np.cumsum([0, *self.file_sizes])[:-1][np.array(self.file_sizes) > 0]
        return first

    def place(self, part: int) -> str:
        return ""

    def only(self, where: pc.Expression) -> Self:
        if self.y is not None or self.weight is not None or self.side:
            return super().only(where)
        where = expression_of(where)
        other, name, files = copy(self), free_name("file", self.types.names), np.arange(len(self.file_sizes))
        table = self.table
        if len(files):
            table = table.append_column(name, pa.array(np.repeat(files, self.file_sizes)))
        other.table = filtered(table, where, self.where)
        if len(files):
            other.file_sizes = np.bincount(other.table[name].to_numpy(), minlength=len(files)).tolist()
            other.table = other.table.drop_columns([name])
        other.counted, other._cuts, other._found = other.table.num_rows, even_cuts(other.table.num_rows), {}
        return other

    def target_values(self) -> Values | None:
        return self.y

    def arrays(self) -> tuple[Any, ...]:
        return (self.y, self.weight, self.classes, *self.given_side(), self.table)

    def in_memory(self) -> int:
        return sum(int(some.nbytes) for some in self.arrays() if some is not None)

    def fingerprints(self, y: VectorLike, weight: VectorLike) -> set[str]:
        return fingerprints_of(self, y, weight)

    def fingerprint(self) -> str:
        at = np.unique(np.linspace(0, max(self.counted - 1, 0), 64).astype(int))[: self.counted]
        some = [self.table.slice(int(i), 1).to_pydict() for i in at]  # `take` fails on some dictionaries
        text = f"{self.types}{some}"
        for more in (self.y, self.weight):
            text += "" if more is None else str(np.asarray(more)[at].tolist())
        digest = hashlib.blake2b(text.encode(errors="backslashreplace"), digest_size=8).hexdigest()
        return f"table {self.counted} x {len(self.names)}, {digest}"


def _is_date(kind: pa.DataType) -> bool:
    """Whether a column's values are dates, or all missing."""
    return arrow.is_date(kind) or bool(pa.types.is_null(kind))


def expression_of(where: object) -> pc.Expression:
    """Which rows to take, as an expression of `pyarrow.compute`: one, or a list of (column, operator, value).

    A comparison with None asks whether the value is missing, where Arrow's own is never true.
    """
    if isinstance(where, pc.Expression):
        return where
    import pyarrow.parquet as pq

    try:
        found = pq.filters_to_expression(where)
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise DataError(
            f"`where` is neither an expression nor a list of (column, operator, value): {error}. Remedy: "
            "[('year', '>=', 2020)], or pyarrow.compute.field('year') >= 2020"
        ) from None
    asked: Any = where
    together = [asked] if isinstance(asked[0][0], str) else asked
    if all(value is not None for some in together for _, _, value in some):
        return found
    return reduce(or_, (reduce(and_, map(_predicate, some)) for some in together))


def _predicate(predicate: tuple[str, str, object]) -> pc.Expression:
    """Return the expression of a (column, operator, value) whose value may be None."""
    import pyarrow.parquet as pq

    name, operator, value = predicate
    if value is not None:
        return pq.filters_to_expression([predicate])
    missing = pc.field(name).is_null(nan_is_null=True)
    if operator in {"=", "==", "!="}:
        return ~missing if operator == "!=" else missing
    raise DataError(
        f"`where` compares column {name!r} with None by {operator!r}. Remedy: ({name!r}, '!=', None), the rows that "
        f"have a value, or ({name!r}, '==', None), those that miss it"
    )


def where_error(error: Exception, said: str, schema: pa.Schema) -> DataError:
    """Return the error of a filter that Arrow cannot apply: it names the column, or the types that do not compare."""
    text = str(error)
    if missing := MISSING_FIELD.search(text):
        return DataError(f"`where` does not fit {said}: {no_column(missing[1], schema.names)}")
    if types := NOT_COMPARED.search(text):
        return DataError(
            f"`where` does not fit {said}: it compares {types[1]} with {types[2]}. Remedy: a value of the column's type"
        )
    return DataError(f"`where` does not fit {said}: {text.splitlines()[0]}")


def filtered(table: pa.Table, where: pc.Expression, said: str) -> pa.Table:
    """Return the rows of a table that satisfy an expression; raise if there are none."""
    try:
        some = table.filter(where)
    except (pa.ArrowException, KeyError) as error:
        raise where_error(error, said, table.schema) from None
    if not some.num_rows:
        raise DataError(f"no rows of {said} match the filter `where`")
    return some
