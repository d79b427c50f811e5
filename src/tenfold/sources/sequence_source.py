"""Rows in whole sequences, wherever parts, row groups and chunks were cut.

A sequence is a run of rows with one id. It belongs to the part in which it begins: a part that begins within one skips
to the first new id, and looks into the parts after it for the end of its last one. So any worker can load a part by
itself, and every row is in one sequence of one part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tenfold.core import Chunk, Codes, DataError, Need, Schema, Values
from tenfold.core.rows.joined_rows import joined

if TYPE_CHECKING:
    from tenfold.sources.source import Source


MAX_WHOLE_SEQUENCE = 1 << 20
"""rows of the longest sequence that comes whole where windows are taken"""


def read(source: Source, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
    """Yield the sequences that begin in a part of a source whose parts can all be read from here."""
    name = source.sequence_column(need)
    plain = with_ids(need, name)

    def after(last: object) -> Iterator[Chunk]:
        for further in range(part + 1, len(source)):
            ids, numbers = ids_of(source, further, name)
            run = run_of(ids, last)
            if run:
                yield from source.first_rows(further, plain, schema, int(numbers[run - 1]) + 1)
            if run < len(ids):
                return

    windows = None
    if need.windows and (source.counted is None or source.counted > MAX_WHOLE_SEQUENCE):
        windows = Around(
            MAX_WHOLE_SEQUENCE, partial(_rows_before, source, part, name), partial(_rows_after, source, part, name)
        )
    return whole(source.read(part, plain, schema), name, _before(source, part, name), after, windows)


class Runs(NamedTuple):
    """The first and the last sequence of a part: their ids, and how many rows they have in it."""

    rows: int
    first: object = None
    head: int = 0
    last: object = None
    tail: int = 0


class Around(NamedTuple):
    """Access to the rows around a part, to find sequences so long that they come in windows."""

    longest: int
    """maximum length of a sequence that comes whole"""
    before: Callable[[], int]
    """rows before the part of the sequence that goes on in it, at least one more than `longest` if there are more"""
    after: Callable[[object], int]
    """rows after the part of the sequence with an id, that it ends with; likewise"""


def runs_of(source: Source, part: int, name: str) -> Runs:
    """The first and the last sequence of a part, read once."""
    found = source.runs.get((name, part))
    if found is None:
        found = Runs(0)
        for chunk in _id_chunks(source, part, name):
            if chunk.n:
                found = _run_on(found, _checked(chunk, name))
        source.runs[name, part] = found
    return found


def _run_on(so_far: Runs, ids: Values) -> Runs:
    """The runs of some rows and those after them."""
    head, tail = run_of(ids, ids[0]), run_of(ids[::-1], ids[-1])
    if not so_far.rows:
        return Runs(len(ids), ids[0], head, ids[-1], tail)
    goes_on = bool(ids[0] == so_far.last)
    if goes_on and so_far.head == so_far.rows:
        so_far = so_far._replace(head=so_far.head + head)
    if goes_on and tail == len(ids):
        tail += so_far.tail
    return so_far._replace(rows=so_far.rows + len(ids), last=ids[-1], tail=tail)


def _rows_before(source: Source, part: int, name: str) -> int:
    """How many rows the sequence just before a part has there; enough of them, if there are very many."""
    found, last = 0, None
    for earlier in reversed(range(part)):
        runs = runs_of(source, earlier, name)
        if found and runs.rows and runs.last != last:
            break
        found, last = found + runs.tail, runs.last if runs.rows else last
        if runs.tail < runs.rows or found > MAX_WHOLE_SEQUENCE:
            break
    return found


def _rows_after(source: Source, part: int, name: str, last: object) -> int:
    """How many rows the sequence with an id has after a part; enough of them, if there are very many."""
    found = 0
    for further in range(part + 1, len(source)):
        runs = runs_of(source, further, name)
        if runs.rows and runs.first != last:
            break
        found += runs.head
        if runs.head < runs.rows or found > MAX_WHOLE_SEQUENCE:
            break
    return found


class Ids:
    """Sequence ids of consecutive parts, to detect a sequence whose rows are not consecutive.

    `+` merges the ids of some parts with those of the parts right after them.

    Parameters
    ----------
    ids : array
        Of rows, in order.
    """

    __slots__ = ("again", "first", "keys", "last")

    def __init__(self, ids: Values) -> None:
        runs = ids[_changes(ids)]
        self.first, self.last = runs[:1], runs[-1:]
        self.keys, counts = np.unique(_keys(runs), return_counts=True)
        """of each sequence: sorted, and of one size, so that very many fit in memory"""
        self.again: Values = self.keys[counts > 1][:1]
        """the key of a sequence that occurs twice, if any"""

    def __add__(self, other: Ids) -> Ids:
        if not len(self.keys) or not len(other.keys):
            return self if len(self.keys) else other
        found: Ids = object.__new__(Ids)
        mine, theirs = _as_kind_of(self.keys, other.keys), _as_kind_of(other.keys, self.keys)
        both = np.intersect1d(mine, theirs, assume_unique=True)
        if self.last[0] == other.first[0]:  # it goes on
            both = both[both != _as_kind_of(_keys(self.last), mine)]
        found.again = next((some for some in (self.again, other.again, both) if len(some)), both)[:1]
        found.keys = np.union1d(mine, theirs)
        found.first, found.last = self.first, other.last
        return found


def _keys(ids: Values) -> Values:
    """Return the keys of ids: integers themselves, others as sixteen bytes, equal for equal numbers."""
    if ids.dtype.kind == "i" or (ids.dtype.kind == "u" and ids.dtype.itemsize < 8):
        return ids.astype(np.int64)
    plain = (int(i) if isinstance(i, float) and i.is_integer() else i for i in ids.tolist())
    found = b"".join(hashlib.blake2b(repr(i).encode(), digest_size=16).digest() for i in plain)
    return np.frombuffer(found, "S16")


def _as_kind_of(keys: Values, others: Values) -> Values:
    """Keys of the same kind as others: a column may have another type in other parts."""
    return keys if keys.dtype == others.dtype or keys.dtype.kind == "S" else _keys(keys.astype(object))


def ids_in(source: Source, part: int, name: str) -> Ids:
    """The sequences of one part."""
    return sum((Ids(_checked(chunk, name)) for chunk in _id_chunks(source, part, name)), Ids(np.empty(0, np.int64)))


def named_by(source: Source, part: int, name: str, key: Values) -> list[object]:
    """The id that has a key, if a part has it."""
    for chunk in _id_chunks(source, part, name):
        ids = _checked(chunk, name)
        ids = ids[_changes(ids)]
        found = ids[_as_kind_of(_keys(ids), key) == key]
        if len(found):
            return [found.tolist()[0]]
    return []


def _id_chunks(source: Source, part: int, name: str) -> Iterator[Chunk]:
    """Rows of a part that have nothing but ids."""
    return source.read(part, Need(side=(name,)), Schema(()))


def not_together(each: object, name: str) -> DataError:
    """The error for an id that comes back after others."""
    return DataError(
        f"the rows of sequence {each!r} of column {name!r} are not next to each other. Remedy: sort the rows "
        f"by {name!r} first, and within it by time"
    )


def with_ids(need: Need, name: str) -> Need:
    """The same need of rows one by one, with the ids of their sequences."""
    return replace(need, sequence=None, windows=False, side=tuple(dict.fromkeys((*need.side, name))))


def ids_of(source: Source, part: int, name: str) -> tuple[Values, Codes]:
    """The ids of a part's rows, and the number of each row within the part."""
    chunks = list(_id_chunks(source, part, name))
    numbers = np.concatenate([chunk.X.numbers() - chunks[0].offset for chunk in chunks])
    ids = np.concatenate([_checked(chunk, name) for chunk in chunks])
    source.runs[name, part] = _run_on(Runs(0), ids) if len(ids) else Runs(0)
    return ids, numbers


