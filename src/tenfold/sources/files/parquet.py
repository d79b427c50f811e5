"""Parquet files as a source: each row group is a part, large ones are read in batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from tenfold.core import Codes, DataError, Labels
from tenfold.core.certificate import number_of
from tenfold.core.rows.columns import InFile
from tenfold.sources import arrow, validation
from tenfold.sources.files.partitions import Partitions
from tenfold.sources.files.storage import DISK, Facts, Moved, Storage, failures
from tenfold.sources.source import no_column
from tenfold.sources.tables import ArrowSource, Roles, expression_of, where_error

MAX_ROW_GROUP_BYTES = 64 << 20
"""bytes of the columns in question, uncompressed: a larger row group is read in batches"""
BATCH_ROWS = 1 << 17
"""number of rows of a batch"""
STREAM_BUFFER = 1 << 20
"""bytes of a column that are read at a time where a row group is read in batches: it is never in memory as a whole"""
PAGE_BUFFER = 1 << 16
"""the same where only the first rows of a row group are wanted"""
MAX_REMEMBERED_FILES = 1 << 16
"""files whose size and time are kept"""


class ParquetSource(ArrowSource):
    """Row groups of Parquet files.

    Parameters
    ----------
    files : list of str
        In the order of their parts.
    roles : Roles
    where : str
        How the user wrote the files, for errors.
    partitions : Partitions, optional
        The columns that its folders give to each file.
    filter : pyarrow.compute.Expression, optional
        Which rows to take. Row groups whose statistics exclude it are not read.
    storage : Storage
        Where the files are: this machine, by default.
    schema : pyarrow.Schema, optional
        The columns to have; of a file that lacks one it is missing. By default the first file's, which all must have.
    """

    def __init__(
        self,
        files: Sequence[str],
        roles: Roles,
        where: str,
        partitions: Partitions | None = None,
        filter: ds.Expression | None = None,
        storage: Storage = DISK,
        schema: pa.Schema | None = None,
    ) -> None:
        self.files = list(files)
        self.storage = storage
        self.at_hand = storage is DISK
        self.filter = filter
        self._known: dict[str, Any] = {}
        self.partitions = partitions or Partitions([{}] * len(self.files), {})
        first, state = _opened(self.storage, self.files[0])
        self._states = [state]
        """of each file when it was scanned"""
        self._meet(0, state.facts)
        types = first.schema.to_arrow_schema()
        self._fills = schema is not None
        """whether a file may lack columns"""
        if schema is None:
            for name, kind in self.partitions.types.items():
                types = types.append(pa.field(name, kind))
        else:
            known = {**dict(zip(types.names, types.types, strict=True)), **self.partitions.types}
            types = pa.schema([(f.name, known.get(f.name, f.type)) for f in schema], types.metadata)
        here = tuple(n for n in roles.drop if n in types.names) if len(self.files) > 1 else roles.drop
        super().__init__(types, replace(roles, drop=here), where)
        self.roles = roles
        self._unseen = {*roles.drop} - {*here}
        """columns to drop that no file had yet"""
        self._take_parts(self._footers(first))
        if self._unseen:
            raise no_column(min(self._unseen), self.types.names)

    def _footers(self, first: pq.FileMetaData) -> Iterator[pq.FileMetaData]:
        """The footer of each file, checked against the first."""
        for k, path in enumerate(self.files):
            metadata = first
            if k:
                metadata, state = _opened(self.storage, path)
                self._states.append(state)
                self._meet(k, state.facts)
                self._unseen -= {*metadata.schema.to_arrow_schema().names}
            self._check_schema(k, metadata.schema.to_arrow_schema())
            yield metadata

    def _take_parts(self, footers: Iterable[pq.FileMetaData]) -> None:
        """The row groups that have rows and may have such as are asked for."""
        parts: list[tuple[int, int]] = []
        rows: list[int] = []
        classes: set[int] | None = set()
        for k, metadata in enumerate(footers):
            target = self._whole_target(metadata)
            for group in self._groups(k, metadata):
                facts = metadata.row_group(group)
                parts.append((k, group))
                rows.append(facts.num_rows)
                some = None if classes is None or target < 0 else _all_of(facts.column(target).statistics)
                classes = None if classes is None or some is None else classes | some
        self._stated = classes
        """the distinct integers of the target, if the footers store them"""
        if not parts:
            if self.filter is not None:
                raise DataError(f"no rows of {self.where} match the filter `where`")
            raise DataError(f"there are no rows in {self.where}")
        self._parts = np.array(parts, dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
        self.counted = None if self.filter is not None else int(self._starts[-1])
        self._n_rows = self.counted

    def _whole_target(self, metadata: pq.FileMetaData) -> int:
        """Return the index of the target column if it is an integer column without row filters, else -1."""
        if self.roles.target is None or self.filter is not None or self.weighted:
            return -1
        schema = metadata.schema.to_arrow_schema()
        at = int(schema.get_field_index(self.roles.target)) if metadata.num_columns == len(schema.names) else -1
        return at if at >= 0 and pa.types.is_integer(schema.field(at).type) else -1

    @property
    def stated_classes(self) -> Labels | None:
        # Two whole numbers, as 0 and 1: footers tell which each row group has, so no row is read to find them.
        kind = None if self.roles.target is None else self.types.field(self.roles.target).type
        if not self._stated or self.weighted or not pa.types.is_integer(kind):
            return None
        return validation.check_classes(arrow.levels(pa.array(sorted(self._stated), kind), "the target"), "it")

    def only(self, where: ds.Expression) -> Self:
        where = expression_of(where)
        other = copy(self)
        other.filter, other.asked, other._found = where if self.filter is None else self.filter & where, "...", {}
        other._take_parts(map(self._metadata, range(len(self.files))))
        return other

    @property
    def n_rows(self) -> int:
        # How many rows there are. With `where` they are counted when this is first asked for: its columns are read.
        if self._n_rows is None:
            self._n_rows = sum(self._count(part) for part in range(len(self)))
        return self._n_rows

    def _count(self, part: int) -> int:
        """How many rows of a row group are asked for."""
        k, group = (int(i) for i in self._parts[part])
        options = {"schema": self.types, "filter": self.filter}

        def count() -> int:
            before = self._check_unchanged(k)
            rows = int(ds.Scanner.from_fragment(self._fragment(k, [group]), **options).count_rows())
            self._check_unchanged(k, before)
            return rows

        with self._naming(part):
            return self.storage.steady(count)

    @contextmanager
    def _naming(self, part: int) -> Iterator[None]:
        """Name the part that cannot be read."""
        try:
            yield
        except failures() as error:
            with suppress(*failures()):  # a file that is cut off or rewritten cannot be read either
                self._check_unchanged(int(self._parts[part][0]))
            said = self.storage.error_text(error)
            raise DataError(
                f"{self.place(part)} cannot be read: {said}. Remedy: {self.storage.remedy(error)}"
            ) from None

    def _groups(self, k: int, metadata: pq.FileMetaData) -> list[int]:
        """Row groups that have rows and may have such as are asked for."""
        groups = [g for g in range(metadata.num_row_groups) if metadata.row_group(g).num_rows]
        if self.filter is None or not groups:
            return groups
        try:
            kept = self.storage.steady(lambda: self._fragment(k, None).subset(self.filter, schema=self.types))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, KeyError) as error:
            raise where_error(error, self.files[k], self.types) from None
        left = {g.id for g in kept.row_groups}
        return [g for g in groups if g in left]

    def _fragment(self, k: int, groups: list[int] | None) -> ds.ParquetFileFragment:
        partition = None
        for name in self.partitions.types:
            value = self.partitions.scalar(k, name)
            here = ds.field(name) == value if value.is_valid else ds.field(name).is_null()
            partition = here if partition is None else partition & here
        opened = self.storage.open(self.files[k])
        return ds.ParquetFileFormat().make_fragment(opened, partition_expression=partition, row_groups=groups)

    def _check_schema(self, k: int, schema: pa.Schema) -> None:
        """Files may differ in the order of columns and the width of numbers; in nothing else."""
        names = {*schema.names, *self.partitions.types}
        used = [*self.names, *self.roles.taken]
        path = self.files[k]
        if twice := sorted({n for n in schema.names if schema.get_field_index(n) < 0}):
            raise DataError(f"columns {twice} appear more than once in {path}. Remedy: rename them")
        if not self._fills and (lost := [n for n in used if n not in names]):
            keep = [n for n in self.names if n not in lost]
            raise DataError(
                f"{path} has no column {lost}, but {self.files[0]} has. Remedy: leave it out, "
                f"tenfold.scan({self.where}, columns={keep!r}, ...), or the file"
            )
        extra = sorted(names - set(self.types.names) - set(self.roles.drop))
        if extra and self.roles.columns is None and not self._fills:
            raise DataError(
                f"{path} has columns {extra} that are not in {self.files[0]}. Remedy: name the columns to use, "
                f"tenfold.scan({self.where}, columns={list(self.names)!r}, ...)"
            )
        for name in self.types.names:
            mine = self.types.field(name).type
            theirs = schema.field(name).type if name in schema.names else mine
            families = {_family(mine), _family(theirs)} - {"null"}
            if len(families) == 2:
                if name not in used:
                    continue
                raise DataError(
                    f"column {name!r} is {theirs} in {path}, but {mine} in {self.files[0]}. Remedy: "
                    "rewrite the files with one type, or leave the column out"
                )
            if mine != theirs and _family(theirs) != "null":
                at = self.types.get_field_index(name)
                self.types = self.types.set(at, pa.field(name, _wider(mine, theirs)))

    def __len__(self) -> int:
        return len(self._parts)

    def starts(self) -> Codes | None:
        return None if self.filter is not None else self._starts

    def file_starts(self, starts: Codes | None = None) -> Codes:
        cuts = self._starts if starts is None else starts
        first = np.flatnonzero(np.diff(self._parts[:, 0], prepend=-1))
        return np.unique(cuts[:-1][first][cuts[:-1][first] < cuts[-1]])

    def place(self, part: int) -> str:
        k, group = self._parts[part]
        first = np.searchsorted(self._parts[:, 0], k)
        return InFile(f"{self.files[k]}, row group {group}", int(self._starts[first]))

    def tables(self, part: int, columns: list[str], rows: int | None = None) -> Iterator[tuple[int, pa.Table]]:
        start = int(self._starts[part])
        with self._naming(part):
            for table in self.storage.steadily(lambda: self._read(part, columns, rows)):
                yield start, table
                start += table.num_rows

    def _read(self, part: int, columns: list[str], rows: int | None) -> Iterator[pa.Table]:
        k, group = (int(i) for i in self._parts[part])
        path, constant = self.files[k], self.partitions.types
        before = self._check_unchanged(k)
        if self.filter is not None:
            for table in self._filtered(self._fragment(k, [group]), columns, rows):
                self._check_unchanged(k, before)
                yield table
            self._check_unchanged(k, before)
            return
        physical = [c for c in columns if c not in constant]
        known = self._metadata(k)
        schema, facts = known.schema.to_arrow_schema(), known.row_group(group)
        lacking = [c for c in physical if c not in schema.names]
        physical = [c for c in physical if c not in lacking]
        flat = known.num_columns == len(schema.names)  # else columns of the file and of its schema have other numbers
        size = sum(facts.column(schema.get_field_index(c)).total_uncompressed_size for c in physical) if flat else 0
        large = size > MAX_ROW_GROUP_BYTES and facts.num_rows > BATCH_ROWS
        unread = facts.num_rows if rows is None else min(rows, facts.num_rows)
        buffer = PAGE_BUFFER if rows is not None else STREAM_BUFFER if large and self.storage.near else 0
        options = {"page_checksum_verification": True, "buffer_size": buffer, "pre_buffer": not buffer}
        with (
            self.storage.open(path) as opened,
            pq.ParquetFile(opened, metadata=known, **options) as file,
        ):
            some = {"row_groups": [group], "columns": physical, "use_threads": False}
            if rows is not None:
                first = file.iter_batches(rows, **some)
                pieces: Iterable[pa.Table] = (pa.Table.from_batches([b]) for b in islice(first, 1))
            elif large:
                pieces = (pa.Table.from_batches([b]) for b in file.iter_batches(BATCH_ROWS, **some))
            else:
                pieces = iter([file.read_row_group(group, columns=physical, use_threads=False)])
            for table in pieces:
                self._check_unchanged(k, before)  # it may have been written while it was read
                for name in (c for c in columns if c in constant):
                    table = table.append_column(name, pa.repeat(self.partitions.scalar(k, name), table.num_rows))
                for name in lacking:
                    table = table.append_column(name, pa.nulls(table.num_rows, self.types.field(name).type))
                yield table
                unread -= table.num_rows
            self._check_unchanged(k, before)
            if unread:  # Arrow takes the end of a file for the end of a column
                raise pa.ArrowInvalid(f"it ends {unread} rows too early")

    def _filtered(self, fragment: ds.ParquetFileFragment, columns: list[str], first: int | None) -> Iterator[pa.Table]:
        """The rows asked for, whole or, if there are many, in batches; or the first of them only."""
        held, rows, empty = [], 0, True
        for batch in fragment.to_batches(
            schema=self.types, columns=columns, filter=self.filter, use_threads=False, batch_size=BATCH_ROWS
        ):
            held.append(batch)
            rows += batch.num_rows
            if first is not None and rows >= first:
                yield pa.Table.from_batches(held).slice(0, first)
                return
            if rows >= BATCH_ROWS and sum(b.nbytes for b in held) > MAX_ROW_GROUP_BYTES:
                yield pa.Table.from_batches(held)
                held, rows, empty = [], 0, False
        if held or empty:  # a table without rows too: whoever asks for the part gets its columns
            yield pa.Table.from_batches(held, pa.schema([self.types.field(c) for c in columns]))

    def _metadata(self, k: int) -> pq.FileMetaData:
        """A file's footer, kept for the file that is read now: reading it again takes as long as a part."""
        path = self.files[k]
        found = self._known.get(path)
        if found is None:  # other threads may replace the dictionary meanwhile
            found, state = _opened(self.storage, path)
            if state.footer != self._states[k].footer:
                raise self._changed(k, state.facts)
            self._known = {path: found, **dict(list(self._known.items())[:3])}
        return found

    def _check_unchanged(self, k: int, before: Facts | None = None) -> Facts:
        """Raise if a file was rewritten or replaced after the scan, and return the current facts of the store.

        Whoever reads it, it has the size and the time that the scan found, and on the same machine it is the same file.
        Where this process has not read it yet, as on a worker, the footer is compared too. With `before`, what was
        known before a read: one during which the file was renamed is made again, since another may have been in its
        place.
        """
        path, then = self.files[k], self._states[k]
        now, known = self.storage.facts(path), _met.get((self.storage.absolute(path), then))
        if known is None or now.identity != known.identity:
            if not now.is_same_file(known or then.facts) or _opened(self.storage, path)[1].footer != then.footer:
                raise self._changed(k, now)
            self._meet(k, now)
        if before is not None and now != before:
            raise Moved("it was renamed or replaced while it was read")
        return now

    def _changed(self, k: int, now: Facts) -> DataError:
        """Return the error of a file that differs from the scanned one."""
        path, then = self.files[k], self._states[k]
        how = f"it had {then.facts.size:,} bytes, and has {now.size:,}"
        if now.size == then.facts.size:
            how = "it has as many bytes, but is another file, or was written again"
        return DataError(
            f"{path} has changed since it was scanned: {how}. Remedy: scan it again; a worker's own copy must have the "
            "file's time (cp -p, rsync -t)"
        )

    def _meet(self, k: int, facts: Facts) -> None:
        """Record the state in which this process found a file, and in which it must remain."""
        while len(_met) >= MAX_REMEMBERED_FILES:
            _met.pop(next(iter(_met)), None)
        _met[self.storage.absolute(self.files[k]), self._states[k]] = facts

    def __getstate__(self) -> dict[str, object]:
        """Return the state for a worker, whose current folder may differ: absolute paths, and no footers."""
        files = [self.storage.absolute(path) for path in self.files]
        return {**self.__dict__, "_known": {}, "files": files}

    def fingerprint(self) -> str:
        digest = hashlib.blake2b(digest_size=8)
        for path, state in zip(self.files, self._states, strict=True):
            digest.update(f"{path}{state.facts.size}{state.facts.time}".encode())
        digest.update(repr((self.names, self.roles, str(self.filter))).encode())
        digest.update(self._parts.tobytes())
        rows = f"{self._starts[-1]}" if self.filter is None else f"some of {self._starts[-1]}"
        return f"parquet, {number_of(len(self.files), 'file')}, {rows} x {len(self.names)}, {digest.hexdigest()}"


