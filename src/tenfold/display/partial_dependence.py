"""Partial dependence, drawn: curves and bars of one column, maps of two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Labels, MatrixLike
from tenfold.display.drawing import Look
from tenfold.inspection.dependence.partial_dependence import Feature, partial_dependence
from tenfold.inspection.dependence.partial_dependence_result import PartialDependence
from tenfold.metrics.predictors import Response
from tenfold.model_selection.formatting import percent, pyplot
from tenfold.theory.checks import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.contour import QuadContourSet
    from matplotlib.image import AxesImage

MAX_DATES = 8
"""dates that stand below a curve"""


class PartialDependenceDisplay:
    """Partial dependence plot: the mean prediction for each value of a column, or of two.

    Parameters
    ----------
    pd_results : PartialDependence or list of them
    target : optional
        With more than two classes, whose probability to draw.

    Attributes
    ----------
    axes_ : array of matplotlib axes
        One for each result.
    lines_ : list of lists of matplotlib artists
        Of each: its curve, bars, or map, first; then the curves of rows.
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(500, 2))
    >>> model = tn.HistGradientBoostingRegressor(max_iter=10).fit(X, X[:, 0] ** 2)
    >>> display = tn.display.PartialDependenceDisplay.from_estimator(model, X, [0, (0, 1)], grid_resolution=10)
    >>> [ax.get_xlabel() for ax in display.axes_]
    ['x0', 'x0']
    """

    def __init__(self, pd_results: PartialDependence | Sequence[PartialDependence], *, target: object = None) -> None:
        self.pd_results = [pd_results] if isinstance(pd_results, PartialDependence) else list(pd_results)
        self.target = target

    def plot(
        self,
        ax: Axes | Sequence[Axes] | None = None,
        *,
        n_cols: int = 3,
        centered: bool = False,
        band: bool = True,
        deciles: bool = True,
        line_kw: Look | None = None,
        ice_lines_kw: Look | None = None,
        contour_kw: Look | None = None,
        despine: bool = True,
    ) -> PartialDependenceDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, or a list of them, one for each result, optional
            A single one may take a single result.
        n_cols : int, default=3
            Pictures side by side, of a new figure.
        centered : bool, default=False
            Whether curves of one column begin at zero.
        band : bool, default=True
            Whether to draw the interval of the average over other rows; centred curves have none.
        deciles : bool, default=True
            Whether to mark the deciles of a column on its axis, if they are known.
        line_kw, ice_lines_kw, contour_kw : dict, optional
            For matplotlib: of the average, of the curves of rows, of maps.
        despine : bool, default=True

        Returns
        -------
        display : PartialDependenceDisplay
        """
        plt = pyplot(type(self).__name__)
        n = len(self.pd_results)
        if ax is None:
            wide = min(whole("n_cols", n_cols), n)
            size = (3.6 * wide + 0.6, 3.4 * math.ceil(n / wide))
            figure, made = plt.subplots(math.ceil(n / wide), wide, figsize=size, layout="constrained", squeeze=False)
            for spare in made.ravel()[n:]:
                spare.set_visible(False)
            places = list(made.ravel()[:n])
        else:
            places = list(np.ravel(np.asarray(ax, dtype=object)))
            figure = places[0].figure
        if len(places) != n:
            raise ValueError(f"ax must hold {n} axes, one for each picture, not {len(places)}")
        self.figure_, self.axes_ = figure, np.array(places, dtype=object)
        self.lines_: list[list[Any]] = []
        for place, found in zip(places, self.pd_results, strict=True):
            at = found.output(self.target)
            if len(found.names) == 2:
                self.lines_.append([_map(place, found, at, dict(contour_kw or {}))])
            else:
                draw = _bars if found.categorical[0] else _curve
                self.lines_.append(draw(place, found, at, centered, band, line_kw or {}, ice_lines_kw or {}))
                place.set_ylabel(_label(found, at, centered))
                if deciles and found.deciles[0] is not None and not found.categorical[0]:
                    edge = place.get_xaxis_transform()
                    place.vlines(found.deciles[0], 0, 0.04, transform=edge, color="#333333", linewidth=0.8)
            place.set_xlabel(found.names[0])
            if despine:
                place.spines[["top", "right"]].set_visible(False)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        features: Feature | list[Feature],
        *,
        kind: Literal["average", "individual", "both"] = "average",
        target: object = None,
        grid_resolution: int = 100,
        percentiles: tuple[float, float] = (0.05, 0.95),
        custom_values: Mapping[int | str, ArrayLike] | None = None,
        categorical_features: Sequence[int | str] | None = None,
        sample_weight: ArrayLike | None = None,
        response_method: Response = "auto",
        subsample: int = 50,
        level: float = 0.95,
        random_state: int = 0,
        ax: Axes | Sequence[Axes] | None = None,
        **kwargs: Any,
    ) -> PartialDependenceDisplay:
        """Find the curves with `partial_dependence`, all in one scan, and draw them.

        Parameters
        ----------
        estimator, X, features, kind, grid_resolution, percentiles, custom_values, categorical_features, \
sample_weight, response_method, subsample, level, random_state
            As in `partial_dependence`.
        target : optional
            With more than two classes, whose probability to draw.
        ax : matplotlib axes, or a list of them, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : PartialDependenceDisplay
        """
        pyplot(cls.__name__)
        found = partial_dependence(
            estimator, X, features, kind=kind, grid_resolution=grid_resolution, percentiles=percentiles,
            custom_values=custom_values, categorical_features=categorical_features, sample_weight=sample_weight,
            response_method=response_method, subsample=subsample, level=level, random_state=random_state,
        )  # fmt: skip
        return cls(found, target=target).plot(ax, **kwargs)


