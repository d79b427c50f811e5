"""`scan`: whatever holds a user's rows, as a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import scipy.sparse as sp
from pyarrow import fs

from tenfold.core import DataError, MatrixLike, VectorLike
from tenfold.sources.array_source import ArraySource
from tenfold.sources.dask_frames import DaskArray, DaskFrame, is_dask
from tenfold.sources.files.parquet import ParquetSource
from tenfold.sources.files.partitions import Partitions
from tenfold.sources.files.queries import read_query
from tenfold.sources.files.storage import DISK, RemoteStore, bare, storage_of
from tenfold.sources.files.streamed_files import SUFFIXES, find_files, read_files
from tenfold.sources.frames import is_frame, table_of
from tenfold.sources.source import Source
from tenfold.sources.tables import ArrowSource, Roles, TableSource, expression_of, filtered
from tenfold.sources.validation import as_labels, by_column, refuse_masked, unmasked, weights

SQL_QUERY = re.compile(r"\s*(select\s|with\s.*\bselect\b)", re.IGNORECASE | re.DOTALL)
"""how an SQL query begins, which is no path"""


SHOWN_PATHS = 5
"""paths that an error lists; of more, the first and the last"""


def scan(
    data: MatrixLike,
    target: str | Sequence[str] | VectorLike = None,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    weight: str | VectorLike = None,
    sequence: str | VectorLike = None,
    where: ds.Expression | None = None,
    filesystem: Any = None,
    storage_options: dict[str, Any] | None = None,
    connection: Any = None,
) -> Source:
    """Create a source of rows that learners can be fitted to. Files are not read yet.

    Parameters
    ----------
    data : path, URL, glob, folder or list of them; query; frame; Arrow table, reader or dataset; array
        Files of Parquet, CSV (`.csv`, `.csv.gz`), Feather (`.arrow`, `.feather`) or ORC, on this machine or at
        `s3://`, `gs://`, `az://`, `https://`; an SQL query with `connection`; Delta and Iceberg tables;
        DuckDB relations; pandas, polars (eager or lazy), pyarrow, an Arrow C stream; numpy arrays and CSR matrices;
        DataFrames and Arrays of Dask. In a folder, `name=value` folders are columns.
    target : str or list of str, optional
        The column to predict, or several of them. For an array, the array of targets, with a column for each.
    columns : list of str, optional
        The features. By default every column that has no other role.
    drop : list of str
        Columns to exclude: ids, dates, and others that are no features. A model that was fitted with one of them
        refuses these rows, as it does if one is not among `columns`.
    categorical : list of str
        Columns of numbers that are categories.
    weight : str, optional
        The column of weights. For an array, the array of weights.
    sequence : str, optional
        The column with the sequence id of each row; rows of a sequence must be consecutive. It is no
        feature. For an array, the array of ids. Learners of sequences get them whole, wherever files were cut.
    where : pyarrow.compute.Expression or list of tuples, optional
        Which rows to take: a list of (column, operator, value), where None is a missing value. Parquet row groups that
        cannot have such rows are not read.
    filesystem : file system of pyarrow or fsspec, optional
        Reads the files; by default one is made of the URL, with the credentials of the environment.
    storage_options : dict, optional
        Options of fsspec for the connection: `key`, `secret`, `endpoint_url` and so on.
    connection : SQLAlchemy engine or URL, connection of DuckDB, ADBC or DB-API, optional
        To the database that `data` is a query for. The query is run once, and its rows are kept in a temporary file.

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
        raise DataError("the data is a Source already. Remedy: pass it to fit")
    if isinstance(data, np.ndarray) or sp.issparse(data):
        if isinstance(target, str) or isinstance(sequence, str) or columns or drop or where is not None:
            raise DataError("an array has no named columns: give target, weight and sequence as arrays, or use a frame")
        return _array(data, target, weight, sequence)
    if is_dask(data) and not hasattr(data, "columns"):
        if isinstance(target, str) or columns or drop or where is not None or sequence is not None:
            raise DataError("a dask Array has no named columns: give target and weight as dask Arrays")
        return DaskArray(data, target, weight)
    several = _names(target) if isinstance(target, (list, tuple)) and all(isinstance(n, str) for n in target) else ()
    one: Any = None if several else target
    for role in (one, weight, sequence):
        if role is not None and (np.ndim(role) or is_dask(role)):
            raise DataError("target, weight and sequence of a frame or file must be names of its columns")
    chosen = None if columns is None else _names(columns)
    roles = Roles(one, chosen, _names(drop), _names(categorical), weight, sequence, several)
    only = None if where is None else expression_of(where)
    source: ArrowSource
    if connection is not None:
        source = _table(read_query(data, connection), roles, "query", only)
    elif is_path(data):
        source = _files(data, roles, only, filesystem, storage_options)
    elif filesystem is not None or storage_options is not None:
        raise DataError(f"filesystem and storage_options are for paths and URLs, not for a {type(data).__name__}")
    else:
        source = _source(data, roles, only)
    source.asked = "" if where is None else repr(where) if isinstance(where, list) else "..."
    return source


