"""A cube of class tables whose cells are pooled in part: rates, and categories within classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy import stats

from tenfold.core import Array, Certificate, Claim, Codes, Labels, MatrixLike, Provenance, Schema
from tenfold.estimator.shell.constraints import class_prior
from tenfold.estimator.shell.kinds import winners
from tenfold.estimator.summary_table import Summary
from tenfold.models.cube_level import CubeLevel
from tenfold.models.pooling.dirichlet import PooledCounts, pool_counts
from tenfold.models.pooling.pooled_keys import (
    PooledKeys,
    chunks_with_places,
    key_levels,
    numbers_of_cells,
    provenance_of,
)
from tenfold.naive_bayes.categorical_nb import add_log_shares, places
from tenfold.sources.expressions.computed_columns import Computed
from tenfold.stats.counts.counts import CountsByClass


class PooledTable(NamedTuple):
    """One cell of pooled tables."""

    class_prior: Array
    feature_prob: list[Array]
    """classes x categories of each column; none, if the cube has rates alone"""
    shrinkage: float
    """of the rates of the classes: 0, the cell's own; 1, the parent's"""
    rows: int


class Shares(NamedTuple):
    """Shares of the population, and of the cells of each level, the finest first."""

    population: Array
    levels: list[PooledCounts]


@dataclass(frozen=True, eq=False, repr=False)
class PooledTables:
    """Class tables of a cube's cells, partially pooled: made by `Cube.pool`, and not changed afterwards.

    The rates of the classes in a cell, and of the categories within each class, are drawn from a Dirichlet distribution
    around those of its parent (a coarser key, or the population); of two classes, from a Beta distribution. How near to
    the parent, its concentration, has the largest likelihood of the counts of all cells.

    Attributes
    ----------
    classes_ : array
    class_prior_ : array of shape (classes,)
        The rates of the population.
    components_ : pyarrow.Table
        The concentration of each table at each level of the key: how many rows the parent is worth. Infinite: the cells
        do not differ.
    certificate_ : Certificate

    See Also
    --------
    Cube.pool : Makes it.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> store = rng.integers(0, 50, 600)
    >>> sales = pd.DataFrame({"store": store, "size": 1.0, "back": rng.random(600) < rng.beta(2, 8, 50)[store]})
    >>> cube = tn.Cube(tn.DummyClassifier(), by="store").fit(tn.scan(sales, target="back"))
    >>> pooled = cube.pool()
    >>> pooled.components_.to_pandas().round(1)
         key column class  concentration
    0  store                         7.2
    >>> pooled.predict_proba(pd.DataFrame({"store": [0, 99], "size": 1.0})).round(2)
    array([[0.77, 0.23],
           [0.84, 0.16]])
    """

    _rates: Shares
    _values: Shares | None
    _levels: tuple[PooledKeys, ...]
    _learner: Any
    _schema: Schema
    _computed: Computed
    _origin: Provenance

    @property
    def classes_(self) -> Labels:
        """The classes."""
        found: Labels = self._schema.classes
        return found

    @property
    def class_prior_(self) -> Array:
        """The rates of the classes in the population."""
        return self._rates.population[0, 0].copy()

    def __repr__(self) -> str:
        """Say what is pooled; `summary()` shows the estimates."""
        return (
            f"<PooledTables: {self._origin.rows:,} rows; cells: {numbers_of_cells(self._levels)}; "
            f"{len(self.classes_):,} classes; summary() shows the estimates>"
        )

    def __len__(self) -> int:
        return len(self._levels[0].keys)

    @cached_property
    def components_(self) -> pa.Table:
        """The concentration of each table at each level of the key."""
        found: list[tuple[str, str, str, float]] = []
        for level in range(len(self._levels) - 1, -1, -1):
            key = self._levels[level].names[-1]
            found.append((key, "", "", float(self._rates.levels[level].concentration[0, 0])))
            for c, label in enumerate(self.classes_.tolist() if self._values else ()):
                each = self._values.levels[level].concentration[c].tolist()  # type: ignore[union-attr]
                found += [(key, name, str(label), m) for name, m in zip(self._schema.names, each, strict=True)]
        return pa.table(dict(zip(("key", "column", "class", "concentration"), zip(*found), strict=True)))

    def summary(self) -> Summary:
        """Return a table of the concentrations, the rates of the population, and the claims of the certificate.

        Returns
        -------
        summary : Summary
            Print it, or show it in a notebook.
        """
        rates = zip(self.classes_.tolist(), self.class_prior_.tolist(), strict=True)
        facts = (
            f"{self._origin.rows:,} rows; cells: {numbers_of_cells(self._levels)}",
            "rates of the population: " + ", ".join(f"{label} {rate:.6g}" for label, rate in rates),
        )
        header = ("key", "column", "class", "concentration")
        rows = tuple((*row[:3], f"{row[3]:.6g}") for row in zip(*self.components_.to_pydict().values(), strict=True))
        notes = (
            ("How far this can be trusted", tuple(f"{claim}." for claim in self.certificate_.claims)),
            ("A concentration is", (
                "how many rows the parent of a cell is worth: infinite, if the cells do not differ",
                "of the rates of the classes, where no column is named, or of the categories of a column in a class",
            )),
        )  # fmt: skip
        return Summary("PooledTables: class tables by empirical Bayes", facts, header, rows, notes)

    def __getitem__(self, key: Any) -> PooledTable:
        """Return a cell; of the first columns of the key, the cell of that coarser key.

        Parameters
        ----------
        key : value, or tuple of values
        """
        key = key if isinstance(key, tuple) else (key,)
        if not 0 < len(key) <= len(self._levels):
            raise KeyError(f"a key has 1 to {len(self._levels)} values, {list(self._levels[0].names)}, not {len(key)}")
        level = len(self._levels) - len(key)
        place = self._levels[level].place(key)
        if place < 0:
            raise KeyError(f"there is no cell {key if len(key) > 1 else key[0]!r}; `table()` lists all")
        rates, shares = self._rates.levels[level], []
        if self._values is not None:
            shares = [self._values.levels[level].share[place][:, some] for some in places(self._schema.levels)]
        rows = int(self._levels[level].rows[place])
        return PooledTable(rates.share[place, 0], shares, float(rates.shrinkage[place, 0, 0]), rows)

    def table(self, *by: str, level: float = 0.95) -> pa.Table:
        """Return a row for each cell, in the order of the keys: the rates of the classes, with intervals.

        Parameters
        ----------
        *by : str
            The first columns of the key, for the cells of a coarser key; by default all.
        level : float, default=0.95
            Of the intervals, which are quantiles of the rates given the rows.

        Returns
        -------
        table : pyarrow.Table
            The key, the number of rows, for each class `rate_...`, `low_...` and `high_...`, and `shrinkage`: 0, the
            cell's own rates; 1, the parent's.
        """
        names = by or self._levels[0].names
        if names != self._levels[0].names[: len(names)]:
            raise ValueError(f"by must be the first columns of the key {list(self._levels[0].names)}, not {list(by)}")
        at = len(self._levels) - len(names)
        keys, rates = self._levels[at], self._rates.levels[at]
        order = keys.in_order
        found: dict[str, Any] = {name: keys.keys.values[name].take(pa.array(order)) for name in names}
        found["rows"] = keys.rows[order]
        share, worth = rates.share[order, 0], rates.total[order, 0, 0] + rates.concentration[0, 0]
        low, high = _ends(share, worth, level)
        for c, label in enumerate(self.classes_.tolist()):
            found |= {f"rate_{label}": share[:, c], f"low_{label}": low[:, c], f"high_{label}": high[:, c]}
        found["shrinkage"] = rates.shrinkage[order, 0, 0]
        return pa.table(found)

    # ---- rows --------------------------------------------------------------------------------------

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class for each row, by its cell; of an unseen cell, by its parent.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.

        Returns
        -------
        share : array of shape (rows, classes)
        """
        scores = self._scores(X)
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(share / share.sum(axis=1, keepdims=True))

    def predict(self, X: MatrixLike) -> Labels:
        """Predict the most probable class of each row, by its cell; of an unseen cell, by its parent.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.

        Returns
        -------
        y : array of shape (rows,)
        """
        return np.asarray(self.classes_[winners(self._scores(X))])

    def predict_interval(self, X: MatrixLike, level: float = 0.95) -> Array:
        """Intervals of the rates of the classes in the cell of each row; wider in an unseen cell.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the key.
        level : float, default=0.95

        Returns
        -------
        ends : array of shape (rows, classes, 2)
        """
        found = []
        for chunk, at in chunks_with_places(X, self._learner, self._schema, self._levels, self._computed):
            share = np.empty((chunk.n, len(self.classes_)))
            worth = np.empty(chunk.n)
            for depth, rows, cells in _by_depth(at, chunk.n):
                share[rows] = self._shares(self._rates, depth)[cells, 0]
                finer = self._rates.levels[depth - 1].concentration[0, 0] if depth else np.inf
                own = self._rates.levels[depth] if depth < len(at) else None
                known = np.inf if own is None else own.total[cells, 0, 0] + own.concentration[0, 0]
                with np.errstate(divide="ignore"):
                    worth[rows] = 1 / (1 / finer + 1 / known)  # variances of both add up
            found.append(np.stack(_ends(share, worth, level), axis=-1))
        return np.concatenate(found)

    def _scores(self, X: MatrixLike) -> Array:
        """Log-probabilities of the classes, up to a constant of the row."""
        found = []
        for chunk, at in chunks_with_places(X, self._learner, self._schema, self._levels, self._computed):
            out = np.empty((chunk.n, len(self.classes_)))
            for depth, rows, cells in _by_depth(at, chunk.n):
                with np.errstate(divide="ignore"):
                    some = np.maximum(np.log(self._shares(self._rates, depth)[cells, 0]), LEAST_LOG)
                    if self._values is not None:
                        log_share = np.maximum(np.log(self._shares(self._values, depth)), LEAST_LOG)
                        add_log_shares(chunk.X.rows(rows), self._schema.levels, cells, log_share, some)
                out[rows] = some
            found.append(out)
        return np.concatenate(found)

    def _shares(self, shares: Shares, depth: int) -> Array:
        """Shares of the cells of a level, or of the population."""
        return shares.levels[depth].share if depth < len(self._levels) else shares.population

    # ---- how far it can be trusted -----------------------------------------------------------------

    @cached_property
    def certificate_(self) -> Certificate:
        """Convergence, tables whose cells do not differ, and how far cells were drawn to their parents."""
        return Certificate(tuple(self._claims()), self._origin)

    def _claims(self) -> Iterator[Claim]:
        each = [one for shares in (self._rates, self._values) if shares for one in shares.levels]
        inner = [one.slope[(one.concentration > 0) & np.isfinite(one.concentration)] for one in each]
        slope = float(np.abs(np.concatenate(inner)).max(initial=0.0))
        why = "the largest derivative of the log-likelihood by the logarithm of a concentration that is finite"
        yield Claim("gradient", slope, "estimated", why, "objective")
        if endless := sum(int(np.isinf(one.concentration).sum()) for one in each):
            why = "tables whose cells vary no more than counts of equal shares do: they are pooled completely"
            yield Claim("boundary", float(endless), "estimated", why, "data")
        for keys, rates in zip(self._levels, self._rates.levels, strict=True):
            why = f"the median over the cells of {keys.names[-1]!r}, of the rates of the classes: 1, the parent's"
            median = float(np.median(rates.shrinkage))
            yield Claim(
                "shrinkage", median, "estimated", why, "data", "rates of cells are drawn from a Dirichlet distribution"
            )


