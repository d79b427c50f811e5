"""Whether one learner is better than another: on the same folds or rows, many at once, over many data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, MatrixLike
from tenfold.model_selection.comparison.comparison_result import Comparison, Comparisons
from tenfold.model_selection.comparison.paired_tests import (
    SCORE_ROUNDING,
    TEST_NAMES,
    Sizes,
    five_by_two,
    holm,
    mcnemar,
    t_test,
)
from tenfold.model_selection.comparison.ranks import Ranks, friedman, place
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation
from tenfold.model_selection.formatting import short
from tenfold.theory.checks import fraction, one_of

Method = Literal["corrected", "paired", "5x2", "mcnemar"]
METHODS = tuple(TEST_NAMES)
Pair = tuple[int | str, int | str]
"""two learners of a `CrossValidation`, by number or name"""


def compare(
    a: ArrayLike | CrossValidation,
    b: ArrayLike | Pair | None = None,
    method: Method = "corrected",
    *,
    sizes: Sizes | None = None,
    truth: ArrayLike | None = None,
    score: int | str = 0,
    level: float = 0.95,
    names: Sequence[str] = ("a", "b"),
) -> Comparison:
    """Whether one of two learners is better.

    Parameters
    ----------
    a, b : arrays
        Scores of both learners on the same folds, the greater the better; for "5x2" of shape (5, 2); for "mcnemar"
        what both models predicted for the same rows. Or a `CrossValidation`, and two of its learners by number or
        name, (0, 1) by default.
    method : {"corrected", "paired", "5x2", "mcnemar"}, default="corrected"
        "corrected": the t-test over folds of Nadeau and Bengio, which knows that folds share what they learn from.
        "paired": the plain t-test, which does not, and finds differences where there are none. "5x2": Dietterich's,
        of five repeats of two folds. "mcnemar": of two fitted models, from the rows on which just one is right.
    sizes : (int, int) or list of (int, int), optional
        For "corrected", with arrays: training rows and test rows, of every or of each fold.
    truth : array, optional
        For "mcnemar": the true classes.
    score : int or str, default=0
        With a `CrossValidation`: which of its scores.
    level : float, default=0.95
        Confidence level of the interval; the difference is significant if p is at most 1 - level.
    names : (str, str)
        What to call the two, if they are given as arrays.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> y = X @ [1.0, 2.0, 3.0] + np.random.default_rng(1).normal(size=300)
    >>> cv = tn.cross_validate({"mild": tn.Ridge(1.0), "stiff": tn.Ridge(100.0)}, X, y)
    >>> print(tn.compare(cv, ("mild", "stiff")).sentence)
    mild is better than stiff by 0.0748 in r2 (95 % interval 0.048 to 0.102); with p = 0.00014, this would be rare \
