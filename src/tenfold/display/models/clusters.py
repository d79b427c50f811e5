"""How many clusters there are, and how well rows belong to them: elbow and silhouette, from summaries that merge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from tenfold.core import Array, MatrixLike
from tenfold.display.drawing import REFERENCE_LINE_STYLE, Look, finish
from tenfold.estimator import Clusterer
from tenfold.metrics.silhouette import HISTOGRAM_BINS, silhouettes
from tenfold.mixture.gaussian_mixture import GaussianMixture
from tenfold.model_selection.cross_validation.fit_together import fit_together
from tenfold.model_selection.formatting import axes, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BOUNDARY_LINE_STYLE: dict[str, Any] = dict(REFERENCE_LINE_STYLE)


class ElbowDisplay:
    """How good clusterings of several sizes are: the inertia of k-means, or BIC and AIC of mixtures.

    Parameters
    ----------
    sizes : list of int
        How many clusters, or components.
    values : dict of arrays
        For each criterion its value at each size, the lower the better.
    best : int
        The size to take: that of the lowest BIC; of inertia, which always falls, the elbow, where the curve is farthest
        below the line from its first to its last point.
    models : list
        The fitted models.

    Attributes
    ----------
    lines_ : list of matplotlib lines
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(100, 2)) + middle for middle in ([0, 0], [9, 0], [0, 9])])
    >>> tn.display.ElbowDisplay.from_estimator(tn.KMeans(), X, sizes=range(1, 7)).best
    3
    >>> tn.display.ElbowDisplay.from_estimator(tn.GaussianMixture(), X, sizes=range(1, 5)).best
    3
    """

    def __init__(self, *, sizes: list[int], values: dict[str, Array], best: int, models: list[Any]) -> None:
        self.sizes, self.values, self.best, self.models = sizes, values, best, models

    def plot(self, ax: Axes | None = None, *, curve_kwargs: Look | None = None, despine: bool = True) -> ElbowDisplay:
        """Draw the curves over the sizes.

        Parameters
        ----------
        ax : matplotlib axes, optional
        curve_kwargs : dict, optional
            For matplotlib's `plot`.
        despine : bool, default=True

        Returns
        -------
        display : ElbowDisplay
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        self.lines_ = []
        for name, values in self.values.items():
            look = {"marker": "o", "linewidth": 2.0, "label": name, **(curve_kwargs or {})}
            self.lines_ += self.ax_.plot(self.sizes, values, **look)
        self.ax_.axvline(self.best, **BOUNDARY_LINE_STYLE, label=f"best: {self.best}")
        self.ax_.set(xlabel="clusters", ylabel=" and ".join(self.values))
        finish(self.ax_, despine, "lower left")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        *,
        sizes: Iterable[int] = range(1, 11),
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ElbowDisplay:
        """Fit a learner with several numbers of clusters, over shared scans, and draw what comes of it.

        Parameters
        ----------
        estimator : KMeans or GaussianMixture
            Of tenfold; it is not changed.
        X : array, frame or Source
            A Source brings its own weights.
        sizes : iterable of int, default=range(1, 11)
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : ElbowDisplay
        """
        pyplot(cls.__name__)
        some = sorted({int(size) for size in sizes})
        if not some or some[0] < 1:
            raise ValueError(f"sizes={sizes!r}: whole numbers from 1 on are needed")
        if isinstance(estimator, GaussianMixture):
            models = fit_together([clone(estimator).set_params(n_components=size) for size in some], X)
            values = {name.upper(): np.array([m.certificate_[name].value for m in models]) for name in ("bic", "aic")}
            best = some[int(values["BIC"].argmin())]
        elif isinstance(estimator, Clusterer):
            models = fit_together([clone(estimator).set_params(n_clusters=size) for size in some], X)
            values = {"inertia": np.array([m.certificate_["inertia"].value for m in models])}
            best = some[_elbow(np.array(some, dtype=np.float64), values["inertia"])]
        else:
            raise TypeError(f"{type(estimator).__name__} has no clusters. Remedy: KMeans or GaussianMixture of tenfold")
        return cls(sizes=some, values=values, best=best, models=models).plot(ax, **kwargs)


