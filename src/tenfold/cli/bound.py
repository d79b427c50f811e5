"""Command `tenfold bound`: rows, error or confidence, from the other two."""

from __future__ import annotations

import argparse
from typing import Any

from tenfold import theory
from tenfold.theory.classes.class_size import CLASSES

EPILOG = """Give two of --rows, --eps and --delta, and one of --size, --vc and --class; the third number is the answer.

  tenfold bound --eps 0.1 --delta 0.05 --class conjunctions --attributes 10
  tenfold bound --rows 1000 --delta 0.05 --vc 3 --goal gap --train-error 0.02
"""


def add(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser = commands.add_parser(
        "bound",
        help="bounds of learning theory: rows, error or confidence",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, help="number of rows, m")
    parser.add_argument("--eps", type=float, help="error to reach")
    parser.add_argument("--delta", type=float, help="chance that the claim fails")
    parser.add_argument("--size", type=int, help="number of hypotheses")
    parser.add_argument("--vc", type=int, help="VC dimension")
    parser.add_argument("--class", dest="kind", help=f"a class by name: {', '.join(CLASSES)}, 3-CNF")
    parser.add_argument("--attributes", type=int, help="boolean attributes of the class")
    parser.add_argument("--leaves", type=int, help="leaves of trees")
    parser.add_argument(
        "--goal", default="consistent", choices=("consistent", "gap", "agnostic"), help="what is proved"
    )
    parser.add_argument("--train-error", type=float, default=0.0, help="with --goal gap")
    parser.set_defaults(run=answer)


def answer(given: argparse.Namespace) -> str:
    """The number that was not given, in a sentence."""
    known = _class_of(given) | {"goal": given.goal}
    missing = [name for name in ("rows", "eps", "delta") if getattr(given, name) is None]
    if len(missing) != 1:
        raise ValueError("give two of --rows, --eps and --delta: the third is the answer")
    if missing == ["rows"]:
        m = theory.sample_size(given.eps, given.delta, **known)
        return f"{m:,} rows are enough for an error of at most {given.eps:g}, but for a chance of {given.delta:g}"
    if missing == ["eps"]:
        return f"error {theory.error_bound(given.rows, given.delta, train_error=given.train_error, **known)}"
    return f"chance of failure {theory.failure_probability(given.rows, given.eps, **known)}"


def _class_of(given: argparse.Namespace) -> dict[str, Any]:
    """The class of hypotheses, as the functions of theory take it."""
    if sum(one is not None for one in (given.size, given.vc, given.kind)) != 1:
        raise ValueError("give one of --size, --vc and --class")
    if given.kind is not None:
        return {"size": theory.class_size(given.kind, given.attributes, leaves=given.leaves)}
    return {"size": given.size} if given.vc is None else {"vc": given.vc}
