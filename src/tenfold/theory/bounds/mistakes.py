"""How often an online learner errs before it has learnt."""

from __future__ import annotations

from math import inf, log

from tenfold.theory.bounds.bound import Bound, below
from tenfold.theory.checks import fraction, log_of_size, positive, whole
from tenfold.theory.classes.classes import LN2


def halving_mistakes(size: int | None = None, *, log_size: float | None = None) -> Bound:
    """Mistakes of a learner that predicts as the majority of the hypotheses still consistent.

    Parameters
    ----------
    size : int
        Hypotheses.
    log_size : float
        Or the natural logarithm of their number.

    Returns
    -------
    Bound
        `⌊log₂ |H|⌋`.

    Examples
    --------
    >>> from tenfold.theory import halving_mistakes
    >>> float(halving_mistakes(973))
    9.0
    """
    ln = log_of_size(size, log_size)
    value = int(size).bit_length() - 1 if size is not None else ln // LN2
    return below(inf, value, "floor(log2 |H|)", "a hypothesis of the class is right throughout")


def find_s_mistakes(n: int) -> Bound:
    """Mistakes of Find-S on conjunctions over n attributes.

    The first lifts the hypothesis that covers nothing to one example; each later one drops an attribute.

    Parameters
    ----------
    n : int
        Attributes.

    Returns
    -------
    Bound
        n + 1.

    Examples
    --------
    >>> from tenfold.theory import find_s_mistakes
    >>> float(find_s_mistakes(6))
    7.0
    """
    return below(inf, whole("n", n) + 1, "n + 1", "the target is a conjunction of values of the attributes")


def weighted_majority_mistakes(experts: int, best: int, beta: float = 0.5) -> Bound:
    """Mistakes of a weighted vote in which every expert that errs is multiplied by beta.

    Parameters
    ----------
    experts : int
        Experts, of equal weight at first.
    best : int
        Mistakes of the best of them.
    beta : float, default=0.5
        Factor of the weight of an expert that errs, above 0 and below 1.

    Returns
    -------
    Bound
        (k ln(1/β) + ln N)/ln(2/(1 + β)).

    Examples
    --------
    >>> from tenfold.theory import weighted_majority_mistakes
    >>> round(float(weighted_majority_mistakes(16, 3)), 2)
    16.87
    """
    experts, best, beta = whole("experts", experts), whole("best", best, 0), fraction("beta", beta)
    value = (log(experts) - best * log(beta)) / log(2 / (1 + beta))
    return below(inf, value, "(k ln(1/β) + ln N)/ln(2/(1 + β))", "an expert errs no more often than said")


def perceptron_mistakes(radius: float, margin: float) -> Bound:
    """Updates of a perceptron that starts at zero and changes whenever y w'x ≤ 0.

    Parameters
    ----------
    radius : float
        No row is longer than this.
    margin : float
        y u'x is at least this on every row for some u of length 1.

    Returns
    -------
    Bound
        (R/γ)².

    Examples
    --------
    >>> from tenfold.theory import perceptron_mistakes
    >>> float(perceptron_mistakes(2.0, 0.5))
    16.0
    """
    ratio = positive("radius", radius) / positive("margin", margin)
    return below(inf, ratio * ratio, "(R/γ)²", "rows no longer than R, separated through the origin by the margin γ")
