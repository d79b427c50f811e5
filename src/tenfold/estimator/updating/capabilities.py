"""What a fitted learner can do with more rows, as its class declares it: for refusals and for the docs."""

from __future__ import annotations

from inspect import signature
from typing import Any

from tenfold.core import ONE, SEQUENTIAL
from tenfold.estimator.shell.keywords import NoEffect, Refused, keywords_of

ONE_FIT = "one fit to the rows of both, which may be in files: fit(tn.scan(...))"
ONE_FIT_FROM_HERE = f"{ONE_FIT.removesuffix(')')}, start=model), which begins at this one"


def merging_words(learner: Any) -> str:
    """Whether two models of a learner add up: "yes", "no", or the condition."""
    return learner.merges_if or ("yes" if learner.passes == ONE else "no")


def partial_fit_words(learner: Any) -> str:
    """What `partial_fit` of a learner does: it adds on the same condition, or walks on, or is not there."""
    words = merging_words(learner)
    return "walks on" if words == "no" and learner.passes == SEQUENTIAL else words


def ways_to_continue(learner: Any) -> tuple[str, ...]:
    """How a fit goes on from a fitted model: by an argument `start` of `fit`, by a parameter `warm_start`, or not."""
    kind: Any = type(learner)
    refused = isinstance(keywords_of(kind).get("warm_start"), NoEffect | Refused)
    by_start = ("start",) if "start" in signature(kind.fit).parameters else ()
    return (*by_start, "warm_start") if "warm_start" in kind._parameters and not refused else by_start


def remedy_for_more_rows(learner: Any) -> str:
    """What to do with the rows of two models, or with more rows, where models of a learner do not merge."""
    walks = type(learner).passes == SEQUENTIAL  # that of an ensemble may not be known: a member is invalid
    continued, remembers = ways_to_continue(learner), getattr(learner, "remembers", True)
    ways = ["partial_fit, which goes on with the rows of the other"] if walks else []
    if continued and remembers:
        how = "fit(rows, start=model)" if "start" in continued else "warm_start=True and fit"
        ways += [f"{how}, which goes on with the rows of the other"]
    ways += [f"other parameters: models merge {learner.merges_if}"] if learner.merges_if else []
    return "; or ".join([*ways, ONE_FIT if remembers or "start" not in continued else ONE_FIT_FROM_HERE])
