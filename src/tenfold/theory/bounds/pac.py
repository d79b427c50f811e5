"""PAC bounds: rows, error or confidence, each from the other two, for finite classes and by VC dimension."""

from __future__ import annotations

from math import exp, log

from tenfold.theory.bounds import error_curves
from tenfold.theory.bounds.bound import Bound, below, least
from tenfold.theory.checks import between, fraction, log_of_size, one_of, whole

GOALS = ("consistent", "gap", "agnostic")
FORMS = ("sum", "max", "net", "chaining")


def sample_size(
    eps: float,
    delta: float,
    *,
    size: int | None = None,
    log_size: float | None = None,
    vc: int | None = None,
    goal: str = "consistent",
    form: str | None = None,
) -> int:
    """Number of rows sufficient for an error of eps with probability 1 - delta.

    Parameters
    ----------
    eps : float
        The error to reach, above 0 and below 1; `goal` says what it is measured from.
    delta : float
        The chance that the claim fails, above 0 and below 1.
    size : int
        Hypotheses of a finite class; or
    log_size : float
        the natural logarithm of their number; or
    vc : int
        the VC dimension of a class of two-valued hypotheses, at least 1.
    goal : {"consistent", "gap", "agnostic"}
        "consistent": any hypothesis without training errors has a true error of at most eps. "gap": no
        hypothesis has a true error above its training error by more than eps. "agnostic": the hypothesis of the
        fewest training errors is within eps of the best one of the class, whatever the target.
    form : {"sum", "max", "net", "chaining"}, optional
        With `vc` and "consistent": Blumer et al.'s bound with both its terms added (default), with the larger
        of them, or the bound of Haussler and Welzl from which they come, which is the smallest. With `vc` and
        "agnostic": "chaining" is C (VC + ln 1/δ)/ε² rows, without a logarithm of ε: the best rate, with C = 6400, so
        that the default asks for fewer unless ε is extremely small.

    Returns
    -------
    int
        The least number of rows whose `error_bound` is at most eps.

    Examples
    --------
    >>> from tenfold.theory import sample_size
    >>> sample_size(0.1, 0.05, size=973)
    99

    Where no hypothesis need be right, (2/ε²) ln(2H/δ) rows are enough for a class of H:

    >>> sample_size(0.1, 0.05, size=973, goal="agnostic")
    2114
    >>> sample_size(0.1, 0.05, vc=3)
    1899
    """
    eps, L = fraction("eps", eps), -log(fraction("delta", delta))
    law = _law(size, log_size, vc, goal, form)
    return least(lambda m: law.error(m, L) <= eps, law.guess(eps, L))


def error_bound(
    m: int,
    delta: float,
    *,
    size: int | None = None,
    log_size: float | None = None,
    vc: int | None = None,
    goal: str = "consistent",
    form: str | None = None,
    train_error: float = 0.0,
) -> Bound:
    """Upper bound of the error after m rows, with probability 1 - delta.

    Parameters
    ----------
    m : int
        Rows.
    delta : float
        The chance that the claim fails, above 0 and below 1.
    size, log_size, vc, goal, form
        As in `sample_size`.
    train_error : float, default=0.0
        With the goal "gap": the training error, which the bound is then added to.

    Returns
    -------
    Bound
        On the true error; with "agnostic", on what it exceeds the best of the class by.

    Examples
    --------
    >>> from tenfold.theory import error_bound
    >>> round(float(error_bound(99, 0.05, size=973)), 5)
    0.09976
    >>> round(float(error_bound(1000, 0.05, vc=3, goal="gap")), 5)
    0.16398
    >>> error_bound(9, 0.05, size=973).vacuous
    True
    """
    law = _law(size, log_size, vc, goal, form)
    value = law.error(whole("m", m), -log(fraction("delta", delta)))
    if goal != "gap" and train_error:
        raise ValueError(f"train_error is for the goal 'gap', not {goal!r}")
    formula = f"training error + {law.formula}" if goal == "gap" else law.formula
    return below(1, between("train_error", train_error) + value, formula, law.assumptions)


