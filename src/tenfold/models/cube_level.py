"""One level of a cube: the cells of one key, with a model for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from tenfold.core import Array, Certificate, Claim, Codes, Columns, DataError, Flags, Labels, Provenance, Schema
from tenfold.core.axes import is_record, values
from tenfold.core.certificate import number_of
from tenfold.core.rows.chunk import places_by_group
from tenfold.engine import one_blas_thread
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.keys import Keys, Missing, changes, hashes_of, hashes_of_key, refuse_collision
from tenfold.engine.cells.summing import Summaries
from tenfold.estimator import Classifier, Clusterer, Regressor, Transformer
from tenfold.estimator.shell.kinds import GroupScored, winners
from tenfold.estimator.updating.merging import claims_of
from tenfold.linear_model.least_squares.routes import LinearModel
from tenfold.models.cell_models import ANOTHER_SCAN, STATUS, CellModels, narrowed, solve_cells
from tenfold.models.class_outputs import ClassOutput
from tenfold.models.pipelines.absorbed_pipeline import ABSORBED, AbsorbedSteps
from tenfold.sources.expressions.computed_columns import Computed

MERGED_BYTES = 1 << 26
"""bytes of the summaries of cells that are merged at a time"""


SCORED_CELLS = 1024
"""cells whose models score rows at a time"""
TRIED_CELLS = 16
"""cells that are solved first to find whether any has a model"""
_NUMBERS = re.compile(r"[-+.\d]*\d")


class Origin(NamedTuple):
    """Where the rows of a cube came from."""

    source: str
    parts: int
    dropped: int
    machines: frozenset[str]
    seed: int | None = None
    first_part: int = 0
    computed: Computed = ()
    """columns that were computed while the rows were read"""
    merged: bool = False
    """whether cubes were added"""


class Outputs(NamedTuple):
    """What cells make of some rows."""

    rows: Codes
    """numbers of the rows"""
    values: Any
    names: tuple[str, ...] = ()
    """of the columns, where they depend on the cell"""


class CubeLevel:
    """The cells of one key.

    Parameters
    ----------
    learner : learner
        Unfitted.
    schema : Schema
    names : tuple of str
        The columns of the key.
    cells : Cells
    origin : Origin
    direct : bool
        Whether each cell was summarized from its rows, and not merged from cells of a finer key.
    models : CellModels, optional
        By default they are made when they are first asked for.
    """

    def __init__(
        self,
        learner: Any,
        schema: Schema,
        names: tuple[str, ...],
        cells: Cells,
        origin: Origin,
        direct: bool,
        models: CellModels | None = None,
    ) -> None:
        self.learner, self.schema, self.names = learner, schema, names
        self.cells, self.origin, self.direct = cells, origin, direct
        if models is not None:
            self.__dict__["models"] = models

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def keys(self) -> Keys:
        """The keys of the cells."""
        return self.cells.keys

    @cached_property
    def models(self) -> CellModels:
        """The models of all cells."""
        return solve_cells(self.learner, self.schema, self.cells)

    @property
    def without_models(self) -> bool:
        """Whether no cell has a model; a few are tried first, so that others are solved when they are needed."""
        few = np.unique(np.linspace(0, len(self) - 1, TRIED_CELLS).astype(np.int64))
        if "models" not in self.__dict__ and self.only(few).models.solved.any():
            return False
        return not self.models.solved.any()

    @property
    def commonest_reason(self) -> str:
        """The reason why most cells have no model, with that of the first of them; rows and values may differ."""
        reasons = [self.models.reasons[place] for place in self.in_order.tolist() if place in self.models.reasons]
        kinds = [_NUMBERS.sub("#", reason) for reason in reasons]
        if not reasons:
            return "their rows give none"
        kind, count = Counter(kinds).most_common(1)[0]
        of = f", of {count:,} of {number_of(len(self), 'cell')}" if count < len(self) else ""
        return f"The commonest reason{of}: {reasons[kinds.index(kind)].rstrip('.')}"

    @cached_property
    def in_order(self) -> Codes:
        """The places of the cells, sorted by their keys, missing ones last."""
        if not self.names:
            return np.zeros(len(self), np.int64)
        by = [(name, "ascending") for name in self.names]
        return pc.sort_indices(self.keys.values, by).to_numpy().astype(np.int64)

    def around(self, key: tuple[Any, ...]) -> CubeLevel:
        """Return the level of some cells, among which is that of a key, if there is one: here of all cells."""
        return self

    def place(self, key: Sequence[Any]) -> int:
        """Return the place of a cell; -1, if there is none."""
        found = hashes_of_key(key)
        return -1 if found is None else int(self.keys.places(*found)[0])

    def places(self, columns: Sequence[pa.Array], rows: int, missing: Missing) -> Codes:
        """Return the place of the cell of each row; -1, if there is none."""
        if not self.names:
            return np.zeros(rows, np.int64)
        some = columns[: len(self.names)]
        return self.keys.places(*hashes_of(some, self.names, missing, rows))

    def key(self, place: int) -> tuple[Any, ...]:
        """Return the key of a cell."""
        return tuple(self.keys.values[name][place].as_py() for name in self.names)

    def described(self, place: int) -> str:
        """Return the key of a cell as a condition."""
        return "where " * bool(self.names) + ", ".join(
            f"{name} = {value!r}" for name, value in zip(self.names, self.key(place), strict=True)
        )

    # ---- fitted learners ---------------------------------------------------------------------------

    def fitted(self, place: int) -> Any:
        """Return the fitted learner of a cell that has a model."""
        models = self.models
        rows = int(self.cells.rows[place])
        summary = self.cells.summing.cell(self.cells.taken(np.array([place])), 0)
        present = None if self.cells.classes is None else self.cells.classes[place]
        summary, schema = narrowed(summary, self.schema, present)
        asks = int(models.status[place]) == ANOTHER_SCAN
        where = f"{self.origin.source} {self.described(place)}".rstrip()
        how = "done" if self.direct and not self.origin.merged else "merged"
        if isinstance(self.learner, AbsorbedSteps):
            how = ABSORBED if how == "done" else f"{ABSORBED}, {how}"
        origin = Provenance(
            where, rows, 0, self.origin.parts, 1.0, how,
            tuple(sorted(self.origin.machines)), self.origin.seed, "", self.origin.first_part,
        )  # fmt: skip
        fitted = made(self.learner, schema, models.of(place), summary, origin, asks)
        if self.origin.computed:
            fitted._computed = self.origin.computed
        return self.learner.as_pipeline(fitted, asks) if isinstance(self.learner, AbsorbedSteps) else fitted

    def bare(self, place: int) -> Any:
        """Return a learner with the model of a cell, to apply it."""
        learner = self.learner._blank()
        learner.model_, learner.schema_ = self.models.of(place), self._schema_of(place)
        return learner

    def _schema_of(self, place: int) -> Schema:
        present = None if self.cells.classes is None else self.cells.classes[place]
        if present is None or present.all():
            return self.schema
        return narrowed(self.cells.summing.cell(self.cells.taken(np.array([place])), 0), self.schema, present)[1]

    @property
    def classes(self) -> Labels | None:
        """The classes of all cells."""
        return self.schema.classes

    def outputs(self, X: Columns, places: Codes, rows: Codes, by_class: ClassOutput | None = None) -> Outputs:
        """Return what each of some rows, which have these numbers, becomes by the model of its cell."""
        models = self.models
        if isinstance(models.each, LinearModel) and models.in_stack and self.schema.plain:
            return Outputs(rows, _linear(models.each, X, places))
        scored = isinstance(self.learner, GroupScored) and not (by_class and by_class.method == "decision_function")
        together: Flags = np.full(len(places), scored)
        if scored and self.cells.classes is not None:
            together = np.asarray(self.cells.classes[places].all(axis=1))
        with one_blas_thread():
            found = list(self._scored(X, places, np.flatnonzero(together), rows, by_class))
            left = np.flatnonzero(~together)
            if len(left):
                some = X if len(left) == len(places) else X.rows(left)
                each = places_by_group(places[left])
                found += [self._of_cell(some, place, which, rows[left], by_class) for place, which in each]
            return assembled(found)

    def _scored(
        self, X: Columns, places: Codes, which: Codes, rows: Codes, by_class: ClassOutput | None
    ) -> Iterator[Outputs]:
        """Yield what cells make of some of the rows, many cells at a time: they have seen all classes."""
        learner = self.learner._blank()
        which = which[np.argsort(places[which], kind="stable")]
        starts = changes(places[which]) if len(which) else which
        ends = np.append(starts, len(which))
        for first in range(0, len(starts), SCORED_CELLS):
            cells = slice(first, min(first + SCORED_CELLS, len(starts)))
            some = which[ends[cells.start] : ends[cells.stop]]
            models = [self.models.of(place) for place in places[which[starts[cells]]].tolist()]
            codes = np.repeat(np.arange(len(models)), np.diff(ends[cells.start : cells.stop + 1]))
            scores = learner.scores_by(models, X.rows(some), codes)
            made = self.schema.classes[winners(scores)] if by_class is None else by_class.of_scores(learner, scores)
            yield Outputs(rows[some], made)

    def _of_cell(
        self, X: Columns, place: int, which: slice | Codes, rows: Codes, by_class: ClassOutput | None
    ) -> Outputs:
        """Return what one cell makes of some of the rows."""
        cell = self.bare(place)
        if by_class is not None:
            return Outputs(rows[which], by_class.of_model(cell, X.rows(which)))
        own = transforms(cell) and type(cell).names_out is not Transformer.names_out
        names = tuple(cell.names_out(list(cell.schema_.names))) if own else ()
        return Outputs(rows[which], output_of(cell, X.rows(which)), names)

    # ---- other cells -------------------------------------------------------------------------------

    def only(self, places: Codes) -> CubeLevel:
        """Return some of the cells, by their places in ascending order."""
        some, old = self.cells.taken(places), self.cells
        classes = None if old.classes is None else old.classes[places]
        cells = Cells(old.summing, old.keys.taken(places), old.rows[places], classes, old.unit, some)
        models = None
        if "models" in self.__dict__:
            models = self.models.taken(places)
        return CubeLevel(self.learner, self.schema, self.names, cells, self.origin, self.direct, models)

    def rolled_up(self, names: tuple[str, ...], among: Codes | None = None) -> CubeLevel:
        """Merge cells that share some columns of their key, in the order of their keys: no row is read."""
        order = self.in_order if among is None else among
        columns = [self.keys.values[name].combine_chunks().take(pa.array(order)) for name in names]
        hash, check = hashes_of(columns, names, "cell", len(order))
        by_cell = np.argsort(hash, kind="stable")
        order, hash, check = order[by_cell], hash[by_cell], check[by_cell]
        starts = changes(hash)
        cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
        refuse_collision(check, check[starts][cell])
        rank = np.arange(len(order)) - starts[cell]
        values = self.keys.values.select(list(names)).take(pa.array(order[starts])) if names else pa.table({})
        merged = self._merged(order, cell, rank)
        rows = np.add.reduceat(self.cells.rows[order], starts)
        classes = None
        if self.cells.classes is not None:
            classes = np.logical_or.reduceat(self.cells.classes[order], starts, axis=0)
        keys = Keys(hash[starts], check[starts], values)
        cells = Cells(self.cells.summing, keys, rows, classes, self.cells.unit, merged)
        return CubeLevel(self.learner, self.schema, names, cells, self.origin, direct=False)

    def _merged(self, places: Codes, cell: Codes, rank: Codes) -> Summaries:
        """Merge the cells at some places, which are in order of their coarser cell, then of their rank in it.

        A subtree of the fixed tree at a time, so that the summaries of all cells are never there at once.
        """
        summing, height = self.cells.summing, 0
        while 1 << height < len(places) and self.cells.unit << height < MERGED_BYTES:
            height += 1
        starts = changes(cell, rank >> height)
        ends = np.append(starts, len(places))
        subtree = np.repeat(np.arange(len(starts)), np.diff(ends))
        found, at, why = list[Summaries](), 0, dict[int, str]()
        while at < len(starts):
            last = max(int(np.searchsorted(ends, ends[at] + (1 << height), "right")) - 1, at + 1)
            some = slice(int(ends[at]), int(ends[last]))
            each = self.cells.taken(places[some])
            why |= {some.start + k: reason for k, reason in each.reasons.items()}
            found.append(summing.in_tree(each, subtree[some], rank[some]))
            at = last
        merged = summing.in_tree(summing.joined(found), cell[starts], rank[starts] >> height)
        return merged._replace(reasons=merged.reasons | self._of_parts(places, cell, why))

    def _of_parts(self, places: Codes, cell: Codes, why: dict[int, str]) -> dict[int, str]:
        """Return why coarser cells have no summary: some cells of theirs have none, whose rows would be left out."""
        many, total, reasons = Counter(cell[list(why)].tolist()), np.bincount(cell), dict[int, str]()
        for at in sorted(why):
            coarse = int(cell[at])
            reasons.setdefault(
                coarse,
                f"{many[coarse]:,} of the {total[coarse]:,} cells that it is merged from have no summary, such as "
                f"that {self.described(int(places[at]))}: {why[at].rstrip('.')}. Their rows would be left out. Remedy: "
                "leave them out of the fit, tenfold.scan(..., where=...), or leave the cells out, cube.sel(...)",
            )
        return reasons

    def _row(self, place: int) -> dict[str, Any]:
        """Return the values of the model of a cell, by name."""
        found: dict[str, Any] = self.learner.table_row(self.schema, self.models.of(place))
        return found

    # ---- tables ------------------------------------------------------------------------------------

    def table(self) -> pa.Table:
        """Return a row for each cell, in the order of the keys: key, rows, status, reason, and what its model holds."""
        models, order = self.models, self.in_order
        found: dict[str, Any] = {name: self.keys.values[name].take(pa.array(order)) for name in self.names}
        found[beside("rows", found)] = pa.array(self.cells.rows[order])
        found[beside("status", found)] = pa.array(STATUS[models.status[order]], pa.string())
        found[beside("reason", found)] = pa.array([models.reasons.get(place) for place in order.tolist()], pa.string())
        if models.in_stack:
            for name, column in _numbers_of(models.each, self.schema).items():
                known = models.solved | (column.dtype.kind != "f")
                found[beside(name, found)] = pa.array(np.where(known, column, np.nan)[order])
        else:
            rows = [self._row(place) if models.solved[place] else {} for place in order.tolist()]
            for name in dict.fromkeys(name for row in rows for name in row):
                found[beside(name, found)] = pa.array([row.get(name) for row in rows])
        return pa.table(found)


def beside(name: str, others: Collection[str]) -> str:
    """Return the name of a column that stands beside others: with underscores, if it is the name of one of them."""
    while name in others:
        name += "_"
    return name


def made(learner: Any, schema: Schema, model: Any, summary: Any, where: Provenance, asks: bool) -> Any:
    """Return a learner that is fitted by a model and the summary it was made from."""
    fitted = learner._blank()
    fitted.n_features_in_ = len(schema.columns)
    if schema.named:
        fitted.feature_names_in_ = np.array(schema.names, dtype=object)
    claims = partial(_claims, learner, model, summary, where, asks)
    fitted._set(schema, model, summary, Certificate.later(claims, lambda: where))
    return fitted


def _claims(learner: Any, model: Any, summary: Any, where: Provenance, asks: bool) -> tuple[Claim, ...]:
    """Return the claims of a cell's model: those of a merged model, which reads no row again."""
    with one_blas_thread(), np.errstate(all="ignore"):
        return claims_of(learner, model, summary, where, asks)


