"""How far each coefficient can be from what repeated samples would give on average.

With B = RRᵀ the inverse of the penalised normal matrix, A without the penalty, and σ² the residual variance:

- classical: σ² B A B, which is σ² A⁻¹ without a penalty;
- HC0 to HC3: R M Rᵀ with M = Σ w e² z zᵀ and z = Rᵀ(1, x), by HC1 times n / (n - k), by HC2 and HC3 with leverages;
- cluster: R (Σ s sᵀ) Rᵀ over the scores s = Σ w e z of the clusters, times G / (G - 1) (n - 1) / (n - k).

Weights are frequencies: a row of weight 2 is two rows, so n is the sum of the weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from tenfold.core import Array, Flags
from tenfold.linear_model.least_squares.normal_equations import EPS, Solution
from tenfold.stats.optimize.score_products import ScoreProducts

ROBUST = ("HC0", "HC1", "HC2", "HC3", "cluster")


class FTest(NamedTuple):
    """Whether any coefficient differs from 0, the intercept aside."""

    statistic: float
    p_value: float
    df: float
    """how many coefficients are tested"""
    df_residual: float


@dataclass(frozen=True, eq=False)
class Inference:
    """Standard errors and what follows from them. Entries are by term: the coefficients, then the intercept if any."""

    kind: str
    values: Array
    covariance: Array
    rows: float
    """n, the sum of the weights"""
    df_model: float
    """parameters that the fit spends: with a penalty, fewer than there are"""
    df: float
    """of the t distribution: n less those, or one less than there are clusters"""
    sigma2: float
    rss: float
    tss: float
    alpha: float
    fit_intercept: bool
    shrinkage: Array
    """S with E β̂ = S β: I - α (X'X + αI)⁻¹"""
    estimated: Flags
    """which terms are not 0 by definition"""
    digits: float
    """that rounding leaves of σ²"""
    clusters: int = 0
    alone: float = 0.0

    @property
    def standard_errors(self) -> Array:
        """Standard errors: square roots of the variances."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))  # a penalty may leave less than rounding

    @property
    def t_values(self) -> Array:
        """Each value in units of its standard error; NaN where it is 0 by definition."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.estimated, self.values / self.standard_errors, np.nan)

    @property
    def p_values(self) -> Array:
        """How often a t as far from 0 or farther comes up if the expected value is 0."""
        found = 2 * stats.t.sf(np.abs(self.t_values), self.df)
        return np.where(np.isinf(self.standard_errors), 1.0, found)

    def interval(self, level: float) -> Array:
        """Terms x 2: where the expected value is, at this level of confidence."""
        reach = self.quantile(level) * self.standard_errors
        return np.column_stack([self.values - reach, self.values + reach])

    def quantile(self, level: float) -> float:
        """How many standard errors an interval reaches to each side."""
        if not 0 < level < 1:
            raise ValueError(f"level is {level}, but must be between 0 and 1")
        return float(stats.t.isf((1 - level) / 2, self.df))

    @property
    def r2(self) -> float:
        """The share of the squares of y that the model explains: around the mean if there is an intercept."""
        return 1 - self.rss / self.tss if self.tss > 0 else 0.0

    @property
    def adjusted_r2(self) -> float:
        """R² with variances in place of sums of squares."""
        left = self.rows - self.df_model
        return 1 - (self.rows - self.fit_intercept) / left * (1 - self.r2) if left > 0 else math.nan

    @property
    def log_likelihood(self) -> float:
        """Under normal noise, at these coefficients and the variance that makes it largest, Σ w e² / n."""
        if not self.rss > 0:
            return math.inf
        return -self.rows / 2 * (math.log(2 * math.pi * self.rss / self.rows) + 1)

    @property
    def aic(self) -> float:
        """Akaike's criterion: twice the parameters spent less twice the log-likelihood. Lower is better."""
        return 2 * (self.df_model - self.log_likelihood)

    @property
    def bic(self) -> float:
        """Schwarz's criterion: log n for each parameter spent less twice the log-likelihood. Lower is better."""
        return math.log(self.rows) * self.df_model - 2 * self.log_likelihood

    @property
    def f_test(self) -> FTest:
        """All coefficients at once: by sums of squares or, with robust errors, by Wald's quadratic form."""
        if self.alpha:
            raise ValueError("with a penalty there is no F test. Remedy: alpha=0, or LinearRegression")
        q = self.df_model - self.fit_intercept
        if self.kind == "classical":
            explained = max(self.tss - self.rss, 0.0) / q if q else 0.0
            value = explained / self.sigma2 if self.sigma2 > 0 else math.inf
        else:
            at = np.flatnonzero(self.estimated[: len(self.shrinkage)])
            b, V = self.values[at], self.covariance[np.ix_(at, at)]
            whole = len(at) and np.linalg.matrix_rank(V, hermitian=True) == len(at)
            value = float(b @ np.linalg.solve(V, b)) / len(at) if whole else math.nan
        return FTest(value, float(stats.f.sf(value, q, self.df)), float(q), self.df)

    def half(self) -> Array:
        """Factor H of the covariance HHᵀ."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def sandwich(scores: ScoreProducts, kind: str, parameters: float) -> tuple[Array, float]:
    """Middle matrix of the sandwich estimator, and its factor; infinite without residual degrees of freedom."""
    n = scores.weight
    if kind == "cluster":
        many = len(scores.keys)
        known = many > 1 and n > parameters
        factor = many / (many - 1) * (n - 1) / (n - parameters) if known else math.inf
        return scores.scores.T @ scores.scores, factor
    if kind == "HC1":
        return scores.meat, n / (n - parameters) if n > parameters else math.inf
    return scores.meat, 1.0


def covariance_of(root: Array, center: Array, inner: Array, factor: float, estimated: Flags) -> Array:
    """The covariance of the coefficients, then the intercept if any, from a root over centred columns."""
    if not math.isfinite(factor):
        return np.where(np.outer(estimated, estimated), math.inf, 0.0)
    spread = np.vstack([root[1:], root[0] - center @ root[1:]])[: len(estimated)]
    found = factor * (spread @ inner @ spread.T)
    return np.asarray((found + found.T) / 2)


def infer(
    found: Solution,
    kind: str,
    alpha: float,
    fit_intercept: bool,
    rows: float,
    unit: float,
    scores: ScoreProducts | None,
) -> Inference:
    """Compute inference from a solution and, for robust errors, its scores; `unit` is the rounding error of Σ y²."""
    p, root = len(found.center), found.root
    slopes = root[1:] @ root[1:].T
    terms = p + fit_intercept
    estimated = np.append(np.diag(slopes) > 0, True)[:terms]
    full = float(found.rank + fit_intercept)
    spent = full - alpha * float(np.trace(slopes))
    left = rows - spent
    sigma2 = found.rss / left if left > 0 else math.inf
    if scores is None:
        inner, factor = np.eye(root.shape[1]) - alpha * root[1:].T @ root[1:], sigma2
    else:
        root, (inner, factor) = scores.root, sandwich(scores, kind, full)
    clusters = len(scores.keys) if scores is not None and kind == "cluster" else 0
    df = clusters - 1.0 if kind == "cluster" else left
    covariance = covariance_of(root, found.center, inner, factor, estimated)
    lost = max(unit * found.tss / found.rss if found.rss > 0 else 1.0, EPS)
    digits = min(max(-math.log10(lost), 0.0), 15.0)
    alone = 0.0 if scores is None else scores.alone
    return Inference(
        kind, found.values[:terms], covariance, rows, spent, max(df, 0.0), sigma2, found.rss, found.tss, alpha,
        fit_intercept, np.eye(p) - alpha * slopes, estimated, digits, clusters, alone,
    )  # fmt: skip
