"""Bernoulli naive Bayes: within a class, each column is there or not, independently of the others.

P(x_j = 1 | c) = (n_cj + α) / (n_c + 2α), with n_cj the weight of the rows of class c that have column j, and n_c that
of all its rows. Absence is evidence too: log P(c | x) = log π_c + Σ_j log (x_j p_cj + (1 - x_j)(1 - p_cj)) + const.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.moments.class_sums import ABOVE_THRESHOLD, BINARY
from tenfold.core import Array, Columns, Need, Schema
from tenfold.estimator.shell.constraints import real
from tenfold.estimator.shell.parameters import Behind
from tenfold.naive_bayes.counted import CountedModel, CountedNB, blocks, times
from tenfold.stats.counts.class_sums import ClassSums, SumsByClass


class BernoulliNB(CountedNB):
    """Naive Bayes over columns that are there or not, as words in a text, exact in one pass.

    Parameters
    ----------
    alpha : float, default=1.0
        Laplace smoothing: added to the count of either value. 0: relative frequencies.
    binarize : float, optional, default=0.0
        Numbers above it count as there. None: all numbers must be 0 or 1.
    fit_prior : bool, default=True
        Whether class probabilities are estimated from the rows; otherwise they are uniform.
    class_prior : array of shape (classes,), optional
        Probability of each class.
    force_alpha : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    classes_ : array
    class_count_, class_log_prior_ : array of shape (classes,)
    feature_count_, feature_log_prob_ : array of shape (classes, columns)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 1, 0], [1, 0, 0], [0, 1, 1]], ["tea", "tea", "coffee"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]]).tolist()
    ['tea', 'coffee']
    """

    need = Need("numeric", sparse=True, target="class")

    binarize: Annotated[float | None, real(0), None, Behind("alpha")] = 0.0

    def statistic(self, schema: Schema) -> SumsByClass:
        bar = 0.0 if self.binarize is None else float(self.binarize)
        return SumsByClass(self._classes(schema), BINARY if self.binarize is None else ABOVE_THRESHOLD, bar)

    def log_prob(self, s: ClassSums) -> Array:
        return np.asarray(np.log(s.total + self.alpha) - np.log(s.weight + 2 * self.alpha)[:, None])

    def scores_from(self, model: CountedModel, X: Columns) -> Array:
        with np.errstate(divide="ignore"):
            without = np.log1p(-np.exp(np.minimum(model.feature_log_prob, 0.0)))
        out = np.empty((len(X), len(model.class_log_prior)))
        for rows, block in blocks(X):
            there = self._binarized(block)
            out[rows] = model.class_log_prior + times(there, model.feature_log_prob) + _absent(there, without)
        return out

    def _binarized(self, block: Any) -> Any:
        """Binarize numbers: 1 above `binarize`, 0 elsewhere."""
        if self.binarize is None:
            return block
        if not sp.issparse(block):
            return np.asarray(block > self.binarize, dtype=np.float64)
        ones = np.asarray(block.data > self.binarize, dtype=np.float64)
        return sp.csr_array((ones, block.indices, block.indptr), shape=block.shape)


def _absent(there: Any, without: Array) -> Array:
    """Σ_j (1 - x_j) without[c, j]: the sum of all, minus that of those which are there."""
    never = np.isneginf(without)
    known = np.where(never, 0.0, without)
    out = np.asarray(known.sum(axis=1) - there @ known.T)
    if never.any():  # a column that every row of a class has must be there
        out[np.asarray(there @ never.T.astype(np.float64)) < never.sum(axis=1)] = -np.inf
    return out
