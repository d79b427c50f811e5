"""Principal components beside scikit-learn, their optimality, and what rounding may do to them."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition as peer
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold import PCA
from tenfold.decomposition.pca import ReadingRFactor
from tenfold.sources import part_rows
from tenfold.stats.moments.centered_factor import TriangularFactor
from tenfold.testing import bits, check_law


@pytest.fixture
def X():
    random = np.random.default_rng(0)
    return random.normal(size=(600, 6)) @ random.normal(size=(6, 6)) + np.array([0, 10, -100, 0, 1e4, 0])


NAMES = (
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "noise_variance_",
)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("components", [None, 1, 4, 0.5, 0.95])
def test_equals_scikit_learn(X, components, whiten):
    ours = PCA(components, whiten=whiten).fit(X)
    theirs = peer.PCA(components, whiten=whiten, svd_solver="full").fit(X)
    for name in NAMES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10)
    assert ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-8)
    back = ours.inverse_transform(ours.transform(X))
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(X)), rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(
        PCA(components, whiten=whiten).fit(sp.csr_array(X)).transform(X), ours.transform(X), atol=1e-8
    )


def test_no_other_directions_keep_more(X):
    kept = PCA(2).fit(X)
    centred = X - X.mean(axis=0)
    best = ((centred @ kept.components_.T) ** 2).sum()
    random = np.random.default_rng(1)
    for size in (1e-3, 1e-1, 10.0):
        basis = np.linalg.qr(kept.components_.T + size * random.normal(size=(6, 2)))[0]
        assert ((centred @ basis) ** 2).sum() < best
    np.testing.assert_allclose(kept.certificate_["explained variance"].value, best / (centred**2).sum(), rtol=1e-10)


def test_columns_that_nearly_repeat_each_other_are_read_again():
    """Squares lose a variance of 1e-14: the second scan has it, where the peer's default has noise."""
    random = np.random.default_rng(2)
    x = random.normal(size=2000)
    X = np.column_stack([x, x + 1e-7 * random.normal(size=2000), random.normal(size=2000)])
    exact = peer.PCA(svd_solver="full").fit(X).explained_variance_
    model = PCA().fit(X)
    assert model.certificate_.provenance.passes == 2
    off = np.abs(model.explained_variance_ / exact - 1).max()
    assert off < 10 ** -model.certificate_["digits"].value < 1e-5
    assert np.abs(peer.PCA().fit(X).explained_variance_ / exact - 1).max() > 1e-4
    assert PCA(2).fit(X).certificate_.provenance.passes == 1  # the first two have all their digits
    with part_rows(300):
        parts = PCA().fit(X)
    np.testing.assert_allclose(parts.explained_variance_, exact, rtol=1e-6)


def test_columns_of_unlike_size_need_no_second_scan():
    random = np.random.default_rng(3)
    X = random.normal(size=(1000, 3)) * [1e6, 1.0, 1e-4]
    model = PCA().fit(X)
    assert model.certificate_.provenance.passes == 1
    exact = np.sort(np.linalg.svd((X - X.mean(axis=0)), compute_uv=False)) ** 2 / 999
    off = np.abs(np.sort(model.explained_variance_) / exact - 1).max()
    assert off < 10 ** -model.certificate_["digits"].value


def test_merged_models_say_that_a_scan_is_missing():
    random = np.random.default_rng(4)
    x = random.normal(size=400)
    X = np.column_stack([x, x + 1e-7 * random.normal(size=400)])
    a, b, plain = PCA().fit(X[:200]), PCA().fit(X[200:]), PCA().fit(random.normal(size=(100, 2)))
    both = a + b
    assert type(both.summary_).__name__ == "Triangle"
    np.testing.assert_allclose(both.explained_variance_, PCA().fit(X).explained_variance_, rtol=1e-6)
    for mixed in (a + plain, plain + a):
        assert type(mixed.summary_).__name__ == "Moments"
        assert mixed.certificate_.get("another scan") is None
    moments = a.summary_.moments() + b.summary_.moments()
    state = a.update(a.start(a.schema_), moments)
    assert isinstance(state, ReadingRFactor)
    assert isinstance(a.ask(state), TriangularFactor)


def test_directions_of_equal_variance_are_said():
    near = np.diag([3.0, 3.0 + 1e-9, 1.0])
    X = np.vstack([near, -near])
    claim = PCA().fit(X).certificate_["direction digits"]
    assert claim.value < 8
    assert "number 0, beside number 1" in claim.because
    assert PCA().fit(np.vstack([np.diag([3.0, 2.0, 1.0])] * 2)).certificate_["direction digits"].value > 12


