"""Bounds on the true error from errors on test rows, by exact inversion of the binomial tail."""

from __future__ import annotations

from math import exp, log

from scipy.special import bdtr, betainccinv, betaincinv

from tenfold.theory.bounds.bound import DRAWN, Bound, below, least
from tenfold.theory.checks import between, fraction, whole
from tenfold.theory.divergence import kl_upper

UNSEEN = f"{DRAWN}, none of them used to make the model"
MIN_LOG_PROBABILITY = -690.0
"""ln of the smallest chance that the exact inversion is trusted with"""


def binomial_tail(errors: int, m: int, rate: float) -> float:
    """Probability of at most k errors in m independent trials.

    Parameters
    ----------
    errors : int
        Errors.
    m : int
        Trials.
    rate : float
        The chance of an error in each.

    Returns
    -------
    float
        P(Binomial(m, rate) ≤ errors).

    Examples
    --------
    >>> from tenfold.theory import binomial_tail
    >>> round(binomial_tail(1, 3, 0.5), 12)
    0.5
    """
    m = whole("m", m)
    return float(bdtr(whole("errors", errors, 0, m), m, between("rate", rate)))


def binomial_upper(errors: int, m: int, delta: float) -> float:
    """Largest rate at which at most k errors still have probability delta.

    Parameters
    ----------
    errors : int
        Errors in m trials.
    m : int
        Trials.
    delta : float
        The chance, above 0 and below 1.

    Returns
    -------
    float
        The rate with P(Binomial(m, rate) ≤ errors) = δ; 1 if all trials are errors.

    Examples
    --------
    >>> from tenfold.theory import binomial_upper
    >>> round(binomial_upper(0, 100, 0.05), 6)
    0.029513
    """
    m = whole("m", m)
    return upper(whole("errors", errors, 0, m), m, log(fraction("delta", delta)))


def binomial_lower(errors: int, m: int, delta: float) -> float:
    """Smallest rate at which at least k errors still have probability delta.

    With `binomial_upper`, each at δ/2, it is the interval of Clopper and Pearson.

    Parameters
    ----------
    errors : int
        Errors in m trials.
    m : int
        Trials.
    delta : float
        The chance, above 0 and below 1.

    Returns
    -------
    float
        The rate with P(Binomial(m, rate) ≥ errors) = δ; 0 if there are no errors.

    Examples
    --------
    >>> from tenfold.theory import binomial_lower
    >>> round(binomial_lower(10, 100, 0.025), 6)
    0.049005
    """
    m = whole("m", m)
    errors, delta = whole("errors", errors, 0, m), fraction("delta", delta)
    return float(betaincinv(errors, m - errors + 1, delta)) if errors else 0.0


def held_out_bound(errors: int, m: int, delta: float) -> Bound:
    """How large the true error can be, from errors on a test set, but for a chance of delta.

    Exact: no bound that looks at the number of errors alone is smaller at every number.

    Parameters
    ----------
    errors : int
        Errors on the test set.
    m : int
        Rows of the test set.
    delta : float
        The chance that the true error is larger, above 0 and below 1.

    Returns
    -------
    Bound
        `binomial_upper(errors, m, delta)`.

    Examples
    --------
    >>> from tenfold.theory import held_out_bound
    >>> print(held_out_bound(3, 100, 0.05))
    at most 0.0757108 by P(Bin(m, p) <= k) = δ, assuming rows drawn independently from one distribution, \
none of them used to make the model
    """
    return below(1, binomial_upper(errors, m, delta), "P(Bin(m, p) <= k) = δ", UNSEEN)


def held_out_size(eps: float, delta: float, errors: int = 0) -> int:
    """Test rows that certify a true error of at most eps with probability 1 - delta, given a number of errors.

    Parameters
    ----------
    eps : float
        The error to show, above 0 and below 1.
    delta : float
        The chance that the true error is larger, above 0 and below 1.
    errors : int, default=0
        Errors that will be met.

    Returns
    -------
    int
        The least m whose `held_out_bound` is at most eps.

    Examples
    --------
    >>> from tenfold.theory import held_out_size
    >>> held_out_size(0.01, 0.05)
    299
    """
    eps, delta, errors = fraction("eps", eps), fraction("delta", delta), whole("errors", errors, 0)
    guess = max((errors - log(delta)) / eps, errors + 1)
    return least(lambda m: m > errors and upper(errors, m, log(delta)) <= eps, guess)


def upper(errors: int, m: int, log_delta: float) -> float:
    """`binomial_upper` from ln δ; by Chernoff's bound, which is larger, where δ is too small for a float."""
    if errors >= m:
        return 1.0
    if errors == 0 or log_delta < MIN_LOG_PROBABILITY:
        return kl_upper(errors / m, -log_delta / m)
    return float(betainccinv(errors + 1, m - errors, exp(log_delta)))
