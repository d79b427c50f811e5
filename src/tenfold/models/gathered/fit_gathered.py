"""The fit of a cube whose cells are fits of their gathered rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from tenfold.core import DataError, MatrixLike, VectorLike
from tenfold.core.errors import naming
from tenfold.engine import current, opened
from tenfold.engine.plan import NO_ROWS
from tenfold.engine.progress import progress
from tenfold.estimator import Estimator
from tenfold.estimator.ensembles.transformer_chain import named_steps
from tenfold.estimator.files.registry import is_pipeline
from tenfold.models.cube_fit import FittedCells, Keyed
from tenfold.models.cube_level import Origin
from tenfold.models.gathered.gather_rows import GatherRows, added_names
from tenfold.models.gathered.gathered_level import GatheredLevel, RowsByPart
from tenfold.sources import as_source
from tenfold.sources.frames import is_frame, table_of
from tenfold.sources.inputs import is_lazy
from tenfold.sources.tables import ArrowSource, Roles, TableSource
from tenfold.sources.validation import weights


def fit_gathered(
    learners: Sequence[tuple[str, Any]], keyed: Keyed, X: MatrixLike, y: VectorLike, weight: VectorLike
) -> list[FittedCells]:
    """Return the cells of each learner: the rows are gathered once."""
    if keyed.cv is not None or keyed.shared_steps:
        raise ValueError(
            "cv and shared_steps are made of summaries, and gather=True makes none. Remedy: gather=False, or "
            "tenfold.cross_validate of the rows of a key"
        )
    for name, learner in learners:
        with naming(name):
            _check(learner)
    source = table_source(X, y, weight)
    if source.outputs:
        raise DataError("a cube has one target. Remedy: a cube for each column of the target")
    source = source.without(*(name for name in keyed.names if name in source.names))
    source.check_there(keyed.names)
    target, weighted = added_names(source)
    read = [*source.names, *keyed.names, *(name for name in (source.roles.target, source.roles.weight) if name)]
    with progress("Cube"), opened(current(), source) as session:
        job = GatherRows(
            tuple(dict.fromkeys(read)), session.memory, source.y, target if source.y is not None else "",
            source.weight, weighted,
        )  # fmt: skip
        counted = session.reduce(job)
    if not counted.rows:
        raise DataError(NO_ROWS)
    table, part, firsts = counted.summary.joined(len(source))
    categorical = tuple(name for name in source.roles.categorical if name in source.names)
    roles = Roles(target or None, source.names, (), categorical, weighted or None)
    rows = RowsByPart(table, part, np.arange(len(part)), firsts, roles, source.names, keyed.missing)
    origin = Origin(
        source.fingerprint(), len(source), counted.dropped, counted.machines, None, source.first_part, source.computed
    )
    found = []
    for name, learner in learners:
        with naming(name):
            levels = [GatheredLevel(_seeded(learner), level, rows, origin) for level in keyed.levels]
            levels[0].refuse_columns()
        found.append(FittedCells(learner, levels[0].schema, list(levels), is_lazy(X)))
    return found


def _check(learner: Any) -> None:
    """Refuse what is not fitted to a source of rows."""
    steps = [step for _, step in named_steps(learner)] if is_pipeline(learner) else [learner]
    for step in steps:
        if not isinstance(step, Estimator):
            raise TypeError(
                f"{step!r} is not a learner of tenfold, so it is not fitted to gathered rows. Remedy: one that is"
            )
        step._blank()._validate_params()
        if step.need.sequence is not None:
            raise TypeError(
                f"{type(step).__name__} learns from whole sequences, and cells are made of rows. Remedy: a fit "
                "for each key"
            )


def _seeded(learner: Any) -> Any:
    """Return an unfitted copy with one seed for all cells."""
    found = clone(learner)
    steps = [step for _, step in named_steps(found)] if is_pipeline(found) else [found]
    for step in steps:
        if (seed := step.seed()) is not None:
            step.set_params(random_state=seed)
    return found


def table_source(X: MatrixLike, y: VectorLike = None, weight: VectorLike = None) -> ArrowSource:
    """Return rows as a source of tables."""
    if is_frame(X) and not is_lazy(X):
        table = table_of(X)
        given = None if y is None else np.asarray(y)
        if given is not None and given.shape != (table.num_rows,):
            raise DataError(f"y has shape {given.shape}, and there are {table.num_rows:,} rows")
        found = TableSource(table, Roles(), "X", given, None if weight is None else weights(weight, table.num_rows))
        return found
    source = as_source(X, y, weight)
    if not isinstance(source, ArrowSource):
        raise DataError(
            "rows are gathered by the names of their columns, and these have none. Remedy: a frame, or scan(...)"
        )
    return source
