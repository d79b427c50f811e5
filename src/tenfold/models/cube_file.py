"""Files of cubes: Parquet, a row for each cell, sorted by the hash of its key. Numbers and texts only: nothing runs.

The learner, its parameters and the schema are in the metadata, as in a model file. Each row group has a digest, which
is compared before its values are used.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tenfold.core import ModelFileError, Schema
from tenfold.core.axes import fields, is_record, values
from tenfold.core.mergeable import taken
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.keys import Keys, hashes_of
from tenfold.engine.cells.summing import Summaries, Summing
from tenfold.estimator.files.container import STORED
from tenfold.estimator.files.encoding import Reader, Writer, parts
from tenfold.estimator.files.model_file import read_schema, refusing_parameters, write_schema
from tenfold.estimator.files.registry import id_of
from tenfold.linear_model.least_squares.routes import LinearModel
from tenfold.models.cell_models import STATUS, CellModels
from tenfold.models.cube_level import CubeLevel, Origin
from tenfold.stats.combinators import View

MAGIC, VERSION = "tenfold.cube", 1
CELLS_PER_ROW_GROUP = 2048
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
        "summary": type(level.cells.summaries.stack).__name__,
    }
    document["tensors"] = {
        name: {"dtype": array.dtype.str, "shape": array.shape, "data": base64.b64encode(array.tobytes()).decode()}
        for name, array in to.tensors.items()
    }
    digests: list[str] = []
    writer = None
    try:
        for table in _tables(level):
            digests.append(_digest(table))
            if writer is None:
                writer = pq.ParquetWriter(Path(path).expanduser(), table.schema, compression="none")
            writer.write_table(table, row_group_size=CELLS_PER_ROW_GROUP)
        assert writer is not None
        head = json.dumps({**document, "digests": digests}, allow_nan=False)
        seal = hashlib.sha256(head.encode()).hexdigest()
        writer.add_key_value_metadata({MAGIC: head, f"{MAGIC}.sha256": seal})
    finally:
        if writer is not None:
            writer.close()


def _tables(level: CubeLevel) -> Iterator[pa.Table]:
    """Yield the cells as tables of one row group each."""
    cells, models, keys = level.cells, level.models, level.keys
    for start in range(0, len(cells), CELLS_PER_ROW_GROUP):
        at = np.arange(start, min(start + CELLS_PER_ROW_GROUP, len(cells)))
        found = {name: keys.values[name].take(pa.array(at)).combine_chunks() for name in level.names}
        found["hash"], found["check"] = pa.array(keys.hash[at]), pa.array(keys.check[at])
        found["rows"] = pa.array(cells.rows[at].astype(np.int64))
        found["status"] = pa.array(STATUS[models.status[at]], pa.string())
        found["reason"] = pa.array([models.reasons.get(place) for place in at.tolist()], pa.string())
        if cells.classes is not None:
            found["classes."] = _column(cells.classes[at])
        if models.in_stack:
            found |= {f"model.{name}": column for name, column in _columns(taken(models.each, at))}
        found |= {f"summary.{name}": column for name, column in _columns(cells.taken(at).stack)}
        yield pa.table(found)


def _columns(stack: Any) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a stack as columns, by name."""
    for name, field, value in values(stack):
        if is_record(field.type):
            yield from ((f"{name}.{inner}", column) for inner, column in _columns(value))
        else:
            yield name, _column(np.asarray(value))


def _column(array: Any) -> Any:
    """Return an array as a column of numbers, or of lists of one length."""
    if array.ndim == 1:
        return pa.array(array)
    return pa.FixedSizeListArray.from_arrays(
        pa.array(np.ascontiguousarray(array).ravel()), int(np.prod(array.shape[1:]))
    )


