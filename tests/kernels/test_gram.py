import numpy as np
import pytest

import tenfold as tn

random = np.random.default_rng(0)
X = random.normal(size=(30, 3))


@pytest.mark.quick
def test_gram_takes_names_and_objects():
    np.testing.assert_allclose(tn.kernels.gram("rbf", X), tn.kernels.GaussianKernel(1 / 3)(X), rtol=1e-14)
    np.testing.assert_allclose(tn.kernels.gram(tn.kernels.LinearKernel(), X, X[:4]), X @ X[:4].T, rtol=1e-14)


def test_products_of_gram_matrices_are_gram_matrices_of_products():
    a, b = tn.kernels.GaussianKernel(0.5), tn.kernels.PolynomialKernel(2)
    K, L = a(X), b(X)
    np.testing.assert_allclose(tn.kernels.hadamard(K, L), (a * b)(X), rtol=1e-12)
    A, B = X[:5, :2], X[:4, 2:]
    pairs = np.hstack([np.repeat(A, 4, axis=0), np.tile(B, (5, 1))])
    both = a.on([0, 1]) * b.on([2])
    np.testing.assert_allclose(tn.kernels.kronecker(a(A), b(B)), both(pairs), rtol=1e-12)
    assert both.psd
    for wrong in ((K, L[:5, :5]), (K[:2], L), (K * np.nan, L)):
        with pytest.raises(ValueError):
            tn.kernels.hadamard(*wrong)


def test_eigenvalues_of_a_product_are_products_and_hadamards_is_a_part_of_it():
    """Of Kronecker's all λᵢ μⱼ; Hadamard's has its rows and columns (i, i), and so no negative eigenvalue either."""
    K, L = tn.kernels.GaussianKernel(0.5)(X[:6]), tn.kernels.PolynomialKernel(2)(X[:6])
    both = tn.kernels.kronecker(K, L)
    products = np.outer(np.linalg.eigvalsh(K), np.linalg.eigvalsh(L)).ravel()
    np.testing.assert_allclose(np.linalg.eigvalsh(both), np.sort(products), atol=1e-9 * products.max())
    at = np.arange(6) * 7
    np.testing.assert_array_equal(tn.kernels.hadamard(K, L), both[np.ix_(at, at)])
    assert tn.kernels.is_psd(both)
    assert tn.kernels.is_psd(tn.kernels.hadamard(K, L))


def test_is_psd_has_a_tolerance_and_a_witness():
    eigen = np.diag([1.0, 0.5, -1e-12])
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    K = turn @ eigen @ turn.T
    K = (K + K.T) / 2
    assert tn.kernels.is_psd(K)
    found = tn.kernels.is_psd(K, tol=1e-14)
    assert not found
    assert found.witness @ K @ found.witness == pytest.approx(-1e-12, rel=1e-2)
    assert str(found).startswith("not PSD")
    assert str(tn.kernels.is_psd(np.eye(2))).startswith("PSD")
    assert tn.kernels.is_psd(np.zeros((3, 3)))
    assert tn.kernels.is_psd(np.zeros((0, 0)))
    assert not tn.kernels.is_psd(-np.eye(2))
    with pytest.raises(ValueError, match="symmetric"):
        tn.kernels.is_psd([[1.0, 2.0], [0.0, 1.0]])


def test_a_precomputed_kernel_is_psd_if_its_matrix_is():
    K = tn.kernels.LinearKernel()(X)
    kernel = tn.kernels.PrecomputedKernel(K)
    assert kernel.psd
    assert np.array_equal(kernel([[3], [1]], [2, 2]), K[[3, 1]][:, [2, 2]])
    assert np.array_equal(kernel.diagonal([3, 1]), np.diag(K)[[3, 1]])
    assert not tn.kernels.PrecomputedKernel(K - np.eye(30)).psd


@pytest.mark.parametrize(
    "kernel",
    [
        tn.kernels.LinearKernel(),
        tn.kernels.PolynomialKernel(2),
        tn.kernels.GaussianKernel(0.7),
        tn.kernels.LaplacianKernel(0.2),
    ],
    ids=str,
)
def test_inner_products_of_features_are_the_kernel(kernel):
    features = tn.kernels.feature_map(kernel, X)
    phi = features.transform(X)
    np.testing.assert_allclose(phi @ phi.T, kernel(X), rtol=0, atol=1e-10)
    np.testing.assert_allclose(features.expansion(X, X), kernel(X), atol=1e-10)
    functions = features.functions(X)  # orthonormal under the rows
    np.testing.assert_allclose(functions.T @ functions / len(X), np.eye(functions.shape[1]), atol=1e-7)
    assert (np.diff(features.eigenvalues) <= 0).all()


def test_features_of_other_rows_are_exact_if_the_rows_span_them():
    """A polynomial kernel of 3 columns and degree 2 has 10 features: any rows are in their span."""
    kernel, new = tn.kernels.PolynomialKernel(2), random.normal(size=(9, 3))
    features = tn.kernels.feature_map(kernel, X)
    assert features.transform(new).shape == (9, 10)
    np.testing.assert_allclose(features.expansion(new, new), kernel(new), rtol=1e-9)
    np.testing.assert_allclose(features.expansion(new, X), kernel(new, X), rtol=1e-9)


@pytest.mark.quick
def test_fewer_terms_lose_no_more_than_the_next_eigenvalue():
    kernel = tn.kernels.GaussianKernel(0.5)
    for terms in (1, 3, 10):
        features = tn.kernels.feature_map(kernel, X, terms)
        assert features.transform(X).shape == (30, terms)
        away = kernel(X) - features.expansion(X, X)
        assert np.abs(away).max() <= np.linalg.norm(away, 2) <= features.lost * (1 + 1e-9)
        np.testing.assert_allclose(np.linalg.norm(away, 2), features.lost, rtol=1e-9)


def test_a_feature_map_is_one_line_without_its_arrays():
    features = tn.kernels.feature_map(tn.kernels.PolynomialKernel(2), X)
    assert repr(features) == f"FeatureMap({features.kernel}: 10 features of 30 rows, lost {features.lost:.3g})"


def test_what_is_not_psd_has_no_features():
    with pytest.raises(ValueError, match="not positive semidefinite on these rows"):
        tn.kernels.feature_map(tn.kernels.SigmoidKernel(1.0, -1.0), X)
    with pytest.raises(ValueError, match="at least one row"):
        tn.kernels.feature_map("linear", X[:0])
    assert tn.kernels.feature_map(tn.kernels.SetKernel(), [{1}, {1, 2}, set()]).transform([{2}]).shape == (1, 2)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_values_that_no_number_can_hold_are_refused():
    large = np.array([[1e200, 1.0], [1e200, 2.0], [0.0, 1.0]])
    for kernel in (tn.kernels.LinearKernel(), tn.kernels.PolynomialKernel(2)):
        for rows in ((large, None), (large, large), (large[:1], None)):
            with pytest.raises(tn.DataError, match="too large for a float64.*MaxAbsScaler"):
                tn.kernels.gram(kernel, *rows)
    with pytest.raises(tn.DataError, match="Remedy: columns of similar scale"):
        tn.KernelRidge(kernel="linear").fit(large, [1.0, 2.0, 3.0])
    assert np.isfinite(
        tn.kernels.gram(tn.kernels.LinearKernel(), np.full((2, 1), 1.2e154))
    ).all()  # their sum alone is too large
