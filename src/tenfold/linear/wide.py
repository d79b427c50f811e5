"""Least squares of more categories than a matrix can hold, by conjugate gradients.

Moments of so many features would not fit: 10,000 categories have 10⁸ pairs. Beyond `WIDE` categories the rows are read
for all other moments, their codes are held, and each step of the search looks at those once. Then the rows are read
once more for the residual, which proves how near the optimum is.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.core import Array, Claim, Codes, DataError
from tenfold.linear.conjugate import CLOSE, Search, System, begin, ended, step, with_references
from tenfold.linear.routes import LinearState, Problem, Route
from tenfold.linear.solving import Solution
from tenfold.stats.coded import CodedComoments, CodedComomentsAt, CodedMoments, CodeLens, CodeProducts, Products

WIDE = 2000
"""categories, of all columns together, whose pairs are still counted"""
AGAIN = 3
"""how often the search begins"""


def too_many(categories: int) -> bool:
    """Whether so many categories are more than the matrix of their pairs is made for."""
    return categories > WIDE


class ConjugateGradients(Route):
    """Numbers are eliminated; what is left, over the categories, is solved step by step on their held codes."""

    def begun(self, state: LinearState) -> LinearState:
        """A state that asks for it, from all coefficients nought."""
        return state._replace(phase="sums", search=Search.none()._replace(x=np.zeros(int(state.levels.sum()))))

    def statistic(self, state: LinearState) -> CodedComoments | CodedComomentsAt | CodeProducts:
        """Moments without pairs, with the product where the search is; or the product with its direction."""
        if state.phase == "search":
            return CodeProducts(state.search.direction, lens=CodeLens(state.levels))
        if state.search.begun:
            return CodedComomentsAt(state.search.x, state.levels)
        return CodedComoments(state.levels)

    def update(self, problem: Problem, state: LinearState, summary: CodedMoments | Products, last: bool) -> LinearState:
        """One step of the search; before and after it, the model that the moments give."""
        if isinstance(summary, Products):
            search = step(state.search, summary.product, problem.alpha)
            phase = "sums" if ended(search) else "search"
            return state._replace(phase=phase, round=state.round + 1, search=search)
        system = System.of(summary, problem.alpha, problem.fit_intercept)
        search = begin(system, summary, state.search)
        state = _model(problem, state, summary, system)
        if search.energy <= (100 * CLOSE) ** 2 * search.first or search.begun > AGAIN:
            return state._replace(step=1, search=Search.none()._replace(curvature=search.curvature))
        _refuse_ids(state.levels, summary.count)
        return state._replace(phase="search", round=state.round + 1, search=search)

    def certify(
        self, problem: Problem, state: LinearState, summary: CodedMoments | Products
    ) -> tuple[Claim, ...] | None:
        """How near to the optimum the residual says it is."""
        if not state.step or isinstance(summary, Products):
            return None
        system = System.of(summary, problem.alpha, problem.fit_intercept)
        r, D, least = np.abs(system.residual(summary)) + system.blur(summary), system.diagonal, state.search.curvature
        about = float(r @ (r / D)) / least
        route = "conjugate gradients: the table of so many categories is never made"
        usual = "rounding errors of the usual size"
        if problem.alpha:
            gap, status, why = float(r @ r) / problem.alpha, "proved", "and the penalty bends the objective everywhere"
        else:
            gap, status, why = about, "estimated", "and the least curvature that the steps met"
            usual = f"{usual}, and no direction of less curvature that the steps missed"
        share = gap / system.square if system.square > 0 else 0.0
        why = f"from the residual of the normal equations at the end, as a share of the squares of y, {why} ({route})"
        return (
            Claim("gap", share, status, why, "objective", usual),  # type: ignore[arg-type]
            Claim("digits", _digits(summary, system, about, least), "estimated",
                  "of the least certain category, from the same residual", "arithmetic", usual),
        )  # fmt: skip

    def judged(self, problem: Problem, state: LinearState, summary: CodedMoments | Products) -> tuple[Solution, float]:
        """Refused: there is no matrix to make standard errors from."""
        raise ValueError(
            f"standard errors take a matrix of all features, and {int(state.levels.sum()):,} categories "
            f"are too many for one. Remedy: fewer than {WIDE:,}"
        )


def _model(problem: Problem, state: LinearState, m: CodedMoments, system: System) -> LinearState:
    """The coefficients of all features, given those of the categories."""
    x = m.at if problem.alpha else with_references(m.at, m.count, state.levels, problem.fit_intercept)
    coef, coded = np.empty(len(state.coef)), np.repeat(state.levels > 0, np.maximum(state.levels, 1))
    coef[coded], coef[~coded] = x, system.numbers(x)
    constant = 0.0
    if problem.fit_intercept:
        parts = [m.mean[-1], *(-m.mean[:-1] * coef[~coded]), *(-m.count * x / m.weight)]
        constant = math.fsum(parts)
    return state._replace(coef=coef, intercept=constant)


def _digits(m: CodedMoments, system: System, about: float, least: float) -> float:
    """Decimal digits of the least certain category: 0 to 15."""
    error = 2 * np.sqrt(about / (least * system.diagonal))
    size = np.maximum(np.abs(m.at), 1e-10 * np.sqrt(system.square / system.diagonal))
    worst = float((error / np.where(size > 0, size, 1.0)).max(initial=0.0))
    return min(max(-math.log10(worst), 0.0), 15.0) if worst > 0 else 15.0


def _refuse_ids(levels: Codes, count: Array) -> None:
    """Nothing can be learned of a category that has one row, if all are so."""
    some = np.cumsum(levels)
    for j in np.flatnonzero(levels):
        if (count[some[j] - levels[j] : some[j]] == 1).all():
            raise DataError(
                f"column number {j} has a category of its own in each of {levels[j]:,} rows: nothing can be learned "
                "from it. Remedy: leave it out"
            )
