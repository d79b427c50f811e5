"""Bounds between the error of the nearest neighbour and the Bayes error (Cover and Hart, 1967)."""

from __future__ import annotations

from math import sqrt

from tenfold.theory.bounds.bound import Bound, below
from tenfold.theory.checks import between, whole

MANY_ROWS = "rows drawn independently, and so many that the nearest is as good as at the same place"


def cover_hart(bayes_error: float, classes: int = 2) -> Bound:
    """The error of the nearest neighbour, with very many rows: less than twice the least possible.

    Parameters
    ----------
    bayes_error : float
        The least error that any classifier has, from 0 to 1.
    classes : int, default=2

    Returns
    -------
    Bound
        R* (2 - R* c / (c - 1)).

    Examples
    --------
    >>> from tenfold.theory import cover_hart
    >>> round(float(cover_hart(0.1)), 6)
    0.18
    """
    least, c = between("bayes_error", bayes_error), whole("classes", classes, 2)
    return below(1, least * (2 - least * c / (c - 1)), "R* (2 - R* c/(c - 1))", MANY_ROWS)


def cover_hart_lower(error: float, classes: int = 2) -> float:
    """Lower bound of the Bayes error from the error of the nearest neighbour: the inverse of `cover_hart`.

    Parameters
    ----------
    error : float
        Of the nearest neighbour, with very many rows.
    classes : int, default=2

    Returns
    -------
    least : float
        (c - 1)/c (1 - √(1 - R c/(c - 1))).

    Examples
    --------
    >>> from tenfold.theory import cover_hart_lower
    >>> round(cover_hart_lower(0.18), 6)
    0.1
    """
    error, c = between("error", error), whole("classes", classes, 2)
    most = (c - 1) / c
    return most * (1 - sqrt(max(0.0, 1 - error / most)))
