"""Commands `tenfold inspect`, `verify` and `merge`: what a model file holds, whether it is true, and sums."""

from __future__ import annotations

from functools import reduce
from operator import add
from pathlib import Path
from typing import Annotated

import typer

import tenfold as tn
from tenfold.cli import options
from tenfold.cli.commands.fitting import open_model
from tenfold.cli.output import check_can_write, show

Model = Annotated[Path, typer.Argument(help="A model file.")]


def inspect(model: Model, as_json: options.AsJson = False) -> None:
    """Show the learner, columns and certificate of a model. Nothing in the file runs."""
    found = open_model(model)
    names = [str(name) for name in getattr(found, "feature_names_in_", ())]
    document: dict[str, object] = {
        "learner": type(found).__name__, "parameters": found.get_params(), "columns": names,
    }  # fmt: skip
    said = [str(found), f"columns: {', '.join(names) or f'{found.n_features_in_} without names'}"]
    if isinstance(found, tn.Cube):
        document |= {"cells": found.n_cells_, "failed": found.failed_.num_rows}
        said.append(f"{found.n_cells_:,} cells, {found.failed_.num_rows:,} without a model")
    else:
        document["certificate"] = found.certificate_.to_dict()
        said.append(str(found.certificate_))
    show("\n".join(said), document, as_json)


def verify(model: Model, as_json: options.AsJson = False) -> None:
    """Compute the certificate of a model again, from the summary in its file."""
    found = tn.load(model).verify()
    show(found, found.to_dict(), as_json)


def merge(
    models: Annotated[list[Path], typer.Argument(help="Model files, or files of cubes.")],
    out: options.Out,
    as_json: options.AsJson = False,
) -> None:
    """Add up models of different rows: the sum is the model of all of them."""
    if len(models) < 2:
        raise typer.BadParameter("a sum needs two models at least", param_hint="MODELS")
    each = [open_model(path) for path in models]
    is_cube = isinstance(each[0], tn.Cube)
    check_can_write(out, [".parquet" if is_cube else ".tenfold"])
    total = reduce(add, each)
    if is_cube:
        total.to_parquet(out)
        show(f"{out}: {total.n_cells_:,} cells", {"cube": str(out), "cells": total.n_cells_}, as_json)
    else:
        total.save(out)
        certificate = total.certificate_
        show(f"{out}: {certificate.verdict}", {"model": str(out), "certificate": certificate.to_dict()}, as_json)
