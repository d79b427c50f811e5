"""The models of many cells, each made of the summary of its rows; a cell without a model has the reason instead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenfold.compiled.linear_model import normal_equations as systems
from tenfold.core import Codes, Flags, Schema, Values
from tenfold.core.axes import Bundle, finite_cells, is_record, not_finite, values
from tenfold.core.driver_threads import driver_threads
from tenfold.core.mergeable import cell_of, joined_stacks, stacked, taken
from tenfold.engine import current, one_blas_thread
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.summing import REFUSED, Reasons, Summaries, Summing
from tenfold.engine.loop import OVERFLOW
from tenfold.estimator.shell.one_pass import OnePass
from tenfold.linear_model.inference.standard_errors import ROBUST
from tenfold.linear_model.least_squares.least_squares import LeastSquares
from tenfold.linear_model.least_squares.many_systems import solve_many
from tenfold.linear_model.least_squares.routes import LinearModel
from tenfold.stats.moments.moments import Comoments

SOLVED, ANOTHER_SCAN, FAILED = range(3)
STATUS = np.array(["solved", "another scan", "failed"], dtype=object)
"""what became of a cell; of the second, a fit of its rows alone would have read them again, to gain digits"""


class CellModels(NamedTuple):
    """The models of some cells."""

    each: Any
    """a stack, or an array of models, with None where there is none"""
    in_stack: bool
    status: Codes
    reasons: Reasons
    """why cells have no model, by their places"""

    def of(self, cell: int) -> Any:
        """Return the model of one cell, or None."""
        if self.status[cell] == FAILED:
            return None
        return cell_of(self.each, cell) if self.in_stack else self.each[cell]

    def taken(self, places: Codes) -> CellModels:
        """Return the models of some cells."""
        each = taken(self.each, places) if self.in_stack else self.each[places]
        why = {new: self.reasons[old] for new, old in enumerate(places.tolist()) if old in self.reasons}
        return CellModels(each, self.in_stack, self.status[places], why)

    @property
    def solved(self) -> Flags:
        """Which cells have a model."""
        return self.status != FAILED

    def as_array(self) -> CellModels:
        """Return the same models as an array of them."""
        if not self.in_stack:
            return self
        each = np.empty(len(self.status), dtype=object)
        for cell in range(len(each)):
            each[cell] = self.of(cell)
        return self._replace(each=each, in_stack=False)

    def as_stack(self) -> CellModels:
        """Return the same models as a stack, if there are any; a cell without one has that of another there."""
        if self.in_stack or not self.solved.any():
            return self
        some = next(model for model in self.each if model is not None)
        return self._replace(each=stacked([some if model is None else model for model in self.each]), in_stack=True)


class CellSolution(NamedTuple):
    """The model of one cell, or the reason why there is none."""

    model: Any
    status: int
    reason: str = ""


def solve_cells(learner: Any, schema: Schema, cells: Cells) -> CellModels:
    """Return the models of all cells, a few at a time."""
    found: list[CellModels] = []
    with one_blas_thread(), driver_threads(current().driver_threads):
        for some, summaries in cells.batches():
            classes = None if cells.classes is None else cells.classes[some]
            found.append(_solve(learner, schema, cells.summing, summaries, classes))
    return joined_models(found)


def _solve(learner: Any, schema: Schema, summing: Summing, summaries: Summaries, classes: Flags | None) -> CellModels:
    """Return the models of a few cells."""
    if (
        isinstance(summing.asked, Comoments)
        and isinstance(learner, LeastSquares)
        and learner.standard_errors not in ROBUST
    ):
        return _least_squares(learner, schema, summing, summaries)
    if summing.in_stacks and isinstance(learner, OnePass) and learner.solves_stacks:
        return _from_stack(learner, schema, summing, summaries, classes)
    return _one_by_one(learner, schema, summing, summaries, classes)


def _from_stack(
    learner: Any, schema: Schema, summing: Summing, summaries: Summaries, classes: Flags | None
) -> CellModels:
    """Return the models of a few cells, those of the same classes made at once."""
    if classes is not None and not classes.all():
        patterns, which = np.unique(classes, axis=0, return_inverse=True)
        found, order = list[CellModels](), list[Codes]()
        for number, present in enumerate(patterns):
            order.append(np.flatnonzero(which.ravel() == number))
            some = summing.taken(summaries, order[-1])
            stack, own = narrowed(some.stack, schema, present, lead=1)
            if own is schema and not present.all():  # a record that has all classes
                found.append(_one_by_one(learner, schema, summing, some, classes[order[-1]]))
            else:
                found.append(_from_stack(learner, own, summing, some._replace(stack=stack), None).as_array())
        return joined_models(found).taken(np.argsort(np.concatenate(order), kind="stable"))
    try:
        with np.errstate(all="ignore"):
            each = learner.solve(schema, summaries.stack)
    except REFUSED:
        return _one_by_one(learner, schema, summing, summaries, None).as_stack()
    status, reasons = np.full(summing.count(summaries), SOLVED), dict(summaries.reasons)
    status[list(reasons)] = FAILED
    for cell in np.flatnonzero(~finite_cells(each) & (status == SOLVED)).tolist():
        _, status[cell], reason = solve_one(learner, schema, summing.cell(summaries, cell))
        if reason:
            reasons[cell] = reason
    return CellModels(each, True, status, reasons)


def _one_by_one(
    learner: Any, schema: Schema, summing: Summing, summaries: Summaries, classes: Flags | None
) -> CellModels:
    n = summing.count(summaries)
    each, status, reasons = np.empty(n, dtype=object), np.full(n, SOLVED), dict(summaries.reasons)
    for cell in range(n):
        if cell in reasons:
            status[cell] = FAILED
            continue
        summary, own = narrowed(summing.cell(summaries, cell), schema, None if classes is None else classes[cell])
        each[cell], status[cell], reason = solve_one(learner, own, summary)
        if reason:
            reasons[cell] = reason
    return CellModels(each, False, status, reasons)


def solve_one(learner: Any, schema: Schema, summary: Any) -> CellSolution:
    """Return the model of one summary; errors that are about its rows become the reason why there is none."""
    try:
        with np.errstate(all="ignore"):
            state = learner.update(learner.start(schema), summary)
            model = learner.model(state)
            asks = learner.ask(state) is not None
        if model is None:
            return CellSolution(None, FAILED, "its rows must be read more than once")
        if field := not_finite(model):
            return CellSolution(None, FAILED, OVERFLOW.format(field))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        named = error.named(schema.feature_names) if hasattr(error, "named") else error
        return CellSolution(None, FAILED, str(named))
    return CellSolution(model, ANOTHER_SCAN if asks else SOLVED)


def _least_squares(learner: Any, schema: Schema, summing: Summing, summaries: Summaries) -> CellModels:
    """Solve all systems in one call; those without a solution once more, for the reason."""
    m, reasons = summaries.stack, dict(summaries.reasons)
    found = solve_many(m.weight, m.mean, m.comoment, float(learner.alpha), learner.fit_intercept, schema.levels)
    coef, intercept = found.coef.copy(), found.intercept.copy()
    status = np.where(
        found.status == systems.SOLVED, SOLVED, np.where(found.status == systems.ANOTHER_SCAN, ANOTHER_SCAN, FAILED)
    )
    status[list(reasons)] = FAILED
    for cell in np.flatnonzero(status == FAILED).tolist():
        model = None
        if cell not in reasons:
            model, status[cell], reasons[cell] = solve_one(learner, schema, summing.cell(summaries, cell))
        if model is None:
            coef[cell], intercept[cell] = np.nan, np.nan
        else:
            coef[cell], intercept[cell] = model.coef, model.intercept
            del reasons[cell]
    return CellModels(LinearModel(coef, intercept, schema), True, status, reasons)  # type: ignore[arg-type]


def joined_models(found: list[CellModels]) -> CellModels:
    """Return the models of some cells after those of others."""
    reasons, before = Reasons(), 0
    for one in found:
        reasons |= {before + cell: why for cell, why in one.reasons.items()}
        before += len(one.status)
    status = np.concatenate([one.status for one in found])
    if all(one.in_stack for one in found):
        return CellModels(joined_stacks([one.each for one in found]), True, status, reasons)
    each: Values = np.concatenate([one.as_array().each for one in found])
    joined = CellModels(each, False, status, reasons)
    # a batch of which no cell has a model is no stack, and those of other classes are none together
    return joined.as_stack() if all(one.in_stack or not one.solved.any() for one in found) else joined


def narrowed(summary: Any, schema: Schema, present: Flags | None, lead: int = 0) -> tuple[Any, Schema]:
    """Return a summary and its schema with those classes only that its rows have, as a fit of these rows finds them.

    `lead` is the number of axes in front of those of one summary: 1 of a stack.
    """
    if present is None or present.all() or schema.classes is None:
        return summary, schema
    own = Schema(schema.columns, schema.target, schema.classes[present], schema.named)
    try:
        return _of_classes(summary, np.flatnonzero(present), lead), own
    except TypeError:  # a record that holds codes of classes, or without annotations
        return summary, schema


def _of_classes(record: Any, places: Codes, lead: int) -> Any:
    """Return a record with some of its classes."""
    if hasattr(record, "recode") and not isinstance(record, Bundle):
        raise TypeError("a record that holds codes of classes")
    if isinstance(record, Bundle):
        return Bundle(tuple(_of_classes(one, places, lead) for one in record.each), *record.rows_key)
    found: dict[str, Any] = {}
    for name, field, value in values(record):
        if is_record(field.type):
            value = _of_classes(value, places, lead)
        for k, axis in enumerate(field.axes or ()):
            if axis == "class":
                value = value.take(places, axis=k + lead)
        found[name] = value
    return type(record)(**found)


def one_cell(model: Any, status: int, reason: str) -> CellModels:
    """Return the model of a single cell."""
    each = np.empty(1, dtype=object)
    each[0] = model
    return CellModels(each, False, np.array([status]), {0: reason} if reason else {})
