"""What permutation importance has found: a table, with how sure it is of rows and of repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from tenfold.core import Array, Codes
from tenfold.core.certificate import number_of
from tenfold.model_selection.formatting import ByKey, ResultTable, percent, positive_note, short

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportance(ByKey, ResultTable):
    """Decrease of a score when the values of a column are permuted, for each column.

    Attributes
    ----------
    names : list of str
        The columns, or several joined, as they were asked for.
    importances : array of shape (columns, repeats)
        Score on the unchanged rows, minus the score with permuted values, for each repeat.
    importances_mean, importances_std : array of shape (columns,)
        Over the repeats.
    interval : array of shape (columns, 2)
        For the importance on all rows of the kind that these were drawn from, if they are independent: each column's
        by itself, by the spread from unit to unit of rows. NaN if the score has no value without some unit.
    repeats_interval : array of shape (columns, 2)
        For the importance on these same rows if each of them had the values of every donor, by the spread from repeat
        to repeat. It says nothing about other rows.
    level : float
        Of both.
    score : float
        Score on the unchanged rows.
    scoring : str
    rows, units : int
        Rows scored, and units they were dealt to.
    share : float
        What repeats leave out by being within units: the mean of two over the donors of a row's unit.
    scans : int
        Of the source.
    within : {"source", "part"}
        Whose values rows were given.
    training_share : float
        Share of these rows that are known to be training rows of the model: see `certify`.
    pos_label : optional
        The class that a score of two classes, such as f1, takes for the positive one.
    """

    names: list[str]
    importances: Array
    interval: Array
    level: float
    score: float
    scoring: str
    rows: int
    units: int
    share: float
    scans: int
    within: str
    training_share: float
    pos_label: object = None

    @property
    def importances_mean(self) -> Array:
        """The mean over the repeats, of each column."""
        mean: Array = self.importances.mean(axis=1)
        return mean

    @property
    def importances_std(self) -> Array:
        """Standard deviation over the repeats, as scikit-learn has it."""
        std: Array = self.importances.std(axis=1)
        return std

    @property
    def repeats_interval(self) -> Array:
        """The ends for what these rows would give with every donor for each of them.

        A repeat has one donor for each row. Repeats in any number never leave the units: what is left out by that
        varies as a repeat does, times `share`.
        """
        n = self.importances.shape[1]
        if n < 2:
            return np.full((len(self.names), 2), np.nan)
        times = float(special.stdtrit(n - 1, (1 + self.level) / 2)) * np.sqrt(1 / n + self.share)
        half = times * self.importances.std(axis=1, ddof=1)
        return np.column_stack([self.importances_mean - half, self.importances_mean + half])

    def to_pandas(self) -> DataFrame:
        """Importances as a DataFrame, the greatest first."""
        import pandas as pd

        ends, again = self.interval, self.repeats_interval
        table = {
            "importance": self.importances_mean, "low": ends[:, 0], "high": ends[:, 1], "repeats_low": again[:, 0],
            "repeats_high": again[:, 1],
        }  # fmt: skip
        return pd.DataFrame(table, index=self.names).iloc[self._order]

    @property
    def _order(self) -> Codes:
        return np.argsort(-self.importances_mean, kind="stable")

    def _rows(self) -> list[list[str]]:
        known = [ends for ends, _ in self._known]
        mean = self.importances_mean
        return [[short(self.names[j]), f"{mean[j]:.5g}", *(_ends(ends[j]) for ends in known)] for j in self._order]

    def _head(self) -> list[str]:
        return ["column", f"drop in {self.scoring}", *(f"{percent(self.level)}, {what}" for _, what in self._known)]

    @property
    def _known(self) -> list[tuple[Array, str]]:
        """The intervals that some column has, and what each is about."""
        both = (self.interval, "other rows"), (self.repeats_interval, "other repeats")
        return [(ends, what) for ends, what in both if not np.isnan(ends).any(axis=1).all()]

    def _note(self) -> str:
        whose = "other rows" if self.within == "source" else "other rows of the same part"
        text = (
            f"{self.scoring} = {self.score:.5g} of {number_of(self.rows, 'row')}; each column was given values of "
            f"{whose} {number_of(self.importances.shape[1], 'time')}"
        )
        if self.importances.shape[1] == 1:
            text += ", so how far other repeats differ is not known"
        text += positive_note([self.scoring], self.pos_label)
        if self.training_share:
            text += (
                ". The model was trained on these rows, so the importances show what it relies on, not what improves "
                "predictions for new rows"
            )
        return text


def _ends(pair: Array) -> str:
    return "not known" if np.isnan(pair).any() else f"{pair[0]:.5g} to {pair[1]:.5g}"
