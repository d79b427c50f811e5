"""The table of `updating.rst`: what a fitted learner can do with more rows, as its class declares it."""

from __future__ import annotations

import inspect

import tenfold
from tenfold.estimator import Estimator
from tenfold.estimator.updating.capabilities import merging_words, partial_fit_words, ways_to_continue


def updating_rows() -> list[tuple[str, str, str, str]]:
    """Name of each learner, whether its models add up, what `partial_fit` does, and what continues a fit."""
    found = [("Pipeline", tenfold.Pipeline.merges_if, "if the last step has it", "`update`, if the last step does")]
    for name in tenfold.__all__:
        value = getattr(tenfold, name)
        if inspect.isclass(value) and issubclass(value, Estimator):
            learner = value()
            added, more = merging_words(learner), partial_fit_words(learner)
            drawn = "; drawn" if learner.draws_rows and added != "no" else ""
            found.append(
                (name, added + drawn, more, ", ".join(f"`{way}`" for way in ways_to_continue(learner)) or "no")
            )
    return sorted(found)
