"""What cross-validation found: a table with intervals, the scores of each fold, what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator

from tenfold.core import Array, Codes, Labels
from tenfold.metrics.scoring import Summary
from tenfold.model_selection.formatting import ResultTable, axes, folds_note, positive_note, scans_note, shortened
from tenfold.stats.metrics import within_range

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tenfold.model_selection.comparison.comparison_result import Comparison


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(ResultTable):
    """Scores of learners on unseen rows.

    Attributes
    ----------
    given : list of str or None
        Names that the learners were given.
    learners : list
        As they were given.
    scoring : list of str
        Names of the scores: those that `scoring={name: score}` gave, else scikit-learn's.
    scores : array of shape (learners, scores, folds)
    sizes : list of (int, int)
        training rows and test rows, of each fold.
    scans : int
        How many times the rows were read.
    seconds : float
    fit_seconds : list of float
        Of estimators that were fitted in memory by themselves; 0 for those over shared scans.
    summaries : list of dict, optional
        For each learner and fold, the merged summaries that scores were read off, by kind: "Confusion", "Ranking",
        "LogLoss", "Regression"; rankings in at most 4,096 bins. Scores that need none leave none.
    classes : array, optional
        The class labels of the codes in the summaries.
    pos_label : optional
        The class that scores of two classes, such as f1, take for the positive one.
    metrics : list of str, optional
        Which scores they are, by scikit-learn's names; None if these are in `scoring`.
    division : str
        How rows were divided into folds, such as "one for each file"; empty if the arguments alone say it.
    """

    given: list[str | None]
    learners: list[BaseEstimator]
    scoring: list[str]
    scores: Array
    sizes: list[tuple[int, int]]
    scans: int
    seconds: float
    fit_seconds: list[float]
    summaries: list[dict[int, dict[str, Summary]]] | None = None
    classes: Labels | None = None
    pos_label: object = None
    metrics: list[str] | None = None
    division: str = ""

    def keys(self) -> list[str]:
        """Keys of the scores of one learner, as scikit-learn has them: `test_score`, or `test_` and each name."""
        return ["test_score"] if len(self.scoring) == 1 else [f"test_{name}" for name in self.scoring]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, key: str) -> Array:
        """Return the scores of each fold: `results["test_score"]`, `results["test_accuracy"]`."""
        known = {name: k for k, name in enumerate(self.keys())} | {f"test_{s}": k for k, s in enumerate(self.scoring)}
        if key not in known:
            raise KeyError(f"{key!r}: there are {self.keys()}; of times, `seconds` and `fit_seconds`")
        if len(self.learners) > 1:
            raise KeyError(f"{key!r}: there are {len(self.learners)} learners. Remedy: .scores[learner, score]")
        scores: Array = self.scores[0, known[key]]
        return scores

    @cached_property
    def names(self) -> list[str]:
        """Names of the learners: as given, or their representations."""
        return [n or " ".join(repr(one).split()) for n, one in zip(self.given, self.learners, strict=True)]

    @property
    def mean(self) -> Array:
        """Mean over the folds: learners x scores."""
        mean: Array = self.scores.mean(axis=2)
        return mean

    def interval(self, level: float = 0.95) -> Array:
        """Confidence interval of the score on unseen rows, for each learner and score.

        Folds share most of what they learn from, so their scores are not independent: the variance is corrected
        as Nadeau and Bengio propose, by the share of rows scored to training rows. Ends beyond what a score
        can be are moved to it.

        Parameters
        ----------
        level : float

        Returns
        -------
        ends : array of shape (learners, scores, 2)
        """
        sizes = np.array(self.sizes)[None]
        each = [
            corrected_interval(self.scores[:, s], sizes, level, name)
            for s, name in enumerate(self.metrics or self.scoring)
        ]
        return np.stack(each, axis=1)

    @property
    def best_index(self) -> int:
        """Number of the learner with the best mean of the first score."""
        return int(np.nan_to_num(self.mean[:, 0], nan=-np.inf).argmax())

    @property
    def best(self) -> BaseEstimator:
        """The learner with the best mean of the first score, as it was given."""
        return self.learners[self.best_index]

    def compare(
        self,
        first: int | str = 0,
        second: int | str = 1,
        method: Literal["corrected", "paired", "5x2"] = "corrected",
        *,
        score: int | str = 0,
        level: float = 0.95,
    ) -> Comparison:
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
        from tenfold.model_selection.comparison.compare import compare

        return compare(self, (first, second), method, score=score, level=level)

    def to_dict(self) -> dict[str, list[str] | list[int] | list[float]]:
        """Columns of a table with one row for each learner, fold and score."""
        places = list(np.ndindex(self.scores.shape))
        return {
            "learner": [self.names[i] for i, _, _ in places],
            "score": [self.scoring[s] for _, s, _ in places],
            "fold": [j for _, _, j in places],
            "value": self.scores.ravel().tolist(),
        }

    def _rows(self) -> list[list[str]]:
        ends = self.interval()
        rows = []
        for i, name in enumerate(shortened(self.names, 60)):
            cells = [name]
            for scores, (low, high) in zip(self.scores[i], ends[i], strict=True):
                cells += [f"{scores.mean():.5g}", f"{low:.5g} to {high:.5g}"]
                cells += [f"{scores.min():.5g}", f"{scores.max():.5g}"]
            rows.append(cells)
        return rows

    def _head(self) -> list[str]:
        means = ["mean"] * len(self.scoring) if self._groups() else self.scoring
        return ["learner", *(cell for mean in means for cell in (mean, "95 % interval", "worst fold", "best fold"))]

    def _groups(self) -> list[tuple[str, int]]:
        return [("", 1), *((score, 4) for score in self.scoring)] if len(self.scoring) > 1 else []

    def _note(self) -> str:
        text = f"{folds_note(self.scores.shape[2], self.division)}, {scans_note(self.scans, self.seconds)}"
        if len(self.learners) > 1:
            text += f"; best: {shortened(self.names, 60)[self._bold()]}"
        return text + positive_note(self.metrics or self.scoring, self.pos_label)

    def _bold(self) -> int:
        return self.best_index

    def plot(self, score: int | str = 0, ax: Axes | None = None) -> Axes:
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
        ax = axes("plot", ax, (7, 0.8 + 0.5 * len(self.names)))
        s = self.scoring.index(score) if isinstance(score, str) else score
        ends = self.interval()
        for i in range(len(self.names)):
            at = len(self.names) - 1 - i
            colour = f"C{i % 10}"
            ax.plot(self.scores[i, s], np.full(self.scores.shape[2], at), "o", color=colour, alpha=0.35, ms=5, mew=0)
            ax.plot(ends[i, s], [at, at], "-", color=colour, lw=2)
            ax.plot(self.mean[i, s], at, "D", color=colour, ms=7)
        ax.set_yticks(range(len(self.names)), shortened(self.names)[::-1])
        ax.set_ylim(-0.6, len(self.names) - 0.4)
        ax.set_xlabel(f"{self.scoring[s]} (dots: folds; line: 95 % interval of the mean)")
        ax.grid(axis="x", alpha=0.3)
        return ax


def corrected_interval(scores: Array, sizes: Codes | None, level: float = 0.95, score: str = "") -> Array:
    """Ends of intervals for means over folds, no further out than a score can be: points x 2.

    `scores` are points x folds; `sizes` are the Training rows and test rows, points (or 1) x folds x 2. Each size has
    its own correction. With few rows, the training sets of all folds are nearly the same, so folds underestimate
    the variance over other draws of rows: intervals of small sizes are wide, and have to be.
    """
    k, mean = scores.shape[1], scores.mean(axis=1)
    if k < 2:
        return np.full((len(mean), 2), np.nan)
    share = 0.0 if sizes is None else (sizes[:, :, 1] / sizes[:, :, 0]).mean(axis=1)
    half = stats.t.ppf(0.5 + level / 2, k - 1) * scores.std(axis=1, ddof=1) * np.sqrt(1 / k + share)
    found: Array = within_range(np.stack([mean - half, mean + half], axis=1), score)
    return found
