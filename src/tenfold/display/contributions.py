"""Contributions to predictions, drawn: how a prediction is made up, or how much each column contributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from tenfold.core import MatrixLike
from tenfold.inspection.contributions.contributions_result import Contributions, in_words
from tenfold.inspection.contributions.explain import explain
from tenfold.model_selection.formatting import axes, pyplot, short
from tenfold.theory.checks import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RAISES, LOWERS = "#3b82c4", "#d9822b"
"""colours of contributions above and below zero"""


class ContributionsDisplay:
    """Contributions to predictions: the way from the base to the prediction of a row, or their mean sizes.

    Parameters
    ----------
    contributions : Contributions
        Of one output: of more than two classes, `contributions.of(label)`.

    Attributes
    ----------
    bars_ : matplotlib bars
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> model = tn.LinearRegression().fit(X, 2 * X[:, 1] - X[:, 0])
    >>> found = tn.explain(model, X)
    >>> display = tn.display.ContributionsDisplay(found).plot(row=7)
    >>> bool(np.isclose(found.base + sum(bar.get_width() for bar in display.bars_), model.predict(X[7:8])[0]))
    True
    """

    def __init__(self, contributions: Contributions) -> None:
        if contributions.classes:
            raise ValueError(
                f"there are contributions to {len(contributions.classes)} classes. Remedy: one of them, "
                f"contributions.of({contributions.classes[-1]!r})"
            )
        self.contributions = contributions

    def plot(
        self, ax: Axes | None = None, *, row: int | None = None, most: int = 12, despine: bool = True, **kwargs: Any
    ) -> ContributionsDisplay:
        """Draw it, the greatest above.

        Parameters
        ----------
        ax : matplotlib axes, optional
        row : int, optional
            The number of a row, from 0 on: bars lead from the base to its prediction. None: the mean absolute
            contributions over all rows, or those of the row if there is one.
        most : int, default=12
            Columns to draw; what the others contribute is one bar.
        despine : bool, default=True
        **kwargs
            For matplotlib's `barh`.

        Returns
        -------
        display : ContributionsDisplay
        """
        found, most = self.contributions, whole("most", most)
        if row is None and isinstance(found.values, np.ndarray) and len(found.values) == 1:
            row = 0
        size = found.importances if row is None else found.row(whole("row", row, 0))
        order = np.argsort(-np.abs(size), kind="stable")
        names, values = [short(found.columns[j]) for j in order[:most]], size[order[:most]]
        if row is not None:
            inputs = found.inputs(row)
            names = [f"{short(found.columns[j])} = {in_words(inputs[found.columns[j]])}" for j in order[:most]]
        if left := len(order) - most if len(order) > most else 0:
            names, values = [*names, f"{left} others"], np.append(values, size[order[most:]].sum())
        names, values = names[::-1], values[::-1]
        at = np.arange(len(values))
        self.ax_ = axes(type(self).__name__, ax, (6.4, 1.4 + 0.3 * len(values)))
        self.figure_ = self.ax_.figure
        if row is None:
            self.bars_ = self.ax_.barh(at, values, **{"color": RAISES, "height": 0.62, **kwargs})
            self.ax_.set_xlabel(f"mean absolute contribution to the {found.output}")
        else:
            start = found.base + np.cumsum(values) - values
            look = {"color": np.where(values < 0, LOWERS, RAISES), "height": 0.62, **kwargs}
            self.bars_ = self.ax_.barh(at, values, left=start, **look)
            ends = np.append(start, found.base + values.sum())
            self.ax_.vlines(ends[1:-1], at[:-1] + 0.31, at[1:] - 0.31, color="#999999", linewidth=0.8)
            self.ax_.axvline(found.base, color="#777777", linewidth=1, linestyle=(0, (4, 3)), zorder=0)
            for y, value, one in zip(at, values, start, strict=True):
                self.ax_.annotate(
                    f"{value:+.3g}", (max(one, one + value), y), (4, 0), textcoords="offset points", va="center",
                    fontsize="small", color="#333333",
                )  # fmt: skip
            self.ax_.use_sticky_edges = False
            self.ax_.margins(x=0.12)
            self.ax_.set_xlabel(f"{found.output}: from {found.base:.4g}, the base, to {ends[-1]:.4g}")
        self.ax_.set_yticks(at, names)
        self.ax_.set_ylim(-0.6, len(values) - 0.4)
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        *,
        row: int | None = None,
        data: MatrixLike = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ContributionsDisplay:
        """Explain rows with `explain` and draw what it finds.

        Parameters
        ----------
        estimator, X, data
            As in `explain`.
        row : int, optional
            The number of a row; None: all of them.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : ContributionsDisplay
        """
        pyplot(cls.__name__)
        return cls(explain(estimator, X, data=data)).plot(ax, row=row, **kwargs)