class FileState(NamedTuple):
    """State of a file by which a change is detected."""

    facts: Facts
    """facts of the store about the file"""
    footer: bytes
    """a digest of its footer, which holds the place, size and extremes of every column of every row group"""


_met: dict[tuple[str, FileState], Facts] = {}
"""states of the files that this process has read, by the state of the scan: any other state is a change"""


def _opened(storage: Storage, path: str) -> tuple[pq.FileMetaData, FileState]:
    """Return the footer of a file, and its state."""

    def read() -> tuple[pq.FileMetaData, FileState]:
        facts = storage.at_rest(path)
        with storage.open(path) as file:
            found, size = pq.read_metadata(file), file.size()
            file.seek(size - 8 - (length := found.serialized_size))
            digest = hashlib.blake2b(file.read(length), digest_size=16).digest()
        if size != facts.size or storage.facts(path) != facts:
            raise Moved("it was written while its footer was read")
        return found, FileState(facts, digest)

    try:
        return storage.steady(read)
    except failures() as error:
        raise DataError(
            f"{path} is not a readable Parquet file: {storage.error_text(error)}. Remedy: {storage.remedy(error)}"
        ) from None


def _all_of(facts: pq.Statistics | None) -> set[int] | None:
    """The whole numbers in a column of a row group, if the least and the largest leave no room for others."""
    if facts is None or not (facts.has_min_max and facts.has_null_count) or facts.null_count:
        return None
    return {facts.min, facts.max} if facts.max - facts.min <= 1 else None


def _wider(mine: pa.DataType, theirs: pa.DataType) -> pa.DataType:
    """A type that holds both, of one family."""
    if pa.types.is_null(mine):
        return theirs
    mine, theirs = (t.value_type if pa.types.is_dictionary(t) else t for t in (mine, theirs))
    if _family(mine) == "text":
        return pa.large_string()
    if mine == theirs:
        return mine
    if pa.types.is_integer(mine) and pa.types.is_integer(theirs):
        return pa.int64()
    return pa.float64()


def _family(kind: pa.DataType) -> str:
    """Return the family of types that may replace each other in different files."""
    if pa.types.is_dictionary(kind):
        return _family(kind.value_type)
    if pa.types.is_null(kind):
        return "null"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "text"
    return str(kind)
