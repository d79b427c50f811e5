"""PAC-Bayes: bounds for a random choice among hypotheses, and through it for large margins."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from tenfold.theory.bounds.bound import DRAWN, Bound, below
from tenfold.theory.checks import between, fraction, one_of, positive, vector, whole
from tenfold.theory.divergence import kl_upper

PRIOR = f"{DRAWN}, the prior fixed before they were seen, losses from 0 to 1"
LINEAR = f"{DRAWN}, margins of a linear rule without offset"


def pac_bayes_bound(train_error: float, kl: float, m: int, delta: float, *, form: str = "kl") -> Bound:
    """How large the true error can be of a hypothesis drawn from a posterior over hypotheses.

    The claim holds for all posteriors at once, so the data may choose among them.

    Parameters
    ----------
    train_error : float
        Training error, averaged over the posterior.
    kl : float
        KL(posterior ‖ prior) in nats.
    m : int
        Training rows.
    delta : float
        The chance that the claim fails, above 0 and below 1.
    form : {"kl", "mcallester"}
        Invert kl(training error ‖ p) (Langford and Seeger, with Maurer's constant), or relax it by Pinsker's
        inequality to the square root of McAllester.

    Returns
    -------
    Bound
        The p with kl(train_error ‖ p) = B, or train_error + √(B/2); B = (KL + ln(2√m/δ))/m.

    Examples
    --------
    >>> from tenfold.theory import pac_bayes_bound
    >>> round(float(pac_bayes_bound(0.02, 5.0, 1000, 0.05)), 5)
    0.05
    >>> round(float(pac_bayes_bound(0.02, 5.0, 1000, 0.05, form="mcallester")), 5)
    0.09792
    """
    train_error, kl = between("train_error", train_error), between("kl", kl, 0, float("inf"))
    budget = (kl + _price(whole("m", m), fraction("delta", delta))) / m
    if one_of("form", form, ("kl", "mcallester")) == "kl":
        return below(1, kl_upper(train_error, budget), "kl(training error ‖ p) = (KL + ln(2 sqrt(m)/δ))/m", PRIOR)
    formula = "training error + sqrt((KL + ln(2 sqrt(m)/δ))/2m)"
    return below(1, train_error + sqrt(budget / 2), formula, PRIOR)


def pac_bayes_margin_bound(margins: ArrayLike, delta: float, *, scale: float | None = None) -> Bound:
    """Upper bound of the true error of a linear rule, from the margins of its training rows.

    The posterior is a normal one about the rule, of length `scale`; the prior is one about 0. Where the rule
    errs, at least half the posterior does, so twice the bound of the posterior holds for the rule.

    Parameters
    ----------
    margins : array of shape (m,)
        y w'x / (‖w‖ ‖x‖) of each training row, from -1 to 1.
    delta : float
        The chance that the claim fails, above 0 and below 1.
    scale : float, optional
        Length μ; by default the one that makes the bound smallest, which is allowed: it holds for all at once.

    Returns
    -------
    Bound
        2p, with kl(mean Φ(-μ margin) ‖ p) = (μ²/2 + ln(2√m/δ))/m.

    Examples
    --------
    >>> from tenfold.theory import pac_bayes_margin_bound
    >>> round(float(pac_bayes_margin_bound([0.5] * 1000, 0.05)), 4)
    0.0604
    """
    margins = vector("margins", margins)
    if not (np.abs(margins) <= 1 + 1e-12).all():
        raise ValueError("margins must be from -1 to 1: divide by the lengths of w and of each row")
    m, price = len(margins), _price(len(margins), fraction("delta", delta))

    def at(mu: float) -> float:
        stray = float(ndtr(-mu * margins).mean())
        return 2 * kl_upper(stray, (mu**2 / 2 + price) / m)

    if scale is not None:
        value = at(positive("scale", scale))
    else:
        tried = np.geomspace(0.1, 4 * sqrt(m), 25)
        best = int(np.argmin([at(mu) for mu in tried]))
        finer = np.geomspace(tried[max(best - 1, 0)], tried[min(best + 1, 24)], 25)
        value = min(at(mu) for mu in finer)
    return below(1, value, "2p, kl(mean Φ(-μ margin) ‖ p) = (μ²/2 + ln(2 sqrt(m)/δ))/m", LINEAR)


def _price(m: int, delta: float) -> float:
    """Return the confidence term ln(2√m/δ)."""
    return log(2 * sqrt(m) / delta)
