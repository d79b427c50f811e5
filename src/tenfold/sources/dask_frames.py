"""Dask collections as sources: each partition, or block of rows, is a part.

On a Dask cluster the partitions are computed where they are summarized; anywhere else, one at a time in this
process. How many rows a partition has is not known beforehand, so rows are counted within it.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from tenfold.core import Chunk, Column, DataError, MatrixLike, Need, Schema, VectorLike
from tenfold.sources import validation
from tenfold.sources.array_source import ArraySource
from tenfold.sources.frames import table_of
from tenfold.sources.sequence_source import ids_of, run_of, whole, with_ids
from tenfold.sources.source import Source
from tenfold.sources.tables import ArrowSource, Roles

if TYPE_CHECKING:
    from dask.delayed import Delayed


def is_dask(data: MatrixLike) -> bool:
    """Whether data is a collection of Dask."""
    return type(data).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(data, "__dask_graph__")


_at_hand: ContextVar[tuple[str, int, Any]] = ContextVar("at_hand", default=("", -1, None))
_PLANNING = Lock()
"""held while Dask makes a plan: two threads that do so for one frame can wait for each other without end"""


@contextmanager
def at_hand(key: str, part: int, value: Any) -> Iterator[None]:
    """A part that the cluster has computed, for whoever loads it in this block."""
    token = _at_hand.set((key, part, value))
    try:
        yield
    finally:
        _at_hand.reset(token)


@contextmanager
def handed_on(whole: Any, part: int, source: Source, number: int) -> Iterator[bool]:
    """Hand on a part that the cluster has computed of a whole to the source that it is of; whether there is one."""
    graph, (key, at, value) = source.graph(), _at_hand.get()
    if graph is None or at != part or key != whole.key:
        yield False
        return
    with at_hand(graph.key, number, value):
        yield True


class Computed(Source):
    """Parts that are at hand, or computed here."""

    engine = "Dask"
    """the engine that computes the parts"""
    key: str
    """by which Dask knows the collection"""

    def graph(self) -> Computed:
        return self

    @abstractmethod
    def partitions(self, parts: Iterable[int]) -> list[Delayed]:
        """Return the task of each part, as nodes of Dask's graph."""

    def _value(self, part: int) -> Any:
        key, number, value = _at_hand.get()
        if (key, number) == (self.key, part):
            return value
        (lazy,) = self.partitions([part])
        return lazy.compute(scheduler="synchronous")


