"""Values, attributes and methods of scikit-learn's transformers: the same answers."""

import warnings

import numpy as np
import pytest
import sklearn.decomposition as sk_decomposition
import sklearn.preprocessing as sk
from sklearn.feature_extraction import text as sk_text

import tenfold as tn

DOCUMENTS = ["Red apples, red wine", "the wine and the café", "", "apples of the orchard"]


@pytest.mark.parametrize("degree", [2, 3, (2, 3), (0, 2), (1, 1), [3, 3]])
@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("include_bias", [False, True])
def test_polynomials_of_some_degrees(degree, interaction_only, include_bias):
    X = np.random.default_rng(0).normal(size=(7, 3))
    given = {"degree": degree, "interaction_only": interaction_only, "include_bias": include_bias}
    ours, theirs = tn.PolynomialFeatures(**given).fit(X), sk.PolynomialFeatures(**given).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.powers_.tolist() == theirs.powers_.tolist()
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.n_output_features_ == theirs.n_output_features_


@pytest.mark.parametrize("degree", [(3, 2), (1, 2, 3), (1.0, 2), (-1, 2)])
def test_degrees_that_are_none(degree):
    with pytest.raises(ValueError, match="degree must be two positive integers"):
        tn.PolynomialFeatures(degree).fit([[1.0]])


def test_unknown_categories_warn():
    X, new = [["a"], ["a"], ["b"], ["c"]], [["a"], ["z"]]
    for given in ({}, {"min_frequency": 2}):
        ours = tn.OneHotEncoder(handle_unknown="warn", **given).fit(X)
        theirs = sk.OneHotEncoder(handle_unknown="warn", **given).fit(X)
        with pytest.warns(UserWarning, match="Found unknown categories in columns .*x0"):
            found = ours.transform(new)
        with pytest.warns(UserWarning, match="Found unknown categories"):
            expected = theirs.transform(new)
        assert found.toarray().tolist() == expected.toarray().tolist()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ours.transform(X).toarray().tolist() == theirs.transform(X).toarray().tolist()


@pytest.mark.parametrize("y", [[0.5, 1.5, 2.5, 3.5], ["no", "yes", "no", "yes"], [1, 2, 3, 1]])
def test_what_the_target_of_an_encoder_is(y):
    X = [["a"], ["b"], ["a"], ["b"]]
    ours, theirs = tn.TargetEncoder(cv=2).fit(X, y), sk.TargetEncoder(cv=2).fit(X, y)
    assert ours.target_type_ == theirs.target_type_
    assert (ours.classes_ is None) == (theirs.classes_ is None)
    assert ours.classes_ is None or ours.classes_.tolist() == theirs.classes_.tolist()


def test_how_many_rows_there_were():
    X = np.random.default_rng(0).normal(size=(9, 2))
    assert tn.PCA().fit(X).n_samples_ == sk_decomposition.PCA().fit(X).n_samples_ == 9
    assert tn.MaxAbsScaler().fit(X).n_samples_seen_ == sk.MaxAbsScaler().fit(X).n_samples_seen_ == 9


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"stop_words": ["the", "of"], "ngram_range": (1, 2), "strip_accents": "unicode"},
        {"stop_words": "english", "lowercase": False},
        {"analyzer": "char_wb", "ngram_range": (2, 3)},
    ],
)
def test_how_documents_are_cut(name, given):
    ours, theirs = getattr(tn, name)(**given), getattr(sk_text, name)(**given)
    assert ours.get_stop_words() == theirs.get_stop_words()
    for made in ("build_analyzer", "build_preprocessor", "build_tokenizer"):
        cut, expected = getattr(ours, made)(), getattr(theirs, made)()
        assert [cut(text) for text in DOCUMENTS] == [expected(text) for text in DOCUMENTS]
    X, Z = ours.fit_transform(DOCUMENTS), theirs.fit_transform(DOCUMENTS)
    for rows, expected in ((X, Z), (X.toarray(), Z.toarray())):
        found, terms = ours.inverse_transform(rows), theirs.inverse_transform(expected)
        assert [sorted(some) for some in found] == [sorted(some) for some in terms]


def test_terms_of_what_transform_does_not_give():
    with pytest.raises(ValueError, match="Remedy: pass the output of transform"):
        tn.CountVectorizer().fit(DOCUMENTS).inverse_transform([[1.0]])
    with pytest.raises(ValueError, match="Remedy: n_features=None"):
        tn.TextFeatures(n_features=4).fit(DOCUMENTS).inverse_transform(np.ones((1, 4)))
