"""What a comparison of learners found: two of them, or all pairs of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenfold.model_selection.formatting import ResultTable, html_table, percent, short
from tenfold.theory.checks import positive


@dataclass(frozen=True)
class Comparison:
    """Two learners, how far they are apart, and what chance alone would do.

    Parameters
    ----------
    names : (str, str)
        Names of the learners in printed results.
    score : str
        What they were scored by, the greater the better.
    method : str
        The test.
    difference : float
        The score of the first minus that of the second.
    low, high : float
        The ends of the interval for the difference.
    level : float
        Of the interval; the two differ significantly if p is at most one less this.
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
    >>> found.significant, found.better
    (True, 'new')
    >>> found.within(0.01), found.within(0.1)
    (False, True)
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
    def significant(self) -> bool:
        """Whether the two differ significantly: p, adjusted where there are several pairs, is at most 1 - level."""
        return self._p <= 1 - self.level

    @property
    def better(self) -> str | None:
        """Name of the better one; None if they are not significantly different."""
        if not self.significant:
            return None
        return self.names[0] if self.difference > 0 else self.names[1]

    def within(self, margin: float) -> bool:
        """Whether the two are shown to be as good as each other, but for a margin that does not matter.

        They are if the whole interval lies between minus the margin and the margin: two one-sided tests, each at
        (1 - level) / 2. That two are not significantly different shows nothing of the kind: the interval may be wide.

        Parameters
        ----------
        margin : float
            The largest difference that makes no difference; choose it before looking.
        """
        margin = positive("margin", margin)
        return -margin < self.low and self.high < margin

    @property
    def _p(self) -> float:
        return self.p if self.adjusted is None else self.adjusted

    @property
    def sentence(self) -> str:
        """Result of the comparison in one sentence."""
        chance = f"p = {self._p:.2g}" + ("" if self.adjusted is None else ", adjusted for the other pairs")
        ahead = not self.significant or self.difference > 0
        low, high = (self.low, self.high) if ahead else (-self.high, -self.low)
        first, second = map(short, self.names if ahead else self.names[::-1])
        interval = f"{percent(self.level)} interval {low:.3g} to {high:.3g}"
        if not self.significant:
            return (
                f"{first} and {second} are not significantly different: the difference in {self.score} is "
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


@dataclass(frozen=True, repr=False)
class Comparisons(ResultTable):
    """All pairs of learners, with p adjusted by Holm.

    Parameters
    ----------
    names : tuple of str
        Names of the learners in printed results.
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
        """Columns of a table with one row for each pair of learners."""
        rows = [
            {
                "a": c.names[0], "b": c.names[1], "difference": c.difference, "low": c.low, "high": c.high,
                "statistic": c.statistic, "p": c.p, "adjusted": c.adjusted, "better": c.better,
            }
            for c in self.pairs
        ]  # fmt: skip
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _rows(self) -> list[list[str]]:
        return [
            [
                " against ".join(map(short, c.names)),
                f"{c.difference:.5g}",
                f"{c.low:.5g} to {c.high:.5g}",
                f"{c.p:.3g}",
                f"{c._p:.3g}",
                short(c.better) if c.better else "not significantly different",
            ]
            for c in self.pairs
        ]

    def _head(self) -> list[str]:
        first = self.pairs[0]
        return ["pair", first.score, f"{percent(first.level)} interval", "p", "p (Holm)", "better"]

    def _note(self) -> str:
        many = f"{len(self.pairs)} pairs" if len(self.pairs) > 1 else "1 pair"
        return f"{many} by the {self.pairs[0].method}; each interval is of its pair alone"
