"""Which rows of a sequence look at which, in the heads of a transformer: heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, MatrixLike
from tenfold.display.evaluation.loss_curve import last, reaching_last
from tenfold.model_selection.formatting import axes, pyplot, short
from tenfold.neural_network.sequences.transformer_classifier import TransformerClassifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_NAMED_ROWS = 40
"""maximum number of rows whose names are written at the axes"""


class AttentionDisplay:
    """How much each row of one sequence looks at each other one: one head of a transformer, or all.

    Parameters
    ----------
    maps : array of shape (layers, heads, rows, rows)
        Of one sequence, as `TransformerClassifier.attention` gives it.
    labels : sequence, optional
        What each row is called; their numbers by default.

    Attributes
    ----------
    images_ : list of matplotlib images
    axes_ : list of matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> maps = np.full((2, 3, 4, 4), 0.25)
    >>> display = tn.display.AttentionDisplay(maps, labels=list("abcd")).plot()
    >>> len(display.axes_)  # two layers of three heads
    6
    >>> len(tn.display.AttentionDisplay(maps).plot(layer=1, head=0).axes_)
    1
    """

    def __init__(self, maps: Array, labels: Sequence[Any] | None = None) -> None:
        self.maps = np.asarray(maps, dtype=np.float64)
        if self.maps.ndim != 4 or self.maps.shape[2] != self.maps.shape[3]:
            raise ValueError(f"maps must be layers x heads x rows x rows of one sequence, not {self.maps.shape}")
        rows = self.maps.shape[2]
        if labels is not None and len(labels) != rows:
            raise ValueError(f"labels must name the {rows} rows of the sequence, not {len(labels)}")
        self.labels = [str(at) for at in range(rows)] if labels is None else [short(str(each)) for each in labels]

    def plot(
        self, ax: Axes | None = None, *, layer: int | None = None, head: int | None = None, **kwargs: Any
    ) -> AttentionDisplay:
        """Draw one head, or all: a row of maps for each layer.

        Parameters
        ----------
        ax : matplotlib axes, optional
            For one head; several heads have a figure of their own.
        layer, head : int, optional
            Which ones, from 0 on; all by default.
        **kwargs
            For matplotlib's `imshow`.

        Returns
        -------
        display : AttentionDisplay
        """
        layers, heads = (
            _chosen(name, given, many)
            for name, given, many in zip(("layer", "head"), (layer, head), self.maps.shape[:2])
        )
        if ax is not None and len(layers) * len(heads) > 1:
            raise ValueError("one ax is for one head. Remedy: layer= and head=, or no ax")
        plt = pyplot(type(self).__name__)
        if len(layers) * len(heads) == 1:
            grid = np.array([[axes(type(self).__name__, ax)]], dtype=object)
        else:
            size = (1.2 + 2.6 * len(heads), 0.4 + 2.6 * len(layers))
            grid = plt.subplots(len(layers), len(heads), figsize=size, layout="constrained", squeeze=False)[1]
        self.axes_, self.images_ = list(grid.flat), []
        self.figure_ = self.axes_[0].figure
        for at, (i, j) in zip(self.axes_, ((i, j) for i in layers for j in heads)):
            shown = self.maps[i, j]
            self.images_.append(at.imshow(shown, **{"cmap": "Blues", "vmin": 0.0, "vmax": 1.0, **kwargs}))
            at.set_title(f"layer {i}, head {j}", fontsize=9)
            at.tick_params(length=0, labelsize=7)
            at.spines[:].set_visible(False)
            if len(self.labels) <= MAX_NAMED_ROWS:
                at.set_xticks(range(len(self.labels)), self.labels)
                at.set_yticks(range(len(self.labels)), self.labels)
        for at in grid[-1]:
            at.set_xlabel("is looked at", fontsize=8)
        for at in grid[:, 0]:
            at.set_ylabel("looks", fontsize=8)
        plt.colorbar(self.images_[0], ax=self.axes_, label="share of attention", shrink=0.8)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        *,
        labels: Sequence[Any] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> AttentionDisplay:
        """Ask a transformer for the attention of one sequence, and draw it.

        Parameters
        ----------
        estimator : TransformerClassifier
            Fitted, or a pipeline that ends with one.
        X : array or frame
            The rows of one sequence.
        labels : sequence, optional
            What each row is called.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : AttentionDisplay
        """
        pyplot(cls.__name__)
        net = last(estimator)
        if not isinstance(net, TransformerClassifier):
            raise TypeError(f"{type(net).__name__} has no attention. Remedy: TransformerClassifier")
        check_is_fitted(net)
        (maps,) = net.attention(reaching_last(estimator, X))
        return cls(maps, labels).plot(ax, **kwargs)


def _chosen(name: str, given: int | None, many: int) -> list[int]:
    """The requested head, or all heads."""
    if given is None:
        return list(range(many))
    if not 0 <= given < many:
        raise ValueError(f"{name} must be from 0 to {many - 1}, not {given}")
    return [given]
