"""Files that are read from the beginning to the end: CSV, Feather (Arrow IPC) and ORC, plain or compressed.

Each is read once, batch by batch, into a temporary file that is mapped, so none has to fit in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.core import DataError
from tenfold.sources.files.partitions import Partitions, folder_partitions
from tenfold.sources.files.spool import spool
from tenfold.sources.files.storage import Facts, Storage, bare, failures

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
"""endings of compressed files, and Arrow's names for them"""


def find_files(storage: Storage, given: list[str]) -> tuple[list[str], Partitions]:
    """Return the files of paths, globs and folders, in order, and the columns that their folders define.

    All must be of one format. Other files in a folder are ignored.
    """
    found: list[str] = []
    roots: list[tuple[str, ...]] = []
    for one in given:
        some, root = storage.find(one)
        if root:
            roots.append(Path(storage.absolute(root)).parts)
            _refuse_tables(storage, root, some)
            some = [path for path in some if _format(path)]
            if not some:
                raise DataError(f"the folder {one!r} has no file that scan reads: {READ}")
        if not some:
            raise DataError(f"there is no file at {one!r}{storage.hint(one)}")
        found += some
    for path in found:
        if reader := next((OTHERS[ends] for ends in OTHERS if bare(path).lower().endswith(ends)), ""):
            raise DataError(
                f"{path} has a format that scan does not read; it reads {READ}. Remedy: tenfold.scan({reader}), or "
                "write it as Parquet"
            )
        if (_format(path) or PARQUET) != (_format(found[0]) or PARQUET):
            raise DataError(
                f"{found[0]} and {path} have different formats. Remedy: scan them separately, or those of one by a "
                "glob, "
                "such as 'folder/*.parquet'"
            )
    levels = enumerate(zip(*roots, strict=False))
    n = next((k for k, names in levels if len({*names}) > 1), min(map(len, roots), default=0))
    places = [Path(storage.absolute(path)).parts for path in found]
    below = [place[n:-1] if roots and place[:n] == roots[0][:n] else () for place in places]
    return found, folder_partitions(found, below)


def _refuse_tables(storage: Storage, root: str, files: list[str]) -> None:
    """Raise for the folder of a table format with a log, of which some files are deleted or overwritten."""
    if storage.find(f"{root}/_delta_log").root:
        raise DataError(f"{root} is a Delta table. Remedy: tenfold.scan(deltalake.DeltaTable({root!r}))")
    if log := next((path for path in files if path.endswith(".metadata.json")), ""):
        raise DataError(
            f"{log} belongs to an Iceberg table. Remedy: tenfold.scan(catalog.load_table(...)), with a catalog of "
            "pyiceberg"
        )


def _format(path: str) -> tuple[str, ...]:
    """The endings of a file's format; none if it is not known by its ending."""
    return next((ends for ends in FORMATS if bare(path).lower().endswith(ends)), ())


def read_files(storage: Storage, paths: list[str], partitions: Partitions) -> tuple[pa.Table, list[int]]:
    """The files as one table: columns in the first one's order, numbers in a type that holds all; folders' last.

    Beside it is the number of rows of each file.
    """
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
            raise DataError(
                f"{path} and {paths[0]} have different columns: {other}. Remedy: give all files the same columns"
            )
        for name in first.names:
            mine, theirs = first.field(name).type, table.schema.field(name).type
            try:
                pa.unify_schemas([pa.schema([("", mine)]), pa.schema([("", theirs)])], promote_options="permissive")
            except (pa.ArrowException, TypeError):
                raise DataError(
                    f"column {name!r} is {theirs} in {path}, but {mine} in {paths[0]}. Remedy: rewrite the "
                    "files with one type"
                ) from None
    return _joined([table.select(first.names) for table in tables], paths), [table.num_rows for table in tables]


