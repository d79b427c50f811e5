"""The commands of `tenfold`, in the order in which its help lists them."""

from __future__ import annotations

from typing import Annotated

import typer

from tenfold.cli.commands.bound import bound
from tenfold.cli.commands.check import check
from tenfold.cli.commands.describe import describe
from tenfold.cli.commands.drifted_columns import drift
from tenfold.cli.commands.fitting import evaluate, fit, predict
from tenfold.cli.commands.model_files import inspect, merge, verify
from tenfold.cli.commands.models_by_key import cube
from tenfold.cli.commands.reporting import report
from tenfold.cli.commands.selection import compare, tune

DATA, MODELS, FILES, OTHERS = "Look at rows", "Fit and use models", "Model files", "Other"

app = typer.Typer(
    name="tenfold",
    help="Machine learning by merging: models of Parquet and CSV files, with a certificate on each.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command(rich_help_panel=DATA)(describe)
app.command(rich_help_panel=DATA)(drift)
app.command(rich_help_panel=MODELS)(fit)
app.command(rich_help_panel=MODELS)(predict)
app.command(rich_help_panel=MODELS)(evaluate)
app.command(rich_help_panel=MODELS)(compare)
app.command(rich_help_panel=MODELS)(tune)
app.command(rich_help_panel=MODELS)(cube)
app.command(rich_help_panel=MODELS)(report)
app.command(rich_help_panel=FILES)(inspect)
app.command(rich_help_panel=FILES)(verify)
app.command(rich_help_panel=FILES)(merge)
app.command(rich_help_panel=OTHERS)(bound)
app.command(rich_help_panel=OTHERS)(check)


def _version(wanted: bool) -> None:
    if wanted:
        import tenfold

        typer.echo(f"tenfold {tenfold.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Machine learning by merging: models of Parquet and CSV files, with a certificate on each."""