class DaskFrame(Computed, ArrowSource):
    """The rows of a dask DataFrame, whose partitions are the parts."""

    def __init__(self, frame: MatrixLike, roles: Roles, said: str) -> None:
        if type(frame).__name__ != "DataFrame":
            raise _no_rows(frame)
        named = all(isinstance(n, str) for n in frame.columns)
        frame = frame if named else frame.rename(columns=str)
        ArrowSource.__init__(self, table_of(frame._meta_nonempty).schema, roles, said)
        self.named = named
        self._others = {*self.types.names}
        used = [*self.names, *roles.taken]
        self.types = pa.schema([self.types.field(n) for n in dict.fromkeys(used)])
        self._frame = frame[list(dict.fromkeys(used))]
        self._lazy: list[Delayed] | None = None
        self.key = str(self._frame._name)
        self._length = int(frame.npartitions)

    def __len__(self) -> int:
        return self._length

    def place(self, part: int) -> str:
        return f"partition {part}"

    def check_there(self, columns: Sequence[str]) -> None:
        for name in columns:
            if name in self._others and name not in self.columns:
                raise DataError(
                    f"column {name!r} has no role, so Dask does not compute it. Remedy: name it among the columns, "
                    f"tenfold.scan(frame, columns=[..., {name!r}]); as folds or groups it is not a feature then"
                )
        super().check_there(columns)

    def partitions(self, parts: Iterable[int]) -> list[Delayed]:
        if self._lazy is None:
            with _PLANNING:
                self._lazy = self._lazy or _partitions(self._frame)
        if self.sequence is None:
            return [self._lazy[part] for part in parts]
        return [self._with_neighbours(part, self._lazy) for part in parts]

    def _with_neighbours(self, part: int, lazy: list[Delayed]) -> Delayed:
        """Return a partition with the sequence ids at the adjacent ends of its neighbours."""
        from dask import delayed

        kept = [n for n in (self.sequence, self.roles.weight) if n is not None]
        before = delayed(_columns)(lazy[part - 1], kept) if part else None
        after = delayed(_first_sequence)(lazy[part + 1], *kept) if part + 1 < len(lazy) else None
        return delayed(Neighbours)(lazy[part], before, after)

    def tables(self, part: int, columns: list[str], rows: int | None = None) -> Iterator[tuple[int, pa.Table]]:
        value = self._value(part)
        frame = value if self.sequence is None else value.rows
        yield 0, table_of(frame[columns] if rows is None else frame[columns].iloc[:rows])

    def read_sequences(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        # Yield the sequences that begin in one partition; they may end in the next one, but not after it.
        name = self.sequence_column(need)
        if name != self.sequence:
            raise DataError(
                "sequences may span partitions of a dask DataFrame, and a partition by itself would cut them. Remedy: "
                f"tenfold.scan(frame, ..., sequence={name!r})"
            )
        plain, beside = with_ids(need, name), self._value(part)
        before = np.empty(0)
        if beside.before is not None:
            with at_hand(self.key, part - 1, Neighbours(beside.before)):
                before, _ = ids_of(self, part - 1, name)
            if not len(before) and part > 1:
                raise self._unseen(part - 1)

        def after(last: object) -> Iterator[Chunk]:
            if beside.after is None:
                return
            with at_hand(self.key, part + 1, Neighbours(beside.after.rows)):
                ids, _ = ids_of(self, part + 1, name)
                on = run_of(ids, last) == len(ids)
                chunks = list(self.read(part + 1, plain, schema)) if on else []
            if on and beside.after.all and part + 2 < len(self):
                raise self._unseen(part + 1)
            yield from chunks

        return whole(self.read(part, plain, schema), name, before, after)

    def _unseen(self, part: int) -> DataError:
        return DataError(
            f"partition {part} has no rows, or rows of one sequence only, so it cannot be seen where sequences of "
            f"{self.sequence!r} begin and end. Remedy: fewer partitions, frame.repartition(npartitions=...), so that "
            "each has the rows of several sequences"
        )

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_frame": None, "_lazy": None}

    def fingerprint(self) -> str:
        text = repr((self.key, self.names, self.roles))
        return f"dask frame, {self._length} partitions, {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"


class Neighbours(NamedTuple):
    """Partition with the adjacent ids of its neighbours."""

    rows: Any
    before: Any = None
    """ids (and weights) at the end of the partition before, or None"""
    after: FirstSequence | None = None


class FirstSequence(NamedTuple):
    """The rows with which a partition begins, up to where the id changes."""

    rows: Any
    all: bool
    """whether it has no others"""


def _columns(frame: MatrixLike, names: list[str]) -> MatrixLike:
    return frame[names]


def _first_sequence(frame: MatrixLike, sequence: str, weight: str | None = None) -> FirstSequence:
    there = np.arange(len(frame)) if weight is None else np.flatnonzero(frame[weight].to_numpy())
    ids = np.asarray(frame[sequence], dtype=object)[there]
    other = there[ids != ids[0]] if len(ids) else there
    return FirstSequence(frame.iloc[: other[0]] if len(other) else frame, not len(other))


def _no_rows(data: MatrixLike) -> DataError:
    return DataError(
        f"rows cannot be read from a dask {type(data).__name__}. Remedy: make it a dask DataFrame, or an Array of "
        "rows and columns"
    )


def _partitions(frame: MatrixLike) -> list[Delayed]:
    """The partitions that the user made: Dask would read small ones of a file together, and parts must stay parts."""
    import dask

    with dask.config.set({"optimization.tune.active": False}):
        lazy = list(frame.to_delayed())
    if len(lazy) != frame.npartitions:  # before 2025.12 it could not be told
        lazy = list(frame.simplify().to_delayed(optimize_graph=False))
    return lazy


class DaskArray(Computed):
    """A dask Array: blocks of its rows, with those of target and weights."""

    def __init__(self, X: MatrixLike, y: VectorLike = None, weight: VectorLike = None) -> None:
        super().__init__()
        if type(X).__name__ != "Array":
            raise _no_rows(X)
        if X.ndim != 2:
            raise DataError(f"a dask Array of {X.ndim} dimensions is not a table of rows and columns")
        rows = X.chunks[0]
        for what, more in (("target", y), ("weight", weight)):
            if more is None:
                continue
            if type(more).__name__ != "Array" or not is_dask(more) or more.ndim != 1:
                raise DataError(
                    f"the {what} of a dask Array must be a dask Array of one dimension. Remedy: dask.array.from_array"
                )
            unknown = [bool(np.isnan(chunks).any()) for chunks in (rows, more.chunks[0])]
            if any(unknown) and (not all(unknown) or len(rows) != len(more.chunks[0])):
                raise DataError(
                    f"rows of the {what} cannot be matched to rows of X, since the sizes of their blocks are "
                    "unknown. Remedy: "
                    "compute_chunk_sizes() of both, first"
                )
            if not any(unknown) and sum(more.chunks[0]) != sum(rows):
                raise DataError(f"the {what} has {sum(more.chunks[0])} rows, but X has {sum(rows)}")
        X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
        known = not np.isnan(rows).any()
        aligned = [more.rechunk((rows,)) if more is not None and known else more for more in (y, weight)]
        self._lazy = (X, *aligned)
        self._has_target = y is not None
        self.weight = None if weight is None else "its blocks"
        """None: every row counts once"""
        self._length = len(rows)
        self._width = int(X.shape[1])
        self.names = tuple(f"x{j}" for j in range(self._width))
        self.key = repr([None if a is None else a.name for a in self._lazy])

    def __len__(self) -> int:
        return self._length

    @property
    def has_target(self) -> bool:
        return self._has_target

    def partitions(self, parts: Iterable[int]) -> list[Delayed]:
        from dask import delayed

        blocks = [None if a is None else a.to_delayed().ravel() for a in self._lazy]
        return [delayed(tuple)([None if b is None else b[i] for b in blocks]) for i in parts]

    def _block(self, part: int) -> ArraySource:
        X, y, weight = self._value(part)
        X = X.tocsr() if sp.issparse(X) else np.asarray(X)
        for what, more in (("target", y), ("weight", weight)):
            if more is not None and len(more) != X.shape[0]:
                raise DataError(f"block {part} of the {what} has {len(more)} rows, but that of X has {X.shape[0]}")
        y = None if y is None else np.asarray(y)
        weight = None if weight is None or self.weight is None else np.asarray(weight)
        if weight is not None:
            weight = validation.weights(weight, f"block {part} of the weight")
        block = ArraySource(validation.by_column(X), y, weight, target=f"block {part} of the target")
        block._cuts = np.array([0, block.n_rows])
        return block

    def preview(self, part: int, rows: int | None = None) -> Iterator[pa.Table]:
        return self._block(part).preview(0, rows)

    def scans_for(self, need: Need) -> bool:
        return "categorical" in need.every_kind or need.target == "class"

    def schema_of(self, part: int, need: Need) -> Schema:
        # What a block holds; of numbers, nothing has to be computed to know it.
        if self.scans_for(need):
            return self._block(part).schema_of(0, need)
        return Schema(tuple(Column(name, need.plain(name)) for name in self.names), need.target, None, False)

    def read(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        block = self._block(part)
        block.check_columns(schema)
        for chunk in block.read(0, need, schema):
            chunk.X.place = f"block {part}"
            yield chunk._replace(part=part, first_row_id=self.first_row_id(part))

    def sequence_column(self, need: Need) -> str:
        raise DataError(
            "a dask Array has no column of sequence ids. Remedy: a dask DataFrame, tenfold.scan(frame, sequence=...)"
        )

    def target_error(self, part: int, row: int) -> DataError:
        return DataError(f"block {part} of the target is missing or not finite in row {row}. Remedy: leave it out")

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_lazy": None}

    def fingerprint(self) -> str:
        digest = hashlib.blake2b(self.key.encode(), digest_size=8).hexdigest()
        return f"dask array, {self._length} blocks x {self._width}, {digest}"
