"""`scan`: whatever holds a user's rows, as a source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import scipy.sparse as sp
from pyarrow import fs

from tenfold.core import DataError, MatrixLike, VectorLike
from tenfold.sources.arrays import ArraySource
from tenfold.sources.base import Source
from tenfold.sources.dask import DaskArray, DaskFrame, is_dask
from tenfold.sources.frames import table_of
from tenfold.sources.parquet import NULL, ParquetSource, find_files
from tenfold.sources.spool import spool
from tenfold.sources.tables import ArrowSource, Roles, TableSource, filtered
from tenfold.sources.validation import as_labels, by_column, weights


def scan(
    data: MatrixLike,
    target: str | VectorLike = None,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    weight: str | VectorLike = None,
    sequence: str | VectorLike = None,
    where: ds.Expression | None = None,
) -> Source:
    """Rows from anywhere, as a source that learners fit. Files are not read yet.

    Parameters
    ----------
    data : path, glob, folder or list of them; frame; Arrow table, reader or dataset; array
        Parquet or CSV files; pandas, polars (eager or lazy), pyarrow, anything with an Arrow
        C stream; numpy arrays and CSR matrices; DataFrames and Arrays of Dask. In a folder,
        `name=value` folders are columns.
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
        The column that says to which sequence a row belongs; rows of a sequence stand next to each other. It is no
        feature. For an array, the array of ids. Learners of sequences get them whole, wherever files were cut.
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
        if isinstance(target, str) or isinstance(sequence, str) or columns or drop or where is not None:
            raise DataError("an array has no named columns: give target, weight and sequence as arrays, or use a frame")
        return _array(data, target, weight, sequence)
    if is_dask(data) and not hasattr(data, "columns"):
        if isinstance(target, str) or columns or drop or where is not None or sequence is not None:
            raise DataError("a dask Array has no named columns: give target and weight as dask Arrays")
        return DaskArray(data, target, weight)
    for role in (target, weight, sequence):
        if role is not None and (np.ndim(role) or is_dask(role)):
            raise DataError("a frame's or file's target, weight and sequence are names of its columns")
    chosen = None if columns is None else _names(columns)
    roles = Roles(target, chosen, _names(drop), _names(categorical), weight, sequence)
    source = _source(data, roles, _expression(where))
    source.asked = "" if where is None else repr(where) if isinstance(where, list) else "..."
    return source


def _names(some: Any) -> tuple[Any, ...]:
    return (some,) if isinstance(some, str) else tuple(some)


def _array(data: MatrixLike, target: VectorLike, weight: VectorLike, sequence: VectorLike) -> Source:
    if data.ndim != 2 or not data.shape[0]:
        raise DataError(f"an array of shape {data.shape} is no table of rows and columns with at least one row")
    target, weight, sequence = (None if v is None else as_labels(v) for v in (target, weight, sequence))
    for what, values in (("target", target), ("weight", weight), ("sequence", sequence)):
        if values is not None and values.shape != (data.shape[0],):
            raise DataError(f"the {what} has shape {values.shape}, but there are {data.shape[0]} rows")
    if weight is not None:
        weight = weights(weight, "the weight")
    source = ArraySource(data.tocsr() if sp.issparse(data) else by_column(data), target, weight)
    if sequence is not None:
        source = source.with_side("sequence", sequence)
        source.sequence = "sequence"
    return source


def _source(data: MatrixLike, roles: Roles, only: ds.Expression | None) -> ArrowSource:
    if is_dask(data):
        if only is not None:
            raise DataError("`where` is for files and frames in memory. Remedy: filter the dask DataFrame itself")
        return DaskFrame(data, roles, "frame")
    if isinstance(data, ds.FileSystemDataset) and isinstance(data.format, ds.ParquetFileFormat):
        filtered = (getattr(data, "_scan_options", None) or {}).get("filter")
        if filtered is None and isinstance(data.filesystem, fs.LocalFileSystem):
            keys = [ds.get_partition_keys(f.partition_expression) for f in data.get_fragments()]
            hive = [{n: NULL if v is None else str(v) for n, v in k.items()} for k in keys]
            return ParquetSource(data.files, roles, "dataset", filter=only, hive=hive)
    if isinstance(data, (str, Path)) or (isinstance(data, (list, tuple)) and data and _is_path(data[0])):
        return _files(data, roles, only)
    named = type(data).__name__ != "DataFrame" or all(isinstance(n, str) for n in data.columns)
    return _table(table_of(data), roles, _word(data), only, named)


