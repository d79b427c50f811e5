"""What the curves of a ranking share: how they are drawn, of one model or of each fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from tenfold.core import Array
from tenfold.display.drawing import Look, chance_line, draw_curves, finish, of_class
from tenfold.model_selection.formatting import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlottedCurve(NamedTuple):
    """Points, labels and line style of one score curve."""

    x: Array | list[Array]
    y: Array | list[Array]
    label: str | None
    chance: tuple[tuple[float, float], str] | None
    """ends and label of the line of chance, if it is known"""
    words: tuple[str, str]
    """labels of the x axis and the y axis"""
    legend: Literal["lower left", "lower right"]
    look: Mapping[str, Any]


class ScoreCurve:
    """Base of displays of a ranking; a subclass writes `_curve`."""

    name: str | None
    pos_label: object

    def _curve(self, name: str | None) -> PlottedCurve:
        raise NotImplementedError

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Look | list[Look] | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: Look | None = None,
        despine: bool = True,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
        name : str, optional
        curve_kwargs : dict or list of dict, optional
            For matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to draw the line of chance, if it is known.
        chance_level_kw : dict, optional
        despine : bool, default=True

        Returns
        -------
        display : object
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        curve = self._curve(name or self.name)
        self.line_ = draw_curves(self.ax_, curve.x, curve.y, curve.label, curve_kwargs, curve.look)
        self.chance_level_ = None
        if plot_chance_level and curve.chance is not None:
            self.chance_level_ = chance_line(self.ax_, *curve.chance, chance_level_kw)
        xlabel, ylabel = (f"{word}{of_class(self.pos_label)}" for word in curve.words)
        self.ax_.set(xlabel=xlabel, ylabel=ylabel, xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        finish(self.ax_, despine, curve.legend)
        return self
