"""Predictions over a plane: regions of classes, or levels of a number; and Voronoi cells of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, Codes, Labels, MatrixLike, ParameterError, Remedy, VectorLike
from tenfold.model_selection.formatting import axes, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#3b82c4", "#d9822b", "#4c9a5b", "#b05cc6", "#c44e52", "#8c7a5b", "#5bbcc4", "#c4b23b")
MARGIN_SHARE = 0.08
"""of the range of the rows that is drawn around them"""


class DecisionBoundaryDisplay:
    """The regions in which a model predicts each class, or how high it predicts numbers, over two columns.

    Parameters
    ----------
    xx0, xx1 : array of shape (resolution, resolution)
        Places in the plane.
    response : array of the same shape
        The number of the class, or the number, that is predicted there.
    classes : array, optional
        The classes that are drawn, each in its colour.
    xlabel, ylabel : str, optional
        The labels of the two axes.

    Attributes
    ----------
    surface_ : matplotlib artist
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = tn.KNeighborsClassifier(7).fit(X, X[:, 0] > X[:, 1])
    >>> display = tn.display.DecisionBoundaryDisplay.from_estimator(model, X, grid_resolution=50)
    >>> bool(0.4 < display.response.mean() < 0.6)
    True
    """

    def __init__(
        self,
        *,
        xx0: Array,
        xx1: Array,
        response: Array,
        classes: Labels | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
    ) -> None:
        self.xx0, self.xx1, self.response, self.classes = xx0, xx1, response, classes
        self.xlabel, self.ylabel = xlabel, ylabel

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: VectorLike = None,
        *,
        grid_resolution: int = 200,
        eps: float | None = None,
        response_method: Literal["auto", "predict", "predict_proba", "decision_function"] = "auto",
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> DecisionBoundaryDisplay:
        """Draw the predictions of a fitted model around some rows.

        Parameters
        ----------
        estimator : classifier or regressor
            Fitted to two columns.
        X : array or frame of two columns
            Rows that the picture shows.
        y : array, optional
            Their classes, by which they are drawn.
        grid_resolution : int, default=200
        eps : float, optional
            How far the picture goes beyond the rows; by default 8 % of their range.
        response_method : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
            What is drawn: what the model predicts; or of two classes, how probable the second is, or its decision
            value.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : DecisionBoundaryDisplay
        """
        pyplot(cls.__name__)
        check_is_fitted(estimator)
        rows, names = plane(X)
        low, high = ends(rows, eps)
        xx0, xx1 = np.meshgrid(*(np.linspace(a, b, grid_resolution) for a, b in zip(low, high, strict=True)))
        places: Any = np.column_stack([xx0.ravel(), xx1.ravel()])
        if names is not None:
            places = type(X)({name: places[:, j] for j, name in enumerate(names)})
        model: Any = estimator
        method = "predict" if response_method == "auto" else response_method
        said, classes = np.asarray(getattr(model, method)(places)), None
        if said.ndim == 2 and said.shape[1] == 2 and method == "predict_proba":
            said = said[:, 1]
        if said.ndim > 1:
            raise ParameterError(
                f"response_method={method!r} says {said.shape[1]} numbers of a place, and one can be drawn",
                Remedy('response_method="predict"', "the regions of the classes"),
            )
        if is_classifier(estimator) and method == "predict":
            classes = np.asarray(model.classes_)
            said = np.searchsorted(classes, said)
        x, y_ = names or (None, None)
        made = cls(xx0=xx0, xx1=xx1, response=said.reshape(xx0.shape), classes=classes, xlabel=x, ylabel=y_)
        return made.plot(ax, rows=rows if y is not None or classes is None else None, y=y, **kwargs)

    def plot(
        self, ax: Axes | None = None, *, rows: Array | None = None, y: VectorLike = None, alpha: float = 0.3
    ) -> DecisionBoundaryDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
        rows : array of shape (rows, 2), optional
            To be drawn as points.
        y : array, optional
            Their classes.
        alpha : float, default=0.3
            How strong the colours of regions are.

        Returns
        -------
        display : DecisionBoundaryDisplay
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        if self.classes is None:
            self.surface_: Any = self.ax_.pcolormesh(
                self.xx0, self.xx1, self.response, cmap="viridis", shading="auto", rasterized=True
            )
            self.figure_.colorbar(self.surface_, ax=self.ax_)
        else:
            regions(self, alpha)
        if rows is not None:
            points(self.ax_, rows, None if self.classes is None else codes(y, self.classes))
        self.ax_.set(xlabel=self.xlabel or "", ylabel=self.ylabel or "")
        return self


class VoronoiDisplay:
    """The cell of each row: the places that are nearer to it than to any other, coloured by its class.

    These are the regions of the nearest neighbour, k = 1, of the Euclidean distance.

    Parameters
    ----------
    points : array of shape (rows, 2)
        Distinct ones.
    label : int array of shape (rows,)
        The number of the class of each; -1 where rows of several classes are at one place.
    classes : array
        The classes that are drawn, each in its colour.
    xlabel, ylabel : str, optional
        The labels of the two axes.

    Attributes
    ----------
    cells_ : matplotlib artist
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> display = tn.display.VoronoiDisplay.from_data(X, X[:, 0] > 0)
    >>> len(display.points)
    30
    """

    def __init__(
        self, *, points: Array, label: Codes, classes: Labels, xlabel: str | None = None, ylabel: str | None = None
    ) -> None:
        self.points, self.label, self.classes = points, label, classes
        self.xlabel, self.ylabel = xlabel, ylabel

    @classmethod
    def from_data(cls, X: MatrixLike, y: VectorLike, *, ax: Axes | None = None, **kwargs: Any) -> VoronoiDisplay:
        """Draw the cells of rows of two columns.

        Parameters
        ----------
        X : array or frame of two columns
        y : array
            Classes.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : VoronoiDisplay
        """
        pyplot(cls.__name__)
        rows, names = plane(X)
        classes = np.unique(np.asarray(y))
        label = np.searchsorted(classes, np.asarray(y))
        distinct, at = np.unique(rows, axis=0, return_inverse=True)
        least, most = np.full(len(distinct), len(classes)), np.full(len(distinct), -1)
        np.minimum.at(least, at.ravel(), label)
        np.maximum.at(most, at.ravel(), label)
        x, y_ = names or (None, None)
        made = cls(points=distinct, label=np.where(least == most, least, -1), classes=classes, xlabel=x, ylabel=y_)
        return made.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, eps: float | None = None, alpha: float = 0.3) -> VoronoiDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
        eps : float, optional
            How far the picture goes beyond the rows; by default 8 % of their range.
        alpha : float, default=0.3
            How strong the colours of cells are.

        Returns
        -------
        display : VoronoiDisplay
        """
        from matplotlib.collections import PolyCollection

        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        low, high = ends(self.points, eps)
        colours = [(*_rgb(label), alpha) for label in self.label.tolist()]
        self.cells_ = PolyCollection(self.cells(low, high), facecolors=colours, edgecolors="#777777", linewidths=0.7)
        self.ax_.add_collection(self.cells_)
        points(self.ax_, self.points, self.label)
        self.ax_.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=self.xlabel or "", ylabel=self.ylabel or "")
        return self

    def cells(self, low: Array, high: Array) -> list[Array]:
        """The corners of the cell of each point within a rectangle.

        Each point is mirrored at the four sides, so the sides are borders of cells, and no cell is open.
        """
        from scipy.spatial import Voronoi

        mirrored = [self.points]
        for j in (0, 1):
            for side in (low[j], high[j]):
                other = self.points.copy()
                other[:, j] = 2 * side - other[:, j]
                mirrored.append(other)
        found = Voronoi(np.concatenate(mirrored))
        return [found.vertices[found.regions[found.point_region[i]]] for i in range(len(self.points))]


