"""Permutation importances, drawn with how sure they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import MatrixLike
from tenfold.inspection.importance.permutation_importance import Columns, permutation_importance
from tenfold.inspection.importance.permutation_importance_result import PermutationImportance
from tenfold.model_selection.formatting import axes, percent, pyplot, short
from tenfold.theory.checks import one_of, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PermutationImportanceDisplay:
    """Permutation importances: a dot for each column, with an interval and the single repeats.

    Parameters
    ----------
    importances : PermutationImportance

    Attributes
    ----------
    dots_ : matplotlib lines
    bars_ : matplotlib lines of the intervals, or None
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 1] > 0
    >>> model = tn.GaussianNB().fit(X, y)
    >>> display = tn.display.PermutationImportanceDisplay.from_estimator(model, X, y)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()][-1]
    'x1'
    """

    def __init__(self, importances: PermutationImportance) -> None:
        self.importances = importances

    def plot(
        self,
        ax: Axes | None = None,
        *,
        by: Literal["rows", "repeats"] | None = "rows",
        most: int = 20,
        repeats: bool = True,
        despine: bool = True,
        **kwargs: Any,
    ) -> PermutationImportanceDisplay:
        """Draw them, the greatest above.

        Parameters
        ----------
        ax : matplotlib axes, optional
        by : {"rows", "repeats"} or None, default="rows"
            Whether the bars include the variance over rows, or only over repeats with these rows.
        most : int, default=20
            Columns to draw.
        repeats : bool, default=True
            Whether to draw the single repeats.
        despine : bool, default=True
        **kwargs
            For matplotlib's `plot`, of the dots.

        Returns
        -------
        display : PermutationImportanceDisplay
        """
        if by is not None:
            one_of("by", by, ("rows", "repeats"))
        found, most = self.importances, whole("most", most)
        order = np.argsort(-found.importances_mean, kind="stable")[:most][::-1]
        at = np.arange(len(order))
        self.ax_ = axes(type(self).__name__, ax, (6.0, 1.2 + 0.28 * len(order)))
        self.figure_ = self.ax_.figure
        look = {"marker": "o", "markersize": 5, "linestyle": "none", "color": "#3b82c4", "zorder": 3, **kwargs}
        (self.dots_,) = self.ax_.plot(found.importances_mean[order], at, **look)
        color, said = self.dots_.get_color(), "dots: means"
        if repeats and found.importances.shape[1] > 1:
            each = found.importances[order]
            self.ax_.plot(each, at, "|", color=color, alpha=0.35, markersize=8)
            said += f", ticks: {each.shape[1]} repeats"
        self.bars_ = None
        if by is not None:
            ends = (found.interval if by == "rows" else found.repeats_interval)[order]
            self.bars_ = self.ax_.hlines(at, ends[:, 0], ends[:, 1], color=color, alpha=0.6, linewidth=1.5)
            said += f", bars: {percent(found.level)} for other {by}"
        self.ax_.axvline(0, color="#777777", linewidth=1, linestyle=(0, (4, 3)), zorder=0)
        self.ax_.set_yticks(at, [short(found.names[j]) for j in order])
        name = found.scoring.removeprefix("neg_").replace("_", " ")
        drop = f"rise of {name}" if found.scoring.startswith("neg_") else f"drop in {name}"
        self.ax_.set(xlabel=f"{drop} without the column\n({said})", ylim=(-0.6, len(order) - 0.4))
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        columns: Columns | None = None,
        scoring: str | None = None,
        n_repeats: int = 5,
        sample_weight: ArrayLike | None = None,
        level: float = 0.95,
        within: Literal["source", "part"] = "source",
        random_state: int = 0,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> PermutationImportanceDisplay:
        """Find the importances with `permutation_importance` and draw them.

        Parameters
        ----------
        estimator, X, y, columns, scoring, n_repeats, sample_weight, level, within, random_state
            As in `permutation_importance`.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : PermutationImportanceDisplay
        """
        pyplot(cls.__name__)
        found = permutation_importance(
            estimator, X, y, columns=columns, scoring=scoring, n_repeats=n_repeats, sample_weight=sample_weight,
            level=level, within=within, random_state=random_state,
        )  # fmt: skip
        return cls(found).plot(ax, **kwargs)
