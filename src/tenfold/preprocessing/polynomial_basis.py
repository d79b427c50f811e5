"""Products of columns: z = (x₀, x₁, ..., x₀², x₀x₁, ...), all that have at most `degree` factors.

With every product come those it is made from, so a model that has them all does not change when a column is shifted.
No row needs another: the summary only counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import ONE, Chunk, Claim, Columns, DataError, Need, Schema
from tenfold.core.statistic import Grouped
from tenfold.estimator import Transformer
from tenfold.estimator.constraints import boolean, integer
from tenfold.stats.monomials import Monomials, few_rows, monomials, n_monomials


@dataclass(frozen=True, eq=False)
class Rows:
    """Weight of the rows."""

    weight: float

    def __add__(self, other: Rows) -> Rows:
        return Rows(self.weight + other.weight)


class TotalWeight(Grouped[Rows]):
    """Weight of the rows, all of which are looked at: none may hold infinity, or nothing."""

    def summarize(self, chunk: Chunk) -> Rows:
        """Refuse rows that are no numbers, and sum the weights of the others."""
        chunk.X.check()
        return Rows(float(chunk.weight.sum()))


class PolynomialState(NamedTuple):
    """How many columns there are, and what comes out of them."""

    step: int
    n_output_features: int


class PolynomialBasis(Transformer):
    """Products of columns up to a degree, with everything they are made from.

    Fitting learns nothing but the columns; the certificate says if there are fewer than five rows to a term.

    A product is rounded to float64, and a learner after this one cannot know what was cut off: at high degrees that
    costs digits of the coefficients. `PolynomialRegression` forms the products itself, in twice the precision.

    Parameters
    ----------
    degree : int, default=2
        Factors of a product at the most.
    interaction_only : bool, default=False
        Whether all factors of a product are different columns.
    include_bias : bool, default=False
        Whether a column of ones comes first.

    Attributes
    ----------
    n_output_features_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import PolynomialBasis
    >>> model = PolynomialBasis(2).fit([[1.0, 2.0], [3.0, 4.0]])
    >>> model.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    >>> model.transform([[2.0, 3.0]]).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """

    passes = ONE
    need = Need("numeric")
    model_type = PolynomialState
    summary_types = (Rows,)
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"degree": 3, "interaction_only": True, "include_bias": True},
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "degree": [integer(1)],
        "interaction_only": [boolean],
        "include_bias": [boolean],
    }

    def __init__(self, degree: int = 2, interaction_only: bool = False, include_bias: bool = False) -> None:
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias

    def start(self, schema: Schema) -> PolynomialState:
        """The number of terms is known before any row."""
        terms = n_monomials(len(schema.columns), self.degree, self.interaction_only)
        return PolynomialState(0, terms + self.include_bias)

    def ask(self, state: PolynomialState) -> TotalWeight | None:
        """Once: how many rows there are."""
        return None if state.step else TotalWeight()

    def update(self, state: PolynomialState, s: Rows) -> PolynomialState:
        """Rows were seen."""
        return state._replace(step=1)

    def certify(self, state: PolynomialState, s: Rows) -> tuple[Claim, ...] | None:
        """Nothing is learned, so nothing can be off; too few rows to a term are said."""
        if not state.step:
            return None
        none = Claim("gap", 0.0, "proved", "no row needs another: there is nothing to learn", "objective")
        return (none, *few_rows(s.weight, state.n_output_features))

    def transform_from(self, state: PolynomialState, X: Columns) -> Any:
        """The products, row by row."""
        terms, first = self._terms(X.shape[1]), int(self.include_bias)
        out = np.ones((len(X), state.n_output_features))
        for rows, block in X.blocks():
            out[rows, first:] = terms.values(block)
            if not np.isfinite(out[rows]).all():
                j = int(np.argwhere(~np.isfinite(out[rows, first:]))[0][1])
                name = terms.names(X.names if X.names is not None else [f"x{j}" for j in range(X.shape[1])])[j]
                raise DataError(f"{name!r} is too large for a float. Remedy: rescale the columns, or a lower degree")
        return out

    def _terms(self, columns: int) -> Monomials:
        return monomials(columns, self.degree, self.interaction_only)

    def sound(self, state: PolynomialState, summary: Any, schema: Schema) -> bool:
        """Whether as many terms come out as the columns give."""
        terms = n_monomials(len(schema.columns), self.degree, self.interaction_only)
        return state.n_output_features == terms + self.include_bias

    resumable = sound

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The name of each product: its factors, with their powers.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns; by default those seen in fitting, or x0, x1, ...

        Returns
        -------
        names : array of str
        """
        names = super().get_feature_names_out(input_features)
        return np.array(["1"] * self.include_bias + self._terms(len(names)).names(names), dtype=object)
