"""Loss, gradient and Hessian of a linear model at given coefficients: one pass of Newton's method.

Everything is a sum over rows, or a maximum, so two of them merge. Penalties are no part of it.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.linear_model.glm import (
    GAMMA,
    LEAST,
    LOSS,
    PEARSON,
    POISSON,
    REACH,
    SIZE,
    WORST,
    add_curvature,
    add_rows,
    add_softmax,
    add_softmax_rows,
)
from tenfold.core import CSR, Array, Chunk, Codes, Columns, DataError, Design, Mergeable, Schema
from tenfold.core.arrays import symmetrize
from tenfold.core.field_values import NOT_NAN
from tenfold.core.statistic import Strided
from tenfold.stats.moments.moments import refuse_infinite
from tenfold.stats.moments.spread import ColumnSpread

NO_NUMBERS = np.zeros(0)


class Beginning(Mergeable):
    """Weight, mean and squares of the features, and the weight or the sum of the target."""

    rows: int
    weight: float
    target: Annotated[Array, "output"]
    """by class, or the sum of the numbers"""
    mean: Annotated[Array, "feature"]
    """zeros for sparse and categorical columns, which are not centred"""
    square: Annotated[Array, "feature"]

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes, classes: int) -> Beginning:
        """Summarize a chunk; `classes` is 0 for a target of numbers."""
        if classes:
            target = np.bincount(chunk.y, chunk.weight, classes).astype(np.float64)
        else:
            target = np.array([chunk.weight @ chunk.y])
        design = Design.of(chunk.X, levels)
        if design.plain and not sp.issparse(chunk.X.data):
            found = ColumnSpread.of(chunk)
            mean, square = found.mean, found.square
        else:
            mean, square = np.zeros(design.width), _squares(design, chunk.weight)
            design.numbers.check_sums(square if design.plain else square[design.numeric])
        return cls(chunk.n, float(chunk.weight.sum()), target, mean, square)

    def __add__(self, other: Beginning) -> Beginning:
        weight = self.weight + other.weight
        share = other.weight / weight if weight else 0.0
        delta = other.mean - self.mean if self.weight and other.weight else np.zeros_like(self.mean)
        mean = self.mean + share * delta if self.weight else other.mean
        with np.errstate(over="ignore"):
            square = self.square + other.square + delta * delta * (self.weight * share)
        refuse_infinite(square)
        return Beginning(self.rows + other.rows, weight, self.target + other.target, mean, square)


class FeatureScales(Strided[Beginning]):
    """Mean and squares of the features, and the sum of the target: where Newton's method begins.

    Each fold looks at its own rows: a share of the parts may have none of some fold.
    """

    kind: int
    """code of the loss"""
    classes: int
    """0 if the target holds numbers"""
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""

    def summarize(self, chunk: Chunk) -> Beginning:
        refuse_targets(self.kind, chunk)
        return Beginning.of(chunk, self.levels, self.classes)


class Curvature(Mergeable):
    """Loss Σ wᵢ ℓ(xᵢᵀβ + β₀) with its gradient and Hessian at one β, in centred columns after a constant."""

    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    center: Annotated[Array, "feature"]
    scale: Annotated[Array, "feature"]
    """of the columns: that of the rows' lengths, and of steps"""
    rows: int
    weight: float
    loss: float
    least: float
    """the sum of the least losses that any margins give"""
    pearson: Annotated[float, NOT_NAN]
    """Σ w (y - μ)² / V(μ), for numbers; infinite where μ is as good as zero"""
    size: float
    """Σ w |ℓ'|, the scale on which a gradient is small"""
    worst: Annotated[float, NOT_NAN]
    """the largest margin on the wrong side: below zero, every row is on its own side"""
    reach: float
    """the largest squared length of a row in the scale of the columns"""
    gradient: Annotated[Array, "output", "predictor"]
    drift: Annotated[Array, "output", "predictor"]
    """Σ w ℓ'' x; for many classes without Gram matrices Σ w x over the rows of each"""
    gram: Annotated[Array, "pair", "predictor", "predictor"]
    """Σ w ℓ'' x xᵀ, lower triangle; for many classes Σ w pₖ pₗ x xᵀ of each two"""
    expected: Annotated[Array, "inner", "inner"]
    """Σ w x xᵀ, if it was wanted: the information about a Gamma's mean"""

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # a step is not made to where sums overflow
    def of(
        cls,
        chunk: Chunk,
        kind: int,
        at: tuple[Array, Array],
        metric: tuple[Array, Array],
        levels: Codes,
        *,
        curved: bool,
        expected: bool = False,
        reach: float = 0.0,
    ) -> Curvature:
        """Summarize a chunk at (coef, intercept), in the metric of (center, scale).

        `curved` says whether the Gram matrices are wanted, which are as large as the columns are many, squared. The
        `reach` is measured unless it is known: it is the same at every place.
        """
        coef, intercept = at
        k, p = coef.shape
        sums = np.zeros(6)
        sums[WORST] = -np.inf
        gradient, drift = np.zeros((k, p + 1)), np.zeros((k, p + 1))
        pairs = (k * (k - 1) // 2 if k > 1 else 1) if curved else 0
        gram = np.zeros((pairs, p + 1, p + 1))
        found = (sums, gradient, drift, gram)
        design = Design.of(chunk.X, levels)
        inner = np.zeros((0, 0))
        if chunk.n:
            if curved and design.plain and not sp.issparse(chunk.X.data):
                _dense(chunk, kind, at, metric, found, bool(reach))
            else:
                _general(chunk, design, kind, at, metric, found, bool(reach))
            if not np.isfinite(sums[LOSS]):
                chunk.X.check()
            sums[REACH] = reach or sums[REACH] + 1.0
        if expected:
            inner = _expected(chunk, design, metric[0])
        return cls(
            coef, intercept, *metric, chunk.n, float(chunk.weight.sum()), float(sums[LOSS]), float(sums[LEAST]),
            float(sums[PEARSON]), float(sums[SIZE]), float(sums[WORST]), float(sums[REACH]),
            gradient, drift, gram, inner,
        )  # fmt: skip

    @np.errstate(over="ignore", invalid="ignore")  # sums too large are refused by what is made from them
    def __add__(self, other: Curvature) -> Curvature:
        return Curvature(
            self.coef,
            self.intercept,
            self.center,
            self.scale,
            self.rows + other.rows,
            self.weight + other.weight,
            self.loss + other.loss,
            self.least + other.least,
            self.pearson + other.pearson,
            self.size + other.size,
            max(self.worst, other.worst),
            max(self.reach, other.reach),
            self.gradient + other.gradient,
            self.drift + other.drift,
            self.gram + other.gram,
            self.expected + other.expected,
        )

    @property
    def finite(self) -> bool:
        """Whether no sum has overflowed, so that a step can be made from them."""
        return bool(np.isfinite(self.loss) and np.isfinite(self.gradient).all() and np.isfinite(self.gram).all())

    def is_valid(self, schema: Schema) -> bool:
        """Whether there is a Gram matrix for each pair of outputs, or none."""
        k = len(self.gradient)
        return len(self.gram) in (0, max(1, k * (k - 1) // 2))

    def hessian(self) -> Array:
        """Return the Hessian of all outputs, flattened: outputs · predictors, squared."""
        k, q = self.gradient.shape
        full = [symmetrize(lower) for lower in self.gram]
        if k == 1:
            return np.asarray(full[0])
        out = np.zeros((k, q, k, q))
        pair = 0
        for a in range(k):
            for b in range(a):
                out[a, :, b] = out[b, :, a] = -full[pair]
                out[a, :, a] += full[pair]
                out[b, :, b] += full[pair]
                pair += 1
        return out.reshape(k * q, k * q)


class CurvatureAt(Strided[Curvature]):
    """Loss, gradient and Gram matrices of a linear model at given coefficients, in columns around a centre."""

    coef: Array
    intercept: Array
    kind: int
    """code of the loss"""
    center: Array
    scale: Array
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    reach: float = 0.0
    """the largest squared length of a row in this scale; 0: it is measured"""
    curved: bool = True
    """whether Gram matrices are wanted"""
    expected: bool = False
    """whether Σ w x xᵀ is computed too"""
    thinned: int = 1
    """n, to use every n-th row of each part"""

    def summarize(self, chunk: Chunk) -> Curvature:
        refuse_targets(self.kind, chunk)
        if self.thinned > 1:
            chunk = chunk.rows(np.arange(0, chunk.n, self.thinned))
        at, metric = (self.coef, self.intercept), (self.center, self.scale)
        return Curvature.of(
            chunk, self.kind, at, metric, self.levels, curved=self.curved, expected=self.expected, reach=self.reach
        )

    @property
    def title(self) -> str:
        # What a cluster's dashboard shows: also whether some rows only are read.
        some = self.every * self.thinned
        return super().title if some == 1 else f"{super().title}_1_in_{some}"


def refuse_targets(kind: int, chunk: Chunk) -> None:
    """Refuse targets that a loss does not know: counts are not below 0, and of a Gamma all are above."""
    if kind not in (POISSON, GAMMA) or not chunk.n:
        return
    fine = chunk.y >= 0 if kind == POISSON else chunk.y > 0
    if not fine.all():
        at = int(np.flatnonzero(~fine)[0])
        must = "counts are not below 0" if kind == POISSON else "must be above 0"
        raise DataError(
            f"the target is {chunk.y[at]:g} in row {chunk.X.row(at)}, but {must}. "
            "Remedy: drop such rows, or use another regression"
        )


def _dense(chunk: Chunk, kind: int, at: Any, metric: Any, found: Any, measured: bool) -> None:
    """Sum over blocks of dense features, each read once."""
    (coef, intercept), (center, scale), (sums, gradient, drift, gram) = at, metric, found
    constant = intercept + coef @ center
    p = len(center)
    height = chunk.X.block_rows(2 * p + 2)
    scratch, each = np.empty((height, p + 1)), np.empty((3, height))
    weight = NO_NUMBERS if chunk.uniform else chunk.weight
    shift, inverse = (center if center.any() else None), NO_NUMBERS if measured else 1 / scale
    for rows, block in chunk.X.blocks(height, shift=shift, checked=False, whole=True):
        w, y = weight[rows], chunk.y[rows]
        if len(coef) > 1:
            add_softmax(block, y, w, coef, constant, inverse, scratch, sums, gradient, gram)
        else:
            y = np.asarray(y, dtype=np.float64)
            given = (kind, block, y, w, coef[0], constant[0], inverse, scratch, each)
            add_curvature(*given, sums, gradient[0], gram[0])
    if len(coef) == 1:
        drift[0] = gram[0, :, 0]


def _general(chunk: Chunk, design: Design, kind: int, at: Any, metric: Any, found: Any, measured: bool) -> None:
    """Sum by products with the features in any storage: sparse, categorical, or too many to copy."""
    (coef, intercept), (center, scale), (sums, gradient, drift, gram) = at, metric, found
    k = len(coef)
    margin = (design @ coef.T) + intercept
    weight = NO_NUMBERS if chunk.uniform else chunk.weight
    slope, bend = np.empty((chunk.n, k)), np.empty((chunk.n, k))
    if k > 1:
        share = np.empty((chunk.n, k))
        add_softmax_rows(np.ascontiguousarray(margin.T), chunk.y, weight, share, slope, sums)
        bend[:] = 0.0
        bend[np.arange(chunk.n), chunk.y] = chunk.weight
    else:
        y = np.asarray(chunk.y, dtype=np.float64)
        add_rows(kind, margin[:, 0].copy(), y, weight, slope[:, 0], bend[:, 0], sums)
    sums[REACH] = 0.0 if measured else _longest(design, center, 1 / scale)
    if not np.isfinite(sums[LOSS]):  # a step that was too long: the next place is nearer
        return
    for values, out in ((slope, gradient), (bend, drift)):
        out[:, 0] = values.sum(axis=0)
        out[:, 1:] = design.transposed(values).T - np.outer(out[:, 0], center)
    pair = 0
    for a in range(k if len(gram) else 0):
        for b in range(a) if k > 1 else (0,):
            each = bend[:, 0] if k == 1 else chunk.weight * share[:, a] * share[:, b]
            gram[pair] = _weighed(design, each, center)
            pair += 1


def _weighed(design: Design, weight: Array, center: Array) -> Array:
    """Σ w x xᵀ with a constant before the features, which are moved to the centre."""
    p = design.width
    out = np.empty((p + 1, p + 1))
    out[0, 0] = weight.sum()
    total = design.transposed(weight)
    out[1:, 0] = total - out[0, 0] * center
    out[0, 1:] = out[1:, 0]
    inner = design.gram(weight)
    if center.any():
        inner = inner - np.outer(center, total) - np.outer(out[1:, 0], center)
    out[1:, 1:] = inner
    return np.tril(out)


def _expected(chunk: Chunk, design: Design, center: Array) -> Array:
    """Σ w x xᵀ around a centre: the curvature that is expected, whatever the targets."""
    p = design.width
    out = np.zeros((p + 1, p + 1))
    if not (design.plain and not sp.issparse(chunk.X.data)):
        return _weighed(design, chunk.weight, center)
    height = chunk.X.block_rows(p + 1)
    for rows, block in chunk.X.blocks(height, shift=center):
        some = np.column_stack([np.ones(len(block)), block])
        out += (some * chunk.weight[rows, None]).T @ some
    return np.tril(out)


def _squares(design: Design, weight: Array) -> Array:
    """Σ w x² of each feature, around zero."""
    X = design.numbers
    if sp.issparse(X.data):
        return np.asarray(_squared(X).T @ weight, dtype=np.float64)
    square = np.zeros(X.shape[1])
    for rows, block in X.blocks():
        with np.errstate(over="ignore", invalid="ignore"):  # what cannot be squared is refused by its sums
            square += weight[rows] @ (block * block)
    if design.plain:
        return square
    out = np.empty(design.width)
    out[design.numeric] = square
    out[design.coded] = design.by_code(weight[:, None])[:, 0]
    return out


def _squared(X: Columns) -> CSR:
    """Return the squares of the stored values of a sparse matrix."""
    stored = X.entries()
    with np.errstate(over="ignore"):  # what cannot be squared is refused by its sums
        return sp.csr_array((stored.data * stored.data, stored.indices, stored.indptr), stored.shape)


def _longest(design: Design, center: Array, inverse: Array) -> float:
    """The largest squared length of a row, its features scaled."""
    X: Columns = design.numbers
    if sp.issparse(X.data):
        around = float((center * inverse) @ (center * inverse))
        length = np.sqrt(np.asarray(_squared(X) @ inverse**2)) + np.sqrt(around)
        return float((length**2).max(initial=0.0))
    numeric = slice(None) if design.plain else design.numeric
    length = np.zeros(len(X) if design.plain else len(design))
    for rows, block in X.blocks() if X.shape[1] else ():
        length[rows] = ((block - center[numeric]) ** 2) @ inverse[numeric] ** 2
    if not design.plain:
        square = np.zeros(design.width)
        square[design.coded] = inverse[design.coded] ** 2
        length += design @ square
    return float(length.max(initial=0.0))