def scanned(rows: MatrixLike) -> Source | None:
    """Return a Source as it is, and a frame as `scan` makes a source of it; None for other rows."""
    if isinstance(rows, Source):
        return rows
    return scan(rows) if is_frame(rows) else None


def _names(some: Any) -> tuple[Any, ...]:
    return () if some is None else (some,) if isinstance(some, str) else tuple(some)


def _listed_paths(paths: list[str]) -> str:
    """Paths as the user wrote them, for errors: of many, the first and the last."""
    return repr(paths) if len(paths) <= SHOWN_PATHS else f"[{paths[0]!r}, ..., {paths[-1]!r}]"


def _array(data: MatrixLike, target: VectorLike, weight: VectorLike, sequence: VectorLike) -> Source:
    if data.ndim != 2 or not data.shape[0]:
        raise DataError(f"an array of shape {data.shape} is not a table of rows and columns with at least one row")
    data = unmasked(data) if isinstance(data, np.ma.MaskedArray) else data
    roles = {"target": target, "weight": weight, "sequence": sequence}
    target, weight, sequence = (None if v is None else as_labels(refuse_masked(v, role)) for role, v in roles.items())
    for what, values in (("target", target), ("weight", weight), ("sequence", sequence)):
        shape = () if values is None else values.shape[:1] if what == "target" and values.ndim == 2 else values.shape
        if values is not None and shape != (data.shape[0],):
            raise DataError(f"the {what} has shape {values.shape}, but there are {data.shape[0]} rows")
    if weight is not None:
        weight = weights(weight, "the weight")
    if target is not None and target.ndim == 2:
        target = np.asfortranarray(target)
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
    by: list[str] | None = None
    if type(data).__name__ == "DeltaTable":
        by, data = data.metadata().partition_columns, data.to_pyarrow_dataset()
    if type(data).__module__ == "pyiceberg.table":  # a table, or a scan of some of its rows
        data = (data.scan() if type(data).__name__ == "Table" else data).to_arrow_batch_reader()
    if isinstance(data, ds.FileSystemDataset) and isinstance(data.format, ds.ParquetFileFormat) and data.files:
        filtered = (getattr(data, "_scan_options", None) or {}).get("filter")
        if filtered is None:
            storage = DISK if isinstance(data.filesystem, fs.LocalFileSystem) else RemoteStore(data.filesystem)
            return ParquetSource(data.files, roles, "dataset", _partitions(data, by), only, storage, data.schema)
    named = type(data).__name__ != "DataFrame" or all(isinstance(n, str) for n in data.columns)
    return _table(table_of(data), roles, _word(data), only, named)


def _partitions(data: ds.FileSystemDataset, by: list[str] | None) -> Partitions:
    """The columns that a dataset has of the places of its files, with its types."""
    keys = [ds.get_partition_keys(fragment.partition_expression) for fragment in data.get_fragments()]
    if by is None:  # of a Delta table, keys have columns too that are all null in a file
        by = list(keys[0]) if data.partitioning is None else data.partitioning.schema.names
    kinds = {name: data.schema.field(name).type for name in by if name in data.schema.names}
    values = [{name: key.get(name) for name in kinds} for key in keys]
    return Partitions(values, {n: k.value_type if pa.types.is_dictionary(k) else k for n, k in kinds.items()})


def _table(table: pa.Table, roles: Roles, said: str, only: ds.Expression | None, named: bool = True) -> TableSource:
    if not table.num_rows:
        raise DataError(f"there are no rows in {said}")
    return TableSource(table if only is None else filtered(table, only, said), roles, said, named=named)


def is_path(data: object) -> bool:
    """Whether data is a path or a URL, or a list of such."""
    first = data[0] if isinstance(data, (list, tuple)) and data else data
    return isinstance(first, (str, Path))


def _files(data: MatrixLike, roles: Roles, only: ds.Expression | None, filesystem: Any, options: Any) -> ArrowSource:
    if isinstance(data, str) and SQL_QUERY.match(data):
        raise DataError("the data is an SQL query. Remedy: name the database, tenfold.scan(query, connection=...)")
    storage, given = storage_of(data, filesystem, options)
    said = _listed_paths(given) if isinstance(data, (list, tuple)) else repr(given[0])
    paths, partitions = find_files(storage, given)
    if bare(paths[0]).lower().endswith(SUFFIXES):
        table, sizes = read_files(storage, paths, partitions)
        source = _table(table, roles, said, None)
        source.file_sizes = sizes
        return source if only is None else source.only(only)
    return ParquetSource(paths, roles, said, partitions, only, storage=storage)


def _word(data: object) -> str:
    return "reader" if isinstance(data, pa.RecordBatchReader) else "frame"