if they were equally good.
    >>> right, here, there = [0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 0], [0, 1, 0, 1, 1, 1]
    >>> print(tn.compare(here, there, "mcnemar", truth=right).sentence)
    a and b are not significantly different: the difference in accuracy is 0.167 (95 % interval -0.398 to 0.63; p = 1).
    """
    one_of("method", method, METHODS)
    level = fraction("level", level)
    if isinstance(a, CrossValidation):
        if method == "mcnemar":
            raise ValueError(
                "method='mcnemar' is of predictions, and a CrossValidation has scores alone. Remedy: "
                "compare(predicted, predicted_by_the_other, 'mcnemar', truth=y)"
            )
        a, b, sizes, names, said = _of(a, b, score)
    else:
        said = "accuracy" if method == "mcnemar" else "score"
    if isinstance(names, str) or len(names) != 2:
        raise ValueError(f"names must be two, as ('new', 'old'); got {names!r}")
    pair = (str(names[0]), str(names[1]))
    if b is None:
        what = "predictions" if method == "mcnemar" else "scores on the same folds"
        raise ValueError(f"b is needed: the {what} of the other learner")
    if method == "mcnemar":
        return mcnemar(a, b, truth, level, pair)
    x, z = _scores("a", a), _scores("b", b)
    if x.shape != z.shape:
        raise ValueError(f"a and b must be scores on the same folds, but there are {x.shape} and {z.shape} of them")
    noise = SCORE_ROUNDING * float(np.maximum(np.abs(x), np.abs(z)).max(initial=0.0))
    d = np.where(np.abs(x - z) <= noise, 0.0, x - z)
    if method == "5x2":
        return five_by_two(d, sizes, level, pair, said)
    return t_test(np.ravel(d), noise, method, sizes, level, pair, said)


def compare_all(
    results: CrossValidation | Sequence[CrossValidation] | Mapping[str, CrossValidation] | MatrixLike,
    method: Literal["corrected", "paired", "5x2"] = "corrected",
    *,
    score: int | str = 0,
    level: float = 0.95,
    names: Sequence[str] | None = None,
) -> Comparisons | Ranks:
    """Compare several learners: all pairs on one data set, or their ranks over several.

    Parameters
    ----------
    results : CrossValidation; list or dict of them; or array or frame of shape (datasets, learners)
        One `CrossValidation`: every pair is tested by `method`, and p is adjusted by Holm. Several, of the same
        learners on different data sets, or a table of scores, the greater the better: Friedman's test of the ranks,
        and Nemenyi's critical difference.
    method : {"corrected", "paired", "5x2"}, default="corrected"
        How to test a pair: see `compare`.
    score : int or str, default=0
        Which of the scores of a `CrossValidation`.
    level : float, default=0.95
        Confidence of the intervals and tests, between 0 and 1.
    names : list of str, optional
        Of the learners, if a table is given; those of its columns, if it has any.

    Returns
    -------
    Comparisons or Ranks

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.arange(200.0)[:, None] % 17
    >>> y = X[:, 0] + np.sin(np.arange(200))
    >>> cv = tn.cross_validate({"mild": tn.Ridge(1.0), "stiff": tn.Ridge(1000.0)}, X, y)
    >>> tn.compare_all(cv).pairs[0].better
    'mild'
    >>> found = tn.compare_all([[0.7, 0.6, 0.5], [0.8, 0.7, 0.6], [0.9, 0.8, 0.8]])
    >>> found.ranks
    (1.0, 2.1666666666666665, 2.8333333333333335)
    """
    one_of("method", method, METHODS[:3])
    level = fraction("level", level)
    if isinstance(results, CrossValidation):
        if len(results.names) < 2:
            raise ValueError("results has one learner only: there is nothing to compare it with")
        some = [
            compare(results, pair, method, score=score, level=level)
            for pair in combinations(range(len(results.names)), 2)
        ]
        adjusted = holm([c.p for c in some])
        pairs = tuple(replace(c, adjusted=p) for c, p in zip(some, adjusted, strict=True))
        return Comparisons(tuple(results.names), pairs)
    each = results
    if isinstance(results, Mapping):
        each = list(results.values())
        if not all(isinstance(one, CrossValidation) for one in each):
            raise ValueError(
                "results is a dict, and not of a CrossValidation for each data set. Remedy: a table of scores, with a "
                "row for each data set and a column for each learner"
            )
    if isinstance(each, (list, tuple)) and any(isinstance(one, CrossValidation) for one in each):
        each, names = _means(each, score)
    return friedman(each, names, level)


def _of(
    cv: CrossValidation, pair: ArrayLike | Pair | None, score: int | str
) -> tuple[Array, Array, Sizes, tuple[str, str], str]:  # fmt: skip
    """Scores of two learners, sizes, their names, and the name of the score."""
    if isinstance(pair, CrossValidation):
        raise ValueError(
            "a and b are a CrossValidation each, which may have different folds. Remedy: "
            "cv = cross_validate([one, other], X, y), then compare(cv)"
        )
    if len(cv.names) < 2:
        raise ValueError("a has one learner only: there is nothing to compare it with")
    chosen = (0, 1) if pair is None else pair
    if not isinstance(chosen, (tuple, list)) or len(chosen) != 2:
        raise ValueError(f"b must be two learners of the CrossValidation, as (0, 1); got {pair!r}")
    i, j = (place(one, cv.names) for one in chosen)
    if i == j:
        raise ValueError(f"b names {short(cv.names[i])} twice: a learner is as good as itself")
    s = _score_index(score, cv.scoring)
    return cv.scores[i, s], cv.scores[j, s], cv.sizes, (cv.names[i], cv.names[j]), cv.scoring[s]


def _score_index(score: int | str, scoring: Sequence[str]) -> int:
    """The number of a score, given by number or name."""
    if isinstance(score, str):
        if score not in scoring:
            raise ValueError(f"score={score!r} was not asked for; there are {list(scoring)}")
        return list(scoring).index(score)
    if not isinstance(score, (int, np.integer)) or not 0 <= score < len(scoring):
        raise ValueError(f"score={score!r} is not among the {len(scoring)} scores {list(scoring)}")
    return int(score)


def _scores(name: str, values: ArrayLike) -> Array:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be numbers, one for each fold, not {type(values).__name__}. Remedy: "
            "cv = cross_validate([one, other], X, y), then compare(cv)"
        ) from None
    if not np.isfinite(found).all():
        where = int(np.flatnonzero(~np.isfinite(np.ravel(found)))[0])
        raise ValueError(
            f"{name} has no score in fold {where}: it is NaN or infinite. Remedy: fewer folds, or shuffle, so that "
            "every fold can be scored"
        )
    return found


def _means(each: Sequence[CrossValidation], score: int | str) -> tuple[Array, list[str]]:
    """Mean scores of the same learners on several data sets, and their names."""
    for at, one in enumerate(each):
        if not isinstance(one, CrossValidation):
            raise ValueError(f"results[{at}] is not a CrossValidation, but others are")
        if one.names != each[0].names:
            raise ValueError(
                f"results[{at}] has other learners than results[0]: {list(map(short, one.names))}. Remedy: score the "
                "same learners, under the same names, on every data set"
            )
    return np.array([one.mean[:, _score_index(score, one.scoring)] for one in each]), each[0].names
