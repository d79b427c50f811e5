"""Losses on held-out rows, by cell and fold: read off the summaries of the folds, or from one more scan of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tenfold.core import Array, Chunk, Codes, Flags, Need
from tenfold.core.mergeable import Mergeable, taken
from tenfold.engine import one_blas_thread
from tenfold.engine.cells.keys import Missing, hashes_of, key_column
from tenfold.engine.job import Job
from tenfold.estimator import Classifier, SummaryScored
from tenfold.linear_model.least_squares.routes import LinearModel
from tenfold.models.cross_validation.summarize_folds import with_folds
from tenfold.models.cube_level import CubeLevel
from tenfold.sources import Source
from tenfold.stats.moments.moments import Moments

EPS = float(np.finfo(np.float64).eps)
SCORED_CELLS = 1 << 12
"""cells whose errors are read off their summaries at a time"""


class HeldOut(Mergeable):
    """Weight and loss of the rows of each cell and fold, by models of several levels that did not see the fold."""

    weight: Array
    loss: Array
    """levels x cells; the squared error, or 1 for a class that is predicted wrong, of each row times its weight"""


def places_at(folded: CubeLevel, levels: Sequence[CubeLevel]) -> list[Codes]:
    """Return where each cell and fold is at other levels: that of its first columns, with the same fold."""
    *_, fold = folded.names
    found = []
    for level in levels:
        values = folded.cells.keys.values
        columns = [values[name].combine_chunks() for name in (*level.names[:-1], fold)]
        found.append(level.keys.places(*hashes_of(columns, level.names, "cell", len(folded))))
    return found


def with_parents(loss: Array) -> Array:
    """Return losses in which a level without a model has those of the level above: levels come finest first."""
    found = loss.copy()
    for at in range(len(found) - 2, -1, -1):
        found[at] = np.where(np.isnan(found[at]), found[at + 1], found[at])
    return found


# ---- from summaries ------------------------------------------------------------------------------------


def from_summaries(folded: CubeLevel, levels: Sequence[CubeLevel]) -> HeldOut | None:
    """Return the losses on each fold, read off its summary; None, if that loses digits or cannot be done.

    Parameters
    ----------
    folded : CubeLevel
        Cells by key and fold.
    levels : sequence of CubeLevel
        Models of all other folds, the finest key first.
    """
    learner = folded.learner
    if not isinstance(learner, SummaryScored):
        return None
    loss, weight = np.full((len(levels), len(folded)), np.nan), np.zeros(len(folded))
    places = places_at(folded, levels)
    for start in range(0, len(folded), SCORED_CELLS):
        at = np.arange(start, min(start + SCORED_CELLS, len(folded)))
        summaries = folded.cells.taken(at)
        for number, level in enumerate(levels):
            solved = level.models.solved[places[number][at]]
            solved[list(summaries.reasons)] = False
            some, models = np.flatnonzero(solved), places[number][at[solved]]
            if folded.cells.summing.in_stacks and level.models.in_stack and isinstance(summaries.stack, Moments):
                if not isinstance(level.models.each, LinearModel):
                    return None
                m = taken(summaries.stack, some)
                found = _squared_errors(m, taken(level.models.each, models))
                weight[at[some]] = m.weight
            else:
                found = np.empty(len(some))
                for row, (cell, model) in enumerate(zip(some.tolist(), models.tolist(), strict=True)):
                    one = folded.cells.summing.cell(summaries, cell)
                    errors = learner.regression_from(level.models.of(model), int(folded.cells.rows[at[cell]]), one)
                    found[row] = np.nan if errors is None else errors.squared.value
                    weight[at[cell]] = 0.0 if errors is None else errors.weight
            if np.isnan(found).any():
                return None
            loss[number, at[some]] = found
    return HeldOut(weight, loss)


def _squared_errors(m: Moments, models: LinearModel) -> Array:
    """Return the sums of squared errors of linear models on rows of known moments; NaN, where they lose digits."""
    u = np.concatenate([-models.coef, np.ones((len(models.coef), 1))], axis=1)
    around = np.einsum("ci,cij,cj->c", u, m.comoment, u)
    shift = np.einsum("ci,ci->c", u, m.mean) + np.einsum("ci,ci->c", u, m.rest) - np.asarray(models.intercept)
    squared = np.maximum(around, 0.0) + m.weight * shift**2
    rough, spread = np.abs(u), np.sqrt(np.maximum(np.diagonal(m.comoment, axis1=1, axis2=2), 0.0))
    size = (rough * spread).sum(axis=1) ** 2 + m.weight * (rough * np.abs(m.mean)).sum(axis=1) ** 2
    exact = (np.asarray(m.weight) == 0) | (EPS * size < 1e-11 * squared)
    found: Array = np.where(exact, squared, np.nan)
    return found


# ---- from rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ScoreFolds(Job):
    """Job that predicts each row by models of several levels that did not see its fold."""

    need: Need
    folded: CubeLevel
    levels: tuple[CubeLevel, ...]
    scored: Flags
    """cells whose rows can be predicted"""
    folds: int
    missing: Missing

    def __call__(self, source: Source, part: int) -> HeldOut:
        """The losses of the rows of one part."""
        weight, loss = np.zeros(len(self.folded)), np.zeros((len(self.levels), len(self.folded)))
        with one_blas_thread():
            for chunk in source.chunks(part, self.need, self.folded.schema):
                if chunk.n:
                    self._add(with_folds(chunk, self.folded.names[-1], self.folds), weight, loss)
        return HeldOut(weight, loss)

    def _add(self, chunk: Chunk, weight: Array, loss: Array) -> None:
        """Add the losses of the rows of a chunk."""
        columns = {name: key_column(chunk.side[name], name) for name in self.folded.names}
        cells = self.folded.places(list(columns.values()), chunk.n, self.missing)
        if not (there := self.scored[cells]).all():
            rows = np.flatnonzero(there)
            chunk, cells = chunk._replace(side={}).rows(rows), cells[rows]
            columns = {name: column.take(pa.array(rows)) for name, column in columns.items()}
        weight += np.bincount(cells, chunk.weight, minlength=len(weight))
        for number, level in enumerate(self.levels):
            places = level.places([columns[name] for name in level.names], chunk.n, self.missing)
            solved = np.flatnonzero(level.models.solved[places])
            lost = np.full(chunk.n, np.nan)
            if len(solved):
                made = level.outputs(chunk.X.rows(solved), places[solved], solved)
                lost[made.rows] = self._losses(chunk, made.rows, made.values)
            loss[number] += np.bincount(cells, chunk.weight * lost, minlength=len(weight))

    def _losses(self, chunk: Chunk, rows: Codes, outputs: Any) -> Array:
        """Return the loss of each of some rows."""
        assert chunk.y is not None
        y: Any = np.asarray(chunk.y)[rows]
        if not isinstance(self.folded.learner, Classifier):
            errors: Array = (y - outputs) ** 2
            return errors
        classes: Any = self.folded.schema.classes
        wrong: Array = (classes[y] != outputs).astype(np.float64)
        return wrong
