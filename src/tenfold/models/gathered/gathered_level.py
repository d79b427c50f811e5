"""The cells of one key whose models are fits of their gathered rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone

from tenfold.core import Codes, Flags, Labels, Need, Schema
from tenfold.core.errors import warn_user
from tenfold.core.rows.chunk import places_by_group
from tenfold.core.schema import plain_columns
from tenfold.engine import Local, current, on, opened, schema_of
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.keys import Keys, Missing, changes, hashes_of, key_column, refuse_collision
from tenfold.engine.cells.summing import REFUSED
from tenfold.estimator.files.registry import is_pipeline
from tenfold.models.cell_models import FAILED, SOLVED, CellModels
from tenfold.models.class_outputs import ClassOutput
from tenfold.models.cube_level import CubeLevel, Origin, Outputs, assembled, transforms
from tenfold.models.gathered.gather_rows import GatheredSource
from tenfold.sources.tables import Roles

ROWS_FOR_THREADS = 1 << 16
"""rows of a cell from which on its fit shares them among threads: fewer take longer to hand over"""
TARGET_CLASSES = Need("unused", missing=True, sparse=True, target="class")


@dataclass(frozen=True, eq=False)
class RowsByPart:
    """Gathered rows, with the number of the part of each, in order."""

    table: pa.Table
    part: Codes
    number: Codes
    """of each row among all"""
    firsts: Codes
    """the number of the first row of each part"""
    roles: Roles
    features: tuple[str, ...]
    missing: Missing

    def taken(self, rows: Codes) -> RowsByPart:
        """Return some of the rows."""
        table = self.table.take(pa.array(rows))
        more = self.firsts, self.roles, self.features, self.missing
        return RowsByPart(table, self.part[rows], self.number[rows], *more)

    @property
    def weighted(self) -> Flags:
        """Which rows have a weight."""
        if self.roles.weight is None:
            return np.ones(len(self.part), bool)
        found: Flags = self.table[self.roles.weight].to_numpy() != 0
        return found

    def dealt(self, names: Sequence[str]) -> tuple[RowsByPart, Keys, Codes]:
        """Return the rows sorted by a key, each cell's in their order; the keys, and where each cell begins.

        Cells of which no row has a weight are left out.
        """
        columns = [key_column(self.table[name], name) for name in names]
        hash, check = hashes_of(columns, names, self.missing, self.table.num_rows)
        order = np.argsort(hash, kind="stable")
        starts = changes(hash[order])
        there = np.logical_or.reduceat(self.weighted[order], starts)
        order = order[np.repeat(there, np.diff(np.append(starts, len(order))))]
        hash, check = hash[order], check[order]
        starts = changes(hash)
        refuse_collision(check, np.repeat(check[starts], np.diff(np.append(starts, len(hash)))))
        firsts = pa.array(order[starts])
        values = pa.table([column.take(firsts) for column in columns], names=list(names)) if names else pa.table({})
        return self.taken(order), Keys(hash[starts], check[starts], values), starts


class GatheredLevel(CubeLevel):
    """The cells of one key, each a fit of its rows in the parts in which they were read.

    Parameters
    ----------
    learner : learner
        Unfitted; a pipeline too.
    names : tuple of str
        The columns of the key.
    rows : RowsByPart
    origin : Origin
    """

    def __init__(self, learner: Any, names: tuple[str, ...], rows: RowsByPart, origin: Origin) -> None:
        self.dealt, keys, self.starts = rows.dealt(names)
        self.ends = np.append(self.starts[1:], len(self.dealt.part))
        counts = np.add.reduceat(self.dealt.weighted.astype(np.int64), self.starts)
        summing: Any = None  # cells have no summaries
        cells = Cells(summing, keys, counts, None, 0, None)
        super().__init__(
            learner, Schema(plain_columns(rows.features), None, None, True), names, cells, origin, direct=True
        )

    @cached_property
    def models(self) -> CellModels:
        """The fitted learners of all cells."""
        each, status, reasons = np.empty(len(self), dtype=object), np.full(len(self), SOLVED), dict[int, str]()
        runner: Any = current()
        runner = runner if isinstance(runner, Local) else Local()
        alone, said = Local(threads=1, memory=runner.memory), list[str]()
        for place in range(len(self)):
            few = int(self.ends[place] - self.starts[place]) < ROWS_FOR_THREADS
            try:
                with warnings.catch_warnings(record=True) as warned, on(alone if few else runner, verbose=False):
                    warnings.simplefilter("always")
                    each[place] = clone(self.learner).fit(self.source(place))
                said += [str(one.message) for one in warned[:1]]
            except (*REFUSED, np.linalg.LinAlgError) as error:
                status[place], reasons[place] = FAILED, str(error)
        if said:
            warn_user(f"{len(said):,} of {len(self):,} cells warn in their fits. The first: {said[0]}")
        return CellModels(each, False, status, reasons)

    @property
    def without_models(self) -> bool:
        return not self.models.solved.any()

    def refuse_columns(self) -> None:
        """Raise for columns that the learner does not take, whatever the cell."""
        first = self.learner.steps[0][1] if is_pipeline(self.learner) else self.learner
        if not first.chooses_columns:
            self.source(0).schema_of(0, first.need)

    def source(self, place: int) -> GatheredSource:
        """Return the rows of a cell."""
        rows, start = self.dealt, int(self.starts[place])
        many = int(self.ends[place]) - start
        said = f"{self.origin.source} {self.described(place)}".rstrip()
        part = rows.part[start : start + many]
        return GatheredSource(rows.table.slice(start, many), rows.roles, part, rows.firsts, said)

    def fitted(self, place: int) -> Any:
        found = self.models.each[place]
        if self.origin.computed:  # of a copy: the rows that the cube predicts have them already
            found = copy(found)
            if is_pipeline(found):
                found.steps = [(name, copy(step)) for name, step in found.steps]
            first = found.steps[0][1] if is_pipeline(found) else found
            first._computed = self.origin.computed
        return found

    def bare(self, place: int) -> Any:
        return self.models.each[place]

    @cached_property
    def classes(self) -> Labels | None:
        source = self.rolled_up(()).source(0)
        with opened(current(), source) as session:
            return schema_of(source, TARGET_CLASSES, session).classes

    def outputs(self, X: Any, places: Codes, rows: Codes, by_class: ClassOutput | None = None) -> Outputs:
        return assembled([self._of_cell(X, place, which, rows, by_class) for place, which in places_by_group(places)])

    def _of_cell(self, X: Any, place: int, which: slice | Codes, rows: Codes, by_class: ClassOutput | None) -> Outputs:
        cell = self.models.each[place]
        table = X.rows(which).table
        if by_class is not None:
            return Outputs(rows[which], by_class.of_fitted(cell, table))
        last = cell.steps[-1][1] if is_pipeline(cell) else cell
        if transforms(last):
            return Outputs(rows[which], cell.transform(table), tuple(cell.get_feature_names_out()))
        return Outputs(rows[which], np.asarray(cell.predict(table)))

    def _row(self, place: int) -> dict[str, Any]:
        cell = self.models.each[place]
        last = cell.steps[-1][1] if is_pipeline(cell) else cell
        found: dict[str, Any] = last.table_row(last.schema_, last.model_)
        return found

    def only(self, places: Codes) -> GatheredLevel:
        ranges = zip(self.starts[places], self.ends[places], strict=True)
        rows = np.concatenate([np.arange(start, end) for start, end in ranges])
        found = GatheredLevel(self.learner, self.names, self.dealt.taken(rows), self.origin)
        if "models" in self.__dict__:
            found.__dict__["models"] = self.models.taken(places)
        return found

    def rolled_up(self, names: tuple[str, ...], among: Codes | None = None) -> GatheredLevel:
        """Return the cells of fewer columns of the key: fits of their rows, in the parts in which they were read."""
        rows = (self if among is None else self.only(np.sort(among))).dealt
        return GatheredLevel(self.learner, names, rows.taken(np.argsort(rows.number)), self.origin)
