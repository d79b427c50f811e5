"""A coefficient of all cells of a cube before and after pooling, sorted, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from tenfold.core import Array
from tenfold.display.drawing import REFERENCE_LINE_STYLE, finish
from tenfold.model_selection.formatting import axes, percent, pyplot, short
from tenfold.models.cube import Cube
from tenfold.models.pooling.pooled_cube import PooledCube
from tenfold.theory.checks import one_of, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LABELS = 40
"""cells, at most, whose keys are written beside them"""


class CaterpillarDisplay:
    """Caterpillar plot: a coefficient of each cell, partially pooled, with an interval, beside the cell's own.

    Parameters
    ----------
    term : str
        The name of the coefficient.
    cells : list of str
        The key of each cell.
    own : array of shape (cells,)
        The coefficient of a fit to the rows of the cell alone; NaN where there is none.
    pooled : array of shape (cells,)
        The same after pooling.
    standard_errors : array of shape (cells,)
        Of the pooled ones.
    population : float
        The fixed effect.

    Attributes
    ----------
    dots_ : matplotlib lines
        The pooled coefficients.
    own_ : matplotlib lines
    bars_ : matplotlib lines of the intervals
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    See Also
    --------
    Cube.pool : Partial pooling.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> store = rng.integers(0, 12, 200)
    >>> sales = pd.DataFrame({"store": store, "size": rng.uniform(1, 5, 200)})
    >>> sales["price"] = rng.normal(2, 0.3, 12)[store] * sales["size"] + rng.normal(size=200)
    >>> cube = tn.Cube(tn.LinearRegression(), by="store").fit(tn.scan(sales, target="price"))
    >>> pooled = cube.pool(["intercept", "size"])
    >>> display = tn.display.CaterpillarDisplay.from_cubes(cube, pooled, "size")
    >>> bool(np.std(display.pooled) < np.std(display.own))
    True
    """

    def __init__(
        self, *, term: str, cells: list[str], own: Array, pooled: Array, standard_errors: Array, population: float
    ) -> None:
        self.term, self.cells, self.own, self.pooled = term, cells, own, pooled
        self.standard_errors, self.population = standard_errors, population

    def plot(
        self, ax: Axes | None = None, *, level: float = 0.95, most: int = 60, despine: bool = True, **kwargs: Any
    ) -> CaterpillarDisplay:
        """Draw the cells, the largest coefficient above.

        Parameters
        ----------
        ax : matplotlib axes, optional
        level : float, default=0.95
            Of the intervals.
        most : int, default=60
            Cells to draw; of more, some are drawn whose ranks have equal distances.
        despine : bool, default=True
        **kwargs
            For matplotlib's `plot`, of the pooled coefficients.

        Returns
        -------
        display : CaterpillarDisplay
        """
        order = np.argsort(self.pooled, kind="stable")
        most = whole("most", most)
        if len(order) > most:
            order = order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]
        at = np.arange(len(order))
        self.ax_ = axes(type(self).__name__, ax, (6.0, 1.4 + 0.14 * len(order)))
        self.figure_ = self.ax_.figure
        look = {"marker": "o", "markersize": 4, "linestyle": "none", "color": "#3b82c4", "zorder": 3, **kwargs}
        (self.dots_,) = self.ax_.plot(self.pooled[order], at, label="pooled", **look)
        reach = stats.norm.isf((1 - level) / 2) * self.standard_errors[order]
        ends = self.pooled[order] - reach, self.pooled[order] + reach
        self.bars_ = self.ax_.hlines(at, *ends, color=self.dots_.get_color(), alpha=0.6, linewidth=1.5)
        own: dict[str, Any] = {
            "marker": "o",
            "markersize": 4,
            "linestyle": "none",
            "color": "#d1711f",
            "fillstyle": "none",
        }
        (self.own_,) = self.ax_.plot(self.own[order], at, label="own rows alone", **own)
        reference: dict[str, Any] = {**REFERENCE_LINE_STYLE, "zorder": 0, "label": "population"}
        self.ax_.axvline(self.population, **reference)
        few = len(order) <= MAX_LABELS
        self.ax_.set_yticks(at if few else [], [short(self.cells[cell]) for cell in order] if few else [])
        self.ax_.set(xlabel=f"{self.term}, with intervals of {percent(level)}", ylim=(-1, len(order)))
        self.ax_.tick_params(axis="y", labelsize=7)
        finish(self.ax_, despine, "lower right")
        return self

    @classmethod
    def from_cubes(
        cls, cube: Cube, pooled: PooledCube, term: str, *, ax: Axes | None = None, **kwargs: Any
    ) -> CaterpillarDisplay:
        """Draw a coefficient of the cells of a cube before and after pooling.

        Parameters
        ----------
        cube : Cube
        pooled : PooledCube
            The result of `cube.pool()`.
        term : str
            "intercept", or the name of a feature.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : CaterpillarDisplay
        """
        pyplot(cls.__name__)
        before, after = cube.table(), pooled.table()
        features = [name.removeprefix("se_") for name in after.column_names if name.startswith("se_")]
        one_of("term", term, tuple(features))
        name = term if term == "intercept" else f"coef_{term}"
        keys = [before[key].to_pylist() for key in cube.keys_.column_names]
        return cls(
            term=term, cells=[", ".join(map(str, key)) for key in zip(*keys, strict=True)],
            own=before[name].to_numpy(), pooled=after[name].to_numpy(), standard_errors=after[f"se_{term}"].to_numpy(),
            population=pooled.intercept_ if term == "intercept" else float(pooled.coef_[features.index(term)]),
        ).plot(ax, **kwargs)  # fmt: skip
