"""Terms as numbers: a feature for each hash value, so that there is no vocabulary.

The feature of a term is |h| mod n, with h its MurmurHash3, as in scikit-learn's `HashingVectorizer`. Where words are
cut in the plain way a kernel does all of it, over the UTF-8 bytes of the documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tenfold.compiled.rows.hashing import cut_words, hash_terms
from tenfold.core import CSR, Array, Chunk, Codes, Letters, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.rows.texts import filled, pack
from tenfold.core.statistic import Grouped
from tenfold.core.value import Value
from tenfold.estimator.analyzers import TOKEN_PATTERN, Analyzer

FIRST_NON_ASCII = 0x80
FIRST_NON_LETTER = 0x40000
"""code points from here on are no letters, in any version of Unicode so far"""
BYTES_PER_BLOCK = 1 << 20
"""bytes of documents that are cut at a time, or one document"""


class Hashing(Value):
    """How documents become rows of hashed terms."""

    analyzer: Analyzer
    features: int
    signed: bool

    def counted(self, texts: list[str]) -> CSR:
        """Number of occurrences of the terms of each feature in each text; if signed, some of them count minus one."""
        if not texts:
            return sp.csr_array((0, self.features))
        if not self._plain:
            return self._analyzed(texts)
        letters, ends = pack(texts)
        parts = [self._cut(letters, ends, *some) for some in _blocks(ends)]
        return sp.vstack(parts, format="csr") if len(parts) > 1 else parts[0]

    @property
    def _plain(self) -> bool:
        """Whether words are cut as the kernel does it."""
        a = self.analyzer
        plain = a.analyzer == "word" and a.token_pattern == TOKEN_PATTERN
        return plain and a.strip_accents is None and a.stop_words is None and a.stemmer is None

    def _cut(self, letters: Letters, ends: Codes, begin: int, end: int) -> CSR:
        """Hash the terms of the texts from `begin` to `end`."""
        start = int(ends[begin - 1]) if begin else 0
        some = letters[start : int(ends[end - 1])]
        table = letter_table(
            bool(self.analyzer.lowercase),
            FIRST_NON_LETTER if len(some) and some.max() >= FIRST_NON_ASCII else FIRST_NON_ASCII,
        )
        out = np.empty(2 * len(some) + 2, np.uint8)
        starts, stops = np.empty((2, len(some) // 2 + 1), np.int64)
        last = np.empty(end - begin, np.int64)
        cut_words(some, ends[begin:end] - start, table, out, starts, stops, last)
        return self._hashed(out, starts, stops, last, *self.analyzer.ngram_range)

    def _analyzed(self, texts: list[str]) -> CSR:
        """Hash the terms that an analyzer returns."""
        analyze = self.analyzer.build()
        terms = [analyze(text) for text in texts]
        letters, stops = pack([term for some in terms for term in some])
        starts = np.append(0, stops)[:-1]
        last = np.cumsum([len(some) for some in terms], dtype=np.int64)
        return self._hashed(letters, starts, stops, last, 1, 1)

    def _hashed(self, letters: Letters, starts: Codes, stops: Codes, last: Codes, low: int, high: int) -> CSR:
        """The row of each document: runs of `low` to `high` of its words, each at its feature."""
        words = np.diff(last, prepend=0)
        length = sum(np.maximum(words - n + 1, 0) for n in range(low, high + 1))
        first = np.append(0, np.cumsum(length))
        columns, values = np.empty(first[-1], np.int32), np.empty(first[-1])
        hash_terms(letters, starts, stops, last, low, high, self.features, self.signed, columns, values)
        kind = np.int32 if first[-1] < 2**31 else np.int64
        shape = (len(last), self.features)
        found = sp.csr_array((values, columns.astype(kind, copy=False), first.astype(kind)), shape=shape)
        found.sum_duplicates()
        return found


def _blocks(ends: Codes) -> Iterator[tuple[int, int]]:
    """Cut documents into blocks of few bytes: the first document of each, and the one after its last."""
    begin, done = 0, 0
    while begin < len(ends):
        end = max(int(np.searchsorted(ends, done + BYTES_PER_BLOCK, side="right")), begin + 1)
        yield begin, end
        begin, done = end, int(ends[end - 1])


@lru_cache(maxsize=4)
def letter_table(lowercase: bool, last: int) -> NDArray[np.int32]:
    r"""Table of the letter for each code point, 0 if it does not match `\w`; lowercase, if so.

    A letter that becomes two, as the Turkish dotted capital I, is unchanged; and a capital sigma at the end of a word
    becomes a sigma as within a word.
    """
    table = np.zeros(last, np.int32)
    for point in range(last):
        letter = chr(point)
        if letter.isalnum() or letter == "_":
            small = letter.lower() if lowercase else letter
            table[point] = ord(small) if len(small) == 1 else point
    return table


class HashedCounts(Mergeable):
    """The weight of the documents that have a term of each feature, and of all documents."""

    exact: ClassVar[bool] = True
    documents: Annotated[Array, "bucket", NOT_NEGATIVE]
    weight: Annotated[float, NOT_NEGATIVE]
    by_weight = ("documents", "weight")


class HashedFrequencies(Grouped[HashedCounts]):
    """Document frequency of each feature of hashed terms."""

    hashing: Hashing

    def summarize(self, chunk: Chunk) -> HashedCounts:
        found = self.hashing.counted(filled(chunk.X.column(0)))
        weight = np.repeat(chunk.weight, np.diff(found.indptr))
        documents = np.bincount(found.indices, weight, self.hashing.features).astype(np.float64)
        return HashedCounts(documents, float(chunk.weight.sum()))
