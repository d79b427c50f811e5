"""How many ways a class can label m points: Sauer's count, its closed form, and Cover's count for half-spaces."""

from __future__ import annotations

from math import comb, log

from tenfold.theory.checks import whole
from tenfold.theory.classes.classes import LN2


def growth(m: int, vc: int) -> int:
    """Sauer's bound: the maximum number of labellings of m points by a class of a given VC dimension.

    Parameters
    ----------
    m : int
        Points.
    vc : int
        VC dimension.

    Returns
    -------
    int
        Σᵢ₌₀ᵛᶜ C(m, i), which is 2ᵐ up to m = vc.

    Examples
    --------
    >>> from tenfold.theory import growth
    >>> growth(10, 3)
    176
    """
    m, vc = whole("m", m, 0), whole("vc", vc, 0)
    return sum(comb(m, i) for i in range(min(m, vc) + 1))


def log_growth(m: int, vc: int) -> float:
    """ln of the closed form of Sauer's bound: (em/vc)^vc where m exceeds vc, else 2ᵐ.

    Parameters
    ----------
    m : int
        Points.
    vc : int
        VC dimension, at least 1.

    Returns
    -------
    float
        vc (1 + ln(m/vc)), or m ln 2; never below the logarithm of `growth`.

    Examples
    --------
    >>> from math import exp
    >>> from tenfold.theory import log_growth
    >>> round(exp(log_growth(10, 3)))
    744
    """
    m, vc = whole("m", m, 0), whole("vc", vc)
    return m * LN2 if m <= vc else vc * (1 + log(m / vc))


def polynomial_growth(m: int, vc: int) -> int:
    """The simplest bound of the number of labellings of m points: (m + 1) to the power of the VC dimension.

    Parameters
    ----------
    m : int
        Points.
    vc : int
        VC dimension.

    Returns
    -------
    int
        (m + 1)^vc; never below `growth`. From a VC dimension of 3 on, the exponential of `log_growth` is smaller.

    Examples
    --------
    >>> from tenfold.theory import growth, polynomial_growth
    >>> growth(10, 3), polynomial_growth(10, 3)
    (176, 1331)
    """
    return int((whole("m", m, 0) + 1) ** whole("vc", vc, 0))


def cover_count(n: int, d: int) -> int:
    """How many of the 2ⁿ labellings of n points in general position in d dimensions a hyperplane can make.

    Parameters
    ----------
    n : int
        Points, no d + 1 of them in one hyperplane.
    d : int
        Dimensions; the hyperplane need not go through the origin.

    Returns
    -------
    int
        2 Σₖ₌₀ᵈ C(n - 1, k).

    Examples
    --------
    >>> from tenfold.theory import cover_count
    >>> cover_count(4, 2)  # all 16 but the two that need an exclusive or
    14
    """
    n, d = whole("n", n), whole("d", d)
    return 2 * growth(n - 1, d)


def cover_probability(n: int, d: int) -> float:
    """The chance that a random labelling of n points in general position is linearly separable.

    Near 1 well below n = 2(d + 1), exactly 1/2 there, near 0 well above.

    Parameters
    ----------
    n : int
        Points, no d + 1 of them in one hyperplane.
    d : int
        Dimensions.

    Returns
    -------
    float
        `cover_count(n, d)` / 2ⁿ.

    Examples
    --------
    >>> from tenfold.theory import cover_probability
    >>> cover_probability(10, 4)
    0.5
    """
    return cover_count(n, d) / (1 << n)
