"""Small multiples: a panel for each cell of a cube, with its rows and the prediction of its model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.core import Array, DataError, MatrixLike
from tenfold.engine.cells.keys import key_column
from tenfold.model_selection.formatting import pyplot, short
from tenfold.models.cube import Cube
from tenfold.sources.frames import table_of
from tenfold.theory.checks import one_of, whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRID_POINTS = 100
"""of a line"""
MAX_POINTS = 400
"""rows, at most, that are drawn in a panel"""


class CellPanelsDisplay:
    """Small multiples of the cells of a cube: rows, the prediction by one feature, and that of the coarser key.

    Parameters
    ----------
    feature, target : str
        Names of the columns that go across and up.
    cells : list of str
        The key of each panel.
    points : list of pairs of arrays
        Feature and target of the rows of each cell.
    lines : list of pairs of arrays
        Feature and prediction of the model of each cell; other features are at their means in the cell.
    parents : list of arrays
        The same predictions by the model of the coarser key; NaN, if it has none.
    parent_name : str
        The coarser key.

    Attributes
    ----------
    axes_ : array of matplotlib axes
    figure_ : matplotlib figure

    See Also
    --------
    Cube.predict : The predictions.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> sales = pd.DataFrame({"store": rng.integers(0, 6, 300), "size": rng.uniform(1, 5, 300)})
    >>> sales["price"] = sales["size"] * sales["store"] + rng.normal(size=300)
    >>> cube = tn.Cube(tn.LinearRegression(), by="store").fit(tn.scan(sales, target="price"))
    >>> display = tn.display.CellPanelsDisplay.from_cube(cube, sales, "size", "price")
    >>> display.cells
    ['0', '1', '2', '3', '4', '5']
    """

    def __init__(
        self,
        *,
        feature: str,
        target: str,
        cells: list[str],
        points: list[tuple[Array, Array]],
        lines: list[tuple[Array, Array]],
        parents: list[Array],
        parent_name: str,
    ) -> None:
        self.feature, self.target, self.cells = feature, target, cells
        self.points, self.lines, self.parents, self.parent_name = points, lines, parents, parent_name

    def plot(self, figure: Figure | None = None, *, columns: int = 4, despine: bool = True) -> CellPanelsDisplay:
        """Draw a panel for each cell, on the same scales.

        Parameters
        ----------
        figure : matplotlib figure, optional
        columns : int, default=4
            Panels beside each other.
        despine : bool, default=True

        Returns
        -------
        display : CellPanelsDisplay
        """
        across = min(whole("columns", columns, 1), len(self.cells))
        down = math.ceil(len(self.cells) / across)
        if figure is None:
            size = (2.1 * across + 0.6, 1.8 * down + 0.7)
            figure = pyplot(type(self).__name__).figure(figsize=size, layout="constrained")
        self.figure_ = figure
        self.axes_ = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
        for at, ax in enumerate(self.axes_):
            if at >= len(self.cells):
                ax.set_visible(False)
                continue
            ax.plot(*self.points[at], ".", color="#9a9a9a", markersize=3, alpha=0.6, zorder=1)
            x, y = self.lines[at]
            ax.plot(x, self.parents[at], color="#777777", linestyle=(0, (4, 3)), linewidth=1, label=self.parent_name)
            ax.plot(x, y, color="#d1711f", linewidth=2, label="the cell")
            ax.set_title(short(self.cells[at]), fontsize=9)
            if despine:
                ax.spines[["top", "right"]].set_visible(False)
        figure.supxlabel(self.feature, fontsize=10)
        figure.supylabel(self.target, fontsize=10)
        self.axes_[0].legend(frameon=False, fontsize=7)
        return self

    @classmethod
    def from_cube(
        cls, cube: Cube, X: MatrixLike, feature: str, target: str, *, most: int = 12, figure: Figure | None = None,
        **kwargs: Any,
    ) -> CellPanelsDisplay:  # fmt: skip
        """Draw some cells of a cube: those whose numbers of rows have equal distances in rank.

        Parameters
        ----------
        cube : Cube
            Of a regressor.
        X : frame
            Rows in memory, with the columns of the key, the features and the target.
        feature, target : str
            Names of columns of numbers.
        most : int, default=12
            Cells to draw.
        figure : matplotlib figure, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : CellPanelsDisplay
        """
        pyplot(cls.__name__)
        keys, names = list(cube.keys_.column_names), list(cube.feature_names_in_)
        one_of("feature", feature, tuple(names))
        table, level = table_of(X), cube._level
        places = level.places([key_column(table[key], key) for key in keys], table.num_rows, "cell")
        many = np.bincount(places[places >= 0], minlength=len(level)) * level.models.solved
        by_rows = np.argsort(-many, kind="stable")[: np.count_nonzero(many)]
        if not len(by_rows):
            raise DataError("none of these rows has a cell with a model, so there is nothing to draw")
        at = np.unique(np.linspace(0, len(by_rows) - 1, min(whole("most", most, 1), len(by_rows))).round().astype(int))
        chosen = level.in_order[np.isin(level.in_order, by_rows[at])]
        parent = cube._coarser(level.names[:-1])
        points, lines, parents, rng = [], [], [], np.random.default_rng(0)
        for place in chosen.tolist():
            rows = np.flatnonzero(places == place)
            some = table.take(pa.array(rows))
            ends = pc.min_max(some[feature]).as_py()
            x = np.linspace(ends["min"], ends["max"], GRID_POINTS)
            first = some.slice(0, 1).select(keys)
            new = pa.concat_tables([first] * GRID_POINTS)
            for name in names:
                mean = pc.mean(some[name]).as_py()
                new = new.append_column(name, pa.array(x if name == feature else np.full(len(x), mean)))
            shown = np.sort(rng.choice(len(rows), min(len(rows), MAX_POINTS), replace=False))
            points.append((some[feature].to_numpy()[shown], some[target].to_numpy()[shown]))
            lines.append((x, np.asarray(cube.predict(new))))
            above = parent.place(level.key(place)[:-1])
            known = bool(parent.models.solved[above])
            parents.append(np.asarray(cube.predict(new, level=len(keys) - 1)) if known else np.full(len(x), np.nan))
        said = [", ".join(map(str, level.key(place))) for place in chosen.tolist()]
        return cls(
            feature=feature, target=target, cells=said, points=points, lines=lines, parents=parents,
            parent_name=", ".join(keys[:-1]) or "all rows",
        ).plot(figure, **kwargs)  # fmt: skip
