"""Keys of a cube's cells and of their parents, and the cells to which rows belong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.core import Chunk, Codes, MatrixLike, Provenance, Schema
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.keys import Keys, changes, hashes_of, hashes_of_key, refuse_collision
from tenfold.models.cube_level import CubeLevel
from tenfold.models.keyed_chunks import keyed_chunks
from tenfold.sources.expressions.computed_columns import Computed


class PooledKeys(NamedTuple):
    """The cells of one level."""

    names: tuple[str, ...]
    keys: Keys
    rows: Codes

    @property
    def in_order(self) -> Codes:
        """The places of the cells, sorted by their keys."""
        by = [(name, "ascending") for name in self.names]
        return pc.sort_indices(self.keys.values, by).to_numpy().astype(np.int64)

    def place(self, key: Sequence[Any]) -> int:
        """Return the place of a cell; -1, if there is none."""
        found = hashes_of_key(key)
        return -1 if found is None else int(self.keys.places(*found)[0])

    def places(self, columns: Sequence[pa.Array]) -> Codes:
        """Return the place of the cell of each row; -1, if there is none."""
        return self.keys.places(*hashes_of(columns[: len(self.names)], self.names, "cell", len(columns[0])))


def numbers_of_cells(levels: Sequence[PooledKeys]) -> str:
    """Return how many cells there are of each column of the key, in words."""
    return ", ".join(f"{len(level.keys):,} of {level.names[-1]!r}" for level in reversed(levels))


def key_levels(cells: Cells, names: tuple[str, ...]) -> tuple[tuple[PooledKeys, ...], list[Codes]]:
    """Return the cells of a key and of its first columns, the finest first, and the parent of each cell."""
    levels, parents = [PooledKeys(names, cells.keys, cells.rows)], []
    for depth in range(len(names) - 1, -1, -1):
        coarser, parent = _coarser(levels[-1], depth)
        levels.append(coarser)
        parents.append(parent)
    return tuple(levels[:-1]), parents


def _coarser(found: PooledKeys, depth: int) -> tuple[PooledKeys, Codes]:
    """Return the cells of the first columns of a key, and the parent of each cell."""
    names, n = found.names[:depth], len(found.keys)
    columns = [found.keys.values[name].combine_chunks() for name in names]
    hash, check = hashes_of(columns, names, "cell", n)
    order = np.argsort(hash, kind="stable")
    starts = order[changes(hash[order])]
    parent = np.searchsorted(hash[starts], hash)
    refuse_collision(check[starts][parent], check)
    values = found.keys.values.select(list(names)).take(pa.array(starts)).combine_chunks() if names else pa.table({})
    rows = np.bincount(parent, found.rows, len(starts)).astype(np.int64)
    return PooledKeys(names, Keys(hash[starts], check[starts], values), rows), parent


def chunks_with_places(
    X: MatrixLike, learner: Any, schema: Schema, levels: Sequence[PooledKeys], computed: Computed
) -> Iterator[tuple[Chunk, list[Codes]]]:
    """Yield chunks of rows, and the place of the cell of each row in each level; -1, if there is none."""
    for chunk, columns in keyed_chunks(X, learner, schema, levels[0].keys.values.schema, computed):
        yield chunk, [level.places(columns) for level in levels]


def provenance_of(level: CubeLevel) -> Provenance:
    """Return where the rows of a pooled level came from."""
    where, rows = level.origin, int(level.cells.rows.sum())
    return Provenance(where.source, rows, where.dropped, where.parts, 1.0, "pooled", tuple(sorted(where.machines)))
