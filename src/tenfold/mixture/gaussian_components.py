"""Normal components of a mixture, and what a round of expectation and maximisation sums up of the rows.

A component k has a weight, a mean μ and a covariance Σ; Uₖ is triangular, with Σ⁻¹ = UUᵀ, so that |(x - μ)U|² is the
squared distance of a row. Sums are of differences to the means of the round before, so they merge by adding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.cluster.lloyd_round import labels
from tenfold.compiled.neighbors.mixtures import add_diagonal, add_full, joint_diagonal, joint_full, log_sums, share_out
from tenfold.core import Array, Chunk, Columns, DataError, Mergeable, Schema
from tenfold.core.arrays import row_max
from tenfold.core.field_values import NOT_NEGATIVE, Between
from tenfold.core.statistic import Statistic
from tenfold.stats.rows.weighted_sample import row_bits, uniform

ROWS_PER_BLOCK = 512
"""rows whose densities are computed at a time: they stay in cache"""
NO_DENSITY = (
    "rows are so far from all components that they have no density. Remedy: rescale the columns, StandardScaler()"
)


class MixtureModel(NamedTuple):
    """Weights, means and covariances of the components, and what distances are measured with."""

    weights: Annotated[Array, "component", Between(0.0, 1.0)]
    means: Annotated[Array, "component", "column"]
    covariance: Annotated[Array, "scatter", "column", "width"]
    """of each component, or one for all; only the diagonal, if it is one number wide"""
    upper: Annotated[Array, "scatter", "column", "width"]
    """U, or its diagonal"""
    n_iter: int
    converged: bool

    def is_valid(self, schema: Schema) -> bool:
        """Whether there are as many covariances as components, or one for all, of a width that can be."""
        k, p = self.means.shape
        count, _, width = self.covariance.shape
        return k > 0 and count in (1, k) and width in (1, p) and bool(self.weights.sum() > 0)

    def level(self) -> Array:
        """log πₖ + log density of each component at its mean; -inf without weight."""
        p = self.means.shape[1]
        diagonal = self.upper if self.upper.shape[2] < p else np.diagonal(self.upper, axis1=1, axis2=2)
        size = np.log(diagonal.reshape(len(diagonal), p)).sum(axis=1)
        with np.errstate(divide="ignore"):
            found: Array = np.log(self.weights) + size - 0.5 * p * math.log(2 * math.pi)
        return found


class ComponentSums(Mergeable):
    """Weight, sum and scatter of the rows in each component, as differences to its mean; rows count in shares."""

    means: Annotated[Array, "component", "column"]
    weight: Annotated[Array, "component", NOT_NEGATIVE]
    total: Annotated[Array, "component", "column"]
    """sums of rows minus the mean"""
    scatter: Annotated[Array, "scatter", "column", "width"]
    """sums of their products, of each component or of all together; only squares, if it is one number wide"""
    fourth: Annotated[Array, "component"]
    """sums of fourth powers of distances"""
    log_likelihood: float

    same_in_all = ("means",)

    @property
    def rows(self) -> float:
        """Total weight of the rows."""
        return float(self.weight.sum())

    @property
    def mean_log_likelihood(self) -> float:
        """log p(x), the mean over all rows."""
        return self.log_likelihood / self.rows

    def maximised(self, kind: str, reg_covar: float) -> MixtureModel:
        """The components that make these shares of the rows most likely; `reg_covar` is added to each variance.

        A component without rows stays where it is, with weight zero and the covariance of all others.
        """
        p = self.means.shape[1]
        some = self.weight > 0
        weight = np.where(some, self.weight, 1.0)[:, None]
        moved = np.where(some[:, None], self.total, 0.0) / weight
        if self.scatter.shape[2] < p:
            spread = self.scatter[:, :, 0] / weight - moved**2
            pooled = self.weight @ spread / self.rows
            spread = np.where(some[:, None], spread, pooled) + reg_covar
            if kind == "spherical":
                spread = np.repeat(spread.mean(axis=1, keepdims=True), p, axis=1)
            covariance = spread[:, :, None]
        else:
            products = moved[:, :, None] * moved[:, None, :]
            if len(self.scatter) == len(weight):
                covariance = self.scatter / weight[:, :, None] - products
                pooled = np.tensordot(self.weight, covariance, 1) / self.rows
                covariance[~some] = pooled
            else:
                covariance = (self.scatter - np.tensordot(self.weight, products, 1)) / self.rows
            covariance = covariance + reg_covar * np.eye(p)
        upper = uppers(covariance, self.weight, p)
        return MixtureModel(self.weight / self.rows, self.means + moved, covariance, upper, 0, False)


class SumsByComponent(Statistic[ComponentSums]):
    """Weights, sums and scatters of the rows by the components' responsibilities for them, and their log-likelihood."""

    means: Array
    upper: Array
    level: Array

    @classmethod
    def of(cls, model: MixtureModel) -> SumsByComponent:
        """The sums that a round at a model needs."""
        return cls(model.means, model.upper, model.level())

    def summarize(self, chunk: Chunk) -> ComponentSums:
        sums = SharedSums(chunk, self.means, self.upper.shape)
        found = 0.0
        height = min(ROWS_PER_BLOCK, max(chunk.n, 1))
        largest, density = np.empty(height), np.empty(height)
        for rows, block, joint in joints(chunk.X, self.means, self.upper, self.level):
            found += share_out(joint, self.level, chunk.weight[rows], largest, density, sums.fourth)
            sums.add(block, joint)
        if not math.isfinite(found):
            chunk.X.check()
            raise DataError(NO_DENSITY)
        return sums.done(found)


