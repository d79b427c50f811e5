"""Design matrix: the columns of a chunk as the features of a linear model.

A numeric column is one feature. A categorical column is one feature for each of its categories, a column of
zeros and ones that is never made: products look up, sums scatter. Where no column is categorical, everything is
done as it would be without this file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.blas import add_gram
from tenfold.compiled.moments.category_sums import add_by_code, add_looked_up, add_pairs
from tenfold.compiled.rows.sparse_rows import add_sparse_gram
from tenfold.core.arrays import Array, Codes, symmetrize
from tenfold.core.rows.columns import Columns


class Design:
    """Design matrix of a chunk, with categories one-hot encoded but never stored.

    Parameters
    ----------
    X : Columns
        Codes in categorical columns; those below zero (unseen) stand for zeros alone.
    levels : array of int, optional
        For each column 0 if it is numeric, else how many categories it has: `schema.levels`. None: all numeric.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.core import Columns, Design
    >>> design = Design(Columns((np.array([1.5, 2.5]), np.array([0.0, 1.0]))), np.array([0, 2]))
    >>> design.width
    3
    >>> design @ np.array([2.0, 10.0, 20.0])
    array([13., 25.])
    """

    __slots__ = ("X", "addresses", "coded", "codes", "first", "like", "numbers", "numeric", "plain", "width")

    def __init__(self, X: Columns, levels: Codes | None = None) -> None:
        levels = np.zeros(X.shape[1], np.int64) if levels is None else levels
        self.plain = not levels.any()
        """whether no column is categorical"""
        self.X = self.numbers = X
        """the numeric columns"""
        self.width = int(np.maximum(levels, 1).sum())
        """how many features there are"""
        if self.plain:
            return
        if X.addresses is None:
            data = X.data.toarray() if sp.issparse(X.data) else X.data  # codes beside sparse text: as a fit takes them
            X = Columns(tuple(data[:, j] for j in range(X.shape[1])), X.names, missing=X.missing, place=X.place)
            self.X = X
        starts = np.cumsum(np.maximum(levels, 1)) - np.maximum(levels, 1)
        which = levels > 0
        self.numeric = starts[~which]
        """which features are the numeric columns"""
        self.coded = np.concatenate([np.arange(a, a + n) for a, n in zip(starts[which], levels[which])])
        """which features are indicators of categories"""
        self.first = np.cumsum(levels[which]) - levels[which]
        """where each categorical column begins among those"""
        self.codes = [X.data[j] for j in np.flatnonzero(which)]
        self.like = X.data[0][:0]
        self.addresses = X.addresses[which]  # type: ignore[index]
        self.numbers = X.select(np.flatnonzero(~which))

    @classmethod
    def of(cls, X: Columns, levels: Codes | None = None) -> Design:
        """The features of some columns."""
        return cls(X, levels)

    def __len__(self) -> int:
        return len(self.X)

    def __matmul__(self, w: Array) -> Array:
        """The product with a vector or matrix of weights, one for each feature."""
        if self.plain:
            return self.X @ w
        out: Array = self.numbers @ w[self.numeric]
        add_looked_up(self.addresses, self.like, self.first, _table(w[self.coded]), 0, _table(out))
        return out

    def transposed(self, r: Array) -> Array:
        """Xᵀr: for each feature the sum of r, a vector or a matrix with a row for each row."""
        if self.plain:
            return _transposed(self.X, r)
        out = np.empty((self.width, *r.shape[1:]))
        out[self.numeric] = _transposed(self.numbers, r)
        out[self.coded] = self.by_code(_table(r)).reshape(len(self.coded), *r.shape[1:])
        return out

    def by_code(self, values: Array) -> Array:
        """The sum of the rows of `values` over the rows of each category."""
        sums = np.zeros((len(self.coded), values.shape[1]))
        add_by_code(self.addresses, self.like, self.first, values, 0, sums)
        return sums

    def pairs(self, weight: Array) -> Array:
        """The weight of the rows that two categories share: symmetric, on the diagonal that of each."""
        counts = np.zeros((len(self.coded),) * 2)
        add_pairs(self.addresses, self.like, self.first, weight, 0, counts)
        return symmetrize(counts)

    def gram(self, weight: Array) -> Array:
        """XᵀWX, dense, for weights that are not negative."""
        if self.plain:
            return _gram(self.X, weight)
        p = len(self.numeric)
        out = np.empty((self.width, self.width))
        cross = np.zeros((len(self.coded), p))
        if p:
            out[np.ix_(self.numeric, self.numeric)] = _gram(self.numbers, weight)
            for rows, block in self.numbers.blocks():
                some = block * weight[rows, None]
                add_by_code(self.addresses, self.like, self.first, some, rows.start, cross)
            out[np.ix_(self.coded, self.numeric)] = cross
            out[np.ix_(self.numeric, self.coded)] = cross.T
        out[np.ix_(self.coded, self.coded)] = self.pairs(weight)
        return out

    def blocks(self, rows: int) -> Iterator[tuple[slice, Array]]:
        """Yield `(rows, block)` with the features stored explicitly, for algorithms that need them."""
        if self.plain:
            yield from self.X.blocks(rows)
            return
        out = np.zeros((min(rows, len(self)), self.width))
        for some, block in self.numbers.blocks(rows):
            out[:] = 0.0
            out[: len(block), self.numeric] = block
            for start, codes in zip(self.coded[self.first], self.codes):
                code = codes[some]
                seen = np.flatnonzero(code >= 0)
                out[seen, start + code[seen].astype(np.int64)] = 1.0
            made = out[: len(block)]
            made.flags.writeable = False
            yield some, made


def _table(values: Array) -> Array:
    """A vector as a matrix of one column."""
    return np.ascontiguousarray(values[:, None] if values.ndim == 1 else values)


def _transposed(X: Columns, r: Array) -> Array:
    if sp.issparse(X.data):
        return np.asarray(X.sparse().T @ r, dtype=np.float64)
    out = np.zeros((X.shape[1], *r.shape[1:]))
    for rows, block in X.blocks():
        out += block.T @ r[rows]
    return out


def _gram(X: Columns, weight: Array) -> Array:
    out = np.zeros((X.shape[1],) * 2)
    if sp.issparse(X.data):
        S = X.entries()
        add_sparse_gram(S.data.astype(np.float64, copy=False), S.indices, S.indptr, weight, out)
        return symmetrize(out)
    root = np.sqrt(weight)[:, None]
    for rows, block in X.blocks():
        add_gram(block * root[rows], out)
    return symmetrize(out)
