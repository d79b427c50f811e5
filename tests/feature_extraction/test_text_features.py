"""Features of texts: scikit-learn's, to rounding, from memory, from files in parts, and from Dask."""

import itertools
import sys
from collections import Counter

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.compiled.rows.hashing import cut_words
from tenfold.core import Chunk, Schema
from tenfold.core.axes import check
from tenfold.core.rows.chunk_memo import chunk_memo
from tenfold.core.rows.columns import TextColumns
from tenfold.core.rows.texts import pack
from tenfold.estimator.analyzers import Analyzer, counted, counted_terms
from tenfold.feature_extraction.text.hashed_terms import Hashing, letter_table
from tenfold.feature_extraction.text.term_counts import DocumentFrequencies
from tenfold.sources import part_rows
from tenfold.testing import bits
from tiers import draws

random = np.random.default_rng(0)
WORDS = ["The", "quick", "naïve", "café", "ÉCOLE", "fox's", "jumped", "over", "x", "42", "日本語", "lazy_dog", "-"]
WORDS += [f"word{k}" for k in range(60)]
LIKELY = 1 / np.arange(1, len(WORDS) + 1)
DOCUMENTS = [" ".join(random.choice(WORDS, k, p=LIKELY / LIKELY.sum())) for k in random.integers(0, 25, 300)]
LABEL = np.where(random.random(300) < 0.2 + 0.6 * np.array(["quick" in text for text in DOCUMENTS]), "yes", "no")
FRAME = pd.DataFrame({"text": DOCUMENTS, "label": LABEL, "other": 1.0})


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "texts.parquet"
    FRAME.to_parquet(path, row_group_size=37)
    return str(path)


def assert_same_features(mine, theirs):
    assert mine.shape == theirs.shape
    np.testing.assert_allclose(mine.toarray(), theirs.toarray(), rtol=1e-12, atol=0)


def peer(weighting="tfidf", **given):
    """scikit-learn's vectorizer of these parameters."""
    if weighting == "tfidf":
        return TfidfVectorizer(**given)
    return CountVectorizer(binary=weighting == "binary", dtype=np.float64, **given)


@pytest.mark.quick
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"weighting": "count"},
        {"weighting": "binary", "ngram_range": (1, 2)},
        {"sublinear_tf": True, "smooth_idf": False, "norm": "l1"},
        {"norm": None, "lowercase": False, "min_df": 3, "max_df": 0.5},
        {"strip_accents": "unicode", "stop_words": "english"},
        {"strip_accents": "ascii", "stop_words": ["over", "the"], "ngram_range": (2, 3)},
        {"analyzer": "char_wb", "ngram_range": (2, 4), "min_df": 0.02},
        {"weighting": "count", "analyzer": "char", "ngram_range": (1, 2)},
        {"token_pattern": r"[a-z]+", "weighting": "count"},
        {"vocabulary": {"quick": 1, "café": 0, "nowhere": 2}},
        {"weighting": "binary", "vocabulary": ["lazy_dog", "42"]},
    ],
    ids=str,
)
def test_features_are_those_of_scikit_learn(given, path):
    theirs = peer(**given).fit(DOCUMENTS)
    learner = tn.TextFeatures(**given)
    with part_rows(41):
        here = clone(learner).fit(DOCUMENTS)
    rows = tn.scan(path, columns=["text"])
    there = clone(learner).fit(rows)
    assert bits(here.model_) == bits(there.model_)
    assert here.vocabulary_ == theirs.vocabulary_
    assert here.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    if given.get("weighting", "tfidf") == "tfidf":
        np.testing.assert_allclose(here.idf_, theirs.idf_, rtol=1e-15)
    features = there.transform(rows)
    assert len(list(features)) == len(rows) == 9
    for mine in (here.transform(DOCUMENTS), features.collect()):
        assert_same_features(mine, theirs.transform(DOCUMENTS))