LEAST_LOG = float(np.log(np.finfo(float).tiny))
"""stands for the logarithm of zero"""


def _by_depth(at: list[Codes], rows: int) -> Iterator[tuple[int, Codes, Codes]]:
    """Yield levels with the rows whose finest cell is there, and these cells; the last is the population."""
    left = np.ones(rows, bool)
    for depth, cells in enumerate([*at, np.zeros(rows, np.int64)]):
        there = np.flatnonzero(left & (cells >= 0))
        if len(there):
            yield depth, there, cells[there]
        left[there] = False


def _ends(share: Array, worth: Array, level: float) -> tuple[Array, Array]:
    """Ends of intervals of shares that are worth so many rows: quantiles of Beta distributions."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, but must be between 0 and 1")
    spread = np.isfinite(worth)[:, None] & (share > 0) & (share < 1)
    a = np.where(spread, share * np.where(np.isfinite(worth), worth, 1.0)[:, None], 1.0)
    b = np.where(spread, (1 - share) * np.where(np.isfinite(worth), worth, 1.0)[:, None], 1.0)
    low, high = (stats.beta.ppf(q, a, b) for q in ((1 - level) / 2, (1 + level) / 2))
    return np.where(spread, low, share), np.where(spread, high, share)


def pool_tables(level: CubeLevel) -> PooledTables:
    """Pool the tables of a cube, from their counts."""
    learner, cells = level.learner, level.cells
    levels, parents = key_levels(cells, level.names)
    found = cells.summaries
    weight = found.stack.weight.copy()
    weight[list(found.reasons)] = 0.0
    classes = weight.shape[1]
    population, rates = pool_counts(weight[:, None], parents, [slice(0, classes)], 0.0)
    if getattr(learner, "class_prior", None) is not None or not getattr(learner, "fit_prior", True):
        population[0, 0] = class_prior(learner.class_prior, np.ones(classes))
        for one in rates:
            one.share[:], one.concentration[:] = population, np.inf
    values = None
    if isinstance(cells.summing.asked, CountsByClass):
        count = found.stack.count.copy()
        count[list(found.reasons)] = 0.0
        values = Shares(*pool_counts(count, parents, places(level.schema.levels), float(learner.alpha)))
    return PooledTables(
        Shares(population, rates), values, levels, learner, level.schema, level.origin.computed, provenance_of(level)
    )
