"""Bounds from the training rows themselves, for hypotheses that were likely beforehand or rest on few rows."""

from __future__ import annotations

from math import lgamma, log, sqrt

from tenfold.theory.bounds.bound import DRAWN, Bound, below
from tenfold.theory.bounds.held_out import upper
from tenfold.theory.checks import between, fraction, one_of, whole

PRIOR = f"{DRAWN}, the prior fixed before they were seen"
COMPRESSED = f"{DRAWN}, the model remade from the kept rows and the message alone, in whatever order they come"


def occam_bound(
    errors: int,
    m: int,
    delta: float,
    *,
    prior: float | None = None,
    log_prior: float | None = None,
    form: str = "exact",
) -> Bound:
    """How large the true error can be, from training errors, for a hypothesis that had this prior.

    The claim holds for all hypotheses at once, so the data may choose among them.

    Parameters
    ----------
    errors : int
        Training errors.
    m : int
        Training rows.
    delta : float
        The chance that the claim fails for any hypothesis, above 0 and below 1.
    prior : float
        Weight of the hypothesis before the data, above 0; those of all hypotheses sum to at most 1. Or
    log_prior : float
        its natural logarithm: -`log_size` for each hypothesis of a finite class, -`bits` ln 2 for a code.
    form : {"exact", "hoeffding"}
        Invert the binomial tail, or relax it to a formula.

    Returns
    -------
    Bound
        The p with P(Bin(m, p) ≤ k) = δ · prior; or k/m + √((ln 1/prior + ln 1/δ)/2m), which is larger.
        A δ · prior too small for a float goes by Chernoff's bound, which lies between.

    Examples
    --------
    >>> from tenfold.theory import log_conjunctions, occam_bound
    >>> round(float(occam_bound(2, 500, 0.05, log_prior=-log_conjunctions(10))), 5)
    0.03797
    """
    m = whole("m", m)
    errors, ln = whole("errors", errors, 0, m), log(fraction("delta", delta)) + _log_prior(prior, log_prior)
    if one_of("form", form, ("exact", "hoeffding")) == "exact":
        return below(1, upper(errors, m, ln), "P(Bin(m, p) <= k) = δ prior", PRIOR)
    return below(1, errors / m + sqrt(-ln / (2 * m)), "k/m + sqrt((ln 1/prior + ln 1/δ)/2m)", PRIOR)


def compression_bound(
    kept: int,
    errors: int,
    m: int,
    delta: float,
    *,
    messages: int = 1,
    sizes: int | None = None,
) -> Bound:
    """How large the true error can be of a model that a few of its training rows determine.

    Support vectors, for one, determine the machine.

    Parameters
    ----------
    kept : int
        Rows that determine the model.
    errors : int
        Errors on the other m - kept rows.
    m : int
        Training rows.
    delta : float
        The chance that the claim fails, above 0 and below 1.
    messages : int, default=1
        Values that whatever else the model is made from can take: 2 for one bit, kept! where the order counts.
    sizes : int, optional
        Numbers of kept rows that were possible beforehand: 1 if the number was fixed; by default m, any below m.

    Returns
    -------
    Bound
        The p with P(Bin(m - d, p) ≤ k) = δ/(sizes · messages · C(m, d)); 1 if all rows are kept.
        A chance too small for a float goes by Chernoff's bound, which is larger.

    Examples
    --------
    >>> from tenfold.theory import compression_bound
    >>> round(float(compression_bound(3, 0, 1000, 0.05)), 5)
    0.0285
    """
    m = whole("m", m)
    kept = whole("kept", kept, 0, m)
    errors = whole("errors", errors, 0, m - kept)
    sizes = m if sizes is None else whole("sizes", sizes)
    choices = lgamma(m + 1) - lgamma(kept + 1) - lgamma(m - kept + 1)
    ln = log(fraction("delta", delta)) - log(sizes) - log(whole("messages", messages)) - choices
    value = upper(errors, m - kept, ln)
    return below(1, value, "P(Bin(m - d, p) <= k) = δ/(sizes messages C(m, d))", COMPRESSED)


def _log_prior(prior: float | None, log_prior: float | None) -> float:
    if (prior is None) == (log_prior is None):
        raise ValueError("give either prior or log_prior")
    if prior is not None:
        if not 0 < float(prior) <= 1:
            raise ValueError(f"prior must be above 0 and at most 1, got {prior!r}")
        return log(prior)
    return between("log_prior", float(log_prior or 0.0), -1.7e308, 0.0)
