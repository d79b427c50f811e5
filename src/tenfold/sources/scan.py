"""`scan`: whatever holds a user's rows, as a source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import scipy.sparse as sp

from tenfold.core import DataError
from tenfold.sources.arrays import ArraySource
from tenfold.sources.base import Source
from tenfold.sources.parquet import ParquetSource, find_files
from tenfold.sources.spool import spool
from tenfold.sources.tables import Roles, TableSource


def scan(
    data: Any,
    target: Any = None,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    weight: Any = None,
    sequence: str | None = None,
    where: Any = None,
) -> Source:
    """Rows from anywhere, as a source that learners fit. Files are not read yet.

    Parameters
    ----------
    data : path, glob, folder or list of them; frame; Arrow table, reader or dataset; array
        Parquet or CSV files; pandas, polars (eager or lazy), pyarrow, anything with an Arrow
        C stream; numpy arrays and CSR matrices. In a folder, `name=value` folders are columns.
    target : str, optional
        The column to predict. For an array, the array of targets.
    columns : list of str, optional
        The features. By default every column that has no other role.
    drop : list of str
        Columns to leave out: ids, dates, whatever does not tell.
    categorical : list of str
        Columns of numbers that are categories.
    weight : str, optional
        The column of weights. For an array, the array of weights.
    sequence : str, optional
        The column that says which sequence a row belongs to.
    where : pyarrow.compute.Expression or list of tuples, optional
        Which rows to take. Parquet row groups that cannot have such rows are not read.

    Returns
    -------
    rows : Source

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> frame = pd.DataFrame({"id": ["a", "b", "c"], "size": [1, 2, 3], "price": [2.0, 4.0, 6.0]})
    >>> rows = tn.scan(frame, target="price", drop=["id"])
    >>> tn.LinearRegression().fit(rows).coef_.round(6)
    array([2.])
    """
    if isinstance(data, Source):
        raise DataError("this is a source already: fit a learner to it")
    if isinstance(data, np.ndarray) or sp.issparse(data):
        if isinstance(target, str) or columns or drop or where is not None:
            raise DataError("an array has no named columns: give target and weight as arrays, or use a frame")
        return ArraySource(data, target, weight)
    roles = Roles(
        target, None if columns is None else tuple(columns), tuple(drop), tuple(categorical), weight, sequence
    )
    only = _expression(where)
    if isinstance(data, ds.FileSystemDataset) and isinstance(data.format, ds.ParquetFileFormat):
        return ParquetSource(data.files, roles, "dataset", only=only)
    if isinstance(data, (str, Path)) or (isinstance(data, (list, tuple)) and data and _is_path(data[0])):
        return _files(data, roles, only)
    table = table_of(data)
    if only is not None:
        table = table.filter(only)
    return TableSource(table, roles, _word(data))


def is_frame(data: Any) -> bool:
    """Whether data has named columns in memory: pandas, polars, Arrow, an Arrow stream."""
    if isinstance(data, (pa.Table, pa.RecordBatch, pa.RecordBatchReader)) or _is_lazy(data):
        return True
    return hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__array_interface__")


def table_of(data: Any) -> Any:
    """Anything in memory with named columns as an Arrow table."""
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if type(data).__module__.split(".")[0] == "pandas":
        return _from_pandas(data)
    if isinstance(data, pa.RecordBatchReader):
        return spool(data, data.schema, "the reader")
    if isinstance(data, ds.Dataset):
        return spool(data.to_batches(), data.schema, "the dataset")
    if _is_lazy(data):
        return spool(_lazy_batches(data), None, "the lazy frame")
    if hasattr(data, "to_arrow") and type(data).__module__.split(".")[0] == "polars":
        return _checked(data.to_arrow)
    if hasattr(data, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(data)
        return spool(reader, reader.schema, "the stream")
    raise DataError(
        f"rows cannot be read from a {type(data).__name__}. Remedy: give a path, a frame (pandas, polars, "
        "Arrow) or an array"
    )


def _from_pandas(frame: Any) -> Any:
    if not frame.columns.is_unique:
        twice = sorted({str(c) for c in frame.columns[frame.columns.duplicated()]})
        raise DataError(f"columns {twice} stand twice. Remedy: rename them")
    arrays = []
    for name in frame.columns:
        try:
            arrays.append(pa.array(frame[name], from_pandas=True))
        except (pa.ArrowException, TypeError, UnicodeError) as error:
            kinds = sorted({type(v).__name__ for v in frame[name].iloc[:1000]})
            raise DataError(
                f"column {str(name)!r} holds values of type {', '.join(kinds)}: argument must be a string or "
                f"a number, of one kind in a column ({error}). Remedy: convert it, or drop it"
            ) from None
    return pa.Table.from_arrays(arrays, names=[str(n) for n in frame.columns])


def _checked(convert: Any) -> Any:
    try:
        return convert()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"the frame has a column that Arrow cannot hold: {error}. Remedy: drop it") from None


def _is_lazy(data: Any) -> bool:
    return type(data).__name__ == "LazyFrame" and hasattr(data, "collect")


def _lazy_batches(data: Any) -> Iterator[Any]:
    frames = data.collect_batches() if hasattr(data, "collect_batches") else [data.collect()]
    for frame in frames:
        yield from _checked(frame.to_arrow).to_batches()


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, Path))


def _files(data: Any, roles: Roles, only: Any) -> Source:
    first = str(data[0] if isinstance(data, (list, tuple)) else data)
    said = repr(data if isinstance(data, (str, list)) else str(data))
    if first.endswith(".csv"):
        paths, _ = find_files(data, ".csv")
        table = pa.concat_tables([_csv(path) for path in paths])
        return TableSource(table if only is None else table.filter(only), roles, said)
    paths, root = find_files(data, ".parquet")
    return ParquetSource(paths, roles, said, root, only)


def _csv(path: str) -> Any:
    import pyarrow.csv

    try:
        reader = pyarrow.csv.open_csv(path)
        return spool(reader, reader.schema, path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{path} cannot be read: {error}. Remedy: mend the line, or write the file as Parquet"
        ) from None


def _expression(where: Any) -> Any:
    if where is None or isinstance(where, pa.compute.Expression):
        return where
    import pyarrow.parquet as pq

    try:
        return pq.filters_to_expression(where)
    except (TypeError, ValueError) as error:
        raise DataError(f"`where` is neither an expression nor a list of (column, operator, value): {error}") from None


def _word(data: Any) -> str:
    return "reader" if isinstance(data, pa.RecordBatchReader) else "frame"