def _table(table: pa.Table, roles: Roles, said: str, only: ds.Expression | None, named: bool = True) -> ArrowSource:
    if not table.num_rows:
        raise DataError(f"there are no rows in {said}")
    return TableSource(table if only is None else filtered(table, only, said), roles, said, named=named)


def _is_path(value: object) -> bool:
    return isinstance(value, (str, Path))


def _files(data: MatrixLike, roles: Roles, only: ds.Expression | None) -> ArrowSource:
    first = str(data[0] if isinstance(data, (list, tuple)) else data)
    said = repr(data if isinstance(data, (str, list)) else str(data))
    folder = Path(first).expanduser()
    csv = folder.is_dir() and not any(folder.rglob("*.parquet")) and any(folder.rglob("*.csv"))
    if csv or first.endswith(".csv"):
        paths, _ = find_files(data, ".csv")
        return _table(_csvs(paths), roles, said, only)
    paths, root = find_files(data, ".parquet")
    return ParquetSource(paths, roles, said, root, only)


def _csvs(paths: list[str]) -> pa.Table:
    """The files as one table: columns in the first one's order, numbers in a type that holds all."""
    tables = [_csv(path) for path in paths]
    first = tables[0].schema
    for path, table in zip(paths, tables, strict=True):
        if sorted(table.schema.names) != sorted(first.names):
            other = sorted({*table.schema.names} ^ {*first.names})
            raise DataError(f"{path} and {paths[0]} differ in columns {other}. Remedy: give them the same ones")
        for name in first.names:
            mine, theirs = first.field(name).type, table.schema.field(name).type
            try:
                pa.unify_schemas([pa.schema([("", mine)]), pa.schema([("", theirs)])], promote_options="permissive")
            except (pa.ArrowException, TypeError):
                raise DataError(
                    f"column {name!r} is {theirs} in {path}, but {mine} in {paths[0]}. Remedy: write the files "
                    "anew with one type"
                ) from None
    order = first.names
    return pa.concat_tables([table.select(order) for table in tables], promote_options="permissive")


def _csv(path: str) -> pa.Table:
    import pyarrow.csv

    try:
        reader = pyarrow.csv.open_csv(path)
        table = spool(reader, reader.schema, path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{path} cannot be read: {error}. Remedy: correct the line, or write the file as Parquet"
        ) from None
    _refuse_header_again(table, path)
    return table


def _refuse_header_again(table: pa.Table, path: str) -> None:
    """Refuse a file whose header comes again further down, as in files that were joined: numbers would be text."""
    first = table.column_names[0]
    if not pa.types.is_string(table.schema.field(first).type):
        return
    row = pa.compute.index(table[first], first).as_py()
    if row >= 0 and all(str(table[name][row].as_py()) == name for name in table.column_names):
        raise DataError(
            f"{path} has its header again as row {row + 1} of the data, so that its numbers are text. Remedy: delete "
            "that line"
        )


def _expression(where: object) -> ds.Expression:
    if where is None or isinstance(where, pa.compute.Expression):
        return where
    import pyarrow.parquet as pq

    try:
        return pq.filters_to_expression(where)
    except (TypeError, ValueError) as error:
        raise DataError(f"`where` is neither an expression nor a list of (column, operator, value): {error}") from None


def _word(data: object) -> str:
    return "reader" if isinstance(data, pa.RecordBatchReader) else "frame"
