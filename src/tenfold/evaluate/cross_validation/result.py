"""What cross-validation found: a table with intervals, the scores of each fold, what it cost."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from tenfold.evaluate.formatting import positive_note
from tenfold.stats.metrics import within_range


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Scores of learners on rows they had not seen.

    Attributes
    ----------
    given : list of str or None
        Names that the learners were given.
    learners : list
        As they were given.
    scoring : list of str
        Names of the scores.
    scores : array of shape (learners, scores, folds)
    sizes : list of (int, int)
        Rows to learn from and rows to be judged on, of each fold.
    scans : int
        How many times the rows were read.
    seconds : float
    fit_seconds : list of float
        Of estimators that were fitted in memory by themselves; 0 for those over shared scans.
    summaries : list of dict, optional
        For each learner and fold, the merged summaries that scores were read off, by kind: "Confusion", "Ranking",
        "LogLoss", "Regression"; rankings in at most 4,096 bins. Scores that need none leave none.
    classes : array, optional
        The classes that codes in the summaries stand for.
    pos_label : optional
        The class that scores of two classes, such as f1, take for the positive one.
    """

    given: list[str | None]
    learners: list[Any]
    scoring: list[str]
    scores: Any
    sizes: list[tuple[int, int]]
    scans: int
    seconds: float
    fit_seconds: list[float]
    summaries: Any = None
    classes: Any = None
    pos_label: Any = None

    @cached_property
    def names(self) -> list[str]:
        """Of the learners: as given, or what they print."""
        return [n or " ".join(repr(one).split()) for n, one in zip(self.given, self.learners, strict=True)]

    @property
    def mean(self) -> Any:
        """Mean over the folds: learners x scores."""
        return self.scores.mean(axis=2)

    def interval(self, level: float = 0.95) -> Any:
        """For each learner and score, the ends of an interval for the score on new rows.

        Folds share most of what they learn from, so their scores are not independent: the variance is corrected
        as Nadeau and Bengio propose, by the share of rows judged to rows learned from. Ends beyond what a score
        can be are moved to it.

        Parameters
        ----------
        level : float

        Returns
        -------
        ends : array of shape (learners, scores, 2)
        """
        k = self.scores.shape[2]
        if k < 2:
            return np.full((*self.mean.shape, 2), np.nan)
        share = float(np.mean([test / train for train, test in self.sizes]))
        half = stats.t.ppf(0.5 + level / 2, k - 1) * self.scores.std(axis=2, ddof=1) * math.sqrt(1 / k + share)
        ends = np.stack([self.mean - half, self.mean + half], axis=2)
        return np.stack([within_range(ends[:, s], name) for s, name in enumerate(self.scoring)], axis=1)

    @property
    def best_index(self) -> int:
        """Number of the learner with the best mean of the first score."""
        return int(np.nan_to_num(self.mean[:, 0], nan=-np.inf).argmax())

    @property
    def best(self) -> Any:
        """The learner with the best mean of the first score, as it was given."""
        return self.learners[self.best_index]

    def compare(
        self, first: Any = 0, second: Any = 1, method: Any = "corrected", *, score: Any = 0, level: float = 0.95
    ) -> Any:
        """Whether one learner is really better than another, in a sentence.

        Parameters
        ----------
        first, second : int or str
            Numbers or names of two learners.
        method : {"corrected", "paired"}
            The test; the corrected one knows that folds share what they learn from.
        score : int or str
        level : float

        Returns
        -------
        comparison : Comparison
        """
        from tenfold.evaluate.compare.compare import compare

        return compare(self, (first, second), method, score=score, level=level)

    def to_dict(self) -> dict[str, list[Any]]:
        """One row for each learner, fold and score: ready for a frame."""
        places = [(i, s, j) for i, s, j in np.ndindex(self.scores.shape)]
        return {
            "learner": [self.names[i] for i, _, _ in places],
            "score": [self.scoring[s] for _, s, _ in places],
            "fold": [j for _, _, j in places],
            "value": [float(self.scores[place]) for place in places],
        }

    def _rows(self) -> list[list[str]]:
        ends = self.interval()
        rows = []
        for i, name in enumerate(self.names):
            cells = [name if len(name) <= 60 else name[:57] + "..."]
            for s in range(len(self.scoring)):
                low, high = ends[i, s]
                cells += [f"{self.mean[i, s]:.5g}", f"{low:.5g} to {high:.5g}"]
                cells += [f"{self.scores[i, s].min():.5g}", f"{self.scores[i, s].max():.5g}"]
            rows.append(cells)
        return rows

    def _head(self) -> list[str]:
        return ["learner", *(c for s in self.scoring for c in (s, "95 % interval", "worst fold", "best fold"))]

    def _note(self) -> str:
        scans = "1 scan" if self.scans == 1 else f"{self.scans} scans"
        best = self.names[self.best_index]
        text = f"{self.scores.shape[2]} folds, {scans} of the rows, {self.seconds:.3g} s; best: {best}"
        return text + positive_note(self.scoring, self.pos_label)

    def __str__(self) -> str:
        rows = [self._head(), *self._rows()]
        widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, self._note()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        best = self.best_index
        cell = "text-align:left;padding:2px 8px"
        head = "".join(f"<th style='{cell}'>{html.escape(h)}</th>" for h in self._head())
        body = "".join(
            f"<tr{' style=font-weight:bold' if i == best else ''}>"
            + "".join(f"<td style='{cell}'>{html.escape(c)}</td>" for c in row)
            + "</tr>"
            for i, row in enumerate(self._rows())
        )
        return (
            f"<table class='tenfold-cv'><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
            f"<caption style='caption-side:bottom;text-align:left'>{html.escape(self._note())}</caption></table>"
        )

    def plot(self, score: int | str = 0, ax: Any = None) -> Any:
        """The scores of the folds, their means and intervals.

        Parameters
        ----------
        score : int or str
            Which one, if there are several.
        ax : matplotlib axes, optional

        Returns
        -------
        ax : matplotlib axes
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plot needs matplotlib. Remedy: pip install 'tenfold[plot]'") from None
        s = self.scoring.index(score) if isinstance(score, str) else score
        if ax is None:
            _, ax = plt.subplots(figsize=(7, 0.8 + 0.5 * len(self.names)), layout="constrained")
        ends = self.interval()
        for i in range(len(self.names)):
            at = len(self.names) - 1 - i
            colour = f"C{i % 10}"
            ax.plot(self.scores[i, s], np.full(self.scores.shape[2], at), "o", color=colour, alpha=0.35, ms=5, mew=0)
            ax.plot(ends[i, s], [at, at], "-", color=colour, lw=2)
            ax.plot(self.mean[i, s], at, "D", color=colour, ms=7)
        ax.set_yticks(range(len(self.names)), [n if len(n) <= 40 else n[:37] + "..." for n in reversed(self.names)])
        ax.set_ylim(-0.6, len(self.names) - 0.4)
        ax.set_xlabel(f"{self.scoring[s]} (dots: folds; line: 95 % interval of the mean)")
        ax.grid(axis="x", alpha=0.3)
        return ax
