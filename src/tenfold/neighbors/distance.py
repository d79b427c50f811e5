"""Distances of rows and exact nearest neighbours, accurate for any offset of the columns.

Σ s |x - z|^p over the columns, its root; of categories Σ s [x ≠ z]; or |φ(x) - φ(z)|² = k(x, x) - 2 k(x, z) + k(z, z)
for a kernel; or 1 - cos(x, z), half the squared distance of the rows at unit length. Distances are summed in float64 of
differences. For sums of squares a product in float32 comes first, of
columns around their means: where its error bound proves that a row is too far, its distance is not computed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tenfold.compiled.neighbors.neighbors import (
    ABSOLUTE,
    LARGEST,
    POWERS,
    SQUARES,
    nearest_by_products,
    nearest_rows,
    offer_distances,
    put_in_order,
)
from tenfold.core import Array, Codes, Flags
from tenfold.core.value import Value
from tenfold.estimator.shell.constraints import numbers
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.kernel_names import as_kernel
from tenfold.stats.moments.moments import too_small
from tenfold.stats.rows.training_rows import TrainingRows

MAX_EXACT_QUERIES = 8
"""queries for which rows are not made short"""
VALUES_PER_BLOCK = 1 << 21
"""kernel values that are made at a time"""

METRIC_ALIASES = {
    "p": "minkowski",
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
}
"""other names of metrics"""
METRICS = ("minkowski", "euclidean", "manhattan", "chebyshev", "cosine", "hamming", "mixed", *METRIC_ALIASES)


class Short(NamedTuple):
    """Rows in float32, for products that rule out distances which need not be computed."""

    rows: Any
    """around `centre`, times `factor`; then -|r|²/2"""
    centre: Array
    factor: Array
    unit: float
    """a power of two, so that the longest row is about 1"""
    scale: Array


class Distance(Value):
    """How far two rows are apart."""

    kind: int
    """which sum over the columns"""
    power: float
    scale: Array
    """of each column"""
    coded: Flags
    """columns that are equal, or not"""
    divisor: float = 1.0
    """by which the sum is divided, so that it is a mean"""
    kernel: Kernel | None = None
    """of whose features it is the distance"""
    products: bool = True
    """whether products may come first"""
    directions: bool = False
    """whether rows are compared at unit length: 1 - cos"""

    @property
    def largest(self) -> float:
        """The largest number whose distance from another can be computed; what a kernel makes, it looks after."""
        if self.kernel is not None:
            return np.inf
        return float(10.0 ** (300.0 / (max(2.0, self.power) if self.kind == POWERS else 2.0)))

    def refuse_small(self, ranges: Array) -> None:
        """Refuse columns of these ranges if none is large enough for its differences to be squared, or raised to p."""
        if self.kernel is not None or self.directions or self.kind not in (SQUARES, POWERS):
            return
        spread = ranges * self.scale ** (1 / self.power)
        j = int(spread.argmax()) if len(spread) else 0
        if len(spread) and 0 < spread[j] < 10.0 ** (-300.0 / max(self.power, 1.0)):
            raise too_small(j)

    def true(self, compared: Array) -> Array:
        """The distance, from the quantity that is compared: its square, its power or its sum."""
        if self.kind == SQUARES and not self.directions:
            return np.sqrt(compared)
        if self.kind == POWERS:
            return compared ** (1 / self.power)
        return compared / self.divisor

    def nearest(
        self, query: Array, rows: TrainingRows, label: Codes, labels: int, wanted: int
    ) -> tuple[Array, Codes, Array]:
        """Comparable distance and row number of the nearest rows of each query, and the weight of ties by label."""
        if self.directions:
            plain = distance_of(np.zeros(query.shape[1] + 2, bool), "euclidean", 2.0, products=self.products)
            at_unit_length = replace(rows, X=_unit_rows(rows.X, 1))
            return plain.nearest(_unit_rows(query, 0), at_unit_length, label, labels, wanted)
        m, wanted = len(query), min(wanted, len(rows))
        found, index = np.full((m, wanted), np.inf), np.full((m, wanted), -1, np.int64)
        tied = np.zeros((m, labels + 1))
        into = (label, rows.y, rows.weight, found, index, tied)
        if self.kernel is not None:
            self._by_kernel(self.kernel, query, rows, into)
        elif self.kind == SQUARES and self.products and m >= MAX_EXACT_QUERIES and wanted:
            short = short_rows(rows, self.scale)
            with np.errstate(over="ignore", invalid="ignore"):  # those too large are compared with every row
                around = (query - short.centre) * short.factor
                level = np.einsum("ij,ij->i", around, around)
                few = np.empty((m, query.shape[1] + 1), np.float32)
                few[:, :-1] = around
            few[:, -1] = 1.0
            nearest_by_products(query, rows.X, self.scale, few, level, short.rows, short.unit, *into)
        elif wanted:
            nearest_rows(self.kind, self.power, query, rows.X, self.scale, self.coded, *into)
        return found, index, tied

    def _by_kernel(self, kernel: Kernel, query: Array, rows: TrainingRows, into: tuple[Any, ...]) -> None:
        """Distances between features, some rows at a time."""
        size = np.zeros(len(query), np.int64)
        step = max(64, VALUES_PER_BLOCK // max(len(query), 1))
        for start in range(0, len(rows), step):
            away = kernel.squared_distances(query, rows.X[start : start + step])
            offer_distances(np.ascontiguousarray(away), start, size, *into)
        put_in_order(size, into[3], into[4])


def _unit_rows(X: Array, side: int) -> Array:
    """Rows at unit length; zeros get a column of their own, another on each side, and so are 1 - cos = 1 from all."""
    largest = np.abs(X).max(axis=1, initial=0.0)
    out = np.zeros((len(X), X.shape[1] + 2))
    unit = np.divide(X, largest[:, None], out=out[:, :-2], where=largest[:, None] > 0)
    unit /= np.sqrt(np.einsum("ij,ij->i", unit, unit) + (largest == 0))[:, None]
    out[:, X.shape[1] + side] = largest == 0
    out.flags.writeable = X.flags.writeable
    return out


_SHORT: WeakKeyDictionary[TrainingRows, Short] = WeakKeyDictionary()
"""the last of each set of rows: a model is asked again and again"""


def short_rows(rows: TrainingRows, scale: Array) -> Short:
    """Rows for products, with this scale of the columns; made once."""
    known = _SHORT.get(rows)
    if known is None or not np.array_equal(known.scale, scale):
        known = _SHORT[rows] = _shortened(rows.X, scale)
    return known


def _shortened(X: Array, scale: Array) -> Short:
    centre, factor = X.mean(axis=0), np.sqrt(scale)
    around = (X - centre) * factor
    longest = np.sqrt(np.einsum("ij,ij->i", around, around).max(initial=0.0))
    unit = 2.0 ** -np.frexp(longest)[1] if 0 < longest < np.inf else 1.0
    around *= unit
    rows = np.empty((len(X), X.shape[1] + 1), np.float32)
    rows[:, :-1] = around
    rows[:, -1] = -0.5 * np.einsum("ij,ij->i", around, around)
    return Short(rows, centre, factor * unit, float(unit), scale)


def distance_of(
    categories: Flags,
    metric: str,
    p: float,
    attribute_weights: Any = None,
    ranges: Array | None = None,
    kernel: Any = None,
    products: bool = True,
) -> Distance:
    """The distance that parameters ask for, if some columns are categories; ValueError if they do not fit."""
    width = len(categories)
    scale = np.ones(width) if attribute_weights is None else numbers(attribute_weights, "attribute_weights")
    if scale.shape != (width,) or not np.isfinite(scale).all() or (scale < 0).any() or not scale.any():
        raise ValueError(f"attribute_weights must be {width} numbers from 0 on, not all 0, one for each column")
    coded = np.zeros(width, bool)
    if kernel is not None:
        if attribute_weights is not None:
            raise ValueError("attribute_weights do not go with a kernel. Remedy: scale the columns")
        return Distance(SQUARES, 2.0, scale, coded, kernel=as_kernel(kernel))
    metric = METRIC_ALIASES.get(metric, metric)
    if metric == "cosine":
        if attribute_weights is not None:
            raise ValueError("attribute_weights do not go with metric='cosine'. Remedy: scale the columns")
        return Distance(SQUARES, 2.0, scale, coded, 2.0, products=products, directions=True)
    if metric == "minkowski":
        metric = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(float(p), metric)
    match metric:
        case "euclidean":
            return Distance(SQUARES, 2.0, scale, coded, products=products)
        case "manhattan":
            return Distance(ABSOLUTE, 1.0, scale, coded)
        case "chebyshev":
            return Distance(LARGEST, 1.0, scale, coded)
        case "hamming":
            return Distance(ABSOLUTE, 1.0, scale, ~coded, float(scale.sum()))
        case "mixed":
            assert ranges is not None
            spread = np.where(categories | (ranges <= 0), 1.0, ranges)
            return Distance(ABSOLUTE, 1.0, scale / spread, categories, float(scale.sum()))
    return Distance(POWERS, float(p), scale, coded)
