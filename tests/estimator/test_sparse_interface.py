"""Sparse outputs are of the kind that scikit-learn's learners of the same names give."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn import feature_extraction, neighbors, preprocessing

import tenfold as tn
from tenfold.sources import part_rows

WORDS = ["red apple", "green apple", "red red wine"] * 4
NUMBERS = np.random.default_rng(0).normal(size=(12, 3))
CODES = np.arange(12)[:, None] % 3
MAKERS = {
    "OneHotEncoder": (preprocessing, {}, CODES),
    "KBinsDiscretizer": (preprocessing, {"n_bins": 2, "quantile_method": "averaged_inverted_cdf"}, NUMBERS),
    "CountVectorizer": (feature_extraction.text, {}, WORDS),
    "TfidfVectorizer": (feature_extraction.text, {}, WORDS),
}


@pytest.mark.parametrize("setting", [None, "spmatrix", "sparray"])
@pytest.mark.parametrize("name", MAKERS)
def test_kinds_are_those_of_scikit_learn(name, setting):
    place, given, rows = MAKERS[name]
    with sklearn.config_context(sparse_interface=setting), part_rows(5):
        ours, theirs = getattr(tn, name)(**given).fit(rows), getattr(place, name)(**given).fit(rows)
        for found, wanted in (
            (ours.transform(rows), theirs.transform(rows)),
            (getattr(tn, name)(**given).fit_transform(rows), getattr(place, name)(**given).fit_transform(rows)),
        ):
            assert type(found) is type(wanted)
            np.testing.assert_allclose(found.toarray(), wanted.toarray(), rtol=1e-12)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("learner", [tn.StandardScaler(with_mean=False), tn.MaxAbsScaler(), tn.Normalizer()], ids=str)
def test_sparse_rows_keep_their_kind(learner, kind):
    rows = kind(np.where(NUMBERS > 0, NUMBERS, 0.0))
    theirs = getattr(preprocessing, type(learner).__name__)(
        **({"with_mean": False} if isinstance(learner, tn.StandardScaler) else {})
    )
    found, wanted = learner.fit(rows).transform(rows), theirs.fit(rows).transform(rows)
    assert type(found) is type(wanted) is kind
    np.testing.assert_allclose(found.toarray(), wanted.toarray(), rtol=1e-12)


def test_programs_of_matrices_run():
    """The product of matrices, one row, and sums as a flat array."""
    features = tn.TfidfVectorizer().fit_transform(WORDS)
    np.testing.assert_allclose((features * features.T).toarray().diagonal(), 1.0)
    assert features[0].shape == (1, 4)
    assert features.sum(axis=0).A1.shape == (4,)
    model = tn.MultinomialNB().fit(features, np.arange(12) % 3)
    assert model.predict(features[0]).shape == (1,)
    collected = tn.OneHotEncoder().fit(CODES).transform(tn.scan(CODES)).collect()
    assert isinstance(collected, sp.csr_matrix)


def test_graphs_of_neighbors():
    for setting in ("spmatrix", "sparray"):
        with sklearn.config_context(sparse_interface=setting):
            ours, theirs = (
                place.KNeighborsClassifier(3).fit(NUMBERS, CODES[:, 0]).kneighbors_graph(NUMBERS)
                for place in (tn, neighbors)
            )
            assert type(ours) is type(theirs)
            assert np.array_equal(ours.toarray(), theirs.toarray())
