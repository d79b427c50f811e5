"""The rows of a linear support vector machine as a summary, dense or CSR: all of them, or none if they are many."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array, Chunk, Codes, Columns, DataError, Mergeable, Schema
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE, POSITIVE, Index
from tenfold.core.rows.joined_rows import too_many
from tenfold.core.statistic import Gathered

OUT_OF_CORE_REMEDY = "dual=False, or SGDClassifier() or SGDRegressor() for very many columns"
"""what to use for more rows than fit into memory"""
MAX_ENTRY = 1e140
"""the largest number of a row: its square leaves room for weights, C and the smoothing of the losses"""


class GatheredDesign(Mergeable):
    """Rows with the constant as their last column, their targets and weights; of many rows, sums alone."""

    X: Annotated[Array, "piece", "predictor"]
    """dense rows; of CSR rows nothing"""
    data: Annotated[Array, "entry"]
    indices: Annotated[Codes, "entry", COUNTS]
    lengths: Annotated[Codes, "ordered", COUNTS]
    """of CSR rows: how many entries each has"""
    label: Annotated[Codes, "labelled", Index("class")]
    number: Annotated[Array, "numbered"]
    weight: Annotated[Array, "row", POSITIVE]
    mass: Annotated[Array, "class"]
    """weight of the rows of each class; of numbers nothing"""
    total: Annotated[float, NOT_NEGATIVE]
    """weight of all rows"""
    size: Annotated[float, NOT_NEGATIVE]
    """weighted sum of |y|, of numbers"""
    radius: Annotated[float, NOT_NEGATIVE]
    """the largest length of a row, without the constant"""
    highest: Annotated[float, NOT_NEGATIVE]
    """the largest |y|, of numbers"""
    bytes: Annotated[int, COUNTS]
    """that the rows take"""
    few: Annotated[int, COUNTS]
    """bytes above which no row is kept; 0: all are"""
    memory: Annotated[int, COUNTS]
    """bytes that rows may take; 0: any number"""

    @property
    def complete(self) -> bool:
        """Whether all rows are gathered."""
        return not self.few or self.bytes <= self.few

    def __add__(self, other: GatheredDesign) -> GatheredDesign:
        size, few, memory = self.bytes + other.bytes, self.few, self.memory or other.memory
        if not few and 0 < memory < size:
            raise too_many(memory, OUT_OF_CORE_REMEDY)
        both = not few or size <= few
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) if both else getattr(self, name)[:0]
            for name in _FIELDS
        }
        mass, total = self.mass + other.mass, self.total + other.total
        largest = {name: max(getattr(self, name), getattr(other, name)) for name in ("radius", "highest")}
        joined |= {"mass": mass, "total": total, "size": self.size + other.size, **largest}
        return replace(self, **joined, bytes=size, memory=memory)

    def dense(self) -> Array:
        """The rows as one array, also of CSR rows."""
        return np.asarray(self.design().toarray()) if len(self.lengths) else self.X

    def design(self) -> Any:
        """The rows as one matrix, an array or CSR."""
        if not len(self.lengths):
            return self.X
        ends = np.concatenate([[0], np.cumsum(self.lengths)])
        return sp.csr_array((self.data, self.indices, ends), shape=(len(self.lengths), self.X.shape[1]))

    def recode(self, old: Schema, new: Schema) -> GatheredDesign:
        """Recode the classes of the rows to a larger schema."""
        at = old.places("class", new) if old.target == "class" else None
        if at is None:
            return self
        at = np.asarray(at, dtype=np.int64)
        mass = np.zeros(len(new.classes))
        mass[at] = self.mass
        return replace(self, label=at[self.label], mass=mass)

    def is_valid(self, schema: Schema) -> bool:
        """Whether every row has values, and a target of the schema's kind."""
        n, labelled = len(self.weight), schema.target == "class"
        dense = len(self.X) == n and not len(self.lengths)
        csr = len(self.lengths) == n and not len(self.X)
        return (
            (dense or csr)
            and (len(self.label), len(self.number)) == ((n, 0) if labelled else (0, n))
            and int(self.lengths.sum()) == len(self.data)
            and bool((self.indices < self.X.shape[1]).all())
        )


