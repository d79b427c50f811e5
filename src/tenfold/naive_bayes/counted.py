"""Naive Bayes of columns that are counted: what BernoulliNB, MultinomialNB and ComplementNB share.

Weight of each class and sums of the columns within it merge by addition; priors and smoothing enter when the model is
made from them.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from tenfold.compiled.moments.class_sums import AS_COUNTS
from tenfold.core import Array, Claim, Columns, Need, Schema
from tenfold.core.field_values import NOT_NAN
from tenfold.estimator import OnePass
from tenfold.estimator.shell.constraints import array, boolean, class_prior, real
from tenfold.estimator.shell.keyword_decisions import one_alpha, smoothed
from tenfold.naive_bayes.joint_log_proba import JointLogProba
from tenfold.stats.counts.class_sums import ClassSums, SumsByClass


class CountedModel(NamedTuple):
    """Log-probabilities of classes, and of the columns within each."""

    class_count: Annotated[Array, "class"]
    class_log_prior: Annotated[Array, "class", NOT_NAN]
    feature_count: Annotated[Array, "class", "column"]
    feature_log_prob: Annotated[Array, "class", "column", NOT_NAN]


class CountedNB(OnePass, JointLogProba):
    """Base of naive Bayes over counts: a subclass writes `log_prob`, and `scores_from` if it is not a product."""

    need = Need("numeric", sparse=True, target="class", counts=True)
    poor_score = True  # numbers that are measured are no counts
    law_params: ClassVar[Any] = ({}, {"alpha": 0.0}, {"fit_prior": False})

    alpha: Annotated[float, real(0), one_alpha] = 1.0
    fit_prior: Annotated[bool, boolean] = True
    class_prior: Annotated[ArrayLike | None, array, None] = None
    _: KW_ONLY
    force_alpha: Annotated[bool, smoothed] = True

    def log_prob(self, s: ClassSums) -> Array:
        """Contribution of one count of each column to the score of each class; it may be minus infinity."""
        raise NotImplementedError

    def statistic(self, schema: Schema) -> SumsByClass:
        return SumsByClass(self._classes(schema), AS_COUNTS)

    def _classes(self, schema: Schema) -> int:
        """How many there are; a prior that does not fit them is refused."""
        class_prior(self.class_prior, np.ones(len(schema.classes)))
        return len(schema.classes)

    def solve(self, schema: Schema, s: ClassSums) -> CountedModel:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.nan_to_num(self.log_prob(s), nan=-np.inf, neginf=-np.inf)  # 0 / 0: a class without counts
            log_prior = np.log(class_prior(self.class_prior, s.weight, self.fit_prior))
        return CountedModel(s.weight, log_prior, s.total, found)

    def certify(self, model: CountedModel, s: ClassSums) -> tuple[Claim, ...]:
        """The estimate is the optimum; the share due to smoothing is reported."""
        never = float((s.total == 0).mean()) if s.total.size else 0.0
        why = "the posterior mode given these sums and the smoothing: closed form"
        unseen = "share of pairs of class and column that were never counted: smoothing alone"
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("unseen pairs", never, "proved", unseen, "data"),
        )

    def scores_from(self, model: CountedModel, X: Columns) -> Array:
        """log π_c + Σ_j x_j log P(j | c)."""
        out = np.empty((len(X), len(model.class_log_prior)))
        for rows, block in blocks(X):
            out[rows] = model.class_log_prior + times(block, model.feature_log_prob)
        return out


def blocks(X: Columns) -> Any:
    """The rows, some at a time; of a CSR matrix all at once."""
    if sp.issparse(X.data):
        return [(slice(0, len(X)), X.entries())]
    return X.blocks()


def times(block: Any, log_prob: Array) -> Array:
    """Σ_j x_j log_prob[c, j] of rows of counts, where zero times minus infinity is zero."""
    never = np.isneginf(log_prob)
    if not never.any():
        return np.asarray(block @ log_prob.T)
    out = np.asarray(block @ np.where(never, 0.0, log_prob).T)
    out[np.asarray(block @ never.T.astype(np.float64)) > 0] = -np.inf
    return out
