"""Categorical naive Bayes: within a class, each column draws its category independently.

P(x_j = v | c) = (n_cv + m p_v) / (n_c + m), with n_cv the weight of class c with value v in column j, and n_c that of
class c with any value there: as if m more rows of the class had been seen, distributed over the values as p. Counts
merge by addition; m and p enter when the model is made from them. Laplace's α is m = α V_j with p_v = 1 / V_j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.rows.counting import add_lookups
from tenfold.core import Array, Claim, Codes, Columns, Need, Remedy, Schema
from tenfold.core.field_values import LEVELS, NOT_NAN
from tenfold.estimator import GroupScored, OnePass, fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, class_prior, real
from tenfold.estimator.shell.keyword_decisions import smoothed
from tenfold.estimator.shell.keywords import Refused
from tenfold.naive_bayes.joint_log_proba import JointLogProba
from tenfold.stats.counts.counts import ClassCounts, CountsByClass


class CategoricalModel(NamedTuple):
    """Log-probabilities of classes, and of the categories of all columns within each."""

    class_count: Annotated[Array, "class"]
    class_log_prior: Annotated[Array, "class", NOT_NAN]
    log_prob: Annotated[Array, "class", "value", NOT_NAN]
    """the categories of one column after those of another"""
    n_categories: Annotated[Codes, "column", LEVELS]


listed_categories = Refused(
    "categories are those of the rows, or of a categorical column",
    Remedy(
        "tn.CategoricalNB().fit("
        'pd.DataFrame(X, columns=["a", "b", "c"]).astype(pd.CategoricalDtype(list(range(9)))), y)'
    ),
    (None,),
)


class CategoricalNB(OnePass, GroupScored, JointLogProba):
    """Naive Bayes over categories (text or numbers), exact in one pass.

    A missing value, or a category that is unknown from fitting, does not change the posterior. Measured numbers (over
    20 distinct ones in a column, not all of them whole) are refused: each would be a category of its own.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to the count of each category (Laplace), if there is no `m`.
    fit_prior : bool, default=True
        Whether class probabilities are estimated from the rows; otherwise they are uniform.
    class_prior : array of shape (classes,), optional
        Probability of each class.
    m : float, optional
        The m-estimate: the weight of each class that is added to its rows in every column, spread over the categories
        by `p`. By default `alpha` times the number of categories.
    p : {"uniform", "marginal"}, default="uniform"
        Prior over categories: uniform, or their frequencies in all classes together; then a
        category that no row has does not change the posterior.
    force_alpha, min_categories : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    classes_ : array
    class_count_, class_log_prior_ : array of shape (classes,)
    feature_log_prob_ : list of arrays of shape (classes, categories of the column)
    category_count_ : list of arrays of shape (classes, categories of the column)
        The weight of the rows of each class that have a category.
    n_categories_ : array of shape (columns,)
    certificate_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import CategoricalNB
    >>> model = CategoricalNB().fit([["sun"], ["sun"], ["rain"]], ["go", "go", "stay"])
    >>> model.predict([["rain"], ["snow"]]).tolist()
    ['stay', 'go']
    >>> model = CategoricalNB(m=3.0, p="marginal").fit([["sun"], ["sun"], ["rain"]], ["go", "go", "stay"])
    >>> np.exp(model.feature_log_prob_[0]).round(2).tolist()  # rain, sun: (0 + 3/3) / (2 + 3), (2 + 3 * 2/3) / (2 + 3)
    [[0.2, 0.8], [0.5, 0.5]]
    """

    need = Need("categorical", missing=True, target="class")
    law_params = ({}, {"alpha": 0.0}, {"fit_prior": False}, {"m": 2.0, "p": "marginal"})

    alpha: Annotated[float, real(0)] = 1.0
    fit_prior: Annotated[bool, boolean] = True
    class_prior: Annotated[ArrayLike | None, array, None] = None
    m: Annotated[float | None, real(0), None] = None
    p: Annotated[str, choice("uniform", "marginal")] = "uniform"
    _: KW_ONLY
    force_alpha: Annotated[bool, smoothed] = True
    min_categories: Annotated[Any, listed_categories] = None

    def statistic(self, schema: Schema) -> CountsByClass:
        k = len(schema.classes)
        class_prior(self.class_prior, np.ones(k))  # refuses what is none
        return CountsByClass(k, schema.value_offsets)

    def solve(self, schema: Schema, s: ClassCounts) -> CategoricalModel:
        with np.errstate(divide="ignore"):
            log_prior = np.log(class_prior(self.class_prior, s.weight, self.fit_prior))
        log_prob = log_shares(s.count, schema.levels, self.alpha, self.m, self.p)
        return CategoricalModel(s.weight, log_prior, log_prob, schema.levels)

    def certify(self, model: CategoricalModel, s: ClassCounts) -> tuple[Claim, ...]:
        """The estimate is the optimum; the share due to smoothing is reported."""
        never = float((s.count == 0).mean()) if s.count.size else 0.0
        why = "the posterior mode given these counts and the smoothing: closed form"
        unseen = "share of pairs of class and category that never occurred: smoothing alone"
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("unseen pairs", never, "proved", unseen, "data"),
        )

    def scores_by(self, models: Sequence[CategoricalModel], X: Columns, codes: Codes) -> Array:
        out = np.array([model.class_log_prior for model in models])[codes]
        add_log_shares(X, models[0].n_categories, codes, np.array([model.log_prob for model in models]), out)
        return out

    @property
    @fitted
    def feature_log_prob_(self) -> list[Array]:
        """Log-probability of each category of each column, given the class."""
        return [self.model_.log_prob[:, column] for column in places(self.model_.n_categories)]

    @property
    @fitted
    def category_count_(self) -> list[Array]:
        """The weight of the rows of each class that have each category of each column."""
        if self.summary_ is None:
            raise ValueError("the counts were not kept: this model was saved with summary=False")
        return [self.summary_.count[:, column] for column in places(self.model_.n_categories)]


def log_shares(count: Array, n_categories: Codes, alpha: float, m: float | None, p: str) -> Array:
    """log (n_cv + m p_v) / (n_c + m), column by column: the m-estimate of the categories in each class.

    Log-probabilities; minus infinity for a class without rows and smoothing.
    """
    out = np.empty_like(count)
    with np.errstate(divide="ignore", invalid="ignore"):
        for column, k in zip(places(n_categories), n_categories.tolist(), strict=True):
            seen = count[:, column]
            added: Array | float = alpha if m is None else m / max(k, 1)
            if p == "marginal":
                both = seen.sum(axis=0)
                added = added * k * both / both.sum()
            smooth = seen + added
            out[:, column] = np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True))
            if p == "marginal":
                out[:, column][:, both == 0] = 0.0
    return np.nan_to_num(out, copy=False, nan=-np.inf, neginf=-np.inf)


def add_log_shares(X: Columns, n_categories: Codes, codes: Codes, log_prob: Array, out: Array) -> None:
    """Add the log-probabilities of the codes of each row, by the table that its group has; `out` is by class."""
    first = np.zeros(len(n_categories) + 1, np.int64)
    n_categories.cumsum(out=first[1:])
    for rows, block in X.blocks():
        add_lookups(block, first, codes[rows], log_prob, out[rows])


def places(n_categories: Codes) -> list[slice]:
    """Offset of the categories of each column."""
    ends = n_categories.cumsum().tolist()
    return [slice(end - n, end) for end, n in zip(ends, n_categories.tolist(), strict=True)]
