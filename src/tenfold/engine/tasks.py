"""What runs on the workers of a cluster: pure functions of a job, a source and parts, or of what is held of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from tenfold.engine import holding, ordered
from tenfold.engine.held import Held
from tenfold.engine.holding import Piece, Scratch
from tenfold.engine.job import Job
from tenfold.engine.plan import Leaf
from tenfold.engine.scanning import Found, Scan
from tenfold.engine.threads import one_blas_thread
from tenfold.engine.together import Together
from tenfold.engine.tree import merge
from tenfold.engine.walking import Places, arrived, walk
from tenfold.sources import Source
from tenfold.sources.dask import at_hand


def receive(raw: bytes) -> Any:
    return pickle.loads(raw)  # from this fit's own driver: a cluster runs the code of its clients


def apply(function: Callable[[int], Any], parts: range) -> Any:
    with one_blas_thread:
        return function(parts[0])


def reduce_parts(job: Job, source: Source, parts: range) -> Any:
    with one_blas_thread:
        return merge(job(source, part) for part in parts)


def merge_all(summaries: list[Any]) -> Any:
    with one_blas_thread:
        return merge(summaries)


def with_value(function: Any, key: str, part: int, value: Any, *given: Any) -> Any:
    """A function of one part, whose rows the cluster has computed."""
    with at_hand(key, part, value):
        return function(*given, range(part, part + 1))


def reduce_some(job: Together, places: list[int], source: Source, parts: range) -> Any:
    return reduce_parts(job.only(places), source, parts)


def walk_on(job: Together, places: Places | None, last: bool, source: Source, parts: list[int]) -> Any:
    """Some parts further; after the last of them, the summaries."""
    with one_blas_thread:
        for part in parts:
            places = walk(job, source, part, places)
        return arrived(job, places) if last and places is not None else places


def hold(job: Together, places: list[int], source: Source, parts: range) -> list[list[list[Held]]]:
    """For each part, for each of some items, what is held."""
    with one_blas_thread:
        some = job.only(places)
        return [some.hold(source, part) for part in parts]


def follow(job: Together, at: int, held: list[Any], place: int, scratch: list[Any] | None) -> list[Any]:
    before = [None] * len(held) if scratch is None else scratch
    with one_blas_thread:
        return [job.items[at].follow(h[place], s) for h, s in zip(held, before, strict=True)]


def of_held(job: Together, at: int, held: list[Any], place: int, scratch: list[Any] | None) -> Any:
    with one_blas_thread:
        followed = follow(job, at, held, place, scratch)
        return merge(job.items[at].of_held(h[place], s) for h, s in zip(held, followed, strict=True))


# ---- leaves of a plan ------------------------------------------------------------------------------


def scan_parts(leaves: list[Leaf], source: Source, parts: range) -> Found:
    """The summaries of leaves, of some parts."""
    with one_blas_thread:
        scan = Scan(tuple(leaves))
        found: Found = merge(scan(source, part) for part in parts)
        return found


def hold_parts(leaf: Leaf, source: Source, parts: range) -> list[list[Piece]]:
    """What a leaf holds of each of some parts."""
    with one_blas_thread:
        return [holding.hold(leaf, source, part) for part in parts]


def follow_parts(leaf: Leaf, held: list[list[Piece]], before: list[list[Scratch]] | None) -> list[list[Scratch]]:
    """The scratch of each of some parts that are held."""
    with one_blas_thread:
        earlier = [None] * len(held) if before is None else before
        return [holding.follow(leaf, pieces, old) for pieces, old in zip(held, earlier, strict=True)]


def sum_held(leaf: Leaf, held: list[list[Piece]], before: list[list[Scratch]] | None) -> Any:
    """A leaf's summary of some parts that are held."""
    with one_blas_thread:
        scratch = follow_parts(leaf, held, before)
        return merge(holding.of_held(leaf, *both) for both in zip(held, scratch, strict=True))


def walk_parts(leaves: list[Leaf], places: ordered.Places, last: bool, source: Source, parts: list[int]) -> Any:
    """Some parts further; after the last of them, the summaries."""
    with one_blas_thread:
        for part in parts:
            places = ordered.walk(leaves, source, part, places)
        return ordered.arrived(leaves, places) if last else places