def _before(source: Source, part: int, name: str) -> Values:
    """The ids of the rows before a part: those of the nearest part that has any."""
    for earlier in reversed(range(part)):
        ids, _ = ids_of(source, earlier, name)
        if len(ids):
            return ids
    return np.empty(0)


def run_of(ids: Values, last: object) -> int:
    """How many of the first ids are equal to the last one before."""
    other = np.flatnonzero(ids != last)
    return int(other[0]) if len(other) else len(ids)


def _changes(ids: Values) -> Codes:
    """Where each run of equal ids begins."""
    return np.flatnonzero(np.append(True, ids[1:] != ids[:-1])[: len(ids)])


def _checked(chunk: Chunk, name: str) -> Values:
    """Return the ids of the rows of a chunk, or raise if one is missing."""
    ids = np.asarray(chunk.side[name])
    missing: Any = ids != ids
    if ids.dtype.kind == "O":
        missing = missing | np.array([i is None for i in ids.tolist()], dtype=bool)
    if np.any(missing):
        row = chunk.X.row(int(np.argmax(missing)))
        raise DataError(f"column {name!r} has no sequence id in row {row}. Remedy: drop rows without an id")
    return ids


def whole(
    chunks: Iterable[Chunk],
    name: str,
    before: Values,
    after: Callable[[object], Iterator[Chunk]],
    windows: Around | None = None,
) -> Iterator[Chunk]:
    """Yield the sequences that begin in the chunks of a part, whole: a few at a time, in order.

    Parameters
    ----------
    chunks : iterable of Chunk
        Chunks of the part, with the ids in the side column `name`.
    name : str
    before : array
        Ids of rows before the part; the last is that of the row before its first.
    after : callable
        From an id to the rows with which this sequence goes on after the part.
    windows : Around, optional
        Where sequences of very many rows come in windows: each has those rows that this part has of it.
    """
    seen = {*before[_changes(before)].tolist()}
    last = before[-1] if len(before) else None
    going = _Going(windows, last is None)
    dropped, end, rest = 0, 0, None
    for chunk in chunks:
        ids = _checked(chunk, name)
        cuts = _changes(ids)
        if len(ids) and last is not None and ids[0] == last:
            cuts = cuts[1:]
        _refuse_again(ids[cuts].tolist(), seen, name)
        dropped, end, rest = dropped + chunk.dropped, chunk.offset + chunk.n + chunk.dropped, chunk
        begin = int(cuts[0]) if len(cuts) else chunk.n
        if begin:
            going.add(chunk.rows(slice(0, begin)))
        if len(ids):
            last = ids[-1]
        if going.long:
            yield going.window(dropped)
            dropped = 0
        if not len(cuts):
            continue
        if going.pieces and going.own:
            yield _joined(going.pieces, dropped)
            dropped = 0
        if len(cuts) > 1:
            some = chunk.rows(slice(begin, int(cuts[-1])))
            yield some._replace(starts=cuts[:-1] - begin, dropped=dropped)
            dropped = 0
        going = _Going(windows, True)
        going.add(chunk.rows(slice(int(cuts[-1]), chunk.n)))
        if going.long:
            yield going.window(dropped)
            dropped = 0
    if going.goes_on_long(last):
        yield going.window(dropped)
    elif going.pieces and going.own:
        yield _joined([*going.pieces, *_numbered_on(after(last), end)], dropped)
    elif rest is not None and (dropped or not going.cut):  # all rows are of a sequence that began before
        yield rest.rows(slice(0, 0))._replace(starts=np.zeros(0, np.int64), dropped=dropped)


