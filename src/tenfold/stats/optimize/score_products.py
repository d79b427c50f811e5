"""Scores of the rows at given coefficients, from which robust standard errors are computed.

With RRᵀ the inverse of the normal matrix, z = Rᵀ(1, x - center) and e = y - xᵀβ - β₀, the scores are w e z. Rows alone
give the sum Σ w e² z zᵀ, by HC2 and HC3 divided by 1 - |z|² or its square (|z|² is the leverage); clusters give the sum
of the scores of each. Sums merge; clusters merge by their keys. What was taken at other coefficients does not add up,
and says so. The summary that the coefficients are made from comes along, so that models still merge.

Of another loss ℓ than ½ (y - m)², e is -ℓ'(m) and the leverage ℓ''(m) |z|²: by 1 - leverage, a step of Newton's method
without the row goes farther than the score says.
"""

from __future__ import annotations

import hashlib
import math
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.linear_model.glm import add_rows
from tenfold.core import Array, Chunk, Codes, DataError, Design, Mergeable, Values
from tenfold.core.field_values import ANYTHING, RISING
from tenfold.core.statistic import Statistic
from tenfold.stats.moments.double_moments import DoubleMoments
from tenfold.stats.moments.moments import Moments
from tenfold.stats.moments.rfactor import RFactor
from tenfold.stats.optimize.curvature import Curvature

MIN_RESIDUAL_FREEDOM = 1e-10
"""a row whose leverage is nearer to 1 decides a coefficient alone, and leaves no residual"""


COEFFICIENT_FIELDS = ("coef", "intercept", "center", "root")
"""fields that must be equal for scores to merge"""


class ScoreProducts(Mergeable):
    """Sums over rows, or scores by cluster, at some coefficients."""

    base: Moments
    """the summary from which the coefficients are computed"""
    coef: Annotated[Array, "feature"]
    intercept: float
    center: Annotated[Array, "feature"]
    root: Annotated[Array, "predictor", "direction"]
    """R: its columns are the directions in which scores are taken"""
    meat: Annotated[Array, "direction", "direction", ANYTHING]
    """Σ w e² z zᵀ over the rows; NaN if two were merged that were taken elsewhere"""
    alone: float
    """weight of the rows of leverage 1, which HC2 and HC3 leave out"""
    keys: Annotated[Codes, "group", RISING]
    """keys of the clusters, sorted"""
    scores: Annotated[Array, "group", "direction"]
    """Σ w e z of each cluster"""

    @property
    def weight(self) -> float:
        """Sum of the weights of the rows."""
        return self.base.weight

    @property
    def fits(self) -> bool:
        """Whether all was taken at the same coefficients."""
        return bool(np.isfinite(self.meat).all())

    def __add__(self, other: Any) -> ScoreProducts:
        if other.base.weight == 0:
            return self
        if self.base.weight == 0:
            return other  # type: ignore[no-any-return]
        base = self.base + other.base
        keys, scores = self.keys, self.scores
        if not all(np.array_equal(getattr(self, name), getattr(other, name)) for name in COEFFICIENT_FIELDS):
            # of too few rows there are fewer directions, so that not even the shapes need be equal
            meat, keys, scores = np.full_like(self.meat, np.nan), keys[:0], scores[:0]
        else:
            meat = self.meat + other.meat
            if len(other.keys):
                keys, at = np.unique(np.concatenate([keys, other.keys]), return_inverse=True)
                scores = np.zeros((len(keys), len(meat)))
                scores[at[: len(self.keys)]] = self.scores
                scores[at[len(self.keys) :]] += other.scores
        fields = {name: getattr(self, name) for name in COEFFICIENT_FIELDS}
        return KINDS[type(base)](
            base=base, meat=meat, alone=self.alone + other.alone, keys=keys, scores=scores, **fields
        )


class FactorScores(ScoreProducts):
    """Scores with an R-factor."""

    base: RFactor  # type: ignore[assignment]


class DoubleScores(ScoreProducts):
    """Scores with moments in double-double."""

    base: DoubleMoments  # type: ignore[assignment]


class CurvatureScores(ScoreProducts):
    """Scores with loss, gradient and Hessian of a generalized linear model."""

    base: Curvature  # type: ignore[assignment]


KINDS: dict[type, type[ScoreProducts]] = {
    Moments: ScoreProducts,
    RFactor: FactorScores,
    DoubleMoments: DoubleScores,
    Curvature: CurvatureScores,
}
SQUARED_ERROR = -1
"""the loss ½ (y - m)², whose slope is the residual"""


