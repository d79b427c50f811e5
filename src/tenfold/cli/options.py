"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tenfold as tn

if TYPE_CHECKING:  # commands import what they need when they run: help and completion are quick
    from tenfold.sources import Source

Data = Annotated[list[str], typer.Argument(help="Files, folders, globs or URLs of Parquet or CSV files.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
OptionalTarget = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="Columns to leave out, separated by commas; may be repeated.")
]
Categorical = Annotated[
    list[str] | None, typer.Option("--categorical", help="Columns of numbers that are categories, such as codes.")
]
Weight = Annotated[str | None, typer.Option("--weight", help="The column of weights.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", help="Which rows to read, such as 'price > 10' or 'shop = Bern'; may be repeated."),
]
Learner = Annotated[str, typer.Option("--learner", "-l", help="Name of the learner, such as Ridge.")]
Parameters = Annotated[
    list[str] | None, typer.Option("--set", "-s", help="A parameter of the learner: NAME=VALUE; may be repeated.")
]
Raw = Annotated[
    bool,
    typer.Option("--raw", help="Fit the learner to the columns as they are: fill, scale and encode none of them."),
]
Folds = Annotated[str, typer.Option("--folds", help="Number of folds, or 'file': a fold for each file.")]
Groups = Annotated[
    str | None,
    typer.Option("--groups", help="Column whose rows stay in one fold; COLUMN.date, .month or .year for parts of it."),
]
Scoring = Annotated[list[str] | None, typer.Option("--scoring", help="Scores, as scikit-learn names them.")]
Level = Annotated[float, typer.Option("--level", help="Of the confidence intervals.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="The file to write.")]
OptionalOut = Annotated[Path | None, typer.Option("--out", "-o", help="The file to write.")]
Engine = Annotated[
    str,
    typer.Option("--engine", help="Where to compute: 'local', 'local:THREADS', 'dask' or 'dask:ADDRESS'."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

OPERATORS = (">=", "<=", "!=", "==", ">", "<", "=")


def listed(given: Iterable[str] | None) -> list[str]:
    """The names of an option that may be repeated and takes commas."""
    return [name.strip() for one in given or () for name in one.split(",") if name.strip()]


def scanned(
    data: list[str],
    target: str | None = None,
    *,
    columns: list[str] | None = None,
    drop: list[str] | None = None,
    categorical: list[str] | None = None,
    weight: str | None = None,
    where: list[str] | None = None,
) -> Source:
    """The rows of some files."""
    return tn.scan(
        data[0] if len(data) == 1 else data, target, columns=columns, drop=listed(drop),
        categorical=listed(categorical), weight=weight, where=[condition(one) for one in where or ()] or None,
    )  # fmt: skip


def condition(text: str) -> tuple[str, str, object]:
    """Return a condition on rows, `price > 10`, as column, operator and value."""
    found = min(((text.find(one), -len(one), one) for one in OPERATORS if one in text), default=None)
    if found is None or not text[: found[0]].strip():
        raise typer.BadParameter(
            f"{text!r} is no condition. Remedy: a column, one of {' '.join(OPERATORS)}, and a value: 'price > 10'"
        )
    at, _, operator = found
    name, given = text[:at].strip(), text[at + len(operator) :].strip()
    return name, "==" if operator == "=" else operator, value(given)


def value(text: str) -> object:
    """Return the value that a text stands for: a number, True, False, None, a list, or else the text itself."""
    import ast

    if text.lower() in ("true", "false", "none", "null"):
        return {"true": True, "false": False}.get(text.lower())
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def named_value(text: str) -> tuple[str, str]:
    """Split `alpha=1` into its name and its value."""
    name, equals, given = text.partition("=")
    if not equals or not name.strip():
        raise typer.BadParameter(f"{text!r} is no NAME=VALUE, such as alpha=0.5")
    return name.strip(), given.strip()


def group_option(text: str | None) -> Any:
    """What `groups=` takes: the name of a column, or a part of its dates."""
    column, dot, part = (text or "").rpartition(".")
    if dot and part in ("date", "month", "year"):
        return getattr(tn.col(column).dt, part)()
    return text


def fold_option(text: str) -> int | str:
    """What `folds=` takes: a number or a word."""
    return int(text) if text.isdigit() else text


@contextmanager
def on_engine(engine: str) -> Iterator[None]:
    """Compute where an option names."""
    kind, _, detail = engine.partition(":")
    if kind == "local" and (not detail or detail.isdigit()):
        with tn.on(tn.Local(threads=int(detail) if detail else None)):
            yield
    elif kind == "dask":
        try:
            from distributed import Client
        except ImportError:
            raise ImportError("--engine dask needs Dask. Remedy: pip install 'tenfold[dask]'") from None
        with Client(detail) if detail else Client(dashboard_address=":0") as client, tn.on(tn.Dask(client)):
            yield
    else:
        raise typer.BadParameter(f"{engine!r} is none of 'local', 'local:THREADS', 'dask' and 'dask:ADDRESS'")
