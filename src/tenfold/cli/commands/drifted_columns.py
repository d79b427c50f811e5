"""Command `tenfold drift`: which columns of some rows are not as they were in others."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import tenfold as tn
from tenfold.cli import options
from tenfold.cli.output import show


def drift(
    before: Annotated[str, typer.Argument(help="A file, folder, glob or URL: the rows as they were.")],
    after: Annotated[str, typer.Argument(help="The rows that are compared with them.")],
    target: options.OptionalTarget = None,
    drop: options.Drop = None,
    where: options.Where = None,
    correction: Annotated[
        Literal["holm", "fdr"],
        typer.Option("--correction", help="Of p values: any wrong name, or the share of wrong ones."),
    ] = "holm",
    level: Annotated[float, typer.Option("--level", help="Corrected p value up to which a column is named.")] = 0.05,
    min_distance: Annotated[
        float, typer.Option("--min-distance", help="Distance, 0 to 1, below which none is: many rows find any change.")
    ] = 0.0,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if a column has drifted.")] = False,
    engine: options.Engine = "local",
    as_json: options.AsJson = False,
) -> None:
    """Compare the columns of two sets of rows, and the classes of the target, by tests corrected for their number."""
    with options.on_engine(engine):
        one, other = (
            tn.Profile().fit(options.scanned([data], target, drop=drop, where=where)) for data in (before, after)
        )
    found = tn.drift(one, other, correction=correction, level=level, min_distance=min_distance)
    document = {
        "drifted": found.drifted, "correction": correction, "level": level, "changes": found.table().to_pylist()
    }  # fmt: skip
    show(found, document, as_json)
    if exit_code and found.drifted:
        raise typer.Exit(1)