def test_the_most_frequent_terms_are_kept():
    """Of terms that occur equally often the first in the alphabet, where scikit-learn takes any."""
    for weighting in ("count", "binary"):
        model = tn.TextFeatures(weighting, max_features=9).fit(DOCUMENTS)
        counts = peer(weighting).fit(DOCUMENTS)
        total = np.asarray(counts.transform(DOCUMENTS).sum(axis=0)).ravel()
        often = dict(zip(counts.get_feature_names_out(), total, strict=True))
        best = sorted(sorted(often), key=lambda term: -often[term])[:9]
        assert model.get_feature_names_out().tolist() == sorted(best)


def test_stems_are_made_after_stop_words_are_gone():
    model = tn.TextFeatures("count", stemmer="english", stop_words=["jumped"], ngram_range=(1, 2))
    found = model.fit(["He jumped, is jumping and jumps!"]).get_feature_names_out().tolist()
    assert found == sorted(["he", "is", "jump", "and", "he is", "is jump", "jump and", "and jump"])
    german = tn.TextFeatures(stemmer="german").fit(["laufen läuft laufend"])
    assert german.get_feature_names_out().tolist() == ["lauf", "laufend", "lauft"]


def test_threads_do_not_share_a_stemmer():
    texts = [" ".join(random.choice(["running", "easily", "flies", "cities", "agreed"], 30)) for _ in range(400)]
    found = set()
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)), part_rows(10):
            found.add(bits(tn.TextFeatures(stemmer="english").fit(texts).summary_))
    assert len(found) == 1


def test_without_snowball_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ImportError, match=r"pip install tenfold\[text\]"):
        tn.TextFeatures(stemmer="english").fit(DOCUMENTS)


FORMS = {
    "list": lambda: DOCUMENTS,
    "tuple": lambda: tuple(DOCUMENTS),
    "iterator": lambda: iter(DOCUMENTS),
    "objects": lambda: np.array(DOCUMENTS, dtype=object),
    "fixed width": lambda: np.array(DOCUMENTS),
    "numpy strings": lambda: np.array(DOCUMENTS, dtype=np.dtypes.StringDType()),
    "column": lambda: np.array(DOCUMENTS, dtype=object)[:, None],
    "pandas": lambda: FRAME[["text"]],
    "pandas Series": lambda: FRAME["text"],
    "pandas string": lambda: FRAME["text"].astype("string"),
    "pandas category": lambda: FRAME["text"].astype("category"),
    "polars": lambda: pl.DataFrame({"text": DOCUMENTS}),
    "polars lazy": lambda: pl.LazyFrame({"text": DOCUMENTS}),
    "polars Series": lambda: pl.Series(DOCUMENTS),
    "Arrow": lambda: pa.table({"text": DOCUMENTS}),
    "Arrow large": lambda: pa.table({"text": pa.array(DOCUMENTS, pa.large_string())}),
    "Arrow dictionary": lambda: pa.table({"text": pa.array(DOCUMENTS).dictionary_encode()}),
    "Arrow array": lambda: pa.array(DOCUMENTS),
    "Arrow chunks": lambda: pa.chunked_array([DOCUMENTS[:100], DOCUMENTS[100:]]),
}


@pytest.mark.parametrize("form", FORMS)
def test_documents_in_any_form(form):
    expected = TfidfVectorizer().fit_transform(DOCUMENTS)
    assert_same_features(tn.TextFeatures().fit_transform(FORMS[form]()), expected)
    model = tn.TextFeatures().fit(FORMS[form]())
    assert_same_features(model.transform(DOCUMENTS), expected)  # and no warning of names


def lazy_forms(path):
    frame = dd.from_pandas(FRAME, chunksize=37, sort=False)
    return {
        "Parquet": tn.scan(path, columns=["text"]),
        "frame": tn.scan(FRAME, columns=["text"]),
        "dask": frame[["text"]],
        "dask Series": frame["text"],
        "dask Array": da.from_array(np.array(DOCUMENTS, dtype=object), chunks=37),
    }


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask itself, with a pandas that is newer than it
def test_documents_that_are_read_part_by_part(path):
    expected = TfidfVectorizer().fit_transform(DOCUMENTS)
    for form, rows in lazy_forms(path).items():
        found = tn.TextFeatures().fit_transform(rows)
        assert_same_features(found.collect(), expected), form


