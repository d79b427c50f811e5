"""The laws behind `sample_size`, `error_bound` and `failure_probability`: one error curve each, and its inverses.

L is ln(1/δ) throughout, so that chances too small for a float still count.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, nextafter, sqrt
from typing import NamedTuple

from scipy.special import wrightomega

from tenfold.theory.bounds.bound import DRAWN
from tenfold.theory.classes.classes import LN2
from tenfold.theory.classes.labellings import log_growth

CONSISTENT = f"{DRAWN}, the class fixed before they were seen, no error on them"
CLASS_FIXED = f"{DRAWN}, the class fixed before they were seen"
EMPIRICAL_RISK_MINIMIZER = f"{CLASS_FIXED}, the hypothesis with the fewest errors on them taken"


class Law(NamedTuple):
    """Relation between m rows, the error, and the probability δ of failure."""

    error: Callable[[int, float], float]
    """ε from m and L; decreases with m"""
    evidence: Callable[[int, float], float]
    """L from m and ε; at most 0 where nothing follows"""
    guess: Callable[[float, float], float]
    """about the least m from ε and L"""
    formula: str
    assumptions: str


def finite_consistent(size: float) -> Law:
    """Solve |H| e^(-εm) = δ."""
    return Law(
        lambda m, L: (size + L) / m,
        lambda m, eps: eps * m - size,
        lambda eps, L: (size + L) / eps,
        "(ln|H| + ln 1/δ)/m",
        CONSISTENT,
    )


def finite_gap(size: float) -> Law:
    """Solve |H| e^(-2mε²) = δ."""
    return Law(
        lambda m, L: sqrt((size + L) / (2 * m)),
        lambda m, eps: 2 * m * eps**2 - size,
        lambda eps, L: (size + L) / (2 * eps**2),
        "sqrt((ln|H| + ln 1/δ)/2m)",
        CLASS_FIXED,
    )


def finite_agnostic(size: float) -> Law:
    """2|H| e^(-mε²/2) = δ: all training errors within ε/2 of the true ones."""
    return Law(
        lambda m, L: sqrt(2 * (LN2 + size + L) / m),
        lambda m, eps: m * eps**2 / 2 - LN2 - size,
        lambda eps, L: 2 * (LN2 + size + L) / eps**2,
        "sqrt(2 ln(2|H|/δ)/m)",
        EMPIRICAL_RISK_MINIMIZER,
    )


def vc_sum(vc: int) -> Law:
    """εm = 4 log₂(2/δ) + 8 vc log₂(13/ε), solved for ε by ω(z) + ln ω(z) = z."""
    c = 8 * vc / LN2

    def error(m: int, L: float) -> float:
        return float(c / m * wrightomega(log(13 * m / c) + 4 * (LN2 + L) / LN2 / c))

    return Law(
        error,
        lambda m, eps: (eps * m - c * log(13 / eps)) * LN2 / 4 - LN2,
        lambda eps, L: (4 * (LN2 + L) / LN2 + c * log(13 / eps)) / eps,
        "εm = 4 log2(2/δ) + 8 VC log2(13/ε)",
        CONSISTENT,
    )


def vc_max(vc: int) -> Law:
    """εm = max(4 log₂(2/δ), 8 vc log₂(13/ε))."""
    c = 8 * vc / LN2

    def error(m: int, L: float) -> float:
        return max(4 * (LN2 + L) / LN2 / m, float(c / m * wrightomega(log(13 * m / c))))

    def evidence(m: int, eps: float) -> float:
        enough = float(c / m * wrightomega(log(13 * m / c))) <= eps
        return eps * m * LN2 / 4 - LN2 if enough else -inf

    return Law(
        error,
        evidence,
        lambda eps, L: max(4 * (LN2 + L) / LN2, c * log(13 / eps)) / eps,
        "εm = max(4 log2(2/δ), 8 VC log2(13/ε))",
        CONSISTENT,
    )


def vc_net(vc: int) -> Law:
    """2 (2em/vc)^vc 2^(-εm/2) = δ, for m > 8/ε: the rows hit every region of weight ε."""

    def error(m: int, L: float) -> float:
        return max(2 / LN2 * (LN2 + L + log_growth(2 * m, vc)) / m, nextafter(8 / m, inf))

    def evidence(m: int, eps: float) -> float:
        return eps * m * LN2 / 2 - LN2 - log_growth(2 * m, vc) if eps * m > 8 else -inf

    def guess(eps: float, L: float) -> float:
        return _cross(eps * LN2 / 2, vc, LN2 + L)

    return Law(error, evidence, guess, "2 (2em/VC)^VC 2^(-εm/2) = δ", CONSISTENT)


def vc_gap(vc: int) -> Law:
    """4 (2em/vc)^vc e^(-mε²) = δ."""
    return Law(
        lambda m, L: sqrt((log_growth(2 * m, vc) + log(4) + L) / m),
        lambda m, eps: m * eps**2 - log_growth(2 * m, vc) - log(4),
        lambda eps, L: _cross(eps**2, vc, log(4) + L),
        "sqrt((VC (ln(2m/VC) + 1) + ln 4/δ)/m)",
        CLASS_FIXED,
    )


def vc_agnostic(vc: int) -> Law:
    """`vc_gap` for the chosen hypothesis and Hoeffding for the best one, half of δ each."""

    def error(m: int, L: float) -> float:
        half = L + LN2
        return sqrt((log_growth(2 * m, vc) + log(4) + half) / m) + sqrt(half / (2 * m))

    def evidence(m: int, eps: float) -> float:
        t2, a = m * eps**2, log_growth(2 * m, vc) + log(4)
        if t2 <= a:
            return -inf
        s = sqrt(2 * t2 - a) - sqrt(t2)  # s = sqrt((L + ln 2)/2) solves sqrt(a + 2s²) + s = ε sqrt(m)
        return 2 * s * s - LN2

    return Law(
        error,
        evidence,
        lambda eps, L: _cross(eps**2, vc, log(4) + L),
        "sqrt((VC (ln(2m/VC) + 1) + ln 8/δ)/m) + sqrt((ln 2/δ)/2m)",
        EMPIRICAL_RISK_MINIMIZER,
    )


CHAINING = 28.0
"""the Rademacher average of a class is at most 28 sqrt(VC/m): Dudley's integral 12 ∫₀¹ sqrt(ln N(u)/m) du with
Haussler's ln N(u) ≤ 1 + ln(VC + 1) + VC ln(2e/u²) ≤ VC (3.39 + 2 ln 1/u), whose root has a mean of at most sqrt(5.39)
over [0, 1]"""


def vc_chaining(vc: int) -> Law:
    """2 · 28 sqrt(vc/m) + sqrt(2 ln(2/δ)/m): half of δ for the worst error above its training error, half for the best.

    By (a + b)² ≤ 2a² + 2b², 6400 (vc + ln 1/δ)/ε² rows are enough: 2 · 56² vc + 4 ln 2 + 4 ln 1/δ is below that.
    """
    mean = 2 * CHAINING * sqrt(vc)

    def evidence(m: int, eps: float) -> float:
        left = eps * sqrt(m) - mean
        return left * left / 2 - LN2 if left > 0 else -inf

    return Law(
        lambda m, L: (mean + sqrt(2 * (LN2 + L))) / sqrt(m),
        evidence,
        lambda eps, L: ((mean + sqrt(2 * (LN2 + L))) / eps) ** 2,
        "(56 sqrt(VC) + sqrt(2 ln 2/δ))/sqrt(m)",
        EMPIRICAL_RISK_MINIMIZER,
    )


def _cross(rate: float, vc: int, rest: float) -> float:
    """The larger m with rate · m = vc (1 + ln(2m/vc)) + rest."""
    level = 1 + log(2 / rate) + rest / vc
    x = level + log(level) if level > 1 else 1.0
    for _ in range(50):
        x = level + log(x)
    return x * vc / rate
