"""Pictures of learning theory: bounds on the error against rows, growth functions, and Cover's transition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from tenfold import theory
from tenfold.core import Array, Codes
from tenfold.core.arrays import MatrixLike
from tenfold.display.drawing import REFERENCE_LINE_STYLE, Look, finish, styles
from tenfold.model_selection.formatting import axes
from tenfold.theory.checks import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

LINE = {"linewidth": 1.8}


class _Lines:
    """What displays of theory share: a line for each of several bounds."""

    _legend: ClassVar[Literal["upper left", "lower left"]] = "lower left"

    def _draw(self, ax: Axes, given: Look | list[Look] | None) -> list[Line2D]:
        raise NotImplementedError

    def plot(
        self, ax: Axes | None = None, *, curve_kwargs: Look | list[Look] | None = None, despine: bool = True
    ) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib axes, optional
        curve_kwargs : dict or list of dict, optional
            For matplotlib's `plot`, of all lines or of each.
        despine : bool, default=True

        Returns
        -------
        display : object
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        self.lines_ = self._draw(self.ax_, curve_kwargs)
        finish(self.ax_, despine, self._legend)
        return self


class ErrorBoundDisplay(_Lines):
    """PAC bounds on the error of a consistent hypothesis by the number of rows, for several hypothesis classes.

    Parameters
    ----------
    rows : array of int
        Numbers of rows at which the bounds are drawn.
    bounds : dict of arrays
        By the name of the class, for each number of rows: the error is no more than that.
    delta : float
        The chance that a bound fails.

    Attributes
    ----------
    lines_ : list of matplotlib lines
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    See Also
    --------
    theory.error_bound : The numbers.

    Examples
    --------
    >>> from tenfold.display import ErrorBoundDisplay
    >>> classes = {"conjunctions": {"size": 973}, "half-planes": {"vc": 3}}
    >>> display = ErrorBoundDisplay.from_classes(classes, [100, 1000])
    >>> display.bounds["conjunctions"].round(4).tolist()
    [0.0988, 0.0099]
    """

    def __init__(self, *, rows: Codes, bounds: dict[str, Array], delta: float) -> None:
        self.rows, self.bounds, self.delta = rows, bounds, delta

    def _draw(self, ax: Axes, given: Look | list[Look] | None) -> list[Line2D]:
        looks = styles(given, len(self.bounds), LINE)
        sure = f"bound on the error, with {100 * (1 - self.delta):g} % confidence"
        ax.set(xscale="log", yscale="log", xlabel="rows", ylabel=sure)
        lines = zip(self.bounds.items(), looks, strict=True)
        return [ax.plot(self.rows, bound, **{"label": name, **look})[0] for (name, bound), look in lines]

    @classmethod
    def from_classes(
        cls,
        classes: Mapping[str, Mapping[str, Any]],
        rows: Sequence[int] | Codes | None = None,
        *,
        delta: float = 0.05,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ErrorBoundDisplay:
        """Draw the bounds of some classes of hypotheses.

        Parameters
        ----------
        classes : dict of dict
            By name, the arguments of `theory.error_bound` for the class: `{"size": 973}`, `{"vc": 3}`, also
            `{"vc": 3, "goal": "gap", "train_error": 0.1}`.
        rows : sequence of int, optional
            From 30 to 100,000 by default.
        delta : float, default=0.05
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : ErrorBoundDisplay
        """
        if not classes:
            raise ValueError('classes is empty. Remedy: {"half-planes": {"vc": 3}}')
        some = np.unique(np.geomspace(30, 100_000, 80).astype(np.int64) if rows is None else np.asarray(rows))
        bounds = {
            name: np.array([min(float(theory.error_bound(m, delta, **given)), 1.0) for m in some.tolist()])
            for name, given in classes.items()
        }
        return cls(rows=some, bounds=bounds, delta=delta).plot(ax, **kwargs)


class GrowthDisplay(_Lines):
    """Growth function of a hypothesis class: 2^n up to its VC dimension, polynomial beyond.

    Parameters
    ----------
    points : array of int
    bounds : dict of arrays
        By VC dimension, Sauer's bound for each number of points.
    counted : array, optional
        Growth function: the number of labellings of the points by a hypothesis class.
    name : str, optional
        Of that class.

    Attributes
    ----------
    lines_ : list of matplotlib lines
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    See Also
    --------
    theory.growth : Sauer's bound.
    theory.labellings : The labellings themselves.

    Examples
    --------
    >>> from tenfold.display import GrowthDisplay
    >>> display = GrowthDisplay.from_class("intervals", [[0.0], [1.0], [2.0], [3.0]], vc=[2])
    >>> display.counted.tolist(), display.bounds[2].tolist()
    ([2, 4, 7, 11], [2, 4, 7, 11])
    """

    _legend = "upper left"

    def __init__(
        self, *, points: Codes, bounds: dict[int, Array], counted: Codes | None = None, name: str | None = None
    ) -> None:
        self.points, self.bounds, self.counted, self.name = points, bounds, counted, name

    def _draw(self, ax: Axes, given: Look | list[Look] | None) -> list[Line2D]:
        looks = styles(given, len(self.bounds), LINE)
        lines = []
        for (vc, bound), look in zip(self.bounds.items(), looks, strict=True):
            lines += ax.plot(self.points, bound, **{"label": f"at most, VC dimension {vc}", **look})
        if self.counted is not None:
            lines += ax.plot(self.points, self.counted, "o", color="black", label=f"{self.name}, counted")
        every: dict[str, Any] = {**REFERENCE_LINE_STYLE, "label": "all labellings"}
        ax.plot(self.points, 2.0**self.points, **every)
        ax.set(yscale="log", xlabel="points", ylabel="labellings")
        return lines

    @classmethod
    def from_class(
        cls, concepts: Any, points: MatrixLike, *, vc: Sequence[int] = (), ax: Axes | None = None, **kwargs: Any
    ) -> GrowthDisplay:
        """Count in how many ways a class labels the first one, two, ... of some points, and draw it.

        Parameters
        ----------
        concepts : str, array or callable
            A class of hypotheses, as `theory.labellings` takes it: "intervals", "half-spaces", "rectangles", ...
        points : array of shape (n, columns)
        vc : sequence of int, optional
            VC dimensions whose bounds are drawn; by default that of the class on these points.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : GrowthDisplay
        """
        every = np.asarray(points)
        many = np.arange(1, len(every) + 1)
        counted = np.array([len(theory.labellings(concepts, every[:k])) for k in many.tolist()], np.int64)
        dimensions = [whole("vc", d, 0) for d in vc] or [int(np.flatnonzero(counted == 2**many)[-1]) + 1]
        name = concepts if isinstance(concepts, str) else "the class"
        return cls(points=many, bounds=_sauer(many, dimensions), counted=counted, name=name).plot(ax, **kwargs)

    @classmethod
    def from_dimensions(
        cls, vc: Sequence[int], points: int = 12, *, ax: Axes | None = None, **kwargs: Any
    ) -> GrowthDisplay:
        """Draw Sauer's bounds of some VC dimensions.

        Parameters
        ----------
        vc : sequence of int
        points : int, default=12
            Maximum number of points.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : GrowthDisplay
        """
        many = np.arange(1, whole("points", points) + 1)
        return cls(points=many, bounds=_sauer(many, [whole("vc", d, 0) for d in vc])).plot(ax, **kwargs)


class CoverDisplay(_Lines):
    """Cover's transition: the share of all labellings of points in general position that a hyperplane can make.

    It is one half at twice as many points as a hyperplane has parameters, and falls the steeper there the more
    dimensions there are.

    Parameters
    ----------
    dimensions : list of int
    points : list of arrays
        For each number of dimensions, numbers of points.
    share : list of arrays
        Share of the labellings of n points that are linearly separable (Cover).

    Attributes
    ----------
    lines_ : list of matplotlib lines
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    See Also
    --------
    theory.cover_probability : The numbers.

    Examples
    --------
    >>> from tenfold.display import CoverDisplay
    >>> display = CoverDisplay.from_dimensions([4])
    >>> display.share[0][display.points[0] == 10].tolist()
    [0.5]
    """

    def __init__(self, *, dimensions: list[int], points: list[Codes], share: list[Array]) -> None:
        self.dimensions, self.points, self.share = dimensions, points, share

    def _draw(self, ax: Axes, given: Look | list[Look] | None) -> list[Line2D]:
        looks = styles(given, len(self.dimensions), LINE)
        lines = []
        for d, n, share, look in zip(self.dimensions, self.points, self.share, looks, strict=True):
            name = f"{d} dimension{'' if d == 1 else 's'}"
            lines += ax.plot(n / (d + 1), share, **{"label": name, **look})
        ax.plot([2.0], [0.5], "k+", markersize=12)
        ax.set(xlabel="points for each parameter, n / (d + 1)", ylabel="share of labellings that are separable")
        return lines

    @classmethod
    def from_dimensions(
        cls, dimensions: Sequence[int], most: float = 4.0, *, ax: Axes | None = None, **kwargs: Any
    ) -> CoverDisplay:
        """Draw the transition in some numbers of dimensions.

        Parameters
        ----------
        dimensions : sequence of int
        most : float, default=4.0
            Points for each parameter, up to which the lines go.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : CoverDisplay
        """
        each = [whole("dimensions", d) for d in dimensions]
        points = [np.unique(np.linspace(1, max(most * (d + 1), 1), 121).astype(np.int64)) for d in each]
        share = [
            np.array([float(theory.cover_probability(n, d)) for n in some.tolist()])
            for d, some in zip(each, points, strict=True)
        ]
        return cls(dimensions=each, points=points, share=share).plot(ax, **kwargs)


def _sauer(points: Codes, dimensions: Sequence[int]) -> dict[int, Array]:
    """Sauer's bound for each VC dimension."""
    return {d: np.array([theory.growth(m, d) for m in points.tolist()]) for d in dimensions}
