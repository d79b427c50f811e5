"""What both votes share: weights of the members, and the certificate.

A vote is a weighted mean, Σ wₘ hₘ(x) / Σ wₘ, of the members' predictions. Members are summarized side by side, over
shared scans; their claims are the vote's.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Claim, Schema
from tenfold.estimator.ensembles.ensemble import EnsembleModel, Learning
from tenfold.estimator.ensembles.member_outputs import MemberOutputs
from tenfold.estimator.ensembles.named_members import NamedEnsemble
from tenfold.estimator.shell.constraints import array
from tenfold.estimator.shell.keyword_decisions import ignored_n_jobs, ignored_verbose
from tenfold.stats.member_summaries import Joint


class Voting(MemberOutputs, NamedEnsemble):
    """Base of learners that average members; a subclass has `estimators` and `weights`."""

    _: KW_ONLY
    weights: Annotated[Any, array, None] = None
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    verbose: Annotated[int, ignored_verbose] = False

    def ballot(self) -> Array:
        """Validated weight of each member."""
        named = self.named()
        if self.weights is None:
            return np.ones(len(named))
        given = list(self.estimators if self.estimators is not None else named)
        if len(self.weights) != len(given):
            raise ValueError(
                f"Number of `estimators` and weights must be equal; got {len(self.weights)} weights, "
                f"{len(given)} estimators"
            )
        there = [not isinstance(member, str) for _, member in given]
        weights = np.asarray(self.weights, dtype=np.float64)[there]
        if weights.ndim != 1 or not np.isfinite(weights).all() or (weights < 0).any() or not 0 < weights.sum() < np.inf:
            say = "one number for each member, finite, not negative and not all zero"
            raise ValueError(f"weights must be {say}, but are {self.weights}")
        return weights

    def start(self, schema: Schema) -> Learning:
        self.ballot()
        return super().start(schema)

    def is_valid(self, model: EnsembleModel, summary: Joint | None, schema: Schema) -> bool:
        return bool(model.seen.all()) and super().is_valid(model, summary, schema)

    def together(self, model: EnsembleModel, function: Any) -> Any:
        """The weighted mean of a function of each member and its model."""
        total, weights = 0.0, self.ballot()
        for weight, member, at in zip(weights, self.team(), model.members.each, strict=True):
            total = total + weight * function(member, at)
        return total / weights.sum()  # at the end: votes of whole weights that are equal stay equal

    def outputs(self, model: EnsembleModel, function: Any) -> Array:
        """A function of each member and its model, side by side."""
        return np.column_stack(
            [function(member, at) for member, at in zip(self.team(), model.members.each, strict=True)]
        )

    def claims(self, model: EnsembleModel, s: Joint, factor: float, why: str) -> tuple[Claim, ...] | None:
        """The claims of the members by name, and the bound on the error of the vote by the mean of their errors."""
        each = self.certified(model, s)
        if each is None:
            return None
        named = zip((name for name, _ in self.named()), each, strict=True)
        theirs = [c._replace(kind=f"{name}: {c.kind}") for name, claims in named for c in claims]
        return (Claim("error factor", factor, "proved", why, "unseen rows"), *theirs)
