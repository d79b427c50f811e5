"""Confidence intervals for an error rate, and for the difference of two, from errors on a sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from tenfold.model_selection.formatting import html_table, percent
from tenfold.theory.bounds.bound import DRAWN
from tenfold.theory.bounds.held_out import UNSEEN, binomial_lower, binomial_upper
from tenfold.theory.checks import fraction, one_of, whole

Side = Literal["both", "upper", "lower"]
ROWS, SPREAD = 30, 5.0
"""what the normal approximation needs: rows, and rows times p (1 - p)"""


@dataclass(frozen=True)
class Interval:
    """A number that was measured, and the ends between which the true one lies at some level of confidence.

    `value in interval` tests whether it contains a value.

    Parameters
    ----------
    of : str
        What was measured.
    estimate : float
        On the sample.
    low, high : float
        The ends. Where only one is asked for, the other is as far out as it can be.
    level : float
        How often such an interval holds the true value.
    side : {"both", "upper", "lower"}
        Which of the ends are claimed.
    method : str
        How it was found.
    assumptions : str
        What must hold.
    note : str
        What to be careful about; empty if nothing.

    Examples
    --------
    >>> import tenfold as tn
    >>> found = tn.error_interval(10, 100)
    >>> print(found)
    error rate 0.1; 95 % interval 0.0490047 to 0.176223 (exact, Clopper and Pearson)
    >>> 0.05 in found, 0.2 in found
    (True, False)
    """

    of: str
    estimate: float
    low: float
    high: float
    level: float
    side: Side
    method: str
    assumptions: str
    note: str = ""

    @property
    def width(self) -> float:
        """How wide the interval is, from its lower to its upper end."""
        return self.high - self.low

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float, np.number)) and bool(self.low <= value <= self.high)

    def _bounds(self) -> str:
        if self.side == "both":
            return f"{percent(self.level)} interval {self.low:.6g} to {self.high:.6g}"
        most = f"at most {self.high:.6g}" if self.side == "upper" else f"at least {self.low:.6g}"
        return f"with {percent(self.level)} confidence {most}"

    def __str__(self) -> str:
        text = f"{self.of} {self.estimate:.6g}; {self._bounds()} ({self.method})"
        return f"{text}; careful: {self.note}" if self.note else text

    def _repr_html_(self) -> str:
        rows = [["estimate", f"{self.estimate:.6g}"], [self.method, self._bounds()], ["assuming", self.assumptions]]
        return html_table(["", self.of], [*rows, *([["careful", self.note]] if self.note else [])])


def error_interval(
    errors: int,
    n: int,
    level: float = 0.95,
    method: Literal["exact", "wilson", "z"] = "exact",
    *,
    side: Side = "both",
) -> Interval:
    """The interval for a true error rate, from errors on rows that the model never saw.

    Parameters
    ----------
    errors : int
        Rows that were predicted wrong.
    n : int
        Rows that were scored.
    level : float, default=0.95
        How often such an interval is to hold the true rate.
    method : {"exact", "wilson", "z"}, default="exact"
        "exact" (Clopper and Pearson) has at least this coverage for every true rate. "wilson" has it
        often on average over rates, and is shorter. "z", errors/n ± z √(p(1-p)/n), is the one of textbooks: it is
        good where n is at least 30 and n p (1-p) at least 5; otherwise the interval has a `note`.
    side : {"both", "upper", "lower"}, default="both"
        "upper" asks only how large the rate can be, "lower" how small.

    Returns
    -------
    Interval

    Examples
    --------
    >>> import tenfold as tn
    >>> print(tn.error_interval(3, 100, side="upper"))
    error rate 0.03; with 95 % confidence at most 0.0757108 (exact, Clopper and Pearson)
    >>> print(tn.error_interval(12, 40, method="z"))
    error rate 0.3; 95 % interval 0.157987 to 0.442013 (normal approximation)
    >>> tn.error_interval(1, 40, method="z").note
    'n p (1-p) is 0.975, and the normal approximation needs 5. Remedy: method="exact"'
    """
    n = whole("n", n)
    errors, level = whole("errors", errors, 0, n), fraction("level", level)
    tail = (1 - level) / (2 if one_of("side", side, ("both", "upper", "lower")) == "both" else 1)
    p, note = errors / n, ""
    if one_of("method", method, ("exact", "wilson", "z")) == "exact":
        low, high, said = binomial_lower(errors, n, tail), binomial_upper(errors, n, tail), "exact, Clopper and Pearson"
    elif method == "wilson":
        (low, high), said = _wilson(errors, n, -float(ndtri(tail))), "score, Wilson"
    else:
        half = -float(ndtri(tail)) * math.sqrt(p * (1 - p) / n)
        low, high, said, note = p - half, p + half, "normal approximation", _rule(p, n)
    low, high = max(0.0, min(low, p)), min(1.0, max(high, p))
    if side != "both":
        low, high = (0.0, high) if side == "upper" else (low, 1.0)
    return Interval("error rate", p, low, high, level, side, said, UNSEEN, note)


def difference_interval(
    errors_a: int | None = None,
    n_a: int | None = None,
    errors_b: int | None = None,
    n_b: int | None = None,
    level: float = 0.95,
    method: Literal["score", "z"] = "score",
    *,
    table: ArrayLike | None = None,
) -> Interval:
    """The interval for the error rate of a minus that of b.

    Parameters
    ----------
    errors_a, n_a : int
        Errors of a, and the rows it was scored on.
    errors_b, n_b : int
        Errors of b, and the rows it was scored on: others than those of a, drawn independently.
    level : float, default=0.95
        How often such an interval is to hold the true difference.
    method : {"score", "z"}, default="score"
        "score" joins the intervals of Wilson as Newcombe does, or with a table inverts the score test as Tango does.
        "z" takes the difference for normal: good if both samples are large and neither rate is near 0 or 1.
    table : array of shape (2, 2), optional
        Instead of the four numbers, if both were scored on the same rows: how many both got right, only a got
        right; only b got right, both got wrong.

    Returns
    -------
    Interval

    Examples
    --------
    >>> import tenfold as tn
    >>> print(tn.difference_interval(30, 100, 20, 100))
    error rate of a minus that of b 0.1; 95 % interval -0.0202494 to 0.216734 (score, Newcombe)
    >>> print(tn.difference_interval(table=[[75, 5], [15, 5]]))
    error rate of a minus that of b 0.1; 95 % interval 0.0134468 to 0.192397 (score, Tango, same rows)
    """
    level = fraction("level", level)
    z = -float(ndtri((1 - level) / 2))
    scored = one_of("method", method, ("score", "z")) == "score"
    four = (errors_a, n_a, errors_b, n_b)
    if table is not None:
        if any(one is not None for one in four):
            raise ValueError("give either table or errors_a, n_a, errors_b and n_b, not both")
        return _paired(_counts(table), level, z, scored)
    if any(one is None for one in four):
        raise ValueError(
            "errors_a, n_a, errors_b and n_b are needed. Remedy: give all four, or table if both were scored on the "
            "same rows"
        )
    m, n = whole("n_a", n_a), whole("n_b", n_b)
    a, b = whole("errors_a", errors_a, 0, m), whole("errors_b", errors_b, 0, n)
    p, q, note = a / m, b / n, ""
    if scored:
        (low_a, high_a), (low_b, high_b) = _wilson(a, m, z), _wilson(b, n, z)
        low, high = p - q - math.hypot(p - low_a, high_b - q), p - q + math.hypot(high_a - p, q - low_b)
        said = "score, Newcombe"
    else:
        half = z * math.sqrt(p * (1 - p) / m + q * (1 - q) / n)
        low, high, said = p - q - half, p - q + half, "normal approximation"
        note = _rule(p, m, "score") or _rule(q, n, "score")
    return _difference(p - q, low, high, level, said, "", note)


def _wilson(errors: int, n: int, z: float) -> tuple[float, float]:
    """The rates that the score test does not reject."""
    p, share = errors / n, z * z / n
    middle = (p + share / 2) / (1 + share)
    half = z * math.sqrt(p * (1 - p) / n + share / (4 * n)) / (1 + share)
    return (middle - half if errors else 0.0), (middle + half if errors < n else 1.0)


def _rule(p: float, n: int, instead: str = "exact") -> str:
    """Why the normal approximation is not to be trusted; empty if it is."""
    if n < ROWS:
        return f'there are {n} rows, and the normal approximation needs {ROWS}. Remedy: method="{instead}"'
    spread = n * p * (1 - p)
    if spread < SPREAD:
        return f'n p (1-p) is {spread:.3g}, and the normal approximation needs {SPREAD:g}. Remedy: method="{instead}"'
    return ""


def _counts(table: ArrayLike) -> list[list[int]]:
    try:
        found = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if (
        found.shape != (2, 2)
        or not (found == np.rint(found)).all()
        or (found < 0).any()
        or not 0 < found.sum() < math.inf
    ):
        raise ValueError(
            "table must be 2 x 2 whole numbers, not all zero: rows that both got right, only a got right; only b got "
            f"right, both got wrong. It is {table!r}"
        )
    return [[int(one) for one in row] for row in found]


def _paired(table: list[list[int]], level: float, z: float, scored: bool) -> Interval:
    (both, only_a), (only_b, neither) = table
    n = both + only_a + only_b + neither
    d = (only_b - only_a) / n
    if scored:
        high, low = tango(only_b, only_a, n, z), -tango(only_a, only_b, n, z)
        return _difference(d, low, high, level, "score, Tango, same rows", ", both scored on all of them", "")
    half = z * math.sqrt(max(0.0, only_a + only_b - n * d * d)) / n
    few = f'they differ on {only_a + only_b} rows, and the normal approximation needs {ROWS}. Remedy: method="score"'
    note = few if only_a + only_b < ROWS else ""
    return _difference(
        d, d - half, d + half, level, "normal approximation, same rows", ", both scored on all of them", note
    )


def _difference(d: float, low: float, high: float, level: float, said: str, more: str, note: str) -> Interval:
    low, high = max(-1.0, min(low, d)), min(1.0, max(high, d))
    assumptions = f"{DRAWN}, none of them used to make the models{more}"
    return Interval("error rate of a minus that of b", d, low, high, level, "both", said, assumptions, note)


def tango(b: int, c: int, n: int, z: float) -> float:
    """The largest difference p - q that the score test does not reject, from b and c of n pairs that differ."""

    def rejected(d: float) -> bool:
        linear = -b - c + (2 * n - b + c) * d
        q = (math.sqrt(linear * linear + 8 * n * c * d * (1 - d)) - linear) / (4 * n)  # most likely, if p = q + d
        return (b - c - n * d) ** 2 > z * z * n * (2 * q + d * (1 - d))

    return _last(rejected, (b - c) / n)


def _last(rejected: Callable[[float], bool], inside: float) -> float:
    """Upper end of the values that are not rejected, between `inside` and 1."""
    low, high = inside, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (low, middle) if rejected(middle) else (middle, high)
    return low