class SumsByCenter(Statistic[ComponentSums]):
    """Weights, sums and scatters of the rows nearest to each centre: what a mixture starts from."""

    centers: Array
    scatters: int
    width: int

    def summarize(self, chunk: Chunk) -> ComponentSums:
        near = labels(chunk.X, self.centers)
        sums = SharedSums(chunk, self.centers, (self.scatters, chunk.X.shape[1], self.width))
        for rows, block in chunk.X.blocks(ROWS_PER_BLOCK):
            shares = np.where(near[rows] == np.arange(len(self.centers))[:, None], chunk.weight[rows], 0.0)
            sums.add(block, shares)
        return sums.done(0.0)


class SumsByLot(Statistic[ComponentSums]):
    """Weights, sums and scatters of rows that are shared out at random: what a mixture starts from."""

    centers: Array
    scatters: int
    width: int
    seed: int | None

    def summarize(self, chunk: Chunk) -> ComponentSums:
        # Share each row out by a hash of its content: equal rows alike.
        lots = np.array([uniform(row_bits(chunk.X, (self.seed or 0) + k)) for k in range(len(self.centers))])
        lots *= chunk.weight / lots.sum(axis=0)
        sums = SharedSums(chunk, self.centers, (self.scatters, chunk.X.shape[1], self.width))
        for rows, block in chunk.X.blocks(ROWS_PER_BLOCK):
            sums.add(block, np.ascontiguousarray(lots[:, rows]))
        return sums.done(0.0)


class SharedSums:
    """Accumulator of weighted sums of rows: `add` blocks, then `done`."""

    def __init__(self, chunk: Chunk, means: Array, shape: tuple[int, ...]) -> None:
        k, p = means.shape
        self.X, self.means, self.diagonal = chunk.X, means, shape[2] < p
        self.weight, self.total, self.fourth = np.zeros(k), np.zeros((k, p)), np.zeros(k)
        self.scatter = np.zeros(shape)
        self.buffer = np.empty((1 if self.diagonal else min(ROWS_PER_BLOCK, max(chunk.n, 1)), p))

    def add(self, block: Array, shares: Array) -> None:
        if self.diagonal:
            add_diagonal(block, shares, self.means, self.weight, self.total, self.scatter[:, :, 0])
        else:
            add_full(block, shares, self.means, self.buffer, self.weight, self.total, self.scatter)

    def done(self, log_likelihood: float) -> ComponentSums:
        squares = self.scatter[:, :, 0] if self.diagonal else np.diagonal(self.scatter, axis1=1, axis2=2)
        self.X.check_sums(squares.sum(axis=0))
        if not self.diagonal:  # what is above the diagonal may be anything
            lower = np.tril(self.scatter)
            self.scatter = lower + np.tril(lower, -1).transpose(0, 2, 1)
        return ComponentSums(self.means, self.weight, self.total, self.scatter, self.fourth, log_likelihood)


