"""What curves have in common: scores on training and on validation rows, intervals, a table and a picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Array, Codes, MatrixLike
from tenfold.engine.progress import progress
from tenfold.model_selection.cross_validation.candidates import candidates_of
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation, corrected_interval
from tenfold.model_selection.cross_validation.fit_and_score import FitAndScore
from tenfold.model_selection.cross_validation.folds import Folds, Grouping
from tenfold.model_selection.formatting import ResultTable, axes, folds_note, positive_note, scans_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

Band = Literal["interval", "std"]
COLOURS = {"train": "#d9822b", "test": "#3b82c4"}
BANDS = {"interval": " (band: 95 % interval)", "std": " (band: standard deviation)"}
LEGEND_NAMES = {"train": "training", "test": "validation"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Curve(ResultTable):
    """Scores of models along a line: by the rows they learn from, or by a parameter."""

    train_scores: Array
    test_scores: Array
    sizes: Codes
    score_name: str
    scans: int
    seconds: float
    pos_label: object = None
    division: str = ""

    def along(self) -> tuple[str, Sequence[Any]]:
        """Name and values of the x-axis of the curve."""
        raise NotImplementedError

    def interval(self, level: float = 0.95) -> Array:
        """Confidence interval of the mean validation score, for each point.

        The variance is corrected as Nadeau and Bengio propose, since folds share what they learn from.

        Parameters
        ----------
        level : float

        Returns
        -------
        ends : array of shape (points, 2)
        """
        return corrected_interval(self.test_scores, self.sizes, level, self.score_name)

    def _rows(self) -> list[list[str]]:
        low_high = self.interval()
        _, values = self.along()
        return [
            [
                f"{value:.6g}" if isinstance(value, (int, float, np.number)) else str(value),
                f"{self.train_scores[i].mean():.5g}",
                f"{self.test_scores[i].mean():.5g}",
                f"{low_high[i, 0]:.5g} to {low_high[i, 1]:.5g}",
            ]
            for i, value in enumerate(values)
        ]

    def _head(self) -> list[str]:
        return [self.along()[0], f"training {self.score_name}", "validation", "95 % interval"]

    def _note(self) -> str:
        text = f"{folds_note(self.test_scores.shape[1], self.division)}, {scans_note(self.scans, self.seconds)}"
        return text + positive_note([self.score_name], self.pos_label)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The curve, with bands.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        ax : matplotlib axes
        """
        word, values = self.along()
        return draw(values, self.train_scores, self.test_scores, self.sizes, word, self.score_name, ax).ax


def scored(
    title: str, learners: list[BaseEstimator], X: MatrixLike, y: ArrayLike | None, folds: Folds, shuffle: bool | None,
    seed: int, groups: Grouping | None,
    scoring: str | Callable[..., Any] | None, pos_label: object, shares: Array | Codes | None = None,
) -> tuple[Array, CrossValidation]:  # fmt: skip
    """The scores on training rows, learners x folds, beside what cross-validation finds on the others."""
    candidates = candidates_of(learners)
    run = FitAndScore(
        candidates, X, y, folds=folds, shuffle=shuffle, seed=seed, groups=groups, scoring=scoring,
        pos_label=pos_label, both=True, shares=shares,
    )  # fmt: skip
    with progress(title):
        cv = run.results()
    return np.array([one.learned[0] for one in candidates]), cv


class Drawn(NamedTuple):
    """Matplotlib artists of a drawn curve."""

    ax: Axes
    lines: list[Line2D]
    bands: list[FillBetweenPolyCollection]


def draw(
    values: Sequence[Any],
    train: Array,
    test: Array,
    sizes: Codes | None,
    word: str,
    score: str,
    ax: Axes | None = None,
    *,
    which: Sequence[str] = ("train", "test"),
    band: Band | None = "interval",
    style: Mapping[str, Any] | None = None,
) -> Drawn:
    """Draw a curve, on training rows and on others, with bands."""
    ax = axes("plot", ax, (6.4, 4))
    numbers = all(isinstance(v, (int, float, np.number)) and not isinstance(v, (bool, np.bool_)) for v in values)
    x = np.asarray(values, dtype=float) if numbers else np.arange(len(values))
    found = Drawn(ax, [], [])
    for name in which:
        scores = {"train": train, "test": test}[name]
        middle = scores.mean(axis=1)
        shown, rows = (band, sizes) if name == "test" else (band and "std", None)
        around = _band(scores, rows, shown, score)
        said = LEGEND_NAMES[name] + (BANDS[band] if name == "test" and band is not None and around is not None else "")
        look = {"color": COLOURS[name], "marker": "o", "markersize": 4, "label": said, **(style or {})}
        found.lines.extend(ax.plot(x, middle, **look))
        if around is not None:
            found.bands.append(ax.fill_between(x, *around, color=look["color"], alpha=0.15, linewidth=0))
    if not numbers:
        ax.set_xticks(x, [str(v) for v in values])
    elif len(x) > 2 and x.min() > 0 and _even(np.log(np.sort(x))) < _even(np.sort(x)):
        ax.set_xscale("log")
    ax.set(xlabel=word, ylabel=score)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return found


def _band(scores: Array, sizes: Codes | None, band: Band | None, score: str) -> tuple[Array, Array] | None:
    if band is None or scores.shape[1] < 2:
        return None
    if band == "interval":
        low, high = corrected_interval(scores, sizes, score=score).T
        return low, high
    middle, spread = scores.mean(axis=1), scores.std(axis=1)
    return middle - spread, middle + spread


def _even(x: Array) -> float:
    """How unevenly numbers are spaced: 0 if not at all."""
    steps = np.diff(x)
    return float(steps.std() / steps.mean()) if steps.mean() > 0 else math.inf
