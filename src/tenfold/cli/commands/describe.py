"""Command `tenfold describe`: what the columns of some files hold, in one pass."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tenfold.cli import options
from tenfold.cli.output import check_can_write, show


def describe(
    data: options.Data,
    target: options.OptionalTarget = None,
    drop: options.Drop = None,
    where: options.Where = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the table as a page to this file.")] = None,
    engine: options.Engine = "local",
    as_json: options.AsJson = False,
) -> None:
    """Describe each column: missing values, quantiles, frequent values, and the target by value."""
    if html is not None:
        check_can_write(html, [".html"])
    with options.on_engine(engine):
        found = options.scanned(data, target, drop=drop, where=where).describe()
    if html is not None:
        html.write_text(f"<!doctype html><meta charset='utf-8'><title>tenfold describe</title>{found._repr_html_()}")
    show(
        found, {"rows": found.rows, "classes": found.classes, "target": found.target, "columns": found.columns}, as_json
    )