def test_what_has_no_variance_is_said_and_never_noise():
    random = np.random.default_rng(5)
    x = random.normal(size=(50, 2))
    X = np.column_stack([x, x[:, 0] - x[:, 1], np.full(50, 0.1)])
    model = PCA(whiten=True).fit(X)
    assert model.certificate_["rank"].value == 2
    assert model.certificate_["constant columns"].value == 1
    assert (model.explained_variance_[2:] == 0).all()
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(4), atol=1e-12)
    assert (model.transform(X)[:, 2:] == 0).all()
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-8)
    wide = random.normal(size=(5, 9))
    few = PCA().fit(wide)
    assert few.certificate_["rank"].value == 4
    np.testing.assert_allclose(few.explained_variance_[:4], peer.PCA().fit(wide).explained_variance_[:4], rtol=1e-8)
    one = PCA().fit([[1.0, 2.0]])
    assert np.isfinite(one.transform([[3.0, 4.0]])).all()
    assert one.certificate_["rank" if one.certificate_.get("rank") else "constant columns"].value in (0, 2)


def test_weights_that_add_up_to_one(X):
    weight = np.random.default_rng(6).random(600)
    model = PCA().fit(X, sample_weight=weight / weight.sum())
    centred = X - (weight @ X) / weight.sum()
    covariance = (centred * weight[:, None]).T @ centred / weight.sum()
    np.testing.assert_allclose(model.explained_variance_, np.linalg.eigvalsh(covariance)[::-1], rtol=1e-8)


def test_wrong_numbers_are_refused(X):
    with pytest.raises(ValueError, match="n_components=7 must be at most the number of columns, 6"):
        PCA(7).fit(X)
    with pytest.raises(ValueError, match="there are 2 components"):
        PCA(2).fit(X).inverse_transform(X)
    with pytest.raises(ValueError, match="n_components"):
        PCA(1.5).fit(X)


@pytest.mark.parametrize("law", ["merging", "chunking", "threads"])
def test_laws_with_parameters(law):
    check_law(law, PCA(0.9, whiten=True), draws=5)


def test_in_a_pipeline_of_folds(X):
    y = (X[:, 0] > X[:, 0].mean()).astype(int)
    ours = make_pipeline(PCA(3), tn.LinearDiscriminantAnalysis())
    found = tn.cross_validate(ours, X, y, folds=5)
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.model_selection import cross_val_score

    wanted = cross_val_score(make_pipeline(peer.PCA(3), LinearDiscriminantAnalysis()), X, y, cv=5)
    np.testing.assert_array_equal(found.scores[0, 0], wanted)


def test_same_bits_for_every_form_of_the_rows(X):
    import pandas as pd

    forms = [X, np.asfortranarray(X), pd.DataFrame(X, columns=list("abcdef"))]
    assert len({bits(PCA().fit(form).model_) for form in forms}) == 1


def test_weights_that_are_shares_give_the_variance_of_the_rows():
    """They add up to one row, of which there is no other variance; a rounding error above it is none either."""
    X = np.random.default_rng(0).normal(size=(47, 2))
    share = np.full(47, 1 / 47)
    models = [tn.PCA().fit(X, sample_weight=share * by) for by in (1 - 1e-12, 1.0, 1 + 1e-12)]
    for model in models:
        assert model.explained_variance_ == pytest.approx(tn.PCA().fit(X).explained_variance_ * 46 / 47, rel=1e-9)


@pytest.mark.parametrize("k", [2, 5, 6])
def test_the_probabilistic_model_is_that_of_scikit_learn(k):
    random = np.random.default_rng(3)
    X = random.normal(size=(80, 6)) @ random.normal(size=(6, 6)) + 5.0
    ours, theirs = PCA(k, whiten=True).fit(X), peer.PCA(k).fit(X)  # it does not depend on what `transform` divides by
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-9)
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)
    np.testing.assert_allclose(ours.score_samples(sp.csr_matrix(X)), ours.score_samples(X), rtol=1e-9)


def test_directions_without_variance_have_no_density():
    X = np.repeat(np.arange(6.0)[:, None], 2, axis=1)
    assert np.isnan(PCA().fit(X).score(X))
    with pytest.raises(tn.DataError, match="Remedy: fewer components"):
        PCA().fit(X).get_precision()


@pytest.mark.parametrize("learner", [tn.PCA(), tn.TruncatedSVD()], ids=["PCA", "TruncatedSVD"])
def test_directions_of_equal_loadings_point_one_way(learner):
    """Two standardised columns have loadings of one size, and rounding must not turn them."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = tn.StandardScaler().fit_transform(rng.normal(size=(50, 2)) @ [[1.0, 0.5], [0.0, 1.0]])
        for rows in (X, X[rng.permutation(50)]):
            found = clone(learner).fit(rows).components_
            np.testing.assert_allclose(np.abs(found), np.sqrt(0.5), rtol=1e-9)
            assert (found[:, 0] > 0).all()
