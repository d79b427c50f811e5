"""Hashes of a sample of training rows, to detect test rows that were trained on.

Rows are looked at as the learner got them: those that a filter left and that have a weight. A row is hashed by the
values of its first columns, rounded to float32, and by the labels of categories; so the same row from an array of
another type, a slice, a copy of the file or a frame has the same hash. Of each chunk some rows are hashed, evenly
spread; of these the least hashes are kept, so that marks merge.

Whoever asks later whether rows were trained on hashes all of them. Rows of few values are equal by chance: how many
pairs of rows are equal on either side says how many marks would be met without a row in common.
"""

from __future__ import annotations

import hashlib
import zlib

import numpy as np
import scipy.sparse as sp
from scipy import special

from tenfold.compiled.rows.row_hashes import mark_rows
from tenfold.core.arrays import Array, Bits, Labels
from tenfold.core.rows.columns import Columns
from tenfold.core.schema import Schema, is_text

MAX_HASHES = 512
"""marks of a model, at most"""
DIGITS_PER_HASH = 12
HASHED_COLUMNS = 6
"""a row is hashed by its first columns only"""
CACHED_ROWS, HASHES_OF_CACHED, HASHES_OF_LARGE, MAX_STEP = 8192, 512, 64, 1024
"""number of rows hashed: HASHES_OF_CACHED of a chunk of at most CACHED_ROWS, which is in cache; of a larger one
HASHES_OF_LARGE, or one row in MAX_STEP if those are more: each is a fetch from memory, which fits of one pass feel"""
CHANCE_LIMIT = 1e-3
"""how often rows that were not trained on are taken for such, at most, where rows are independent"""
MAX_EXACT_FLOAT32 = 2.0**24
"""integers up to here are exact in float32; larger ones are not rounded to it"""


class RowSketch:
    """The least distinct hashes of some rows, and how often these are equal."""

    def __init__(self, hashes: Bits, pairs: int = 0, equal: int = 0) -> None:
        self._made: tuple[Bits, int, int] | Array = (hashes, pairs, equal)

    @classmethod
    def of(cls, X: Columns, schema: Schema) -> RowSketch:
        """Return the sketch of a chunk: some rows are copied now, and hashed on first access."""
        n = X.shape[0]
        step = n // HASHES_OF_CACHED if n <= CACHED_ROWS else min(n // HASHES_OF_LARGE, MAX_STEP)
        later = cls.__new__(cls)
        later._made = _values(X, schema, max(1, step))
        return later

    def _computed(self) -> tuple[Bits, int, int]:
        if isinstance(self._made, np.ndarray):
            distinct, pairs, equal = _compared(_hashes(self._made))
            self._made = (distinct[:MAX_HASHES], pairs, equal)
        return self._made

    @property
    def hashes(self) -> Bits:
        """The least distinct hashes of the rows, sorted."""
        return self._computed()[0]

    @property
    def pairs(self) -> int:
        """Number of pairs of rows that were compared."""
        return self._computed()[1]

    @property
    def equal(self) -> int:
        """Number of compared pairs whose rows are equal."""
        return self._computed()[2]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowSketch) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[type[RowSketch], tuple[Bits, int, int]]:
        """Hashes travel, and not the values of rows."""
        return RowSketch, self._computed()

    @classmethod
    def read(cls, text: str) -> RowSketch:
        """Parse the text that `str` returns."""
        pairs, equal, some = text.split(".") if text else ("0", "0", "")
        return cls(np.array([int(word, 16) for word in words(some)], dtype=np.uint64), int(pairs, 16), int(equal, 16))

    def __add__(self, other: RowSketch) -> RowSketch:
        hashes = np.unique(np.concatenate([self.hashes, other.hashes]))[:MAX_HASHES]
        return RowSketch(hashes, self.pairs + other.pairs, self.equal + other.equal)

    def __str__(self) -> str:
        some = self.hashes.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 2:].tobytes().hex()  # the low 48 bits
        return f"{self.pairs:x}.{self.equal:x}.{some}" if some else ""

    def overlap(self, hashes: Bits, made: int) -> float:
        """Share of rows, given by their hashes, among the `made` rows of which these are the marks; 0 if by chance.

        If no rows are in common, a mark is as likely to be equal to a row as two marks, or two rows, are to each
        other: of all equal pairs, those of a mark and a row are a share that is known (a conditional test).
        """
        if not len(self.hashes) or not len(hashes):
            return 0.0
        distinct, pairs, equal = _compared(hashes)
        found = int(np.isin(self.hashes, distinct, assume_unique=True).sum())
        crossed = len(self.hashes) * len(hashes)
        share = crossed / (crossed + pairs + self.pairs)
        if not found or special.bdtrc(found - 1, found + equal + self.equal, share) >= CHANCE_LIMIT:
            return 0.0
        among = found / len(self.hashes) * made / len(hashes)
        return 1.0 if among > 0.98 else among