def transforms(learner: Any) -> bool:
    """Whether what a learner makes of rows are rows, and not predictions."""
    return isinstance(learner, Transformer) and not isinstance(learner, (Classifier, Clusterer))


def predicts(learner: Any) -> bool:
    """Whether a learner predicts something of each row."""
    return isinstance(learner, (Classifier, Clusterer, Regressor))


def output_of(learner: Any, X: Columns) -> Any:
    """Return what a learner with a model makes of rows: classes, numbers, or transformed rows."""
    if isinstance(learner, Classifier):
        return learner.schema_.classes[winners(learner.scores_from(learner.model_, X))]
    if transforms(learner):
        output = learner.output_from(learner.model_, X)
        return output if sp.issparse(output) else np.asarray(output)
    return np.asarray(learner.predict_from(learner.model_, X))


def assembled(pieces: Sequence[Outputs]) -> Outputs:
    """Return the outputs of some rows in the order of their numbers, sparse ones as a CSR matrix."""
    kinds = {(piece.values.shape[1:], piece.names) for piece in pieces}
    if len(kinds) > 1:
        raise different_columns([list(names) or f"{shape[0]} columns" for shape, names in sorted(kinds)[:2]])
    values, rows = [piece.values for piece in pieces], np.concatenate([piece.rows for piece in pieces])
    order = np.argsort(rows, kind="stable")
    joined = sp.vstack(values, format="csr") if sp.issparse(values[0]) else np.concatenate(values)
    return Outputs(rows[order], joined[order], pieces[0].names)


def different_columns(some: Sequence[Any]) -> DataError:
    """Return the error of cells that make other columns than others."""
    return DataError(
        f"the cells make different columns, so they are no table: {some[0]} and {some[1]}. Remedy: parameters that "
        "give all cells the same, such as n_components=2 or categories=[...], or cube[key].transform"
    )


def _linear(models: LinearModel, X: Columns, places: Codes) -> Array:
    """Return xᵀβ + β₀ of each row, by the coefficients of its cell."""
    found = np.empty(len(X))
    for rows, block in X.blocks():
        at = places[rows]
        found[rows] = np.einsum("ij,ij->i", block, models.coef[at]) + np.asarray(models.intercept)[at]
    return found


def _numbers_of(each: Any, schema: Schema) -> dict[str, Array]:
    """Return the numbers of stacked models by name: of an array of features, one for each."""
    found: dict[str, Array] = {}
    for name, field, value in values(each):
        if is_record(field.type):
            continue
        if value.ndim == 1:
            found[name] = value
        elif field.axes in (("feature",), ("column",)):
            names = schema.feature_names if field.axes == ("feature",) else schema.names
            found |= {f"{name}_{feature}": value[:, j] for j, feature in enumerate(names)}
    return found
