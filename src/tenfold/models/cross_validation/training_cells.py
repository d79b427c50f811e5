"""Models of all folds but one, for each cell: sums of the summaries before and after a fold, and never a difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tenfold.core import Codes, Flags
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.keys import changes, hashes_of
from tenfold.engine.cells.summing import Summaries, Summing
from tenfold.models.cell_models import CellModels, joined_models, solve_cells
from tenfold.models.cube_level import CubeLevel

TRAINING_BYTES = 1 << 26
"""bytes of the summaries of folds whose sums are made at a time"""
ONE_FOLD = "all its rows are in one fold"


def training_level(folded: CubeLevel) -> CubeLevel:
    """Return, of cells by key and fold, the cells of the same keys whose rows are those of all other folds.

    Parameters
    ----------
    folded : CubeLevel
        The fold is the last column of its key.
    """
    cells = folded.cells
    columns = [cells.keys.values[name].combine_chunks() for name in folded.names[:-1]]
    by_cell = hashes_of(columns, folded.names[:-1], "cell", len(cells))[0]
    rank = np.empty(len(cells), np.int64)  # folds in the order of their values
    rank[folded.in_order] = np.arange(len(cells))
    order = np.lexsort((rank, by_cell))
    starts = changes(by_cell[order])
    ends = np.append(starts[1:], len(order))
    cell = np.repeat(np.arange(len(starts)), ends - starts)
    rows = (np.add.reduceat(cells.rows[order], starts)[cell] - cells.rows[order])[np.argsort(order)]
    classes = _classes_of_others(cells, order, starts, cell)
    empty = replace(cells, rows=rows, classes=classes, found=None, pieces=())
    found, kept = list[CellModels](), list[Summaries]()
    most, at = max(TRAINING_BYTES // max(cells.unit, 1), 1), 0
    while at < len(starts):
        last = max(int(np.searchsorted(ends, starts[at] + most, "right")), at + 1)
        places = order[starts[at] : ends[last - 1]]
        summaries = _of_other_folds(cells.summing, cells.taken(places), starts[at:last] - starts[at])
        some = replace(empty, keys=cells.keys.taken(places), rows=rows[places], found=summaries,
                       classes=None if classes is None else classes[places])  # fmt: skip
        found.append(solve_cells(folded.learner, folded.schema, some))
        if not found[-1].in_stack:
            kept.append(summaries)
        at = last
    back = np.argsort(order)
    models = joined_models(found).taken(back)
    if kept:
        empty = replace(empty, found=cells.summing.taken(cells.summing.joined(kept), back))
    return CubeLevel(folded.learner, folded.schema, folded.names, empty, folded.origin, False, models)


def _classes_of_others(cells: Cells, order: Codes, starts: Codes, cell: Codes) -> Flags | None:
    """Return which classes the rows of all other folds of a cell have."""
    if cells.classes is None:
        return None
    there = cells.classes[order].astype(np.int64)
    others = np.add.reduceat(there, starts, axis=0)[cell] - there
    found: Flags = (others > 0)[np.argsort(order)]
    return found


def _of_other_folds(summing: Summing, each: Summaries, starts: Codes) -> Summaries:
    """Return the sum of all folds of a cell but one, for each; cells are consecutive."""
    n = summing.count(each)
    ends = np.append(starts[1:], n)
    rank = np.arange(n) - np.repeat(starts, ends - starts)
    before, at_before = _running(summing, each, rank, -1)
    after, at_after = _running(summing, each, np.repeat(ends, ends - starts) - 1 - np.arange(n), 1)
    alone = (at_before < 0) & (at_after < 0)
    there = np.flatnonzero(~alone)
    if before is None or after is None:  # each cell has one fold
        return Summaries(each.stack, dict.fromkeys(range(n), ONE_FOLD))
    sums = summing.merged(before, after, at_before[there], at_after[there])
    places = np.zeros(n, np.int64)
    places[there] = np.arange(len(there))
    found = summing.taken(sums, places)
    return Summaries(found.stack, {**found.reasons, **dict.fromkeys(np.flatnonzero(alone).tolist(), ONE_FOLD)})


def _running(summing: Summing, each: Summaries, rank: Codes, step: int) -> tuple[Summaries | None, Codes]:
    """Return the sums of those before each in its cell, for step -1, or after it, for 1; and where they are, or -1."""
    places, sums = np.full(len(rank), -1), list[Summaries]()
    done = 0
    for many in range(1, int(rank.max(initial=0)) + 1):
        here = np.flatnonzero(rank == many)
        beside = summing.taken(each, here + step)
        if sums:
            last = places[here + step] - (done - summing.count(sums[-1]))
            own = np.arange(len(here))
            pair = (sums[-1], beside, last, own) if step < 0 else (beside, sums[-1], own, last)
            beside = summing.merged(*pair)
        sums.append(beside)
        places[here] = done + np.arange(len(here))
        done += len(here)
    return (summing.joined(sums) if sums else None), places