def _joined(tables: list[pa.Table], paths: list[str]) -> pa.Table:
    """The rows of all, in types that hold them."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException:
        for name in tables[0].column_names:
            try:
                pa.concat_tables([table.select([name]) for table in tables], promote_options="permissive")
            except pa.ArrowException as error:
                kinds = [table.schema.field(name).type for table in tables]
                k = next((k for k, kind in enumerate(kinds) if kind != kinds[0]), 0)
                raise DataError(
                    f"column {name!r} is {kinds[k]} in {paths[k]}, but {kinds[0]} in {paths[0]}, and no type holds the "
                    f"values of both: {error}. Remedy: rewrite the files with one type"
                ) from None
        raise


def _read(storage: Storage, path: str) -> pa.Table:
    ending = next(ends for ends in READERS if bare(path).lower().endswith(ends))
    facts = None
    try:
        facts = storage.steady(lambda: storage.at_rest(path))
        batches = storage.steadily(lambda: READERS[ending](storage, path))
        table = spool(batches, None, path, "it is empty. Remedy: leave it out")
        _refuse_twice(table, path)
        if ending in CSV:
            _refuse_header_again(table, path)
            _refuse_open_quote(storage, table, path)
        _refuse_written(storage, path, facts)
    except UnicodeDecodeError as error:
        raise DataError(f"{path} has column names that are not in UTF-8 ({error}). Remedy: {_in_utf_8(path)}") from None
    except failures() as error:
        if facts is not None:
            with suppress(*failures()):
                _refuse_written(storage, path, facts)
        said = storage.error_text(error)
        raise DataError(f"{path} cannot be read: {said}. Remedy: {_remedy(storage, ending, error)}") from None
    return table


def _in_utf_8(path: str) -> str:
    """How to read a file of text in another encoding."""
    return f"tenfold.scan(pandas.read_csv({path!r}, encoding='latin-1')), or whichever encoding it is in"


def _refuse_twice(table: pa.Table, path: str) -> None:
    if twice := sorted({name for name in table.column_names if table.column_names.count(name) > 1}):
        raise DataError(f"columns {twice} appear more than once in {path}. Remedy: rename them")


def _refuse_written(storage: Storage, path: str, facts: Facts) -> None:
    """Refuse a file that was written while it was read."""
    try:
        now = storage.steady(lambda: storage.facts(path))
    except FileNotFoundError:
        raise DataError(f"{path} was deleted while it was read. Remedy: scan it again once it is there") from None
    if now.identity != facts.identity:
        raise DataError(
            f"{path} has changed while it was read: it had {facts.size:,} bytes, and has {now.size:,}. Remedy: scan it "
            "again once it is written"
        )


def _remedy(storage: Storage, ending: str, error: Exception) -> str:
    if ending not in CSV or not isinstance(error, pa.ArrowInvalid):
        return storage.remedy(error)
    return "leave it out" if "Empty CSV" in str(error) else "correct the line, or write the file as Parquet"


def _csv_batches(storage: Storage, path: str) -> Iterator[pa.RecordBatch]:
    import pyarrow.csv

    with _text(storage, path) as text:
        for batch in pyarrow.csv.open_csv(text, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True)):
            columns = [_empty_missing(c) if pa.types.is_string(c.type) else c for c in batch.columns]
            yield pa.RecordBatch.from_arrays(columns, schema=batch.schema)


@contextmanager
def _text(storage: Storage, path: str) -> Iterator[pa.NativeFile]:
    """Return a stream of the decompressed bytes of a file."""
    codec = COMPRESSED.get(os.path.splitext(bare(path))[1].lower())
    with storage.open(path) as opened, opened if codec is None else pa.CompressedInputStream(opened, codec) as text:
        yield text


def _empty_missing(column: pa.Array) -> pa.Array:
    """Text without its empty values, which are missing as those of numbers are."""
    empty = pc.equal(column, "")
    return pc.if_else(empty, pa.scalar(None, column.type), column) if pc.any(empty).as_py() else column


def _arrow_batches(storage: Storage, path: str) -> Iterator[pa.RecordBatch]:
    with storage.open(path) as opened:
        if opened.read(6) == b"ARROW1":
            file = pa.ipc.open_file(opened)
            batches: Iterable[pa.RecordBatch] = (file.get_batch(i) for i in range(file.num_record_batches))
        else:
            opened.seek(0)
            batches = pa.ipc.open_stream(opened)
        for batch in batches:
            batch.validate(full=True)  # of a file written meanwhile, text may begin anywhere in memory
            yield batch


def _orc_stripes(storage: Storage, path: str) -> Iterator[pa.RecordBatch]:
    from pyarrow import orc

    with storage.open(path) as opened:
        file = orc.ORCFile(opened)
        yield from (file.read_stripe(i) for i in range(file.nstripes))


CSV = (".csv", *(f".csv{ending}" for ending in COMPRESSED))
ARROW = (".arrow", ".feather", ".ipc")
PARQUET = (".parquet", ".pq", ".parq")
FORMATS = (PARQUET, CSV, ARROW, (".orc",))
"""endings of the formats that a folder is searched for"""
READ = ", ".join(ends for some in FORMATS for ends in some)
"""readable file endings, for error messages"""
OTHERS = {
    ".avro": "polars.read_avro(...)",
    ".tsv": "pandas.read_csv(..., sep='\\t')",
    ".json": "pandas.read_json(...)",
    ".jsonl": "pandas.read_json(..., lines=True)",
    ".ndjson": "pandas.read_json(..., lines=True)",
    ".xlsx": "pandas.read_excel(...)",
}
"""endings of unsupported files, with a function that reads each into a frame"""
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
    rows = np.flatnonzero(pc.equal(table[first], first).fill_null(False))
    for name in table.column_names:
        if not len(rows) or pa.types.is_binary(table.schema.field(name).type):
            return
        said = table[name].take(pa.array(rows)).cast(pa.string())
        rows = rows[np.asarray(pc.equal(said, name).fill_null(False))]
    if len(rows):
        raise DataError(
            f"{path} repeats its header as row {rows[0] + 1} of the data, so its numbers are read as text. Remedy: "
            "delete that line"
        )


def _refuse_open_quote(storage: Storage, table: pa.Table, path: str) -> None:
    """Raise for a multi-line value and an odd number of quotes: an unclosed quote would swallow rows."""
    for name in table.column_names:
        if not pa.types.is_string(table.schema.field(name).type):
            continue
        row = pc.index(pc.match_substring(table[name], "\n"), True).as_py()
        if row < 0:
            continue
        if storage.steady(lambda: _quotes(storage, path)) % 2:
            raise DataError(
                f"{path} has an unclosed quote: the number of quotes is odd, and column {name!r} has a value of "
                f"several lines in row {row + 1} of the data. Remedy: close it; write one within a value twice"
            )
        return


def _quotes(storage: Storage, path: str) -> int:
    """How many quotes a file of text has."""
    with _text(storage, path) as text:
        return sum(bytes(piece).count(b'"') for piece in iter(lambda: text.read(1 << 20), b""))
