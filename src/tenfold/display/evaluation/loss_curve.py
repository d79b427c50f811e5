"""The loss by epoch of one or several models, and the validation score beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, MatrixLike
from tenfold.display.drawing import Look, styles
from tenfold.model_selection.formatting import axes, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOG_SCALE_RATIO = 20.0
"""a loss that falls by such a factor is drawn on a scale of logarithms"""


class LossCurveDisplay:
    """The training loss by epoch and, where rows were held back, their score: how far a model has learned.

    Parameters
    ----------
    losses : sequence of arrays
        The loss of each epoch, by model.
    validation_scores : sequence of arrays, optional
        The score of validation rows, by model; empty where there is none.
    names : sequence of str, optional
        By model.

    Attributes
    ----------
    lines_ : list of matplotlib lines
        Of the losses.
    score_lines_ : list of matplotlib lines
        Of the scores.
    ax_, score_ax_ : matplotlib axes
        The second, on the right, is None without scores.
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> models = {f"{n} units": tn.MLPRegressor(n, max_iter=9).fit(X, X[:, 0] * X[:, 1]) for n in (2, 8)}
    >>> display = tn.display.LossCurveDisplay.from_estimator(models)
    >>> [line.get_label() for line in display.lines_], [len(loss) for loss in display.losses]
    (['2 units', '8 units'], [9, 9])
    """

    def __init__(
        self,
        *,
        losses: Sequence[ArrayLike],
        validation_scores: Sequence[ArrayLike] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.losses: list[Array] = [np.asarray(loss, dtype=np.float64) for loss in losses]
        given = [()] * len(self.losses) if validation_scores is None else validation_scores
        self.validation_scores: list[Array] = [np.asarray(scores, dtype=np.float64) for scores in given]
        self.names = ["loss"] * len(self.losses) if names is None else list(names)
        if not len(self.losses) == len(self.validation_scores) == len(self.names):
            raise ValueError("losses, validation_scores and names must have one entry for each model")

    def plot(
        self,
        ax: Axes | None = None,
        *,
        log: bool | None = None,
        curve_kwargs: Look | list[Look] | None = None,
        despine: bool = True,
    ) -> LossCurveDisplay:
        """Draw a curve for each model, and dashed ones for their validation scores.

        Parameters
        ----------
        ax : matplotlib axes, optional
        log : bool, optional
            Whether the scale of the loss is one of logarithms; by default if some loss falls twentyfold.
        curve_kwargs : dict or list of dict, optional
            For matplotlib's `plot`, of all curves or of each.
        despine : bool, default=True

        Returns
        -------
        display : LossCurveDisplay
        """
        self.ax_ = axes(type(self).__name__, ax, (6.4, 4))
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        self.figure_ = self.ax_.figure
        self.score_ax_ = self.ax_.twinx() if any(map(len, self.validation_scores)) else None
        self.lines_, self.score_lines_ = [], []
        looks = styles(curve_kwargs, len(self.losses), {})
        for name, loss, scores, look in zip(self.names, self.losses, self.validation_scores, looks, strict=True):
            marker = "o" if len(loss) == 1 else None  # a line of one point cannot be seen
            usual: dict[str, Any] = {"label": name, "linewidth": 2.0, "marker": marker}
            self.lines_ += self.ax_.plot(
                np.arange(1, len(loss) + 1), loss, **{**usual, **normalize_kwargs(look, Line2D)}
            )
            if self.score_ax_ is not None and len(scores):
                colour = self.lines_[-1].get_color()
                self.score_lines_ += self.score_ax_.plot(
                    np.arange(1, len(scores) + 1), scores, color=colour, linestyle="--", linewidth=1.2
                )
        some = np.concatenate([loss[np.isfinite(loss)] for loss in self.losses] or [np.ones(1)])
        falls = len(some) > 0 and bool(some.min() > 0 and some.max() > LOG_SCALE_RATIO * some.min())
        if falls if log is None else log:
            self.ax_.set_yscale("log")
        self.ax_.set(xlabel="epoch", ylabel="training loss")
        if self.score_ax_ is not None:
            self.score_ax_.set_ylabel("validation score (dashed)")
        for each in (self.ax_, self.score_ax_) if despine else ():
            if each is not None:
                each.spines[["top"] if self.score_ax_ is not None else ["top", "right"]].set_visible(False)
        if len(self.names) > 1:
            above = self.ax_ if self.score_ax_ is None else self.score_ax_  # which is drawn over the other
            above.legend(handles=self.lines_, edgecolor="none", framealpha=0.85, fontsize="small")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator | Sequence[BaseEstimator] | Mapping[str, BaseEstimator],
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> LossCurveDisplay:
        """Draw the loss curves of fitted models.

        Parameters
        ----------
        estimator : estimator, list of estimators, or dict of names to estimators
            Fitted, with `loss_curve_`: networks, stochastic gradient descent, Adaline, also scikit-learn's networks; or
            pipelines that end with one.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : LossCurveDisplay
        """
        pyplot(cls.__name__)
        if isinstance(estimator, Mapping):
            names, models = [str(name) for name in estimator], list(estimator.values())
        else:
            models = [estimator] if isinstance(estimator, BaseEstimator) else list(estimator)
            names = _names(last(model) for model in models)
        losses, scores = [], []
        for model in map(last, models):
            check_is_fitted(model)
            curve = getattr(model, "loss_curve_", None)
            if curve is None:
                raise TypeError(
                    f"{type(model).__name__} has no loss_curve_. Remedy: MLPClassifier, MLPRegressor, SGDClassifier, "
                    "SGDRegressor or Adaline; of scikit-learn's networks, a solver other than 'lbfgs'"
                )
            losses.append(np.asarray(curve, dtype=np.float64))
            found = getattr(model, "validation_scores_", None)
            scores.append(np.zeros(0) if found is None else np.asarray(found, dtype=np.float64))
        return cls(losses=losses, validation_scores=scores, names=names).plot(ax, **kwargs)


def last(model: BaseEstimator) -> BaseEstimator:
    """The model itself, or the last step of a pipeline."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def reaching_last(model: BaseEstimator, X: MatrixLike) -> MatrixLike:
    """Rows as input of the last step of a pipeline; unchanged for another model."""
    return model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X


def _names(models: Iterable[BaseEstimator]) -> list[str]:
    """A name for each model: its class, with a number if there are several of it."""
    kinds = [type(model).__name__ for model in models]
    return [
        kind if kinds.count(kind) == 1 else f"{kind} {kinds[: at + 1].count(kind)}" for at, kind in enumerate(kinds)
    ]
