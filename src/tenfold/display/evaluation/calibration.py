"""The calibration curve, from merged bins, with exact intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import BaseEstimator

from tenfold.core import Array, Codes, MatrixLike
from tenfold.display.drawing import (
    Predicted,
    Summarize,
    Summarized,
    chance_line,
    finish,
    of_class,
    predicted,
    summarized,
    summarized_folds,
)
from tenfold.engine import merge
from tenfold.model_selection.formatting import axes, percent, pyplot
from tenfold.stats.metrics import Calibration, Ranking
from tenfold.stats.metrics.calibration import even_edges, quantile_edges
from tenfold.theory.checks import fraction, one_of, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

S = TypeVar("S", Ranking, Calibration)

Strategy = Literal["uniform", "quantile"]


class CalibrationDisplay:
    """Calibration curve: share of positives by predicted probability, with an interval for each bin.

    If rows of a bin are drawn independently, the true share of positives of the bin is within its interval with the
    confidence of `level` at least: it is that of Clopper and Pearson. With weights it is taken at the
    effective number of rows (Korn and Graubard).

    Parameters
    ----------
    prob_true : array of shape (bins,)
        Share of the positives of each bin that has rows.
    prob_pred : array of shape (bins,)
        Mean probability there.
    y_prob : array, optional
        The probabilities, if they were given as an array.
    estimator_name : str, optional
        What the curve is called in the legend.
    pos_label : optional
        The positive class, named on the axes.
    interval : array of shape (2, bins), optional
        Ends of the intervals.
    rows : array of shape (bins,), optional
        How many rows each bin has.
    expected_error : float, optional
        Mean distance from the diagonal, over the rows.
    level : float, default=0.95
        Of the intervals.

    Attributes
    ----------
    line_ : matplotlib line
    bars_ : matplotlib lines of the intervals, or None
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> display = tn.display.CalibrationDisplay.from_predictions([0, 1, 0, 1, 1], [0.1, 0.4, 0.3, 0.8, 0.9], n_bins=2)
    >>> display.prob_true.round(2), display.interval.round(2).tolist()
    (array([0.33, 1.  ]), [[0.01, 0.16], [0.91, 1.0]])
    """

    def __init__(
        self,
        prob_true: Array,
        prob_pred: Array,
        y_prob: Predicted | None = None,
        *,
        estimator_name: str | None = None,
        pos_label: object = None,
        interval: Array | None = None,
        rows: Codes | None = None,
        expected_error: float | None = None,
        level: float = 0.95,
    ) -> None:
        self.prob_true, self.prob_pred, self.y_prob = prob_true, prob_pred, y_prob
        self.estimator_name, self.pos_label = estimator_name, pos_label
        self.interval, self.rows, self.expected_error, self.level = interval, rows, expected_error, level

    def plot(
        self,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        ref_line: bool = True,
        despine: bool = True,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
        name : str, optional
        ref_line : bool, default=True
            Whether to draw the diagonal of perfect calibration.
        despine : bool, default=True
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        display : CalibrationDisplay
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        if ref_line:
            chance_line(self.ax_, (0, 1), "perfectly calibrated")
        shown = name or self.estimator_name
        words = [] if self.expected_error is None else [f"off by {self.expected_error:.3f}"]
        words += [] if self.interval is None else [f"bars: {percent(self.level)}"]
        label = f"{shown or 'Classifier'} ({', '.join(words)})" if words else shown
        look = {"marker": "o", "markersize": 5, "linewidth": 1.5, "label": label, **kwargs}
        (self.line_,) = self.ax_.plot(self.prob_pred, self.prob_true, **look)
        self.bars_ = None
        if self.interval is not None:
            self.bars_ = self.ax_.vlines(
                self.prob_pred, *self.interval, color=self.line_.get_color(), alpha=0.6, linewidth=1.5
            )
        of = of_class(self.pos_label)
        self.ax_.set(
            xlabel=f"mean predicted probability{of}", ylabel=f"share of positives{of}", xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02), aspect="equal",
        )  # fmt: skip
        finish(self.ax_, despine, "upper left")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        n_bins: int = 5,
        strategy: Strategy = "uniform",
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """Draw the curve of a fitted classifier on unseen rows.

        Parameters
        ----------
        estimator : classifier
            Fitted, with probabilities: of tenfold, a pipeline, or of scikit-learn.
        X : array, frame or Source
            A Source brings its own target and weights, and is read part by part; twice with "quantile".
        y : array, optional
        n_bins : int, default=5
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins of the same width, or of about as many rows.
        sample_weight : array, optional
        pos_label : optional
            The second class by default.
        name : str, optional
        level : float, default=0.95
            Of the intervals.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : CalibrationDisplay
        """
        pyplot(cls.__name__)

        def of(summarize: Summarize[S]) -> Summarized[S]:
            return summarized(estimator, X, y, sample_weight, pos_label, "probability", summarize)

        edges = _edges(n_bins, strategy, lambda: of(Ranking.of).summary)
        found = of(partial(Calibration.of, edges=edges))
        return cls._of(found, name or type(estimator).__name__, level).plot(ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | None,
        y_prob: Predicted,
        *,
        n_bins: int = 5,
        strategy: Strategy = "uniform",
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """Draw the curve of probabilities.

        Parameters
        ----------
        y_true : array, or None if y_prob is a Source
        y_prob : array, or Source
            Probabilities of the positive class, or of both; or `model.predict_proba(source)`, which keeps the target
            of its rows.
        n_bins, strategy, sample_weight, pos_label, name, level, ax
            As in `from_estimator`; pos_label is 1 by default, if classes are 0 and 1 or -1 and 1.
        **kwargs
            For `plot`.

        Returns
        -------
        display : CalibrationDisplay
        """
        pyplot(cls.__name__)

        def of(summarize: Summarize[S]) -> Summarized[S]:
            return predicted(y_true, y_prob, sample_weight, pos_label, summarize)

        edges = _edges(n_bins, strategy, lambda: of(Ranking.of).summary)
        one = cls._of(of(partial(Calibration.of, edges=edges)), name or "Classifier", level)
        one.y_prob = y_prob
        return one.plot(ax=ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: MatrixLike,
        y: ArrayLike,
        *,
        n_bins: int = 5,
        strategy: Strategy = "uniform",
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """Draw one curve of all folds: each row has a probability by the model fitted without it.

        Parameters
        ----------
        cv_results : dict of scikit-learn's cross_validate
            With its estimators and indices.
        X, y, sample_weight : array or frame
        n_bins, strategy, pos_label, name, level, ax
            As in `from_estimator`.
        **kwargs
            For `plot`.

        Returns
        -------
        display : CalibrationDisplay
        """
        pyplot(cls.__name__)

        rows = (X, y, sample_weight, pos_label)
        ranking = partial(summarized_folds, cv_results, "probability", Ranking.of, *rows)
        edges = _edges(n_bins, strategy, lambda: merge(ranking().each))
        folds = summarized_folds(cv_results, "probability", partial(Calibration.of, edges=edges), *rows)
        found = Summarized(merge(folds.each), folds.label, sample_weight is not None)
        return cls._of(found, name or folds.name, level).plot(ax=ax, **kwargs)

    @classmethod
    def _of(cls, summarized: Summarized[Calibration], name: str, level: float) -> CalibrationDisplay:
        found, label, _ = summarized
        return cls(
            found.prob_true,
            found.prob_pred,
            estimator_name=name,
            pos_label=label,
            interval=share_interval(found, level),
            rows=found.rows[found.filled],
            expected_error=found.expected_error,
            level=level,
        )


def _edges(n_bins: int, strategy: str, ranking: Callable[[], Ranking]) -> Array:
    whole("n_bins", n_bins)
    if one_of("strategy", strategy, ("uniform", "quantile")) == "uniform":
        return even_edges(n_bins)
    return quantile_edges(ranking(), n_bins)


def share_interval(found: Calibration, level: float) -> Array:
    """Ends for the share of positives of each bin that has rows: exact, at the effective number of rows."""
    tail = (1 - fraction("level", level)) / 2
    filled = found.filled
    n = found.weight[filled] ** 2 / found.squares[filled]
    x = found.prob_true * n
    low = np.where(x > 0, special.betaincinv(np.maximum(x, 1e-300), n - x + 1, tail), 0.0)
    high = np.where(x < n, special.betainccinv(x + 1, np.maximum(n - x, 1e-300), tail), 1.0)
    return np.array([low, high])
