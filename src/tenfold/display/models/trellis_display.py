"""Trellis of a hidden Markov model as a picture: states above each other, rows side by side, the likeliest path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import MatrixLike
from tenfold.display.evaluation.loss_curve import last, reaching_last
from tenfold.model_selection.formatting import axes, pyplot, short
from tenfold.sequence.decoding import StateDecoder
from tenfold.sequence.trellis import Trellis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_ROWS = 60
"""rows of a sequence that are drawn; more are refused"""
MAX_WRITTEN_ROWS = 14
"""rows up to which the value of each state is written next to it"""
VALUES = ("gamma", "alpha", "beta", "delta", "filtered")


class TrellisDisplay:
    """The trellis of one sequence: a point for each state at each row, the steps between them, the likeliest path.

    The darker a point, the larger its value; a grey line leads to each state from the one before it on the likeliest
    path there (ψ), a red line is the likeliest path of all.

    Parameters
    ----------
    trellis : Trellis

    Attributes
    ----------
    points_ : matplotlib collection
    path_ : matplotlib line
    lines_ : list of matplotlib lines
        Of the likeliest step to each state.
    texts_ : list of matplotlib texts
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> model = tn.CategoricalHMM.from_parameters([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.9, 0.1], [0.1, 0.9]])
    >>> display = tn.display.TrellisDisplay.from_estimator(model, [[0], [0], [1], [1]])
    >>> display.path_.get_ydata().tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, trellis: Trellis) -> None:
        self.trellis = trellis

    def plot(
        self,
        ax: Axes | None = None,
        *,
        values: Literal["gamma", "alpha", "beta", "delta", "filtered"] = "gamma",
        digits: int = 2,
        **kwargs: Any,
    ) -> TrellisDisplay:
        """Draw the trellis.

        Parameters
        ----------
        ax : matplotlib axes, optional
        values : {"gamma", "alpha", "beta", "delta", "filtered"}, default="gamma"
            What points show; of α, β and δ the shade is relative to the largest value of the row.
        digits : int, default=2
            Significant digits of the values, which are written for up to 14 rows.
        **kwargs
            For matplotlib's `scatter`.

        Returns
        -------
        display : TrellisDisplay
        """
        if values not in VALUES:
            raise ValueError(f"values must be one of {', '.join(VALUES)}, not {values!r}")
        found = self.trellis
        rows, k = found.psi.shape
        if rows > MAX_ROWS:
            raise ValueError(f"a trellis of {rows} rows cannot be read. Remedy: {MAX_ROWS} rows at most")
        shown = getattr(found, values)
        largest = shown.max(axis=1, keepdims=True)
        shade = shown if values in ("gamma", "filtered") else shown / np.where(largest > 0, largest, 1.0)
        self.ax_ = axes(type(self).__name__, ax, (max(4.0, 0.95 * min(rows, 16) + 1.5), 0.9 * k + 1.4))
        self.figure_ = self.ax_.figure
        self.lines_ = []
        with np.errstate(divide="ignore"):
            reached = np.isfinite(found.log_delta)
        for t in range(1, rows):
            for j in np.flatnonzero(reached[t]).tolist():
                self.lines_ += self.ax_.plot([t - 1, t], [found.psi[t, j], j], color="#999999", linewidth=1.0, zorder=1)
        (self.path_,) = self.ax_.plot(
            np.arange(rows), found.path_codes, color="#c0392b", linewidth=2.5, zorder=2, label="likeliest path"
        )
        at, state = np.repeat(np.arange(rows), k), np.tile(np.arange(k), rows)
        look = {"c": shade.ravel(), "cmap": "Blues", "vmin": 0.0, "vmax": 1.0, "s": 260, "edgecolors": "#555555"}
        self.points_ = self.ax_.scatter(at, state, **{**look, "zorder": 3, **kwargs})
        self.texts_ = []
        if rows <= MAX_WRITTEN_ROWS:
            for t, j in zip(at.tolist(), state.tolist()):
                text = self.ax_.annotate(
                    f"{shown[t, j]:.{digits}g}", (t, j), (0, 11), textcoords="offset points", ha="center", fontsize=7,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}, zorder=4,
                )  # fmt: skip
                self.texts_.append(text)
        self.ax_.set_yticks(range(k), [short(str(name), 16) for name in found.states])
        if rows <= MAX_WRITTEN_ROWS:
            self.ax_.set_xticks(range(rows), [short(seen, 12) for seen in found.observations])
        self.ax_.set(
            ylim=(k - 0.6, -0.6), xlabel="row", ylabel="state",
            title=f"{values}; path with log-probability {found.log_probability:.4g}",
        )  # fmt: skip
        self.ax_.spines[:].set_visible(False)
        self.ax_.tick_params(length=0)
        self.ax_.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
        return self

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: MatrixLike, *, ax: Axes | None = None, **kwargs: Any
    ) -> TrellisDisplay:
        """Ask a hidden Markov model for the trellis of one sequence, and draw it.

        Parameters
        ----------
        estimator : CategoricalHMM, GaussianHMM or HMMClassifier
            Fitted or made from parameters, or a pipeline that ends with one.
        X : array or frame
            The rows of one sequence.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : TrellisDisplay
        """
        pyplot(cls.__name__)
        model = last(estimator)
        if not isinstance(model, StateDecoder):
            raise TypeError(f"{type(model).__name__} has no hidden states. Remedy: CategoricalHMM or GaussianHMM")
        check_is_fitted(model)
        return cls(model.trellis(reaching_last(estimator, X))).plot(ax, **kwargs)
