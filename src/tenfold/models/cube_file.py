"""Files of cubes: Parquet, a row for each cell, sorted by the hash of its key. Numbers and texts only: nothing runs.

The learner, its parameters and the schema are in the metadata, as in a model file. Lists of numbers, most of the bytes,
have a checksum for each cell. All else of a row group, its checksums too, has a digest. Both are compared before values
are used. So a cell is read without the lists of the other cells of its row group: its numbers lie together.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tenfold.compiled.rows.key_hashes import add_numbers
from tenfold.core import Bits, Codes, Flags, ModelFileError, Schema
from tenfold.core.axes import fields, is_record, values
from tenfold.core.mergeable import taken
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.keys import Keys, hashes_of, hashes_of_key
from tenfold.engine.cells.summing import Summaries, Summing
from tenfold.estimator.files.container import STORED, written_at_once
from tenfold.estimator.files.encoding import Reader, Writer, parts
from tenfold.estimator.files.model_file import read_computed, read_schema, refusing_parameters, write_schema
from tenfold.estimator.files.registry import id_of
from tenfold.linear_model.least_squares.routes import LinearModel
from tenfold.models.cell_models import FAILED, STATUS, CellModels, solve_cells
from tenfold.models.cube_level import CubeLevel, Origin, beside
from tenfold.models.pipelines.absorbed_pipeline import AbsorbedSteps
from tenfold.stats.combinators import View

MAGIC, VERSION = "tenfold.cube", 2
ROW_GROUP_BYTES, LEAST_CELLS, MOST_CELLS = 1 << 23, 64, 2048
"""bytes of the summaries of a row group, and how many cells it has at least and at most: each adds to the footer,
which is read when a file is opened"""
PAGE_BYTES = 1 << 30
"""more than a row group has in a column, which so is one page: its numbers lie together"""
UNREADABLE = (pa.ArrowException, ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)
"""what comes of reading a file that is damaged or forged"""
HEAD = ("learner", "params", "schema", "by", "missing", "direct", "origin", "summary", "tensors", "digests")
"""keys of the head, after its version"""


def write(cube: Any, path: Any) -> None:
    """Write the cells of a cube."""
    level: CubeLevel = cube._level
    summing = level.cells.summing
    if not summing.in_stacks:
        raise ModelFileError(
            f"the summaries of {type(level.learner).__name__} have no columns, so its cells cannot be rows of a table. "
            "Remedy: save the models one by one, cube[key].save(path)"
        )
    if isinstance(level.learner, AbsorbedSteps):
        raise ModelFileError(
            "a cube of pipelines has no file, since a row of its table would be a model of several steps. Remedy: save "
            "the pipelines one by one, cube[key].save(path)"
        )
    to = Writer()
    document = {
        "version": VERSION,
        "learner": id_of(type(level.learner)),
        "params": to.params(level.learner),
        "schema": write_schema(to, level.schema),
        "by": list(level.names),
        "missing": cube.missing,
        "direct": level.direct,
        "origin": {**level.origin._asdict(), "machines": sorted(level.origin.machines)},
        "summary": type(level.cells.taken(np.zeros(1, np.int64)).stack).__name__,
    }
    document["tensors"] = {
        name: {"dtype": array.dtype.str, "shape": array.shape, "data": base64.b64encode(array.tobytes()).decode()}
        for name, array in to.tensors.items()
    }
    digests: list[str] = []
    tables = _tables(level)
    first = next(tables)
    how: dict[str, Any] = {"compression": "none", "use_dictionary": False, "data_page_size": PAGE_BYTES}
    how["write_statistics"] = [beside("hash", level.names)]
    with written_at_once(path) as file, pq.ParquetWriter(file, first.schema, **how) as writer:
        for table in chain([first], tables):
            digests.append(_digest(table))
            writer.write_table(table, row_group_size=MOST_CELLS)
        head = json.dumps({**document, "digests": digests}, allow_nan=False)
        seal = hashlib.sha256(head.encode()).hexdigest()
        writer.add_key_value_metadata({MAGIC: head, f"{MAGIC}.sha256": seal})


def _tables(level: CubeLevel) -> Iterator[pa.Table]:
    """Yield the cells as tables of one row group each."""
    cells, models, keys = level.cells, level.models, level.keys
    for at, summaries in _groups(cells, max(min(ROW_GROUP_BYTES // max(cells.unit, 1), MOST_CELLS), LEAST_CELLS)):
        made = {"hash": pa.array(keys.hash[at]), "check": pa.array(keys.check[at])}
        made["rows"] = pa.array(cells.rows[at].astype(np.int64))
        made["status"] = pa.array(STATUS[models.status[at]], pa.string())
        made["reason"] = pa.array([models.reasons.get(place) for place in at.tolist()], pa.string())
        made["summarized"] = pa.array(~np.isin(np.arange(len(at)), list(summaries.reasons)))
        if cells.classes is not None:
            made["classes."] = _column(cells.classes[at])
        if models.in_stack and isinstance(models.each, LinearModel):
            made |= {f"model.{name}": column for name, column in _columns(taken(models.each, at))}
        made |= {f"summary.{name}": column for name, column in _columns(summaries.stack)}
        wide = (column for column in made.values() if _is_wide(column.type))
        made["checksum"] = pa.array(_checksums(wide, len(at)))
        found = {name: _stored(keys.values[name].take(pa.array(at)).combine_chunks()) for name in level.names}
        yield pa.table(found | {beside(name, level.names): column for name, column in made.items()})


def _groups(cells: Cells, size: int) -> Iterator[tuple[Codes, Summaries]]:
    """Yield consecutive cells with their summaries, so many at a time."""
    left, done, many = list[Summaries](), 0, 0
    for _, some in cells.batches():
        n, at = cells.summing.count(some), 0
        while at < n:
            more = min(size - many, n - at)
            left.append(cells.summing.taken(some, np.arange(at, at + more)))
            at, many = at + more, many + more
            if many == size or done + many == len(cells):
                yield np.arange(done, done + many), cells.summing.joined(left)
                left, done, many = [], done + many, 0


def _stored(column: Any) -> Any:
    """Return a column of keys in a type that Parquet has: none of its times are in seconds."""
    kind = column.type
    if pa.types.is_date64(kind):
        return column.cast(pa.date32())
    if pa.types.is_timestamp(kind) and kind.unit == "s":
        return column.cast(pa.timestamp("ms", kind.tz))
    return column.cast(pa.time32("ms")) if kind == pa.time32("s") else column


def _columns(stack: Any) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a stack as columns, by name; those without entries have none."""
    for name, field, value in values(stack):
        if is_record(field.type):
            yield from ((f"{name}.{inner}", column) for inner, column in _columns(value))
        elif np.size(value):
            yield name, _column(np.asarray(value))


