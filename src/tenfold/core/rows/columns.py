"""Columns of a chunk, read by blocks of rows, by column, or by single rows.

A 2-D array, a CSR matrix and a tuple of 1-D arrays (a frame) look the same from here. Values
are checked as they are read, while the block is in cache, or by the sums made of them: no pass of its
own, and no NaN or infinity gets through unnoticed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from tenfold.compiled.rows.copying import copy_columns, copy_rows
from tenfold.compiled.rows.extremes import all_finite
from tenfold.compiled.rows.sparse_rows import copy_sparse
from tenfold.core.arrays import CSR, Array, Codes, ColumnData, Matrix, RowIndex, Values
from tenfold.core.errors import DataError
from tenfold.core.rows.chunk_memo import chosen

BLOCK_BYTES = 1 << 19  # a block stays in the second-level cache

REMEDY_FOR_NAN = (
    "drop the rows that miss it (dropna(); of files where=[(column, '!=', None)], with its name in the file), or "
    "impute it (SimpleImputer() before it, in a pipeline; in a ColumnTransformer, in the branch of this column), or "
    "use a learner that takes missing values"
)


class MadeBy(str):
    """The place of columns that a transformer has made, which knows the column of the input that each is made of.

    Parameters
    ----------
    maker : str
        Name of the transformer.
    origins : callable
        Returns the number of the column of the input for each output, or None if some are made of several.
    names : sequence of str or None
        Of the columns of the input.
    place : str
        Where the input came from.
    """

    __slots__ = ("chosen", "names", "origins", "place")
    origins: Callable[[], Codes | None]
    names: Sequence[str] | None
    place: str
    chosen: Codes | None
    """numbers of the outputs, if some were selected"""

    def __new__(
        cls, maker: str, origins: Callable[[], Codes | None], names: Sequence[str] | None, place: str
    ) -> MadeBy:
        made = super().__new__(cls, maker)
        made.origins, made.names, made.place, made.chosen = origins, names, place, None
        return made

    def column(self, j: int) -> str:
        """Return output j as messages name it."""
        origins = self.origins()
        if origins is None:
            return f"column {f'x{j}'!r} of {self}"
        at = int(origins[j if self.chosen is None else self.chosen[j]])
        if self.names is not None and np.array_equal(origins, np.arange(len(self.names))):
            return f"column {self.names[at]!r} of {self}"
        return f"{self}, made of {_column(self.names, self.place, at)}"

    def select(self, which: Codes) -> MadeBy:
        """Return the place of some of the outputs, by their numbers."""
        made = MadeBy(self, self.origins, self.names, self.place)
        made.chosen = np.asarray(which) if self.chosen is None else self.chosen[which]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


class InFile(str):
    """A place in one of several files: rows are numbered from the first of the file on.

    Parameters
    ----------
    place : str
    first : int
        Number of the first row of the file among the rows of all files.
    """

    __slots__ = ("first",)
    first: int

    def __new__(cls, place: str, first: int) -> InFile:
        made = super().__new__(cls, place)
        made.first = first
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return InFile, (str(self), self.first)


def _column(names: Sequence[str] | None, place: str, j: int) -> str:
    """Column j, as messages name it."""
    if isinstance(place, MadeBy):
        return place.column(j)
    name = names[j] if names is not None else f"x{j}"
    return f"column {name!r} of {place}" if place else f"column {name!r}"


class Columns:
    """The X of a chunk.

    Parameters
    ----------
    data : ndarray of shape (rows, columns), CSR matrix, or sequence of 1-D arrays
        Floats; categorical columns hold codes: NaN missing, -1 unseen.
    names : sequence of str, optional
        Column names, for errors.
    missing : bool
        Whether NaN may pass.
    offset : int
        Number of the first row in the source, for errors.
    kept : array of int, optional
        Which rows of the part these are, if some have no weight.
    place : str
        The file they come from, if any, for errors.
    """

    __slots__ = ("addresses", "data", "kept", "missing", "names", "offset", "place", "shape")

    def __init__(
        self,
        data: ColumnData,
        names: Sequence[str] | None = None,
        *,
        missing: bool = False,
        offset: int = 0,
        kept: Codes | None = None,
        place: str = "",
    ) -> None:
        if isinstance(data, np.ndarray):
            data = data.view()
            data.flags.writeable = False  # as all blocks are: one signature of each kernel, not two
        self.addresses = None
        """of the first values of a frame's columns, for kernels that read them side by side"""
        if isinstance(data, tuple) and data:
            kind = np.result_type(np.float32, *data)
            data = tuple(np.ascontiguousarray(c, dtype=kind) for c in data)
            self.addresses = np.array([c.ctypes.data for c in data], dtype=np.int64)
        self.data = data
        self.names = names
        self.missing = missing
        self.offset = offset
        self.kept = kept
        self.place = place
        self.shape: tuple[int, int] = (
            (len(data[0]) if data else 0, len(data)) if isinstance(data, tuple) else data.shape
        )

    def __len__(self) -> int:
        return self.shape[0]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle everything except addresses, which are valid in this process only."""
        return _unpickled, (type(self), self.data, self.names, self.missing, self.offset, self.kept, self.place)

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 if every column is, else float64."""
        found: np.dtype[Any] = (self.data[0] if isinstance(self.data, tuple) else self.data).dtype
        return found

    def block_rows(self, columns: int | None = None) -> int:
        """Return the number of rows of p float64 columns that fit in cache."""
        wide = max(1, self.shape[1] if columns is None else columns)
        return max(64, min(4096, BLOCK_BYTES // (8 * wide)))

    def column(self, j: int) -> Values:
        """Column `j` in its own float type."""
        if isinstance(self.data, tuple):
            values: Values = self.data[j]
        elif sp.issparse(self.data):
            values = self.data[:, [j]].toarray().ravel()
        else:
            values = self.data[:, j]
        self._check(values[:, None], 0, j)
        return values

    def take(self, rows: Codes) -> Array:
        """A few rows, by their numbers, as a float64 array."""
        if isinstance(self.data, tuple):
            picked: ColumnData = tuple(c[rows] for c in self.data)
        else:
            picked = self.data[rows]
        few = Columns(picked, self.names, missing=self.missing, offset=self.offset)
        out = np.empty((len(rows), self.shape[1]))
        for at, block in few.blocks():
            out[at] = block
        return out

    def rows(self, which: RowIndex) -> Columns:
        """Some of the rows: a slice, which is a view, or their numbers."""
        if isinstance(self.data, tuple):
            data: ColumnData = tuple(chosen(c, which) for c in self.data)
        elif sp.issparse(self.data) and isinstance(which, slice) and which.step is None:
            start, stop, _ = which.indices(len(self))
            data = sparse_slice(self.data, start, max(start, stop))
        elif isinstance(which, slice) or sp.issparse(self.data):
            data = self.data[which]
        else:
            data = self.data.take(which, axis=0)
        offset, kept = self.offset, self.kept
        if kept is not None:
            kept = kept[which]
        elif isinstance(which, slice):
            offset += which.start
        else:
            kept = which
        return self.other_rows(data, offset, kept)

    def other_rows(self, data: ColumnData, offset: int, kept: Codes | None) -> Columns:
        """Other rows of the same columns, with their numbers."""
        return type(self)(data, self.names, missing=self.missing, offset=offset, kept=kept, place=self.place)

    def select(self, which: Codes) -> Columns:
        """Some of the columns, by their numbers."""
        if np.array_equal(which, np.arange(self.shape[1])):
            return self
        if isinstance(self.data, tuple) and len(which):
            data: ColumnData = tuple(self.data[j] for j in which)
        else:
            data = np.empty((len(self), 0)) if isinstance(self.data, tuple) else self.data[:, which]
        names = None if self.names is None else [self.names[j] for j in which]
        found = self.other_columns(data, names, self.missing)
        if isinstance(self.place, MadeBy):
            found.place = self.place.select(which)
        return found

    def other_columns(self, data: ColumnData, names: Sequence[str] | None, missing: bool) -> Columns:
        """Other columns of the same rows."""
        kind = columns_class(data)
        return kind(data, names, missing=missing, offset=self.offset, kept=self.kept, place=self.place)

    def numbers(self) -> Codes:
        """The number in the source of each row."""
        at = np.arange(len(self)) if self.kept is None else self.kept
        return self.offset + np.asarray(at, dtype=np.int64)

    def blocks(
        self,
        rows: int | None = None,
        *,
        shift: Array | None = None,
        dtype: DTypeLike | None = np.float64,
        checked: bool = True,
        whole: bool = False,
    ) -> Iterator[tuple[slice, Array]]:
        """Yield `(rows, block)`: consecutive rows of the columns minus `shift`, in C order.

        The block may be a view of the data or one buffer used again and again: read it before
        the next one. `dtype=None` keeps the data's own type. With `checked=False` the caller looks
        at its own sums afterwards (`check_sums`). With `whole=True` what can be viewed comes in one piece,
        for kernels that cut it at multiples of `rows` themselves: bits are then the same for all forms.
        """
        n, p = self.shape
        rows = rows or self.block_rows()
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        view = (
            isinstance(self.data, np.ndarray)
            and self.data.dtype == dtype
            and self.data.flags.c_contiguous
            and shift is None
        )
        if not view:
            buffer = np.empty((min(rows, n), p), dtype)
            shift = np.zeros(p, dtype) if shift is None else shift.astype(dtype, copy=False)
        if view and whole:
            rows = max(n, 1)
        for start in range(0, n, rows):
            stop = min(start + rows, n)
            if view:
                block = self.data[start:stop]
                if checked:
                    self._check(block, start)
            else:
                block = buffer[: stop - start]
                self._fill(start, stop, shift, block, checked)
                block = block.view()
                block.flags.writeable = False
            yield slice(start, stop), block

    def unchecked(self) -> Array:
        """Return all rows as a float64 array in C order, for callers that look at their own sums."""
        if isinstance(self.data, np.ndarray) and self.data.dtype == np.float64 and self.data.flags.c_contiguous:
            return self.data
        rows = np.empty(self.shape)
        for some, block in self.blocks(checked=False, whole=True):
            rows[some] = block
        rows.flags.writeable = False
        return rows

    def check(self) -> None:
        """Look for NaN and infinity, and refuse them: for callers that read without checking and got none."""
        for _ in self.blocks():
            pass

    def check_sums(self, sums: Array) -> None:
        """Look for NaN and infinity, and refuse them, if sums of squares, by column, are not finite."""
        fine = np.isfinite(sums)
        if not fine.all():
            self.check()
            j = int(np.argwhere(~fine)[0][-1])
            raise DataError(f"{self._column(j)} is too large to be squared. Remedy: rescale it, tenfold.MaxAbsScaler()")

    def _fill(self, start: int, stop: int, shift: Array | None, block: Array, checked: bool) -> None:
        if isinstance(self.data, tuple):
            copy_columns(self.addresses, self.data[0][:0], start, stop, shift, block)
            if checked and not _sums_up(block):
                for j, column in enumerate(self.data):
                    self._check(column[start:stop, None], start, j)
            return
        if sp.issparse(self.data):
            stored = self.data
            if copy_sparse(stored.data, stored.indices, stored.indptr, start, stop, shift, block):
                self._check(self.data[start:stop].toarray(), start)
            return
        rows = self.data[start:stop]
        if not rows.flags.c_contiguous:
            rows = np.ascontiguousarray(rows)
        if copy_rows(rows, shift, block):
            self._check(rows, start)

    def sparse(self) -> CSR:
        """The CSR matrix itself, its explicit values checked (zeros are finite)."""
        self._check(self.data.data[:, None], 0, None)
        return self.data

    def entries(self) -> CSR:
        """The CSR matrix, in which each place is stored once: parts of a number, as SciPy allows them, are added up."""
        stored = self.sparse()
        if stored.has_canonical_format:
            return stored
        stored = stored.copy()
        stored.sum_duplicates()
        return stored

    def scaled(self, scale: Array, shift: Array | None = None) -> Matrix:
        """(x - shift) / scale, in the float type of x; a CSR matrix (without shift) stays one."""
        if sp.issparse(self.data) and shift is None:
            stored = self.sparse()
            by = (1 / scale).astype(self.dtype)
            return sp.csr_array((stored.data * by[stored.indices], stored.indices, stored.indptr), self.shape)
        out = np.empty(self.shape, self.dtype)
        for rows, block in self.blocks(shift=shift):
            np.divide(block, scale, out=out[rows], casting="same_kind")
        return out

    def __matmul__(self, weights: Array) -> Array:
        """The product with a vector or matrix of weights, in float64."""
        if sp.issparse(self.data):
            return np.asarray(self.sparse() @ weights, dtype=np.float64)
        out = np.empty((len(self), *weights.shape[1:]))
        for rows, block in self.blocks():
            np.matmul(block, weights, out=out[rows])
        return out

    def _check(self, block: Values, start: int, column: int | None = -1) -> None:
        """Refuse NaN (unless it may pass) and infinity: a sum in cache, a search only if it fails.

        The block has all columns from the row `start` on; or one column; or (None) the entries of a CSR matrix.
        """
        if _sums_up(block):
            return
        wrong = np.isinf(block) if self.missing else ~np.isfinite(block)
        if not wrong.any():
            return
        i, j = (int(k) for k in np.argwhere(wrong)[0])
        what = "NaN" if np.isnan(block[i, j]) else "infinity or a value too large for its type"
        remedy = REMEDY_FOR_NAN if what == "NaN" else "replace infinite values"
        if column is None:  # one of the entries that a CSR matrix stores
            i, j = int(np.searchsorted(self.data.indptr, i, "right")) - 1, int(self.data.indices[i])
        j = j if column in (-1, None) else column
        raise DataError(f"Input X contains {what} in {self.where(start + i, j)}. Remedy: {remedy}.")

    def _column(self, j: int) -> str:
        """Column j, as messages name it."""
        return _column(self.names, self.place, j)

    def where(self, i: int, j: int) -> str:
        """Row i of column j, as messages name it."""
        place = self.origin
        before = place.first if isinstance(place, InFile) else 0
        return f"{self._column(j)}, row {self.row(i) - before}"

    @property
    def origin(self) -> str:
        """The place that the rows were read from, whatever transformers they went through."""
        place = self.place
        while isinstance(place, MadeBy):
            place = place.place
        return place

    def row(self, i: int) -> int:
        """The number in the source of row i of these."""
        return self.offset + (i if self.kept is None else int(self.kept[i]))


def _sums_up(block: Values) -> bool:
    """Whether the sum is finite, as a cheap test in cache: an overflow may be a false alarm, examined later."""
    if block.flags.c_contiguous and block.dtype.kind == "f":
        return bool(all_finite(block))
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(np.add.reduce(block, axis=None))


class TextColumns(Columns):
    """The X of a chunk of text: strings, or None where one is missing; read by `column` only."""

    __slots__ = ()

    def column(self, j: int) -> Values:
        # Column `j`: an array of strings (and None, if what is missing may pass).
        texts: Values = self.data[j]
        if not self.missing and texts.dtype.hasobject:
            gone = np.flatnonzero(np.equal(texts, np.array(None, dtype=object)))
            if len(gone):
                name, place = self.names[j] if self.names is not None else f"x{j}", self.where(int(gone[0]), j)
                raise DataError(f"Input X contains no text in {place}: it is missing. Remedy: {remedy_for_text(name)}")
        return texts

    def take(self, rows: Codes) -> NoReturn:
        raise self._no_numbers()

    def blocks(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise self._no_numbers()

    def _no_numbers(self) -> TypeError:
        return TypeError("these columns are text, and have no numbers: read them by X.column(j)")


class MixedColumns(TextColumns):
    """The X of a chunk with both text and numeric columns: `select` returns those of one kind."""

    __slots__ = ()

    def __init__(self, data: ColumnData, names: Sequence[str] | None = None, **more: Any) -> None:
        super().__init__((), names, **more)
        self.data, self.shape = data, (len(data[0]), len(data))


def columns_class(data: ColumnData) -> type[Columns]:
    """Return the class of columns for numbers, for text, or for both."""
    text = {c.dtype.hasobject for c in data} if isinstance(data, tuple) else {False}
    return MixedColumns if len(text) > 1 else TextColumns if text == {True} else Columns


def sparse_slice(matrix: CSR, start: int, stop: int) -> CSR:
    """Rows of a CSR matrix as a view: its own slices are copies."""
    first, last = matrix.indptr[start], matrix.indptr[stop]
    ends = matrix.indptr[start : stop + 1] - first
    some = (matrix.data[first:last], matrix.indices[first:last], ends)
    return type(matrix)(some, shape=(stop - start, matrix.shape[1]))


def _unpickled(
    kind: type[Columns], data: Any, names: Any, missing: bool, offset: int, kept: Any, place: str
) -> Columns:
    return kind(data, names, missing=missing, offset=offset, kept=kept, place=place)


def remedy_for_text(name: str) -> str:
    """What to do about a column of text that is missing in some rows: of any source, of a frame, or of files."""
    return (
        f"TextFeatures(missing='empty'); or fill it with empty text, X.fillna({{{name!r}: ''}}) of a frame, "
        f"rows.with_columns(**{{{name!r}: tenfold.col({name!r}).fill_null('')}}) of a source; or leave out the rows "
        f"that miss it, tenfold.scan(..., where=[({name!r}, '!=', None)])"
    )
