"""Least squares of more categories than a matrix can hold, by conjugate gradients.

Moments would not fit into memory: 10,000 categories have 10⁸ pairs. Beyond `MAX_COUNTED_CATEGORIES` categories
the rows are read
for all other moments, their codes are held, and each step of the search looks at those once. Then the rows are read
once more for the residual, which proves how near the optimum is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, DataError, Schema
from tenfold.core.certificate import Status
from tenfold.core.learner import Initial
from tenfold.linear_model.least_squares.category_products import (
    RESIDUAL_TOLERANCE,
    Search,
    System,
    begin,
    ended,
    least_curvature,
    step,
    with_references,
)
from tenfold.linear_model.least_squares.routes import LinearModel, RidgeProblem
from tenfold.stats.moments.category_moments import (
    CodedComoments,
    CodedComomentsAt,
    CodedMoments,
    CodeLens,
    CodeProducts,
    Products,
)

MAX_COUNTED_CATEGORIES = 2000
"""categories, of all columns together, whose pairs are still counted"""
MAX_RESTARTS = 3
"""how often the search begins"""


def too_many(categories: int) -> bool:
    """Whether there are too many categories to form the matrix of their pairs."""
    return categories > MAX_COUNTED_CATEGORIES


class Searching(NamedTuple):
    """The state of a fit that steps along directions, on the held codes of the rows."""

    step: int
    schema: Schema
    search: Search

    def statistic(self) -> CodeProducts:
        """The product of the table of pairs with the direction."""
        return CodeProducts(self.search.direction, lens=CodeLens(self.schema.levels))


class Checking(NamedTuple):
    """The state of a fit whose steps have ended: the rows are read for the residual there."""

    step: int
    schema: Schema
    search: Search

    def statistic(self) -> CodedComomentsAt:
        """Moments without pairs, with the product where the search is."""
        return CodedComomentsAt(self.search.x, self.schema.levels, least_curvature(self.search))


class ConjugateGradients:
    """Numbers are eliminated; the Schur complement over the categories is solved by conjugate gradients on their held
    codes."""

    def statistic(self, schema: Schema) -> CodedComoments:
        """Moments without the products of pairs of categories."""
        return CodedComoments(schema.levels)

    def begin(self, problem: RidgeProblem, state: Initial | Checking, m: CodedMoments) -> Searching | LinearModel:
        """The model that the moments give, if its residual is small; else steps that make it smaller."""
        system = System.of(m, problem.alpha, problem.fit_intercept)
        if isinstance(state, Initial) and m.at.any():  # verified: this is where a search has ended
            return _model(problem, m, system)
        search = begin(system, m, state.search.begun if isinstance(state, Checking) else 0)
        if search.energy <= (100 * RESIDUAL_TOLERANCE) ** 2 * search.first or search.begun > MAX_RESTARTS:
            return _model(problem, m, system)
        _refuse_ids(problem.schema.levels, m.count)
        return Searching(0, problem.schema, search)

    def update(self, problem: RidgeProblem, state: Searching, s: Products) -> Searching | Checking:
        """Advance the conjugate gradient search by one step."""
        search = step(state.search, s.product, problem.alpha)
        return (Checking if ended(search) else Searching)(0, problem.schema, search)

    def certify(self, problem: RidgeProblem, summary: CodedMoments) -> tuple[Claim, ...]:
        """Distance from the optimum, from the residual."""
        system = System.of(summary, problem.alpha, problem.fit_intercept)
        r, D, least = np.abs(system.residual(summary)) + system.blur(summary), system.diagonal, summary.curvature
        about = float(r @ (r / D)) / least
        route = "conjugate gradients: the table of pairs of categories is never formed"
        usual = "rounding errors of the usual size"
        status: Status = "proved" if problem.alpha else "estimated"
        if problem.alpha:
            gap, why = float(r @ r) / problem.alpha, "and the penalty bends the objective everywhere"
        else:
            gap, why = about, "and the least curvature that the steps met"
            usual = f"{usual}, and no direction of less curvature that the steps missed"
        share = gap / system.square if system.square > 0 else 0.0
        why = f"from the residual of the normal equations at the end, as a share of the squares of y, {why} ({route})"
        return (
            Claim("gap", share, status, why, "objective", usual),
            Claim("digits", _digits(summary, system, about, least), "estimated",
                  "of the least certain category, from the same residual", "arithmetic", usual),
        )  # fmt: skip


def _model(problem: RidgeProblem, m: CodedMoments, system: System) -> LinearModel:
    """The coefficients of all features, given those of the categories."""
    levels = problem.schema.levels
    x = m.at if problem.alpha else with_references(m.at, m.count, levels, problem.fit_intercept)
    coded = np.repeat(levels > 0, np.maximum(levels, 1))
    coef = np.empty(len(coded))
    coef[coded], coef[~coded] = x, system.numbers(x)
    constant = 0.0
    if problem.fit_intercept:
        parts = [m.mean[-1], *(-m.mean[:-1] * coef[~coded]), *(-m.count * x / m.weight)]
        constant = math.fsum(parts)
    return LinearModel(coef, constant, problem.schema)


def _digits(m: CodedMoments, system: System, about: float, least: float) -> float:
    """Decimal digits of the least certain category: 0 to 15."""
    error = 2 * np.sqrt(about / (least * system.diagonal))
    size = np.maximum(np.abs(m.at), 1e-10 * np.sqrt(system.square / system.diagonal))
    worst = float((error / np.where(size > 0, size, 1.0)).max(initial=0.0))
    return min(max(-math.log10(worst), 0.0), 15.0) if worst > 0 else 15.0


def _refuse_ids(levels: Codes, count: Array) -> None:
    """Raise if every category has a single row, as in a column of ids."""
    some = np.cumsum(levels)
    for j in np.flatnonzero(levels):
        if (count[some[j] - levels[j] : some[j]] == 1).all():
            raise DataError(
                f"column number {j} has a category of its own in each of {levels[j]:,} rows: nothing can be learned "
                "from it. Remedy: leave it out"
            )