def _elbow(x: Array, y: Array) -> int:
    """Index at which a falling curve is farthest below the line from its first to its last point."""
    if len(x) < 3 or y[0] <= y[-1]:
        return int(y.argmin())
    across, down = (x - x[0]) / (x[-1] - x[0]), (y - y[-1]) / (y[0] - y[-1])
    return int((1.0 - across - down).argmax())


class SilhouetteDisplay:
    """How well rows belong to their clusters: silhouettes, sorted within each cluster.

    The silhouette of a row is (b - a) / max(a, b), where a is its mean squared distance to the other rows of its
    cluster, and b to those of the nearest other cluster. It is near 1 inside a cluster of its own, and below 0 for a
    row that is nearer to another. Found by two scans of sums that merge; rows are counted in 400 bins.

    Parameters
    ----------
    silhouette : list of arrays
        For each cluster the middles of the bins that rows are in, rising.
    weight : list of arrays
        The weight of the rows in each.
    mean : array
        The mean of each cluster.
    score : float
        The mean over all rows, exact.

    Attributes
    ----------
    bars_ : list of matplotlib collections
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(100, 2)) + middle for middle in ([0, 0], [9, 0], [0, 9])])
    >>> display = tn.display.SilhouetteDisplay.from_estimator(tn.KMeans(3).fit(X), X)
    >>> round(display.score, 2)
    0.95
    """

    def __init__(self, *, silhouette: list[Array], weight: list[Array], mean: Array, score: float) -> None:
        self.silhouette, self.weight, self.mean, self.score = silhouette, weight, mean, score

    def plot(self, ax: Axes | None = None, *, despine: bool = True) -> SilhouetteDisplay:
        """Draw the silhouette of each cluster.

        Parameters
        ----------
        ax : matplotlib axes, optional
        despine : bool, default=True

        Returns
        -------
        display : SilhouetteDisplay
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        shades = pyplot(type(self).__name__).get_cmap("viridis")(np.linspace(0.05, 0.9, len(self.mean)))
        self.bars_, top = [], 0.0
        gap = 0.02 * sum(float(weight.sum()) for weight in self.weight)
        ticks = []
        for value, weight, shade in zip(self.silhouette, self.weight, shades, strict=True):
            height = np.concatenate([[0.0], np.cumsum(weight)]) + top
            if len(value):
                run = np.repeat(height, 2)[1:-1]
                self.bars_.append(self.ax_.fill_betweenx(run, 0.0, np.repeat(value, 2), color=shade, linewidth=0))
            ticks.append((height[0] + height[-1]) / 2)
            top = float(height[-1]) + gap
        self.ax_.axvline(self.score, **BOUNDARY_LINE_STYLE, label=f"mean {self.score:.3f}")
        self.ax_.set(xlabel="silhouette", ylabel="rows by cluster", xlim=(None, 1.0))
        self.ax_.set_yticks(ticks, [str(k) for k in range(len(ticks))])
        finish(self.ax_, despine, "lower left")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> SilhouetteDisplay:
        """Draw the silhouettes of rows in the clusters of a fitted model.

        Parameters
        ----------
        estimator : KMeans or GaussianMixture
            Of tenfold, fitted.
        X : array, frame or Source
            A Source brings its own weights, and is read twice, part by part.
        sample_weight : array, optional
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : SilhouetteDisplay
        """
        pyplot(cls.__name__)
        found = silhouettes(estimator, X, sample_weight)
        middles: Array = np.linspace(-1.0, 1.0, 2 * HISTOGRAM_BINS + 1)[1::2]
        some = [np.flatnonzero(weight) for weight in found.weight]
        return cls(
            silhouette=[middles[at] for at in some],
            weight=[weight[at] for weight, at in zip(found.weight, some, strict=True)],
            mean=found.by_cluster(),
            score=found.score,
        ).plot(ax, **kwargs)