def with_constant(X: Columns, constant: float) -> Array:
    """Dense rows with the constant as their last column, unless it is 0."""
    n, p = X.shape
    out = np.empty((n, p + bool(constant)))
    out[:, p:] = constant
    for rows, block in X.blocks():
        out[rows, :p] = block
    return out


def _radius(X: Columns) -> float:
    """The largest length of a row; an entry that is too large to be squared is refused."""
    if sp.issparse(X.data):
        csr = sp.csr_array(X.sparse(), dtype=np.float64, copy=True)
        csr.sum_duplicates()
        if (wrong := np.flatnonzero(np.abs(csr.data) > MAX_ENTRY)).size:
            entry = int(wrong[0])
            i = int(np.searchsorted(csr.indptr, entry, side="right")) - 1
            raise _too_large(X, i, int(csr.indices[entry]), float(csr.data[entry]))
        squares = np.asarray(csr.multiply(csr).sum(axis=1)).ravel()
        return float(np.sqrt(squares.max(initial=0.0)))
    radius = 0.0
    for rows, block in X.blocks():
        if np.abs(block).max(initial=0.0) > MAX_ENTRY:
            i, j = (int(at) for at in np.argwhere(np.abs(block) > MAX_ENTRY)[0])
            raise _too_large(X, rows.start + i, j, float(block[i, j]))
        radius = max(radius, float(np.linalg.norm(block, axis=1).max(initial=0.0)))
    return radius


def _too_large(X: Columns, i: int, j: int, value: float) -> DataError:
    """The error of an entry whose square overflows."""
    return DataError(
        f"{value:g} in {X.where(i, j)} is too large to be squared. Remedy: rescale the columns, tenfold.MaxAbsScaler()"
    )


_FIELDS = ("X", "data", "indices", "lengths", "label", "number", "weight")


class AllDesignRows(Gathered):
    """All rows with a constant after their columns, within the memory of the runner; or only if they are few."""

    relative: ClassVar[str] = OUT_OF_CORE_REMEDY
    classes: int
    """how many; 0: the target holds numbers"""
    constant: float
    """0: none"""
    few: int
    """bytes above which rows are not kept; 0: all are"""

    def summarize(self, chunk: Chunk) -> Any:
        n, p = chunk.X.shape
        none, nothing = np.zeros(0), np.zeros(0, np.int64)
        X, data, indices, lengths = np.zeros((0, p + bool(self.constant))), none, nothing, nothing
        label = np.asarray(chunk.y if self.classes else none, dtype=np.int64)
        number = np.asarray(none if self.classes else chunk.y, dtype=np.float64)
        weight = np.asarray(chunk.weight, dtype=np.float64)
        mass = np.bincount(label, weight, self.classes).astype(np.float64) if self.classes else none
        size_of_numbers = float(weight @ np.abs(number)) if n and not self.classes else 0.0
        largest = (_radius(chunk.X), float(np.abs(number).max(initial=0.0)))
        sums = (mass, chunk.total, size_of_numbers, *largest)
        sparse = sp.issparse(chunk.X.data)
        if sparse:
            csr = sp.csr_array(chunk.X.sparse(), dtype=np.float64, copy=True)
            csr.sum_duplicates()
            if self.constant:
                csr = sp.csr_array(sp.hstack([csr, np.full((n, 1), self.constant)], format="csr"))
        size = 16 * csr.nnz if sparse else 8 * n * X.shape[1]
        if not self.few and 0 < self.memory < size:
            raise too_many(self.memory, OUT_OF_CORE_REMEDY)
        if self.few and size > self.few:
            return GatheredDesign(X, none, nothing, nothing, label[:0], none, none, *sums, size, self.few, self.memory)
        if sparse:
            data, indices, lengths = csr.data, csr.indices.astype(np.int64), np.diff(csr.indptr).astype(np.int64)
        else:
            X = with_constant(chunk.X, self.constant)
        kept = (X, data, indices, lengths, label, number, weight)
        return GatheredDesign(*kept, *sums, size, self.few, self.memory)
