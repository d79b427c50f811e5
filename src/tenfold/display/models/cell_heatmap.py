"""A number of each cell of a cube as a map of colours: one column of the key down, another across."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tenfold.core import Array
from tenfold.model_selection.formatting import axes, pyplot, short
from tenfold.models.cube import Cube
from tenfold.theory.checks import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LABELS = 40
"""values of a key, at most, that are written along an axis"""
MAX_TEXTS = 144
"""cells, at most, in which the number is written"""


class CellHeatmapDisplay:
    """Heat map of a number of each cell of a cube with a key of two columns.

    Parameters
    ----------
    values : array of shape (rows, columns)
        The number of each cell; NaN where there is no cell, or it has no model.
    row_labels, column_labels : list of str
        The values of the first and the second column of the key.
    row_name, column_name : str
        The names of the columns of the key.
    name : str
        What the number is.

    Attributes
    ----------
    im_ : matplotlib mesh
    text_ : list of matplotlib texts
        The numbers in the cells, of small maps.
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    See Also
    --------
    Cube.table : The numbers of all cells.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> sales = pd.DataFrame({"country": rng.choice(["DE", "FR"], 200), "year": rng.integers(2020, 2024, 200)})
    >>> sales["size"] = rng.uniform(1, 5, 200)
    >>> sales["price"] = sales["size"] * (sales["year"] - 2018) + 0.1 * rng.normal(size=200)
    >>> cube = tn.Cube(tn.LinearRegression(), by=["country", "year"]).fit(tn.scan(sales, target="price"))
    >>> display = tn.display.CellHeatmapDisplay.from_cube(cube, "coef_size")
    >>> display.values.round()
    array([[2., 3., 4., 5.],
           [2., 3., 4., 5.]])
    """

    def __init__(
        self,
        *,
        values: Array,
        row_labels: list[str],
        column_labels: list[str],
        row_name: str = "",
        column_name: str = "",
        name: str = "",
    ) -> None:
        self.values, self.row_labels, self.column_labels = values, row_labels, column_labels
        self.row_name, self.column_name, self.name = row_name, column_name, name

    def plot(
        self,
        ax: Axes | None = None,
        *,
        cmap: str = "viridis",
        center: float | None = None,
        values_format: str | None = None,
        colorbar: bool = True,
        **kwargs: Any,
    ) -> CellHeatmapDisplay:
        """Draw the map; cells without a number are blank.

        Parameters
        ----------
        ax : matplotlib axes, optional
        cmap : str, default="viridis"
        center : float, optional
            The number in the middle of the colours, as 0 for effects, with a map such as "RdBu_r".
        values_format : str, optional
            Of the numbers in the cells; by default they have three digits, and counts all.
        colorbar : bool, default=True
        **kwargs
            For matplotlib's `pcolormesh`.

        Returns
        -------
        display : CellHeatmapDisplay
        """
        n, m = self.values.shape
        self.ax_ = axes(type(self).__name__, ax, (2.4 + 0.55 * min(m, 18), 1.2 + 0.38 * min(n, 24)))
        self.figure_ = self.ax_.figure
        if center is not None and np.isfinite(self.values).any():
            reach = float(np.nanmax(np.abs(self.values - center))) or 1.0
            kwargs = {"vmin": center - reach, "vmax": center + reach, **kwargs}
        shown = np.ma.masked_invalid(self.values)
        self.im_ = self.ax_.pcolormesh(shown, cmap=cmap, **{"edgecolors": "white", "linewidth": 0.5, **kwargs})
        self.ax_.invert_yaxis()
        for axis, labels in ((self.ax_.yaxis, self.row_labels), (self.ax_.xaxis, self.column_labels)):
            few = len(labels) <= MAX_LABELS
            axis.set_ticks(np.arange(len(labels)) + 0.5 if few else [], [short(one) for one in labels] if few else [])
        if m > 6 and m <= MAX_LABELS and max(map(len, self.column_labels)) > 3:
            self.ax_.tick_params(axis="x", labelrotation=60)
        self.ax_.tick_params(length=0)
        self.ax_.set(xlabel=self.column_name, ylabel=self.row_name)
        self.ax_.spines[:].set_visible(False)
        self.text_ = []
        if shown.count() and n * m <= MAX_TEXTS:
            low, high = self.im_.get_clim()
            if values_format is None:
                values_format = ",.0f" if (shown == shown.round()).all() else "#.3g"
            for i, j in zip(*np.nonzero(~np.ma.getmaskarray(shown)), strict=True):
                color = self.im_.cmap((self.values[i, j] - low) / ((high - low) or 1.0))
                dark = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] < 0.5
                self.text_.append(
                    self.ax_.text(
                        j + 0.5, i + 0.5, format(self.values[i, j], values_format), ha="center", va="center",
                        fontsize=8, color="white" if dark else "black",
                    )
                )  # fmt: skip
        if colorbar:
            bar = self.figure_.colorbar(self.im_, ax=self.ax_, label=self.name)
            bar.outline.set_visible(False)
        return self

    @classmethod
    def from_cube(
        cls,
        cube: Cube,
        name: str,
        *,
        by: tuple[str, str] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> CellHeatmapDisplay:
        """Draw a number of the cells of a cube.

        Parameters
        ----------
        cube : Cube
        name : str
            A column of `cube.table()`, such as "coef_size", "intercept" or "rows".
        by : pair of str, optional
            Which columns of the key go down and across, if it has more than two: the cells are merged. By default the
            whole key.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : CellHeatmapDisplay
        """
        pyplot(cls.__name__)
        keys = tuple(cube.keys_.column_names)
        down_across = keys if by is None else tuple(by)
        if len(down_across) != 2:
            raise ValueError(
                f"a heat map is of two columns of the key, and there are {len(down_across)}: {list(down_across)}. "
                "Remedy: by=(down, across)"
            )
        table = cube.table() if {*down_across} == {*keys} else cube.table(*down_across)
        numbers = [one for one in table.column_names if one not in keys and _is_number(table[one].type)]
        one_of("name", name, tuple(numbers))
        down, across = (table[key].dictionary_encode().combine_chunks() for key in down_across)
        labels = [sorted(column.dictionary.to_pylist(), key=_rank) for column in (down, across)]
        values = np.full((len(labels[0]), len(labels[1])), np.nan)
        at = [[labels[k].index(value) for value in column.to_pylist()] for k, column in enumerate((down, across))]
        values[at[0], at[1]] = table[name].to_numpy()
        said = [[str(one) for one in some] for some in labels]
        return cls(
            values=values, row_labels=said[0], column_labels=said[1], row_name=down_across[0],
            column_name=down_across[1], name=name,
        ).plot(ax, **kwargs)  # fmt: skip


def _is_number(kind: Any) -> bool:
    """Whether a column of a table is drawn."""
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _rank(value: Any) -> tuple[bool, Any]:
    """Return by what values of a key are sorted: a missing one comes last."""
    return value is None, value if value is not None else 0