def _compared(hashes: Bits) -> tuple[Bits, int, int]:
    """The distinct ones; how many pairs there are, and how many equal ones."""
    n = len(hashes)
    ordered = np.sort(hashes)
    new = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if len(new) + 1 >= n:  # all are
        return ordered, n * (n - 1) // 2, 0
    starts = np.concatenate([[0], new])
    count = np.diff(starts, append=n)
    return ordered[starts], n * (n - 1) // 2, int((count * (count - 1) // 2).sum())


def row_hashes(X: Columns, schema: Schema, step: int = 1) -> Bits:
    """48 bits for every row, or for one of every `step`."""
    return _hashes(_values(X, schema, step))


def _hashes(values: Array) -> Bits:
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(np.float32) + np.float32(0)  # -0.0 is 0.0
    out = np.empty(len(values), np.uint64)
    mark_rows(values, single.view(np.uint32), MAX_EXACT_FLOAT32, out)
    return out


def _values(X: Columns, schema: Schema, step: int) -> Array:
    """Return the first columns of some rows as float64, with categories as numbers computed from their labels."""
    data, wide = X.data, min(HASHED_COLUMNS, X.shape[1])
    if isinstance(data, tuple):
        out = np.empty((len(range(0, len(X), step)), wide))
        for j in range(wide):
            some = data[j][::step]
            out[:, j] = _numbers_for(some.tolist()) if schema.columns[j].kind == "text" else some
    elif sp.issparse(data):
        out = np.asarray(data[::step][:, :wide].toarray(), dtype=np.float64)
    else:
        out = np.array(data[::step, :wide], dtype=np.float64)
    for j, column in enumerate(() if schema.plain else schema.columns[:wide]):
        if column.kind == "categorical":
            out[:, j] = _labels(out[:, j], column.categories)
    return out


def _labels(codes: Array, categories: Labels) -> Array:
    """Return numbers that represent labels: the labels themselves if they are numeric."""
    known = codes >= 0
    used, at = np.unique(codes[known].astype(np.int64), return_inverse=True)
    labels = [categories[k] for k in used.tolist()]
    if is_text(categories):
        labels = _numbers_for(labels)
    out = np.where(np.isnan(codes), np.nan, -1.0)
    out[known] = np.array(labels, dtype=np.float64)[at]
    return out


def _numbers_for(texts: list[str | None]) -> list[float]:
    """Return numbers that represent texts, with NaN for a missing one."""
    return [np.nan if t is None else float(zlib.crc32(str(t).encode(errors="backslashreplace"))) for t in texts]


def words(text: str) -> list[str]:
    """The hashes of a text, one by one."""
    return [text[i : i + DIGITS_PER_HASH] for i in range(0, len(text), DIGITS_PER_HASH)]


def digest_of(text: str) -> str:
    """A hash of a text, as long as a mark."""
    return hashlib.blake2b(text.encode(errors="backslashreplace"), digest_size=DIGITS_PER_HASH // 2).hexdigest()


def united(a: str, b: str) -> str:
    """The marks of the rows of both."""
    return str(RowSketch.read(a) + RowSketch.read(b))
