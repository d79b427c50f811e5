"""Basis functions: each value (or row) becomes how it stands to some centres, which come from merged summaries."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Claim, Columns, DataError, Need, Schema
from tenfold.estimator import Transformer
from tenfold.estimator.constraints import array, choice, integer, real, seed
from tenfold.stats.binned import RowSample
from tenfold.stats.extremes import Extremes, ExtremesByColumn
from tenfold.stats.race import Race


class BasisState(NamedTuple):
    """Where the centres are, and how steep the functions."""

    step: int
    centers: Annotated[Array, "center", "column"]
    steep: Annotated[Array, "column"]
    """gamma, by column"""


class Basis(Transformer):
    """What the bases share: centres, given or found; functions of one column each."""

    passes = ONE
    need = Need("numeric")
    model_type = BasisState
    summary_types = (Extremes, Race)
    steering = frozenset({"step", "steep"})
    short: ClassVar[str]
    """in the names of the outputs"""
    law_params: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"spacing": "grid", "centers": 3})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "centers": [integer(1), array],
        "gamma": [choice("auto"), real(0, open=True)],
        "spacing": [choice("quantiles", "grid")],
        "random_state": [seed],
    }

    def __init__(
        self, centers: Any = 5, gamma: Any = "auto", spacing: str = "quantiles", random_state: int | None = 0
    ) -> None:
        self.centers = centers
        self.gamma = gamma
        self.spacing = spacing
        self.random_state = random_state

    @property
    def _given(self) -> bool:
        return not isinstance(self.centers, (int, np.integer))

    def start(self, schema: Schema) -> BasisState:
        """The centres that were given, or none yet."""
        p = len(schema.columns)
        found = np.zeros((int(self.centers), p)) if not self._given else np.array(self.centers, dtype=np.float64)
        if found.ndim != 2 or found.shape[1] != p or not len(found):
            raise ValueError(f"centers have the shape {found.shape}; for {p} columns it must be (centers, {p})")
        if not np.isfinite(found).all():
            raise ValueError("centers contain NaN or infinity")
        return BasisState(0, found, np.ones(p))

    def size_fits(self, state: BasisState) -> bool:
        """Whether there are as many centres as the parameters say."""
        return self._given or int(self.centers) == len(state.centers)

    def ask(self, state: BasisState) -> RowSample | ExtremesByColumn | None:
        """Once: a sample of the rows, or how far they reach."""
        if state.step:
            return None
        sampled = self.spacing == "quantiles" and not self._given
        return RowSample(self.random_state) if sampled else ExtremesByColumn()

    def update(self, state: BasisState, s: Any) -> BasisState:
        """Centres at quantiles, or evenly from the least value to the largest."""
        found = state.centers
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if isinstance(s, Race):
                found = _quantiles(*s.sample(), len(found))
            elif not self._given:
                share = np.linspace(0, 1, len(found))[:, None] if len(found) > 1 else np.full((1, 1), 0.5)
                found = s.low + share * (s.high - s.low)
            given = None if self.gamma == "auto" else np.full(found.shape[1], float(self.gamma))
            steep = self.widths(found) if given is None else given
        wrong = np.flatnonzero(~(np.isfinite(found).all(axis=0) & np.isfinite(steep) & (steep > 0)))
        if len(wrong):
            raise DataError(
                f"column number {wrong[0]}: its centres are so far apart, or so near, that gamma is beyond the range "
                "of float64. Remedy: rescale it with StandardScaler, or give gamma"
            )
        return BasisState(1, found, steep)

    def widths(self, centers: Array) -> Array:
        """A gamma for each column: one over the mean distance of neighbours."""
        return 1 / distances(centers)

    def certify(self, state: BasisState, s: Any) -> tuple[Claim, ...] | None:
        """How many centres there are, and where they come from."""
        if not state.step:
            return None
        many = float(len(state.centers))
        if self._given:
            return (Claim("centers", many, "assumed", "as they were given", "data"),)
        if isinstance(s, Extremes):
            return (Claim("centers", many, "proved", "evenly from the least value of a column to the largest", "data"),)
        if s.complete:
            return (Claim("centers", many, "proved", "at quantiles of each column", "data"),)
        why = f"at quantiles of a sample of {s.most:,} distinct rows"
        return (Claim("centers", many, "estimated", why, "data"),)

    def functions(self, away: Array) -> Array:
        """Of gamma times the way from a centre."""
        raise NotImplementedError

    def transform_from(self, state: BasisState, X: Columns) -> Array:
        """For each column, one function for each centre."""
        k, p = state.centers.shape
        out = np.empty((len(X), p * k))
        for rows, block in X.blocks(X.block_rows(p * k)):
            with np.errstate(over="ignore"):  # infinitely far away is an answer
                away = (block[:, :, None] - state.centers.T) * state.steep[:, None]
                out[rows] = self.functions(away).reshape(len(block), p * k)
        return out

    def sound(self, state: BasisState, summary: Any, schema: Schema) -> bool:
        """Whether centres are numbers."""
        return len(state.centers) > 0 and bool((state.steep > 0).all())

    @property
    def gamma_(self) -> Array:
        """How steep the functions of each column are."""
        found: Array = self.model_.steep
        return found

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The name of each output: that of its column, the function's, and the number of the centre.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns; by default those seen in fitting, or x0, x1, ...

        Returns
        -------
        names : array of str
        """
        names = super().get_feature_names_out(input_features)
        k = len(self.model_.centers)
        return np.array([f"{name}_{self.short}{m}" for name in names for m in range(k)], dtype=object)


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