def _column(array: Any) -> Any:
    """Return an array as a column of numbers, or of lists of one length."""
    if array.ndim == 1:
        return pa.array(array)
    return pa.FixedSizeListArray.from_arrays(
        pa.array(np.ascontiguousarray(array).ravel()), int(np.prod(array.shape[1:]))
    )


def _is_wide(kind: pa.DataType) -> bool:
    """Whether a column is one of lists of numbers of 64 bits."""
    if not pa.types.is_fixed_size_list(kind):
        return False
    inner = kind.value_type
    return inner.bit_width == 64 and bool(pa.types.is_integer(inner) or pa.types.is_floating(inner))


def _checksums(wide: Iterable[Any], cells: int) -> Bits:
    """Return a number for each cell that any change of one of its numbers changes: the sum of odd multiples of them."""
    total, before = np.zeros(cells, np.uint64), 0
    for column in wide:
        size = column.type.list_size
        odd, other = np.zeros((2, size), np.uint64)
        add_numbers(np.arange(before, before + size, dtype=np.uint64), odd, other)
        words = column.flatten().to_numpy(zero_copy_only=False).view(np.uint64).reshape(len(column), size)
        total += np.einsum("ij,j->i", words, odd | np.uint64(1))
        before += size
    return total


def _digest(table: pa.Table) -> str:
    """Return a digest of all values of a table, but for those that have checksums."""
    digest = hashlib.sha256()
    for name in [field.name for field in table.schema if not _is_wide(field.type)]:
        column = table[name].combine_chunks()
        column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
        size = 1
        if pa.types.is_fixed_size_list(column.type):
            size, column = column.type.list_size, column.flatten()
        digest.update(f"{name} {size} {column.type}".encode())
        if column.null_count or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            digest.update(json.dumps(column.to_pylist(), default=str).encode())
        else:
            numbers: Any = np.ascontiguousarray(column.to_numpy(zero_copy_only=False))
            digest.update(numbers)
    return digest.hexdigest()


