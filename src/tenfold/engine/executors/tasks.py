"""Tasks that run on the workers of a cluster: pure functions of leaves, a source and parts, or of held rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tenfold.engine import held_rows, ordered
from tenfold.engine.executors.threads import one_blas_thread
from tenfold.engine.held_rows import Piece, Scratch
from tenfold.engine.job import Job
from tenfold.engine.merge_tree import merge
from tenfold.engine.plan import Leaf
from tenfold.engine.scan_part import LeafSummary
from tenfold.sources import Source
from tenfold.sources.dask_frames import at_hand


class ReadResult(NamedTuple):
    """Result of one reading of some parts."""

    found: LeafSummary
    held: list[list[list[Piece]]]
    """for each leaf whose rows are to be held, for each part, its pieces"""


def receive(raw: bytes) -> Any:
    """A value that was sent."""
    return pickle.loads(raw)  # from this fit's own driver: a cluster runs the code of its clients


def apply(function: Callable[[int], Any], parts: range) -> Any:
    """A function of one part."""
    with one_blas_thread():
        return function(parts[0])


def with_value(function: Any, key: str, part: int, value: Any, *given: Any) -> Any:
    """A function of one part, whose rows the cluster has computed."""
    with at_hand(key, part, value):
        return function(*given, range(part, part + 1))


def reduce_parts(job: Job, source: Source, parts: range) -> Any:
    """The merge of a job's summaries of some parts."""
    with one_blas_thread():
        return merge(job(source, part) for part in parts)


def merge_all(summaries: list[Any]) -> Any:
    """The merge of outputs of other tasks."""
    with one_blas_thread():
        return merge(map(_to_use_up, summaries))


def _to_use_up(output: Any) -> Any:
    """The summaries in an output, which others may read again, to be used up by a merge."""
    found = output.found if isinstance(output, ReadResult) else output
    return LeafSummary(found.each) if isinstance(found, LeafSummary) else found


def read_parts(leaves: list[Leaf], lost: list[Leaf], source: Source, parts: range) -> ReadResult | LeafSummary:
    """Return the summaries of some parts for leaves, and the rows that other leaves hold."""
    with one_blas_thread():
        each = [held_rows.read(leaves, lost, source, part) for part in parts]
        found: LeafSummary = merge(one for one, _ in each)
        return ReadResult(found, [[pieces[at] for _, pieces in each] for at in range(len(lost))]) if lost else found


def follow_parts(leaf: Leaf, at: int, made: ReadResult, before: list[list[Scratch]] | None) -> list[list[Scratch]]:
    """The scratch of each of some parts that are held."""
    with one_blas_thread():
        return _followed(leaf, made.held[at], before)


def sum_held(leaf: Leaf, at: int, made: ReadResult, before: list[list[Scratch]] | None) -> LeafSummary:
    """A leaf's summary of some parts that are held."""
    with one_blas_thread():
        scratch = _followed(leaf, made.held[at], before)
        each = zip(made.held[at], scratch, strict=True)
        found: LeafSummary = merge(LeafSummary([held_rows.of_held(leaf, *both) if both[0] else None]) for both in each)
        return found


def _followed(leaf: Leaf, held: list[list[Piece]], before: list[list[Scratch]] | None) -> list[list[Scratch]]:
    earlier: Sequence[Any] = [None] * len(held) if before is None else before
    return [held_rows.follow(leaf, pieces, old) for pieces, old in zip(held, earlier, strict=True)]


def walk_parts(leaves: list[Leaf], places: ordered.Places, last: bool, source: Source, parts: Sequence[int]) -> Any:
    """Some parts further; after the last of them, the summaries."""
    with one_blas_thread():
        for part in parts:
            places = ordered.walk(leaves, source, part, places)
        return LeafSummary(ordered.arrived(leaves, places)) if last else places