def joints(X: Columns, means: Array, upper: Array, level: Array) -> Iterator[tuple[slice, Array, Array]]:
    """Blocks of rows with log πₖ p(x | k), components x rows, in a buffer that is used again and again."""
    n, p = X.shape
    height = min(ROWS_PER_BLOCK, max(n, 1))
    out = np.empty((len(means), height))
    diagonal = upper.shape[2] < p
    narrow = np.ascontiguousarray(upper[:, :, 0])
    buffer = np.empty((p, height) if diagonal else (height, p))
    product = np.empty_like(buffer)
    for rows, block in X.blocks(ROWS_PER_BLOCK, checked=False):
        joint = out if len(block) == height else np.empty((len(means), len(block)))
        if diagonal:
            joint_diagonal(block, means, narrow, level, buffer, joint)
        else:
            joint_full(block, means, upper, level, buffer, product, joint)
        yield rows, block, joint


def log_joint(X: Columns, model: MixtureModel) -> Array:
    """log πₖ p(x | k), rows x components."""
    out = np.empty((len(X), len(model.means)))
    for rows, _, joint in joints(X, model.means, model.upper, model.level()):
        out[rows] = joint.T
    _check(X, row_max(out))
    return out


def log_density(X: Columns, model: MixtureModel) -> Array:
    """Log-density log p(x) of each row."""
    out, largest = np.empty(len(X)), np.empty(min(ROWS_PER_BLOCK, max(len(X), 1)))
    for rows, _, joint in joints(X, model.means, model.upper, model.level()):
        log_sums(joint, largest, out[rows])
    _check(X, out)
    return out


def _check(X: Columns, found: Array) -> None:
    """Refuse rows with NaN, infinity, or no density."""
    if not np.isfinite(found).all():
        X.check()
        raise DataError(NO_DENSITY)


def shaped(covariance: Array, kind: str) -> Array:
    """Covariances as scikit-learn has them: of components, one for all, variances, or one variance each."""
    match kind:
        case "full":
            return covariance
        case "tied":
            return covariance[0]
        case "diag":
            return covariance[:, :, 0]
    return covariance[:, 0, 0]


def uppers(covariance: Array, weight: Array, p: int) -> Array:
    """U of each covariance, triangular; an error names a component that does not vary in every direction."""
    if covariance.shape[2] < p:
        thin = np.flatnonzero((covariance <= 0.0).any(axis=(1, 2)))
        if len(thin):
            raise _no_density(int(thin[0]), covariance, weight)
        found: Array = 1.0 / np.sqrt(covariance)
        return found
    out = np.empty_like(covariance)
    for k, square in enumerate(covariance):
        factor, info = sla.lapack.dpotrf(square.T, lower=1)
        if info:
            raise _no_density(k, covariance, weight)
        out[k] = np.tril(sla.lapack.dtrtri(factor, lower=1)[0]).T
    return out


def _no_density(k: int, covariance: Array, weight: Array) -> DataError:
    which = "the covariance of all components"
    if len(covariance) == len(weight):
        which = f"component number {k} of weight {weight[k]:g}"
    return DataError(
        f"Fitting the mixture model failed: {which} does not vary in every direction, so it has no density. Remedy: a "
        "larger reg_covar, fewer components, columns of similar size (StandardScaler()), or fewer columns"
    )