@pytest.mark.parametrize("learner", [tn.MultinomialNB(), tn.ComplementNB(), tn.BernoulliNB(), tn.LogisticRegression()])
def test_sparse_rows_flow_through_a_pipeline(learner, path, monkeypatch):
    """A pipeline over a source keeps rows sparse, and gives the bits of one over the same parts in memory."""
    import scipy.sparse as sp

    pipeline = make_pipeline(tn.TextFeatures(), learner)
    with part_rows(34):
        here = clone(pipeline).fit(DOCUMENTS, LABEL)
    dense = sp.csr_array.toarray

    def small(matrix, *args, **given):
        assert matrix.shape[1] < 10, "rows were made dense"
        return dense(matrix, *args, **given)

    monkeypatch.setattr(sp.csr_array, "toarray", small)
    with tn.on(tn.Local(threads=2)):
        there = clone(pipeline).fit(tn.scan(path, columns=["text"], target="label"))
        said = there.predict_proba(tn.scan(path, columns=["text"])).collect()
    monkeypatch.undo()
    np.testing.assert_allclose(said, here.predict_proba(DOCUMENTS), rtol=1e-9)


def test_documents_are_cut_into_terms_once_for_a_learner_of_several_passes(path, monkeypatch):
    """What was made of them is held: a tokenizer takes longer than a pass."""
    calls = []
    made = Analyzer.build
    monkeypatch.setattr(Analyzer, "build", lambda self: calls.append(1) or made(self))
    rows = tn.scan(path, columns=["text"], target="label")
    features = tn.TextFeatures().fit_transform(rows)
    parts = len(calls)
    model = tn.LogisticRegression().fit(features)
    assert model.certificate_.provenance.passes > 2
    assert len(calls) == 2 * parts
    monkeypatch.undo()
    memory = tn.LogisticRegression().fit(tn.TextFeatures().fit_transform(DOCUMENTS), LABEL)
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-9, atol=1e-12)


def test_the_same_folds_for_a_pipeline_over_documents(path):
    pipeline = make_pipeline(tn.TextFeatures(), tn.MultinomialNB())
    cv = tn.cross_validate(pipeline, tn.scan(path, columns=["text"], target="label"), folds=4)
    assert cv.scores.shape == (1, 1, 4)
    assert (cv.scores > 0.5).all()


def test_two_days_of_documents_add_up():
    a, b = tn.TextFeatures().fit(DOCUMENTS[:20]), tn.TextFeatures().fit(DOCUMENTS[20:])
    whole = tn.TextFeatures().fit(DOCUMENTS)
    assert bits((a + b).model_) == bits(whole.model_)
    grown = tn.TextFeatures().partial_fit(DOCUMENTS[:20]).partial_fit(DOCUMENTS[20:])
    assert bits(grown.model_) == bits(whole.model_)
    assert len(a.vocabulary_) < len(whole.vocabulary_)
    assert {*whole.vocabulary_} == {*a.vocabulary_} | {*b.vocabulary_}


def test_weights_count_documents():
    weight = random.integers(0, 3, len(DOCUMENTS)).astype(float)
    weighed = tn.TextFeatures(min_df=2).fit(DOCUMENTS, sample_weight=weight)
    repeated = tn.TextFeatures(min_df=2).fit(np.repeat(np.array(DOCUMENTS, dtype=object), weight.astype(int)))
    assert bits(weighed.model_) == bits(repeated.model_)


