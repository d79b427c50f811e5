"""Rows as fitted transformers make them for a learner that comes after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Certificate, Chunk, Columns, DataError, Need, Schema
from tenfold.core.need import Kinds
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
    """whether a learner learns from the rows: what was made of their target is then made without it"""

    def stage(self, chunk: Chunk) -> Chunk:
        return chunk._replace(X=self.of(chunk.X))

    def of(self, X: Columns) -> Columns:
        """Columns as it makes them.

        It may let missing values pass: whether the next transformer, or the learner, takes them is for its need to say.
        """
        learner = self.learner.it
        found = (learner.training_from if self.training else learner.transform_from)(self.model.it, X)
        found = in_form(found, self.taker)
        names = X.names if found.shape[1] == X.shape[1] else None
        place = f"the output of {type(learner).__name__}"
        return Columns(found, names, missing=self.taker.missing, offset=X.offset, kept=X.kept, place=place)


def in_form(found: Any, need: Need) -> Any:
    """What a transformer makes of rows, as a need takes it: CSR, or a dense array."""
    if not sp.issparse(found):
        return np.asarray(found)
    return sp.csr_array(found) if need.sparse else found.toarray()


def stages_of(
    before: Before, need: Need, training: bool = False, by: type[ByIdentity | ByParams] = ByIdentity
) -> tuple[Fitted, ...]:
    """Transformers as stages before a learner with this need, which learns from the rows or predicts.

    They are told by being what they are, or by their parameters and every bit of their models (`by=Described`), which
    holds in any process, and after a fit was cut off.
    """
    takers = [*(learner.need for learner, _ in before[1:]), need]
    return tuple(Fitted(by(learner), by(model), taker, training) for (learner, model), taker in zip(before, takers))


def kinds_before(steps: Sequence[Any]) -> Kinds:
    """How rows enter the first of some steps: as categories, if it hands on what it takes to one that takes those."""
    taker = next((step for step in steps if not step.may_pass_categories), steps[-1])
    found: Kinds = steps[0].need.kinds
    return "categorical" if (found, taker.need.kinds) == ("mixed", "categorical") else found


def width_after(learner: Any, model: Any, columns: int) -> int:
    """How many columns a fitted transformer makes of so many."""
    return int(learner.transform_from(model, Columns(np.empty((0, columns)))).shape[1])


def schema_after(before: Before, schema: Schema, need: Need) -> Schema:
    """What the outputs of fitted transformers hold, under the names that these give them."""
    for learner, model in before:
        fitted = learner._blank()
        fitted._set(schema, model, None, Certificate())
        names = tuple(fitted.names_out(list(schema.names)))
        columns = learner.columns_out(schema, model) or plain_columns(names)
        schema = Schema(columns, schema.target, schema.classes, schema.named)
    return Schema(schema.columns, need.target, schema.classes if need.target == "class" else None, schema.named)


def refuse_kinds(schema: Schema, need: Need, before: Any) -> None:
    """Refuse columns that a transformer makes, if what comes next takes another kind."""
    for column in schema.columns:
        kind = need.kind_of(column.name)
        if kind in ("numeric", "categorical") and column.kind != kind:
            words, other = ("text", "numbers") if column.kind == "categorical" else ("numbers", "categories")
            remedy = "an encoder between, OneHotEncoder()"
            if words == "numbers":
                remedy = "what takes categories comes first: OneHotEncoder() alone takes missing values too"
            raise DataError(
                f"column {column.name!r} comes out of {type(before).__name__} as {words}, and what comes after it "
                f"takes {other}. Remedy: {remedy}"
            )
