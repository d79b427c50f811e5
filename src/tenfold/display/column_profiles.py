"""Profile of the columns of some rows as small pictures side by side: what each holds, and the target by its values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tenfold.core import DataError, MatrixLike, VectorLike
from tenfold.inspection.profile.description import ColumnDescription, Description, value_text
from tenfold.inspection.profile.profile import Profile
from tenfold.model_selection.formatting import pyplot, short
from tenfold.theory.checks import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR_COLOR, TARGET_COLOR, REFERENCE_COLOR = "#9bbfe0", "#d1711f", "#777777"
PANEL_SIZE = (3.0, 2.3)
"""inches of one column"""


class ProfileDisplay:
    """A panel for each column: bars of its values or intervals, and a line of the target in them.

    Bars of numbers and dates have areas that are shares of the rows; those of text have lengths that are.

    Parameters
    ----------
    description : Description
        The result of `rows.describe()` or `Profile.describe()`.

    Attributes
    ----------
    axes_ : array of matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = tn.scan(pd.DataFrame({"size": [1, 2, 2, 4], "back": ["no", "yes", "no", "no"]}), target="back")
    >>> display = tn.display.ProfileDisplay(rows.describe()).plot()
    >>> [ax.get_title() for ax in display.axes_]
    ['size']
    """

    def __init__(self, description: Description) -> None:
        self.description = description

    def plot(self, *, columns: list[str] | None = None, most: int = 12, wide: int = 3) -> ProfileDisplay:
        """Draw a panel for each column.

        Parameters
        ----------
        columns : list of str, optional
            Names of the columns to draw; by default the first that hold anything.
        most : int, default=12
            Panels at most.
        wide : int, default=3
            Panels side by side.

        Returns
        -------
        display : ProfileDisplay
        """
        most, wide = whole("most", most), whole("wide", wide)
        found = [self.description[name] for name in columns] if columns is not None else list(self.description.columns)
        drawn = [column for column in found if column.parts][:most]
        if not drawn:
            raise DataError("there is no column with values to draw. Remedy: name columns that hold numbers or text")
        plt = pyplot(type(self).__name__)
        across, down = min(wide, len(drawn)), -(-len(drawn) // wide)
        size = (PANEL_SIZE[0] * across, PANEL_SIZE[1] * down)
        self.figure_, panels = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
        self.axes_ = panels.ravel()[: len(drawn)]
        for ax in panels.ravel()[len(drawn) :]:
            ax.set_visible(False)
        for ax, column in zip(self.axes_, drawn, strict=True):
            self._panel(ax, column)
        return self

    def _panel(self, ax: Axes, column: ColumnDescription) -> None:
        """Draw one column."""
        missing = f", {100 * column.missing:.3g} % missing" if column.missing else ""
        ax.set_title(short(column.name, 24) + missing, fontsize=9, parse_math=False)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=7)
        (self._values if column.kind == "text" else self._numbers)(ax, column)

    def _values(self, ax: Axes, column: ColumnDescription) -> None:
        """Draw horizontal bars of frequent values, the most frequent above."""
        at = np.arange(len(column.parts))
        ax.barh(at, [part.share for part in column.parts], color=BAR_COLOR)
        ax.set_yticks(at, [short(part.label, 16) for part in column.parts], parse_math=False)
        ax.invert_yaxis()
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g} %")
        if (rates := self._rates(column)) is not None:
            self._line(ax.twiny(), rates, at, across=False)

    def _numbers(self, ax: Axes, column: ColumnDescription) -> None:
        """Draw bars over the intervals of numbers: their areas are shares of the rows."""
        low, high = (np.array([getattr(part, end) for part in column.parts]) for end in ("low", "high"))
        share = np.array([part.share for part in column.parts])
        single = bool((low == high).all())
        if single:
            middle = np.arange(len(low), dtype=np.float64)
            ax.bar(middle, share, color=BAR_COLOR)
            ax.set_xticks(middle, [part.label for part in column.parts], rotation=45 if len(low) > 5 else 0)
            ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
        else:
            edges = np.append(low, high[-1])
            width = np.maximum(np.diff(edges), 1e-12 * max(abs(edges[0]), abs(edges[-1]), 1e-300))
            ax.bar(
                edges[:-1], share / width, width=width, align="edge", color=BAR_COLOR, edgecolor="white", linewidth=0.5
            )
            ends = [column.quantiles["min"], column.quantiles["q95"]]
            ends = ends if ends[1] > ends[0] else [ends[0], column.quantiles["max"]]
            ax.set_xlim(*ends)
            ax.set_yticks([])
            middle = 0.5 * (edges[:-1] + np.minimum(edges[1:], ends[1]))
            ax.set_xticks(np.linspace(ends[0], ends[1], 3))
            ax.xaxis.set_major_formatter(lambda value, _: value_text(float(value), column.kind).split(" ")[0])
        if (rates := self._rates(column)) is not None:
            self._line(ax.twinx(), rates, middle, across=True)

    def _rates(self, column: ColumnDescription) -> list[float] | None:
        """The target in each part of a column: the share of the last of two classes, or the mean; None of others."""
        if not self.description.shows_target():
            return None
        return [part.target[-1] for part in column.parts]

    def _line(self, ax: Axes, rates: list[float], at: Any, *, across: bool) -> None:
        """Draw the target in each part, and in all rows as a dashed line."""
        x, y = (at, rates) if across else (rates, at)
        ax.plot(x, y, "o-" if across else "o", color=TARGET_COLOR, markersize=3, linewidth=1)
        overall = self.description.target[-1]
        (ax.axhline if across else ax.axvline)(overall, color=REFERENCE_COLOR, linewidth=1, linestyle=(0, (4, 3)))
        ax.spines[:].set_visible(False)
        ax.tick_params(labelsize=7, colors=TARGET_COLOR)
        some = [rate for rate in [*rates, overall] if not math.isnan(rate)]
        room = 0.15 * (max(some) - min(some)) or 0.5
        (ax.set_ylim if across else ax.set_xlim)(min(some) - room, max(some) + room)
        if self.description.classes:
            (ax.yaxis if across else ax.xaxis).set_major_formatter(lambda share, _: f"{100 * share:.3g} %")

    @classmethod
    def from_rows(
        cls, X: MatrixLike, y: VectorLike = None, *, target: str = "auto", top: int = 10, **kwargs: Any
    ) -> ProfileDisplay:
        """Describe rows with `Profile` and draw them.

        Parameters
        ----------
        X : array, frame or Source
        y : array, optional
        target, top
            Of `Profile`.
        **kwargs
            For `plot`.

        Returns
        -------
        display : ProfileDisplay
        """
        pyplot(cls.__name__)
        return cls(Profile(target=target, top=top).fit(X, y).describe()).plot(**kwargs)
