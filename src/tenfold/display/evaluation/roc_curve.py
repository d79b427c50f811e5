"""The ROC curve, from a merged ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Array, MatrixLike
from tenfold.display.drawing import Predicted, Results, Summarized, folds_of, legend_of, predicted, summarized
from tenfold.display.evaluation.score_curve import PlottedCurve, ScoreCurve
from tenfold.metrics.predictors import Response
from tenfold.model_selection.certification.auc_interval import auc_interval
from tenfold.model_selection.formatting import pyplot
from tenfold.stats.metrics import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RocCurveDisplay(ScoreCurve):
    """ROC curve: the share of positives found, by the share of negatives taken for positive.

    Parameters
    ----------
    fpr, tpr : array, or list of arrays
        Shares of the negatives and of the positives at or above each threshold.
    roc_auc : float or list of float, optional
        Area under each curve.
    name : str, optional
        What the curve is called in the legend.
    pos_label : optional
        The positive class, named on the axes.
    auc_interval : (float, float), optional
        Ends of an interval for the area, or for the mean area of several curves; shown in the legend.
    level : float, default=0.95
        Of this interval.

    Attributes
    ----------
    line_ : matplotlib line, or list of them
    chance_level_ : matplotlib line or None
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X[:, 0] + rng.normal(size=300) > 0
    >>> model = tn.GaussianNB().fit(X[:200], y[:200])
    >>> display = tn.display.RocCurveDisplay.from_estimator(model, X[200:], y[200:])
    >>> display.line_.get_label()
    'GaussianNB (AUC = 0.91, 95 %: 0.83 to 0.95)'
    """

    def __init__(
        self,
        *,
        fpr: Array | list[Array],
        tpr: Array | list[Array],
        roc_auc: float | list[float] | None = None,
        name: str | None = None,
        pos_label: object = None,
        auc_interval: tuple[float, float] | None = None,
        level: float = 0.95,
    ) -> None:
        self.fpr, self.tpr, self.roc_auc = fpr, tpr, roc_auc
        self.name, self.pos_label, self.auc_interval, self.level = name, pos_label, auc_interval, level

    def _curve(self, name: str | None) -> PlottedCurve:
        label = legend_of(name, "AUC", self.roc_auc, self.auc_interval, self.level)
        words = "false positive rate", "true positive rate"
        return PlottedCurve(self.fpr, self.tpr, label, ((0, 1), "chance (AUC = 0.5)"), words, "lower right", {})

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,
        response_method: Response = "auto",
        pos_label: object = None,
        name: str | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> RocCurveDisplay:
        """Draw the curve of a fitted classifier on unseen rows.

        Parameters
        ----------
        estimator : classifier
            Fitted: of tenfold, a pipeline, or of scikit-learn.
        X : array, frame or Source
            A Source brings its own target and weights, and is read part by part.
        y, sample_weight : array, optional
        drop_intermediate : bool, default=True
            Leave out points on a straight line between others.
        response_method : {"auto", "predict_proba", "decision_function"}
        pos_label : optional
            The second class by default.
        name : str, optional
        level : float, default=0.95
            Of the interval for the area (DeLong), which is left out if rows have weights.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : RocCurveDisplay
        """
        pyplot(cls.__name__)
        found = summarized(estimator, X, y, sample_weight, pos_label, "score", Ranking.of, response_method)
        return cls._of(found, name or type(estimator).__name__, drop_intermediate, level).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | None,
        y_score: Predicted,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,
        pos_label: object = None,
        name: str | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> RocCurveDisplay:
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array, or None if y_score is a Source
        y_score : array, or Source
            Scores of the positive class, or probabilities of both; or `model.predict_proba(source)`, which keeps the
            target of its rows.
        sample_weight : array, optional
        drop_intermediate, pos_label, name, level, ax
            As in `from_estimator`; pos_label is 1 by default, if classes are 0 and 1 or -1 and 1.
        **kwargs
            For `plot`.

        Returns
        -------
        display : RocCurveDisplay
        """
        pyplot(cls.__name__)
        found = predicted(y_true, y_score, sample_weight, pos_label, Ranking.of)
        return cls._of(found, name or "Classifier", drop_intermediate, level).plot(ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Results,
        X: MatrixLike = None,
        y: ArrayLike | None = None,
        *,
        learner: int | str = 0,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> RocCurveDisplay:
        """Draw the curves of all folds.

        Parameters
        ----------
        cv_results : CrossValidation, or dict of scikit-learn's cross_validate
            The former by `scoring="roc_auc"`: it keeps the rankings, and no rows are needed. The latter with its
            estimators and indices.
        X, y, sample_weight : array or frame, optional
            With scikit-learn's.
        learner : int or str, default=0
            Which one of a CrossValidation.
        drop_intermediate, pos_label, name, ax
            As in `from_estimator`.
        **kwargs
            For `plot`.

        Returns
        -------
        display : RocCurveDisplay
        """
        pyplot(cls.__name__)
        folds = folds_of(cv_results, learner, X, y, sample_weight, pos_label)
        points = [one.roc_curve(drop_intermediate)[:2] for one in folds.each]
        area, interval = folds.interval("roc_auc") or ([one.roc_auc for one in folds.each], None)
        one = cls(
            fpr=[p[0] for p in points], tpr=[p[1] for p in points], roc_auc=area, name=name or folds.name,
            pos_label=folds.label, auc_interval=interval,
        )  # fmt: skip
        return one.plot(ax, **kwargs)

    @classmethod
    def _of(cls, found: Summarized[Ranking], name: str, drop: bool, level: float) -> RocCurveDisplay:
        ranking, label, weighted = found
        fpr, tpr, _ = ranking.roc_curve(drop)
        interval = None if weighted else auc_interval(ranking, level)
        ends = None if interval is None else (interval.low, interval.high)
        return cls(
            fpr=fpr, tpr=tpr, roc_auc=ranking.roc_auc, name=name, pos_label=label, auc_interval=ends, level=level
        )  # fmt: skip
