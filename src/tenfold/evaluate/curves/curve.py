"""What curves have in common: scores on rows learned from and on rows not, intervals, a table and a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy import stats

from tenfold.evaluate.formatting import html_table, in_columns, positive_note
from tenfold.stats.metrics import within_range

Band = Literal["interval", "std"]
COLOURS = {"train": "#d9822b", "test": "#3b82c4"}
BANDS = {"interval": " (band: 95 % interval)", "std": " (band: standard deviation)"}
SAID = {"train": "rows learned from", "test": "rows not seen"}


class Curve:
    """Scores of models along a line: by the rows they learn from, or by a parameter."""

    train_scores: Any
    test_scores: Any
    sizes: Any
    score_name: str
    scans: int
    seconds: float
    pos_label: Any

    def along(self) -> tuple[str, Sequence[Any]]:
        """What changes along the curve, and its values."""
        raise NotImplementedError

    def interval(self, level: float = 0.95) -> Any:
        """For each point, the ends of an interval for the mean score on rows not seen.

        The variance is corrected as Nadeau and Bengio propose, since folds share what they learn from.

        Parameters
        ----------
        level : float

        Returns
        -------
        ends : array of shape (points, 2)
        """
        return ends(self.test_scores, self.sizes, level, self.score_name)

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
        return [self.along()[0], f"{self.score_name}, learned from", "not seen", "95 % interval"]

    def _note(self) -> str:
        scans = "1 scan" if self.scans == 1 else f"{self.scans} scans"
        text = f"{self.test_scores.shape[1]} folds, {scans} of the rows, {self.seconds:.3g} s"
        return text + positive_note([self.score_name], self.pos_label)

    def __str__(self) -> str:
        return in_columns([self._head(), *self._rows()]) + "\n" + self._note()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._head(), self._rows(), self._note())

    def plot(self, ax: Any = None) -> Any:
        """The curve, with bands.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        ax : matplotlib axes
        """
        word, values = self.along()
        drawn = draw(values, self.train_scores, self.test_scores, self.sizes, word, self.score_name, ax)
        return drawn["ax"]


def ends(scores: Any, sizes: Any, level: float = 0.95, score: str = "") -> Any:
    """Of intervals for means over folds: points x 2; `sizes` are rows learned from and judged on, points x folds x 2.

    Each size has its own correction. Models of few rows learn from nearly the same ones in every fold, so that folds
    tell little of how another draw of rows would do: intervals of small sizes are wide, and have to be.
    """
    k = scores.shape[1]
    mean = scores.mean(axis=1)
    if k < 2:
        return np.full((len(mean), 2), np.nan)
    share = 0.0 if sizes is None else (sizes[:, :, 1] / sizes[:, :, 0]).mean(axis=1)
    half = stats.t.ppf(0.5 + level / 2, k - 1) * scores.std(axis=1, ddof=1) * np.sqrt(1 / k + share)
    return within_range(np.stack([mean - half, mean + half], axis=1), score)


def draw(
    values: Any,
    train: Any,
    test: Any,
    sizes: Any,
    word: str,
    score: str,
    ax: Any = None,
    *,
    which: Sequence[str] = ("train", "test"),
    band: Band | None = "interval",
    style: Any = None,
) -> dict[str, Any]:
    """Draw a curve; the axes, lines and bands that came of it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot needs matplotlib. Remedy: pip install 'tenfold[plot]'") from None
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
    numbers = all(isinstance(v, (int, float, np.number)) and not isinstance(v, (bool, np.bool_)) for v in values)
    x = np.asarray(values, dtype=float) if numbers else np.arange(len(values))
    lines, bands = [], []
    for name in which:
        scores = {"train": train, "test": test}[name]
        middle = scores.mean(axis=1)
        shown, rows = (band, sizes) if name == "test" else (band and "std", None)
        around = _band(scores, rows, shown, score)
        said = SAID[name] + (BANDS[band] if name == "test" and band is not None and around is not None else "")
        look = {"color": COLOURS[name], "marker": "o", "markersize": 4, "label": said, **(style or {})}
        lines += ax.plot(x, middle, **look)
        if around is not None:
            bands.append(ax.fill_between(x, *around, color=look["color"], alpha=0.15, linewidth=0))
    if not numbers:
        ax.set_xticks(x, [str(v) for v in values])
    elif len(x) > 2 and x.min() > 0 and _even(np.log(np.sort(x))) < _even(np.sort(x)):
        ax.set_xscale("log")
    ax.set(xlabel=word, ylabel=score)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return {"ax": ax, "lines": lines, "bands": bands}


def _band(scores: Any, sizes: Any, band: Any, score: str) -> Any:
    if band is None or scores.shape[1] < 2:
        return None
    if band == "interval":
        return ends(scores, sizes, score=score).T
    middle, spread = scores.mean(axis=1), scores.std(axis=1)
    return middle - spread, middle + spread


def _even(x: Any) -> float:
    """How unevenly numbers are spaced: 0 if not at all."""
    steps = np.diff(x)
    return float(steps.std() / steps.mean()) if steps.mean() > 0 else math.inf
