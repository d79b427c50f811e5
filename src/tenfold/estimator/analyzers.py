"""Text analysis: scikit-learn's analyzers with stemming, and counts of the terms in each text.

This is the one place where Python goes over the texts, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import CSR
from tenfold.core.value import Value

TOKEN_PATTERN = r"(?u)\b\w\w+\b"
"""scikit-learn's: two or more letters, digits or underscores"""


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


def counted(texts: Iterable[str], analyzer: Analyzer, places: dict[str, int], grows: bool = False) -> CSR:
    """Count each term of a vocabulary in each text: rows are texts, columns are terms.

    A vocabulary that `grows` adds unknown terms; otherwise they are ignored.
    """
    analyze, codes, ends = analyzer.build(), list[int](), [0]
    if grows:
        place = places.__getitem__
        for text in texts:
            codes.extend(map(place, analyze(text)))
            ends.append(len(codes))
    else:
        find = places.get
        for text in texts:
            codes.extend(map(find, analyze(text), repeat(len(places))))
            ends.append(len(codes))
    width = len(places) + (not grows)  # the last column is for terms that are not there
    kind = np.int32 if max(len(codes), width) < 2**31 else np.int64
    found = sp.csr_array(
        (np.ones(len(codes)), np.array(codes, kind), np.array(ends, kind)), shape=(len(ends) - 1, width)
    )
    found.sum_duplicates()
    return found if grows else found[:, : len(places)]
