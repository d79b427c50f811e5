"""Sparse rows as scikit-learn's transformers make them: the answers of the dense ones, or a refusal with a remedy."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer as PeerCounts
from sklearn.feature_extraction.text import TfidfVectorizer as PeerTfidf
from sklearn.pipeline import FeatureUnion as PeerUnion
from sklearn.pipeline import make_pipeline as peer_pipeline
from sklearn.preprocessing import OneHotEncoder as PeerOneHot

import tenfold as tn
from tenfold.decomposition.pca import MAX_COLUMNS
from tenfold.sources.validation import MAX_DECOMPOSED_COLUMNS

random = np.random.default_rng(0)
TERMS = np.array([f"w{k}" for k in range(25)])
DOCUMENTS = [" ".join(random.choice(TERMS, 6)) for _ in range(80)]
SPAM = np.array([int("w1" in text.split() or "w3" in text.split()) for text in DOCUMENTS])
CODES = np.array([text.split()[:3] for text in DOCUMENTS], dtype=object)


@pytest.mark.parametrize(
    ("learner", "method"),
    [
        (tn.LogisticRegression(), "predict_proba"),
        (tn.SGDClassifier(max_iter=3), "decision_function"),
        (tn.LinearSVC(), "decision_function"),
        (tn.MultinomialNB(), "predict_proba"),
        (tn.TruncatedSVD(3), "transform"),
        (tn.DummyClassifier(), "predict_proba"),
        (tn.DummyRegressor(), "predict"),
    ],
    ids=lambda given: type(given).__name__ if hasattr(given, "fit") else given,
)
def test_pipelines_of_scikit_learn_with_its_vectorizer(learner, method):
    pipeline = peer_pipeline(PeerTfidf(), learner).fit(DOCUMENTS, SPAM)
    found = getattr(pipeline, method)(DOCUMENTS)
    dense = pipeline[0].transform(DOCUMENTS).toarray()
    expected = getattr(type(learner)(**learner.get_params()).fit(dense, SPAM), method)(dense)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert learner.__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "csc", "coo", "unsorted", "long indices", "float32"])
def test_matrices_of_any_form(form):
    words = PeerCounts().fit_transform(DOCUMENTS)
    assert isinstance(words, sp.csr_matrix)
    assert words.dtype == np.int64
    dense = words.toarray()
    if form == "unsorted":
        words = sp.csr_matrix((words.data.copy(), words.indices.copy(), words.indptr), words.shape)
        for a, b in zip(words.indptr[:-1], words.indptr[1:], strict=True):
            words.indices[a:b], words.data[a:b] = words.indices[a:b][::-1].copy(), words.data[a:b][::-1].copy()
        words.has_sorted_indices = False
    elif form == "long indices":
        words.indices, words.indptr = words.indices.astype(np.int64), words.indptr.astype(np.int64)
    elif form == "float32":
        words = words.astype(np.float32)
    else:
        words = {"csr_matrix": words, "csr_array": sp.csr_array(words), "csc": words.tocsc(), "coo": words.tocoo()}[
            form
        ]
    for learner in (tn.MultinomialNB(), tn.LogisticRegression(), tn.DecisionTreeClassifier(max_depth=3)):
        found = type(learner)(**learner.get_params()).fit(words, SPAM).predict_proba(words)
        np.testing.assert_allclose(found, learner.fit(dense, SPAM).predict_proba(dense), rtol=1e-9)


def test_encoders_and_unions_of_scikit_learn():
    codes = PeerOneHot().fit_transform(CODES)
    found = tn.Ridge().fit(codes, SPAM).predict(codes)
    np.testing.assert_allclose(found, tn.Ridge().fit(codes.toarray(), SPAM).predict(codes.toarray()), rtol=1e-9)
    both = PeerUnion([("words", PeerTfidf()), ("letters", PeerCounts(analyzer="char"))])
    assert peer_pipeline(both, tn.LinearSVC()).fit(DOCUMENTS, SPAM).score(DOCUMENTS, SPAM) > 0.9


@pytest.mark.parametrize(
    ("learner", "relative"),
    [
        (tn.GaussianNB(), "tn.LogisticRegression()"),
        (tn.KNeighborsRegressor(), "tn.Ridge()"),
        (tn.StandardScaler(), "tn.StandardScaler(with_mean=False)"),
        (tn.RobustScaler(), "tn.MaxAbsScaler()"),
        (tn.CategoricalNB(), "tn.LogisticRegression()"),
        (tn.PolynomialFeatures(), ""),
    ],
    ids=lambda given: type(given).__name__ if hasattr(given, "fit") else "",
)
def test_learners_of_dense_rows_name_the_remedy(learner, relative):
    words = PeerTfidf().fit_transform(DOCUMENTS)
    with pytest.raises(tn.DataError) as error:
        learner.fit(words, SPAM)
    said = str(error.value)
    assert "Sparse data was passed for X, but dense data is required" in said
    assert "Remedy: X.toarray(), which takes less than 1 MB" in said
    assert said.endswith(f"; or a learner of sparse rows, such as {relative}" if relative else "less than 1 MB")
    if relative:
        eval(relative).fit(words, SPAM)
    assert not learner.__sklearn_tags__().input_tags.sparse


def test_the_remedy_of_a_huge_matrix_is_not_to_make_it_dense():
    words = sp.csr_array((100_000, 10_000))
    with pytest.raises(tn.DataError, match=r"Remedy: TruncatedSVD before it.*X.toarray\(\) would take 8 GB"):
        tn.GaussianNB().fit(words, np.arange(100_000) % 2)
    fitted = tn.GaussianNB().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(tn.DataError, match="Sparse data was passed for X"):
        fitted.predict(sp.csr_array([[1.0]]))


def test_the_remedy_of_a_wide_matrix_takes_it():
    """TruncatedSVD does not, beyond as many columns as its moments have room for."""
    assert MAX_DECOMPOSED_COLUMNS == MAX_COLUMNS
    at = np.arange(1_000)
    y = at % 2
    words = sp.csr_array((np.ones(1_000), (at, np.where(y, at % 7, 100_000 + at % 5))), shape=(1_000, 1 << 18))
    size = r"X.toarray\(\) would take 2 GB"
    with pytest.raises(tn.DataError, match=rf"Remedy: SelectKBest\(k=1000\) before it, in a pipeline.*{size}"):
        tn.GaussianNB().fit(words, y)
    assert tn.make_pipeline(tn.SelectKBest(k=12), tn.GaussianNB()).fit(words, y).score(words, y) == 1.0
    with pytest.raises(tn.DataError, match=rf"Remedy: SelectKBest\('f_regression', k=1000\) before it.*{size}"):
        tn.KNeighborsRegressor().fit(words, y)
    near = tn.make_pipeline(tn.SelectKBest("f_regression", k=12), tn.KNeighborsRegressor(1)).fit(words, y)
    assert near.score(words, y) == 1.0
    with pytest.raises(tn.DataError, match=rf"Remedy: few columns before it; {size}$"):
        tn.GaussianMixture(2).fit(words)


def test_the_error_of_one_of_several_learners_is_a_type_error_too():
    X, y = sp.csr_array(np.eye(12)), np.arange(12) % 2
    with pytest.raises(TypeError, match="^bayes: Sparse data was passed") as error:
        tn.cross_validate({"logistic": tn.LogisticRegression(), "bayes": tn.GaussianNB()}, X, y, folds=2)
    assert isinstance(error.value, tn.DataError)
