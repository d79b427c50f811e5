"""Learners under the names of scikit-learn: its keywords, its defaults, its numbers."""

from inspect import Parameter, signature

import numpy as np
import pytest
from sklearn import feature_extraction, impute, kernel_approximation, pipeline, preprocessing

import tenfold as tn

X = np.random.default_rng(0).normal(size=(60, 3))
DOCUMENTS = ["red apple", "green apple and Red wine", "a wine, a red RED wine", "", "pear"]
PEERS = {
    "Normalizer": preprocessing.Normalizer,
    "PolynomialFeatures": preprocessing.PolynomialFeatures,
    "RBFSampler": kernel_approximation.RBFSampler,
    "CountVectorizer": feature_extraction.text.CountVectorizer,
    "TfidfVectorizer": feature_extraction.text.TfidfVectorizer,
    "OneHotEncoder": preprocessing.OneHotEncoder,
    "OrdinalEncoder": preprocessing.OrdinalEncoder,
    "RobustScaler": preprocessing.RobustScaler,
    "PowerTransformer": preprocessing.PowerTransformer,
    "QuantileTransformer": preprocessing.QuantileTransformer,
    "KBinsDiscretizer": preprocessing.KBinsDiscretizer,
}
ONLY_OURS = {
    "OneHotEncoder": {"handle_missing": "category"}, "RBFSampler": {"kernel": "rbf"},
    "CountVectorizer": {"missing": "error"}, "TfidfVectorizer": {"missing": "error"},
}  # fmt: skip
"""parameters that scikit-learn has not, and their defaults, which do what it does"""


@pytest.mark.parametrize("name", PEERS)
def test_keywords_and_defaults_are_those_of_scikit_learn(name):
    ours, theirs = getattr(tn, name)().get_params(), PEERS[name]().get_params()
    only_ours = ONLY_OURS.get(name, {})
    assert {key: str(value) for key, value in ours.items() if key != "random_state"}.items() <= {
        key: str(value) for key, value in {**theirs, **only_ours}.items()
    }.items()
    assert not only_ours.keys() & theirs.keys()
    assert all(signature(getattr(tn, name)).parameters[key].kind is Parameter.KEYWORD_ONLY for key in only_ours)


@pytest.mark.parametrize(
    ("name", "given", "rows"),
    [
        ("Normalizer", {"norm": "l1"}, X),
        ("PolynomialFeatures", {"degree": 3}, X),
        ("PolynomialFeatures", {"interaction_only": True}, X),
        ("CountVectorizer", {}, DOCUMENTS),
        ("CountVectorizer", {"binary": True, "ngram_range": (1, 2)}, DOCUMENTS),
        ("TfidfVectorizer", {}, DOCUMENTS),
        ("TfidfVectorizer", {"sublinear_tf": True, "norm": None, "max_features": 2}, DOCUMENTS),
        ("TfidfVectorizer", {"binary": True}, DOCUMENTS),
        ("TfidfVectorizer", {"binary": True, "use_idf": False, "norm": "l1", "ngram_range": (1, 2)}, DOCUMENTS),
        ("TfidfVectorizer", {"use_idf": False, "sublinear_tf": True, "smooth_idf": False}, DOCUMENTS),
    ],
)
def test_numbers_are_those_of_scikit_learn(name, given, rows, tmp_path):
    ours, theirs = getattr(tn, name)(**given).fit(rows), PEERS[name](**given).fit(rows)
    found, expected = ours.transform(rows), theirs.transform(rows)
    if hasattr(expected, "toarray"):
        found, expected = found.toarray(), expected.toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    ours.save(tmp_path / "model.tenfold")
    again = tn.load(tmp_path / "model.tenfold").transform(rows)
    np.testing.assert_array_equal(again.toarray() if hasattr(again, "toarray") else again, found)


def test_random_features_of_a_gaussian_kernel():
    found = tn.RBFSampler(gamma=0.5, n_components=2000).fit(X)
    Z = found.transform(X)
    assert np.abs(Z @ Z.T - tn.kernels.GaussianKernel(0.5)(X)).max() < 0.15
    assert found.get_feature_names_out()[0] == "rbfsampler0"
    laplacian = tn.RBFSampler(gamma=0.5, n_components=2000, kernel="laplacian").fit_transform(X)
    assert np.abs(laplacian @ laplacian.T - tn.kernels.LaplacianKernel(0.5)(X)).max() < 0.15


def test_steps_have_the_names_that_scikit_learn_gives_them():
    ours = tn.make_pipeline(tn.SimpleImputer(), tn.Normalizer())
    theirs = pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.Normalizer())
    assert [name for name, _ in ours.steps] == [name for name, _ in theirs.steps] == ["simpleimputer", "normalizer"]
