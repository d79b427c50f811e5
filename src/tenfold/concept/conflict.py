"""Noise: the example that left no conjunction, and a least set of examples that no conjunction agrees with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Codes, Flags, Values
from tenfold.core.arrays import MatrixLike, VectorLike


class Conflict(NamedTuple):
    """The example that emptied a version space, and examples that contradict each other.

    Parameters
    ----------
    row : int
        The number of the example after which no conjunction was left.
    rows : tuple of int
        A negative, and positives whose least conjunction covers it. No smaller part of them is a contradiction: one of
        these labels is wrong, or the concept is no conjunction.
    """

    row: int
    rows: tuple[int, ...]


def find_conflict(X: MatrixLike, y: VectorLike, pos_label: Any = None) -> Conflict | None:
    """The first example after which no conjunction of values agrees with all, and a least set of those to blame.

    Parameters
    ----------
    X : array or nested lists of shape (n, columns)
        Values of the two rows, compared by equality.
    y : array of shape (n,)
        Two classes.
    pos_label : optional
        The positive class. None: the larger of the two.

    Returns
    -------
    Conflict or None
        None: a conjunction agrees with all examples.

    See Also
    --------
    CandidateElimination : Its certificate reports whether there is a conflict.

    Examples
    --------
    >>> from tenfold import find_conflict
    >>> X = [["sun", "warm"], ["rain", "warm"], ["sun", "cold"], ["snow", "warm"]]
    >>> find_conflict(X, [1, 1, 0, 0])
    Conflict(row=3, rows=(0, 1, 3))
    >>> find_conflict(X, [1, 1, 0, 1]) is None
    True
    """
    rows, target = np.asarray(X, dtype=object), np.asarray(y)
    if rows.ndim != 2 or target.shape != (len(rows),):
        raise ValueError(f"X must be a table and y have a label for each row, got {rows.shape} and {target.shape}")
    known = np.unique(target)
    if len(known) > 2:
        raise ValueError(f"y must have two classes, got {known.tolist()[:5]}")
    if not len(known):
        return None
    yes: Flags = np.asarray(target == (known[-1] if pos_label is None else pos_label))
    positives, negatives = np.flatnonzero(yes), np.flatnonzero(~yes)
    if not len(positives) or not len(negatives):
        return None
    differs = rows[positives] != rows[positives[0]]
    # when each column stopped to matter: at the first positive that differs from the first one
    when = np.where(differs.any(axis=0), positives[differs.argmax(axis=0)], len(rows))
    needed = np.where(rows[negatives] != rows[positives[0]], when, 0).max(axis=1, initial=0)
    covered = np.maximum(np.maximum(needed, negatives), positives[0])
    if covered.min() == len(rows):
        return None
    at = int(covered.argmin())
    row, negative = int(covered[at]), int(negatives[at])
    apart = rows[negative] != rows[positives[0]]
    return Conflict(row, _least(rows, negative, np.unique(np.r_[positives[0], when[apart]])))


def _least(rows: Values, negative: int, positives: Codes) -> tuple[int, ...]:
    """Leave out positives as long as the conjunction of the rest covers the negative."""
    kept = positives.tolist()
    for one in positives.tolist():
        rest = [k for k in kept if k != one]
        if rest and _covers(rows[rest], rows[negative]):
            kept = rest
    return tuple(sorted([*kept, negative]))


def _covers(positives: Values, row: Values) -> bool:
    """Whether the least conjunction that covers some rows covers another one."""
    same = (positives == positives[0]).all(axis=0)
    return bool((~same | (positives[0] == row)).all())