class CubeFile:
    """A file of a cube: its head, which is checked, and its row groups, each checked when it is read."""

    def __init__(self, path: Any) -> None:
        self.path = path
        with self._naming():
            self.bytes = pa.OSFile(str(Path(path).expanduser()))
            self.file = pq.ParquetFile(self.bytes)
            self._take(self._head())

    def __enter__(self) -> CubeFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.bytes.close()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Raise what comes of a damaged or forged file as an error that names it."""
        try:
            yield
        except (FileNotFoundError, PermissionError):
            raise
        except UNREADABLE as error:
            raise ModelFileError(f"{self.path} is damaged, or no file of Cube.to_parquet: {error}") from None

    def _head(self) -> dict[str, Any]:
        """Return the head, if it has its digest."""
        found = self.file.schema_arrow.metadata or {}
        more = self.file.metadata.metadata or {}
        head, seal = (more.get(key, found.get(key)) for key in (MAGIC.encode(), f"{MAGIC}.sha256".encode()))
        if head is None or seal is None:
            raise ModelFileError("it holds no cube")
        if hashlib.sha256(head).hexdigest().encode() != seal:
            raise ModelFileError("its head does not have its digest")
        version, *more = parts(json.loads(head), "version", *HEAD)
        if version != VERSION:
            raise ModelFileError(f"it has version {version}, and this tenfold reads version {VERSION}")
        return dict(zip(HEAD, more, strict=True))

    def _take(self, head: dict[str, Any]) -> None:
        """Take over what the head says."""
        self.by, self.missing, self.digests = tuple(head["by"]), head["missing"], head["digests"]
        self.direct = bool(head["direct"])
        if len(self.digests) != self.file.metadata.num_row_groups:
            raise ModelFileError("it has other row groups than its head")
        reader = Reader({name: _tensor(**one) for name, one in head["tensors"].items()})
        self.learner = reader.learner({"learner": head["learner"], "params": head["params"]})
        self.schema: Schema = read_schema(reader, head["schema"], self.learner)
        origin = Origin(**head["origin"])
        self.origin = origin._replace(machines=frozenset(origin.machines), computed=read_computed(origin.computed))
        kinds = {kind.__name__: kind for kind in self.learner.record_types.summaries}
        with refusing_parameters():
            asked = self.learner.ask(self.learner.start(self.schema))
        self.summing = Summing(View(self.learner.need, self.schema), asked)
        if head["summary"] not in kinds or not self.summing.in_stacks:
            raise ModelFileError("it has summaries of another learner")
        self.kind = kinds[head["summary"]]

    def level(self, groups: list[int]) -> CubeLevel:
        """Return the cells of some row groups."""
        with self._naming():
            return self._level(pa.concat_tables([self._read(group) for group in groups]))

    def _level(self, table: pa.Table) -> CubeLevel:
        hash, check = (self._lists(table, name, (), np.dtype(np.uint64)) for name in ("hash", "check"))
        keys = Keys(hash, check, table.select(list(self.by)).combine_chunks())
        if (hash[1:] <= hash[:-1]).any():
            raise ModelFileError("its cells are not in order")
        again = hashes_of([keys.values[name].combine_chunks() for name in self.by], self.by, "cell", len(hash))
        if (again[0] != hash).any() or (again[1] != check).any():
            raise ModelFileError("hashes are not those of the keys")
        names, said = STATUS.tolist(), self._column(table, "status").to_pylist()
        status = np.array([names.index(one) for one in said], dtype=np.int64)
        reasons = {at: why for at, why in enumerate(self._column(table, "reason").to_pylist()) if why is not None}
        summarized = self._lists(table, "summarized", (), np.dtype(bool))
        stack = self._record(table, self.kind, "summary", summarized)
        summaries = Summaries(stack, {at: reasons[at] for at in np.flatnonzero(~summarized).tolist()})
        classes = None
        if self.schema.classes is not None:
            classes = self._lists(table, "classes.", (len(self.schema.classes),), np.dtype(bool))
        rows = self._lists(table, "rows", (), np.dtype(np.int64))
        cells = Cells(self.summing, keys, rows, classes, self.summing.size(summaries) // len(hash), summaries)
        models = None
        if beside("model.coef", self.by) in table.column_names:
            made = self._record(table, LinearModel, "model", status != FAILED)
            models = CellModels(made, True, status, reasons)
        return CubeLevel(self.learner, self.schema, self.by, cells, self.origin, self.direct, models)

    def _read(self, group: int) -> pa.Table:
        """Return a row group, if it has its digest and its checksums."""
        table = self.file.read_row_group(group, use_threads=False)
        if _digest(table) != self.digests[group] or not self._has_checksums(table):
            raise ModelFileError(f"row group {group} does not have its digest")
        return table

    def _has_checksums(self, table: pa.Table) -> bool:
        wide = (table[field.name].combine_chunks() for field in table.schema if _is_wide(field.type))
        return bool((_checksums(wide, len(table)) == self._lists(table, "checksum", (), np.dtype(np.uint64))).all())

    def _read_row(self, group: int, hash: np.uint64) -> pa.Table | None:
        """Return the row of a cell, if it is in a row group; the lists of numbers of other cells are not read."""
        schema = self.file.schema_arrow
        narrow = [field.name for field in schema if not _is_wide(field.type)]
        table = self.file.read_row_group(group, columns=narrow, use_threads=False).select(narrow)
        if _digest(table) != self.digests[group]:
            raise ModelFileError(f"row group {group} does not have its digest")
        hashes = self._lists(table, "hash", (), np.dtype(np.uint64))
        at = int(np.searchsorted(hashes, hash))
        if at == len(hashes) or hashes[at] != hash:
            return None
        row = table.slice(at, 1)
        for place, field in enumerate(schema):
            if _is_wide(field.type):
                row = row.append_column(field, self._numbers(group, place, field.type, len(hashes) - at))
        # a file whose pages are not as `write` makes them is read as Parquet, which finds any damage
        return row if self._has_checksums(row) else self._read(group).slice(at, 1)

    def _numbers(self, group: int, place: int, kind: pa.DataType, from_last: int) -> pa.Array:
        """Return the list of numbers of one cell, counted from the last, of a column that is one plain page."""
        column, size = self.file.metadata.row_group(group).column(place), kind.list_size * 8
        start = max(column.data_page_offset + column.total_compressed_size - from_last * size, 0)
        numbers = np.frombuffer(self.bytes.read_at(size, start).ljust(size, b"\0"), np.uint64)
        return pa.FixedSizeListArray.from_arrays(pa.array(numbers).view(kind.value_type), kind.list_size)

    def _record(self, table: pa.Table, kind: type, prefix: str, there: Flags) -> Any:
        """Return a stack of records from the columns of a table; those that are there have values that are allowed."""
        made: dict[str, Any] = {}
        for name, field in fields(kind).items():
            where = f"{prefix}.{name}"
            if is_record(field.type):
                made[name] = self._record(table, field.type, where, there)
                continue
            sizes = [self.schema.size(axis) for axis in field.axes or ()]
            shape = tuple(-1 if size is None else size for size in sizes)
            found = made[name] = self._lists(table, where, shape, np.dtype(field.type))
            for allowed in field.allowed:
                if not allowed.holds(found[there], self.schema.size, self.schema):
                    raise ModelFileError(f"column {where!r} must be {allowed}")
        if kind is LinearModel:
            made["schema"] = self.schema
        return kind(**made)

    def _column(self, table: pa.Table, name: str) -> pa.ChunkedArray:
        """Return a column that is not one of the key."""
        return table[beside(name, self.by)]

    def _lists(self, table: pa.Table, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """Return a column of numbers, or of lists of numbers, as an array with the cells in front."""
        none = tuple(max(size, 0) for size in shape)  # of unknown size
        if 0 in none and beside(name, self.by) not in table.column_names:
            return np.zeros((len(table), *none), dtype)
        whole = self._column(table, name).combine_chunks()
        n = len(whole)
        if pa.types.is_fixed_size_list(whole.type):
            whole = whole.flatten()
        found = whole.to_numpy(zero_copy_only=False)
        if found.dtype != dtype or whole.null_count:
            raise ModelFileError(f"column {name!r} does not fit the learner")
        return found.reshape((n, *shape))

    def cell(self, key: tuple[Any, ...]) -> CubeLevel:
        """Return the level of one cell: the columns of its row group but for lists, and its own lists, are read."""
        if len(key) != len(self.by):
            raise KeyError(f"a key has {len(self.by)} values, {list(self.by)}, not {len(key)}")
        found = hashes_of_key(key)
        if found is not None:
            with self._naming():
                row = self._read_row(self._group_of(int(found[0][0])), found[0][0])
                if row is not None:
                    return self._level(row)
        raise KeyError(f"there is no cell {key if len(key) != 1 else key[0]!r} in {self.path}")

    def _group_of(self, hash: int) -> int:
        """Return the row group that may have a hash: they are sorted."""
        meta, name = self.file.metadata, beside("hash", self.by)
        column = next(k for k in range(meta.num_columns) if meta.schema.column(k).path == name)
        low, high = 0, meta.num_row_groups - 1
        while low < high:
            middle = (low + high) // 2
            if meta.row_group(middle).column(column).statistics.max < hash:
                low = middle + 1
            else:
                high = middle
        return low


def _tensor(dtype: str, shape: list[int], data: str) -> Any:
    """Return an array of the head."""
    if dtype not in {kind.str for kind in STORED}:
        raise ModelFileError("the head has numbers of an unknown type")
    try:
        return np.frombuffer(base64.b64decode(data), dtype).reshape(shape)
    except ValueError:
        raise ModelFileError("the head is malformed") from None


class StoredLevel(CubeLevel):
    """The cells of a file, which are read when they are asked for: one by one, or all of them, and then kept."""

    def __init__(self, file: CubeFile) -> None:
        self.file = file
        self.learner, self.schema, self.names = file.learner, file.schema, file.by
        self.origin, self.direct = file.origin, file.direct
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return int(self.file.file.metadata.num_rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the cells, and not the file."""
        given = self.learner, self.schema, self.names, self.cells, self.origin, self.direct
        return CubeLevel, (*given, self.__dict__.get("models"))

    def around(self, key: tuple[Any, ...]) -> CubeLevel:
        if "cells" in self.__dict__:
            return self
        with self._lock:
            return self.file.cell(key)

    @cached_property
    def cells(self) -> Cells:  # type: ignore[override]
        """The cells; reading them sets the models as well, if the file has them."""
        with self._lock:
            level = self.file.level(list(range(self.file.file.metadata.num_row_groups)))
        if "models" in level.__dict__:
            self.__dict__["models"] = level.models
        return level.cells

    @cached_property
    def models(self) -> CellModels:
        cells = self.cells
        known = self.__dict__.get("models")
        return solve_cells(self.learner, self.schema, cells) if known is None else known


def read(path: Any) -> Any:
    """Return the cube of a file: its cells are read when they are asked for."""
    from tenfold.models.cube import Cube

    found = CubeFile(path)
    cube = Cube(found.learner._blank(), list(found.by), missing=found.missing)
    return cube._become(found.schema, [StoredLevel(found)])


def read_cell(path: Any, key: tuple[Any, ...]) -> Any:
    """Return the fitted learner of one cell: the rest of the file is not read."""
    from tenfold.models.cube import Cube

    with CubeFile(path) as found:
        level = found.cell(key)
    cube = Cube(found.learner._blank(), list(found.by), missing=found.missing)
    return cube._become(found.schema, [level])[key]
