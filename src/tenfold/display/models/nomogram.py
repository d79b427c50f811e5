"""Nomogram of naive Bayes: the log-odds that each column contributes to one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, Column, Columns, MatrixLike
from tenfold.model_selection.formatting import axes, pyplot
from tenfold.naive_bayes.naive_bayes import CATEGORICAL, GAUSSIAN, POISSON, MixedModel, NaiveBayes, column_evidence
from tenfold.theory.checks import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICKS_PER_COLUMN = 5
"""approximate number of marked values of a numeric column"""


class NomogramScale(NamedTuple):
    """The values of a column, and the log-odds of each."""

    name: str
    labels: list[str]
    odds: Array
    """log-odds of each value that has a label"""
    label: str
    """the value of the row, "?" if it is missing or was never seen"""
    point: float
    """its log-odds, 0 if it is missing"""


class NomogramDisplay:
    """Contribution of each column to the log-odds of a row, for one class against another.

    Each line is a column with the log-odds of its values; the dot is the row's. Their sum, with the prior log-odds
    log-odds of the two classes, is the log-odds of this row.

    Parameters
    ----------
    scales : list of Scale
        For each column its name, labels of values and their log-odds, the value of the row and its log-odds.
    prior : float
        Log-odds of the two classes before a column is seen.
    classes : tuple
        The class that is spoken for, and the one against it.

    Attributes
    ----------
    total : float
        Log-odds of the two classes for this row.
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> X = pd.DataFrame({"sky": ["sun", "rain", "rain", "sun"], "wind": [0, 1, 1, 1]})
    >>> model = tn.NaiveBayes().fit(X, ["go", "stay", "stay", "go"])
    >>> display = tn.display.NomogramDisplay.from_estimator(model, X[:1], pos_label="go")
    >>> {scale.name: round(scale.point, 2) for scale in display.scales}, round(display.total, 2)
    ({'sky': 1.1, 'wind': 0.69}, 1.79)
    """

    def __init__(self, *, scales: list[NomogramScale], prior: float, classes: tuple[Any, Any]) -> None:
        self.scales, self.prior, self.classes = scales, prior, classes
        self.total = prior + sum(scale.point for scale in scales)

    def plot(self, ax: Axes | None = None, *, most: int = 12, despine: bool = True, **kwargs: Any) -> NomogramDisplay:
        """Draw the scales, the most influential columns on top, and the sum below them.

        Parameters
        ----------
        ax : matplotlib axes, optional
        most : int, default=12
            Maximum number of columns to draw; the others are summed in one line.
        despine : bool, default=True
        **kwargs
            For matplotlib's `plot`, of the dots.

        Returns
        -------
        display : NomogramDisplay
        """
        order = sorted(self.scales, key=lambda scale: -abs(scale.point))
        shown, rest = order[: whole("most", most)], order[most:]
        lines = [*shown]
        if rest:
            lines.append(
                NomogramScale(f"{len(rest)} more columns", [], np.zeros(0), "", sum(scale.point for scale in rest))
            )
        lines.append(NomogramScale("before any column", [], np.zeros(0), "", self.prior))
        self.ax_ = axes(type(self).__name__, ax, (7.5, 1.6 + 0.5 * (len(lines) + 1)))
        self.figure_ = self.ax_.figure
        finite = [abs(scale.point) for scale in lines if np.isfinite(scale.point)]
        dots = max(1.0, abs(self.total) if np.isfinite(self.total) else 0.0, *finite)
        widest = 1.1 * min(2 * dots, max(dots, *(np.abs(s.odds[np.isfinite(s.odds)]).max(initial=0.0) for s in lines)))
        look = {"marker": "o", "markersize": 7, "linestyle": "none", "color": "#c4543b", "zorder": 3, **kwargs}
        for at, scale in zip(range(len(lines), 0, -1), lines, strict=True):
            self._line(scale, at, widest, look)
        self._sum(widest, {**look, "marker": "D"})
        self.ax_.axvline(0, color="#777777", linewidth=1, linestyle=(0, (4, 3)), zorder=0)
        names = [f"{s.name} = {s.label}" if s.label else s.name for s in lines]
        self.ax_.set_yticks(range(len(lines), -1, -1), [*names, "together"])
        yes, no = self.classes
        self.ax_.set(xlim=(-widest, widest), ylim=(-0.9, len(lines) + 0.6))
        self.ax_.set(xlabel=f"log-odds\n{no} ←          → {yes}")
        self.ax_.tick_params(axis="y", length=0)
        if despine:
            self.ax_.spines[["top", "right", "left"]].set_visible(False)
        return self

    def _line(self, scale: NomogramScale, at: int, widest: float, look: dict[str, Any]) -> None:
        """Draw one column: its scale, the marks of its values, and the dot of the row."""
        inside = np.flatnonzero(np.abs(scale.odds) <= widest)
        if len(scale.odds):
            low, high = np.clip([scale.odds.min(), scale.odds.max()], -widest, widest)
            self.ax_.hlines(at, low, high, color="#3b82c4", linewidth=1.5, alpha=0.7)
            self.ax_.plot(scale.odds[inside], np.full(len(inside), at), "|", color="#3b82c4", markersize=7)
        taken = {1: -np.inf, -1: -np.inf}  # where the last label above, and below, ends
        for k in inside[np.argsort(scale.odds[inside], kind="stable")]:
            wide = 0.012 * widest * (len(scale.labels[k]) + 2)
            side = next((s for s in (1, -1) if scale.odds[k] - wide > taken[s]), 0)
            if side:
                self.ax_.annotate(
                    scale.labels[k],
                    (scale.odds[k], at),
                    xytext=(0, 4 * side),
                    textcoords="offset points",
                    ha="center",
                    va="bottom" if side > 0 else "top",
                    fontsize=7,
                    color="#555555",
                )
                taken[side] = scale.odds[k] + wide
        self.ax_.plot([np.clip(scale.point, -widest, widest)], [at], **look)

    def _sum(self, widest: float, look: dict[str, Any]) -> None:
        """The sum, on a scale of probabilities."""
        p = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999])
        odds = np.log(p / (1 - p))
        some = np.abs(odds) <= widest
        self.ax_.hlines(0, -widest, widest, color="#777777", linewidth=1.5)
        self.ax_.plot(odds[some], np.zeros(some.sum()), "|", color="#777777", markersize=7)
        for place, share in zip(odds[some], p[some], strict=True):
            self.ax_.text(place, -0.22, f"{share:g}", ha="center", va="top", fontsize=7, color="#555555")
        self.ax_.plot([np.clip(self.total, -widest, widest)], [0], **look)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        *,
        pos_label: object = None,
        against: object = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> NomogramDisplay:
        """Draw the nomogram of a fitted naive Bayes model for one row.

        Parameters
        ----------
        estimator : NaiveBayes
        X : array or frame of one row
        pos_label : optional
            The class that is spoken for; by default the more probable one.
        against : optional
            The class against it; by default the most probable of the others.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : NomogramDisplay
        """
        pyplot(cls.__name__)
        if not isinstance(estimator, NaiveBayes):
            raise TypeError(f"{type(estimator).__name__} has no evidence column by column. Remedy: NaiveBayes")
        check_is_fitted(estimator)
        rows = np.asarray(estimator._apply(_values, X, list))
        if len(rows) != 1:
            raise ValueError(f"a nomogram is of one row, and X has {len(rows)}. Remedy: X[:1]")
        model: MixedModel = estimator.model_
        joint = model.class_log_prior + estimator.evidence(X)[0].sum(axis=0)
        classes = estimator.classes_.tolist()
        if len(classes) < 2:
            raise ValueError("a nomogram is of two classes, and there is one")
        yes = _place(classes, pos_label, joint, None)
        no = _place(classes, against, joint, yes)
        if yes == no:
            raise ValueError(f"a class against itself: {classes[yes]!r}")
        columns = zip(estimator.schema_.columns, rows[0], strict=True)
        scales = [_scale(model, j, column, value, yes, no) for j, (column, value) in enumerate(columns)]
        prior = float(_less(model.class_log_prior[[yes]], model.class_log_prior[[no]])[0])
        return cls(scales=scales, prior=prior, classes=(classes[yes], classes[no])).plot(ax, **kwargs)


def _values(learner: NaiveBayes, model: MixedModel, X: Columns) -> Array:
    """The rows as the model sees them: numbers, and codes of categories."""
    return X.take(np.arange(len(X)))


def _place(classes: list[Any], given: object, joint: Array, other: int | None) -> int:
    """The number of a class; the most probable one but another, if none is given."""
    if given is None:
        return int(np.argmax(np.where(np.arange(len(classes)) == other, -np.inf, joint)))
    if given not in classes:
        raise ValueError(f"{given!r} is not one of the classes {classes}")
    at: int = classes.index(given)
    return at


def _scale(model: MixedModel, j: int, column: Column, value: float, yes: int, no: int) -> NomogramScale:
    """Values of a column with their log-odds, and those of the row."""

    def odds(x: Array) -> Array:
        said = column_evidence(model, j, x)
        return _less(said[:, yes], said[:, no])

    seen = value == value and not (model.kind[j] == CATEGORICAL and value < 0)
    if model.kind[j] == CATEGORICAL:
        marks = np.arange(len(column.categories), dtype=np.float64)
        labels = [str(label) for label in column.categories]
        text = labels[int(value)] if seen else ""
    else:
        marks = _marks(model, j, yes, no)
        labels = [f"{x:g}" for x in marks]
        text = f"{value:.4g}" if seen else ""
    return NomogramScale(column.name, labels, odds(marks), text or "?", float(odds(np.array([value]))[0]))


def _marks(model: MixedModel, j: int, yes: int, no: int) -> Array:
    """Round numbers where either class has most of its rows."""
    from matplotlib.ticker import MaxNLocator

    theta, both = model.theta[:, j], [yes, no]
    if model.kind[j] == GAUSSIAN:
        reach = 2 * np.sqrt(model.var[both, j])
        low, high = float((theta[both] - reach).min()), float((theta[both] + reach).max())
    elif model.kind[j] == POISSON:
        low, high = 0.0, float((theta[both] + 2 * np.sqrt(theta[both])).max())
    else:
        return np.array([0.0, 1.0])
    found = np.asarray(
        MaxNLocator(TICKS_PER_COLUMN, integer=model.kind[j] == POISSON).tick_values(low, high), dtype=np.float64
    )
    return found[(found >= low) & (found <= high)]


def _less(a: Array, b: Array) -> Array:
    """a - b, and 0 where neither class allows it."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(np.isneginf(a) & np.isneginf(b), 0.0, a - b))
