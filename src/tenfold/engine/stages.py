"""Rows as fitted transformers make them for a learner that comes after."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Certificate, Chunk, Codes, Columns, DataError, Need, Schema
from tenfold.core.need import Kinds
from tenfold.core.rows.columns import MadeBy, TextColumns
from tenfold.core.schema import Column, plain_columns
from tenfold.core.value import ByIdentity, ByParams
from tenfold.stats.combinators import Stage

Before = Sequence[tuple[Any, Any]]
"""fitted transformers, each with its model"""


class Fitted(Stage):
    """A fitted transformer, before whatever takes its outputs."""

    learner: ByIdentity | ByParams
    model: ByIdentity | ByParams
    training: bool = False
    """whether a learner is being trained on the rows: outputs fitted to their target are then made without it"""

    def stage(self, chunk: Chunk) -> Chunk:
        return chunk._replace(X=self.of(chunk.X))

    def of(self, X: Columns) -> Columns:
        """Return the columns as the transformer makes them, sparse or dense; missing values may pass."""
        learner = self.learner.it
        found = (learner.training_from if self.training else learner.transform_from)(self.model.it, X)
        names = X.names if found.shape[1] == X.shape[1] else None
        maker, origins = f"the output of {type(learner).__name__}", partial(learner.origins, self.model.it, X.shape[1])
        place = MadeBy(maker, origins, X.names, X.place)
        given: dict[str, Any] = {"missing": True, "offset": X.offset, "kept": X.kept, "place": place}
        if isinstance(found, np.ndarray) and found.dtype.hasobject:
            return TextColumns(tuple(found.T), names, **given)
        return Columns(found if sp.issparse(found) else np.asarray(found), names, **given)


class InForm(Stage):
    """Outputs of a transformer in the form that what comes next takes: CSR, or a dense array.

    Learners with needs of their own share the transformed rows by it.
    """

    taker: Need
    learned = False

    def stage(self, chunk: Chunk) -> Chunk:
        return chunk._replace(X=self.of(chunk.X))

    def of(self, X: Columns) -> Columns:
        """Return the columns in this form; the need decides whether missing values are allowed."""
        data = X.data if isinstance(X.data, tuple) else in_form(X.data, self.taker)
        return X.other_columns(data, X.names, self.taker.missing)


def in_form(found: Any, need: Need) -> Any:
    """Return the output of a transformer as a need requires it: CSR, or a dense array."""
    if not sp.issparse(found):
        return np.asarray(found)
    return sp.csr_array(found) if need.sparse else found.toarray()


def stages_of(
    before: Before, need: Need, training: bool = False, by: type[ByIdentity | ByParams] = ByIdentity
) -> tuple[Fitted | InForm, ...]:
    """Return transformers as stages before a learner with this need, in training or in prediction: two for each.

    They are told by being what they are, or by their parameters and every bit of their models (`by=Described`), which
    holds in any process, and after a fit was cut off.
    """
    takers = [*(learner.need for learner, _ in before[1:]), need]
    each = zip(before, takers, strict=False)
    return tuple(
        stage for (learner, model), taker in each for stage in (Fitted(by(learner), by(model), training), InForm(taker))
    )


def kinds_before(steps: Sequence[Any]) -> Kinds:
    """Return how rows enter the first of some steps: as categories or text, if a step after it takes these."""
    taker = next((step for step in steps if not step.may_pass_categories), steps[-1])
    found: Kinds = steps[0].need.kinds
    wanted: Kinds = taker.need.kinds
    return wanted if found == "mixed" and wanted in ("categorical", "text") else found


def width_after(learner: Any, model: Any, columns: int) -> int:
    """Return the number of columns that a fitted transformer makes of n columns."""
    return int(learner.transform_from(model, Columns(np.empty((0, columns)))).shape[1])


def origins_of(before: Before, width: int) -> Codes | None:
    """Return the column, of `width`, that each output of transformers is made of; None: some are made of several."""
    found = np.arange(width)
    for learner, model in before:
        mine = learner.origins(model, len(found))
        if mine is None:
            return None
        found = found[mine]
    return found


def schema_after(before: Before, schema: Schema, need: Need) -> Schema:
    """Return the schema of the outputs of fitted transformers, under their output names."""
    for learner, model in before:
        fitted = learner._blank()
        fitted._set(schema, model, None, Certificate())
        names = tuple(fitted.names_out(list(schema.names)))
        columns = learner.columns_out(schema, model) or plain_columns(names)
        if need.each and (counts := fitted.code_counts()) is not None:
            columns = _with_codes(columns, counts, need)
        schema = Schema(columns, schema.target, schema.classes, schema.named)
    return Schema(schema.columns, need.target, schema.classes if need.target == "class" else None, schema.named)


def _with_codes(columns: tuple[Column, ...], counts: Codes, need: Need) -> tuple[Column, ...]:
    """Columns of numbers, of which those that a need takes as categories are places of categories."""
    each = zip(columns, counts.tolist(), strict=True)
    return tuple(
        Column(column.name, "categorical", np.arange(float(count)))
        if count and column.kind == "numeric" and need.kind_of(column.name) == "categorical"
        else column
        for column, count in each
    )


def refuse_kinds(schema: Schema, need: Need, before: Any) -> None:
    """Raise if the next step cannot take the kinds of columns that a transformer makes."""
    for column in schema.columns:
        kind = need.kind_of(column.name)
        if kind in ("numeric", "categorical") and column.kind != kind:
            words, other = ("text", "numbers") if column.kind == "categorical" else ("numbers", "categories")
            remedy = "put an encoder between, OneHotEncoder()"
            if words == "numbers":
                remedy = "what takes categories comes first: OneHotEncoder() alone takes missing values too"
                if need.each:
                    remedy = f"OrdinalEncoder() for {column.name!r}, whose numbers are known to be those of categories"
            raise DataError(
                f"column {column.name!r} comes out of {type(before).__name__} as {words}, and what comes after it "
                f"takes {other}. Remedy: {remedy}"
            )
