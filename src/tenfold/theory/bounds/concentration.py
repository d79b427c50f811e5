"""How far a mean of independent draws strays from its expectation: Hoeffding and Chernoff, each solved three ways."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from tenfold.theory.bounds.bound import Bound, below, least
from tenfold.theory.checks import fraction, one_of, positive, vector, whole
from tenfold.theory.divergence import kl_bernoulli, kl_reach

BOUNDED_DRAWS = "independent draws, each within its range"
BERNOULLI_DRAWS = "independent draws between 0 and 1 with this mean"


def hoeffding(m: int, eps: float, *, width: ArrayLike = 1.0, sides: int = 2) -> Bound:
    """The chance that a mean of m independent draws strays from its expectation by eps or more.

    Parameters
    ----------
    m : int
        Draws.
    eps : float
        Distance.
    width : float or array of shape (m,), default=1.0
        Length of the range of a draw, or of each draw.
    sides : {2, 1}, default=2
        Whether to count straying to both sides, or to one named beforehand.

    Returns
    -------
    Bound
        sides · exp(-2mε²/w²), with w² the mean of the squared widths.

    Examples
    --------
    >>> from tenfold.theory import hoeffding
    >>> round(float(hoeffding(1000, 0.05)), 6)
    0.013476
    """
    m, sides, w2 = whole("m", m), whole("sides", sides, 1, 2), _square(width, m)
    eps = positive("eps", eps)
    value = sides * exp(-2 * m * (eps * eps / w2))
    return below(1, value, f"{sides} exp(-2mε²/w²)", BOUNDED_DRAWS)


def hoeffding_radius(m: int, delta: float, *, width: ArrayLike = 1.0, sides: int = 2) -> Bound:
    """How far a mean of m independent draws strays from its expectation, but for a chance of delta.

    Parameters
    ----------
    m : int
        Draws.
    delta : float
        Chance that it strays farther.
    width : float or array of shape (m,), default=1.0
        Length of the range of a draw, or of each draw.
    sides : {2, 1}, default=2
        Whether to bound straying to both sides, or to one named beforehand.

    Returns
    -------
    Bound
        w √(ln(sides/δ)/2m), with w² the mean of the squared widths.

    Examples
    --------
    >>> from tenfold.theory import hoeffding_radius
    >>> round(float(hoeffding_radius(1000, 0.05)), 6)
    0.042947
    """
    m, sides, w2 = whole("m", m), whole("sides", sides, 1, 2), _square(width, m)
    value = sqrt(w2 * log(sides / fraction("delta", delta)) / (2 * m))
    return below(float(np.mean(np.asarray(width, dtype=float))), value, f"w sqrt(ln({sides}/δ)/2m)", BOUNDED_DRAWS)


def hoeffding_size(eps: float, delta: float, *, width: float = 1.0, sides: int = 2) -> int:
    """How many draws keep a mean within eps of its expectation, but for a chance of delta.

    Parameters
    ----------
    eps : float
        Distance.
    delta : float
        Chance that it strays farther.
    width : float, default=1.0
        Length of the range of a draw.
    sides : {2, 1}, default=2
        Whether to bound straying to both sides, or to one named beforehand.

    Returns
    -------
    int
        The least m ≥ w² ln(sides/δ)/2ε².

    Examples
    --------
    >>> from tenfold.theory import hoeffding_size
    >>> hoeffding_size(0.05, 0.05)
    738
    """
    eps, width, sides = positive("eps", eps), positive("width", width), whole("sides", sides, 1, 2)
    guess = (width / eps) ** 2 * log(sides / fraction("delta", delta)) / 2
    return least(lambda m: float(hoeffding_radius(m, delta, width=width, sides=sides)) <= eps, guess)


def chernoff(m: int, eps: float, mean: float, *, side: str = "above") -> Bound:
    """The chance that a frequency in m draws is off its mean by eps or more, to one side.

    Much below Hoeffding's where the mean is near 0 or 1.

    Parameters
    ----------
    m : int
        Draws.
    eps : float
        Distance.
    mean : float
        Expectation, above 0 and below 1.
    side : {"above", "below"}
        To which side.

    Returns
    -------
    Bound
        exp(-m kl(mean ± ε ‖ mean)); 0 where no frequency is that far.

    Examples
    --------
    >>> from tenfold.theory import chernoff
    >>> round(float(chernoff(1000, 0.02, 0.01)), 6)
    2e-06
    """
    m, eps, mean = whole("m", m), positive("eps", eps), fraction("mean", mean)
    q = mean + eps if one_of("side", side, ("above", "below")) == "above" else mean - eps
    value = exp(-m * kl_bernoulli(q, mean)) if 0 <= q <= 1 else 0.0
    return below(1, value, f"exp(-m kl(p {'+' if q > mean else '-'} ε ‖ p))", BERNOULLI_DRAWS)


def chernoff_radius(m: int, delta: float, mean: float, *, side: str = "above") -> Bound:
    """How far a frequency in m draws is off its mean to one side, but for a chance of delta.

    Parameters
    ----------
    m : int
        Draws.
    delta : float
        Chance that it is farther off.
    mean : float
        Expectation, above 0 and below 1.
    side : {"above", "below"}
        To which side.

    Returns
    -------
    Bound
        The ε with kl(mean ± ε ‖ mean) = ln(1/δ)/m.

    Examples
    --------
    >>> from tenfold.theory import chernoff_radius
    >>> round(float(chernoff_radius(1000, 0.05, 0.01)), 6)
    0.008625
    """
    m, delta, mean = whole("m", m), fraction("delta", delta), fraction("mean", mean)
    end = 1.0 if one_of("side", side, ("above", "below")) == "above" else 0.0
    value = abs(kl_reach(mean, -log(delta) / m, end) - mean)
    return below(abs(end - mean), value, f"kl(p {'+' if end else '-'} ε ‖ p) = ln(1/δ)/m", BERNOULLI_DRAWS)


def chernoff_size(eps: float, delta: float, mean: float, *, side: str = "above") -> int:
    """How many draws keep a frequency within eps of its mean to one side, but for a chance of delta.

    Parameters
    ----------
    eps : float
        Distance.
    delta : float
        Chance that it is farther off.
    mean : float
        Expectation, above 0 and below 1.
    side : {"above", "below"}
        To which side.

    Returns
    -------
    int
        The least m ≥ ln(1/δ)/kl(mean ± ε ‖ mean).

    Examples
    --------
    >>> from tenfold.theory import chernoff_size
    >>> chernoff_size(0.01, 0.05, 0.01)
    766
    """
    delta, eps, mean = fraction("delta", delta), positive("eps", eps), fraction("mean", mean)
    q = mean + eps if one_of("side", side, ("above", "below")) == "above" else mean - eps
    if not 0 <= q <= 1:
        return 1
    guess = -log(delta) / kl_bernoulli(q, mean)
    return least(lambda m: float(chernoff(m, eps, mean, side=side)) <= delta, guess)


def _square(width: ArrayLike, m: int) -> float:
    """The mean of the squared widths."""
    if np.ndim(width) == 0:
        return positive("width", float(np.asarray(width))) ** 2
    widths = vector("width", width)
    if len(widths) != m or not (widths > 0).all():
        raise ValueError(f"width must be one number above 0, or {m} of them")
    return float((widths**2).mean())