class ScoresAt(Statistic[ScoreProducts]):
    """Statistic of the scores at given coefficients, with the summary from which these were computed."""

    base: Statistic[Moments] | Statistic[RFactor] | Statistic[DoubleMoments] | Statistic[Curvature]
    """the summary from which the coefficients were computed"""
    kind: str
    """HC0, HC2, HC3 or cluster"""
    coef: Array
    intercept: float
    center: Array
    root: Array
    levels: Codes
    loss: int = SQUARED_ERROR
    """squares, or one of `compiled/linear_model/glm.py`"""

    def summarize(self, chunk: Chunk) -> ScoreProducts:
        base, at = self.base.summarize(chunk), (self.coef, self.intercept, self.center, self.root)
        return scores_of(base, chunk, self.kind, *at, self.levels, self.loss)


def scores_of(
    base: Any,
    chunk: Chunk,
    how: str,
    coef: Array,
    intercept: float,
    center: Array,
    root: Array,
    levels: Codes | None,
    loss: int,
) -> ScoreProducts:
    """Summarize a chunk, block by block; `how` is HC0, HC2, HC3 or cluster."""
    design = Design.of(chunk.X, levels)
    p, directions = design.width, root.shape[1]
    meat, alone = np.zeros((directions, directions)), 0.0
    keys, code = _clusters(chunk) if how == "cluster" else (np.zeros(0, np.int64), None)
    scores = np.zeros((len(keys), directions))
    level = math.fsum([intercept, *(center * coef)])
    for rows, block in design.blocks(chunk.X.block_rows(p + 1)):
        d = np.ones((len(block), p + 1))
        np.subtract(block, center, out=d[:, 1:])
        weight, z = chunk.weight[rows], d @ root
        e, bend = _slopes(loss, chunk.y[rows], level, d[:, 1:] @ coef)
        if code is not None:
            some = code[rows]
            pick = sp.csr_array((weight * e, (some, np.arange(len(some)))), shape=(len(keys), len(some)))
            scores += pick @ z
            continue
        square = weight * e * e
        if how in ("HC2", "HC3"):
            free = 1.0 - bend * (z * z).sum(axis=1)
            lone = free < MIN_RESIDUAL_FREEDOM
            alone += float(weight[lone].sum())
            square = np.where(lone, 0.0, square / np.where(lone, 1.0, free if how == "HC2" else free * free))
        meat += (z * square[:, None]).T @ z
    return KINDS[type(base)](base, coef, intercept, center, root, meat, alone, keys, scores)


def _slopes(loss: int, y: Values, level: float, margin: Array) -> tuple[Array, Array | float]:
    """How steeply each row's loss falls at its margin, and its curvature there."""
    if loss == SQUARED_ERROR:
        return y - level - margin, 1.0
    slope, bend = np.empty(len(y)), np.empty(len(y))
    add_rows(loss, margin + level, np.asarray(y, dtype=np.float64), np.zeros(0), slope, bend, np.zeros(6))
    return -slope, bend


def _clusters(chunk: Chunk) -> tuple[Codes, Codes]:
    """The sorted keys of a chunk's clusters, and the number of each row's."""
    if "groups" not in chunk.side:
        raise DataError(
            "standard errors by cluster need the cluster of each row. Remedy: fit(X, y, groups=...), an array or the "
            "name of a column; or other standard_errors"
        )
    keys, code = np.unique(keys_of(np.asarray(chunk.side["groups"])), return_inverse=True)
    return keys, code.astype(np.int64)


def keys_of(values: Values) -> Codes:
    """An integer for each value, the same on every worker: whole numbers are their own, other values are hashed."""
    kind = values.dtype.kind
    wrong: Any = values != values if kind in "fM" else [v is None or v != v for v in values] if kind == "O" else False
    if np.any(wrong):
        raise DataError("groups has missing entries: some rows have no group. Remedy: leave these rows out")
    if kind in "biu":
        return values.astype(np.int64)
    found, at = np.unique(values.astype(str) if kind == "O" else values, return_inverse=True)
    hashed = [int.from_bytes(hashlib.blake2b(str(v).encode(), digest_size=8).digest(), "little") for v in found]
    return np.array(hashed, dtype=np.uint64).view(np.int64)[at]
