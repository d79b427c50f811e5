"""Which level of a key predicts best: scores of held-out rows, by cell and in all, with intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import stats

from tenfold.core import Array, Codes, DataError, Need
from tenfold.engine import Session
from tenfold.engine.cells.keys import Missing, changes, hashes_of
from tenfold.estimator import Classifier
from tenfold.models.cross_validation.held_out_losses import HeldOut, ScoreFolds, from_summaries, with_parents
from tenfold.models.cross_validation.training_cells import training_level
from tenfold.models.cube_level import CubeLevel, beside


class LevelScores:
    """Losses on held-out rows of the models of each cell and of coarser keys.

    Parameters
    ----------
    by : tuple of str
        The columns of the key.
    measure : str
        "mean_squared_error", or "error_rate" of classifiers.
    cells : Table
        The key of each cell, sorted.
    weight : array of shape (cells, folds)
        Of the rows of each fold.
    loss : array of shape (levels, cells, folds)
        Sums of losses by level: row m is that of the first m columns of the key.

    Attributes
    ----------
    best : array of shape (cells,)
    best_level : int

    See Also
    --------
    Cube : Whose `cv` makes them.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> store = np.arange(90) % 3
    >>> sales = pd.DataFrame({"store": store, "size": np.arange(90.0) % 7})
    >>> sales["price"] = sales["size"] * store
    >>> cube = tn.Cube(tn.LinearRegression(), by="store", cv=3).fit(tn.scan(sales, target="price"))
    >>> cube.cross_validation_.best_level, cube.cross_validation_.best.tolist()
    (1, [1, 1, 1])
    """

    def __init__(self, by: tuple[str, ...], measure: str, cells: pa.Table, weight: Array, loss: Array) -> None:
        self.by, self.measure, self.cells, self.weight, self.loss = by, measure, cells, weight, loss

    def __repr__(self) -> str:
        means, low, high = self.overall()
        lines = [
            f"{', '.join(self.by[:m]) or 'all rows'}: {means[m]:.4g}, 95 % interval {low[m]:.4g} to {high[m]:.4g}"
            for m in range(len(means))
        ]
        return "\n".join([f"{self.measure} of held-out rows in {self.weight.shape[1]} folds, by the models of", *lines])

    @property
    def best(self) -> Codes:
        """How many columns of the key have the model that predicts the rows of each cell best; the fewest of equals."""
        total = self.loss.sum(axis=2)
        found: Codes = np.where(np.isnan(total), np.inf, total).argmin(axis=0)
        return found

    @property
    def best_level(self) -> int:
        """The number of columns of the key whose models predict all rows best."""
        return int(self.overall()[0].argmin())

    def overall(self, level: float = 0.95) -> tuple[Array, Array, Array]:
        """Return the mean loss over all rows by each level, with the ends of its interval.

        Parameters
        ----------
        level : float, default=0.95
            Of the intervals.

        Returns
        -------
        mean, low, high : array of shape (levels,)
        """
        weight = np.where(np.isnan(self.loss).any(axis=0), 0.0, self.weight)
        loss = np.where(weight > 0, self.loss, 0.0)
        return self._intervals(weight.sum(axis=0), loss.sum(axis=1), level)

    def of_cells(self, level: float = 0.95) -> tuple[Array, Array, Array]:
        """Return the mean loss of the rows of each cell by each level, with the ends of its interval.

        Parameters
        ----------
        level : float, default=0.95
            Of the intervals.

        Returns
        -------
        mean, low, high : array of shape (levels, cells)
        """
        return self._intervals(self.weight, self.loss, level)

    def _intervals(self, weight: Array, loss: Array, level: float) -> tuple[Array, Array, Array]:
        """Return the means of losses over the last axis, that of folds, with their corrected t-intervals.

        Folds share most of what they learn from: the variance is corrected as Nadeau and Bengio propose. Folds without
        rows are left out; of fewer than two the ends are NaN. Neither measure is below zero, and no rate above one.
        """
        there = weight > 0
        k, total = there.sum(axis=-1), weight.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(there, loss, 0.0).sum(axis=-1) / total
            each = np.where(there, loss / weight, 0.0)
            middle = each.sum(axis=-1) / k
            spread = (np.where(there, each - middle[..., None], 0.0) ** 2).sum(axis=-1) / (k - 1)
            half = stats.t.isf((1 - level) / 2, np.maximum(k - 1, 1)) * np.sqrt(spread * (1 / k + 1 / (k - 1)))
            half = np.where(k > 1, half, np.nan)
        most = 1.0 if self.measure == "error_rate" else np.inf
        return means, np.maximum(means - half, 0.0), np.minimum(means + half, most)

    def beside_cells(self, table: pa.Table) -> pa.Table:
        """Return the table of the cells with the score of the model of each, its interval and its best level.

        Parameters
        ----------
        table : Table
            A row for each cell, in the order of the keys.

        Returns
        -------
        table : Table
        """
        means, low, high = (values[-1] for values in self.of_cells())
        named = ((self.measure, means), ("low", low), ("high", high), ("best_level", self.best))
        for name, column in named:
            table = table.append_column(beside(name, table.column_names), pa.array(column))
        return table

    def table(self, level: float = 0.95) -> pa.Table:
        """Return a row for each cell and level, with the mean loss and its interval.

        Parameters
        ----------
        level : float, default=0.95
            Of the intervals.

        Returns
        -------
        table : Table
        """
        means, low, high = self.of_cells(level)
        many = len(self.loss)
        cell, number = np.repeat(np.arange(len(self.cells)), many), np.tile(np.arange(many), len(self.cells))
        found: dict[str, Any] = {name: self.cells[name].take(pa.array(cell)) for name in self.cells.column_names}
        best = self.best
        for name, column in (
            ("level", number),
            (self.measure, means.T.ravel()),
            ("low", low.T.ravel()),
            ("high", high.T.ravel()),
            ("best", best[cell] == number),
        ):
            found[beside(name, found)] = pa.array(column)
        return pa.table(found)


def scores_of(folded: CubeLevel, session: Session, folds: int, need: Need, missing: Missing) -> LevelScores:
    """Score the models of each level on held-out rows.

    Parameters
    ----------
    folded : CubeLevel
        Cells by key and fold.
    session : Session
        For one more scan, unless the losses can be read off the summaries.
    folds : int
        How many folds rows were dealt to; 0: they are a column.
    need : Need
        How rows are read, with the columns of the key aside.
    missing : {"error", "cell"}
        What becomes of rows that miss a key.
    """
    *by, fold = folded.names
    levels = [folded, *(folded.rolled_up((*by[:m], fold)) for m in range(len(by) - 1, -1, -1))]
    training = [training_level(level) for level in levels]
    if not training[-1].models.solved.any():
        raise DataError(
            "no model can be made of all folds but one: "
            f"{next(iter(training[-1].models.reasons.values()), 'there are no rows')}. Remedy: more folds, or more rows"
        )
    found = from_summaries(folded, training)
    if found is None:
        scored = np.ones(len(folded), bool)
        for some, summaries in folded.cells.batches():
            scored[some.start + np.array(list(summaries.reasons), dtype=np.int64)] = False
        bare = CubeLevel(
            folded.learner,
            folded.schema,
            folded.names,
            replace(folded.cells, found=None, pieces=()),
            folded.origin,
            True,
        )
        found = session.reduce(ScoreFolds(need, bare, tuple(training), scored, folds, missing))
    return _by_cell(folded, found)


def _by_cell(folded: CubeLevel, found: HeldOut) -> LevelScores:
    """Arrange losses by cell and fold, the coarsest level first."""
    *by, fold = folded.names
    order, values = folded.in_order, folded.keys.values
    columns = [values[name].combine_chunks().take(pa.array(order)) for name in by]
    starts = changes(hashes_of(columns, by, "cell", len(order))[0])  # by key, then by fold
    cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    each = hashes_of([values[fold].combine_chunks().take(pa.array(order))], [fold], "cell", len(order))[0]
    folds = np.unique(each, return_inverse=True)[1]
    shape = len(starts), int(folds.max()) + 1
    weight, loss = np.zeros(shape), np.zeros((len(found.loss), *shape))
    weight[cell, folds] = found.weight[order]
    loss[:, cell, folds] = with_parents(found.loss)[::-1, order]
    measure = "error_rate" if isinstance(folded.learner, Classifier) else "mean_squared_error"
    cells = pa.table([column.take(pa.array(starts)) for column in columns], names=by)
    return LevelScores(tuple(by), measure, cells, weight, loss)
