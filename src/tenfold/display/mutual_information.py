"""The mutual information of all pairs of columns as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tenfold.core import Array, Codes, MatrixLike
from tenfold.inspection.dependence.mutual_information_matrix import MutualInformationMatrix, mutual_information_matrix
from tenfold.model_selection.formatting import axes, pyplot, short
from tenfold.theory.checks import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_NUMBERED_COLUMNS = 16
"""maximum number of columns for which values are written into the cells"""


class MutualInformationDisplay:
    """Heat map of the mutual information of all pairs of columns.

    Parameters
    ----------
    matrix : MutualInformationMatrix
        The result of `mutual_information_matrix`.

    Attributes
    ----------
    image_ : matplotlib image
    texts_ : list of matplotlib texts
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> frame = pd.DataFrame({"sky": ["sun", "rain", "sun", "rain"], "wet": [0, 1, 0, 1], "day": ["a", "a", "b", "b"]})
    >>> display = tn.display.MutualInformationDisplay.from_rows(frame)
    >>> display.matrix.between("sky", "wet")
    1.0
    """

    def __init__(self, matrix: MutualInformationMatrix) -> None:
        self.matrix = matrix

    def plot(
        self, ax: Axes | None = None, *, values: str = "normalized", sort: bool = True, numbers: bool | None = None,
        **kwargs: Any,
    ) -> MutualInformationDisplay:  # fmt: skip
        """Draw the matrix as a heat map.

        Parameters
        ----------
        ax : matplotlib axes, optional
        values : {"normalized", "information"}, default="normalized"
            From 0 to 1, or in bits.
        sort : bool, default=True
            Whether to reorder columns so that those of high mutual information are adjacent.
        numbers : bool, optional
            Whether to write the numbers; by default if there are few columns.
        **kwargs
            For matplotlib's `imshow`.

        Returns
        -------
        display : MutualInformationDisplay
        """
        one_of("values", values, ("normalized", "information"))
        found = self.matrix.normalized if values == "normalized" else self.matrix.information
        order = _side_by_side(self.matrix.normalized) if sort else np.arange(len(found))
        shown, names = found[np.ix_(order, order)], [short(self.matrix.names[j]) for j in order]
        k = len(names)
        size = 2.2 + 0.42 * k
        self.ax_ = axes(type(self).__name__, ax, (size + 1.2, size))
        self.figure_ = self.ax_.figure
        off = shown[~np.eye(k, dtype=bool)]  # a column tells all of itself: the others set the scale
        top = 1.0 if values == "normalized" else max(float(off.max(initial=0.0)), 1e-9)
        self.image_ = self.ax_.imshow(shown, **{"cmap": "Blues", "vmin": 0.0, "vmax": top, **kwargs})
        unit = "bits" if self.matrix.base == 2 else f"base {self.matrix.base:.4g}"
        label = "I(X; Y) / √(H(X) H(Y))" if values == "normalized" else f"mutual information, {unit}"
        pyplot(type(self).__name__).colorbar(self.image_, ax=self.ax_, label=label, shrink=0.8)
        self.ax_.set_xticks(range(k), names, rotation=45, ha="right", rotation_mode="anchor")
        self.ax_.set_yticks(range(k), names)
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)
        self.texts_ = []
        if k <= MAX_NUMBERED_COLUMNS if numbers is None else numbers:
            for i, j in np.ndindex(k, k):
                color = "white" if shown[i, j] > 0.6 * top else "#333333"
                text = f"{shown[i, j]:.2f}"
                self.texts_.append(self.ax_.text(j, i, text, ha="center", va="center", fontsize=7, color=color))
        return self

    @classmethod
    def from_rows(
        cls, X: MatrixLike, *, ax: Axes | None = None, bins: int = 16, **kwargs: Any
    ) -> MutualInformationDisplay:
        """Compute `mutual_information_matrix` of the rows, and draw it.

        Parameters
        ----------
        X : array, frame or Source
        ax : matplotlib axes, optional
        bins : int, default=16
            Of a numeric column, at most.
        **kwargs
            For `plot`.

        Returns
        -------
        display : MutualInformationDisplay
        """
        pyplot(cls.__name__)
        return cls(mutual_information_matrix(X, bins=bins)).plot(ax, **kwargs)


def _side_by_side(shares: Array) -> Codes:
    """An order of the columns in which those of high mutual information are neighbours."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(shares) < 3:
        return np.arange(len(shares))
    apart = 1 - shares
    np.fill_diagonal(apart, 0.0)
    return np.asarray(leaves_list(linkage(squareform(apart, checks=False), "average")), dtype=np.int64)