def _label(found: PartialDependence, at: int, centered: bool) -> str:
    return f"{found.label(at)}, less its first" if centered else found.label(at)


def _curve(
    ax: Axes, found: PartialDependence, at: int, centered: bool, band: bool, line: Look, rows: Look
) -> list[Any]:  # fmt: skip
    """Draw the curve of a numeric column."""
    x, y = found.grid_values[0], found.average[at]
    shift = y[0] if centered else 0.0
    look = {"color": "#1f5f9e", "linewidth": 2, "zorder": 3, **line}
    marks = {"marker": "o", "markersize": 4} if len(x) <= 12 else {}
    drawn = list(ax.plot(x, y - shift, **{**marks, **look}))
    if band and not centered:
        low, high = found.interval[:, at]
        ax.fill_between(x, low, high, color=drawn[0].get_color(), alpha=0.2, linewidth=0)
    if found.individual is not None:
        each = found.individual[at]
        each = each - each[:, :1] if centered else each
        drawn += ax.plot(x, each.T, **{"color": "#8a8a8a", "alpha": 0.35, "linewidth": 0.7, "zorder": 1, **rows})
    if x.dtype.kind == "M":  # what all labels share, such as the day, is said once, so that they do not overlap
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator(minticks=3, maxticks=MAX_DATES)
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    return drawn


def _bars(
    ax: Axes, found: PartialDependence, at: int, centered: bool, band: bool, line: Look, rows: Look
) -> list[Any]:  # fmt: skip
    """Draw the bars of a categorical column."""
    y, place = found.average[at], np.arange(len(found.grid_values[0]))
    shift = y[0] if centered else 0.0
    ax.set_axisbelow(True)  # lines of the grid are behind the bars, and do not shine through
    bars = ax.bar(place, y - shift, **{"color": "#6ca1d3", "width": 0.7, **line})
    if band and not centered:
        ax.vlines(place, *found.interval[:, at], color="#12365c", linewidth=1.5, label=percent(found.level))
    drawn: list[Any] = [bars]
    if found.individual is not None:
        each = found.individual[at]
        each = each - each[:, :1] if centered else each
        drawn += ax.plot(place, each.T, **{"color": "#8a8a8a", "alpha": 0.35, "linewidth": 0.7, **rows})
    _ticks(ax.xaxis, found.grid_values[0], turned=True)
    return drawn


def _map(ax: Axes, found: PartialDependence, at: int, look: dict[str, Any]) -> QuadContourSet | AxesImage:
    """Draw the dependence on two columns: contour lines for numbers, otherwise a heat map."""
    x, y = found.grid_values
    z = found.average[at].T
    color = look.setdefault("cmap", "viridis")
    ax.set_ylabel(found.names[1])
    drawn: QuadContourSet | AxesImage
    if not any(found.categorical) and min(z.shape) > 1:
        filled = ax.contourf(x, y, z, **{"levels": 10, "alpha": 0.85, **look})
        lines = ax.contour(x, y, z, levels=filled.levels, colors="#222222", linewidths=0.5)
        ax.clabel(lines, fmt="%.3g", fontsize=7)
        drawn = filled
    else:
        drawn = ax.imshow(z, origin="lower", aspect="auto", cmap=color)
        _ticks(ax.xaxis, x, turned=found.categorical[0])
        _ticks(ax.yaxis, y)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.set_label(_label(found, at, False), fontsize="small")
    return drawn


def _ticks(axis: Axis, values: Labels, turned: bool = False) -> None:
    """The values themselves; of many, some."""
    step = max(1, len(values) // 12)
    shown = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in values.tolist()[::step]]
    long = turned and sum(map(len, shown)) > 24
    axis.set_ticks(range(0, len(values), step), shown)
    if long:
        axis.set_tick_params(labelrotation=45)
