"""Command `tenfold report`: a model on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import tenfold as tn
from tenfold.cli import options
from tenfold.cli.commands.fitting import open_model
from tenfold.cli.output import check_can_write


def report(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    out: options.Out,
    data: Annotated[
        list[str] | None, typer.Argument(help="Files of rows that the model was not made from, to score it on.")
    ] = None,
    target: options.OptionalTarget = None,
    segments: Annotated[
        list[str] | None, typer.Option("--segment", help="Columns by whose values errors are reported.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The title of the page.")] = None,
    scoring: options.Scoring = None,
    level: options.Level = 0.95,
    drop: options.Drop = None,
    where: options.Where = None,
    engine: options.Engine = "local",
) -> None:
    """Write what a model is, how far it can be trusted and where it errs, as .html, or as a model card in .md."""
    check_can_write(out, [".html", ".md"])
    fitted = open_model(model)
    rows = options.scanned(data, target, drop=drop, where=where) if data else None
    with options.on_engine(engine):
        page = tn.report(
            fitted, rows, title=title, scoring=options.listed(scoring) or None, segments=options.listed(segments),
            level=level,
        )  # fmt: skip
    page.save(out)
