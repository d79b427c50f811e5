"""Products of columns: z = (x₀, x₁, ..., x₀², x₀x₁, ...), all that have at most `degree` factors.

With every product come those it is made from, so a model that has them all does not change when a column is shifted.
No row needs another: the summary only counts.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from numbers import Integral
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Columns, DataError, Mergeable, Need, Remedy, Schema
from tenfold.core.statistic import Grouped, Stacked
from tenfold.estimator import OnePass, Transformer, check_is_fitted, fitted
from tenfold.estimator.shell.constraints import boolean, integer, pair
from tenfold.estimator.shell.keyword_decisions import one_of
from tenfold.estimator.shell.keywords import NoEffect, refused
from tenfold.stats.moments.monomials import Monomials, few_rows, monomials, n_monomials, warn_of_few_rows


class TotalRowWeight(Mergeable):
    """Summary of a fit: the total weight of the rows."""

    weight: float
    by_weight = ("weight",)


class TotalWeight(Grouped[TotalRowWeight], Stacked[TotalRowWeight]):
    """Weight of the rows, all of which are looked at: none may hold infinity, or nothing."""

    def summarize(self, chunk: Chunk) -> TotalRowWeight:
        chunk.X.check()
        return TotalRowWeight(chunk.total)


class PolynomialModel(NamedTuple):
    """Number of terms of a fitted expansion."""

    n_output_features: int


memory_order = NoEffect("it sets the memory layout of an array, not its values", (one_of("C", "F"),))


class PolynomialFeatures(OnePass, Transformer):
    """Products of columns up to a degree, with everything they are made from.

    Fitting learns nothing but the columns; the certificate warns if there are fewer than five rows per term.

    A product is rounded to float64, and a learner after this one cannot know what was cut off: at high degrees that
    costs digits of the coefficients. `PolynomialRegression` forms the products itself, in twice the precision.

    Parameters
    ----------
    degree : int or tuple of two int, default=2
        Factors of a product at most; or at least, and at most.
    interaction_only : bool, default=False
        Whether all factors of a product are different columns.
    include_bias : bool, default=True
        Whether a column of ones comes first.
    order : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    n_output_features_ : int
    powers_ : array of shape (outputs, columns)
        How often each column is a factor of each output.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import PolynomialFeatures
    >>> model = PolynomialFeatures(2).fit([[1.0, 2.0], [3.0, 4.0]])
    >>> model.get_feature_names_out().tolist()
    ['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    >>> model.transform([[2.0, 3.0]]).tolist()
    [[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]]
    """

    mixes_columns = True
    need = Need("numeric")
    law_params = (
        {},
        {"include_bias": False},
        {"degree": 3, "interaction_only": True},
        {"degree": (2, 3), "include_bias": False},
    )

    degree: Annotated[
        int | tuple[int, int],
        integer(0),
        tuple,
        list,
        refused("degree 0 is a column of ones", Remedy("tn.PolynomialFeatures(degree=1)"), 0),
    ] = 2
    _: KW_ONLY
    interaction_only: Annotated[bool, boolean] = False
    include_bias: Annotated[bool, boolean] = True
    order: Annotated[str, memory_order] = "C"

    def statistic(self, schema: Schema) -> TotalWeight:
        self._n_terms(schema)  # refuses too many
        return TotalWeight()

    def solve(self, schema: Schema, s: TotalRowWeight) -> PolynomialModel:
        return PolynomialModel(self._n_terms(schema))

    def _n_terms(self, schema: Schema) -> int:
        columns = len(schema.columns)
        return (
            n_monomials(columns, self._degrees[1], self.interaction_only) - self._skipped(columns) + self.include_bias
        )

    @property
    def _degrees(self) -> tuple[int, int]:
        """The least and the most factors of a product."""
        given: Any = self.degree
        if isinstance(given, Integral):
            return 1, int(given)
        if isinstance(given, (tuple, list)) and len(given) == 2 and given[0] == 0:
            given = (1, given[1])  # of no factor there is the column of ones alone
        return pair(given, "degree")

    def _skipped(self, columns: int) -> int:
        """How many products, the first of all, have too few factors."""
        least = self._degrees[0] - 1
        return n_monomials(columns, least, self.interaction_only) if least else 0

    def certify(self, model: PolynomialModel, s: TotalRowWeight) -> tuple[Claim, ...]:
        """Nothing is estimated; too few rows per term are reported."""
        none = Claim("gap", 0.0, "proved", "each row is transformed by itself: nothing is estimated", "objective")
        return (none, *few_rows(s.weight, model.n_output_features))

    def _after_fit(self, source: object) -> None:
        warn_of_few_rows(type(self).__name__, self.certificate_)

    def transform_from(self, model: PolynomialModel, X: Columns) -> Array:
        """Products of columns for each row."""
        terms, first, skipped = self._terms(X.shape[1]), int(self.include_bias), self._skipped(X.shape[1])
        out = np.ones((len(X), model.n_output_features))
        for rows, block in X.blocks():
            out[rows, first:] = terms.values(block)[:, skipped:]
            if not np.isfinite(out[rows]).all():
                j = int(np.argwhere(~np.isfinite(out[rows, first:]))[0][1])
                name = terms.names(X.names if X.names is not None else [f"x{j}" for j in range(X.shape[1])])[
                    skipped + j
                ]
                raise DataError(f"{name!r} is too large for a float. Remedy: rescale the columns, or a lower degree")
        return out

    def _terms(self, columns: int) -> Monomials:
        return monomials(columns, self._degrees[1], self.interaction_only)

    def is_valid(self, model: PolynomialModel, summary: TotalRowWeight | None, schema: Schema) -> bool:
        return model.n_output_features == self._n_terms(schema)

    def names_out(self, names: list[str]) -> list[str]:
        return ["1"] * self.include_bias + self._terms(len(names)).names(names)[self._skipped(len(names)) :]

    @property
    @fitted
    def powers_(self) -> Codes:
        """How often each column is a factor of each output."""
        check_is_fitted(self)
        columns = self.n_features_in_
        kept = self._terms(columns).factors[self._skipped(columns) :]
        found = [np.bincount(some, minlength=columns) for some in kept]
        return np.array([np.zeros(columns)] * self.include_bias + found, dtype=np.int64).reshape(-1, columns)
