"""Features of text under scikit-learn's names, with its keywords and defaults: counts, and tf-idf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np
from numpy.typing import DTypeLike

from tenfold.core import Remedy
from tenfold.estimator.analyzers import TOKEN_PATTERN
from tenfold.estimator.shell.constraints import boolean, choice, fraction, integer
from tenfold.estimator.shell.keyword_decisions import FUNCTIONS, one_of
from tenfold.estimator.shell.keywords import NoEffect, Refused, refused
from tenfold.estimator.shell.parameters import Behind
from tenfold.feature_extraction.text.text_features import TextFeatures

Vocabulary = Mapping[str, int] | Sequence[str] | None


by_a_pattern = refused("words are found by a pattern", Remedy("tn.{name}()"), None)
no_files = Refused(
    "documents are text, not files",
    Remedy("tn.{name}().fit(X)", "of the text itself, pathlib.Path(name).read_text()"),
    ("content",),
)
no_bytes = NoEffect("documents are text, not bytes", (str,))
no_analyzer_function = refused(FUNCTIONS, Remedy('tn.{name}(analyzer="char_wb")'), callable)
no_accents_function = refused(FUNCTIONS, Remedy('tn.{name}(strip_accents="unicode")'), callable)
no_preprocessor = Refused(
    FUNCTIONS, Remedy('tn.{name}(strip_accents="unicode", lowercase=True)', "or text made before"), (None,)
)
no_tokenizer = Refused(FUNCTIONS, Remedy('tn.{name}(token_pattern=r"\\S+")'), (None,))
EXACT_COUNTS = "the output is 64-bit floats, which hold counts exactly"
FLOAT32_REMEDY = Remedy("tn.{name}().fit_transform(X).astype(np.float32)")


class CountVectorizer(TextFeatures):
    """Count each term of each document in one pass: `TextFeatures` with scikit-learn's name and parameters.

    See `TextFeatures` for the parameters; it has more of them: stems, hashed terms, a bound on the terms in memory.

    Parameters
    ----------
    lowercase, strip_accents, stop_words, token_pattern, ngram_range, analyzer
        How documents are cut into terms.
    max_df, min_df, max_features, vocabulary
        Which terms are kept.
    binary : bool, default=False
        Whether a term counts once, however often it is there.
    missing : {"error", "empty"}, default="error"
        What a document that is missing is: an error, or empty text.
    input, preprocessor, tokenizer, dtype : optional
        As in scikit-learn; other values raise an error that names an alternative.
    encoding, decode_error : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

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

    _: KW_ONLY
    strip_accents: Annotated[str | None, choice("ascii", "unicode"), None, no_accents_function] = None
    lowercase: Annotated[bool, boolean, Behind("strip_accents")] = True
    token_pattern: Annotated[str, str, by_a_pattern] = TOKEN_PATTERN
    ngram_range: Annotated[tuple[int, int], tuple, Behind("token_pattern")] = (1, 1)
    analyzer: Annotated[str, choice("word", "char", "char_wb"), no_analyzer_function, Behind("ngram_range")] = "word"
    min_df: Annotated[float, fraction, integer(1), Behind("max_df")] = 1
    vocabulary: Annotated[Vocabulary, dict, list, tuple, None] = None
    binary: Annotated[bool, boolean] = False
    input: Annotated[str, no_files] = "content"
    encoding: Annotated[str, no_bytes] = "utf-8"
    decode_error: Annotated[str, NoEffect(no_bytes.because, (one_of("strict", "ignore", "replace"),))] = "strict"
    preprocessor: Annotated[None, no_preprocessor] = None
    tokenizer: Annotated[None, no_tokenizer] = None
    dtype: Annotated[DTypeLike, Refused(EXACT_COUNTS, FLOAT32_REMEDY, (np.int64, np.float64))] = np.int64

    @property
    def _weighting(self) -> str:
        return "binary" if self.binary else "count"


class TfidfVectorizer(TextFeatures):
    """The tf-idf weights of the terms in each document: `TextFeatures` under scikit-learn's name, in one pass.

    See `TextFeatures` for the parameters; it has more of them: stems, hashed terms, a bound on the terms in memory.

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
    missing : {"error", "empty"}, default="error"
        What a document that is missing is: an error, or empty text.
    input, preprocessor, tokenizer, dtype : optional
        As in scikit-learn; other values raise an error that names an alternative.
    encoding, decode_error : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

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

    _: KW_ONLY
    strip_accents: Annotated[str | None, choice("ascii", "unicode"), None, no_accents_function] = None
    lowercase: Annotated[bool, boolean, Behind("strip_accents")] = True
    analyzer: Annotated[str, choice("word", "char", "char_wb"), no_analyzer_function, Behind("lowercase")] = "word"
    token_pattern: Annotated[str, str, by_a_pattern] = TOKEN_PATTERN
    ngram_range: Annotated[tuple[int, int], tuple, Behind("token_pattern")] = (1, 1)
    min_df: Annotated[float, fraction, integer(1), Behind("max_df")] = 1
    vocabulary: Annotated[Vocabulary, dict, list, tuple, None] = None
    smooth_idf: Annotated[bool, boolean, Behind("norm")] = True
    sublinear_tf: Annotated[bool, boolean, Behind("smooth_idf")] = False
    input: Annotated[str, no_files] = "content"
    encoding: Annotated[str, no_bytes] = "utf-8"
    decode_error: Annotated[str, NoEffect(no_bytes.because, (one_of("strict", "ignore", "replace"),))] = "strict"
    binary: Annotated[bool, boolean] = False
    use_idf: Annotated[bool, boolean] = True
    preprocessor: Annotated[None, no_preprocessor] = None
    tokenizer: Annotated[None, no_tokenizer] = None
    dtype: Annotated[DTypeLike, Refused(EXACT_COUNTS, FLOAT32_REMEDY, (np.float64,))] = np.float64

    @property
    def _once(self) -> bool:
        return self.binary

    @property
    def _by_rarity(self) -> bool:
        return self.use_idf
