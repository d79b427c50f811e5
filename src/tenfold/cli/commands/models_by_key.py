"""Command `tenfold cube`: a model for each key, from one scan."""

from __future__ import annotations

from typing import Annotated

import typer

import tenfold as tn
from tenfold.cli import options
from tenfold.cli.output import check_can_write, show
from tenfold.cli.pipeline_for_table import learner_of

SHOWN_CELLS, SHOWN_COLUMNS = 10, 8
"""cells and columns of the table that is printed"""


def cube(
    data: options.Data,
    by: Annotated[list[str], typer.Option("--by", "-b", help="Columns of the key, the coarsest first.")],
    out: options.Out,
    learner: options.Learner = "Ridge",
    target: options.OptionalTarget = None,
    parameters: options.Parameters = None,
    drop: options.Drop = None,
    weight: options.Weight = None,
    where: options.Where = None,
    engine: options.Engine = "local",
    as_json: options.AsJson = False,
) -> None:
    """Fit a model for each key from one scan, and write them to a Parquet file that DuckDB and polars read."""
    from tenfold.model_selection.formatting import in_columns

    check_can_write(out, [".parquet"])
    rows = options.scanned(data, target, drop=drop, weight=weight, where=where)
    with options.on_engine(engine):
        made = tn.Cube(learner_of(learner, parameters), by=options.listed(by)).fit(rows)
        cells, failed = made.table(), made.failed_
    made.to_parquet(out)
    shown = cells.slice(0, SHOWN_CELLS).select(cells.column_names[:SHOWN_COLUMNS]).to_pylist()
    lines = [list(shown[0])] + [
        [f"{one:.5g}" if isinstance(one, float) else str(one) for one in row.values()] for row in shown
    ]
    more = cells.num_columns - SHOWN_COLUMNS
    said = [in_columns(lines), *([f"and {more} columns more"] if more > 0 else [])]
    said.append(f"{out}: {cells.num_rows:,} cells, {failed.num_rows:,} without a model")
    document = {"cube": str(out), "cells": cells.num_rows, "failed": failed.slice(0, SHOWN_CELLS).to_pylist()}
    show("\n".join(said), {**document, "first": shown}, as_json)
