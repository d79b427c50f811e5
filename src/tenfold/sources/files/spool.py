"""Rows that can be read only once, written to a temporary file and mapped from there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable

import pyarrow as pa

from tenfold.core import DataError

READ_BEFORE = (
    "it is empty, or was read before. A reader can be read only once: make it again, or keep the source that `scan` "
    "returned"
)


def spool(batches: Iterable[pa.RecordBatch], schema: pa.Schema | None, what: str, why: str = READ_BEFORE) -> pa.Table:
    """A table of all the batches, mapped from a file that is gone when the table is; `why` there may be no rows."""
    handle, path = tempfile.mkstemp(suffix=".arrow", prefix="tenfold-")
    rows = 0
    try:
        with os.fdopen(handle, "wb") as sink:
            # a stream, not a file: its dictionaries may differ from batch to batch
            writer = None if schema is None else pa.ipc.new_stream(sink, schema)
            for batch in batches:
                writer = writer or pa.ipc.new_stream(sink, batch.schema)
                writer.write(batch)
                rows += batch.num_rows
            if writer is None or not rows:
                raise DataError(f"{what} returned no rows: {why}")
            writer.close()
        mapped = pa.memory_map(path)
        table = pa.ipc.open_stream(mapped).read_all()
    finally:
        os.unlink(path)  # the mapping keeps the bytes, and nothing is left behind if the process dies
    return table
