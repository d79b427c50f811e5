"""Features of text under scikit-learn's names, with its keywords and defaults: counts, and tf-idf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from tenfold.estimator.analyzers import TOKEN_PATTERN
from tenfold.estimator.constraints import Constraints, boolean
from tenfold.preprocessing.text_features import TextFeatures

Vocabulary = Mapping[str, int] | Sequence[str] | None

TERMS = (
    "analyzer", "ngram_range", "lowercase", "strip_accents", "stop_words", "token_pattern", "min_df", "max_df",
    "max_features", "vocabulary",
)  # fmt: skip
"""parameters that both have: how documents become terms, and which are kept"""
TFIDF = ("norm", "smooth_idf", "sublinear_tf")


class CountVectorizer(TextFeatures):
    """How often each term stands in each document: `TextFeatures` under scikit-learn's name, in one pass.

    What the parameters mean, `TextFeatures` says. It has more: stems, hashed terms, a bound on the terms in memory.

    Parameters
    ----------
    lowercase, strip_accents, stop_words, token_pattern, ngram_range, analyzer
        How documents are cut into terms.
    max_df, min_df, max_features, vocabulary
        Which terms are kept.
    binary : bool, default=False
        Whether a term counts once, however often it is there.
    input, preprocessor, tokenizer, dtype : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    encoding, decode_error : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

    Attributes
    ----------
    vocabulary_ : dict
        The place of each term among the features.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import CountVectorizer
    >>> CountVectorizer().fit_transform(["red apple", "red red wine"]).toarray().tolist()
    [[1.0, 1.0, 0.0], [0.0, 2.0, 1.0]]
    """

    weighting = "count"
    stemmer = None
    max_terms = None
    n_features = None
    alternate_sign = False
    sublinear_tf = False
    smooth_idf = True
    norm = None
    law_params = ({}, {"binary": True, "ngram_range": (1, 2)})
    _parameter_constraints: ClassVar[Constraints] = {
        **{name: TextFeatures._parameter_constraints[name] for name in TERMS},
        "binary": [boolean],
    }

    def __init__(
        self,
        *,
        strip_accents: str | None = None,
        lowercase: bool = True,
        stop_words: str | Sequence[str] | None = None,
        token_pattern: str = TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Vocabulary = None,
        binary: bool = False,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        preprocessor: None = None,
        tokenizer: None = None,
        dtype: DTypeLike = np.int64,
    ) -> None:
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.dtype = dtype

    @property
    def _weighting(self) -> str:
        return "binary" if self.binary else "count"


class TfidfVectorizer(TextFeatures):
    """The tf-idf weights of the terms in each document: `TextFeatures` under scikit-learn's name, in one pass.

    What the parameters mean, `TextFeatures` says. It has more: stems, hashed terms, a bound on the terms in memory.

    Parameters
    ----------
    lowercase, strip_accents, stop_words, token_pattern, ngram_range, analyzer
        How documents are cut into terms.
    max_df, min_df, max_features, vocabulary
        Which terms are kept.
    norm, smooth_idf, sublinear_tf
        How terms are weighed.
    binary : bool, default=False
        Whether a term counts once, however often it is there, before it is weighed.
    use_idf : bool, default=True
        Whether terms are multiplied by their inverse document frequency; if not, `idf_` is ones.
    input, preprocessor, tokenizer, dtype : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    encoding, decode_error : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

    Attributes
    ----------
    vocabulary_ : dict
        The place of each term among the features.
    idf_ : array of shape (terms,)
        By what each term is multiplied.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import TfidfVectorizer
    >>> TfidfVectorizer().fit_transform(["red apple", "red red wine"]).toarray().round(2).tolist()
    [[0.81, 0.58, 0.0], [0.0, 0.82, 0.57]]
    """

    weighting = "tfidf"
    stemmer = None
    max_terms = None
    n_features = None
    alternate_sign = False
    law_params = (
        {},
        {"sublinear_tf": True, "norm": "l1", "max_features": 4},
        {"binary": True, "use_idf": False, "max_features": 4},
    )
    _parameter_constraints: ClassVar[Constraints] = {
        **{name: TextFeatures._parameter_constraints[name] for name in (*TERMS, *TFIDF)},
        "binary": [boolean],
        "use_idf": [boolean],
    }

    def __init__(
        self,
        *,
        strip_accents: str | None = None,
        lowercase: bool = True,
        analyzer: str = "word",
        stop_words: str | Sequence[str] | None = None,
        token_pattern: str = TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Vocabulary = None,
        norm: str | None = "l2",
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        binary: bool = False,
        use_idf: bool = True,
        preprocessor: None = None,
        tokenizer: None = None,
        dtype: DTypeLike = np.float64,
    ) -> None:
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.analyzer = analyzer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.norm = norm
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.binary = binary
        self.use_idf = use_idf
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.dtype = dtype

    @property
    def _once(self) -> bool:
        return self.binary

    @property
    def _by_rarity(self) -> bool:
        return self.use_idf