def test_a_file_holds_the_vocabulary(tmp_path):
    model = tn.TextFeatures("count", vocabulary={"日本語": 1, "café": 0}).fit(DOCUMENTS)
    model.save(tmp_path / "m")
    loaded = tn.load(tmp_path / "m")
    assert loaded.vocabulary_ == {"café": 0, "日本語": 1}
    assert loaded.verify().origin == "verified"
    assert_same_features(loaded.transform(DOCUMENTS), model.transform(DOCUMENTS))
    a, b = tn.TextFeatures().fit(DOCUMENTS[:9]), tn.TextFeatures().fit(DOCUMENTS[9:])
    a.save(tmp_path / "a")
    assert bits((tn.load(tmp_path / "a") + b).model_) == bits(tn.TextFeatures().fit(DOCUMENTS).model_)


@pytest.mark.parametrize(
    ("given", "documents", "error"),
    [
        ({}, "one text", "Iterable over raw text documents expected, string object received"),
        ({}, FRAME[["text", "label"]], r"one column of text, but there are 2: 'text', 'label'. Remedy: choose one"),
        ({}, FRAME[["other"]], r"cannot be used as text: 'other' \(double\)"),
        ({}, [1, 2], "column 'x0' holds int64, not text"),
        ({}, ["red", None], r"no text in column 'x0', row 1: it is missing. Remedy"),
        ({}, ["a b", "!"], "empty vocabulary; perhaps the documents only contain stop words"),
        ({}, [], "Found array with 0 sample"),
        ({"stop_words": ["red"]}, ["red"], "empty vocabulary"),
        ({"min_df": 3, "max_df": 2}, ["red", "green"], "max_df corresponds to < documents than min_df"),
        ({"min_df": 2}, ["red", "green"], "After pruning, no terms remain"),
        ({"vocabulary": ["red", "red"]}, ["red"], "Duplicate term in vocabulary: 'red'"),
        ({"vocabulary": {"red": 0, "blue": 2}}, ["red"], "places in a vocabulary must be 0, 1"),
        ({"vocabulary": []}, ["red"], "empty vocabulary passed to fit"),
        ({"vocabulary": [1]}, ["red"], "a vocabulary holds texts, not 1"),
        ({"vocabulary": ["red", "blue"], "smooth_idf": False}, ["red"], "term 'blue' of the vocabulary is in no doc"),
        ({"ngram_range": (2, 1)}, ["red"], "ngram_range must be two positive integers"),
        ({"stemmer": "elvish"}, ["red"], "there is no stemmer for 'elvish'. Remedy: one of .*english"),
        ({"stemmer": "english", "analyzer": "char"}, ["red"], "stems are made of words"),
        ({"weighting": "tf"}, ["red"], "'weighting' parameter"),
    ],
)
def test_errors_name_what_is_wrong(given, documents, error):
    with pytest.raises(ValueError, match=error):
        tn.TextFeatures(**given).fit(documents)


def test_english_stop_words_are_those_of_scikit_learn():
    model = tn.TextFeatures(stop_words="english").fit(DOCUMENTS)
    assert not {*model.vocabulary_} & ENGLISH_STOP_WORDS
    assert "the" in tn.TextFeatures().fit(DOCUMENTS).vocabulary_


def test_the_certificate_counts_terms():
    model = tn.TextFeatures(min_df=2).fit(["red wine", "red tea", "green tea"])
    claims = model.certificate_
    assert (claims["features"].value, claims["features"].because) == (2.0, "of 4 terms that were counted")
    assert claims["rarest term"].value == 2.0


def test_erratum_18_idf_belongs_to_the_corpus():
    """ln((1 + n)/(1 + df)) + 1 counts the documents of the corpus with a word, and no new document changes it."""
    corpus = ["red wine", "red apple", "red red wine", "green apple"]
    model = tn.TextFeatures(norm=None).fit(corpus)
    words = model.get_feature_names_out().tolist()
    df = np.array([sum(word in document.split() for document in corpus) for word in words])
    np.testing.assert_allclose(model.idf_, np.log((1 + 4) / (1 + df)) + 1, rtol=1e-14)
    new = ["red red red apple", "wine"]
    tf = np.array([[document.split().count(word) for word in words] for document in new])
    np.testing.assert_allclose(model.transform(new).toarray(), tf * model.idf_, rtol=1e-14)
    np.testing.assert_allclose(model.transform(new[:1]).toarray(), tf[:1] * model.idf_, rtol=1e-14)
    other = tn.TextFeatures(norm=None).fit([*corpus, "red pear"])
    assert other.idf_[other.vocabulary_["red"]] < model.idf_[model.vocabulary_["red"]]


