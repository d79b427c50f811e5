"""Benchmark problems over bits: peaks with wide basins beside higher ones that are hard to find, and flip-flop."""

from __future__ import annotations

from functools import partial
from math import ceil

import numpy as np

from tenfold.core import Array, Codes, Values
from tenfold.search.problem import Problem
from tenfold.search.spaces import Bits
from tenfold.theory.checks import between, whole


def four_peaks(n: int, threshold: float = 0.1) -> Problem:
    """Four peaks: the longer of the ones at the head and the zeros at the tail, and n more if both are long.

    Two peaks of height n are found by climbing; two of height 2n - T - 1 want more than T ones and T zeros at once,
    where T = ⌈threshold n⌉ (Baluja and Caruana 1995).

    Parameters
    ----------
    n : int
    threshold : float, default=0.1

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.four_peaks(12, 0.15).objective(np.array([[1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]]))
    array([16.])
    """
    T = _threshold(n, threshold)
    return Problem(partial(_four, T), Bits(n), optimum=_highest(n, T), name=f"four peaks ({n})")


def six_peaks(n: int, threshold: float = 0.1) -> Problem:
    """Six peaks: four peaks, where zeros at the head with ones at the tail, both longer than T, are rewarded too.

    Parameters
    ----------
    n : int
    threshold : float, default=0.1

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.six_peaks(12, 0.15).objective(np.array([[0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1]]))
    array([12.])
    """
    T = _threshold(n, threshold)
    return Problem(partial(_six, T), Bits(n), optimum=_highest(n, T), name=f"six peaks ({n})")


def continuous_peaks(n: int, threshold: float = 0.1) -> Problem:
    """Continuous peaks: the longest run of ones or of zeros anywhere, and n more if both runs are longer than T.

    Parameters
    ----------
    n : int
    threshold : float, default=0.1

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.continuous_peaks(12, 0.15).objective(np.array([[0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0]]))
    array([17.])
    """
    T = _threshold(n, threshold)
    return Problem(partial(_continuous, T), Bits(n), optimum=_highest(n, T), name=f"continuous peaks ({n})")


def flip_flop(n: int) -> Problem:
    """Flip-flop: how many bits differ from the one before; at most n - 1.

    Parameters
    ----------
    n : int

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.flip_flop(6).objective(np.array([[0, 1, 0, 1, 1, 1]]))
    array([3.])
    """
    return Problem(_flips, Bits(whole("n", n, 2)), optimum=n - 1, name=f"flip-flop ({n})")


def _threshold(n: int, threshold: float) -> int:
    return ceil(between("threshold", threshold) * whole("n", n, 2))


def _highest(n: int, T: int) -> int:
    """Return the maximum: both ends longer than T, if possible, or one long run."""
    return 2 * n - T - 1 if n >= 2 * (T + 1) else n


def _head(X: Values, value: int) -> Codes:
    """How many of a value each row begins with."""
    other = np.not_equal(X, value)
    return np.asarray(np.where(other.any(axis=1), other.argmax(axis=1), X.shape[1]))


def _longest(X: Values, value: int) -> Codes:
    """The longest run of a value in each row."""
    place = np.arange(1, X.shape[1] + 1)
    ended = np.maximum.accumulate(np.where(np.equal(X, value), 0, place), axis=1)
    return np.asarray((place - ended).max(axis=1))


def _four(T: int, X: Values) -> Array:
    head, tail = _head(X, 1), _head(X[:, ::-1], 0)
    return np.asarray(np.maximum(head, tail) + float(X.shape[1]) * ((head > T) & (tail > T)))


def _six(T: int, X: Values) -> Array:
    head, tail = _head(X, 1), _head(X[:, ::-1], 0)
    other = (_head(X, 0) > T) & (_head(X[:, ::-1], 1) > T)
    return np.asarray(np.maximum(head, tail) + float(X.shape[1]) * (((head > T) & (tail > T)) | other))


def _continuous(T: int, X: Values) -> Array:
    ones, zeros = _longest(X, 1), _longest(X, 0)
    return np.asarray(np.maximum(ones, zeros) + float(X.shape[1]) * ((ones > T) & (zeros > T)))


def _flips(X: Values) -> Array:
    return np.asarray((X[:, 1:] != X[:, :-1]).sum(axis=1), dtype=np.float64)
