"""Least squares on products of columns: argmin Σ wᵢ (yᵢ - Σ_t β_t z_t(xᵢ) - β₀)², z_t a product of at most d factors.

The products are formed, summed and solved for in double-double. Powers of one column are nearly multiples of each
other, so that the condition of the problem eats the digits which rounding each power to float64 would leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.compiled.precision.double import subtract_product
from tenfold.core import Array, Chunk, Claim, Columns, DataError, Need, Schema
from tenfold.core.learner import Done, Initial
from tenfold.core.statistic import Grouped, Statistic
from tenfold.estimator import OnePass, Regressor, fitted
from tenfold.estimator.shell.constraints import boolean, integer
from tenfold.linear_model.inference.coefficient_summary import Names
from tenfold.linear_model.inference.inference import Inferring
from tenfold.linear_model.inference.standard_errors import Inference, infer
from tenfold.linear_model.least_squares.double_double import DOUBLE_DOUBLE_EPS, another_round, from_double
from tenfold.linear_model.least_squares.solution_claims import claims_of
from tenfold.stats.moments.double import Double
from tenfold.stats.moments.double_moments import BLOCK_ROWS, DoubleMoments
from tenfold.stats.moments.moments import rough_mean
from tenfold.stats.moments.monomials import Monomials, few_rows, monomials, n_monomials, warn_of_few_rows
from tenfold.stats.moments.rfactor import last_bits

MAX_EXTRA_SCANS = 4
"""scans at most, beyond the first"""
MAX_TERMS = 2_000
"""terms at most: so many take half a minute and a gigabyte for 150 rows, twice as many eight times as long"""


class PolynomialRegressionModel(NamedTuple):
    """The coefficients of a polynomial in the columns."""

    coef: Annotated[Array, "term"]
    intercept: float
    rest: Annotated[Array, "known"]
    """what intercept and coefficients lack to twice the precision"""


class RefiningPolynomial(NamedTuple):
    """The state of a fit that reads the rows for what a polynomial leaves of the target."""

    step: int
    round: int
    """how often, after the first scan"""
    model: PolynomialRegressionModel
    center: Annotated[Array, "term"]


class TermMoments(DoubleMoments):
    """Moments of the terms: how many there are, the schema does not know."""

    mean: Annotated[Array, "one more"]
    mean_rest: Annotated[Array, "one more"]
    comoment: Annotated[Array, "one more", "one more"]
    comoment_rest: Annotated[Array, "one more", "one more"]
    coef: Annotated[Array, "one more"]
    coef_rest: Annotated[Array, "one more"]
    center: Annotated[Array, "term"]
    blur: Annotated[Array, "one more", "one more"]

    def is_valid(self, schema: Schema) -> bool:
        """Whether it has a centre for each term, and the target beside them."""
        return len(self.mean) == len(self.coef) == len(self.center) + 1


class TermComoments(Grouped[TermMoments]):
    """Moments of the products of columns and of the target, in double-double."""

    degree: int
    interaction_only: bool

    def summarize(self, chunk: Chunk) -> TermMoments:
        q = n_monomials(chunk.X.shape[1], self.degree, self.interaction_only, MAX_TERMS)
        none = TermResiduals(self.degree, self.interaction_only, np.zeros(q + 1), np.zeros(q + 1), np.zeros(q))
        return none.summarize(chunk)


class TermResiduals(Statistic[TermMoments]):
    """Term moments of the residuals at given coefficients."""

    degree: int
    interaction_only: bool
    coef: Array
    """the constant, then the coefficients"""
    coef_rest: Array
    """what they lack to twice the precision"""
    center: Array

    def summarize(self, chunk: Chunk) -> TermMoments:
        terms = monomials(chunk.X.shape[1], self.degree, self.interaction_only)
        shift = np.zeros(len(self.center))
        if chunk.n:
            with np.errstate(over="ignore", invalid="ignore"):  # products too large are refused with their moments
                first = terms.values(next(chunk.X.blocks(BLOCK_ROWS))[1])
                shift = first.mean(axis=0) if chunk.uniform else rough_mean(first, chunk.weight[: len(first)])
        at = Double(self.coef, self.coef_rest)
        found: TermMoments = TermMoments.of_blocks(chunk, _blocks(chunk.X, terms), shift, at, self.center)
        if not np.isfinite(found.comoment).all():
            j = int(np.argwhere(~np.isfinite(np.diag(found.comoment)))[0][0])
            raise DataError(f"term number {j} is too large to be squared. Remedy: rescale the columns")
        return found


class PolynomialRegression(OnePass, Inferring, Regressor):
    """Least squares on all products of columns up to a degree, in double-double.

    The same model as `LinearRegression` after `PolynomialFeatures`, but with the digits that this pair loses: there
    each power is rounded to float64 before the learner sees it, and the lost digits cannot be recovered.

    Parameters
    ----------
    degree : int, default=2
        Factors of a product at most.
    interaction_only : bool, default=False
        Whether all factors of a product are different columns.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the products.

    Attributes
    ----------
    coef_ : array of shape (products,)
    intercept_ : float
    coef_names_ : array of str
    terms_ : array of str
        The names of the coefficients, then "intercept" if there is one. What follows has an entry for each.
    standard_errors_, t_values_, p_values_ : array of shape (terms,)
        Classical ones.
    covariance_ : array of shape (terms, terms)
    f_test_ : FTest
    r2_, adjusted_r2_, residual_variance_ : float
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import PolynomialRegression
    >>> model = PolynomialRegression(2).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 5.0, 10.0])
    >>> model.coef_names_.tolist(), model.coef_.tolist(), model.intercept_
    (['x0', 'x0^2'], [0.0, 1.0], 1.0)
    """

    need = Need("numeric", target="number")
    hidden = frozenset({"rest"})
    standard_errors = "classical"
    alpha = 0.0
    law_params = (
        {},
        {"degree": 2, "fit_intercept": False, "interaction_only": True},
    )

    degree: Annotated[int, integer(1)] = 2
    interaction_only: Annotated[bool, boolean] = False
    fit_intercept: Annotated[bool, boolean] = True

    def statistic(self, schema: Schema) -> TermComoments:
        return TermComoments(self.degree, self.interaction_only)

    def ask(self, state: Initial | RefiningPolynomial | Done) -> Statistic[TermMoments] | None:
        if not isinstance(state, RefiningPolynomial):
            return super().ask(state)
        values = np.append(state.model.intercept, state.model.coef)
        return TermResiduals(self.degree, self.interaction_only, values, state.model.rest, state.center)

    @property
    def merges_unsolved(self) -> bool:
        # Return False: the model of the first pass decides whether the rows are read again.
        return False

    def update(self, state: Initial | RefiningPolynomial, s: TermMoments) -> RefiningPolynomial | Done:
        # Solve for a correction; read the rows again where that gains digits.
        found = from_double(s, 0.0, self.fit_intercept)
        assert found.rest is not None
        model = PolynomialRegressionModel(found.values[:-1], float(found.values[-1]), np.roll(found.rest, 1))
        round = state.round if isinstance(state, RefiningPolynomial) else 0
        if another_round(s, found) and round < MAX_EXTRA_SCANS:
            return RefiningPolynomial(0, round + 1, model, s.mean[:-1] * self.fit_intercept)
        return Done.of(model)

    def certify(self, model: PolynomialRegressionModel, s: TermMoments) -> tuple[Claim, ...]:
        """The claims of least squares, and whether there are too few rows for the number of terms."""
        found = from_double(s, 0.0, self.fit_intercept, np.append(model.coef, model.intercept))
        claims = claims_of(found, "double-double moments")
        return claims + few_rows(s.weight, len(model.coef) + self.fit_intercept)

    def _after_fit(self, source: object) -> None:
        warn_of_few_rows(type(self).__name__, self.certificate_)

    def predict_from(self, model: PolynomialRegressionModel, X: Columns) -> Array:
        """The polynomial, evaluated in double-double: its terms can be far larger than their sum."""
        terms, out = self._monomials(X.shape[1]), np.empty(len(X))
        for rows, block in X.blocks():
            high, low = terms.doubled(block)
            left, rest = np.full(len(block), -model.intercept), np.full(len(block), -model.rest[0])
            subtract_product(high, low, model.coef, model.rest[1:], left, rest)
            out[rows] = -(left + rest)
        return out

    def infer(self) -> Inference:
        """Inference about the coefficients: standard errors, tests and intervals."""
        if self.summary_ is None:
            raise ValueError("this model was saved without its summary, and standard errors are made from that")
        given = np.append(self.model_.coef, self.model_.intercept)
        found = from_double(self.summary_, 0.0, self.fit_intercept, given)
        return infer(found, "classical", 0.0, self.fit_intercept, float(self.summary_.weight), DOUBLE_DOUBLE_EPS, None)

    @property
    @fitted
    def coef_names_(self) -> Names:
        """The name of each coefficient's product."""
        names = self._monomials(len(self.schema_.columns)).names(self.schema_.names)
        return np.array(names, dtype=object)

    def _spread(self, model: PolynomialRegressionModel, X: Columns, half: Array, constant: Array) -> Array:
        out = np.empty((len(X), half.shape[1]))
        terms = self._monomials(X.shape[1])
        for rows, block in X.blocks():
            out[rows] = terms.values(block) @ half + constant
        return out

    def _monomials(self, columns: int) -> Monomials:
        return monomials(columns, self.degree, self.interaction_only)

    def is_valid(self, model: PolynomialRegressionModel, summary: TermMoments | None, schema: Schema) -> bool:
        q = n_monomials(len(schema.columns), self.degree, self.interaction_only, MAX_TERMS)
        fits = len(model.coef) == q and len(model.rest) == q + 1
        return fits and (summary is None or len(summary.mean) == q + 1)

    def resumable(
        self, state: Initial | RefiningPolynomial | Done, summary: TermMoments | None, schema: Schema
    ) -> bool:
        if not isinstance(state, RefiningPolynomial):
            return True
        return len(state.center) == len(state.model.coef) and self.is_valid(state.model, summary, schema)


def _blocks(X: Columns, terms: Monomials) -> Iterator[tuple[slice, Array, Array, _Rounded]]:
    for rows, block in X.blocks(BLOCK_ROWS):
        high, low = terms.doubled(block)
        yield rows, high, low, _Rounded(terms, block, high)


class _Rounded:
    """Terms move together when a column is rounded: along their derivatives."""

    def __init__(self, terms: Monomials, block: Array, values: Array) -> None:
        self.terms, self.block, self.values, self.last = terms, block, values, last_bits(block)

    def moves(self, around: Array, coef: Array, r: Array, weight: Array) -> list[Array]:
        """Rows whose squares are the variance that rounding of the columns gives to Σ w r d."""
        found = []
        for by in range(self.block.shape[1]):
            if not self.last[:, by].any():
                continue
            slopes = self.terms.slopes(self.block, self.values, by)
            moved = -around * (slopes @ coef)[:, None]
            moved[:, 1:] += slopes * r[:, None]
            found.append(moved * (weight * self.last[:, by])[:, None])
        return found
