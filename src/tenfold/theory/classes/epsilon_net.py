"""ε-nets: rows that hit every region of weight ε, and how likely rows that are drawn are one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tenfold.theory.bounds.bound import Bound
from tenfold.theory.bounds.pac import failure_probability, sample_size
from tenfold.theory.checks import fraction


def is_epsilon_net(sample: ArrayLike, regions: ArrayLike, eps: float, weight: ArrayLike | None = None) -> bool:
    """Whether a sample of points hits every region whose weight is at least eps.

    A learner whose sample is an ε-net of the regions in which hypotheses and concept differ has an error below ε: each
    hypothesis that is consistent with it differs from the concept on less.

    Parameters
    ----------
    sample : array of int
        Numbers of the points that were drawn.
    regions : array of shape (regions, n)
        Which of the n points each region has.
    eps : float
    weight : array of shape (n,), optional
        Of the points; divided by its sum. By default all are equal.

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenfold.theory import is_epsilon_net
    >>> regions = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> is_epsilon_net([1, 2], regions, 0.5), is_epsilon_net([1], regions, 0.5), is_epsilon_net([1, 2], regions, 0.25)
    (True, False, False)
    """
    table = np.asarray(regions).astype(bool)
    if table.ndim != 2:
        raise ValueError(f"regions must be a table with a row for each, got shape {table.shape}")
    n = table.shape[1]
    row_weight = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    if row_weight.shape != (n,) or not (row_weight >= 0).all() or not row_weight.sum() > 0:
        raise ValueError(f"weight must be {n} numbers from 0 on, not all of them 0")
    at = np.asarray(sample, dtype=np.int64).ravel()
    if ((at < 0) | (at >= n)).any():
        raise ValueError(f"sample must hold numbers of points, from 0 to {n - 1}")
    heavy = table @ (row_weight / row_weight.sum()) >= fraction("eps", eps) * (1 - 1e-12)
    return bool(table[heavy][:, at].any(axis=1).all())


def epsilon_net_failure(m: int, eps: float, vc: int) -> Bound:
    """Bound of the probability that m independent points miss a region of weight eps, by VC dimension.

    Parameters
    ----------
    m : int
        More than 8/eps; the bound does not hold for fewer.
    eps : float
    vc : int

    Returns
    -------
    Bound
        2 (2em/vc)^vc 2^(-eps m/2).

    Examples
    --------
    >>> from tenfold.theory import epsilon_net_failure
    >>> round(float(epsilon_net_failure(729, 0.1, 3)), 4)
    0.0491
    """
    return failure_probability(m, eps, vc=vc, form="net")


def epsilon_net_size(eps: float, delta: float, vc: int) -> int:
    """How many points, drawn independently, hit every region of weight eps, but for a chance of delta.

    Parameters
    ----------
    eps, delta : float
    vc : int

    Returns
    -------
    int
        The least m whose `epsilon_net_failure` is at most delta.

    Examples
    --------
    >>> from tenfold.theory import epsilon_net_size
    >>> epsilon_net_size(0.1, 0.05, 3)
    729
    """
    return sample_size(eps, delta, vc=vc, form="net")
