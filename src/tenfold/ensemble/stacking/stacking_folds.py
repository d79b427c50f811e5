"""Assignment of rows to folds, and the out-of-fold predictions of stacking."""

from __future__ import annotations

import numpy as np

from tenfold.core import Chunk, Codes, DataError
from tenfold.core.value import ByParams
from tenfold.estimator.ensembles.ensemble import EnsembleModel
from tenfold.stats.combinators import Coder, Key, Stage
from tenfold.stats.rows.draws import folds_of


class ByLot(Key):
    """Among any k consecutive rows with a weight, each of the k folds receives one, in random order."""

    seed: int

    def coder(self, part: int) -> Coder:
        return lambda chunk: folds_of(chunk, self.seed, self.groups)


class GivenFolds(Key):
    """Folds as the parameter `cv` gives them, row by row."""

    codes: Codes

    def coder(self, part: int) -> Coder:
        # By the numbers of rows, which must be there.

        def code(chunk: Chunk) -> Codes:
            numbers = chunk.X.numbers()
            if chunk.n and numbers.max() >= len(self.codes):
                raise DataError(f"cv has {len(self.codes)} entries, fewer than rows. Remedy: a fold for each row")
            found: Codes = self.codes[numbers]
            return found

        return code


class Layer(Stage):
    """A lens that maps rows to the out-of-fold predictions of the members."""

    stack: ByParams
    model: EnsembleModel
    folds: Key

    def stage(self, chunk: Chunk) -> Chunk:
        stack = self.stack.it
        fold = self.folds.coder(chunk.part)(chunk)
        out = np.empty((chunk.n, stack.width(self.model.n_classes)))
        for j in range(self.folds.groups):
            rows = np.flatnonzero(fold == j)
            if len(rows):
                out[rows] = stack.out_of_fold(self.model, chunk.X.rows(rows), j)
        return chunk._replace(X=stack.final_input(out, chunk.X))
