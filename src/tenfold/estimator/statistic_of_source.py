"""One statistic of the rows of a source, for learners that read training rows when they are asked, not before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tenfold.core import Need, Schema
from tenfold.core.statistic import Statistic
from tenfold.engine import current, one_blas_thread, opened, schema_of
from tenfold.sources import as_source
from tenfold.stats.combinators import As, View


def summary_of(
    rows: Any, y: Any, weight: Any, need: Need, model: Any, statistic: Callable[[Schema], Statistic]
) -> tuple[Schema, Any]:
    """The schema of some rows, and the merged summary of the statistic that is made for it: a scan, on any runner.

    Parameters
    ----------
    rows, y, weight
        As `fit` takes them.
    need : Need
    model : learner
        For errors, and for the names of the columns.
    statistic : callable
        From the schema to a statistic.
    """
    source = as_source(rows, y, weight, need, model=model)
    with opened(current(), source) as session:
        schema = schema_of(source, need, session)
        return schema, session.answer(As(View(need, schema), statistic(schema))).summary


def columns_of(X: Any, need: Need, schema: Schema, model: Any) -> list[Any]:
    """Rows to predict, as columns that a schema describes: those of each part. They must be in memory."""
    source = as_source(X, None, None, need.without_target(), model=model, reset=False)
    with one_blas_thread():
        return [source.load(part, need.without_target(), schema.without_target).X for part in range(len(source))]
