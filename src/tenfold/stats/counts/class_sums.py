"""Weight of each class, and the sum of each column within it: they simply add."""

from __future__ import annotations

from typing import Annotated, NoReturn

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.moments.class_sums import AS_COUNTS, add_class_sums, add_sparse_class_sums
from tenfold.core import Array, Chunk, Codes, DataError, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped, Stacked, cell_of_rows


class ClassSums(Mergeable):
    """Weight of the rows of each class, and the sums of their columns."""

    weight: Annotated[Array, "class", NOT_NEGATIVE]
    total: Annotated[Array, "class", "column", NOT_NEGATIVE]
    by_weight = ("weight", "total")


class SumsByClass(Grouped[ClassSums], Stacked[ClassSums]):
    """Weight of each class, and the sum of each column within it: of counts, or of zeros and ones."""

    classes: int
    way: int
    """how numbers enter, by the codes of `compiled/moments/class_sums.py`"""
    bar: float = 0.0
    """threshold above which a number counts as one; not negative, so that unstored zeros of CSR rows count as zero"""

    def summarize(self, chunk: Chunk) -> ClassSums:
        return self._sums(chunk, chunk.y, chunk.weight, self.classes)

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[ClassSums]:
        # Of the rows of each group, in one go: a class of a group is a group too. Rows of group -1 are left out.
        weight = np.where(codes >= 0, chunk.weight, 0.0)
        found = self._sums(chunk, np.maximum(codes, 0) * self.classes + chunk.y, weight, groups * self.classes)
        cuts = [slice(g * self.classes, (g + 1) * self.classes) for g in range(groups)]
        return [ClassSums(found.weight[cut], found.total[cut]) for cut in cuts]

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> ClassSums:
        group, shape = cell_of_rows(starts, chunk.n) * self.classes + chunk.y, (len(starts), self.classes)
        found = self._sums(chunk, group, chunk.weight, len(starts) * self.classes)
        return ClassSums(found.weight.reshape(shape), found.total.reshape(*shape, chunk.X.shape[1]))

    def _sums(self, chunk: Chunk, group: Codes, weight: Array, groups: int) -> ClassSums:
        total = np.zeros((groups, chunk.X.shape[1]))
        if sp.issparse(chunk.X.data):
            X = chunk.X.entries()
            how = (group, weight, self.way, self.bar, total)
            fine = add_sparse_class_sums(X.data.astype(np.float64, copy=False), X.indices, X.indptr, *how)
        else:
            fine = True
            for rows, block in chunk.X.blocks():
                fine &= add_class_sums(block, group[rows], weight[rows], self.way, self.bar, total)
        if not fine:
            self._refuse(chunk)
        return ClassSums(np.bincount(group, weight, groups).astype(np.float64), total)

    def _refuse(self, chunk: Chunk) -> NoReturn:
        """Name the first number that may not enter."""
        for rows, block in chunk.X.blocks():
            odd = block < 0 if self.way == AS_COUNTS else (block != 0) & (block != 1)
            if odd.any():
                i, j = (int(at) for at in np.argwhere(odd)[0])
                what = "Negative values in data" if self.way == AS_COUNTS else "values other than 0 and 1"
                remedy = "counts are 0 or more" if self.way == AS_COUNTS else "binarize=0.0, or another bar"
                raise DataError(f"{what}: {block[i, j]:g} in {chunk.X.where(rows.start + i, j)}. Remedy: {remedy}")
        raise AssertionError
