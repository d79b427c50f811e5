"""In how many documents each term is, and how often: the counts that tf-idf and a vocabulary are made of.

df_t = Σ_d w_d [t in d] and tf_t = Σ_d w_d n_dt merge by addition, term by term; a term that one side lacks is zero
there. If the terms do not fit into memory, the most frequent ones are kept: `FrequentTerms` holds at most this many of
them, and bounds the error of their counts (Misra and Gries; merged as Agarwal and others do, "Mergeable
summaries", 2012).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Self

import numpy as np

from tenfold.core import CSR, Array, Chunk, Codes, Letters, Mergeable, Schema, Values
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE, Between
from tenfold.core.rows.texts import are_texts, pack, unpack
from tenfold.core.statistic import Grouped
from tenfold.estimator.analyzers import Analyzer, counted, counted_terms


class TermCounts(Mergeable):
    """The terms of some documents, sorted: the weight of documents that have each, and how often it occurs in them."""

    exact: ClassVar[bool] = True
    letters: Annotated[Letters, "byte"]
    ends: Annotated[Codes, "entry", COUNTS]
    documents: Annotated[Array, "entry", NOT_NEGATIVE]
    times: Annotated[Array, "entry", NOT_NEGATIVE]
    weight: Annotated[float, NOT_NEGATIVE]
    """of all documents"""
    by_weight: ClassVar[tuple[str, ...]] = ("documents", "times", "weight")

    @property
    def terms(self) -> list[str]:
        """The terms that were counted, as texts."""
        return unpack(self.letters, self.ends)

    def __add__(self, other: Self) -> Self:
        if not len(self.ends) or not len(other.ends):
            some = self if len(self.ends) else other
            return some._with(some.letters, some.ends, some.documents, some.times, self, other)
        mine, theirs = self.terms, other.terms
        terms = sorted({*mine, *theirs})
        place = dict(zip(terms, range(len(terms)), strict=True))
        here, there = (np.fromiter(map(place.__getitem__, some), np.int64, len(some)) for some in (mine, theirs))
        documents, times = np.zeros(len(terms)), np.zeros(len(terms))
        documents[here], times[here] = self.documents, self.times
        documents[there] += other.documents
        times[there] += other.times
        return self._with(*pack(terms), documents, times, self, other)

    def _with(self, letters: Letters, ends: Codes, documents: Array, times: Array, a: Self, b: Self) -> Self:
        """The merged counts of two summaries."""
        return type(self)(letters, ends, documents, times, a.weight + b.weight)

    def is_valid(self, schema: Schema) -> bool:
        """Whether the terms are texts in order, each once."""
        if not are_texts(self.letters, self.ends):
            return False
        terms = self.terms
        return terms == sorted(terms)


class FrequentTerms(TermCounts):
    """Counts of the terms in most documents, `capacity` of them at most, and how much may be missing from each.

    Where there are more, the count of the first that is too many is taken off all, and those are dropped that then
    have none. So df_t - error ≤ documents_t ≤ df_t, also of a term that is not held (0), and, since whatever is taken
    off one term is taken off `capacity` others too, error ≤ (pairs - Σ documents) / (capacity + 1).
    """

    exact: ClassVar[bool] = False
    capacity: Annotated[int, Between(1)]
    error: Annotated[float, NOT_NEGATIVE] = 0.0
    pairs: Annotated[float, NOT_NEGATIVE] = 0.0
    """Σ df_t over all terms"""

    by_weight = ("documents", "times", "weight", "error", "pairs")

    @classmethod
    def of(cls, found: TermCounts, capacity: int) -> FrequentTerms:
        """The most frequent terms of exact counts."""
        counts = (found.letters, found.ends, found.documents, found.times, found.weight)
        return cls(*counts, capacity, 0.0, float(found.documents.sum()))._cut()

    def _with(self, letters: Letters, ends: Codes, documents: Array, times: Array, a: Self, b: Self) -> Self:
        """The merged counts of two summaries, cut to the capacity again."""
        sums = (a.weight + b.weight, self.capacity, a.error + b.error, a.pairs + b.pairs)
        return type(self)(letters, ends, documents, times, *sums)._cut()

    def _cut(self) -> Self:
        """Take the count of the first term that is too many off all, and drop those that have none left."""
        extra = len(self.ends) - self.capacity
        if extra <= 0:
            return self
        off = float(np.partition(self.documents, extra - 1)[extra - 1])
        kept = np.flatnonzero(self.documents > off)
        terms = self.terms
        letters, ends = pack([terms[at] for at in kept.tolist()])
        return replace(
            self,
            letters=letters,
            ends=ends,
            documents=self.documents[kept] - off,
            times=self.times[kept],
            error=self.error + off,
        )


class DocumentFrequencies(Grouped[TermCounts]):
    """Document frequency and count of each term, of all terms or of those of a vocabulary."""

    analyzer: Analyzer
    vocabulary: tuple[str, ...] = ()
    """sorted; empty: all terms that occur"""
    capacity: int = 0
    """terms that a summary holds at most; 0: all"""

    def summarize(self, chunk: Chunk) -> TermCounts:
        terms, found = self._counted(chunk.X.column(0))
        weight = np.repeat(chunk.weight, np.diff(found.indptr))
        documents = np.bincount(found.indices, weight, len(terms)).astype(np.float64)
        times = np.bincount(found.indices, weight * found.data, len(terms)).astype(np.float64)
        order = sorted(range(len(terms)), key=terms.__getitem__)
        terms = [terms[at] for at in order]
        exact = TermCounts(*pack(terms), documents[order], times[order], float(chunk.weight.sum()))
        return FrequentTerms.of(exact, self.capacity) if self.capacity else exact

    def _counted(self, texts: Values) -> tuple[list[str], CSR]:
        """The terms, and how often each is in each text."""
        if not self.vocabulary:
            return counted_terms(texts, self.analyzer)
        places = dict(zip(self.vocabulary, range(len(self.vocabulary)), strict=True))
        return list(self.vocabulary), counted(texts, self.analyzer, places)
