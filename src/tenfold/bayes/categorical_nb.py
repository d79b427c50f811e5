"""Categorical naive Bayes: within a class, each column draws its category independently.

P(x_j = v | c) = (n_cv + α) / (n_c + α V_j), with n_cv the weight of class c with value v in column j, and n_c
that of class c with any value there. Counts merge by addition; the smoothing α enters when the model is made from them.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Codes, Columns, Need, Schema
from tenfold.core.allowed import LEVELS, NOT_NAN
from tenfold.estimator import Classifier, OnePass
from tenfold.estimator.constraints import Constraints, array, boolean, class_prior, real
from tenfold.kernels.counting import add_lookups
from tenfold.stats.counts import ClassCounts, CountsByClass


class CategoricalModel(NamedTuple):
    """Log-probabilities of classes, and of the categories of all columns within each."""

    class_count: Annotated[Array, "class"]
    class_log_prior: Annotated[Array, "class", NOT_NAN]
    log_prob: Annotated[Array, "class", "value", NOT_NAN]
    """the categories of one column after those of another"""
    n_categories: Annotated[Codes, "column", LEVELS]


class CategoricalNB(OnePass, Classifier):
    """Naive Bayes over categories (text or numbers), exact in one pass.

    A missing value, or a category that was not there in fitting, says nothing about its row. Measured numbers (over
    20 distinct ones in a column, not all of them whole) are refused: each would be a category of its own.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to the count of each category (Laplace).
    fit_prior : bool, default=True
        Whether classes are as probable as they are frequent; else all are equal.
    class_prior : array of shape (classes,), optional
        Probability of each class.

    Attributes
    ----------
    classes_ : array
    class_count_, class_log_prior_ : array of shape (classes,)
    feature_log_prob_ : list of arrays of shape (classes, categories of the column)
    n_categories_ : array of shape (columns,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import CategoricalNB
    >>> model = CategoricalNB().fit([["sun"], ["sun"], ["rain"]], ["go", "go", "stay"])
    >>> model.predict([["rain"], ["snow"]]).tolist()
    ['stay', 'go']
    """

    need = Need("categorical", missing=True, target="class")
    model_type = CategoricalModel
    summary_types = (ClassCounts,)
    law_params = ({}, {"alpha": 0.0}, {"fit_prior": False})
    _parameter_constraints: ClassVar[Constraints] = {
        "alpha": [real(0)],
        "fit_prior": [boolean],
        "class_prior": [array, None],
    }

    def __init__(self, alpha: float = 1.0, fit_prior: bool = True, class_prior: ArrayLike | None = None) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def statistic(self, schema: Schema) -> CountsByClass:
        """The same counts serve every prior and smoothing."""
        k = len(schema.classes)
        class_prior(self.class_prior, np.ones(k))  # refuses what is none
        return CountsByClass(k, schema.value_offsets)

    def solve(self, schema: Schema, s: ClassCounts) -> CategoricalModel:
        """The frequencies of categories in each class, smoothed by `alpha`."""
        weight = s.weight if self.fit_prior else np.ones_like(s.weight)
        n_categories, log_prob = schema.levels, np.empty_like(s.count)
        with np.errstate(divide="ignore", invalid="ignore"):
            for column in _columns(n_categories):
                smooth = s.count[:, column] + self.alpha
                log_prob[:, column] = np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True))
            log_prior = np.log(class_prior(self.class_prior, weight))
        np.nan_to_num(log_prob, copy=False, nan=-np.inf, neginf=-np.inf)
        return CategoricalModel(s.weight, log_prior, log_prob, n_categories)

    def certify(self, model: CategoricalModel, s: ClassCounts) -> tuple[Claim, ...]:
        """The estimate is the optimum; how much of it is smoothing is said."""
        never = float((s.count == 0).mean()) if s.count.size else 0.0
        why = "the posterior mode given these counts and the smoothing: closed form"
        unseen = "share of pairs of class and category that never occurred: smoothing alone"
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("unseen pairs", never, "proved", unseen, "data"),
        )

    def scores_from(self, model: CategoricalModel, X: Columns) -> Array:
        """log π_c + Σ_j log P(x_j | c)."""
        out = np.empty((len(X), len(model.class_log_prior)))
        out[:] = model.class_log_prior
        first = np.zeros(len(model.n_categories) + 1, np.int64)
        model.n_categories.cumsum(out=first[1:])
        for rows, block in X.blocks():
            add_lookups(block, first, model.log_prob, out[rows])
        return out

    @property
    def feature_log_prob_(self) -> list[Array]:
        """Log-probability of each category of each column, given the class."""
        return [self.model_.log_prob[:, column] for column in _columns(self.model_.n_categories)]


def _columns(n_categories: Codes) -> list[slice]:
    """Where the categories of each column stand."""
    ends = n_categories.cumsum().tolist()
    return [slice(end - n, end) for end, n in zip(ends, n_categories.tolist(), strict=True)]
