"""Moments in double-double, of the features and the residuals at given coefficients.

The target that is summarized is r = y - xᵀβ - β₀ at coefficients known so far, formed in double-double too: at β = 0
it is y itself, and at good coefficients the next solution is a small correction, which keeps its digits however near
to singular the features are. Two summaries that were taken at other coefficients merge: x is in both.

How to call it: `DoubleMoments.of(chunk, at, center, levels)` with `at = Double.of(np.zeros(p + 1))` (the level, then a
coefficient for each feature) and `center = np.zeros(p)` for plain moments; `levels` are `schema.levels`. Sums of
squares are `(s.comoment, s.comoment_rest)`, features first and the target last; `s.second()` is the same as a `Double`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Protocol, Self, TypeAlias

import numpy as np

from tenfold.compiled.precision.double import add_gram, subtract_product, with_outer
from tenfold.core import Array, Chunk, Codes, Design, Flags, Mergeable
from tenfold.core.statistic import Grouped, Statistic
from tenfold.stats.moments.double import Double
from tenfold.stats.moments.moments import Moments, first_mean, refuse_infinite, rough_mean
from tenfold.stats.moments.rfactor import last_bits, triangle

BLOCK_ROWS = 512
"""rows of a block"""


class DoubleMoments(Mergeable):
    """Weight, mean and centred co-moments, each as the sum of two numbers."""

    weight: float
    weight_rest: float
    mean: Annotated[Array, "joint"]
    mean_rest: Annotated[Array, "joint"]
    comoment: Annotated[Array, "joint", "joint"]
    comoment_rest: Annotated[Array, "joint", "joint"]
    coef: Annotated[Array, "predictor"]
    """β₀ and β, at which the target was taken"""
    coef_rest: Annotated[Array, "predictor"]
    center: Annotated[Array, "feature"]
    blur: Annotated[Array, "predictor", "predictor"]
    """B with BᵀB the variance of Σ w r (1, x - center), if every value that is not whole was rounded"""

    @classmethod
    def of(cls, chunk: Chunk, at: Double, center: Array, levels: Codes | None = None) -> DoubleMoments:
        """Summarize a chunk with a numeric target, block by block."""
        design = Design.of(chunk.X, levels)
        blocks = ((rows, block, np.zeros_like(block), _Plain(block)) for rows, block in design.blocks(BLOCK_ROWS))
        shift = np.zeros(design.width)
        if chunk.n and design.plain:
            shift = first_mean(chunk)[0][:-1]
        found = cls.of_blocks(chunk, blocks, shift, at, center)
        numeric = slice(0, design.width) if design.plain else design.numeric
        design.numbers.check_sums(np.diag(found.comoment)[:-1][numeric])
        return found

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # what cannot be squared is refused by its sums
    def of_blocks(cls, chunk: Chunk, blocks: Iterable[Block], shift: Array, at: Double, center: Array) -> Self:
        """Sum over blocks of features: high and low parts, and bounds on the effect of rounding the columns."""
        p = len(shift)
        if chunk.n == 0:
            joint, square, predictor = np.zeros(p + 1), np.zeros((p + 1, p + 1)), np.zeros(p + 1)
            return cls(0.0, 0.0, joint, joint, square, square, predictor, predictor, center, square)
        known = bool(at.high.any())
        gram, rest = np.zeros((p + 2, p + 2)), np.zeros((p + 2, p + 2))
        blur = np.zeros((p + 1, p + 1))
        first = Double.of(0.0)
        none = np.zeros(0)
        for rows, high, low, rounding in blocks:
            y, weight = chunk.y[rows], chunk.weight[rows]
            r, r_rest = Double.of(y) - at.at(0)
            r, r_rest = np.array(r), np.array(r_rest)
            subtract_product(high, low, at.high[1:], at.low[1:], r, r_rest)
            if rows.start == 0:
                level = np.mean(r) if chunk.uniform else rough_mean(r[:, None], weight)[0]
                first = Double.of(float(level))
            d = Double(np.empty((len(y), p + 1)), np.empty((len(y), p + 1)))
            d.high[:, :p], d.low[:, :p] = Double(high, low) - Double.of(np.broadcast_to(shift, high.shape))
            d.high[:, p], d.low[:, p] = Double(r, r_rest) - first
            add_gram(*d, none if chunk.uniform else weight, gram, rest)
            if known:
                around = np.column_stack([np.ones(len(y)), high - center])
                own = around * (weight * last_bits(y))[:, None]
                blur = triangle(blur, np.vstack([own, *rounding.moves(around, at.high[1:], r, weight)]))
        whole = Double(gram, rest)  # the lower triangle
        total = whole.at(np.s_[-1, -1])
        offset = whole.at(np.s_[-1, :-1]) / total
        corner = map(np.ascontiguousarray, whole.at(np.s_[:-1, :-1]))
        second = with_outer(*corner, *offset, -total.high, -total.low)
        mean = Double.of(np.append(shift, first.high)) + offset
        pieces: Any = (float(total.high), float(total.low), *mean, *second, *at, center, blur)
        return cls(*pieces)

    def __add__(self, other: Any) -> DoubleMoments:
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other  # type: ignore[no-any-return]
        other = other.at(Double(self.coef, self.coef_rest)).around(self.center)
        mine, theirs = Double(self.weight, self.weight_rest), Double(other.weight, other.weight_rest)
        weight = mine + theirs
        mean = Double(self.mean, self.mean_rest)
        delta = Double(other.mean, other.mean_rest) - mean
        share = theirs / weight
        with np.errstate(over="ignore", invalid="ignore"):
            second = Double(*with_outer(*(self.second() + other.second()), *delta, *(mine * share)))
        refuse_infinite(np.diag(second.high))
        mean = mean + delta * share
        return replace(
            self,
            weight=float(weight.high), weight_rest=float(weight.low), mean=mean.high, mean_rest=mean.low,
            comoment=second.high, comoment_rest=second.low,
            blur=triangle(self.blur, other.blur) if other.blur.any() else self.blur,
        )  # fmt: skip

    def second(self) -> Double:
        """The co-moments of the columns, in double-double."""
        return Double(self.comoment, self.comoment_rest)

    def at(self, coef: Double) -> DoubleMoments:
        """The same rows, the target taken at other coefficients: r + (β - β')ᵀx + β₀ - β₀'."""
        if np.array_equal(coef.high, self.coef) and np.array_equal(coef.low, self.coef_rest):
            return self
        by = Double(self.coef, self.coef_rest) - coef
        p, whole = len(self.center), self.second()
        move = Double(np.append(by.high[1:], 1.0)[None], np.append(by.low[1:], 0.0)[None])
        last = move @ whole  # of all rows of the co-moments, only that of the target moves
        corner = last @ move.T
        second = Double(whole.high.copy(), whole.low.copy())
        for kept, moved, end in zip(second, last, corner, strict=True):
            kept[p] = kept[:, p] = moved[0]
            kept[p, p] = end[0, 0]
        target = move @ Double(self.mean[:, None], self.mean_rest[:, None])
        mean = Double(self.mean.copy(), self.mean_rest.copy())
        mean.high[p], mean.low[p] = target.at((0, 0)) + by.at(0)
        return replace(
            self, mean=mean.high, mean_rest=mean.low, comoment=second.high, comoment_rest=second.low,
            coef=coef.high, coef_rest=coef.low,
        )  # fmt: skip

    def around(self, center: Array) -> DoubleMoments:
        """The same with the blur centred elsewhere."""
        if np.array_equal(center, self.center):
            return self
        move = np.eye(len(center) + 1)
        move[0, 1:] = self.center - center
        return replace(self, center=center, blur=self.blur @ move)

    def only(self, features: Flags) -> DoubleMoments:
        """Return the moments of a subset of the features, and the target; other coefficients must be 0."""
        joint = np.flatnonzero(np.append(features, True))
        predictor = np.flatnonzero(np.append(True, features))
        square = np.ix_(joint, joint)
        return replace(
            self, mean=self.mean[joint], mean_rest=self.mean_rest[joint], comoment=self.comoment[square],
            comoment_rest=self.comoment_rest[square], coef=self.coef[predictor], coef_rest=self.coef_rest[predictor],
            center=self.center[features], blur=self.blur[:, predictor],
        )  # fmt: skip

    def moments(self) -> Moments:
        """The moments of the features and the target, rounded."""
        m = self.at(Double.of(np.zeros_like(self.coef)))
        return Moments(m.weight + m.weight_rest, m.mean, m.mean_rest, m.comoment + m.comoment_rest)

    canonical = moments


class DoubleComoments(Grouped[DoubleMoments]):
    """Weight, mean and co-moments of the features and the target, in double-double."""

    levels: Codes
    """how many categories each column has, 0 if it is numeric"""

    def summarize(self, chunk: Chunk) -> DoubleMoments:
        p = int(np.maximum(self.levels, 1).sum())
        return DoubleMoments.of(chunk, Double.of(np.zeros(p + 1)), np.zeros(p), self.levels)


class ResidualComoments(Statistic[DoubleMoments]):
    """Statistic of the features and the residuals at given coefficients."""

    coef: Array
    """the constant, then the coefficients"""
    coef_rest: Array
    """low-order parts of the coefficients, in double-double"""
    center: Array
    levels: Codes

    def summarize(self, chunk: Chunk) -> DoubleMoments:
        return DoubleMoments.of(chunk, Double(self.coef, self.coef_rest), self.center, self.levels)


class Moves(Protocol):
    """How rounding of the columns moves features."""

    def moves(self, around: Array, coef: Array, r: Array, weight: Array) -> list[Array]:
        """Rows whose squares are the variance that rounding of the columns gives to Σ w r d."""


Block: TypeAlias = tuple[slice, Array, Array, Moves]
"""rows, high and low parts of their features, and how rounding moves them"""


class _Plain:
    """Features that are the columns themselves: each is rounded by itself."""

    def __init__(self, block: Array) -> None:
        self.last = last_bits(block)

    def moves(self, around: Array, coef: Array, r: Array, weight: Array) -> list[Array]:
        """Rows whose squares are the variance that rounding of the columns gives to Σ w r d."""
        shake = np.sqrt((self.last * coef) ** 2 @ np.ones(len(coef)))
        alone = np.zeros((len(coef), len(coef) + 1))
        alone[:, 1:] = np.diag(np.sqrt(((self.last * (weight * r)[:, None]) ** 2).sum(axis=0)))
        return [around * (weight * shake)[:, None], alone]