def test_erratum_24_set_of_words_of_documents():
    """P(word | class) = (n_cv + 1) / (n_c + 2), with n_c the documents of the class: a word is there or it is not.

    By the text's own formula, with the size of the vocabulary in the denominator, word and no word do not add up to 1.
    """
    texts = ["red wine", "red apple", "red red wine", "green apple"]
    label = ["drink", "food", "drink", "food"]
    words = tn.TextFeatures("binary")
    model = make_pipeline(words, tn.BernoulliNB()).fit(texts, label)
    chance = np.exp(model[-1].feature_log_prob_)
    n_cv, n_c = np.array([[0, 0, 2, 2], [2, 1, 1, 0]]), np.array([[2], [2]])
    assert words.get_feature_names_out().tolist() == ["apple", "green", "red", "wine"]
    np.testing.assert_allclose(chance, (n_cv + 1) / (n_c + 2), rtol=1e-14)
    theirs = (n_cv + 1) / (n_c + 4)  # with the number of words in place of the two answers
    absent = (n_c - n_cv + 1) / (n_c + 4)
    assert np.abs(theirs + absent - 1).min() > 0.3
    assert np.abs(chance - theirs).max() > 0.1
    counted = make_pipeline(tn.TextFeatures("count"), tn.BernoulliNB()).fit(texts, label)
    np.testing.assert_array_equal(np.exp(counted[-1].feature_log_prob_), chance)  # twice in a document is in it


# ---- hashed terms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"ngram_range": (1, 3), "lowercase": False},
        {"weighting": "count", "alternate_sign": True},
        {"weighting": "binary", "stop_words": "english", "ngram_range": (2, 2)},
        {"weighting": "count", "analyzer": "char_wb", "ngram_range": (2, 3)},
        {"sublinear_tf": True, "smooth_idf": False, "norm": "l1", "strip_accents": "unicode"},
    ],
    ids=str,
)
@pytest.mark.parametrize("features", [1 << 12, 37])
def test_hashed_features_are_those_of_scikit_learn(given, features, path):
    weights = ("sublinear_tf", "smooth_idf", "norm")
    how = {name: value for name, value in given.items() if name not in (*weights, "weighting")}
    how = {"alternate_sign": False, "n_features": features, **how}
    theirs = HashingVectorizer(norm=None, binary=given.get("weighting") == "binary", **how).transform(DOCUMENTS)
    if given.get("weighting", "tfidf") == "tfidf":
        given_weights = {name: value for name, value in given.items() if name in weights}
        with np.errstate(divide="ignore"):
            theirs = TfidfTransformer(**given_weights).fit_transform(theirs)
    model = tn.TextFeatures(n_features=features, **given)
    with part_rows(41):
        mine = model.fit_transform(DOCUMENTS)
    assert_same_features(mine, theirs)
    rows = tn.scan(path, columns=["text"])
    there = tn.TextFeatures(n_features=features, **given).fit(rows)
    assert bits(there.model_) == bits(model.model_)
    assert_same_features(there.transform(rows).collect(), theirs)


def test_the_kernel_cuts_every_letter_as_python_does():
    """Of all code points, but the two that depend on their neighbours or become two letters."""
    points = [chr(k) for k in range(1, 0x110000) if not 0xD800 <= k < 0xE000 and k not in (0x130, 0x3A3)]
    texts = [f"ab{a}cd{a}{a} {a}x" for a in points[::7]] + ["".join(points[k : k + 40]) for k in range(0, 9000, 40)]
    theirs = HashingVectorizer(n_features=1 << 20, norm=None, alternate_sign=False).transform(texts)
    assert_same_sparse(tn.TextFeatures("count", n_features=1 << 20).fit(texts[:1]).transform(texts), theirs)
    hashed = Hashing(Analyzer(), 1 << 20, False)
    assert_same_sparse(hashed.counted(["İb bİ"]), hashed.counted(["İb", "bİ"]).sum(axis=0)[None])  # it stays a letter
    assert_same_sparse(hashed.counted(["ΣΑΣ"]), hashed.counted(["σασ"]))


