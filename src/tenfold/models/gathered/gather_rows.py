"""The rows of a source as one table with the number of the part of each, from one scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.core import Array, Codes, DataError, Values
from tenfold.core.rows.joined_rows import too_many
from tenfold.engine.cells.keys import ONE_TYPE, key_column
from tenfold.engine.job import Job
from tenfold.engine.row_counts import Counted, this_machine
from tenfold.sources import Source
from tenfold.sources.expressions.computed_columns import Computed, with_computed
from tenfold.sources.tables import ArrowSource, Roles, TableSource, free_name

RELATIVE = "a learner of one pass and gather=False, such as tenfold.Cube(tenfold.Ridge(), ...)"


class GatheredRows(NamedTuple):
    """Tables of some parts, in order."""

    pieces: tuple[tuple[int, int, pa.Table], ...]
    """the number of each part, that of its first row, and its rows"""
    memory: int
    """bytes that they may take"""

    def __add__(self, other: Any) -> GatheredRows:
        both = GatheredRows(self.pieces + other.pieces, self.memory)
        if sum(table.nbytes for _, _, table in both.pieces) > self.memory:
            raise too_many(self.memory, RELATIVE)
        return both

    def joined(self, parts: int) -> tuple[pa.Table, Codes, Codes]:
        """Return all rows, the part of each, and the number of the first row of each part."""
        firsts = np.zeros(parts, np.int64)
        for part, first, _ in self.pieces:
            firsts[part] = first
        try:
            table = pa.concat_tables([table for _, _, table in self.pieces], promote_options="permissive")
        except pa.ArrowException as error:
            raise DataError(f"columns have other types in other rows: {error}. {ONE_TYPE}") from None
        numbers = np.array([number for number, _, _ in self.pieces], dtype=np.int64)
        parts_of_rows = np.repeat(numbers, [table.num_rows for _, _, table in self.pieces])
        return table.unify_dictionaries(), parts_of_rows, firsts


@dataclass(frozen=True, eq=False)
class GatherRows(Job):
    """Job that gathers the rows of all parts."""

    columns: tuple[str, ...]
    memory: int
    target: Values | None = field(default=None)
    """one for each row, if it is no column; it is added as `target_name`"""
    target_name: str = ""
    weight: Array | None = None
    weight_name: str = ""
    """the column of the weights, or the name under which they are added"""

    def __call__(self, source: Source, part: int) -> Counted:
        """The rows of one part."""
        assert isinstance(source, ArrowSource)
        found, first = list[pa.Table](), 0
        for start, table in source.tables(part, list(self.columns)):
            first = first if found else start
            table = table.select(list(self.columns))
            for name, values in ((self.target_name, self.target), (self.weight_name, self.weight)):
                if values is not None:
                    table = table.append_column(name, pa.array(values[start : start + table.num_rows]))
            found.append(table)
        table = pa.concat_tables(found)
        rows = table.num_rows
        if self.weight_name:
            rows -= int(pc.sum(pc.equal(table[self.weight_name], 0)).as_py() or 0)
        gathered = GatheredRows(((part, first, table),), self.memory)
        return Counted(gathered, rows, table.num_rows - rows, frozenset([this_machine()]))


class GatheredSource(TableSource):
    """The gathered rows of a cell, cut and numbered as those that a filter leaves of the parts of their source."""

    def __init__(self, table: pa.Table, roles: Roles, part: Codes, firsts: Codes, said: str) -> None:
        super().__init__(table, roles, "the rows of the cell")
        self._cuts = np.searchsorted(part, np.arange(len(firsts) + 1))
        self.firsts, self.place_name = firsts, said
        self.counted = None  # type: ignore[assignment]

    def tables(self, part: int, columns: list[str], rows: int | None = None) -> Iterator[tuple[int, pa.Table]]:
        start, stop = int(self._cuts[part]), int(self._cuts[part + 1])
        many = min(stop - start, stop if rows is None else rows)
        yield int(self.firsts[part]), self.table.select(columns).slice(start, many)

    def starts(self) -> Codes | None:
        return None

    def fingerprint(self) -> str:
        return self.place_name


class FeatureTable(NamedTuple):
    """Rows that are predicted by their cells, as a table of their features."""

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def rows(self, which: slice | Codes) -> FeatureTable:
        """Return some of the rows."""
        if isinstance(which, slice):
            return FeatureTable(self.table.slice(which.start, which.stop - which.start))
        return FeatureTable(self.table.take(pa.array(which)))


def row_tables(
    source: Source, features: Sequence[str], keys: pa.Schema, computed: Computed
) -> Iterator[tuple[FeatureTable, list[pa.Array]]]:
    """Yield the rows of each part, and the columns of their keys."""
    source = with_computed(source, computed, list(features))
    wanted = list(dict.fromkeys([*features, *keys.names]))
    source.check_there(wanted)
    assert isinstance(source, ArrowSource)
    for part in range(len(source)):
        for _, table in source.tables(part, wanted):
            if table.num_rows:
                yield FeatureTable(table.select(list(features))), [key_column(table[name], name) for name in keys.names]


def added_names(source: ArrowSource) -> tuple[str, str]:
    """Return the names of the columns of the target and the weights: those that they have, or unused ones."""
    names = source.types.names
    target = source.roles.target or ("" if source.y is None else free_name("y", names))
    weight = source.roles.weight or ("" if source.weight is None else free_name("weight", names))
    return target, weight
