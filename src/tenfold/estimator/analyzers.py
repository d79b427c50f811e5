"""Text analysis: scikit-learn's analyzers with stemming, and counts of the terms in each text.

This is the one place where Python goes over the texts, one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import CSR, Codes, Values
from tenfold.core.rows.chunk_memo import chosen_from, kept
from tenfold.core.rows.texts import filled
from tenfold.core.value import Value

TOKEN_PATTERN = r"(?u)\b\w\w+\b"
"""scikit-learn's: two or more letters, digits or underscores"""
LEAST_SHARE = 0.5
"""of the rows of a chunk that makes it worth while to cut all of its texts"""


class Analyzer(Value):
    """How a text is cut into terms: a value, which travels to the workers and makes the function there."""

    analyzer: str = "word"
    ngram_range: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: str | None = None
    stop_words: str | tuple[str, ...] | None = None
    stemmer: str | None = None
    token_pattern: str = TOKEN_PATTERN

    def build(self) -> Callable[[str], list[str]]:
        """The function from a text to its terms; each thread makes its own, since stemmers have a state."""
        plain = self.plain()
        if self.analyzer != "word":
            found: Callable[[str], list[str]] = plain.build_analyzer()
            return found
        tokenizer: Callable[[str], list[str]] = plain.build_tokenizer()
        if self.stop_words is not None or self.stemmer is not None:
            tokenizer = _without(tokenizer, plain.get_stop_words() or frozenset(), self.stemmer)
        if self.ngram_range == (1, 1) and self.strip_accents is None:  # there is nothing else to do
            return (lambda text: tokenizer(text.lower())) if self.lowercase else tokenizer
        whole: Callable[[str], list[str]] = plain.set_params(stop_words=None, tokenizer=tokenizer).build_analyzer()
        return whole

    def plain(self) -> Any:
        """The vectorizer of scikit-learn that cuts texts likewise, before stems are made."""
        from sklearn.feature_extraction.text import CountVectorizer

        given = {
            "analyzer": self.analyzer,
            "ngram_range": self.ngram_range,
            "lowercase": self.lowercase,
            "strip_accents": self.strip_accents,
            "token_pattern": self.token_pattern,
        }
        stop_words = [*self.stop_words] if isinstance(self.stop_words, tuple) else self.stop_words
        return CountVectorizer(**given, stop_words=stop_words)


def _without(
    tokenize: Callable[[str], list[str]], stop_words: frozenset[str], language: str | None
) -> Callable[[str], list[str]]:
    """A tokenizer without stop words, whose tokens are then stems: a list of stop words holds words."""
    if language is None:
        return lambda text: [word for word in tokenize(text) if word not in stop_words]
    stem = stemmer(language).stemWord
    known: dict[str, str] = {}

    def stems(text: str) -> list[str]:
        words = [word for word in tokenize(text) if word not in stop_words]
        for word in words:
            if word not in known:
                known[word] = stem(word)
        return [known[word] for word in words]

    return stems


def stemmer(language: str) -> Any:
    """Return the Snowball stemmer of a language, or raise with the package to install or the known languages."""
    try:
        import snowballstemmer
    except ModuleNotFoundError:
        raise ImportError(
            f"stemmer={language!r} needs the package snowballstemmer. Remedy: pip install tenfold[text]"
        ) from None
    if language not in snowballstemmer.algorithms():
        raise ValueError(
            f"there is no stemmer for {language!r}. Remedy: one of {', '.join(sorted(snowballstemmer.algorithms()))}"
        )
    return snowballstemmer.stemmer(language)


def growing() -> dict[str, int]:
    """A vocabulary in which each term finds its place when it is first looked up."""
    from collections import defaultdict

    found: defaultdict[str, int] = defaultdict()
    found.default_factory = found.__len__
    return found


class CutTexts:
    """Texts that are cut into terms, each distinct one once, however often and in whatever fold it occurs."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyze = analyzer.build()
        self._rows: dict[str, int] = {}
        self._places = growing()
        self._codes, self._ends = array("q"), array("q", [0])
        self._counts: CSR | None = None
        self._numbered: dict[int, tuple[Values, Codes]] = {}
        """by identity, arrays of texts that were asked for, and the numbers of their texts"""

    def rows(self, texts: Values) -> Codes:
        """Return the number of each text among the distinct ones; new ones are cut, missing ones are empty."""
        if id(texts) not in self._numbered:
            whole, which = chosen_from(texts) or (texts, None)
            if which is None or len(which) < LEAST_SHARE * len(whole):
                found = self._cut(filled(texts))
            else:  # other folds have most of the others
                found = self.rows(whole)[which]
            self._numbered[id(texts)] = texts, found
        return self._numbered[id(texts)][1]

    def _cut(self, texts: list[str]) -> Codes:
        """Return the number of each text."""
        known, place, analyze = self._rows, self._places.__getitem__, self._analyze
        for text in texts:
            if text not in known:
                known[text] = len(known)
                self._codes.extend(map(place, analyze(text)))
                self._ends.append(len(self._codes))
        return np.fromiter(map(known.__getitem__, texts), np.int64, len(texts))

    @property
    def terms(self) -> list[str]:
        """All terms so far."""
        return [*self._places]

    def counts(self) -> CSR:
        """Return how often each term occurs in each distinct text."""
        if self._counts is None or self._counts.shape != (len(self._rows), len(self._places)):
            kind = np.int32 if max(len(self._codes), len(self._places)) < 2**31 else np.int64
            codes, ends = (np.array(some, kind) for some in (self._codes, self._ends))
            shape = len(self._rows), len(self._places)
            self._counts = sp.csr_array((np.ones(len(codes)), codes, ends), shape=shape)
            self._counts.sum_duplicates()
        return self._counts


def counted(texts: Values, analyzer: Analyzer, places: Mapping[str, int]) -> CSR:
    """Count each term of a vocabulary in each text: rows are texts, columns are terms. Other terms are ignored."""
    cut = kept(analyzer, partial(CutTexts, analyzer))
    rows = cut.rows(texts)
    return _in_places(cut.counts(), cut.terms, places)[rows]


def counted_terms(texts: Values, analyzer: Analyzer) -> tuple[list[str], CSR]:
    """Count all terms that occur in some texts: the terms, and rows of texts whose columns they are."""
    cut = kept(analyzer, partial(CutTexts, analyzer))
    rows = cut.rows(texts)
    found, terms = cut.counts()[rows], cut.terms
    there = np.unique(found.indices).tolist()
    some = [terms[at] for at in there]
    return some, _in_places(found, terms, dict(zip(some, range(len(some)), strict=True)))


def _in_places(counts: CSR, terms: Sequence[str], places: Mapping[str, int]) -> CSR:
    """Counts of some terms as counts of those of a vocabulary, in its order."""
    width = len(places)
    to = np.fromiter((places.get(term, width) for term in terms), counts.indices.dtype, len(terms))
    indices = to[counts.indices]
    kept_entries = indices < width
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept_entries)])[counts.indptr].astype(counts.indptr.dtype)
    found = sp.csr_array((counts.data[kept_entries], indices[kept_entries], ends), shape=(counts.shape[0], width))
    found.sort_indices()
    return found
