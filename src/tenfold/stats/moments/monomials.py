"""Products of columns up to a degree, each made from the one before it: x₀²x₁ is x₀² times x₁."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from tenfold.compiled.moments.products import fill_products, fill_slopes
from tenfold.compiled.precision.double import monomials as fill
from tenfold.core import Array, Certificate, Claim, Codes
from tenfold.core.errors import warn_user
from tenfold.stats.moments.double import Double

MAX_PRODUCTS = 1_000_000
"""maximum number of products"""
MAX_FACTORS = 20 * MAX_PRODUCTS
"""maximum number of factors in all products"""


class Monomials(NamedTuple):
    """Products by degree, in the order that scikit-learn has them.

    Examples
    --------
    >>> from tenfold.stats.moments.monomials import monomials
    >>> monomials(2, 2).names(["a", "b"])
    ['a', 'b', 'a^2', 'a b', 'b^2']
    """

    factors: tuple[tuple[int, ...], ...]
    """the columns that each is the product of"""
    parent: Codes
    """the product that each is made from; -1, none"""
    column: Codes
    """by which column that is multiplied"""

    def names(self, columns: Sequence[str]) -> list[str]:
        """The name of each, from those of the columns."""
        out = []
        for some in self.factors:
            powers = {j: some.count(j) for j in some}
            out.append(" ".join(f"{columns[j]}^{k}" if k > 1 else str(columns[j]) for j, k in powers.items()))
        return out

    def values(self, block: Array) -> Array:
        """Return the values of the products, rows x products."""
        out = np.empty((len(block), len(self.parent)))
        fill_products(block, self.parent, self.column, out)
        return out

    def doubled(self, block: Array) -> Double:
        """Return the values of the products in double-double."""
        shape = (len(block), len(self.parent))
        high, low = np.empty(shape), np.empty(shape)
        fill(block, self.parent, self.column, high, low)
        return Double(high, low)

    def slopes(self, block: Array, values: Array, by: int) -> Array:
        """The derivative of each by one of the columns."""
        out = np.empty_like(values)
        fill_slopes(block, values, self.parent, self.column, by, out)
        return out


def n_monomials(columns: int, degree: int, interaction_only: bool = False, most: int = MAX_PRODUCTS) -> int:
    """Return the number of products, without making them; ValueError if there are more than `most`."""
    found = chosen = 1
    for k in range(1, min(columns, degree) + 1):  # binomials rise up to there, so it can end early
        chosen = chosen * (columns - k + 1 if interaction_only else columns + degree - k + 1) // k
        found = found + chosen if interaction_only else chosen
        if found > most + 1:
            break
    longest = min(degree, columns) if interaction_only else degree
    if found > most + 1 or found * longest > MAX_FACTORS:
        raise ValueError(
            f"degree {degree} of {columns} columns gives more than {most:,} terms. Remedy: a lower degree, "
            "interaction_only=True, or fewer columns"
        )
    return found - 1


@lru_cache(maxsize=16)
def monomials(columns: int, degree: int, interaction_only: bool = False) -> Monomials:
    """Return all products of at most `degree` columns, with or without repetition."""
    n_monomials(columns, degree, interaction_only)
    highest = min(degree, columns) if interaction_only else degree
    pick = combinations if interaction_only else combinations_with_replacement
    factors = [some for k in range(1, highest + 1) for some in pick(range(columns), k)]
    place = {some: j for j, some in enumerate(factors)}
    parent = np.array([place.get(some[:-1], -1) for some in factors], dtype=np.int64)
    return Monomials(tuple(factors), parent, np.array([some[-1] for some in factors], dtype=np.int64))


def few_rows(weight: float, terms: int) -> tuple[Claim, ...]:
    """A claim if there are fewer than five rows to a term."""
    if 5 * terms <= weight:
        return ()
    why = f"rows to each of {terms} terms, fewer than 5: a model of all of them fits noise"
    return (Claim("few rows", weight / terms, "proved", why, "data"),)


def warn_of_few_rows(learner: str, certificate: Certificate) -> None:
    """Warn if there are fewer than five rows to a term."""
    claim = certificate.get("few rows")
    if claim is not None:
        text = f"{learner}: there are only {claim.value:.3g} {claim.because}. Remedy: a lower degree, or more rows"
        warn_user(text)
