"""Tests of two learners that were scored on the same folds or rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from tenfold.core import Array, Labels
from tenfold.core.schema import is_text
from tenfold.model_selection.certification.intervals import difference_interval
from tenfold.model_selection.comparison.comparison_result import Comparison
from tenfold.model_selection.formatting import short
from tenfold.sources.label_codes import code, levels

Sizes = ArrayLike
"""training rows and test rows: (train, test), of all folds or of each"""
MAX_EXACT_MCNEMAR_ROWS = 25
"""rows on which two models differ: with fewer, McNemar's test counts exactly"""
SCORE_ROUNDING = 1e-12
"""of the scores: differences below it are rounding, and none"""
TEST_NAMES = {
    "corrected": "corrected resampled t-test",
    "paired": "paired t-test",
    "5x2": "5x2 cross-validated t-test",
    "mcnemar": "McNemar's test",
}


def t_test(
    d: Array, noise: float, method: str, sizes: Sizes | None, level: float, names: tuple[str, str], score: str
) -> Comparison:
    """Paired t-test of the differences by fold; corrected, for the overlap of training sets."""
    k = len(d)
    if k < 2:
        raise ValueError("a and b must have two folds at least: the variance cannot be estimated from one")
    note = ""
    scale = 1 / k
    if method == "corrected":
        scale += _share(sizes, k)
    else:
        note = (
            "folds share most of what they learn from, so this test finds differences where there are none. "
            "Remedy: method='corrected'"
        )
    mean, error = float(d.mean()), float(d.std(ddof=1)) * math.sqrt(scale)
    if np.ptp(d) <= noise:
        error = 0.0
        note = "the difference is the same in every fold: its variance cannot be estimated"
    return _by_t(mean, error, k - 1, level, names, score, TEST_NAMES[method], note)


def five_by_two(d: Array, sizes: Sizes | None, level: float, names: tuple[str, str], score: str) -> Comparison:
    """Dietterich's: the first of the ten differences, by the spread within the five repeats."""
    if d.shape == (10,) and sizes is not None and _halves(sizes):
        d = d.reshape(5, 2)
    if d.shape != (5, 2):
        raise ValueError(
            "method='5x2' needs five repeats of two folds: scores of shape (5, 2). Remedy: "
            "cross_validate(..., folds=2, shuffle=True, repeats=5)"
        )
    error = math.sqrt(float(((d[:, 0] - d[:, 1]) ** 2).sum() / 2) / 5)  # s² of two numbers is half their square
    note = f"the test takes the first of ten differences; their mean is {d.mean():.3g}"
    return _by_t(float(d[0, 0]), error, 5, level, names, score, TEST_NAMES["5x2"], note)


def mcnemar(a: ArrayLike, b: ArrayLike, truth: ArrayLike | None, level: float, names: tuple[str, str]) -> Comparison:
    """McNemar's test of the rows that exactly one of two models gets right."""
    if truth is None:
        raise ValueError("truth is needed for method='mcnemar': the true class of each row. Remedy: truth=y")
    true, by_a, by_b = _classes(truth=truth, a=a, b=b)
    right_a, right_b = by_a == true, by_b == true
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    both, differ = int((right_a & right_b).sum()), only_a + only_b
    df: float | None = None
    if differ < MAX_EXACT_MCNEMAR_ROWS:
        statistic, said = float(min(only_a, only_b)), "exact"
        p = float(stats.binomtest(only_a, differ).pvalue) if differ else 1.0
    else:
        statistic, said, df = max(0, abs(only_a - only_b) - 1) ** 2 / differ, "χ², corrected", 1
        p = float(special.chdtrc(1, statistic))
    table = [[both, only_a], [only_b, len(true) - both - differ]]
    errors = difference_interval(table=table, level=level)
    method = (
        f"{TEST_NAMES['mcnemar']} ({said}; {only_a} rows only {short(names[0])} got right, {only_b} only the other)"
    )
    return Comparison(
        names, "accuracy", method, 0.0 - errors.estimate, -errors.high, -errors.low, level, statistic, df, p,
        "it is of these two models; others, learned from other rows by the same learners, may differ",
    )  # fmt: skip


def holm(p: Sequence[float]) -> list[float]:
    """p of several tests, adjusted: who trusts those below .05 finds any false difference 5 times in 100 at most."""
    order = np.argsort(p, kind="stable")
    steps = np.asarray(p, dtype=float)[order] * np.arange(len(order), 0, -1)
    out = np.empty(len(order))
    out[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return out.tolist()


def _by_t(
    mean: float, error: float, df: int, level: float, names: tuple[str, str], score: str, method: str, note: str
) -> Comparison:
    if error:
        statistic = mean / error
    else:
        statistic = math.copysign(math.inf, mean) if mean else 0.0
    p = float(2 * special.stdtr(df, -abs(statistic)))
    half = -float(special.stdtrit(df, (1 - level) / 2)) * error
    return Comparison(names, score, method, mean, mean - half, mean + half, level, statistic, df, p, note)


def _share(sizes: Sizes | None, folds: int) -> float:
    """Rows scored to training rows, on average."""
    if sizes is None:
        raise ValueError(
            "sizes is needed to correct the variance: training rows and test rows. Remedy: "
            "sizes=(90, 10), or sizes=cv.sizes, or give the CrossValidation itself"
        )
    try:
        found = np.atleast_2d(np.asarray(sizes, dtype=float))
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape[1:] != (2,) or len(found) not in (1, folds) or not (found > 0).all():
        raise ValueError(f"sizes must be (train, test) or one such pair for each of the {folds} folds, all above 0")
    return float((found[:, 1] / found[:, 0]).mean())


def _halves(sizes: Sizes) -> bool:
    """Whether ten splits are pairs that swap what they learn from and what they are scored on."""
    found = np.asarray(sizes)
    return found.shape == (10, 2) and bool((found[::2] == found[1::2, ::-1]).all())


def _classes(**given: ArrayLike) -> list[Labels]:
    """True and predicted classes of the same rows; of one kind, so that none is wrong for being written otherwise."""
    each = {name: np.asarray(values) for name, values in given.items()}
    shapes = [values.shape for values in each.values()]
    if len({*shapes}) > 1 or len(shapes[0]) != 1 or not shapes[0][0]:
        said = ", ".join(map(str, shapes[:-1])) + f" and {shapes[-1]}"
        raise ValueError(
            f"truth, a and b must be of the same rows, but have the shapes {said}. Remedy: a class for each row"
        )
    known = {name: levels(values, name) for name, values in each.items()}
    for name, values in each.items():
        missing = np.isnan(code(values, known[name], name))
        if missing.any():
            row = int(missing.argmax())
            raise ValueError(f"{name} misses a value in row {row}. Remedy: leave the row out of truth, a and b")
        if is_text(known[name]) != is_text(known["truth"]):
            kinds = ("text", "numbers") if is_text(known[name]) else ("numbers", "text")
            raise ValueError(
                f"{name} holds {kinds[0]} and truth {kinds[1]}: no row could be right. Remedy: give both as the same "
                "classes"
            )
        if known[name].dtype.kind == "f" and (known[name] != np.rint(known[name])).any():
            raise ValueError(
                f"{name} holds numbers that are not whole, so it has no classes. Remedy: give what was predicted, not "
                "probabilities"
            )
    return list(each.values())
