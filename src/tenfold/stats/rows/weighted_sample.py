"""A weighted sample of distinct rows that does not depend on their order: an exponential race.

Each row runs with key = -log u / rate, where u comes from a hash of its content; those with the least keys
win. Equal rows have equal keys, so a row that wins among all rows wins in every part that has it, and its
weight is exact. The sample merges: the winners of two parts are among the winners of each.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.compiled.rows.row_hashes import hash_rows
from tenfold.core import Array, Bits, Chunk, Codes, Columns, Mergeable
from tenfold.core.field_values import ANYTHING, NOT_NEGATIVE, Between


def row_bits(X: Columns, seed: int | None) -> Bits:
    """64 bits for each row, from its content."""
    bits = np.empty(len(X), np.uint64)
    for rows, block in X.blocks():
        hash_rows(block, seed, bits[rows])
    return bits


def uniform(bits: Bits) -> Array:
    """A number in (0, 1) from such bits."""
    found: Array = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54
    return found


class Race(Mergeable):
    """The rows with the least keys, one more than wanted: its key is the bar the others cleared."""

    key: Annotated[Array, "entry"]
    row: Annotated[Array, "entry", "column", ANYTHING]
    weight: Annotated[Array, "entry", NOT_NEGATIVE]
    rate: Annotated[Array, "entry"]
    most: Annotated[int, Between(1)]

    @classmethod
    def of(cls, chunk: Chunk, u: Array, rate: Array, most: int) -> Race:
        """The race among the rows of a chunk."""
        key = -np.log(u) / rate
        order, weight = _winners(key, chunk.weight, most)
        return cls(key[order], chunk.X.take(order), weight, rate[order], most)

    def __add__(self, other: Race) -> Race:
        key = np.concatenate([self.key, other.key])
        weight = np.concatenate([self.weight, other.weight])
        order, weight = _winners(key, weight, self.most)
        return Race(
            key[order],
            np.concatenate([self.row, other.row])[order],
            weight,
            np.concatenate([self.rate, other.rate])[order],
            self.most,
        )

    @property
    def complete(self) -> bool:
        """Whether every distinct row is in it."""
        return len(self.key) <= self.most

    def sample(self) -> tuple[Array, Array]:
        """Rows, and weights that make their sums unbiased for the sums over all rows."""
        if self.complete:
            return self.row, self.weight
        chance = -np.expm1(-self.key[-1] * self.rate[:-1])
        return self.row[:-1], self.weight[:-1] / chance


def _winners(key: Array, weight: Array, most: int) -> tuple[Codes, Array]:
    """First place of each of the least distinct keys, and the weight of all that share it."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.append(True, ordered[1:] != ordered[:-1]) if len(order) else np.zeros(0, bool)
    starts = np.flatnonzero(new)
    if len(starts) > most + 1:
        order = order[: starts[most + 1]]
        starts = starts[: most + 1]
    sums = np.add.reduceat(weight[order], starts) if len(starts) else np.zeros(0)
    return order[starts], sums
