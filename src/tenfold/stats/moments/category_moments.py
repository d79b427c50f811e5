"""Moments of a linear model with very many categories: all but the table of pairs, and products with it.

The table CᵀWC, how often any two categories meet, has the square of their number of entries. Its product with a vector
has their number, and comes from one look at the codes of the rows, which are small and can be held.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any

import numpy as np

from tenfold.compiled.moments.category_sums import add_by_code, add_products
from tenfold.core import Array, Chunk, Codes, Design, Mergeable, MergeError, Values
from tenfold.core.statistic import Grouped, Held, Lens, Statistic
from tenfold.stats.moments.moments import Moments

NO_NUMBERS = np.zeros(0)
NO_MERGE = (
    "models of so many categories are found by iterations over their rows, and do not merge. Remedy: fit to all rows"
)


class CodeLens(Lens):
    """The codes of rows, rows x categorical columns in as few bytes as they take, and nothing else of them."""

    levels: Codes
    """how many categories each column has, 0 if it is numeric"""

    def __call__(self, chunk: Chunk) -> Any:
        """The codes of a chunk; of values that were never seen, the largest number."""
        columns = Design.of(chunk.X, self.levels).codes
        kind = np.uint16 if self.levels.max() < 2**16 else np.uint32
        codes = np.empty((chunk.n, len(columns)), kind)
        for c, values in enumerate(columns):
            codes[:, c] = np.where(values < 0, np.iinfo(kind).max, values)
        return codes


class Products(Mergeable):
    """CᵀWC v, for a v that is known elsewhere."""

    product: Annotated[Array, "value"]

    @classmethod
    def of(cls, codes: Values, chunk: Chunk, levels: Codes, vector: Array) -> Products:
        """Summarize the codes of a chunk, with its weights."""
        out, some = np.zeros(len(vector)), levels[levels > 0]
        weight = NO_NUMBERS if chunk.uniform else chunk.weight
        unseen = int(np.iinfo(codes.dtype).max)
        add_products(codes, unseen, np.cumsum(some) - some, vector, weight, out)
        return cls(out)


class CodeProducts(Held[Products]):
    """CᵀWC v: the product that a step of conjugate gradients needs of the codes of the rows."""

    vector: Array
    lens: CodeLens = field(kw_only=True)

    def summarize(self, chunk: Chunk) -> Products:
        return Products.of(chunk.held, chunk, self.lens.levels, self.vector)


class CodedMoments(Mergeable):
    """Moments of the numeric columns and the target; sums of them, and weights, by category; one product."""

    weight: float
    mean: Annotated[Array, "number"]
    rest: Annotated[Array, "number"]
    comoment: Annotated[Array, "number", "number"]
    cross: Annotated[Array, "value", "number"]
    """Σ w (z - mean) over the rows of each category"""
    count: Annotated[Array, "value"]
    at: Annotated[Array, "value"]
    """where the product was taken"""
    product: Annotated[Array, "value"]
    """CᵀWC v"""
    curvature: float
    """the least that the steps to there have met; 1 before any"""

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes, at: Array, curvature: float = 1.0) -> CodedMoments:
        """Summarize a chunk."""
        design = Design.of(chunk.X, levels)
        numbers = Moments.of(chunk._replace(X=design.numbers))
        q, p, k = len(numbers.mean), len(design.numeric), len(design.coded)
        sums, product = np.zeros((k, q + 1)), np.zeros(k)
        for rows, block in design.numbers.blocks(shift=numbers.mean[:p]):
            some = np.column_stack([block, chunk.y[rows] - numbers.mean[p], np.ones(len(block))])
            some *= chunk.weight[rows, None]
            add_by_code(design.addresses, design.like, design.first, some, rows.start, sums)
        count = sums[:, q].copy()
        if at.any():
            product = Products.of(CodeLens(levels)(chunk), chunk, levels, at).product
        cross = sums[:, :q] - np.outer(count, numbers.rest)
        return cls(numbers.weight, numbers.mean, numbers.rest, numbers.comoment, cross, count, at, product, curvature)

    def __add__(self, other: Any) -> CodedMoments:
        if not isinstance(other, CodedMoments) or not np.array_equal(self.at, other.at):
            raise MergeError(NO_MERGE)
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other
        whole = self.numbers() + other.numbers()
        moved = [s.cross + np.outer(s.count, (s.mean - whole.mean) + (s.rest - whole.rest)) for s in (self, other)]
        return CodedMoments(
            whole.weight,
            whole.mean,
            whole.rest,
            whole.comoment,
            moved[0] + moved[1],
            self.count + other.count,
            self.at,
            self.product + other.product,
            self.curvature,
        )

    def __radd__(self, other: Any) -> CodedMoments:
        raise MergeError(NO_MERGE)

    def numbers(self) -> Moments:
        """Moments of the numeric columns and the target."""
        return Moments(self.weight, self.mean, self.rest, self.comoment)


class CodedComoments(Grouped[CodedMoments]):
    """Statistic of all moments of numbers, target and categories, except the table of pairs of categories."""

    levels: Codes

    def summarize(self, chunk: Chunk) -> CodedMoments:
        return CodedMoments.of(chunk, self.levels, np.zeros(int(self.levels.sum())))


class CodedComomentsAt(Statistic[CodedMoments]):
    """The same, with the product of that table and given coefficients of the categories."""

    at: Array
    levels: Codes
    curvature: float
    """the least that the steps to there have met"""

    def summarize(self, chunk: Chunk) -> CodedMoments:
        return CodedMoments.of(chunk, self.levels, self.at, self.curvature)
