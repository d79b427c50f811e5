"""Fourth moments of each class, from which the shrinkage of Ledoit and Wolf is read off.

It needs Σ (Σ_j z_j²)², the z being centred and scaled. Scales are known only when all is merged, so the sums
Q_jk = Σ w d_j² d_k² and T_jk = Σ w d_j d_k² around the mean are kept, d = x - mean. Where the mean moves by δ,

   Q' = Q + 2(δ_j T_jk + δ_k T_kj) + δ_j² C_kk + δ_k² C_jj + 4 δ_j δ_k C_jk + n δ_j² δ_k²
   T' = T + 2 δ_k C_jk + δ_j C_kk + n δ_j δ_k².
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Codes, ColumnError, Mergeable
from tenfold.core.statistic import Grouped
from tenfold.stats.moments.moments import refuse_infinite
from tenfold.stats.moments.scatter import ClassMoments, Scatter

MIN_FOURTH_POWER = 1e-290
"""fourth powers below have lost digits"""


class ClassFourth(Mergeable):
    """Moments of the columns within each class, up to squares times squares."""

    moments: ClassMoments
    third: Annotated[Array, "class", "column", "column"]
    """Σ w d_j d_k², with d the deviation from the mean"""
    fourth: Annotated[Array, "class", "column", "column"]
    """Σ w d_j² d_k², with d the deviation from the mean"""
    by_weight = ("third", "fourth")

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # powers that overflow are refused with their sums
    def of(cls, chunk: Chunk, classes: int) -> ClassFourth:
        """Summarize a chunk whose target holds class codes: its moments, then the rest around its own means."""
        moments = ClassMoments.of(chunk, classes)
        p = chunk.X.shape[1]
        third, fourth = np.zeros((classes, p, p)), np.zeros((classes, p, p))
        for rows, block in chunk.X.blocks():
            y, weight = chunk.y[rows], chunk.weight[rows]
            for c in np.unique(y).tolist():
                some = np.flatnonzero(y == c)
                d = (block[some] - moments.mean[c]) - moments.rest[c]
                square, heavy = d * d, d * weight[some, None]
                third[c] += heavy.T @ square
                fourth[c] += (heavy * d).T @ square
        chunk.X.check_sums(np.diagonal(fourth, axis1=1, axis2=2).sum(axis=0))
        return cls(moments, third, fourth)

    @classmethod
    def by_group(cls, chunk: Chunk, codes: Codes, groups: int, classes: int) -> list[ClassFourth]:
        """Summarize the rows of each group: a class of a group is a class too. Rows of group -1 are left out."""
        kept = np.flatnonzero(codes >= 0)
        some = chunk.rows(kept)._replace(y=codes[kept] * classes + chunk.y[kept])
        all_ = cls.of(some, groups * classes)
        return [all_._classes(slice(g * classes, (g + 1) * classes)) for g in range(groups)]

    def _classes(self, which: slice) -> ClassFourth:
        m = self.moments
        moments = ClassMoments(m.weight[which], m.mean[which], m.rest[which], m.comoment[which])
        return ClassFourth(moments, self.third[which], self.fourth[which])

    def __add__(self, other: ClassFourth) -> ClassFourth:
        both = self.moments + other.moments
        with np.errstate(over="ignore", invalid="ignore"):
            some = [_moved(s, both) for s in (self, other)]
            third, fourth = some[0][0] + some[1][0], some[0][1] + some[1][1]
        refuse_infinite(np.diagonal(fourth, axis1=1, axis2=2))
        return ClassFourth(both, third, fourth)

    def pooled(self) -> Scatter:
        """The scatter within classes, all together."""
        return self.moments.pooled()

    def overall(self) -> ClassFourth:
        """Return the summary of all rows as one class."""
        first, *rest = (self._classes(slice(c, c + 1)) for c in range(len(self.moments.weight)))
        for more in rest:
            first = first + more
        return first

    def shrinkage(self, c: int, scale: Array) -> float:
        """How much of the identity the covariance of a class should have, its columns divided by `scale`."""
        n, p = float(self.moments.weight[c]), len(scale)
        S = self.moments.comoment[c] / n / np.outer(scale, scale)
        variance = np.diag(S)
        mu = float(variance.sum()) / p
        square, small = scale**2, (np.diag(self.fourth[c]) < MIN_FOURTH_POWER) & (variance > 0)
        if small.any():
            raise ColumnError(int(small.argmax()), "is too small to be raised to the fourth power. Remedy: rescale it")
        delta_ = float((S**2).sum())
        beta = (float((self.fourth[c] / square / square[:, None]).sum()) / n - delta_) / (p * n)
        delta = (delta_ - 2 * mu * float(variance.sum()) + p * mu**2) / p
        beta = min(beta, delta)
        return 0.0 if beta <= 0 else beta / delta


class FourthByClass(Grouped[ClassFourth]):
    """Moments of the columns within each class, up to squares times squares."""

    classes: int

    def summarize(self, chunk: Chunk) -> ClassFourth:
        return ClassFourth.of(chunk, self.classes)

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[ClassFourth]:
        return ClassFourth.by_group(chunk, codes, groups, self.classes)


def _moved(s: ClassFourth, to: ClassMoments) -> tuple[Array, Array]:
    """Third and fourth moments around other means; a class that has not moved keeps its bits."""
    m = s.moments
    here = (m.weight > 0) & (m.weight < to.weight)
    third, fourth = s.third.copy(), s.fourth.copy()
    for c in np.flatnonzero(here).tolist():
        d = (m.mean[c] - to.mean[c]) + (m.rest[c] - to.rest[c])
        C, T, n = m.comoment[c], s.third[c], float(m.weight[c])
        v = np.diag(C)
        lifted = d[:, None] * T
        fourth[c] += 2 * (lifted + lifted.T) + np.outer(d**2, v) + np.outer(v, d**2)
        fourth[c] += 4 * np.outer(d, d) * C + n * np.outer(d**2, d**2)
        third[c] += 2 * d * C + np.outer(d, v) + n * np.outer(d, d**2)
    return third, fourth
