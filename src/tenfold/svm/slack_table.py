"""The slack of each row of a support vector machine: by how much it misses the margin of its own side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Labels

CASES = ("on or outside the margin", "inside the margin", "on the wrong side")
"""slack 0; up to 1; above 1"""
SHOWN = 20
"""rows that a printed table has"""


class SlackTable(NamedTuple):
    """Slack ξ = max(0, 1 - y f(x)) of each row of one machine, and which of the three cases it is.

    Attributes
    ----------
    row : array of shape (rows,)
        Their numbers in the source.
    target : array of shape (rows,)
        1 for rows of the class that has f > 0, -1 for the others.
    value : array of shape (rows,)
        f(x).
    slack : array of shape (rows,)
        ξ. A row on the edge of the margin has 0 up to the tolerance of the fit.
    alpha : array of shape (rows,)
        Dual variable: 0 of a row that is no support vector, the price of the row where ξ > 0.
    case : array of shape (rows,)
        0: ξ = 0, on its own side, on the edge of the margin or outside it; 1: 0 < ξ ≤ 1, on its own side (or on the
        plane), inside the margin; 2: ξ > 1, on the wrong side.

    Examples
    --------
    >>> from tenfold import SVC
    >>> model = SVC(kernel="linear", C=0.5).fit([[0.0], [1.0], [2.0], [3.0], [1.1]], [0, 0, 1, 1, 1])
    >>> model.slack_table().case.tolist()
    [0, 1, 0, 0, 1]
    """

    row: Codes
    target: Array
    value: Array
    slack: Array
    alpha: Array
    case: Codes

    @classmethod
    def of(cls, row: Codes, target: Array, value: Array, alpha: Array, tol: float) -> SlackTable:
        """The table of rows with these values of f; slack up to `tol` counts as none."""
        slack = np.maximum(0.0, 1.0 - target * value)
        case = np.where(slack <= tol, 0, np.where(slack <= 1.0, 1, 2))
        return cls(row, target, value, slack, alpha, case)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows each of the cases has."""
        return dict(zip(CASES, np.bincount(self.case, minlength=3).tolist(), strict=True))

    @property
    def words(self) -> Labels:
        """The case of each row in words."""
        return np.array(CASES, dtype=object)[self.case]

    def __str__(self) -> str:
        lines = [f"{'row':>7}  {'y':>2}  {'f(x)':>10}  {'slack':>10}  {'alpha':>10}  case"]
        for row, target, value, slack, alpha, case in list(zip(*self, strict=True))[:SHOWN]:
            lines.append(f"{row:>7}  {target:>2.0f}  {value:>10.4f}  {slack:>10.4f}  {alpha:>10.4g}  {CASES[case]}")
        if len(self.row) > SHOWN:
            lines.append(f"... and {len(self.row) - SHOWN:,} rows more")
        return "\n".join(lines)
