"""Lloyd's algorithm for numbers on a line: k-means of values with weights, without a look at the rows.

Centres and values are sorted, so a centre's values are those between two halfway points.
"""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Codes

MAX_ROUNDS = 300
"""the most, as scikit-learn's KMeans has it"""
TOLERANCE = 1e-4
"""the squared shift of the centres at which it ends, as a share of the variance of the values"""


def line_centers(values: Array, weight: Array, start: Array) -> Array:
    """Return the centres of k-means in one dimension.

    Parameters
    ----------
    values : array
        Rising; each once.
    weight : array
        Of each value, above zero.
    start : array
        The first centres, rising.

    Returns
    -------
    centers : array
        Rising. One that has no values takes a row of the value that is farthest from its own centre, as scikit-learn's
        KMeans has it.

    Examples
    --------
    >>> import numpy as np
    >>> line_centers(np.array([0.0, 1.0, 9.0]), np.ones(3), np.array([2.0, 7.0])).round(6).tolist()
    [0.5, 9.0]
    """
    size = max(abs(float(values[0])), abs(float(values[-1])), 1e-300)  # squares of what is divided by it are finite
    middle = float(np.average(values / size, weights=weight))  # around zero, differences of squares keep their digits
    x, centers = values / size - middle, np.sort(start) / size - middle
    enough = TOLERANCE * float(np.average(x**2, weights=weight))
    before: Codes | None = None
    for _ in range(MAX_ROUNDS):
        nearest = np.searchsorted((centers[1:] + centers[:-1]) / 2, x)
        mass, total = _sums(nearest, weight, len(centers)), _sums(nearest, weight * x, len(centers))
        if not mass.all():
            _fill_empty(x, weight, np.abs(x - centers[nearest]), nearest, mass, total)
        moved = np.sort(np.divide(total, mass, out=centers.copy(), where=mass > 0))
        shift = float(((moved - centers) ** 2).sum())
        centers = moved
        if (before is not None and np.array_equal(nearest, before)) or shift <= enough:
            break
        before = nearest
    return (centers + middle) * size


def _sums(at: Codes, numbers: Array, size: int) -> Array:
    """The sum of the numbers at each place."""
    found: Array = np.bincount(at, numbers, size).astype(np.float64)
    return found


def _fill_empty(x: Array, weight: Array, away: Array, nearest: Codes, mass: Array, total: Array) -> None:
    """Give each empty cluster one row, among those farthest from their centres."""
    empty = np.flatnonzero(mass == 0)
    farthest = np.argsort(-away, kind="stable")[: len(empty)]
    rows = np.repeat(farthest, np.minimum(np.ceil(weight[farthest]), len(empty)).astype(np.int64))[: len(empty)]
    for center, at in zip(empty, rows, strict=False):
        one = min(1.0, float(weight[at]))
        mass[center], total[center] = one, one * x[at]
        mass[nearest[at]] -= one
        total[nearest[at]] -= one * x[at]
