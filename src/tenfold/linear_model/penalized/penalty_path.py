"""All penalties from one summary: each model starts from the one before, with a penalty a little larger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes, Schema
from tenfold.estimator import check_is_fitted
from tenfold.estimator.shell.constraints import numbers
from tenfold.estimator.updating.merging import one_blas_thread
from tenfold.linear_model.penalized.quadratic import Quadratic, quadratic
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows.wide_rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST_ALPHA = float(np.finfo(np.float64).resolution)
"""all penalties of a grid, if every coefficient is 0 anyway"""
MAX_SLOW_PENALTIES = 3
"""penalties of a path whose descents may take all the sweeps that they are allowed"""


@dataclass(frozen=True, eq=False)
class LassoPath:
    """The models of a decreasing grid of penalties.

    `Lasso.path` and `ElasticNet.path` make it from the summary that the model has; no row is read again.

    Parameters
    ----------
    alphas : array of shape (alphas,)
        The penalties, the largest first.
    coefs : array of shape (alphas, columns)
    intercepts : array of shape (alphas,)
    gaps : array of shape (alphas,)
        For each, how far the objective can be above its minimum, as a share of half the mean squares of y.
    names : tuple of str
        Of the columns.
    l1_ratio : float

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import Lasso
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> path = Lasso().fit(X, X @ [3.0, 0.0, -1.0, 0.0]).path(alphas=5)
    >>> path.coefs.shape
    (5, 4)
    >>> path.df.tolist()
    [0, 2, 2, 2, 2]
    """

    alphas: Array
    coefs: Array
    intercepts: Array
    gaps: Array
    names: tuple[str, ...]
    l1_ratio: float = 1.0

    @property
    def df(self) -> Codes:
        """How many coefficients are not 0: of the lasso, an unbiased estimate of its degrees of freedom."""
        return np.count_nonzero(self.coefs, axis=1)

    @property
    def order(self) -> list[str]:
        """The names of the columns in the order in which they enter."""
        entered = self.coefs != 0
        first = np.where(entered.any(axis=0), entered.argmax(axis=0), len(self.alphas))
        return [self.names[j] for j in np.argsort(first, kind="stable") if first[j] < len(self.alphas)]

    def __repr__(self) -> str:
        return (
            f"LassoPath({len(self.alphas)} penalties from {self.alphas[0]:.3g} to {self.alphas[-1]:.3g}, "
            f"{self.df[0]} to {self.df[-1]} of {self.coefs.shape[1]} columns, largest gap {self.gaps.max():.2g})"
        )

    def plot(self, ax: Axes | None = None, *, labels: int = 10) -> Axes:
        """Each coefficient against the penalty.

        Parameters
        ----------
        ax : matplotlib axes, optional
        labels : int
            How many of the columns with the largest coefficients are named, at the right end.

        Returns
        -------
        ax : matplotlib axes
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plot needs matplotlib. Remedy: pip install 'tenfold[plot]'") from None
        if ax is None:
            _, ax = plt.subplots(figsize=(7, 4), layout="constrained")
        last = self.coefs[-1]
        named = np.argsort(-np.abs(last), kind="stable")[:labels]
        named = named[last[named] != 0]
        lines = {}
        for j in np.flatnonzero((self.coefs != 0).any(axis=0)):
            some = j in named
            color = None if some else "#bbbbbb"
            (lines[j],) = ax.plot(self.alphas, self.coefs[:, j], lw=1.8 if some else 0.8, color=color)
        ax.axhline(0.0, color="#444444", lw=0.8)
        ax.set_xscale("log")
        ax.invert_xaxis()
        heights = _spread_labels(last[named], 0.05 * (self.coefs.max() - self.coefs.min()))
        for j, height in zip(named, heights, strict=True):
            ax.annotate(
                self.names[j], (self.alphas[-1], height), xytext=(6, 0), textcoords="offset points", va="center",
                fontsize=8, color=lines[j].get_color(),
            )  # fmt: skip
        ax.set(xlabel="penalty alpha", ylabel="coefficient")
        ax.spines[["top", "right"]].set_visible(False)
        return ax


def _spread_labels(heights: Array, least: float) -> Array:
    """Label heights, moved up where two labels would overlap."""
    out = heights.copy()
    below = -np.inf
    for j in np.argsort(heights, kind="stable"):
        out[j] = below = max(heights[j], below + least)
    return out


def grid_of(problem: Quadratic, l1_ratio: float, positive: bool, alphas: ArrayLike, eps: float) -> Array:
    """Penalties in decreasing order; if `alphas` is a number, a grid from the smallest penalty that leaves no
    coefficient."""
    if isinstance(alphas, (int, np.integer)):
        if l1_ratio == 0:
            raise ValueError("there is no largest alpha for l1_ratio=0. Remedy: give the alphas")
        top = problem.largest(l1_ratio, positive)
        if not top < np.inf:
            raise ValueError(f"l1_ratio={l1_ratio} leaves no finite grid of penalties. Remedy: give the alphas")
        return np.geomspace(top, top * eps, int(alphas)) if top > 0 else np.full(int(alphas), SMALLEST_ALPHA)
    given = np.sort(numbers(alphas, "alphas").ravel())[::-1].copy()
    if not len(given) or not (given > 0).all() or not np.isfinite(given).all():
        raise ValueError("alphas must be positive numbers. Remedy: LinearRegression has no penalty")
    return given


def follow(
    problem: Quadratic, alphas: Array, l1_ratio: float, positive: bool, tol: float, most: int
) -> tuple[Array, Array]:
    """Coefficients and intercepts for each penalty, every one from the one before.

    Where `MAX_SLOW_PENALTIES` of them have taken all the sweeps they may, those that are penalised less have a
    hundredth.
    """
    coefs, intercepts = np.empty((len(alphas), problem.width)), np.empty(len(alphas))
    beta, spent = None, 0
    for i, alpha in enumerate(alphas):
        may = most if spent < MAX_SLOW_PENALTIES else -(-most // 100)
        beta, sweeps = problem.solve(alpha, l1_ratio, positive, tol, may, beta)
        spent += sweeps >= most
        coefs[i], intercepts[i] = problem.values(beta)
    return coefs, intercepts


class Sparse(Protocol):
    """A learner that descends by coordinates, fitted."""

    fit_intercept: bool
    positive: bool
    tol: float
    max_iter: int
    schema_: Schema
    summary_: Any


def summary_of(model: Sparse) -> Any:
    """The summary of a fitted model, from which paths are made."""
    check_is_fitted(model)
    if model.summary_ is None:
        raise ValueError("a model that was saved without its summary has no path")
    return model.summary_


def path_of(model: Sparse, summary: Moments | Rows, l1_ratio: float, alphas: ArrayLike, eps: float) -> LassoPath:
    """The path from the summary of all rows of a fitted model."""
    with one_blas_thread():
        problem = quadratic(summary, model.fit_intercept)
        grid = grid_of(problem, l1_ratio, model.positive, alphas, eps)
        coefs, intercepts = follow(problem, grid, l1_ratio, model.positive, model.tol, model.max_iter)
        gaps = [problem.gap(coef, a, l1_ratio, model.positive) for coef, a in zip(coefs, grid, strict=True)]
    return LassoPath(grid, coefs, intercepts, np.array(gaps), model.schema_.feature_names, l1_ratio)
