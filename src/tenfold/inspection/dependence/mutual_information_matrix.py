"""Mutual information of all pairs of columns, from one table of counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, DataError, MatrixLike, Need
from tenfold.engine import current, opened, schema_of
from tenfold.sources.inputs import as_source
from tenfold.stats.combinators import As, View
from tenfold.stats.counts.information import Correction, entropy, mutual_information
from tenfold.stats.counts.pairs import PairsOfValues
from tenfold.stats.trees.binned import MAX_BYTE_BINS, RowSample, edges_of
from tenfold.theory.checks import whole

MAX_VALUES = 10_000
"""values of all columns together: the table of pairs has the square of it"""


@dataclass(frozen=True, eq=False)
class MutualInformationMatrix:
    """Mutual information of all pairs of columns.

    Parameters
    ----------
    names : tuple of str
        The columns.
    information : array of shape (columns, columns)
        I(X; Y) of each pair; on the diagonal the entropy of the column.
    scans : int
        How often the rows were read.
    base : float
        2 for bits.
    """

    names: tuple[str, ...]
    information: Array
    scans: int
    base: float = 2.0

    @property
    def normalized(self) -> Array:
        """I(X; Y) / sqrt(H(X) H(Y)): 0 if columns are independent, 1 if each follows from the other."""
        own = np.sqrt(np.maximum(np.diag(self.information), 0.0))
        both = np.outer(own, own)
        out = np.divide(self.information, both, out=np.zeros_like(both), where=both > 0)
        return np.asarray(np.clip(out, 0.0, 1.0))

    def between(self, one: str, other: str) -> float:
        """Mutual information of two columns, by name."""
        return float(self.information[self.names.index(one), self.names.index(other)])


def mutual_information_matrix(
    X: MatrixLike,
    *,
    sample_weight: ArrayLike | None = None,
    bins: int = 16,
    base: float = 2.0,
    correction: Correction | None = None,
    random_state: int = 0,
) -> MutualInformationMatrix:
    """Mutual information of all pairs of columns of a frame, from one scan that counts pairs of values.

    Text and dictionaries are categories; numbers are cut into bins of about equal weight, for which a scan before it
    draws a sample. Counts add up, so the rows may be anywhere: in memory, in files, on a cluster. A row counts for a
    pair if it has both values.

    Parameters
    ----------
    X : array, frame or Source
        The rows: an array, a frame or a Source.
    sample_weight : array, optional
        A weight for each row; by default all count once.
    bins : int, default=16
        Of a numeric column, at most; fewer distinct values have a bin each.
    base : float, default=2.0
        2 for bits, math.e for nats.
    correction : {"miller_madow", "grassberger"}, optional
        Of the entropies, see `tenfold.stats.counts.information.entropy`: without it, mutual information of a sample is
        too large, by about (values of X - 1)(values of Y - 1) / 2n nats.
    random_state : int, default=0
        Draws the sample that bins come from.

    Returns
    -------
    matrix : MutualInformationMatrix

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> frame = pd.DataFrame({"sky": ["sun", "rain", "sun", "rain"], "wet": [0, 1, 0, 1], "day": ["a", "a", "b", "b"]})
    >>> tn.mutual_information_matrix(frame).information.tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    need = Need("mixed", missing=True)
    most = whole("bins", bins)
    if not 2 <= most <= MAX_BYTE_BINS:
        raise ValueError(f"bins={bins!r}: a whole number from 2 to {MAX_BYTE_BINS} is needed")
    source = as_source(X, None, sample_weight, need)
    with opened(current(), source) as session:
        scans = 0 if source.known(need) else int(source.scans_for(need))
        schema = schema_of(source, need, session)
        view, levels = View(need, schema), schema.levels
        edges = np.full((len(levels), 1), np.inf)
        if not (levels > 0).all():
            sample = session.answer(As(view, RowSample(random_state))).summary
            edges = edges_of(sample, most)
            edges[levels > 0] = np.inf
            scans += 1
        statistic = PairsOfValues(edges, levels)
        sizes = statistic.sizes
        if sizes.sum() > MAX_VALUES:
            wide = int(np.argmax(sizes))
            raise DataError(
                f"the columns have {int(sizes.sum()):,} values together, {int(sizes[wide]):,} of them "
                f"{schema.names[wide]!r}: more than {MAX_VALUES:,}. "
                f"Remedy: drop such columns, or group their rare values"
            )
        count = session.answer(As(view, statistic)).summary.count
    places = [slice(end - size, end) for end, size in zip(np.cumsum(sizes).tolist(), sizes.tolist(), strict=True)]
    out = np.zeros((len(places), len(places)))
    for i, a in enumerate(places):
        own = np.diag(count[a, a])
        out[i, i] = entropy(own, base=base, correction=correction) if own.any() else 0.0
        for j, b in enumerate(places[:i]):
            table = count[a, b]
            if table.any():
                out[i, j] = out[j, i] = mutual_information(table, base=base, correction=correction)
    return MutualInformationMatrix(schema.names, out, scans + 1, base)