class _Going:
    """Sequence that may continue: its rows so far, except those already yielded as windows."""

    def __init__(self, windows: Around | None, own: bool) -> None:
        self.windows, self.own = windows, own
        self.pieces: list[Chunk] = []
        self.cut = False
        """whether it comes in windows: it is known to have very many rows"""
        self.count = 0

    def add(self, rows: Chunk) -> None:
        """More of its rows. Those of a sequence that began before the part are kept if they may be a window."""
        if rows.n and (self.own or self.windows is not None):
            if self.windows is not None and not self.own and not self.count:
                self.count = self.windows.before()
            self.pieces.append(rows)
            self.count += rows.n

    @property
    def long(self) -> bool:
        """Whether there are rows to give out as a window."""
        return self.windows is not None and self.count > self.windows.longest and bool(self.pieces)

    def goes_on_long(self, last: object) -> bool:
        """Whether the rows at the end of a part, of the sequence with this id, are a window: many come after."""
        if self.windows is None or not self.pieces:
            return False
        return self.count + self.windows.after(last) > self.windows.longest

    def window(self, dropped: int) -> Chunk:
        """The rows that were not given out yet."""
        found = _joined(self.pieces, dropped)
        kind: Any = "first" if self.own and not self.cut else "later"
        self.pieces, self.cut = [], True
        return found._replace(window=kind)


def _refuse_again(ids: list[object], seen: set[object], name: str) -> None:
    """Refuse an id that comes back after others; remember these."""
    for each in ids:
        if each in seen:
            raise not_together(each, name)
        seen.add(each)


def _numbered_on(chunks: Iterable[Chunk], end: int) -> Iterator[Chunk]:
    """Chunks of later parts, their rows numbered as if they stood in this one, after its last."""
    part, shift = -1, 0
    for chunk in chunks:
        if chunk.part != part:
            part, shift = chunk.part, end - chunk.offset
        end = chunk.offset + shift + chunk.n + chunk.dropped
        X = chunk.X
        yield chunk._replace(X=X.other_rows(X.data, X.offset + shift, X.kept))


def _joined(chunks: Sequence[Chunk], dropped: int) -> Chunk:
    """A single sequence, from its pieces."""
    return joined(chunks)._replace(starts=np.zeros(1, np.int64), dropped=dropped)
