"""Files that are read from the beginning to the end: CSV, Feather (Arrow IPC) and ORC, plain or compressed.

Each is read once, batch by batch, into a temporary file that is mapped, so none has to fit in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from tenfold.core import DataError
from tenfold.sources.partitions import Partitions, folder_partitions
from tenfold.sources.spool import spool
from tenfold.sources.storage import Storage, bare, failures

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
"""endings of compressed files, and Arrow's names for them"""


def find_files(storage: Storage, given: list[str]) -> tuple[list[str], Partitions]:
    """The files that paths, globs and folders stand for, in order, and the columns that their folders give them.

    Of a folder, the files of one format: Parquet if there are such.
    """
    found: list[str] = []
    roots: list[tuple[str, ...]] = []
    for one in given:
        some, root = storage.find(one)
        if root:
            roots.append(Path(storage.absolute(root)).parts)
            some = next((kept for ends in FORMATS if (kept := [p for p in some if bare(p).lower().endswith(ends)])), [])
        if not some:
            raise DataError(f"there is no .parquet file at {one!r}{storage.hint(one)}")
        found += some
    if avro := [path for path in found if bare(path).lower().endswith(".avro")]:
        raise DataError(
            f"{avro[0]} is an Avro file, which pyarrow does not read. Remedy: tenfold.scan(polars.read_avro(...)), or "
            "write it as Parquet"
        )
    levels = enumerate(zip(*roots, strict=False))
    n = next((k for k, names in levels if len({*names}) > 1), min(map(len, roots), default=0))
    places = [Path(storage.absolute(path)).parts for path in found]
    below = [place[n:-1] if roots and place[:n] == roots[0][:n] else () for place in places]
    return found, folder_partitions(found, below)


def read_files(storage: Storage, paths: list[str], partitions: Partitions) -> pa.Table:
    """The files as one table: columns in the first one's order, numbers in a type that holds all; folders' last."""
    tables = [_read(storage, path) for path in paths]
    for name in partitions.types:
        for k, table in enumerate(tables):
            if name in table.column_names:
                raise DataError(
                    f"{paths[k]} has a column {name!r}, and is in a folder {name}=... too. Remedy: rename one of them"
                )
            tables[k] = table.append_column(name, pa.repeat(partitions.scalar(k, name), table.num_rows))
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


def _read(storage: Storage, path: str) -> pa.Table:
    ending = next(ends for ends in READERS if bare(path).lower().endswith(ends))
    try:
        table = spool(storage.steadily(lambda: READERS[ending](storage, path)), None, path)
    except failures() as error:
        raise DataError(
            f"{path} cannot be read: {storage.said(error)}. Remedy: correct the line, or write the file as Parquet"
        ) from None
    if ending in CSV:
        _refuse_header_again(table, path)
    return table


def _csv_batches(storage: Storage, path: str) -> Iterator[pa.RecordBatch]:
    import pyarrow.csv

    codec = COMPRESSED.get(os.path.splitext(bare(path))[1].lower())
    with storage.open(path) as opened, opened if codec is None else pa.CompressedInputStream(opened, codec) as text:
        yield from pyarrow.csv.open_csv(text)


def _arrow_batches(storage: Storage, path: str) -> Iterator[pa.RecordBatch]:
    with storage.open(path) as opened:
        if opened.read(6) == b"ARROW1":
            file = pa.ipc.open_file(opened)
            yield from (file.get_batch(i) for i in range(file.num_record_batches))
        else:
            opened.seek(0)
            yield from pa.ipc.open_stream(opened)


def _orc_stripes(storage: Storage, path: str) -> Iterator[pa.RecordBatch]:
    from pyarrow import orc

    with storage.open(path) as opened:
        file = orc.ORCFile(opened)
        yield from (file.read_stripe(i) for i in range(file.nstripes))


CSV = (".csv", *(f".csv{ending}" for ending in COMPRESSED))
ARROW = (".arrow", ".feather", ".ipc")
FORMATS = ((".parquet",), CSV, ARROW, (".orc",), (".avro",))
"""endings of the formats that a folder is searched for, one after the other"""
READERS: dict[str, Callable[[Storage, str], Iterator[pa.RecordBatch]]] = {
    **dict.fromkeys(CSV, _csv_batches),
    **dict.fromkeys(ARROW, _arrow_batches),
    ".orc": _orc_stripes,
}
SUFFIXES = tuple(READERS)


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
