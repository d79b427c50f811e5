"""Whether one learner is better than another: paired tests over folds or rows, many at once, over many data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy import special, stats

from tenfold.evaluate.intervals import difference_interval, html_table, percent
from tenfold.evaluate.results import CrossValidation
from tenfold.theory.checks import fraction, one_of

Method = Literal["corrected", "paired", "5x2", "mcnemar"]
METHODS = ("corrected", "paired", "5x2", "mcnemar")
FEW = 25
"""rows on which two models differ: with fewer, McNemar's test counts exactly"""
NOISE = 1e-12
"""of the scores: differences below it are rounding, and none"""
NAMES = {
    "corrected": "corrected resampled t-test",
    "paired": "paired t-test",
    "5x2": "5x2 cross-validated t-test",
    "mcnemar": "McNemar's test",
}


@dataclass(frozen=True)
class Comparison:
    """Two learners, how far they are apart, and what chance alone would do.

    Parameters
    ----------
    names : (str, str)
    score : str
        What they were judged by, the greater the better.
    method : str
        The test.
    difference : float
        The score of the first less that of the second.
    low, high : float
        The ends of the interval for the difference.
    level : float
        Of the interval; the two are told apart if p is at most one less this.
    statistic : float
        Of the test: t; for McNemar χ², or the lesser of the two counts where it is exact.
    df : float or None
        Its degrees of freedom.
    p : float
        How often equally good learners would differ so much, or more.
    note : str
        What to be careful about; empty if nothing.
    adjusted : float or None
        p adjusted by Holm for all the pairs that were compared, if there were several.

    Examples
    --------
    >>> import tenfold as tn
    >>> found = tn.compare([0.81, 0.84, 0.83, 0.85], [0.78, 0.80, 0.81, 0.80], sizes=(75, 25), names=("new", "old"))
    >>> found.told_apart, found.better
    (True, 'new')
    """

    names: tuple[str, str]
    score: str
    method: str
    difference: float
    low: float
    high: float
    level: float
    statistic: float
    df: float | None
    p: float
    note: str = ""
    adjusted: float | None = None

    @property
    def told_apart(self) -> bool:
        """Whether a difference was found."""
        return self._p <= 1 - self.level

    @property
    def better(self) -> str | None:
        """Name of the better one; None if the data do not tell."""
        if not self.told_apart:
            return None
        return self.names[0] if self.difference > 0 else self.names[1]

    @property
    def _p(self) -> float:
        return self.p if self.adjusted is None else self.adjusted

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        chance = f"p = {self._p:.2g}" + ("" if self.adjusted is None else ", adjusted for the other pairs")
        ahead = not self.told_apart or self.difference > 0
        low, high = (self.low, self.high) if ahead else (-self.high, -self.low)
        first, second = map(short, self.names if ahead else self.names[::-1])
        interval = f"{percent(self.level)} interval {low:.3g} to {high:.3g}"
        if not self.told_apart:
            return (
                f"The data do not tell {first} and {second} apart: the difference in {self.score} is "
                f"{self.difference:.3g} ({interval}; {chance})."
            )
        return (
            f"{first} is better than {second} by {abs(self.difference):.3g} in {self.score} ({interval}); with "
            f"{chance}, this would be rare if they were equally good."
        )

    def __str__(self) -> str:
        df = "" if self.df is None else f", df = {self.df:g}"
        lines = [self.sentence, f"{self.method}: statistic = {self.statistic:.4g}{df}, p = {self.p:.3g}"]
        return "\n".join([*lines, *([f"careful: {self.note}"] if self.note else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            ["difference", f"{self.difference:.5g}"],
            [f"{percent(self.level)} interval", f"{self.low:.5g} to {self.high:.5g}"],
            [self.method, f"{self.statistic:.4g}" + ("" if self.df is None else f", df {self.df:g}")],
            ["p", f"{self.p:.3g}" + ("" if self.adjusted is None else f", adjusted {self.adjusted:.3g}")],
        ]
        rows += [["careful", self.note]] if self.note else []
        return html_table(["", " against ".join(map(short, self.names))], rows, self.sentence)


def compare(
    a: Any,
    b: Any = None,
    method: Method = "corrected",
    *,
    sizes: Any = None,
    truth: Any = None,
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
        For "corrected", with arrays: rows to learn from and rows to be judged on, of every or of each fold.
    truth : array, optional
        For "mcnemar": the true classes.
    score : int or str, default=0
        With a `CrossValidation`: which of its scores.
    level : float, default=0.95
        Of the interval; p of at most 1 - level tells the learners apart.
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
    The data do not tell a and b apart: the difference in accuracy is 0.167 (95 % interval -0.398 to 0.63; p = 1).
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
    if len(names) != 2:
        raise ValueError(f"names must be two, got {list(names)!r}")
    pair = (str(names[0]), str(names[1]))
    if method == "mcnemar":
        return _mcnemar(a, b, truth, level, pair)
    a, b = _scores("a", a), _scores("b", b)
    if a.shape != b.shape:
        raise ValueError(f"a and b must be scores on the same folds, but there are {a.shape} and {b.shape} of them")
    noise = NOISE * float(np.maximum(np.abs(a), np.abs(b)).max(initial=0.0))
    d = np.where(np.abs(a - b) <= noise, 0.0, a - b)
    if method == "5x2":
        return _five_by_two(d, sizes, level, pair, said)
    return _t_test(np.ravel(d), noise, method, sizes, level, pair, said)


@dataclass(frozen=True)
class Comparisons:
    """All pairs of learners, with p adjusted by Holm.

    Parameters
    ----------
    names : tuple of str
    pairs : tuple of Comparison
        In the order (0, 1), (0, 2), ..., (1, 2), ...

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.arange(200.0)[:, None] % 17
    >>> learners = {"1": tn.Ridge(1.0), "2": tn.Ridge(2.0), "1000": tn.Ridge(1000.0)}
    >>> found = tn.compare_all(tn.cross_validate(learners, X, X[:, 0] + np.sin(np.arange(200))))
    >>> [pair.better for pair in found.pairs]
    [None, '1', '2']
    """

    names: tuple[str, ...]
    pairs: tuple[Comparison, ...]

    def to_dict(self) -> dict[str, list[Any]]:
        """One row for each pair: ready for a frame."""
        fields = ("difference", "low", "high", "statistic", "p", "adjusted", "better")
        some: dict[str, list[Any]] = {"a": [c.names[0] for c in self.pairs], "b": [c.names[1] for c in self.pairs]}
        return {**some, **{field: [getattr(c, field) for c in self.pairs] for field in fields}}

    def _rows(self) -> list[list[str]]:
        return [
            [
                " against ".join(map(short, c.names)),
                f"{c.difference:.5g}",
                f"{c.low:.5g} to {c.high:.5g}",
                f"{c.p:.3g}",
                f"{c._p:.3g}",
                short(c.better) if c.better else "not told apart",
            ]
            for c in self.pairs
        ]

    def _head(self) -> list[str]:
        first = self.pairs[0]
        return ["pair", first.score, f"{percent(first.level)} interval", "p", "p (Holm)", "better"]

    def _note(self) -> str:
        many = f"{len(self.pairs)} pairs" if len(self.pairs) > 1 else "1 pair"
        return f"{many} by the {self.pairs[0].method}; each interval is of its pair alone"

    def __str__(self) -> str:
        return in_columns([self._head(), *self._rows()]) + "\n" + self._note()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._head(), self._rows(), self._note())


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of learners over several data sets, and how far apart two must be to differ.

    Parameters
    ----------
    names : tuple of str
    ranks : tuple of float
        Mean over the data sets; 1 is best.
    datasets : int
    statistic, df, p : float
        Friedman's χ², corrected for ties: how often equally good learners would be so far apart, or farther.
    critical : float
        Nemenyi's critical difference of two mean ranks.
    level : float

    Examples
    --------
    >>> import tenfold as tn
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5], [0.8, 0.7, 0.6], [0.9, 0.8, 0.7]]
    >>> found = tn.compare_all(scores, names=["forest", "tree", "stump"])
    >>> print(found)
    learner  mean rank
    forest   1
    tree     2.16667
    stump    2.83333
    Friedman's test over 6 data sets: χ² = 10.33, df = 2, p = 0.0057: the learners differ
    mean ranks differ if they are 1.353 apart (Nemenyi, 95 %); not told apart: forest and tree; tree and stump
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    datasets: int
    statistic: float
    df: int
    p: float
    critical: float
    level: float

    @property
    def order(self) -> list[int]:
        """Numbers of the learners, the best first."""
        return np.argsort(self.ranks, kind="stable").tolist()

    def told_apart(self, a: int | str, b: int | str) -> bool:
        """Whether Nemenyi's test tells two learners apart, given by number or name."""
        i, j = (place(one, self.names) for one in (a, b))
        return self.p <= 1 - self.level and abs(self.ranks[i] - self.ranks[j]) >= self.critical

    @property
    def cliques(self) -> list[list[int]]:
        """Largest sets of learners, the best first, that are not told apart from each other."""
        order = self.order
        found: list[list[int]] = []
        for at, first in enumerate(order):
            some = [one for one in order[at:] if not self.told_apart(first, one)]
            if len(some) > 1 and not any({*some} <= {*other} for other in found):
                found.append(some)
        return found

    def _notes(self) -> list[str]:
        differ = "the learners differ" if self.p <= 1 - self.level else "the data do not tell the learners apart"
        some = "; ".join(" and ".join(short(self.names[i]) for i in one) for one in self.cliques)
        return [
            f"Friedman's test over {self.datasets} data sets: χ² = {self.statistic:.4g}, df = {self.df}, "
            f"p = {self.p:.2g}: {differ}",
            f"mean ranks differ if they are {self.critical:.4g} apart (Nemenyi, {percent(self.level)})"
            + (f"; not told apart: {some}" if some else ""),
        ]

    def _rows(self) -> list[list[str]]:
        return [[short(self.names[i]), f"{self.ranks[i]:.6g}"] for i in self.order]

    def __str__(self) -> str:
        return "\n".join([in_columns([["learner", "mean rank"], *self._rows()]), *self._notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(["learner", "mean rank"], self._rows(), ". ".join(self._notes()))

    def plot(self, ax: Any = None) -> Any:
        """The critical-difference diagram: mean ranks on a line, a bar over those that are not told apart.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        ax : matplotlib axes
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plot needs matplotlib. Remedy: pip install 'tenfold[plot]'") from None
        k, cliques = len(self.names), self.cliques
        left = (k + 1) // 2
        depth = 0.35 * len(cliques) + 0.5
        if ax is None:
            height = 1.2 + 0.28 * (left + len(cliques))
            _, ax = plt.subplots(figsize=(7, height), layout="constrained")
        ax.plot([1, k], [0, 0], "-", color="black", lw=1)
        for rank in range(1, k + 1):
            ax.plot([rank, rank], [0, 0.12], "-", color="black", lw=1)
            ax.text(rank, 0.2, str(rank), ha="center", va="bottom")
        ax.plot([1, 1 + self.critical], [1.1, 1.1], "|-", color="black", lw=1.5)
        ax.text(1 + self.critical / 2, 1.2, f"critical difference {self.critical:.3g}", ha="center", va="bottom")
        for at, i in enumerate(self.order):
            best = at < left  # the better half is named on the left, the others on the right
            y = -(depth + 0.5 * (at if best else k - 1 - at))
            end = 0.9 if best else k + 0.1
            ax.plot([self.ranks[i], self.ranks[i], end], [0, y, y], "-", color=f"C{i % 10}", lw=1)
            text = f"{short(self.names[i])} ({self.ranks[i]:.3g})"
            ax.text(end, y, f"{text} " if best else f" {text}", ha="right" if best else "left", va="center")
        for at, some in enumerate(cliques):
            ends = [self.ranks[some[0]] - 0.03, self.ranks[some[-1]] + 0.03]
            ax.plot(ends, [-0.3 - 0.35 * at] * 2, "-", color="black", lw=4, solid_capstyle="butt", gid="clique")
        width = max(1.0, (k - 1) * 0.6)
        ax.set_xlim(1 - width, max(k, 1 + self.critical) + width)
        ax.set_ylim(-(depth + 0.5 * left), 1.8)
        ax.set_axis_off()
        return ax


def compare_all(
    results: Any,
    method: Literal["corrected", "paired", "5x2"] = "corrected",
    *,
    score: int | str = 0,
    level: float = 0.95,
    names: Sequence[str] | None = None,
) -> Any:
    """Compare several learners: all pairs on one data set, or their ranks over several.

    Parameters
    ----------
    results : CrossValidation; list or dict of them; or array of shape (datasets, learners)
        One `CrossValidation`: every pair is tested by `method`, and p is adjusted by Holm. Several, of the same
        learners on different data sets, or a table of scores, the greater the better: Friedman's test of the ranks,
        and Nemenyi's critical difference.
    method : {"corrected", "paired", "5x2"}, default="corrected"
        How to test a pair: see `compare`.
    score : int or str, default=0
        Which of the scores of a `CrossValidation`.
    level : float, default=0.95
    names : list of str, optional
        Of the learners, if a table is given.

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
    each = list(results.values()) if isinstance(results, Mapping) else results
    if isinstance(each, (list, tuple)) and any(isinstance(one, CrossValidation) for one in each):
        each, names = _means(each, score)
    return _friedman(each, names, level)


def holm(p: Sequence[float]) -> list[float]:
    """p of several tests, adjusted so that any of the false ones is found with a chance of no more than each says."""
    order = np.argsort(p, kind="stable")
    steps = np.asarray(p, dtype=float)[order] * np.arange(len(order), 0, -1)
    out = np.empty(len(order))
    out[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return out.tolist()


def short(name: str, most: int = 40) -> str:
    """A name that fits into a sentence."""
    return name if len(name) <= most else f"{name[: most - 3]}..."


def place(one: int | str, names: Sequence[str]) -> int:
    """The number of a learner, given by number or name."""
    if isinstance(one, str):
        if one not in names:
            raise ValueError(f"there is no learner {one!r}; there are {[short(n) for n in names]}")
        return list(names).index(one)
    if not isinstance(one, (int, np.integer)) or not -len(names) <= one < len(names):
        raise ValueError(f"there is no learner {one!r}; there are {len(names)}, counted from 0")
    return int(one) % len(names)


def in_columns(rows: list[list[str]]) -> str:
    """Rows of text, one below the other."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)


def which_score(score: int | str, scoring: Sequence[str]) -> int:
    """The number of a score, given by number or name."""
    if isinstance(score, str):
        if score not in scoring:
            raise ValueError(f"score={score!r} was not asked for; there are {list(scoring)}")
        return list(scoring).index(score)
    if not 0 <= score < len(scoring):
        raise ValueError(f"score={score} is not among the {len(scoring)} scores {list(scoring)}")
    return int(score)


def _of(cv: CrossValidation, pair: Any, score: int | str) -> tuple[Any, Any, Any, tuple[str, str], str]:
    """Scores of two learners, sizes, their names, and the name of the score."""
    chosen = (0, 1) if pair is None else pair
    if isinstance(chosen, (str, int)) or len(chosen) != 2:
        raise ValueError(f"b must be two learners of the CrossValidation, as (0, 1); got {pair!r}")
    i, j = (place(one, cv.names) for one in chosen)
    if i == j:
        raise ValueError(f"b names {short(cv.names[i])} twice: a learner is as good as itself")
    s = which_score(score, cv.scoring)
    return cv.scores[i, s], cv.scores[j, s], cv.sizes, (cv.names[i], cv.names[j]), cv.scoring[s]


def _scores(name: str, values: Any) -> Any:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, one for each fold") from None
    if not np.isfinite(found).all():
        where = int(np.flatnonzero(~np.isfinite(np.ravel(found)))[0])
        raise ValueError(
            f"{name} has no score in fold {where}: it is NaN or infinite. Remedy: fewer folds, or shuffle, so that "
            "every fold can be judged"
        )
    return found


def _share(sizes: Any, folds: int) -> float:
    """Rows judged to rows learned from, on average."""
    if sizes is None:
        raise ValueError(
            "sizes is needed to correct the variance: rows to learn from and to be judged on. Remedy: "
            "sizes=(90, 10), or sizes=cv.sizes, or give the CrossValidation itself"
        )
    found = np.atleast_2d(np.asarray(sizes, dtype=float))
    if found.shape[1:] != (2,) or len(found) not in (1, folds) or not (found > 0).all():
        raise ValueError(f"sizes must be (train, test) or one such pair for each of the {folds} folds, all above 0")
    return float((found[:, 1] / found[:, 0]).mean())


def _t_test(
    d: Any, noise: float, method: str, sizes: Any, level: float, names: tuple[str, str], score: str
) -> Comparison:
    k = len(d)
    if k < 2:
        raise ValueError("a and b must have two folds at least: one says nothing about the spread")
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
        note = "the difference is the same in every fold: its spread cannot be told"
    return _by_t(mean, error, k - 1, level, names, score, NAMES[method], note)


def _five_by_two(d: Any, sizes: Any, level: float, names: tuple[str, str], score: str) -> Comparison:
    five = np.ndim(d) == 1 and d.shape == (10,) and sizes is not None and _halves(sizes)
    if not five and np.shape(d) != (5, 2):
        raise ValueError(
            "method='5x2' needs five repeats of two folds: scores of shape (5, 2). Remedy: "
            "cross_validate(..., folds=2, shuffle=True, repeats=5)"
        )
    d = np.reshape(d, (5, 2))
    error = math.sqrt(float(((d[:, 0] - d[:, 1]) ** 2).sum() / 2) / 5)  # s² of two numbers is half their square
    note = f"the test takes the first of ten differences; their mean is {d.mean():.3g}"
    return _by_t(float(d[0, 0]), error, 5, level, names, score, NAMES["5x2"], note)


def _halves(sizes: Any) -> bool:
    """Whether ten splits are pairs that swap what they learn from and what they are judged on."""
    found = np.asarray(sizes)
    return found.shape == (10, 2) and bool((found[::2] == found[1::2, ::-1]).all())


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


def _mcnemar(a: Any, b: Any, truth: Any, level: float, names: tuple[str, str]) -> Comparison:
    if truth is None:
        raise ValueError("truth is needed for method='mcnemar': the true class of each row. Remedy: truth=y")
    truth, a, b = (np.asarray(one) for one in (truth, a, b))
    if truth.ndim != 1 or not len(truth) or a.shape != truth.shape or b.shape != truth.shape:
        raise ValueError(
            f"truth, a and b must be of the same rows, but have the shapes {truth.shape}, {a.shape} and {b.shape}"
        )
    right_a, right_b = a == truth, b == truth
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    both, differ = int((right_a & right_b).sum()), only_a + only_b
    df: float | None = None
    if differ < FEW:
        statistic, said = float(min(only_a, only_b)), "exact"
        p = float(stats.binomtest(only_a, differ).pvalue) if differ else 1.0
    else:
        statistic, said, df = max(0, abs(only_a - only_b) - 1) ** 2 / differ, "χ², corrected", 1
        p = float(special.chdtrc(1, statistic))
    table = [[both, only_a], [only_b, len(truth) - both - differ]]
    errors = difference_interval(table=table, level=level)
    method = f"{NAMES['mcnemar']} ({said}; {only_a} rows only {short(names[0])} got right, {only_b} only the other)"
    return Comparison(
        names, "accuracy", method, -errors.estimate, -errors.high, -errors.low, level, statistic, df, p,
        "it is of these two models; others, learned from other rows by the same learners, may differ",
    )  # fmt: skip


def _means(each: Sequence[Any], score: int | str) -> tuple[Any, list[str]]:
    """Mean scores of the same learners on several data sets, and their names."""
    for at, one in enumerate(each):
        if not isinstance(one, CrossValidation):
            raise ValueError(f"results[{at}] is no CrossValidation, but others are")
        if one.names != each[0].names:
            raise ValueError(
                f"results[{at}] has other learners than results[0]: {list(map(short, one.names))}. Remedy: judge the "
                "same learners, under the same names, on every data set"
            )
    return np.array([one.mean[:, which_score(score, one.scoring)] for one in each]), each[0].names


def _friedman(table: Any, names: Sequence[str] | None, level: float) -> Ranks:
    try:
        scores = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        scores = np.empty(0)
    if scores.ndim != 2 or min(scores.shape) < 2 or not np.isfinite(scores).all():
        raise ValueError(
            "results must be a CrossValidation, several of them, or a table of finite scores with two data sets (rows) "
            "and two learners (columns) at least"
        )
    n, k = scores.shape
    names = [str(j) for j in range(k)] if names is None else [str(one) for one in names]
    if len(names) != k:
        raise ValueError(f"names has {len(names)} entries, and results {k} columns")
    scale = NOISE * float(np.abs(scores).max()) or 1.0
    ranks = stats.rankdata(-np.rint(scores / scale), axis=1)  # what differs by rounding is a tie
    mean = ranks.mean(axis=0)
    spread = float(((ranks - (k + 1) / 2) ** 2).sum()) / (n * (k - 1))  # k (k + 1) / 12 without ties
    statistic = float(n * ((mean - (k + 1) / 2) ** 2).sum() / spread) if spread else 0.0
    q = float(stats.studentized_range.ppf(level, k, np.inf))
    critical = q * math.sqrt(k * (k + 1) / (12 * n))
    p = float(special.chdtrc(k - 1, statistic))
    return Ranks(tuple(names), tuple(mean.tolist()), n, statistic, k - 1, p, critical, level)