def _digest(table: pa.Table) -> str:
    """Return a digest of all values of a table."""
    digest = hashlib.sha256()
    for name in table.column_names:
        column = table[name].combine_chunks()
        column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
        size = 1
        if pa.types.is_fixed_size_list(column.type):
            size, column = column.type.list_size, column.flatten()
        digest.update(f"{name} {size} {column.type}".encode())
        if column.null_count or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            digest.update(json.dumps(column.to_pylist(), default=str).encode())
        else:
            digest.update(column.to_numpy(zero_copy_only=False).tobytes())
    return digest.hexdigest()


class CubeFile:
    """A file of a cube: its head, which is checked, and its row groups, each checked when it is read."""

    def __init__(self, path: Any) -> None:
        try:
            self.file = pq.ParquetFile(Path(path).expanduser())
        except pa.ArrowException as error:
            raise ModelFileError(f"{path} is no Parquet file: {error}") from None
        found = self.file.schema_arrow.metadata or {}
        more = self.file.metadata.metadata or {}
        head, seal = (more.get(key, found.get(key)) for key in (MAGIC.encode(), f"{MAGIC}.sha256".encode()))
        if head is None or seal is None:
            raise ModelFileError(f"{path} holds no cube. Remedy: a file written by Cube.to_parquet")
        if hashlib.sha256(head).hexdigest().encode() != seal:
            raise ModelFileError(f"{path} is damaged: its head does not have its digest")
        try:
            document = json.loads(head)
        except ValueError:
            raise ModelFileError(f"{path} is damaged: its head is not readable") from None
        version, *more = parts(document, "version", *HEAD)
        if version != VERSION:
            raise ModelFileError(f"{path} has version {version}, and this tenfold reads version {VERSION}")
        learner, params, schema, by, missing, direct, origin, summary, tensors, digests = more
        if len(digests) != self.file.metadata.num_row_groups:
            raise ModelFileError(f"{path} is damaged: it has other row groups than its head")
        self.path, self.by, self.missing, self.digests, self.direct = path, tuple(by), missing, digests, bool(direct)
        reader = Reader({name: _tensor(**one) for name, one in tensors.items()})
        self.learner = reader.learner({"learner": learner, "params": params})
        self.schema: Schema = read_schema(reader, schema, self.learner)
        self.origin = Origin(**{**origin, "machines": frozenset(origin["machines"])})
        kinds = {kind.__name__: kind for kind in self.learner.record_types.summaries}
        with refusing_parameters():
            asked = self.learner.ask(self.learner.start(self.schema))
        self.summing = Summing(View(self.learner.need, self.schema), asked)
        if summary not in kinds or not self.summing.in_stacks:
            raise ModelFileError(f"{path} has summaries of another learner")
        self.kind = kinds[summary]

    def __enter__(self) -> CubeFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()

    def level(self, groups: list[int]) -> CubeLevel:
        """Return the cells of some row groups."""
        tables = [self._read(group) for group in groups]
        table = pa.concat_tables(tables)
        hash, check = table["hash"].to_numpy(), table["check"].to_numpy()
        keys = Keys(hash, check, table.select(list(self.by)).combine_chunks())
        if (hash[1:] <= hash[:-1]).any():
            raise ModelFileError(f"{self.path} is damaged: its cells are not in order")
        again = hashes_of([keys.values[name].combine_chunks() for name in self.by], self.by, "cell")
        if (again[0] != hash).any() or (again[1] != check).any():
            raise ModelFileError(f"{self.path} is damaged: hashes are not those of the keys")
        stack = self._record(table, self.kind, "summary")
        names, said = STATUS.tolist(), table["status"].to_pylist()
        if not {*said} <= {*names}:
            raise ModelFileError(f"{self.path} is damaged: a cell has an unknown status")
        status = np.array([names.index(one) for one in said], dtype=np.int64)
        reasons = {at: why for at, why in enumerate(table["reason"].to_pylist()) if why is not None}
        classes = None
        if self.schema.classes is not None:
            classes = _lists(table["classes."], (len(self.schema.classes),), np.dtype(bool), "classes")
        summaries = Summaries(stack, {})
        rows = table["rows"].to_numpy()
        cells = Cells(self.summing, keys, rows, classes, self.summing.size(summaries) // len(hash), summaries)
        models = None
        if "model.coef" in table.column_names:
            made = self._record(table, LinearModel, "model")
            models = CellModels(made, True, status, reasons)
        return CubeLevel(self.learner, self.schema, self.by, cells, self.origin, self.direct, models)

    def _read(self, group: int) -> pa.Table:
        """Return a row group, if it has its digest."""
        try:
            table = self.file.read_row_group(group, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise ModelFileError(f"{self.path} is damaged: {error}") from None
        if _digest(table) != self.digests[group]:
            raise ModelFileError(f"{self.path} is damaged: row group {group} does not have its digest")
        return table

    def _record(self, table: pa.Table, kind: type, prefix: str) -> Any:
        """Return a stack of records from the columns of a table."""
        made: dict[str, Any] = {}
        for name, field in fields(kind).items():
            where = f"{prefix}.{name}"
            if is_record(field.type):
                made[name] = self._record(table, field.type, where)
                continue
            if where not in table.column_names:
                raise ModelFileError(f"{self.path} has no column {where!r}")
            sizes = [self.schema.size(axis) for axis in field.axes or ()]
            dtype = np.dtype(field.type)
            made[name] = _lists(table[where], tuple(-1 if size is None else size for size in sizes), dtype, where)
        if kind is LinearModel:
            made["schema"] = self.schema
        return kind(**made)

    def group_of(self, hash: int) -> int:
        """Return the row group that may have a hash: they are sorted."""
        meta = self.file.metadata
        column = next(k for k in range(meta.num_columns) if meta.schema.column(k).path == "hash")
        low, high = 0, meta.num_row_groups - 1
        while low < high:
            middle = (low + high) // 2
            if meta.row_group(middle).column(column).statistics.max < hash:
                low = middle + 1
            else:
                high = middle
        return low


def _lists(column: pa.ChunkedArray, shape: tuple[int, ...], dtype: np.dtype[Any], where: str) -> Any:
    """Return a column of numbers, or of lists of numbers, as an array with the cells in front."""
    whole = column.combine_chunks()
    n = len(whole)
    if pa.types.is_fixed_size_list(whole.type):
        whole = whole.flatten()
    found = whole.to_numpy(zero_copy_only=False)
    try:
        if found.dtype != dtype or whole.null_count:
            raise ValueError
        return found.reshape((n, *shape))
    except ValueError:
        raise ModelFileError(f"column {where!r} of the file does not fit the learner") from None


def _tensor(dtype: str, shape: list[int], data: str) -> Any:
    """Return an array of the head."""
    if dtype not in {kind.str for kind in STORED}:
        raise ModelFileError("the head has numbers of an unknown type")
    try:
        return np.frombuffer(base64.b64decode(data), dtype).reshape(shape)
    except ValueError:
        raise ModelFileError("the head is malformed") from None


def read(path: Any) -> Any:
    """Return the cube of a file."""
    from tenfold.models.cube import Cube

    with CubeFile(path) as found:
        level = found.level(list(range(found.file.metadata.num_row_groups)))
    cube = Cube(found.learner._blank(), list(found.by), missing=found.missing)
    return cube._become(found.schema, [level])


def read_cell(path: Any, key: tuple[Any, ...]) -> Any:
    """Return the fitted learner of one cell: one row group is read."""
    from tenfold.models.cube import Cube

    with CubeFile(path) as found:
        kinds = found.file.schema_arrow
        if len(key) != len(found.by):
            raise KeyError(f"a key has {len(found.by)} values, {list(found.by)}, not {len(key)}")
        try:
            columns = [pa.array([value], kinds.field(n).type) for value, n in zip(key, found.by, strict=True)]
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            raise KeyError(f"there is no cell {key!r} in {path}") from None
        hash, _ = hashes_of(columns, found.by, "cell")
        level = found.level([found.group_of(int(hash[0]))])
    cube = Cube(found.learner._blank(), list(found.by), missing=found.missing)
    return cube._become(found.schema, [level])[key]
