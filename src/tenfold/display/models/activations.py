"""Activations of the hidden units of a network: a heat map for each hidden layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, Columns, Design, Labels, MatrixLike
from tenfold.display.evaluation.loss_curve import last, reaching_last
from tenfold.model_selection.formatting import pyplot
from tenfold.neural_network.mlp.mlp import MLP, MLPModel
from tenfold.neural_network.mlp.mlp_classifier import MLPClassifier
from tenfold.neural_network.mlp.mlp_regressor import MLPRegressor

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ActivationsDisplay:
    """The states of hidden units for some rows: one heat map for each hidden layer, rows x units.

    Units that are constant over rows are dead; equal columns are redundant. With the classes of the
    rows these are grouped, which shows the units that separate the classes.

    Parameters
    ----------
    activations : list of arrays of shape (rows, units)
        By hidden layer.
    groups : array of shape (rows,), optional
        The class of each row: rows are drawn class by class.

    Attributes
    ----------
    images_ : list of matplotlib images
    axes_ : list of matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> model = tn.MLPClassifier((6, 3), max_iter=5).fit(X, X[:, 0] > 0)
    >>> display = tn.display.ActivationsDisplay.from_estimator(model, X[:20], X[:20, 0] > 0)
    >>> [layer.shape for layer in display.activations]
    [(20, 6), (20, 3)]
    """

    def __init__(self, *, activations: list[Array], groups: Labels | None = None) -> None:
        self.activations, self.groups = activations, groups
        if not activations:
            raise ValueError("the network has no hidden layers. Remedy: hidden_layer_sizes with at least one")

    def dead_units(self, tol: float = 0.0) -> list[list[int]]:
        """The units of each hidden layer that are constant over rows, up to `tol`.

        Parameters
        ----------
        tol : float, default=0.0

        Returns
        -------
        units : list of list of int
            By hidden layer.

        Examples
        --------
        >>> import numpy as np
        >>> from tenfold.display import ActivationsDisplay
        >>> ActivationsDisplay(activations=[np.array([[0.0, 1.0], [0.0, 2.0]])]).dead_units()
        [[0]]
        """
        return [np.flatnonzero(np.ptp(layer, axis=0) <= tol).tolist() for layer in self.activations]

    def plot(self, figure: Figure | None = None, *, cmap: str | None = None) -> ActivationsDisplay:
        """Draw a heat map for each hidden layer, side by side.

        Parameters
        ----------
        figure : matplotlib figure, optional
        cmap : str, optional
            Of matplotlib; by default "coolwarm" for states on both sides of 0, "Reds" where none is below.

        Returns
        -------
        display : ActivationsDisplay
        """
        plt = pyplot(type(self).__name__)
        many = len(self.activations)
        self.figure_ = plt.figure(figsize=(1.5 + 3.0 * many, 4.2), layout="constrained") if figure is None else figure
        widths = [max(layer.shape[1], 4) ** 0.5 for layer in self.activations]
        self.axes_ = list(np.ravel(self.figure_.subplots(1, many, sharey=True, width_ratios=widths)))
        order, edges, labels = self._ordered(len(self.activations[0]))
        self.images_: list[Any] = []
        for at, (ax, layer) in enumerate(zip(self.axes_, self.activations, strict=True), 1):
            far = float(np.abs(layer).max(initial=0.0)) or 1.0
            low, usual = (-far, "coolwarm") if layer.min(initial=0.0) < 0 else (0.0, "Reds")
            image = ax.imshow(
                layer[order],
                aspect="auto",
                interpolation="nearest",
                cmap=cmap or usual,
                vmin=low,
                vmax=far,
            )
            self.images_.append(image)
            for edge in edges[1:-1]:
                ax.axhline(edge - 0.5, color="black", linewidth=0.8)
            ax.set(title=f"hidden layer {at}", xlabel="unit")
            ax.xaxis.get_major_locator().set_params(integer=True)
            self.figure_.colorbar(image, ax=ax, location="bottom", shrink=0.8)
        self.axes_[0].set_ylabel("row" if self.groups is None else "rows by class")
        if self.groups is not None:
            self.axes_[0].set_yticks((edges[1:] + edges[:-1] - 1) / 2, labels)
        return self

    def _ordered(self, rows: int) -> tuple[Any, Array, list[str]]:
        """The order in which rows are drawn, where each class begins, and the names of the classes."""
        if self.groups is None:
            return slice(None), np.array([0, rows]), [""]
        classes, codes = np.unique(self.groups, return_inverse=True)
        edges = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(classes)))])
        return np.argsort(codes, kind="stable"), edges, [str(one) for one in classes.tolist()]

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: MatrixLike, y: ArrayLike | None = None, **kwargs: Any
    ) -> ActivationsDisplay:
        """Draw the activations of the hidden units of a fitted network.

        Parameters
        ----------
        estimator : MLPClassifier or MLPRegressor
            Fitted, or a pipeline that ends with one.
        X : array or frame
            Rows to draw; a few hundred are distinguishable.
        y : array, optional
            Classes, by which the rows are grouped.
        **kwargs
            For `plot`.

        Returns
        -------
        display : ActivationsDisplay
        """
        pyplot(cls.__name__)
        net = last(estimator)
        if not isinstance(net, (MLPClassifier, MLPRegressor)):
            raise TypeError(f"{type(net).__name__} has no hidden layers. Remedy: MLPClassifier or MLPRegressor")
        check_is_fitted(net)
        rows = reaching_last(estimator, X)
        sizes = net.model_.sizes[1:-1].tolist()
        if not sizes:
            return cls(activations=[])
        found = np.asarray(net._apply(_states, rows, lambda: [f"unit_{j}" for j in range(sum(sizes))]))
        groups = None if y is None else np.asarray(y)
        if groups is not None and groups.shape != (len(found),):
            raise ValueError(f"y must have a class for each of the {len(found):,} rows, not the shape {groups.shape}")
        return cls(activations=np.split(found, np.cumsum(sizes)[:-1], axis=1), groups=groups).plot(**kwargs)


def _states(learner: MLP, model: MLPModel, X: Columns) -> Array:
    """The states of all hidden units, layer beside layer."""
    each = learner._network(model.schema).states(model.weights, Design.of(X, model.schema.levels))
    return np.concatenate(each[:-1], axis=1)
