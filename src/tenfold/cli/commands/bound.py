"""Command `tenfold bound`: rows, error or confidence, from the other two."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer


class Goal(StrEnum):
    """What is proved."""

    CONSISTENT = "consistent"
    GAP = "gap"
    AGNOSTIC = "agnostic"


def bound(
    rows: Annotated[int | None, typer.Option("--rows", help="Number of rows, m.")] = None,
    eps: Annotated[float | None, typer.Option("--eps", help="Error to reach.")] = None,
    delta: Annotated[float | None, typer.Option("--delta", help="Chance that the claim fails.")] = None,
    size: Annotated[int | None, typer.Option("--size", help="Number of hypotheses.")] = None,
    vc: Annotated[int | None, typer.Option("--vc", help="VC dimension.")] = None,
    kind: Annotated[
        str | None, typer.Option("--class", help="A class by name, such as conjunctions, trees, 3-CNF.")
    ] = None,
    attributes: Annotated[int | None, typer.Option("--attributes", help="Boolean attributes of the class.")] = None,
    leaves: Annotated[int | None, typer.Option("--leaves", help="Leaves of trees.")] = None,
    goal: Annotated[Goal, typer.Option("--goal", help="What is proved.")] = Goal.CONSISTENT,
    train_error: Annotated[float, typer.Option("--train-error", help="With --goal gap.")] = 0.0,
) -> None:
    """Bounds of learning theory: rows, error or confidence.

    Give two of --rows, --eps and --delta, and one of --size, --vc and --class; the third number is the answer.

    tenfold bound --eps 0.1 --delta 0.05 --class conjunctions --attributes 10

    tenfold bound --rows 1000 --delta 0.05 --vc 3 --goal gap --train-error 0.02
    """
    known = _class_of(size, vc, kind, attributes, leaves) | {"goal": goal.value}
    given = {"rows": rows, "eps": eps, "delta": delta}
    missing = [name for name, one in given.items() if one is None]
    if len(missing) != 1:
        raise typer.BadParameter("give two of --rows, --eps and --delta: the third is the answer")
    try:
        typer.echo(_answer(given, missing[0], train_error, known))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _answer(given: dict[str, Any], wanted: str, train_error: float, known: dict[str, Any]) -> str:
    """The number that was not given, in a sentence."""
    from tenfold import theory

    rows, eps, delta = given["rows"], given["eps"], given["delta"]
    if wanted == "rows":
        m = theory.sample_size(eps, delta, **known)
        return f"{m:,} rows are enough for an error of at most {eps:g}, but for a chance of {delta:g}"
    if wanted == "eps":
        return f"error {theory.error_bound(rows, delta, train_error=train_error, **known)}"
    return f"chance of failure {theory.failure_probability(rows, eps, **known)}"


def _class_of(
    size: int | None, vc: int | None, kind: str | None, attributes: int | None, leaves: int | None
) -> dict[str, Any]:
    """The class of hypotheses, as the functions of theory take it."""
    from tenfold import theory

    if sum(one is not None for one in (size, vc, kind)) != 1:
        raise typer.BadParameter("give one of --size, --vc and --class")
    if kind is not None:
        try:
            return {"size": theory.class_size(kind, attributes, leaves=leaves)}
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    return {"size": size} if vc is None else {"vc": vc}
