"""Rows in whole sequences, wherever parts, row groups and chunks were cut.

A sequence is a run of rows with one id. It belongs to the part in which it begins: a part that begins within one skips
to the first new id, and looks into the parts after it for the end of its last one. So any worker can load a part by
itself, and every row is in one sequence of one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tenfold.core import Chunk, Codes, DataError, Need, Schema, Values
from tenfold.core.rows import joined

if TYPE_CHECKING:
    from tenfold.sources.base import Source


def read(source: Source, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
    """Yield the sequences that begin in a part of a source whose parts can all be read from here."""
    name = source.sequence_column(need)
    plain = with_ids(need, name)

    def after(last: object) -> Iterator[Chunk]:
        for further in range(part + 1, len(source)):
            ids, numbers = ids_of(source, further, name)
            run = run_of(ids, last)
            if run:
                yield from source.head(further, plain, schema, int(numbers[run - 1]) + 1)
            if run < len(ids):
                return

    return whole(source.read(part, plain, schema), name, _before(source, part, name), after)


def with_ids(need: Need, name: str) -> Need:
    """The same need of rows one by one, with the ids of their sequences."""
    return replace(need, sequence=None, side=tuple(dict.fromkeys((*need.side, name))))


def ids_of(source: Source, part: int, name: str) -> tuple[Values, Codes]:
    """The ids of a part's rows, and the number of each row within the part."""
    chunks = list(source.read(part, Need(side=(name,)), Schema(())))
    numbers = np.concatenate([chunk.X.numbers() - chunks[0].offset for chunk in chunks])
    return np.concatenate([_checked(chunk, name) for chunk in chunks]), numbers


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
    """The ids of a chunk's rows, of which none may be missing."""
    ids = np.asarray(chunk.side[name])
    missing: Any = ids != ids
    if ids.dtype.kind == "O":
        missing = missing | np.array([i is None for i in ids.tolist()], dtype=bool)
    if np.any(missing):
        row = chunk.X.row(int(np.argmax(missing)))
        raise DataError(
            f"column {name!r} does not say to which sequence row {row} belongs. Remedy: leave out rows without an id"
        )
    return ids


def whole(
    chunks: Iterable[Chunk], name: str, before: Values, after: Callable[[object], Iterator[Chunk]]
) -> Iterator[Chunk]:
    """Yield the sequences that begin in the chunks of a part, whole: a few at a time, in order.

    Parameters
    ----------
    chunks : iterable of Chunk
        Of the part; `name` among the columns that come along says the ids.
    name : str
    before : array
        Ids of rows before the part; the last is that of the row before its first.
    after : callable
        From an id to the rows with which this sequence goes on after the part.
    """
    seen = {*before[_changes(before)].tolist()}
    last = before[-1] if len(before) else None
    going: list[Chunk] = []  # of a sequence that may go on
    dropped, end, rest = 0, 0, None
    for chunk in chunks:
        ids = _checked(chunk, name)
        cuts = _changes(ids)
        if len(ids) and last is not None and ids[0] == last:
            cuts = cuts[1:]
        _refuse_again(ids[cuts].tolist(), seen, name)
        dropped, end, rest = dropped + chunk.dropped, chunk.offset + chunk.n + chunk.dropped, chunk
        begin = int(cuts[0]) if len(cuts) else chunk.n
        if going and begin:
            going.append(chunk.rows(slice(0, begin)))
        if len(ids):
            last = ids[-1]
        if not len(cuts):
            continue
        if going:
            yield _one(going, dropped)
            dropped = 0
        if len(cuts) > 1:
            some = chunk.rows(slice(begin, int(cuts[-1])))
            yield some._replace(starts=cuts[:-1] - begin, dropped=dropped)
            dropped = 0
        going = [chunk.rows(slice(int(cuts[-1]), chunk.n))]
    if going:
        yield _one([*going, *_numbered_on(after(last), end)], dropped)
    elif rest is not None:  # all rows are of a sequence that began before
        yield rest.rows(slice(0, 0))._replace(starts=np.zeros(0, np.int64), dropped=dropped)


def _refuse_again(ids: list[object], seen: set[object], name: str) -> None:
    """Refuse an id that comes back after others; remember these."""
    for each in ids:
        if each in seen:
            raise DataError(
                f"the rows of sequence {each!r} of column {name!r} are not next to each other. Remedy: sort the rows "
                f"by {name!r} first, and within it by time"
            )
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


def _one(chunks: Sequence[Chunk], dropped: int) -> Chunk:
    """A single sequence, from its pieces."""
    return joined(chunks)._replace(starts=np.zeros(1, np.int64), dropped=dropped)
