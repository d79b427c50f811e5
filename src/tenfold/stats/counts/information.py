"""Information theory: entropy and derived quantities, from counts or probabilities.

Counts of values, and of pairs of values, add up over parts, days and sites; what is read off their sum here is that of
all rows. So every function takes a table of counts as well as probabilities: it divides by the total itself.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array

__all__ = [
    "conditional_entropy",
    "cross_entropy",
    "entropy",
    "information",
    "kl_divergence",
    "mutual_information",
]

Correction = Literal["miller_madow", "grassberger"]


def information(p: ArrayLike, *, base: float = 2.0) -> Array:
    """log 1/p, the information of events with these probabilities: bits in base 2, nats in base e.

    Parameters
    ----------
    p : array
        Probabilities. An event of probability zero has infinite information.
    base : float, default=2.0

    Returns
    -------
    information : array of the shape of p

    Examples
    --------
    >>> from tenfold.stats.counts.information import information
    >>> information([0.5, 0.125]).tolist()
    [1.0, 3.0]
    """
    found = np.asarray(p, dtype=np.float64)
    if not ((found >= 0) & (found <= 1)).all():
        raise ValueError("p must be probabilities, from 0 to 1")
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(found) / _unit(base) + 0.0)


def entropy(p: ArrayLike, *, base: float = 2.0, correction: Correction | None = None) -> float:
    """H = Σ p log 1/p, the mean information: at most the logarithm of the number of values.

    Parameters
    ----------
    p : array
        Counts or probabilities of values; a table of two variables or more has the joint entropy.
    base : float, default=2.0
        2 for bits, math.e for nats.
    correction : {"miller_madow", "grassberger"}, optional
        Of counts: the entropy of the sample is below that of what it was drawn from, by about (values - 1) / 2n nats,
        which "miller_madow" adds; "grassberger" sums digammas of the counts and is less biased for small ones.

    Returns
    -------
    entropy : float

    Examples
    --------
    >>> from tenfold.stats.counts.information import entropy
    >>> entropy([9, 5]).__round__(4), entropy([0.25] * 4)
    (0.9403, 2.0)
    >>> entropy([9, 5], correction="miller_madow").__round__(4)
    0.9918
    """
    count, total = _table("p", p)
    unit = _unit(base)
    if correction is None:
        return _entropy(count / total) / unit
    if correction not in ("miller_madow", "grassberger"):
        raise ValueError(f"correction must be 'miller_madow', 'grassberger' or None, got {correction!r}")
    if (count != np.floor(count)).any() or total < 1:
        raise ValueError("a correction is of counts, whole numbers, and not of probabilities")
    if correction == "miller_madow":
        return (_entropy(count / total) + (int(np.count_nonzero(count)) - 1) / (2 * total)) / unit
    some = count[count > 0]
    return (math.log(total) - float((some * _grassberger(some)).sum()) / total) / unit


def conditional_entropy(table: ArrayLike, *, base: float = 2.0) -> float:
    """H(Y|X) = H(X, Y) - H(X), the remaining entropy of Y given X: at most H(Y).

    Parameters
    ----------
    table : array of shape (values of X, values of Y)
        Counts or probabilities of pairs.
    base : float, default=2.0

    Returns
    -------
    entropy : float

    Examples
    --------
    >>> from tenfold.stats.counts.information import conditional_entropy
    >>> conditional_entropy([[2, 3], [4, 0], [3, 2]]).__round__(4)  # PlayTennis given the outlook
    0.6935
    """
    joint = _joint(table)
    rows = joint.sum(axis=1)
    some = rows > 0
    each = [_entropy(row / weight) for row, weight in zip(joint[some], rows[some], strict=True)]
    return float(rows[some] @ np.array(each)) / _unit(base)


def mutual_information(table: ArrayLike, *, base: float = 2.0, correction: Correction | None = None) -> float:
    """I(X; Y) = H(X) + H(Y) - H(X, Y), the mutual information of two variables: zero if they are independent.

    Parameters
    ----------
    table : array of shape (values of X, values of Y)
        Counts or probabilities of pairs.
    base : float, default=2.0
    correction : {"miller_madow", "grassberger"}, optional
        Of each of the three entropies, see `entropy`: of counts, the estimate without it is too large.

    Returns
    -------
    information : float

    Examples
    --------
    >>> from tenfold.stats.counts.information import mutual_information
    >>> mutual_information([[2, 3], [4, 0], [3, 2]]).__round__(4)  # the gain of the outlook
    0.2467
    """
    joint = _joint(table)
    if correction is not None:
        counts = np.asarray(table, dtype=np.float64)
        parts = (counts.sum(axis=1), counts.sum(axis=0), counts)
        x, y, both = (entropy(part, base=base, correction=correction) for part in parts)
        return x + y - both
    outer = joint.sum(axis=1)[:, None] * joint.sum(axis=0)
    return max(_divergence(joint, outer), 0.0) / _unit(base)


def cross_entropy(p: ArrayLike, q: ArrayLike, *, base: float = 2.0) -> float:
    """H(p, q) = Σ p log 1/q, the mean length of a message in a code that is made for q: never below the entropy of p.

    Parameters
    ----------
    p, q : array of one shape
        Counts or probabilities. Where q is zero and p is not, it is infinite.
    base : float, default=2.0

    Returns
    -------
    entropy : float

    Examples
    --------
    >>> from tenfold.stats.counts.information import cross_entropy
    >>> cross_entropy([0.5, 0.5], [0.25, 0.75]).__round__(4)
    1.2075
    """
    here, there = _both(p, q)
    some = here > 0
    with np.errstate(divide="ignore"):
        return float(-(here[some] * np.log(there[some])).sum()) / _unit(base) + 0.0


def kl_divergence(p: ArrayLike, q: ArrayLike, *, base: float = 2.0) -> float:
    """KL(p, q) = Σ p log p/q, what a code for q costs more than one for p: never negative, zero only if p is q.

    Parameters
    ----------
    p, q : array of one shape
        Counts or probabilities. Where q is zero and p is not, it is infinite.
    base : float, default=2.0

    Returns
    -------
    divergence : float

    Examples
    --------
    >>> from tenfold.stats.counts.information import kl_divergence
    >>> kl_divergence([0.5, 0.5], [0.25, 0.75]).__round__(4)
    0.2075
    """
    here, there = _both(p, q)
    return max(_divergence(here, there), 0.0) / _unit(base)


def _divergence(here: Array, there: Array) -> float:
    """Σ p log p/q in nats; below zero by rounding at most."""
    some = here > 0
    with np.errstate(divide="ignore"):
        return float((here[some] * np.log(here[some] / there[some])).sum())


def _entropy(p: Array) -> float:
    """Return the entropy in nats, with 0 log 0 = 0."""
    some = p[p > 0]
    return float(-(some * np.log(some)).sum()) + 0.0


def _grassberger(count: Array) -> Array:
    """G(n) = ψ(n) + (-1)ⁿ/2 (ψ((n + 1)/2) - ψ(n/2)): in the place of log n, nearly without bias."""
    from scipy.special import digamma

    sign = np.where(count % 2 == 0, 1.0, -1.0)
    return np.asarray(digamma(count) + sign / 2 * (digamma((count + 1) / 2) - digamma(count / 2)))


def _unit(base: float) -> float:
    """Nats to the unit of a base."""
    if not (base > 0 and base != 1 and math.isfinite(base)):
        raise ValueError(f"base must be above 0, and not 1; got {base!r}")
    return math.log(base)


def _table(name: str, value: ArrayLike) -> tuple[Array, float]:
    """Counts or probabilities, and their sum, which is not zero."""
    found = np.asarray(value, dtype=np.float64)
    if not found.ndim or not (np.isfinite(found) & (found >= 0)).all() or not found.sum() > 0:
        raise ValueError(f"{name} must be counts or probabilities: numbers from 0 on, not all of them 0")
    return found, float(found.sum())


def _joint(table: ArrayLike) -> Array:
    count, total = _table("table", table)
    if count.ndim != 2:
        raise ValueError(f"table must have a row for each value of X and a column for each of Y, not {count.ndim} axes")
    return count / total


def _both(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    (here, n), (there, m) = _table("p", p), _table("q", q)
    if here.shape != there.shape:
        raise ValueError(f"p and q must be of the same values: one is of shape {here.shape}, one of {there.shape}")
    return here / n, there / m
