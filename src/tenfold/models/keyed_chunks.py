"""Rows that are predicted by their cells: chunks, with the columns of the key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tenfold.core import Chunk, DataError, MatrixLike, Need, Schema
from tenfold.engine import one_blas_thread
from tenfold.engine.cells.keys import key_column, refuse_other_kind
from tenfold.engine.plan import NO_ROWS
from tenfold.sources import Source, as_source
from tenfold.sources.expressions.computed_columns import Computed


def keyed_source(
    X: MatrixLike, learner: Any, schema: Schema, keys: pa.Schema, computed: Computed
) -> tuple[Source, Need]:
    """Return the rows with the columns of the key aside, and the need with which they are read for their cells."""
    need, model = learner.need.without_target(), learner._blank()
    if computed:
        model._computed, model.feature_names_in_ = computed, np.array(schema.names, dtype=object)
    source = as_source(X, need=need, model=model, reset=not computed)
    source = source.without(*(name for name in keys.names if name in source.names))
    source.check_there(tuple(keys.names))
    return source, replace(need, side=tuple(dict.fromkeys([*need.side, *keys.names])))


def keys_of(chunk: Chunk, keys: pa.Schema) -> list[pa.Array]:
    """Return the columns of the key of each row, whose types are known from the fit."""
    columns = [key_column(chunk.side[name], name) for name in keys.names]
    for column, kind in zip(columns, keys, strict=True):
        refuse_other_kind(column.type, kind.type, kind.name)
    return columns


def keyed_chunks(
    X: MatrixLike, learner: Any, schema: Schema, keys: pa.Schema, computed: Computed
) -> Iterator[tuple[Chunk, list[pa.Array]]]:
    """Yield chunks of rows without a target, and the columns of their keys."""
    source, need = keyed_source(X, learner, schema, keys, computed)
    source, rows = source.unweighted(), 0
    with one_blas_thread():
        for part in range(len(source)):
            for chunk in source.chunks(part, need, schema.without_target):
                if not chunk.n:
                    continue
                rows += chunk.n
                yield chunk, keys_of(chunk, keys)
    if not rows:
        raise DataError(NO_ROWS)
