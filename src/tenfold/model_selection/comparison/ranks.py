"""Learners over several data sets: their ranks, and how far apart two must be to differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special, stats

from tenfold.core import MatrixLike
from tenfold.model_selection.comparison.paired_tests import SCORE_ROUNDING
from tenfold.model_selection.formatting import ResultTable, axes, html_table, percent, short
from tenfold.sources.frames import is_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Ranks(ResultTable):
    """Mean ranks of learners over several data sets, and how far apart two must be to differ.

    Parameters
    ----------
    names : tuple of str
        Names of the learners in printed results.
    ranks : tuple of float
        Mean over the data sets; 1 is best.
    datasets : int
    statistic, df, p : float
        Friedman's χ², corrected for ties: how often equally good learners would be so far apart, or farther.
    critical : float
        Nemenyi's critical difference of two mean ranks.
    level : float
        Confidence of the intervals and tests, between 0 and 1.

    Examples
    --------
    >>> import tenfold as tn
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5], [0.8, 0.7, 0.6], [0.9, 0.8, 0.7]]
    >>> found = tn.compare_all(scores, names=["forest", "tree", "stump"])
    >>> print(found)
    learner  mean rank
    forest   1
    tree     2.16667
    stump    2.83333
    Friedman's test over 6 data sets: χ² = 10.33, df = 2, p = 0.0057: the learners differ
    mean ranks differ if 1.353 apart (Nemenyi, 95 %); not significantly different: forest and tree; tree and stump
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    datasets: int
    statistic: float
    df: int
    p: float
    critical: float
    level: float

    @property
    def order(self) -> list[int]:
        """Numbers of the learners, the best first."""
        return [int(i) for i in np.argsort(self.ranks, kind="stable")]

    def significant(self, a: int | str, b: int | str) -> bool:
        """Whether two learners, given by number or name, differ significantly by Nemenyi's test."""
        i, j = (place(one, self.names) for one in (a, b))
        return self.p <= 1 - self.level and abs(self.ranks[i] - self.ranks[j]) >= self.critical

    @property
    def cliques(self) -> list[list[int]]:
        """Largest sets of learners, the best first, that are not significantly different from each other."""
        order = self.order
        found: list[list[int]] = []
        for at, first in enumerate(order):
            some = [one for one in order[at:] if not self.significant(first, one)]
            if len(some) > 1 and not any({*some} <= {*other} for other in found):
                found.append(some)
        return found

    def _notes(self) -> list[str]:
        differ = "the learners differ" if self.p <= 1 - self.level else "not significantly different"
        some = "; ".join(" and ".join(short(self.names[i]) for i in one) for one in self.cliques)
        return [
            f"Friedman's test over {self.datasets} data sets: χ² = {self.statistic:.4g}, df = {self.df}, "
            f"p = {self.p:.2g}: {differ}",
            f"mean ranks differ if {self.critical:.4g} apart (Nemenyi, {percent(self.level)})"
            + (f"; not significantly different: {some}" if some else ""),
        ]

    def _note(self) -> str:
        return "\n".join(self._notes())

    def _rows(self) -> list[list[str]]:
        return [[short(self.names[i]), f"{self.ranks[i]:.6g}"] for i in self.order]

    def _head(self) -> list[str]:
        return ["learner", "mean rank"]

    def _repr_html_(self) -> str:
        return html_table(self._head(), self._rows(), ". ".join(self._notes()))

    def plot(self, ax: Axes | None = None) -> Axes:
        """The critical-difference diagram: mean ranks on a line, a bar over those that are not significantly different.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        ax : matplotlib axes
        """
        k, cliques = len(self.names), self.cliques
        left = (k + 1) // 2
        depth = 0.35 * len(cliques) + 0.5
        ax = axes("plot", ax, (7, 1.2 + 0.28 * (left + len(cliques))))
        ax.plot([1, k], [0, 0], "-", color="black", lw=1)
        for rank in range(1, k + 1):
            ax.plot([rank, rank], [0, 0.12], "-", color="black", lw=1)
            ax.text(rank, 0.2, str(rank), ha="center", va="bottom")
        ax.plot([1, 1 + self.critical], [1.1, 1.1], "|-", color="black", lw=1.5)
        ax.text(1 + self.critical / 2, 1.2, f"critical difference {self.critical:.3g}", ha="center", va="bottom")
        for at, i in enumerate(self.order):
            best = at < left  # the better half is named on the left, the others on the right
            y = -(depth + 0.5 * (at if best else k - 1 - at))
            end = 0.9 if best else k + 0.1
            ax.plot([self.ranks[i], self.ranks[i], end], [0, y, y], "-", color=f"C{i % 10}", lw=1)
            text = f"{short(self.names[i])} ({self.ranks[i]:.3g})"
            ax.text(end, y, f"{text} " if best else f" {text}", ha="right" if best else "left", va="center")
        for at, some in enumerate(cliques):
            ends = [self.ranks[some[0]] - 0.03, self.ranks[some[-1]] + 0.03]
            ax.plot(ends, [-0.3 - 0.35 * at] * 2, "-", color="black", lw=4, solid_capstyle="butt", gid="clique")
        width = max(1.0, (k - 1) * 0.6)
        ax.set_xlim(1 - width, max(k, 1 + self.critical) + width)
        ax.set_ylim(-(depth + 0.5 * left), 1.8)
        ax.set_axis_off()
        return ax


def place(one: int | str, names: Sequence[str]) -> int:
    """The number of a learner, given by number or name."""
    if isinstance(one, str):
        if one not in names:
            raise ValueError(f"there is no learner {one!r}; there are {[short(n) for n in names]}")
        return list(names).index(one)
    if not isinstance(one, (int, np.integer)) or not -len(names) <= one < len(names):
        raise ValueError(f"there is no learner {one!r}; there are {len(names)}, counted from 0")
    return int(one) % len(names)


def friedman(table: MatrixLike, names: Sequence[str] | None, level: float) -> Ranks:
    """Friedman's test of the ranks of learners, by a table of scores: data sets x learners, an array or a frame."""
    if names is None and is_frame(table):
        names = table.columns
    try:
        scores = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        scores = np.empty(0)
    if scores.ndim != 2 or min(scores.shape) < 2 or not np.isfinite(scores).all():
        raise ValueError(
            "results must be a CrossValidation, several of them, or a table of finite scores with two data sets (rows) "
            "and two learners (columns) at least"
        )
    n, k = scores.shape
    if isinstance(names, str):
        raise ValueError(f"names must be one for each learner, got {names!r}")
    names = [str(one) for one in (range(k) if names is None else names)]
    if len(names) != k:
        raise ValueError(f"names has {len(names)} entries, and results {k} columns")
    scale = SCORE_ROUNDING * float(np.abs(scores).max()) or 1.0
    ranks = stats.rankdata(-np.rint(scores / scale), axis=1)  # what differs by rounding is a tie
    mean = ranks.mean(axis=0)
    spread = float(((ranks - (k + 1) / 2) ** 2).sum()) / (n * (k - 1))  # k (k + 1) / 12 without ties
    statistic = float(n * ((mean - (k + 1) / 2) ** 2).sum() / spread) if spread else 0.0
    q = float(stats.studentized_range.ppf(level, k, np.inf))
    critical = q * math.sqrt(k * (k + 1) / (12 * n))
    p = float(special.chdtrc(k - 1, statistic))
    return Ranks(tuple(names), tuple(mean.tolist()), n, statistic, k - 1, p, critical, level)
