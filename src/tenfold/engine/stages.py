"""Rows as fitted transformers make them for a learner that comes after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Certificate, Chunk, Codes, Columns, DataError, Need, Schema
from tenfold.core.need import Kinds
from tenfold.core.rows.columns import TextColumns
from tenfold.core.schema import plain_columns
from tenfold.core.value import ByIdentity, ByParams
from tenfold.stats.combinators import Stage

Before = Sequence[tuple[Any, Any]]
"""fitted transformers, each with its model"""


class Fitted(Stage):
    """A fitted transformer, before something with a need."""

    learner: ByIdentity | ByParams
    model: ByIdentity | ByParams
    taker: Need
    training: bool = False
    """whether a learner is being trained on the rows: outputs fitted to their target are then made without it"""

    def stage(self, chunk: Chunk) -> Chunk:
        return chunk._replace(X=self.of(chunk.X))

    def of(self, X: Columns) -> Columns:
        """Return the columns as the transformer makes them.

        Missing values may pass: the need of the next transformer, or the learner, decides whether they are allowed.
        """
        learner = self.learner.it
        found = (learner.training_from if self.training else learner.transform_from)(self.model.it, X)
        found = in_form(found, self.taker)
        names = X.names if found.shape[1] == X.shape[1] else None
        place = f"the output of {type(learner).__name__}"
        if isinstance(found, np.ndarray) and found.dtype.hasobject:
            data = tuple(found.T)
            return TextColumns(data, names, missing=self.taker.missing, offset=X.offset, kept=X.kept, place=place)
        return Columns(found, names, missing=self.taker.missing, offset=X.offset, kept=X.kept, place=place)


def in_form(found: Any, need: Need) -> Any:
    """Return the output of a transformer as a need requires it: CSR, or a dense array."""
    if not sp.issparse(found):
        return np.asarray(found)
    return sp.csr_array(found) if need.sparse else found.toarray()


def stages_of(
    before: Before, need: Need, training: bool = False, by: type[ByIdentity | ByParams] = ByIdentity
) -> tuple[Fitted, ...]:
    """Return transformers as stages before a learner with this need, in training or in prediction.

    They are told by being what they are, or by their parameters and every bit of their models (`by=Described`), which
    holds in any process, and after a fit was cut off.
    """
    takers = [*(learner.need for learner, _ in before[1:]), need]
    return tuple(Fitted(by(learner), by(model), taker, training) for (learner, model), taker in zip(before, takers))


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
        schema = Schema(columns, schema.target, schema.classes, schema.named)
    return Schema(schema.columns, need.target, schema.classes if need.target == "class" else None, schema.named)


def refuse_kinds(schema: Schema, need: Need, before: Any) -> None:
    """Raise if the next step cannot take the kinds of columns that a transformer makes."""
    for column in schema.columns:
        kind = need.kind_of(column.name)
        if kind in ("numeric", "categorical") and column.kind != kind:
            words, other = ("text", "numbers") if column.kind == "categorical" else ("numbers", "categories")
            remedy = "put an encoder between, OneHotEncoder()"
            if words == "numbers":
                remedy = "what takes categories comes first: OneHotEncoder() alone takes missing values too"
            raise DataError(
                f"column {column.name!r} comes out of {type(before).__name__} as {words}, and what comes after it "
                f"takes {other}. Remedy: {remedy}"
            )