def assert_same_sparse(mine, theirs):
    assert abs(mine - theirs).max() == 0


def test_words_are_cut_from_bytes():
    letters, ends = pack(["Red wine, a naïve 𝐀𝐁", "", "x yy"])
    out, last = np.empty(2 * len(letters) + 2, np.uint8), np.empty(3, np.int64)
    starts, stops = np.empty((2, len(letters)), np.int64)
    words = cut_words(letters, ends, letter_table(True, 0x40000), out, starts, stops, last)
    found = [bytes(out[a:b]).decode() for a, b in zip(starts[:words], stops[:words], strict=True)]
    assert found == ["red", "wine", "naïve", "𝐀𝐁".lower(), "yy"]
    assert last.tolist() == [4, 4, 5]


@pytest.mark.quick
def test_hashed_features_flow_into_bayes_and_need_no_vocabulary(path):
    rows = tn.scan(path, columns=["text"], target="label")
    model = make_pipeline(tn.TextFeatures("count", n_features=256), tn.MultinomialNB()).fit(rows)
    assert (model.predict(rows).collect() == LABEL).mean() > 0.6
    hashed = model[0]
    assert not hasattr(hashed, "vocabulary_")
    assert hashed.get_feature_names_out()[-1] == "hash255"
    claims = hashed.certificate_
    assert claims["occupied features"].value == (hashed.document_frequency_ > 0).mean()
    assert claims["collisions"].status == "estimated"
    with pytest.raises(ValueError, match=r"n_features=8 hashes terms and keeps none, so min_df means nothing"):
        tn.TextFeatures(n_features=8, min_df=2).fit(DOCUMENTS)


def test_the_estimate_of_collisions_is_about_right():
    terms = [f"term{k}" for k in range(3000)]
    model = tn.TextFeatures("count", n_features=4096).fit(terms)
    at = model.transform(terms).indices
    shared = np.bincount(at, minlength=4096)[at] > 1
    assert model.certificate_["collisions"].value == pytest.approx(shared.mean(), abs=0.03)


# ---- frequent terms ----------------------------------------------------------------------------------------


@given(
    documents=st.lists(st.lists(st.integers(0, 30), max_size=6), min_size=1, max_size=60),
    capacity=st.integers(1, 12),
    cuts=st.lists(st.integers(1, 20), min_size=60, max_size=60),
    seed=st.integers(0, 99),
)
@settings(max_examples=draws(20, 150))
def test_frequent_terms_merge_to_the_stated_bound(documents, capacity, cuts, seed):
    """Merged in any order, no count is too large, none lacks more than `error`, and that is as small as promised."""
    texts = [" ".join(f"term{k}" for k in some) for some in documents]
    true = Counter(f"term{k}" for some in documents for k in set(some))
    statistic, pieces = DocumentFrequencies(Analyzer(), capacity=capacity), []
    while texts:
        size = cuts[len(pieces)]
        X = TextColumns((np.array([*texts[:size], None], dtype=object)[:-1],), ["x0"])
        pieces.append(statistic.summarize(Chunk(X, None, np.ones(len(X)), True, 0, 0)))
        texts = texts[size:]
    order = np.random.default_rng(seed)
    while len(pieces) > 1:
        at = int(order.integers(len(pieces) - 1))
        pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
    found = pieces[0]
    check(found, Schema(()))
    assert len(found.ends) <= capacity
    held = dict(zip(found.terms, found.documents.tolist(), strict=True))
    assert all(held.get(term, 0.0) <= true[term] <= held.get(term, 0.0) + found.error for term in {*true, *held})
    assert found.pairs == sum(true.values())
    assert found.error <= (found.pairs - found.documents.sum()) / (capacity + 1)
    if len(true) <= capacity:
        assert (found.error, held) == (0.0, dict(true))


