"""Weight of the rows of each class, Σ wᵢ 1[yᵢ = c], from which balanced class weights follow."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Codes, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped, Stacked, cell_of_rows


class ClassWeights(Mergeable):
    """Weight of each class. It simply adds."""

    weight: Annotated[Array, "class", NOT_NEGATIVE]
    by_weight = ("weight",)


class WeightByClass(Grouped[ClassWeights], Stacked[ClassWeights]):
    """The statistic that adds up the weight of the rows of each class."""

    classes: int

    def summarize(self, chunk: Chunk) -> ClassWeights:
        weight = np.bincount(chunk.y, chunk.weight, self.classes)
        return ClassWeights(weight.astype(np.float64, copy=False))  # of no rows it is of whole numbers

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[ClassWeights]:
        k = self.classes
        found = np.bincount((codes + 1) * k + chunk.y, chunk.weight, (groups + 1) * k).astype(np.float64, copy=False)
        return [ClassWeights(weight) for weight in found.reshape(-1, k)[1:]]

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> ClassWeights:
        found = np.bincount(
            cell_of_rows(starts, chunk.n) * self.classes + chunk.y, chunk.weight, len(starts) * self.classes
        )
        return ClassWeights(found.astype(np.float64, copy=False).reshape(-1, self.classes))