def failure_probability(
    m: int,
    eps: float,
    *,
    size: int | None = None,
    log_size: float | None = None,
    vc: int | None = None,
    goal: str = "consistent",
    form: str | None = None,
) -> Bound:
    """The chance delta that after m rows the error exceeds eps.

    Parameters
    ----------
    m : int
        Rows.
    eps : float
        The error to reach, above 0 and below 1.
    size, log_size, vc, goal, form
        As in `sample_size`.

    Returns
    -------
    Bound
        The delta whose `error_bound` is eps.

    Examples
    --------
    >>> from tenfold.theory import failure_probability
    >>> round(float(failure_probability(99, 0.1, size=973)), 4)
    0.0488
    """
    law = _law(size, log_size, vc, goal, form)
    value = exp(-max(law.evidence(whole("m", m), fraction("eps", eps)), 0.0))
    return below(1, value, f"δ from {law.formula}", law.assumptions)


def confidence(
    m: int,
    eps: float,
    *,
    size: int | None = None,
    log_size: float | None = None,
    vc: int | None = None,
    goal: str = "consistent",
    form: str | None = None,
) -> float:
    """How sure one can be after m rows that the error is at most eps.

    Parameters
    ----------
    m : int
        Rows.
    eps : float
        The error to reach, above 0 and below 1.
    size, log_size, vc, goal, form
        As in `sample_size`.

    Returns
    -------
    float
        1 - `failure_probability`; 0 if that is vacuous.

    Examples
    --------
    >>> from tenfold.theory import confidence
    >>> round(confidence(99, 0.1, size=973), 4)
    0.9512
    """
    return 1 - float(failure_probability(m, eps, size=size, log_size=log_size, vc=vc, goal=goal, form=form))


def monomial_sample_size(eps: float, delta: float, n: int) -> int:
    """How many rows are enough for Find-S on conjunctions of literals, counted literal by literal.

    Each of the 2n literals is to be dropped once rows that call for it have a weight of ε/2n. Counting
    hypotheses instead, by `sample_size` with `log_conjunctions`, asks for less.

    Parameters
    ----------
    eps, delta : float
        Error, and the chance that it is larger; above 0 and below 1.
    n : int
        Boolean attributes.

    Returns
    -------
    int
        The least m ≥ (2n/ε)(ln 2n + ln 1/δ).

    Examples
    --------
    >>> from tenfold.theory import monomial_sample_size
    >>> monomial_sample_size(0.1, 0.05, 10)
    1199
    """
    n = whole("n", n)
    return sample_size(fraction("eps", eps) / (2 * n), delta, size=2 * n)


def _law(size: int | None, log_size: float | None, vc: int | None, goal: str, form: str | None) -> error_curves.Law:
    if sum(given is not None for given in (size, log_size, vc)) != 1:
        raise ValueError("give one of size, log_size and vc")
    one_of("goal", goal, GOALS)
    if form is not None:
        one_of("form", form, FORMS)
        wanted = "agnostic" if form == "chaining" else "consistent"
        if vc is None or goal != wanted:
            raise ValueError(f"form={form!r} is for vc and the goal {wanted!r}")
    if vc is None:
        make = {
            "consistent": error_curves.finite_consistent,
            "gap": error_curves.finite_gap,
            "agnostic": error_curves.finite_agnostic,
        }[goal]
        return make(log_of_size(size, log_size))
    consistent = {"sum": error_curves.vc_sum, "max": error_curves.vc_max, "net": error_curves.vc_net}.get(
        form or "sum", error_curves.vc_sum
    )
    agnostic = error_curves.vc_chaining if form == "chaining" else error_curves.vc_agnostic
    return {"consistent": consistent, "gap": error_curves.vc_gap, "agnostic": agnostic}[goal](whole("vc", vc))
