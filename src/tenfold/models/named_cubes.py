"""Cubes of several learners of the same rows, by the names of the learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tenfold.core.errors import naming

if TYPE_CHECKING:
    from tenfold.models.cube import Cube

Named = Mapping[str, "Cube"]
"""a cube of one learner, by its name"""


def models_of(cubes: Named, key: Any) -> dict[str, Any]:
    """Return the fitted learners of a cell by their names."""
    found = {}
    for name, cube in cubes.items():
        with naming(name):
            found[name] = cube[key]
    return found


def table_of(cubes: Named, by: tuple[str, ...]) -> pa.Table:
    """Return a row for each cell: its key and rows, then what each learner has, under its name."""
    keys = by or tuple(next(iter(cubes.values())).keys_.column_names)
    found: pa.Table = None
    for name, cube in cubes.items():
        table = cube.table(*by)
        shared = [*keys, table.column_names[len(keys)]]
        own = [column for column in table.column_names if column not in shared]
        if found is None:
            found = table.select(shared)
        for column in own:
            found = found.append_column(f"{name}_{column}", table[column])
    return found


def failed_of(cubes: Named) -> pa.Table:
    """Return the cells without a model, with the learner that has none."""
    tables = []
    for name, cube in cubes.items():
        table = cube.failed_
        tables.append(table.add_column(0, "learner", pa.array([name] * len(table), pa.string())))
    return pa.concat_tables(tables)
