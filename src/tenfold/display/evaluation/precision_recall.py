"""The curve of precision and recall, from a merged ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Array, MatrixLike
from tenfold.display.drawing import Predicted, Results, Summarized, folds_of, legend_of, predicted, summarized
from tenfold.display.evaluation.score_curve import PlottedCurve, ScoreCurve
from tenfold.metrics.predictors import Response
from tenfold.model_selection.formatting import pyplot
from tenfold.stats.metrics import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PrecisionRecallDisplay(ScoreCurve):
    """Precision (what share of the rows taken for positive is so) by recall (what share of the positives is found).

    Parameters
    ----------
    precision, recall : array, or list of arrays
        Precision and recall at each threshold.
    average_precision : float or list of float, optional
        The area under the curve, in steps.
    name : str, optional
        What the curve is called in the legend.
    pos_label : optional
        The positive class, named on the axes.
    prevalence_pos_label : float or list of float, optional
        Share of the positives: the precision of chance.
    interval : (float, float), optional
        Ends of a 95 % interval for the mean average precision of several curves; shown in the legend.

    Attributes
    ----------
    line_ : matplotlib line, or list of them
    chance_level_ : matplotlib line or None
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> display = tn.display.PrecisionRecallDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.2])
    >>> display.average_precision
    1.0
    """

    def __init__(
        self,
        precision: Array | list[Array],
        recall: Array | list[Array],
        *,
        average_precision: float | list[float] | None = None,
        name: str | None = None,
        pos_label: object = None,
        prevalence_pos_label: float | list[float] | None = None,
        interval: tuple[float, float] | None = None,
    ) -> None:
        self.precision, self.recall, self.average_precision = precision, recall, average_precision
        self.name, self.pos_label, self.prevalence_pos_label = name, pos_label, prevalence_pos_label
        self.interval = interval

    def _curve(self, name: str | None) -> PlottedCurve:
        label, chance = legend_of(name, "AP", self.average_precision, self.interval, 0.95), None
        if self.prevalence_pos_label is not None:
            share = float(np.mean(self.prevalence_pos_label))
            chance = ((share, share), f"chance (AP = {share:.2f})")
        steps = {"drawstyle": "steps-post"}  # between two thresholds nothing is known
        return PlottedCurve(self.recall, self.precision, label, chance, ("recall", "precision"), "lower left", steps)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: Response = "auto",
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> PrecisionRecallDisplay:
        """Draw the curve of a fitted classifier on unseen rows.

        Parameters
        ----------
        estimator : classifier
            Fitted: of tenfold, a pipeline, or of scikit-learn.
        X : array, frame or Source
            A Source brings its own target and weights, and is read part by part.
        y, sample_weight : array, optional
        response_method : {"auto", "predict_proba", "decision_function"}
        pos_label : optional
            The second class by default.
        name : str, optional
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : PrecisionRecallDisplay
        """
        pyplot(cls.__name__)
        found = summarized(estimator, X, y, sample_weight, pos_label, "score", Ranking.of, response_method)
        return cls._of(found, name or type(estimator).__name__).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | None,
        y_score: Predicted,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> PrecisionRecallDisplay:
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array, or None if y_score is a Source
        y_score : array, or Source
            Scores of the positive class, or probabilities of both; or `model.predict_proba(source)`, which keeps the
            target of its rows.
        sample_weight : array, optional
        pos_label, name, ax
            As in `from_estimator`; pos_label is 1 by default, if classes are 0 and 1 or -1 and 1.
        **kwargs
            For `plot`.

        Returns
        -------
        display : PrecisionRecallDisplay
        """
        pyplot(cls.__name__)
        found = predicted(y_true, y_score, sample_weight, pos_label, Ranking.of)
        return cls._of(found, name or "Classifier").plot(ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Results,
        X: MatrixLike = None,
        y: ArrayLike | None = None,
        *,
        learner: int | str = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> PrecisionRecallDisplay:
        """Draw the curves of all folds.

        Parameters
        ----------
        cv_results : CrossValidation, or dict of scikit-learn's cross_validate
            The former by `scoring="average_precision"` or "roc_auc": it keeps the rankings, and no rows are needed.
            The latter with its estimators and indices.
        X, y, sample_weight : array or frame, optional
            With scikit-learn's.
        learner : int or str, default=0
            Which one of a CrossValidation.
        pos_label, name, ax
            As in `from_estimator`.
        **kwargs
            For `plot`.

        Returns
        -------
        display : PrecisionRecallDisplay
        """
        pyplot(cls.__name__)
        folds = folds_of(cv_results, learner, X, y, sample_weight, pos_label)
        points = [one.pr_curve()[:2] for one in folds.each]
        area, interval = folds.interval("average_precision") or ([one.average_precision for one in folds.each], None)
        one = cls(
            [p[0] for p in points], [p[1] for p in points], average_precision=area, name=name or folds.name,
            pos_label=folds.label, prevalence_pos_label=list(map(_prevalence, folds.each)), interval=interval,
        )  # fmt: skip
        return one.plot(ax, **kwargs)

    @classmethod
    def _of(cls, found: Summarized[Ranking], name: str) -> PrecisionRecallDisplay:
        ranking, label, _ = found
        precision, recall, _ = ranking.pr_curve()
        return cls(
            precision, recall, average_precision=ranking.average_precision, name=name, pos_label=label,
            prevalence_pos_label=_prevalence(ranking),
        )  # fmt: skip


def _prevalence(ranking: Ranking) -> float:
    """Share of positive rows."""
    up, down = float(ranking.positive.sum()), float(ranking.negative.sum())
    return up / (up + down)
