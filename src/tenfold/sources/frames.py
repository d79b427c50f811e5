"""Frames of pandas, polars and Arrow as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from tenfold.core import DataError, MatrixLike, Need
from tenfold.sources.files.spool import spool
from tenfold.sources.label_codes import in_native_order


def is_frame(data: MatrixLike) -> bool:
    """Whether data has named columns in memory: pandas, polars, Arrow, an Arrow stream."""
    if isinstance(data, (pa.Table, pa.RecordBatch, pa.RecordBatchReader)) or _is_lazy(data):
        return True
    return not is_column(data) and hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__array_interface__")


def is_column(data: MatrixLike) -> bool:
    """Whether data is one column in memory: a Series of pandas or polars, an array of Arrow."""
    return isinstance(data, (pa.Array, pa.ChunkedArray)) or (
        type(data).__name__ == "Series" and type(data).__module__.split(".")[0] in ("pandas", "polars")
    )


def table_of(data: MatrixLike, need: Need | None = None) -> pa.Table:
    """Convert any object in memory with named columns to an Arrow table.

    Columns that a need does not use may hold anything: values that Arrow does not support become text.
    """
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if type(data).__module__.split(".")[0] == "pandas":
        return _from_pandas(data, need)
    if isinstance(data, pa.RecordBatchReader):
        return spool(data, data.schema, "the reader")
    if isinstance(data, ds.Dataset):
        return spool(data.to_batches(), data.schema, "the dataset")
    if _is_lazy(data):
        return spool(_lazy_batches(data), None, "the lazy frame")
    if hasattr(data, "to_arrow") and type(data).__module__.split(".")[0] == "polars":
        return _from_polars(data)
    if hasattr(data, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(data)
        return spool(reader, reader.schema, "the stream")
    raise DataError(
        f"rows cannot be read from a {type(data).__name__}. Remedy: give a path, a frame (pandas, polars, "
        "Arrow) or an array"
    )


def materialized(data: MatrixLike) -> MatrixLike:
    """Return a table for readers, streams and lazy frames, which are costly or can be read once; an array for a column.

    An iterator becomes a list; other objects are returned unchanged.
    """
    if is_frame(data):
        return data if isinstance(data, pa.Table) or type(data).__name__ == "DataFrame" else table_of(data)
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return np.asarray(data.to_numpy(zero_copy_only=False) if isinstance(data, pa.Array) else data.to_numpy())
    if is_column(data):
        return data.to_numpy()
    return list(data) if isinstance(data, Iterator) else data


def _from_pandas(frame: MatrixLike, need: Need | None) -> pa.Table:
    if not frame.columns.is_unique:
        twice = sorted({str(c) for c in frame.columns[frame.columns.duplicated()]})
        raise DataError(f"columns {twice} appear more than once. Remedy: rename them")
    arrays = []
    for name in frame.columns:
        try:
            arrays.append(_column(frame[name]))
        except (pa.ArrowException, TypeError, UnicodeError) as error:
            if need is not None and need.kind_of(str(name)) == "unused":
                arrays.append(pa.array(frame[name].map(repr)))
                continue
            kinds = sorted({type(v).__name__ for v in frame[name].iloc[:1000]})
            raise DataError(
                f"column {str(name)!r} holds values of type {', '.join(kinds)}: argument must be a string or "
                f"a number, of one kind in a column ({error}). Remedy: convert it, or drop it"
            ) from None
    return pa.Table.from_arrays(arrays, names=[str(n) for n in frame.columns])


def _column(values: MatrixLike) -> pa.Array:
    """A column of pandas in Arrow. Of sparse values and of intervals as categories, Arrow has none."""
    kind = values.dtype
    if type(kind).__name__ == "SparseDtype":
        values = values.sparse.to_dense()
    elif type(kind).__name__ == "CategoricalDtype" and type(kind.categories).__name__ == "IntervalIndex":
        words = pa.array([str(interval) for interval in kind.categories], pa.string())
        codes = values.cat.codes.to_numpy().astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), words, ordered=bool(kind.ordered))
    return pa.array(in_native_order(values), from_pandas=True)


def _from_polars(frame: MatrixLike) -> pa.Table:
    """A polars frame as a table. An object comes through as its address, and a few types not at all."""
    if wrong := [n for n, kind in frame.schema.items() if str(kind) in ("Object", "Int128", "UInt128")]:
        said = ", ".join(f"{n!r} ({frame.schema[n]})" for n in wrong)
        raise DataError(f"Arrow cannot represent columns of X: {said}. Remedy: convert them, or frame.drop({wrong!r})")
    try:
        return frame.to_arrow()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"the frame has a column that Arrow cannot represent: {error}. Remedy: drop it") from None


def _is_lazy(data: MatrixLike) -> bool:
    return type(data).__name__ == "LazyFrame" and hasattr(data, "collect")


def _lazy_batches(data: MatrixLike) -> Iterator[pa.RecordBatch]:
    frames = data.collect_batches() if hasattr(data, "collect_batches") else [data.collect()]
    for frame in frames:
        yield from _from_polars(frame).to_batches()
