"""Arrays and frames in memory as a source: equal slices of their rows are the parts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from functools import lru_cache, partial
from typing import Any, Self

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from tenfold.core import (
    AnyColumn,
    Array,
    Chunk,
    Codes,
    Column,
    ColumnData,
    DataError,
    Labels,
    Need,
    Schema,
    Values,
    VectorLike,
)
from tenfold.core.arrays import ones
from tenfold.core.need import Kinds, Target
from tenfold.core.rows.columns import columns_class, sparse_slice
from tenfold.core.schema import is_text, plain_columns
from tenfold.sources import validation
from tenfold.sources.label_codes import class_codes, code, dates, levels, texts
from tenfold.sources.source import Source

_part_rows: ContextVar[int | None] = ContextVar("part_rows", default=None)


FLOATS = frozenset(map(np.dtype, ("f4", "f8")))
"""types of numbers that are read as they are"""


@contextmanager
def part_rows(rows: int) -> Iterator[None]:
    """Cut arrays into parts of n rows, to see the effect of merging on small data."""
    token = _part_rows.set(rows)
    try:
        yield
    finally:
        _part_rows.reset(token)


def even_cuts(n_rows: int) -> Codes:
    """Where rows in memory are cut into parts: it follows from their number alone."""
    rows = _part_rows.get() or min(max(n_rows // 16, 4096), 65536)
    parts = max(1, -(-n_rows // rows))
    return np.array([0, n_rows]) if parts == 1 else np.linspace(0, n_rows, parts + 1).astype(int)


@lru_cache(maxsize=32)
def _numbered(width: int) -> tuple[str, ...]:
    """Names for columns that have none."""
    return tuple(f"x{j}" for j in range(width))


@lru_cache(maxsize=64)
def _plain_schema(names: tuple[str, ...], kinds: Kinds, target: Target | None, named: bool) -> Schema:
    """Return the schema of columns without categories and a target without classes, cached by its shape."""
    kind = Need(kinds).plain("")
    columns = plain_columns(names) if kind == "numeric" else tuple(Column(name, kind) for name in names)
    return Schema(columns, target, None, named)


class ArraySource(Source):
    """Source of rows in memory.

    Parameters
    ----------
    X : 2-D array, CSR matrix, or tuple of 1-D arrays
    y : 1-D array, optional
        Or 2-D: a target of several columns.
    weight : 1-D float64 array, optional
        Rows of weight zero do not exist.
    names : sequence of str, optional
        Names the user gave to the columns.
    classes : 1-D array, optional
        Classes the target may have beyond those it has.
    target : str
        Name of the target in error messages.
    """

    at_hand = True

    def __init__(
        self,
        X: ColumnData,
        y: Values | None = None,
        weight: Array | None = None,
        names: Sequence[str] | None = None,
        classes: Labels | None = None,
        target: str = "the target",
    ) -> None:
        super().__init__()
        self.target = target
        self.X, self.y, self.weight, self.classes = X, y, weight, classes
        self.seen_classes: Labels | None = None
        """sorted classes of the target, once they have been computed"""
        self.counted: int = len(X[0]) if isinstance(X, tuple) else X.shape[0]
        width = len(X) if isinstance(X, tuple) else X.shape[1]
        self.named = names is not None
        self.names = _numbered(width) if names is None else tuple(str(n) for n in names)
        self._cuts = even_cuts(self.counted)

    def __len__(self) -> int:
        return len(self._cuts) - 1

    def preview(self, part: int, rows: int | None = None) -> Iterator[pa.Table]:
        # Yield the first rows of a part: the columns, then target and weights under these names.
        first = self._cuts[part]
        end = self._cuts[part + 1]
        some = slice(first, end if rows is None else min(first + rows, end))
        if isinstance(self.X, tuple):
            found = [values[some] for values in self.X]
        else:
            found = list((self.X[some].toarray() if sp.issparse(self.X) else self.X[some]).T)
        table = dict(zip(self.names, map(np.ascontiguousarray, found), strict=True))
        for at in range(self.outputs):
            table[f"target_{at}"] = np.ascontiguousarray(self._target_table()[some, at])
        for role, values in (("target", None if self.outputs else self.y), ("weight", self.weight)):
            if values is not None:
                table[role] = np.ascontiguousarray(values[some])
        yield pa.table(table)

    def role_text(self) -> str:
        said = f", with a target of {self.outputs} columns" if self.outputs else ", with a target"
        return (said if self.y is not None else "") + super().role_text()

    @property
    def outputs(self) -> int:
        return self.y.shape[1] if self.y is not None and self.y.ndim == 2 else 0

    def output(self, at: int) -> Self:
        if not self.outputs:
            return super().output(at)
        other = copy(self)
        other.y, other._found = self._target_table()[:, at], {}
        return other

    def scans_for(self, need: Need) -> bool:
        return (need.target == "class" and self._all_classes is None) or self._has_categories(need)

    @property
    def _all_classes(self) -> Labels | None:
        """The classes of all rows, if they are known and no row is left out."""
        return self.seen_classes if self.weight is None else None

    def _has_categories(self, need: Need) -> bool:
        """Whether some column enters as categories: where both are taken, columns of text among others."""
        kinds = need.every_kind
        if "mixed" in kinds and isinstance(self.X, tuple) and any(c.dtype.kind not in "biuf" for c in self.X):
            return True
        return "categorical" in kinds

    def schema_of(self, part: int, need: Need) -> Schema:
        if not need.each:
            plain = _plain_schema(self.names, need.kinds, need.target, self.named)
        else:
            plain = Schema(tuple(Column(n, need.plain(n)) for n in self.names), need.target, None, self.named)
        if need.target != "class" and not self._has_categories(need):
            return plain
        rows, keep = self._rows(part)
        columns = plain.columns
        if self._has_categories(need):
            each = enumerate(self.names)
            columns = tuple(self._column(name, self._values(j, rows, keep), need) for j, name in each)
        classes = None
        if need.target == "class":
            classes = self._all_classes
            if classes is None:
                classes = validation.class_levels(_pick(self._target(), rows, keep), self.target)
            if self.classes is not None:
                classes = np.union1d(levels(self.classes, "classes"), classes)
        return Schema(columns, need.target, classes, self.named)

    def _column(self, name: str, values: Values, need: Need) -> Column:
        kind = need.kind_of(name)
        if kind not in ("mixed", "categorical") or (kind == "mixed" and values.dtype.kind in "biuf"):
            return Column(name, need.plain(name))
        found = levels(values, f"column {name!r}")
        return Column(name, "categorical", found.astype(object) if is_text(found) else found)

    def read(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        rows, keep = self._rows(part)
        n = rows.stop - rows.start if keep is None else len(keep)
        data: ColumnData
        if not schema.columns:
            data = np.empty((n, 0))
        elif sp.issparse(self.X) and all(column.kind == "unused" for column in schema.columns):
            data = sp.csr_array((n, len(schema.columns)), dtype=np.float32)
        elif self._has_categories(need) or not schema.plain:
            data = self._coded(rows, keep, need, schema)
        elif isinstance(self.X, tuple):
            each = zip(self.names, self.X, strict=True)
            data = tuple(validation.numbers(_pick(c, rows, keep), f"column {name!r}") for name, c in each)
        else:
            data = _pick(self.X, rows, keep)
            data = data if data.dtype in FLOATS else validation.numbers(data, "X")
        weight = None if self.weight is None else _pick(self.weight, rows, keep)
        y = None
        if need.target is not None:
            y = _pick(self._target(), rows, keep)
            if need.target == "class":
                y = class_codes(y, schema.classes)
            elif y.dtype != np.float64 or not y.flags.c_contiguous:
                y = validation.number_target(y, self.target)
        yield Chunk(
            X=columns_class(data)(data, schema.names, missing=need.missing, offset=rows.start, kept=keep),
            y=y,
            weight=ones(n) if weight is None else weight,
            uniform=weight is None,
            part=part,
            offset=rows.start,
            dropped=rows.stop - rows.start - n,
            side=self._sides(need, rows, keep) if need.side or self.side else {},
            first_row_id=self.first_row_id(part),
        )

    def _coded(self, rows: slice, keep: Codes | None, need: Need, schema: Schema) -> ColumnData:
        out: list[Values] = []
        for j, column in enumerate(schema.columns):
            values = self._values(j, rows, keep)
            where = f"column {column.name!r}"
            if column.kind == "unused":
                out.append(np.zeros(len(values), np.float32))
                continue
            if column.kind == "text":
                out.append(validation.present(texts(values, where), need, where, rows.start, keep))
                continue
            if column.kind == "date":
                out.append(dates(values, where))
                continue
            if column.kind == "numeric":
                if is_text(values):
                    raise DataError(f"{where} held numbers when the model was fitted, and holds text now")
                out.append(validation.number_target(values, where))
                continue
            codes = code(values, column.categories, where)
            if not need.missing and np.isnan(codes).any():
                i = int(np.flatnonzero(np.isnan(codes))[0])
                at = rows.start + (i if keep is None else int(keep[i]))
                raise DataError(
                    f"Input X contains NaN in {where}, row {at}. Remedy: {validation.MISSING_CATEGORY_REMEDY}"
                )
            out.append(codes)
        return tuple(out)

    def _sides(self, need: Need, rows: slice, keep: Codes | None) -> dict[str, Values]:
        """What comes along with some rows, by name."""
        return {name: _pick(self._side(name), rows, keep) for name in dict.fromkeys((*need.side, *self.side))}

    def _side(self, name: str) -> AnyColumn:
        """A column that comes along: given with the rows, or one of them."""
        if name in self.side and not isinstance(self.side[name], str):
            return self.side[name]
        name = self.side.get(name, name)
        self.check_there([name])
        j = self.names.index(name)
        if sp.issparse(self.X):
            return self.X[:, [j]].toarray().ravel()
        return self.X[j] if isinstance(self.X, tuple) else self.X[:, j]

    def _target(self) -> Values:
        y = self._target_table()
        if y.ndim == 2:
            raise validation.refuse_outputs(y.shape[1], "y[:, 0]")
        return y

    def _target_table(self) -> Values:
        if self.y is None:
            raise DataError("the target is missing. Remedy: pass it, tenfold.scan(X, target=y)")
        return self.y

    def _values(self, j: int, rows: slice, keep: Codes | None) -> Values:
        if isinstance(self.X, tuple):
            return _pick(self.X[j], rows, keep)
        if sp.issparse(self.X):
            raise validation.refuse_sparse(self.X.shape, validation.NO_CATEGORIES)
        return _pick(self.X[:, j], rows, keep)

    @property
    def columns(self) -> Sequence[str]:
        return self.names if self.named else ()

    def without(self, *columns: str) -> Self:
        # The same rows; these columns are no features any more, and come along.
        self.check_there(columns)
        other = copy(self)
        other.side = {**self.side, **{name: self._side(name) for name in columns}}
        kept = [j for j, name in enumerate(self.names) if name not in columns]
        other.X = tuple(self.X[j] for j in kept) if isinstance(self.X, tuple) else self.X[:, kept]
        other.names = tuple(self.names[j] for j in kept)
        other._found = {}
        return other

    def target_values(self) -> Values | None:
        return self.y

    def arrays(self) -> tuple[Any, ...]:
        data = self.X if isinstance(self.X, tuple) else (self.X,)
        return (*data, self.y, self.weight, self.classes, *self.given_side())

    def in_memory(self) -> int:
        some = [d for d in self.arrays() if d is not None]
        pieces = [p for d in some for p in ((d.data, d.indices, d.indptr) if sp.issparse(d) else (d,))]
        return sum(np.asarray(p).nbytes for p in pieces)

    def fingerprints(self, y: VectorLike, weight: VectorLike) -> set[str]:
        return fingerprints_of(self, y, weight)

    def _rows(self, part: int) -> tuple[slice, Codes | None]:
        """The rows of a part, and which of them have a weight (None: all)."""
        rows = slice(int(self._cuts[part]), int(self._cuts[part + 1]))
        if self.weight is None:
            return rows, None
        weight = self.weight[rows]
        return rows, (None if weight.all() else np.flatnonzero(weight))

    def fingerprint(self) -> str:
        # Of shape, names, and up to 64 rows spread over the data: cheap, and good to tell apart.
        return self.fingerprint_later()()

    def fingerprint_later(self) -> Callable[[], str]:
        at = _spread(self.counted)
        every = (*(self.X if isinstance(self.X, tuple) else (self.X,)), self.y, self.weight)
        some = []
        for values in every:
            if values is not None:
                some.append(values[at].toarray() if sp.issparse(values) else np.asarray(values)[at])
        return partial(_fingerprint, self.counted, self.names, some)


def _fingerprint(rows: int, names: tuple[str, ...], some: list[Values]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    digest.update(repr((rows, names)).encode(errors="backslashreplace"))
    for values in some:
        text = repr(values.tolist()).encode(errors="backslashreplace") if values.dtype.hasobject else values.tobytes()
        digest.update(text)
    return f"array {rows} x {len(names)}, {digest.hexdigest()}"


@lru_cache(maxsize=32)
def _spread(rows: int) -> Codes:
    """Return up to 64 evenly spread of n rows."""
    found = np.unique(np.linspace(0, max(rows - 1, 0), 64).astype(int))[:rows]
    found.flags.writeable = False
    return found


def fingerprints_of(source: Any, y: VectorLike, weight: VectorLike) -> set[str]:
    """Return the fingerprints of rows in memory, with a target and weights or without."""
    found = {source.fingerprint()}
    for target, row_weight in ((y, weight), (y, None), (None, weight), (None, None)):
        some = copy(source)
        some.y, some.weight = target, row_weight
        found.add(some.fingerprint())
    return found


def _pick(values: Values, rows: slice, keep: Codes | None) -> Values:
    some = sparse_slice(values, rows.start, rows.stop) if sp.issparse(values) else values[rows]
    return some if keep is None else some[keep]
