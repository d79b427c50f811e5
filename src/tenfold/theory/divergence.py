"""kl(q‖p), the divergence of two coins, and its inverses in either argument."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, log, log1p

from tenfold.theory.checks import between


def kl_bernoulli(q: float, p: float) -> float:
    """Relative entropy of two Bernoulli distributions, q ln(q/p) + (1 - q) ln((1 - q)/(1 - p)), in nats.

    Parameters
    ----------
    q, p : float
        Chances, from 0 to 1.

    Returns
    -------
    float
        At least 0; infinite where p = 0 and q > 0, or p = 1 and q < 1.

    Examples
    --------
    >>> from tenfold.theory import kl_bernoulli
    >>> round(kl_bernoulli(0.1, 0.2), 6)
    0.03669
    """
    q, p = between("q", q), between("p", p)
    if q == p:
        return 0.0
    if p in (0.0, 1.0):
        return inf
    if q in (0.0, 1.0):
        return -log1p(-p) if q == 0 else -log(p)
    return _part(q, p) + _part(1 - q, 1 - p)


def kl_upper(q: float, budget: float) -> float:
    """The largest p with kl(q‖p) at most the budget: how large the true rate can be.

    Parameters
    ----------
    q : float
        The observed rate.
    budget : float
        In nats, at least 0.

    Returns
    -------
    float
        From q to 1.

    Examples
    --------
    >>> from tenfold.theory import kl_upper
    >>> round(kl_upper(0.1, 0.03669), 4)
    0.2
    """
    q, budget = between("q", q), between("budget", budget, 0, inf)
    if q == 0:
        return -expm1(-budget)
    return _edge(lambda p: kl_bernoulli(q, p) <= budget, q, 1.0)


def kl_lower(q: float, budget: float) -> float:
    """The smallest p with kl(q‖p) at most the budget: how small the true rate can be.

    Parameters
    ----------
    q : float
        The observed rate.
    budget : float
        In nats, at least 0.

    Returns
    -------
    float
        From 0 to q.

    Examples
    --------
    >>> from tenfold.theory import kl_bernoulli, kl_lower
    >>> round(kl_bernoulli(0.1, kl_lower(0.1, 0.02)), 6)
    0.02
    """
    q, budget = between("q", q), between("budget", budget, 0, inf)
    if q == 1:
        return exp(-budget)
    return _edge(lambda p: kl_bernoulli(q, p) <= budget, q, 0.0)


def kl_reach(p: float, budget: float, towards: float) -> float:
    """The q farthest from p on the way to `towards` with kl(q‖p) at most the budget."""
    return _edge(lambda q: kl_bernoulli(q, p) <= budget, p, towards)


def _edge(inside: Callable[[float], bool], near: float, far: float) -> float:
    """Where `inside` ends on the way from `near` to `far`: the first float outside, or `far`."""
    if inside(far):
        return far
    while True:
        middle = (near + far) / 2
        if middle in (near, far):
            return far
        if inside(middle):
            near = middle
        else:
            far = middle


def _part(a: float, b: float) -> float:
    """a ln(a/b) - a + b, without losing digits where a and b are close."""
    t = (b - a) / a
    if abs(t) < 1e-3:
        return a * t * t * (1 / 2 - t * (1 / 3 - t * (1 / 4 - t * (1 / 5 - t / 6))))
    return (b - a) - a * (log1p(t) if -0.5 < t < inf else log(b) - log(a))
