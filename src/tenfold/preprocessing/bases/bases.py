"""Basis functions of each value (or row) around centres that come from merged summaries."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Codes, Columns, DataError, Need, Schema
from tenfold.estimator import OnePass, Transformer
from tenfold.estimator.shell.constraints import array, choice, integer, real, seed
from tenfold.stats.moments.extremes import Extremes, ExtremesByColumn
from tenfold.stats.rows.weighted_sample import Race
from tenfold.stats.trees.binned import RowSample


class BasisModel(NamedTuple):
    """Centres and gamma of the functions of each column."""

    centers: Annotated[Array, "center", "column"]
    gamma: Annotated[Array, "column"]


class Basis(OnePass, Transformer):
    """Base of basis expansions: given or estimated centres, and functions of one column each."""

    need = Need("numeric")
    short: ClassVar[str]
    """in the names of the outputs"""
    law_params = ({}, {"spacing": "grid", "centers": 3})

    centers: Annotated[int | ArrayLike, integer(1), array] = 5
    gamma: Annotated[float | str, choice("auto"), real(0, open=True)] = "auto"
    spacing: Annotated[str, choice("quantiles", "grid")] = "quantiles"
    random_state: Annotated[int | None, seed] = 0

    @property
    def _center_counts(self) -> int | None:
        """How many centres are to be found for each column; None: they were given."""
        return int(self.centers) if isinstance(self.centers, (int, np.integer)) else None

    def _given_centers(self, schema: Schema) -> Array:
        """The centres that were given; ValueError if they do not fit the columns."""
        found, p = np.array(self.centers, dtype=np.float64), len(schema.columns)
        if found.ndim != 2 or found.shape[1] != p or not len(found):
            raise ValueError(f"centers have the shape {found.shape}; for {p} columns it must be (centers, {p})")
        if not np.isfinite(found).all():
            raise ValueError("centers contain NaN or infinity")
        return found

    def statistic(self, schema: Schema) -> RowSample | ExtremesByColumn:
        if self._center_counts is None:
            self._given_centers(schema)
        sampled = self._center_counts is not None and self.spacing == "quantiles"
        return RowSample(self.random_state) if sampled else ExtremesByColumn()

    def solve(self, schema: Schema, s: Race | Extremes) -> BasisModel:
        k = self._center_counts
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if k is None:
                found = self._given_centers(schema)
            elif isinstance(s, Race):
                found = _quantiles(*s.sample(), k)
            else:
                share = np.linspace(0, 1, k)[:, None] if k > 1 else np.full((1, 1), 0.5)
                found = s.low + share * (s.high - s.low)
            gamma = self.widths(found) if self.gamma == "auto" else np.full(found.shape[1], float(self.gamma))
        wrong = np.flatnonzero(~(np.isfinite(found).all(axis=0) & np.isfinite(gamma) & (gamma > 0)))
        if len(wrong):
            raise DataError(
                f"column {schema.names[wrong[0]]!r}: its centres are so far apart, or so near, that gamma is beyond "
                "the range of float64. Remedy: rescale it with MaxAbsScaler, or give gamma"
            )
        return BasisModel(found, gamma)

    def widths(self, centers: Array) -> Array:
        """A gamma for each column: one over the mean distance of neighbours."""
        return 1 / distances(centers)

    def certify(self, model: BasisModel, s: Race | Extremes) -> tuple[Claim, ...]:
        """How many centres there are, and where they come from."""
        many = float(len(model.centers))
        if self._center_counts is None:
            return (Claim("centers", many, "assumed", "as they were given", "data"),)
        if isinstance(s, Extremes):
            return (
                Claim("centers", many, "proved", "evenly from the smallest value of a column to the largest", "data"),
            )
        if s.complete:
            return (Claim("centers", many, "proved", "at quantiles of each column", "data"),)
        why = f"at quantiles of a sample of {s.most:,} distinct rows"
        return (Claim("centers", many, "estimated", why, "data"),)

    def functions(self, away: Array) -> Array:
        """Evaluate the basis function at gamma times the distance from a centre."""
        raise NotImplementedError

    def transform_from(self, model: BasisModel, X: Columns) -> Array:
        """Compute one basis function for each column and centre."""
        k, p = model.centers.shape
        out = np.empty((len(X), p * k))
        for rows, block in X.blocks(X.block_rows(p * k)):
            with np.errstate(over="ignore"):  # infinitely far away is an answer
                away = (block[:, :, None] - model.centers.T) * model.gamma[:, None]
                out[rows] = self.functions(away).reshape(len(block), p * k)
        return out

    def is_valid(self, model: BasisModel, summary: Race | Extremes | None, schema: Schema) -> bool:
        many = len(self._given_centers(schema)) if self._center_counts is None else self._center_counts
        return len(model.centers) == many and bool((model.gamma > 0).all())

    def origins(self, model: BasisModel, width: int) -> Codes | None:
        # The functions of one column after those of another.
        return np.repeat(np.arange(width), len(model.centers))

    def names_out(self, names: list[str]) -> list[str]:
        return [f"{name}_{self.short}{m}" for name in names for m in range(len(self.model_.centers))]


def _quantiles(rows: Array, weight: Array, k: int) -> Array:
    """The middles of k equal shares of the weight, by column."""
    out = np.empty((k, rows.shape[1]))
    for j, column in enumerate(rows.T):
        order = np.argsort(column, kind="stable")
        upto = np.cumsum(weight[order])
        at = np.searchsorted(upto, (np.arange(k) + 0.5) / k * upto[-1])
        out[:, j] = column[order][np.minimum(at, len(order) - 1)]
    return out


def distances(centers: Array) -> Array:
    """The mean distance of neighbours in each column, 1 where there is none."""
    far = (centers.max(axis=0) - centers.min(axis=0)) / max(len(centers) - 1, 1)
    return np.where(far > 0, far, 1.0)
