"""Documents as rows of numbers: for each term of a vocabulary, whether it is there, how often, or its tf-idf weight.

z_dt = n_dt · idf_t, over its length, with idf_t = ln((1 + n) / (1 + df_t)) + 1, where df_t of n documents have term t.
The counts n and df_t merge, so a corpus is counted part by part, wherever its parts are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.rows.row_lengths import divide_by_lengths
from tenfold.core import CSR, Array, Claim, Codes, Columns, DataError, Labels, Letters, Need, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE
from tenfold.core.rows.texts import are_texts, filled, pack, unpack
from tenfold.core.statistic import Statistic
from tenfold.estimator import OnePass, Transformer, fitted
from tenfold.estimator.analyzers import TOKEN_PATTERN, Analyzer, counted, stemmer
from tenfold.estimator.shell.constraints import boolean, choice, fraction, integer, pair
from tenfold.feature_extraction.text.hashed_terms import HashedCounts, HashedFrequencies, Hashing
from tenfold.feature_extraction.text.term_counts import DocumentFrequencies, FrequentTerms, TermCounts
from tenfold.preprocessing.normalizer import NORMS


class TextModel(NamedTuple):
    """The terms, in the order of the features, and what each feature is multiplied by."""

    letters: Annotated[Letters, "byte"]
    ends: Annotated[Codes, "entry", COUNTS]
    document_frequency: Annotated[Array, "out", NOT_NEGATIVE]
    idf: Annotated[Array, "out"]

    def is_valid(self, schema: Schema) -> bool:
        """Whether there is a term for each feature, or none at all: then they are hash values."""
        return are_texts(self.letters, self.ends) and len(self.ends) in (0, len(self.idf))


class TextFeatures(OnePass, Transformer):
    """Make each document a sparse row of numbers: set of words, counts or tf-idf, exact in one pass.

    The features are those of scikit-learn's `CountVectorizer` and `TfidfVectorizer`, whose analyzers cut the documents
    into terms. Documents are a list of texts, a column of a frame, or one column of text of a Source: then features
    are made part by part, as CSR, and nothing grows with the documents but the vocabulary. Two models merge: the
    counts of their terms add up. A document of weight 2 counts as two.

    Parameters
    ----------
    weighting : {"binary", "count", "tfidf"}, default="tfidf"
        Value of a feature for a term: whether it is in the document (set of words), its count, or its count times its
        inverse document frequency.
    analyzer : {"word", "char", "char_wb"}, default="word"
        Whether terms are words, or runs of characters; with "char_wb" within words only.
    ngram_range : tuple of two int, default=(1, 1)
        The fewest and the most words, or characters, of a term.
    lowercase : bool, default=True
        Whether to make all letters small first.
    strip_accents : {"ascii", "unicode"} or None, default=None
        Whether to remove accents and, with "ascii", all characters that are not ASCII.
    stop_words : "english", list of str or None, default=None
        Words to leave out, before stems and n-grams are made; "english" is scikit-learn's list.
    stemmer : str or None, default=None
        A language, as "english": words are replaced by their stems, by Snowball. Needs the package `snowballstemmer`,
        `pip install tenfold[text]`.
    token_pattern : str
        A regular expression for words: by default scikit-learn's, two or more letters, digits or underscores.
    min_df, max_df : int or float, default=1 and 1.0
        Terms in fewer, or in more, documents are left out; a float is a share of the documents. A document of weight
        2 counts as two. The defaults keep all terms, whatever the weights of the documents.
    max_features : int or None, default=None
        Maximum number of terms: the most frequent are kept, ties in alphabetical order.
    vocabulary : dict, list of str or None, default=None
        The terms, in the order of the features, or the place of each. None: all that occur, sorted.
    max_terms : int or None, default=None
        Maximum number of terms counted at a time: those in most documents. The certificate bounds how many documents a
        count may lack; if there are no more terms than this, none. `max_features` then goes by documents.
    n_features : int or None, default=None
        Number of features for hashed terms, instead of a vocabulary: MurmurHash3, as in
        scikit-learn's `HashingVectorizer`. Plain words are cut and hashed by a compiled kernel.
    alternate_sign : bool, default=False
        Whether half of the hashed terms count minus one, so that those of one feature cancel on average. Naive Bayes
        takes no numbers below zero.
    sublinear_tf : bool, default=False
        Whether tf-idf takes 1 + ln(n) in place of the count n.
    smooth_idf : bool, default=True
        Whether tf-idf counts one document more, with every term in it; then no term of a vocabulary divides by zero.
    norm : {"l1", "l2"} or None, default="l2"
        Whether the tf-idf weights of a document are divided by their norm. Counts and sets of words are not.
    missing : {"error", "empty"}, default="error"
        What a document that is missing (None, NaN, null) is: an error with its column and row, in fitting and in
        prediction, or empty text, a row of zeros.

    Attributes
    ----------
    vocabulary_ : dict
        The place of each term among the features.
    document_frequency_ : array of shape (terms,)
        The weight of the documents that have each term.
    idf_ : array of shape (terms,)
        By what each term is multiplied: ones, unless the weighting is tf-idf.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import TextFeatures
    >>> model = TextFeatures("count").fit(["red apple", "green apple", "red red wine"])
    >>> model.get_feature_names_out().tolist()
    ['apple', 'green', 'red', 'wine']
    >>> model.transform(["red wine and red meat"]).toarray().tolist()
    [[0.0, 0.0, 2.0, 1.0]]
    """

    hidden = frozenset({"letters", "ends"})
    costly = True
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"weighting": "count", "ngram_range": (1, 2), "max_features": 4},
        {"weighting": "binary", "analyzer": "char_wb", "max_df": 0.99},
        {"vocabulary": ["bb", "aa"], "sublinear_tf": True, "norm": None},
        {"max_terms": 1000},
        {"n_features": 7, "alternate_sign": True},
    )

    weighting: Annotated[str, choice("binary", "count", "tfidf")] = "tfidf"
    _: KW_ONLY
    analyzer: Annotated[str, choice("word", "char", "char_wb")] = "word"
    ngram_range: Annotated[tuple[int, int], tuple] = (1, 1)
    lowercase: Annotated[bool, boolean] = True
    strip_accents: Annotated[str | None, choice("ascii", "unicode"), None] = None
    stop_words: Annotated[str | Sequence[str] | None, choice("english"), list, tuple, None] = None
    stemmer: Annotated[str | None, str, None] = None
    token_pattern: Annotated[str, str] = TOKEN_PATTERN
    min_df: Annotated[float, fraction, integer(1)] = 1
    max_df: Annotated[float, fraction, integer(1)] = 1.0
    max_features: Annotated[int | None, integer(1), None] = None
    vocabulary: Annotated[Mapping[str, int] | Sequence[str] | None, dict, list, tuple, None] = None
    max_terms: Annotated[int | None, integer(1), None] = None
    n_features: Annotated[int | None, integer(1, 2**31 - 1), None] = None
    alternate_sign: Annotated[bool, boolean] = False
    sublinear_tf: Annotated[bool, boolean] = False
    smooth_idf: Annotated[bool, boolean] = True
    norm: Annotated[str | None, choice("l1", "l2"), None] = "l2"
    missing: Annotated[str, choice("error", "empty")] = "error"

    @property
    def need(self) -> Need:
        return Need("text", missing=self.missing == "empty")

    @property
    def _weighting(self) -> str:
        """Statistic of the terms that the weighting needs."""
        return self.weighting

    @property
    def _once(self) -> bool:
        """Whether a term counts once in a document, however often it is there."""
        return self._weighting == "binary"

    @property
    def _by_rarity(self) -> bool:
        """Whether terms are multiplied by their inverse document frequency."""
        return self._weighting == "tfidf"

    def statistic(self, schema: Schema) -> Statistic:
        if len(schema.columns) != 1:
            raise ValueError(
                f"TextFeatures takes one column of text, but there are {len(schema.columns)}: "
                f"{', '.join(map(repr, schema.names[:5]))}. Remedy: choose one, tenfold.scan(..., columns=[...]), or "
                "join their texts"
            )
        if self.stemmer is not None:
            if self.analyzer != "word":
                raise ValueError(f"stems are made of words, not of analyzer={self.analyzer!r}. Remedy: analyzer='word'")
            stemmer(self.stemmer)
        if self.n_features is not None:
            return HashedFrequencies(self._hashing())
        return DocumentFrequencies(self._analyzer(), tuple(sorted(self._given_terms())), self.max_terms or 0)

    def _hashing(self) -> Hashing:
        """How terms become features, if they are hashed."""
        limits = {"min_df": 1, "max_df": 1.0, "max_features": None, "vocabulary": None, "max_terms": None}
        if given := [name for name, usual in limits.items() if getattr(self, name) != usual]:
            raise ValueError(
                f"n_features={self.n_features} hashes terms and keeps none, so {given[0]} means nothing. Remedy: leave "
                "out one of both"
            )
        return Hashing(self._analyzer(), int(self.n_features or 0), bool(self.alternate_sign))

    def _analyzer(self) -> Analyzer:
        """How documents are cut into terms."""
        low, high = pair(self.ngram_range, "ngram_range")
        stop_words = self.stop_words
        if stop_words is not None and not isinstance(stop_words, str):
            stop_words = tuple(sorted({*stop_words}))
        how = (self.analyzer, (low, high), bool(self.lowercase), self.strip_accents, stop_words)
        return Analyzer(*how, self.stemmer, self.token_pattern)

    def _given_terms(self) -> list[str]:
        """The terms of the vocabulary that was given, in the order of the features; none, if none was."""
        if self.vocabulary is None:
            return []
        terms = [*self.vocabulary]
        if wrong := [term for term in terms if not isinstance(term, str)]:
            raise ValueError(f"a vocabulary holds texts, not {wrong[0]!r}")
        if not terms:
            raise ValueError("empty vocabulary passed to fit")
        if isinstance(self.vocabulary, Mapping):
            if sorted(self.vocabulary.values()) != list(range(len(terms))):
                raise ValueError("the places in a vocabulary must be 0, 1, ..., each of them once")
            return sorted(terms, key=self.vocabulary.__getitem__)
        if len({*terms}) < len(terms):
            twice = next(term for at, term in enumerate(terms) if term in terms[:at])
            raise ValueError(f"Duplicate term in vocabulary: {twice!r}")
        return terms

    def solve(self, schema: Schema, s: TermCounts | FrequentTerms | HashedCounts) -> TextModel:
        if isinstance(s, HashedCounts):
            return TextModel(*pack([]), s.documents, self._idf(s.weight, s.documents, []))
        terms, documents = s.terms, s.documents
        if self.vocabulary is None:
            kept = self._selected_terms(s)
            terms, documents = [terms[at] for at in kept.tolist()], documents[kept]
        else:
            given = self._given_terms()
            places = {term: at for at, term in enumerate(terms)}
            documents = np.array([documents[places[term]] if term in places else 0.0 for term in given])
            terms = given
        return TextModel(*pack(terms), documents, self._idf(s.weight, documents, terms))

    def _selected_terms(self, s: TermCounts) -> Codes:
        """Which terms are neither too rare nor too frequent, and among the most frequent."""
        if not len(s.ends):
            raise DataError("empty vocabulary; perhaps the documents only contain stop words")
        low, high = (limit if isinstance(limit, int) else limit * s.weight for limit in (self.min_df, self.max_df))
        if isinstance(self.min_df, int) and self.min_df == 1:  # all terms, also of documents of less weight
            low = 0.0
        if isinstance(self.max_df, float) and self.max_df == 1:  # the weights of all documents may round to less
            high = np.inf
        if high < low:
            raise ValueError("max_df corresponds to < documents than min_df")
        kept = np.flatnonzero((s.documents >= low) & (s.documents <= high))
        if not len(kept):
            raise DataError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        if self.max_features is not None and len(kept) > self.max_features:
            by_documents = self._once or isinstance(s, FrequentTerms)
            often = (s.documents if by_documents else s.times)[kept]
            kept = np.sort(kept[np.argsort(-often, kind="stable")[: self.max_features]])
        return kept

    def _idf(self, weight: float, documents: Array, terms: list[str]) -> Array:
        """ln(n / df) + 1, of one document more with all terms in it if it is smoothed."""
        if not self._by_rarity:
            return np.ones(len(documents))
        more = float(self.smooth_idf)
        if not terms and not more:  # of hash values: one that no document has is as if one had it
            documents = np.where(documents > 0, documents, 1.0)
        elif not more and not documents.all():
            term = terms[int(documents.argmin())]
            raise DataError(
                f"term {term!r} of the vocabulary is in no document, so its idf would be infinite. Remedy: "
                "smooth_idf=True, or a vocabulary without it"
            )
        found: Array = np.log((weight + more) / (documents + more)) + 1.0
        return found

    def certify(self, model: TextModel, s: TermCounts | HashedCounts) -> tuple[Claim, ...]:
        """How many terms there are, and how many of those that occur are features."""
        if isinstance(s, HashedCounts):
            full = float((s.documents > 0).mean())
            why = "share of the features that have a term"
            alike = "probability that another term shares the feature of a given one"
            return (
                Claim("occupied features", full, "proved", why, "data"),
                Claim("collisions", full, "estimated", alike, "data", "that hash values are as good as random"),
            )
        kept, rarest = len(model.idf), float(model.document_frequency.min(initial=math.inf))
        claims = (
            Claim("features", float(kept), "proved", f"of {len(s.ends)} terms that were counted", "data"),
            Claim("rarest term", rarest, "proved", f"documents of {s.weight:,.12g} that have it", "data"),
        )
        if not isinstance(s, FrequentTerms):
            return claims
        why = (
            "a term may be in so many documents more than were counted, and one that was dropped is in no more than "
            f"these: Misra and Gries, with {s.capacity} terms"
        )
        return (*claims, Claim("document frequency error", s.error, "proved", why, "data"))

    def is_valid(self, model: TextModel, summary: object, schema: Schema) -> bool:
        if self.n_features is None:
            return len(model.ends) == len(model.idf)
        return not len(model.ends) and len(model.idf) == self.n_features

    def transform_from(self, model: TextModel, X: Columns) -> CSR:
        """The weights of the terms in each document."""
        if self.n_features is not None:
            return self._weighed(model, self._hashing().counted(filled(X.column(0))))
        places = _places(model.letters.tobytes(), model.ends.tobytes())
        found = counted(X.column(0), self._analyzer(), places)
        return self._weighed(model, found)

    def _weighed(self, model: TextModel, found: CSR) -> CSR:
        """Counts as counts, as ones, or as tf-idf weights."""
        if self._once:
            found.data[:] = 1.0
        if self._weighting != "tfidf":
            return found
        if self.sublinear_tf:
            signs = np.sign(found.data)
            found.data[:] = signs * (np.log(np.maximum(np.abs(found.data), 1.0)) + 1.0)
        found.data *= model.idf[found.indices]
        if self.norm is not None:
            divide_by_lengths(found.data, found.indptr.astype(np.int64), NORMS[self.norm], found.data)
        return found

    @property
    @fitted
    def vocabulary_(self) -> dict[str, int]:
        """The place of each term among the features."""
        if self.n_features is not None:
            raise AttributeError("hashed features have no vocabulary")
        return dict(_places(self.model_.letters.tobytes(), self.model_.ends.tobytes()))

    @fitted
    def inverse_transform(self, X: MatrixLike) -> list[Labels]:
        """The terms of each document, once each, of features that are not 0.

        Parameters
        ----------
        X : array or CSR matrix of shape (documents, terms)

        Returns
        -------
        terms : list of arrays of str
        """
        names = self.get_feature_names_out()
        if self.n_features is not None:
            raise ValueError(
                "a hash value does not identify its term. Remedy: n_features=None, which keeps a vocabulary"
            )
        given = sp.csr_array(X)
        if given.ndim != 2 or given.shape[1] != len(names):
            raise DataError(
                f"X has shape {given.shape}, but there are {len(names)} terms. Remedy: pass the output of transform"
            )
        given.eliminate_zeros()
        return [names[some] for some in np.split(given.indices, given.indptr[1:-1])]

    @fitted
    def build_analyzer(self) -> Callable[[str], list[str]]:
        """The function that cuts a text into terms: preprocessing, words, stop words, stems and n-grams.

        Returns
        -------
        analyze : callable
            From a str to a list of str.
        """
        return self._analyzer().build()

    @fitted
    def build_preprocessor(self) -> Callable[[str], str]:
        """Return a function that converts text to lowercase and removes accents, by the parameters.

        Returns
        -------
        preprocess : callable
            From a str to a str.
        """
        found: Callable[[str], str] = self._analyzer().plain().build_preprocessor()
        return found

    @fitted
    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """The function that finds the words of a text, before stop words are left out and stems are made.

        Returns
        -------
        tokenize : callable
            From a str to a list of str.
        """
        found: Callable[[str], list[str]] = self._analyzer().plain().build_tokenizer()
        return found

    @fitted
    def get_stop_words(self) -> frozenset[str] | None:
        """The words that are left out.

        Returns
        -------
        stop_words : frozenset of str or None
        """
        found: frozenset[str] | None = self._analyzer().plain().get_stop_words()
        return found

    def origins(self, model: TextModel, width: int) -> Codes:
        # All terms are of the one column of documents.
        return np.zeros(len(model.idf) if self.n_features is None else self.n_features, np.int64)

    def names_out(self, names: list[str]) -> list[str]:
        if self.n_features is not None:
            return [f"hash{at}" for at in range(self.n_features)]
        return unpack(self.model_.letters, self.model_.ends)


@lru_cache(maxsize=4)
def _places(letters: bytes, ends: bytes) -> dict[str, int]:
    """The place of each term of a model, made once for all chunks of documents."""
    terms = unpack(np.frombuffer(letters, np.uint8), np.frombuffer(ends, np.int64))
    return dict(zip(terms, range(len(terms)), strict=True))
