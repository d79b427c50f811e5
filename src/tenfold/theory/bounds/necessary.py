"""How many rows no learner can do without."""

from __future__ import annotations

from math import ceil, log

from tenfold.theory.checks import fraction, whole


def necessary_sample_size(eps: float, delta: float, vc: int) -> int:
    """How many rows no learner can do without, on the worst distribution for it.

    Parameters
    ----------
    eps, delta : float
        Error, and the chance that it is larger; above 0, eps below 1/2 and delta below 1.
    vc : int
        VC dimension of the class of targets, at least 2.

    Returns
    -------
    int
        The largest of ((1 - ε)/ε) ln 1/δ, vc (1 - 2(ε(1 - δ) + δ)) and, if ε ≤ 1/8 and δ ≤ 1/100,
        (vc - 1)/32ε (Blumer et al.; Ehrenfeucht et al.); for a learner that draws nothing itself.

    Examples
    --------
    >>> from tenfold.theory import necessary_sample_size
    >>> necessary_sample_size(0.1, 0.01, 1000)
    782
    """
    eps, delta, vc = fraction("eps", eps), fraction("delta", delta), whole("vc", vc, 2)
    if eps >= 0.5:
        raise ValueError(f"eps must be below 1/2, got {eps!r}")
    most = max((1 - eps) / eps * -log(delta), vc * (1 - 2 * (eps * (1 - delta) + delta)))
    if eps <= 1 / 8 and delta <= 1 / 100:
        most = max(most, (vc - 1) / (32 * eps))
    return ceil(most)
