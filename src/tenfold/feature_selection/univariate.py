"""Scores of columns one by one, from merged summaries, and the selection of the best.

f_classif: F = (Σ n_c (μ_c - μ)² / (k - 1)) / (Σ squares within classes / (n - k));
f_regression: F = (n - 2) r² / (1 - r²);
chi2: Σ (observed - expected)² / expected over the classes, of sums of counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy import special

from tenfold.compiled.moments.class_sums import AS_COUNTS
from tenfold.core import Array, Claim, Need, ParameterError, Remedy, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.estimator import OnePass
from tenfold.estimator.score_functions import score_name
from tenfold.feature_selection.selector import Selector
from tenfold.stats.counts.class_sums import ClassSums, SumsByClass
from tenfold.stats.moments.spread import ClassSpread, SpreadByClass
from tenfold.stats.moments.target_moments import ColumnTargetMoments, MomentsWithTarget

ROUNDING = 4 * np.finfo(np.float64).eps
"""deviations of no more than this share of the mean are nothing but rounding"""


class ScoresModel(NamedTuple):
    """Score and p-value of each column, as scikit-learn's functions give them; NaN where there is none."""

    scores: Annotated[Array, "column", ANYTHING]
    pvalues: Annotated[Array, "column", ANYTHING]


def f_of_classes(s: ClassSpread) -> ScoresModel:
    """Analysis of variance; columns that are constant within classes have F = ∞, constant ones none."""
    some = s.weight > 0
    w, mean, rest = s.weight[some, None], s.mean[some], s.rest[some]
    square = np.where(np.sqrt(s.square[some]) <= np.sqrt(w) * ROUNDING * np.abs(mean), 0.0, s.square[some])
    n, classes = float(w.sum()), len(w)
    d = (mean - mean[:1]) + (rest - rest[:1])
    d -= (w * d).sum(axis=0) / n
    between = (w * d * d).sum(axis=0)
    between = np.where(np.sqrt(between) <= np.sqrt(n) * ROUNDING * np.abs(mean[0]), 0.0, between)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.float64(between / np.float64(classes - 1)) / (square.sum(axis=0) / np.float64(n - classes))
    return ScoresModel(f, special.fdtrc(classes - 1, n - classes, f))


def f_of_numbers(s: ColumnTargetMoments) -> ScoresModel:
    """F of the regression on the column alone; finite, as scikit-learn makes it."""
    free = s.weight - 2.0
    flat = np.sqrt(s.square) <= np.sqrt(s.weight) * ROUNDING * np.abs(s.mean)
    still = np.sqrt(s.target_square) <= np.sqrt(s.weight) * ROUNDING * abs(s.target_mean)
    size = np.sqrt(s.square) * np.sqrt(s.target_square)
    r = np.divide(s.product, size, out=np.zeros_like(size), where=~flat & (not still) & (size > 0))
    square = np.minimum(r * r, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = square / (1.0 - square) * free
    p = special.fdtrc(1.0, free, f)
    p = np.where(np.isinf(f), 0.0, np.where(np.isnan(f), 1.0, p))
    return ScoresModel(np.nan_to_num(f, nan=0.0, posinf=np.finfo(np.float64).max), p)


def chi2_of_counts(s: ClassSums) -> ScoresModel:
    """Chi-squared of the sums of each class beside those that its share of the rows would have."""
    some = s.weight > 0
    observed, share = s.total[some], s.weight[some] / s.weight.sum()
    expected = share[:, None] * observed.sum(axis=0)
    with np.errstate(invalid="ignore"):
        found = ((observed - expected) ** 2 / expected).sum(axis=0)
    return ScoresModel(found, special.chdtrc(len(observed) - 1, found))


SCORES: dict[type, Callable[[Any], ScoresModel]] = {
    ClassSpread: f_of_classes,
    ColumnTargetMoments: f_of_numbers,
    ClassSums: chi2_of_counts,
}


class UnivariateSelector(OnePass, Selector):
    """Base of selections by scores of columns one by one; a subclass has `score_func`, and says which are kept."""

    score_func: Annotated[Any, str, callable] = "f_classif"

    def _validate_params(self) -> None:
        super()._validate_params()
        if score_name(self.score_func) is None:
            given = self.score_func if isinstance(self.score_func, str) else getattr(self.score_func, "__name__", "?")
            raise ParameterError(
                f"{type(self).__name__}: score_func={given!r} is not one of those that merged summaries give: "
                "'f_classif', 'f_regression', 'chi2'",
                Remedy(f'tn.{type(self).__name__}("f_classif")', "or scikit-learn's own selection, of rows in memory"),
            )

    @property
    def need(self) -> Need:
        target: Any = "number" if score_name(self.score_func) == "f_regression" else "class"
        return Need("numeric", sparse=True, target=target)

    def statistic(self, schema: Schema) -> SpreadByClass | MomentsWithTarget | SumsByClass:
        """The same for every number of columns that are kept."""
        name = score_name(self.score_func)
        if name == "f_regression":
            return MomentsWithTarget()
        classes = len(schema.classes)
        return SumsByClass(classes, AS_COUNTS) if name == "chi2" else SpreadByClass(classes)

    def solve(self, schema: Schema, s: ClassSpread | ColumnTargetMoments | ClassSums) -> ScoresModel:
        return SCORES[type(s)](s)

    def certify(self, model: ScoresModel, s: ClassSpread | ColumnTargetMoments | ClassSums) -> tuple[Claim, ...]:
        """Scores are exact; columns that are left out are counted."""
        left = float(len(model.scores) - self.kept_from(model).sum())
        return (
            Claim("gap", 0.0, "proved", "scores of the merged rows", "objective"),
            Claim("columns left out", left, "proved", "columns with lower scores", "data"),
        )


TIED = 1e-10
"""scores that differ by less, as a share, are those of columns that say the same, summed in another order"""


def comparable(scores: Array) -> Array:
    """Scores in which a column without one comes last, and those that differ by rounding are equal."""
    some = np.where(np.isnan(scores), np.finfo(np.float64).min, scores)
    order = np.argsort(some, kind="stable")
    rising = some[order]
    with np.errstate(invalid="ignore", over="ignore"):  # infinite ones
        apart = np.diff(rising) > TIED * np.abs(rising[1:])
    first = np.maximum.accumulate(np.where(np.append(True, apart), np.arange(len(rising)), 0))
    found = np.empty_like(some)
    found[order] = rising[first]
    return found
