"""The steps of k-means: where the centres go, or how the inertia falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tenfold.inspection.traces.kmeans_trace import KMeansTrace
from tenfold.model_selection.formatting import axes, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_centers(trace: KMeansTrace, ax: Axes | None) -> Axes:
    """Draw the way of each centre among rows of two columns, otherwise the inertia by round."""
    rounds, clusters, columns = trace.centers.shape
    if columns != 2:
        ax = axes("TraceDisplay", ax, (6.0, 4.0))
        ax.plot(range(1, rounds + 1), trace.inertia, "o-", color="#3b82c4")
        ax.set(xlabel="round", ylabel="inertia")
        ax.spines[["top", "right"]].set_visible(False)
        return ax
    ax = axes("TraceDisplay", ax, (5.6, 5.0))
    shades = pyplot("TraceDisplay").get_cmap("tab10")(np.arange(clusters) % 10)
    near = ((trace.X[:, None] - trace.centers[-1]) ** 2).sum(axis=2).argmin(axis=1)
    ax.scatter(trace.X[:, 0], trace.X[:, 1], c=shades[near], s=10, alpha=0.4, linewidths=0)
    for k, shade in enumerate(shades):
        way = trace.centers[:, k]
        ax.plot(*way.T, "-o", color="#222222", markersize=3.5, linewidth=1.3, zorder=3)
        ax.plot(*way[0], "o", markerfacecolor="white", markeredgecolor="#222222", markersize=8, zorder=4)
        ax.plot(*way[-1], "X", color=shade, markeredgecolor="#222222", markersize=12, zorder=5)
    ax.set(xlabel=trace.names[0], ylabel=trace.names[1])
    ax.set_title(
        f"o start, X end: {rounds} rounds, inertia {trace.inertia[0]:.4g} to {trace.inertia[-1]:.4g}", fontsize=10
    )
    ax.spines[["top", "right"]].set_visible(False)
    return ax