def plane(X: MatrixLike) -> tuple[Array, list[str] | None]:
    """Rows of two columns as an array, and their names, if they have some."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows):
        raise ValueError(f"a picture of a plane needs rows of two columns, got an array of shape {rows.shape}")
    return rows, [str(name) for name in X.columns] if not isinstance(X, np.ndarray | list) else None


def ends(rows: Array, eps: float | None) -> tuple[Array, Array]:
    """The corners of the picture: the rows, and a little around them."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    around = np.where(high > low, MARGIN_SHARE * (high - low), 1.0) if eps is None else np.full(2, float(eps))
    return low - around, high + around


def codes(y: VectorLike, classes: Labels) -> Codes | None:
    """The numbers of classes, or None of none."""
    return None if y is None else np.searchsorted(classes, np.asarray(y))


def regions(display: DecisionBoundaryDisplay, alpha: float) -> None:
    """Fill the region of each class with its colour."""
    from matplotlib.colors import ListedColormap

    assert display.classes is not None
    every = ListedColormap([COLOURS[i % len(COLOURS)] for i in range(len(display.classes))])
    display.surface_ = display.ax_.pcolormesh(
        display.xx0, display.xx1, display.response, cmap=every, vmin=-0.5, vmax=len(display.classes) - 0.5,
        alpha=alpha, shading="auto", rasterized=True,
    )  # fmt: skip


def points(ax: Axes, rows: Array, label: Codes | None) -> None:
    """Draw rows as points, in the colours of their classes."""
    colours = "#333333" if label is None else [_rgb(one) for one in label.tolist()]
    ax.scatter(rows[:, 0], rows[:, 1], c=colours, s=9, zorder=3)


def _rgb(label: int) -> tuple[float, float, float]:
    """The colour of a class; grey of none."""
    text = COLOURS[label % len(COLOURS)] if label >= 0 else "#999999"
    return tuple(int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]
