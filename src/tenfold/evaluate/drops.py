"""Scores of rows as they are and with columns swapped: a job whose summaries merge, and one that finds who lends."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tenfold.core import Chunk, Codes, Need, Schema
from tenfold.engine.tree import Tree
from tenfold.evaluate.donors import UNITS, Donors, Sample, bits, units_for, units_of
from tenfold.evaluate.hearing import Hearing
from tenfold.evaluate.swapping import Swap, Where
from tenfold.evaluate.unit_scores import unit_scores
from tenfold.sources import Source

LENT = 65536
"""rows whose values are lent, at most"""
BYTES = 1 << 25
"""of those values, at most, unless rows are very wide"""


@dataclass(frozen=True, eq=False)
class Drops:
    """Scores of rows as they are and with columns swapped."""

    rows: int
    base: Any = None
    units: dict[int, Any] = field(default_factory=dict)
    """of the rows of each unit, as they are"""
    repeats: tuple[tuple[Any, ...], ...] = ()
    """with each column swapped, for each repeat"""
    swapped: tuple[dict[int, Any], ...] = ()
    """with each column swapped, for each unit: all repeats together"""
    inverse: float = 0.0
    """sum over rows of two over the number of donors that each could meet"""

    @property
    def share(self) -> float:
        """Its mean."""
        return self.inverse / self.rows

    def __add__(self, other: Drops) -> Drops:
        if not (self.rows and other.rows):
            return self if self.rows else other
        return Drops(
            self.rows + other.rows,
            self.base + other.base,
            _both(self.units, other.units),
            tuple(tuple(a + b for a, b in zip(*two, strict=True)) for two in zip(self.repeats, other.repeats)),
            tuple(_both(a, b) for a, b in zip(self.swapped, other.swapped, strict=True)),
            self.inverse + other.inverse,
        )


@dataclass(frozen=True, eq=False)
class Lending:
    """The first job: a sample of rows, whose values are lent."""

    need: Need
    schema: Schema
    seed: int
    at: tuple[int, ...]
    """the columns that are wanted"""

    def parts(self, source: Source) -> range:
        """All of them."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Sample:
        """Of one part."""
        most = max(1024, min(LENT, BYTES // (8 * len(self.at))))
        tree = Tree()
        for chunk in source.chunks(part, self.need, self.schema):
            place = chunk.places()
            rows = Sample.among(place, self.seed, most)
            value = np.empty((len(rows), len(self.at)))
            some = chunk.X.rows(rows)
            for i, j in enumerate(self.at):
                value[:, i] = some.column(j)
            tree.push(Sample.of(place[rows], value, chunk.n, self.seed, most))
        return tree.total()


@dataclass(frozen=True, eq=False)
class Swapping(Hearing):
    """The second job: scores with columns swapped."""

    columns: tuple[Where, ...]
    repeats: int
    lent: Sample | None
    """whose values there are; None: those of the chunk"""
    seed: int

    def __call__(self, source: Source, part: int) -> Drops:  # type: ignore[override]
        """Of one part."""
        tree = Tree()
        for chunk in source.chunks(part, self.need, self.schema):
            alone = chunk.n == 1 and self.lent is None  # there is nobody to borrow from
            tree.push(self._of(chunk, chunk.places()) if chunk.n and not alone else Drops(0))
        return tree.total()

    def _of(self, chunk: Chunk, place: Codes) -> Drops:
        at = sorted({j for _, some in self.columns for j in some})
        if self.lent is None:
            units = units_for(chunk.n)
            unit = units_of(place, self.seed, units)
            if units < UNITS:  # small chunks fill other units each
                unit = (unit + int(bits(place[:1], self.seed)[0] % np.uint64(UNITS))) % UNITS
            donors = Donors(place, unit, self.seed)
            value: Any = [chunk.X.column(j) for j in at]
        else:
            unit = units_of(place, self.seed, units_for(self.lent.rows))
            donors, value = self._donors
        whose = [donors.draw(place, unit, turn + 1) for turn in range(self.repeats)]
        swap = Swap(chunk.X)

        def said(columns: tuple[int, ...], rows: Codes) -> Any:
            values = np.column_stack([value[at.index(j)][rows] for j in columns])
            return self._says(chunk._replace(X=swap(columns, values)))

        weight = None if chunk.uniform else chunk.weight
        found = self.drops(chunk.y, weight, unit, self._says(chunk), lambda j, r: said(self.columns[j][1], whose[r]))
        return replace(found, inverse=donors.inverse(unit))

    @cached_property
    def _donors(self) -> tuple[Donors, Any]:
        """Those who lend to all chunks, and their values: columns x donors."""
        assert self.lent is not None
        order = np.argsort(self.lent.place)
        place = self.lent.place[order]
        donors = Donors(place, units_of(place, self.seed, units_for(self.lent.rows)), self.seed)
        return donors, np.ascontiguousarray(self.lent.value[order].T)

    def _says(self, chunk: Chunk) -> Any:
        need = self.wants[0][0]
        return self._among(self.voice.says(chunk, {need}, self.how)[need], need)

    def drops(self, truth: Any, weight: Any, unit: Codes, plain: Any, said: Any) -> Drops:
        """The summaries of some rows; `said(j, r)` is what the model says with column j swapped, repeat r."""
        k = 0 if self.known is None else len(self.schema.classes)
        summarize = self.wants[0][1]
        scores = unit_scores(summarize, truth, weight, unit, k)
        each = [scores([said(j, r) for r in range(self.repeats)]) for j in range(len(self.columns))]
        repeats, swapped = zip(*each, strict=True)
        return Drops(len(truth), summarize(truth, plain, weight, k), scores([plain])[1], repeats, swapped)


def _both(a: dict[int, Any], b: dict[int, Any]) -> dict[int, Any]:
    out = dict(a)
    for u, one in b.items():
        out[u] = out[u] + one if u in out else one
    return out
