"""Least squares whatever the number of categories: from moments up to some thousands, by conjugate gradients beyond.

Moments of so many features would not fit: 10,000 categories have 10⁸ pairs. Beyond `WIDE` categories the rows are read
for all other moments, their codes are held, and each step of the search looks at those once. Then the rows are read
once more for the residual, which proves how near the optimum is.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Claim, DataError, MergeError, Schema
from tenfold.linear.conjugate import CLOSE, Search, System, begin, ended, step, with_references
from tenfold.linear.inference import ROBUST, Inference
from tenfold.linear.least_squares import LeastSquares, LinearState
from tenfold.stats.coded import NO_MERGE, CodedMoments, CodeLens, Products

WIDE = 2000
"""categories, of all columns together, whose pairs are still counted"""
AGAIN = 3
"""how often the search begins"""


class WideLeastSquares(LeastSquares):
    """What LinearRegression and Ridge are."""

    summary_types: ClassVar[tuple[type, ...]] = (*LeastSquares.summary_types, CodedMoments, Products)

    def start(self, schema: Schema) -> LinearState:
        """Zero coefficients; moments first, of all features or without the pairs of categories."""
        state = super().start(schema)
        values = int(schema.levels.sum())
        if values <= WIDE:
            return state
        if self.precision == "high" or self.standard_errors in ROBUST:
            asked = 'precision="high"' if self.precision == "high" else f'standard_errors="{self.standard_errors}"'
            raise ValueError(
                f"{asked} takes a matrix of all features, and {values:,} categories are too many for one. Remedy: "
                f"the default, or fewer than {WIDE:,} categories"
            )
        return state._replace(phase="sums", search=Search.none()._replace(x=np.zeros(values)))

    def lens(self, state: LinearState) -> CodeLens | None:
        """Codes alone are held while the search goes on."""
        return CodeLens(state.levels) if state.phase == "search" else None

    def summarize(self, state: LinearState, chunk: Chunk) -> Any:
        """Moments without pairs, with the product where the search is; or the product with its direction."""
        if state.phase == "sums":
            return CodedMoments.of(chunk, state.levels, state.search.x)
        if state.phase == "search":
            return Products.of(chunk.held, state.levels, state.search.direction)
        return super().summarize(state, chunk)

    def update(self, state: LinearState, summary: Any) -> LinearState:
        """One step of the search; before and after it, the model that the moments give."""
        if isinstance(summary, Products):
            search = step(state.search, summary.product, self.alpha)
            phase = "sums" if ended(search) else "search"
            return state._replace(phase=phase, round=state.round + 1, search=search)
        if not isinstance(summary, CodedMoments):
            return super().update(state, summary)
        system = System.of(summary, self.alpha, self.fit_intercept)
        search = begin(system, summary, state.search)
        state = self._model(state, summary, system)
        if search.energy <= (100 * CLOSE) ** 2 * search.first or search.begun > AGAIN:
            return state._replace(step=1, search=Search.none()._replace(curvature=search.curvature))
        _refuse_ids(state.levels, summary.count)
        return state._replace(phase="search", round=state.round + 1, search=search)

    def _model(self, state: LinearState, m: CodedMoments, system: System) -> LinearState:
        """The coefficients of all features, given those of the categories."""
        x = m.at if self.alpha else with_references(m.at, m.count, state.levels, self.fit_intercept)
        coef, coded = np.empty(len(state.coef)), np.repeat(state.levels > 0, np.maximum(state.levels, 1))
        coef[coded], coef[~coded] = x, system.numbers(x)
        constant = 0.0
        if self.fit_intercept:
            parts = [m.mean[-1], *(-m.mean[:-1] * coef[~coded]), *(-m.count * x / m.weight)]
            constant = math.fsum(parts)
        return state._replace(coef=coef, intercept=constant)

    def certify(self, state: LinearState, summary: Any) -> tuple[Claim, ...] | None:
        """How near to the optimum the residual says it is."""
        if not isinstance(summary, (CodedMoments, Products)):
            return super().certify(state, summary)
        if not state.step or isinstance(summary, Products):
            return None
        system = System.of(summary, self.alpha, self.fit_intercept)
        r, D, least = np.abs(system.residual(summary)) + system.blur(summary), system.diagonal, state.search.curvature
        about = float(r @ (r / D)) / least
        route = "conjugate gradients: the table of so many categories is never made"
        usual = "rounding errors of the usual size"
        if self.alpha:
            gap, status, why = float(r @ r) / self.alpha, "proved", "and the penalty bends the objective everywhere"
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

    def infer(self) -> Inference:
        """Standard errors, where there is a matrix to make them from."""
        if isinstance(self.summary_, CodedMoments):
            raise ValueError(
                f"standard errors take a matrix of all features, and {len(self.summary_.count):,} categories are too "
                f"many for one. Remedy: fewer than {WIDE:,}"
            )
        return super().infer()

    def __add__(self, other: Any) -> Any:
        """The model of both models' rows, without the rows."""
        self._refuse_merging(other)
        return super().__add__(other)

    def _partial_fit(self, X: Any, y: Any, weight: Any, classes: Any = None) -> Any:
        """As adding is."""
        self._refuse_merging()
        return super()._partial_fit(X, y, weight, classes)

    def _refuse_merging(self, other: Any = None) -> None:
        """A product at one model's coefficients says nothing of another's."""
        if any(isinstance(getattr(model, "summary_", None), CodedMoments) for model in (self, other)):
            raise MergeError(NO_MERGE)


def _digits(m: CodedMoments, system: System, about: float, least: float) -> float:
    """Decimal digits of the least certain category: 0 to 15."""
    error = 2 * np.sqrt(about / (least * system.diagonal))
    size = np.maximum(np.abs(m.at), 1e-10 * np.sqrt(system.square / system.diagonal))
    worst = float((error / np.where(size > 0, size, 1.0)).max(initial=0.0))
    return min(max(-math.log10(worst), 0.0), 15.0) if worst > 0 else 15.0


def _refuse_ids(levels: Any, count: Array) -> None:
    """Nothing can be learned of a category that has one row, if all are so."""
    some = np.cumsum(levels)
    for j in np.flatnonzero(levels):
        if (count[some[j] - levels[j] : some[j]] == 1).all():
            raise DataError(
                f"column number {j} has a category of its own in each of {levels[j]:,} rows: nothing can be learned "
                "from it. Remedy: leave it out"
            )
