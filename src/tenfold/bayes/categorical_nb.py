"""Categorical naive Bayes: within a class, each column draws its category independently.

P(x_j = v | c) = (n_cv + α) / (n_c + α V_j), with n_cv the weight of class c with value v in column j, and n_c
that of class c with any value there. Counts merge by addition; the smoothing α enters when the model is made from them.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.bayes.priors import prior
from tenfold.core import ONE, Array, Claim, Codes, Columns, Need, Schema
from tenfold.core.allowed import NOT_NAN, OFFSETS
from tenfold.estimator import Classifier
from tenfold.estimator.constraints import array, boolean, real
from tenfold.kernels.counting import add_lookups
from tenfold.stats.counts import ClassCounts, CountsByClass


class CategoricalState(NamedTuple):
    """Log-probabilities of classes, and of the categories of all columns within each."""

    step: int
    class_count: Annotated[Array, "class"]
    class_log_prior: Annotated[Array, "class", NOT_NAN]
    log_prob: Annotated[Array, "class", "value", NOT_NAN]
    first: Annotated[Codes, "boundary", OFFSETS]
    """where each column begins on the axis of values, and where the last one ends"""


class CategoricalNB(Classifier):
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

    passes = ONE
    need = Need("categorical", missing=True, target="class")
    model_type = CategoricalState
    summary_types = (ClassCounts,)
    steering = frozenset({"step", "first"})
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"alpha": 0.0},
        {"fit_prior": False},
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [real(0)],
        "fit_prior": [boolean],
        "class_prior": [array, None],
    }

    def __init__(self, alpha: float = 1.0, fit_prior: bool = True, class_prior: Any = None) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def start(self, schema: Schema) -> CategoricalState:
        """Nothing known."""
        first = schema.value_offsets
        k = len(schema.classes)
        return CategoricalState(0, np.zeros(k), np.zeros(k), np.zeros((k, int(first[-1]))), first)

    def ask(self, state: CategoricalState) -> CountsByClass | None:
        """Once: the same counts serve every prior and smoothing."""
        return None if state.step else CountsByClass(len(state.class_count), state.first)

    def update(self, state: CategoricalState, s: ClassCounts) -> CategoricalState:
        """Smoothed frequencies."""
        log_prob = np.empty_like(s.count)
        with np.errstate(divide="ignore", invalid="ignore"):
            for a, b in zip(state.first, state.first[1:]):
                smooth = s.count[:, a:b] + self.alpha
                log_prob[:, a:b] = np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True))
            log_prior = np.log(self._prior(s.weight))
        np.nan_to_num(log_prob, copy=False, nan=-np.inf, neginf=-np.inf)
        return CategoricalState(1, s.weight, log_prior, log_prob, state.first)

    def _prior(self, weight: Array) -> Array:
        if self.class_prior is not None:
            return prior(self.class_prior, weight)
        return weight / weight.sum() if self.fit_prior else np.full(len(weight), 1 / len(weight))

    def certify(self, state: CategoricalState, s: ClassCounts) -> tuple[Claim, ...] | None:
        """The estimate is the optimum; how much of it is smoothing is said."""
        if not state.step:
            return None
        never = float((s.count == 0).mean()) if s.count.size else 0.0
        why = "the posterior mode given these counts and the smoothing: closed form"
        unseen = "share of pairs of class and category that never occurred: smoothing alone"
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("unseen pairs", never, "proved", unseen, "data"),
        )

    def scores_from(self, state: CategoricalState, X: Columns) -> Array:
        """log π_c + Σ_j log P(x_j | c)."""
        out = np.tile(state.class_log_prior, (len(X), 1))
        for rows, block in X.blocks():
            add_lookups(block, state.first, state.log_prob, out[rows])
        return out

    @property
    def feature_log_prob_(self) -> list[Array]:
        """Log-probability of each category of each column, given the class."""
        first = self.model_.first
        return [self.model_.log_prob[:, a:b] for a, b in itertools.pairwise(first)]

    @property
    def n_categories_(self) -> Any:
        """How many categories each column has."""
        return np.diff(self.model_.first)