def test_a_bounded_vocabulary_finds_the_frequent_terms(path):
    texts = [" ".join([*random.choice(["red", "green", "blue"], 2), f"rare{k}"]) for k in range(4000)]
    with part_rows(100):
        model = tn.TextFeatures(max_terms=40, max_features=3).fit(texts)
        again = tn.TextFeatures(max_terms=40, max_features=3).fit(texts[:1700])
        merged = again + tn.TextFeatures(max_terms=40, max_features=3).fit(texts[1700:])
    for one in (model, merged):
        assert one.get_feature_names_out().tolist() == ["blue", "green", "red"]
        error = one.certificate_["document frequency error"].value
        assert 0 < error <= one.summary_.pairs / 41
        exact = tn.TextFeatures(vocabulary=["blue", "green", "red"]).fit(texts).document_frequency_
        assert (one.document_frequency_ <= exact).all()
        assert (exact <= one.document_frequency_ + error).all()
        assert one.verify().origin == "verified"
    whole = tn.TextFeatures(max_terms=10_000).fit(texts)
    assert whole.certificate_["document frequency error"].value == 0.0
    assert bits(whole.model_) == bits(tn.TextFeatures().fit(texts).model_)


# ---- each text is cut once ---------------------------------------------------------------------------


def test_texts_of_a_chunk_are_cut_once_whatever_folds_take_them(monkeypatch):
    cut = []
    build = Analyzer.build

    def counting(self):
        analyze = build(self)
        return lambda text: cut.append(text) or analyze(text)

    monkeypatch.setattr(Analyzer, "build", counting)
    texts = np.array([" ".join(random.choice(WORDS, 3)) for _ in range(30)] * 4 + [None] * 5, dtype=object)
    whole = TextColumns((texts,), ["note"], missing=True)
    analyzer = Analyzer()
    places = {term: at for at, term in enumerate(["word1", "the", "unknown", "over", "café", "word7"])}
    peer = CountVectorizer(vocabulary=places)
    with chunk_memo():
        for fold in range(5):
            rows = np.flatnonzero(np.arange(len(texts)) % 5 != fold)
            some = whole.rows(rows).rows(np.arange(len(rows) - 1, 3, -1)).rows(slice(2, 90))
            filled = np.where(np.equal(some.column(0), None), "", some.column(0))
            found = counted(some.column(0), analyzer, places)
            np.testing.assert_array_equal(found.toarray(), peer.transform(filled).toarray())
            assert found.has_sorted_indices
            terms, every = counted_terms(some.column(0), analyzer)
            own = CountVectorizer().fit(filled)
            assert sorted(terms) == own.get_feature_names_out().tolist()
            order = np.argsort(terms)
            np.testing.assert_array_equal(every.toarray()[:, order], own.transform(filled).toarray())
    assert sorted(cut) == sorted({"" if text is None else text for text in texts})
    counted(texts, analyzer, places)
    assert len(cut) == 2 * len(set(cut))  # after the chunk, nothing is kept


def test_no_texts_have_no_terms():
    none = np.array([], dtype=object)
    assert counted(none, Analyzer(), {"a": 0}).shape == (0, 1)
    terms, found = counted_terms(none, Analyzer())
    assert (terms, found.shape) == ([], (0, 0))
    terms, found = counted_terms(np.array(["", "?"], dtype=object), Analyzer())
    assert (terms, found.shape) == ([], (2, 0))


@pytest.mark.parametrize("weight", [[0.3, 0.2, 0.1], [1e-9, 2e-9, 5e-9]])
def test_the_defaults_keep_all_terms_whatever_the_weights(weight):
    documents = ["red wine", "red tea", "red apple"]
    for order in itertools.permutations(range(3)):
        model = tn.TextFeatures("count").fit([documents[i] for i in order], sample_weight=[weight[i] for i in order])
        assert model.get_feature_names_out().tolist() == ["apple", "red", "tea", "wine"]
