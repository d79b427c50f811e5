"""The curve of precision and recall, from a merged ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.display.drawing import (
    FOLDS,
    axes,
    curves,
    finish,
    folds_of,
    legend_of,
    predicted,
    pyplot,
    styles,
    summarized,
)
from tenfold.stats.metrics import Ranking


class PrecisionRecallDisplay:
    """Precision (what share of the rows taken for positive is so) by recall (what share of the positives is found).

    Parameters
    ----------
    precision, recall : array, or list of arrays
    average_precision : float or list of float, optional
    name : str, optional
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
    >>> display = tn.PrecisionRecallDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.2])
    >>> display.average_precision
    1.0
    """

    def __init__(
        self,
        precision: Any,
        recall: Any,
        *,
        average_precision: Any = None,
        name: str | None = None,
        pos_label: Any = None,
        prevalence_pos_label: Any = None,
        interval: Any = None,
    ) -> None:
        self.precision, self.recall, self.average_precision = precision, recall, average_precision
        self.name, self.pos_label, self.prevalence_pos_label = name, pos_label, prevalence_pos_label
        self.interval = interval

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = True,
        chance_level_kw: Any = None,
        despine: bool = True,
    ) -> PrecisionRecallDisplay:
        """Draw it, in steps: between two thresholds nothing is known.

        Parameters
        ----------
        ax : matplotlib axes, optional
        name : str, optional
        curve_kwargs : dict or list of dict, optional
            For matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to draw the share of the positives, if it is known.
        chance_level_kw : dict, optional
        despine : bool, default=True

        Returns
        -------
        display : PrecisionRecallDisplay
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        x, y = curves(self.recall), curves(self.precision)
        label = legend_of(name or self.name, "AP", self.average_precision, self.interval, 0.95)
        usual = {"drawstyle": "steps-post", **(FOLDS if len(x) > 1 else {"linewidth": 2.0})}
        lines = []
        for at, (a, b, look) in enumerate(zip(x, y, styles(curve_kwargs, len(x), usual), strict=True)):
            lines += self.ax_.plot(a, b, **{"label": label if at == 0 else None, **look})
        self.line_ = lines[0] if len(lines) == 1 else lines
        self.chance_level_ = None
        if plot_chance_level and self.prevalence_pos_label is not None:
            share = float(np.mean(self.prevalence_pos_label))
            look = {"color": "#777777", "linestyle": (0, (4, 3)), "linewidth": 1}
            known = f"chance (AP = {share:.2f})"
            if known not in self.ax_.get_legend_handles_labels()[1]:
                look = {**look, "label": known, **(chance_level_kw or {})}
                (self.chance_level_,) = self.ax_.plot([0, 1], [share, share], **look)
        of = "" if self.pos_label is None else f" (positive: {self.pos_label})"
        self.ax_.set(
            xlabel=f"recall{of}", ylabel=f"precision{of}", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal"
        )  # fmt: skip
        finish(self.ax_, despine, "lower left")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> PrecisionRecallDisplay:
        """Draw the curve of a fitted classifier on rows it has not seen.

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
        return cls._of(found.summary, name or type(estimator).__name__, found.label).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
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
        ranking, label, _ = predicted(y_true, y_score, sample_weight, pos_label, Ranking.of)
        return cls._of(ranking, name or "Classifier", label).plot(ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any = None,
        y: Any = None,
        *,
        learner: Any = 0,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
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
        some, label, cv, known = folds_of(
            cv_results, "Ranking", "score", learner, X, y, sample_weight, pos_label, Ranking.of
        )
        each = [cls._of(one, name or known, label) for one in some]
        area, interval = [one.average_precision for one in each], None
        if cv is not None and "average_precision" in cv.scoring:
            s, i = cv.scoring.index("average_precision"), cv.names.index(known)
            area, interval = cv.scores[i, s].tolist(), tuple(cv.interval()[i, s])
        share = [one.prevalence_pos_label for one in each]
        one = cls(
            [one.precision for one in each], [one.recall for one in each], average_precision=area, name=name or known,
            pos_label=label, prevalence_pos_label=share, interval=interval,
        )  # fmt: skip
        return one.plot(ax, **kwargs)

    @classmethod
    def _of(cls, ranking: Ranking, name: str, label: Any) -> PrecisionRecallDisplay:
        precision, recall, _ = ranking.pr_curve()
        up, down = float(ranking.positive.sum()), float(ranking.negative.sum())
        area = ranking.average_precision
        return cls(
            precision, recall, average_precision=area, name=name, pos_label=label, prevalence_pos_label=up / (up + down)
        )  # fmt: skip
