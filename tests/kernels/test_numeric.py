import numpy as np
import pytest
from sklearn.metrics import pairwise

import tenfold as tn
from tenfold.kernels.kernel_names import SKLEARN_NAMES, as_kernel

random = np.random.default_rng(0)
X, Z = random.gamma(2.0, size=(40, 5)), random.gamma(2.0, size=(30, 5))


@pytest.mark.parametrize("name", [name for name in SKLEARN_NAMES if name != "precomputed"])
@pytest.mark.parametrize("given", [{}, {"gamma": 0.3, "degree": 2, "coef0": 0.5}])
def test_names_are_those_of_scikit_learn(name, given):
    has = {
        "poly": ("gamma", "degree", "coef0"),
        "polynomial": ("gamma", "degree", "coef0"),
        "sigmoid": ("gamma", "coef0"),
    }
    kept = has.get(name, ("gamma",) if name in ("rbf", "laplacian", "chi2") else ())
    theirs = pairwise.pairwise_kernels(X, Z, metric=name, **{k: v for k, v in given.items() if k in kept})
    kernel = as_kernel(name, X=X, **given)
    np.testing.assert_allclose(kernel(X, Z), theirs, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel(X, X)), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.prepared(Z, np.float32)(X), theirs, rtol=1e-4, atol=1e-5)
    half = kernel.prepared(Z.astype(np.float32))(X.astype(np.float32))
    assert half.dtype == np.float32
    np.testing.assert_allclose(half, theirs, rtol=1e-4, atol=1e-5)


def test_gamma_is_a_number_scale_or_auto():
    assert as_kernel("rbf", gamma="scale", X=X).gamma == pytest.approx(1 / (5 * X.var()))
    assert as_kernel("rbf", gamma="scale", X=np.ones((3, 2))).gamma == 1.0
    assert as_kernel("rbf", gamma="auto", X=X).gamma == 0.2
    assert as_kernel("rbf", gamma=None, X=X).gamma == 0.2
    assert as_kernel(tn.kernels.GaussianKernel(7.0), gamma=1.0).gamma == 7.0
    for given in ({"gamma": "auto"}, {"gamma": "wide", "X": X}):
        with pytest.raises(ValueError, match="gamma"):
            as_kernel("rbf", **given)
    for name in ("precomputed", "gauss"):
        with pytest.raises(ValueError, match="is not the name of a kernel"):
            as_kernel(name)
    assert as_kernel(lambda a, b: float(a @ b), pairwise=True)(X, Z) == pytest.approx(X @ Z.T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e6])
def test_gaussian_values_keep_their_digits_far_from_the_origin_and_near_to_each_other(dtype, offset, gamma):
    """Rows in tight pairs, far apart, far from zero: |x|² + |z|² - 2⟨x, z⟩ alone would lose all digits."""
    A = random.normal(size=(30, 4)) + offset
    A[15:] = A[:15] + 1e-3 * random.normal(size=(15, 4))
    A[0] = A[1]
    away = (((A[:, None] - A) ** 2).sum(axis=2)).astype(np.float64)
    found = tn.kernels.GaussianKernel(gamma).prepared(A, dtype)(A)
    np.testing.assert_allclose(found, np.exp(-gamma * away), atol=1e-10 if dtype == np.float64 else 2e-3)
    assert found[0, 1] == 1.0


def test_values_are_those_of_exact_arithmetic_to_a_few_units():
    A = random.normal(size=(60, 8))
    away = ((A[:, None] - A) ** 2).sum(axis=2)
    np.testing.assert_allclose(tn.kernels.GaussianKernel(2.0)(A, A), np.exp(-2.0 * away), rtol=3e-13, atol=1e-300)
    single = tn.kernels.GaussianKernel(0.1).prepared(A, np.float32)(A)
    np.testing.assert_allclose(single, np.exp(-0.1 * away), rtol=3e-6)


def test_polynomial_of_a_fractional_degree():
    np.testing.assert_allclose(tn.kernels.PolynomialKernel(1.5)(X, Z), (X @ Z.T + 1) ** 1.5, rtol=1e-12)
    assert not tn.kernels.PolynomialKernel(1.5).psd
    with pytest.raises(tn.DataError, match="below 0"):
        tn.kernels.PolynomialKernel(1.5)(X, -Z)


@pytest.mark.parametrize("kernel", [tn.kernels.Chi2Kernel(), tn.kernels.AdditiveChi2Kernel()])
def test_chi2_wants_numbers_that_are_not_negative(kernel):
    for A, B in ((-X, Z), (X, -Z)):
        with pytest.raises(tn.DataError, match="not negative"):
            kernel(A, B)


def test_a_matrix_is_psd_to_rounding():
    A = random.normal(size=(6, 2))
    assert tn.kernels.MatrixKernel(A @ A.T).psd
    assert not tn.kernels.MatrixKernel(A @ A.T - 0.01 * np.eye(6)).psd
    M = A @ A.T
    np.testing.assert_allclose(tn.kernels.MatrixKernel(M)(M, M), M @ M @ M, rtol=1e-10)


# ---- errata --------------------------------------------------------------------------------------------------------


def test_kernels_of_the_texts_that_are_none_have_witnesses():
    """Erratum 17: sigmoid is not PSD in general, and the RBF kernel needs a positive width."""
    line = np.linspace(-2, 2, 9)[:, None]
    for kernel in (
        tn.kernels.SigmoidKernel(1.0, -1.0),
        tn.kernels.SigmoidKernel(0.5, 0.5),
        tn.kernels.GaussianKernel(-0.1),
        tn.kernels.LaplacianKernel(-0.1),
    ):
        found = tn.kernels.is_psd(kernel, line)
        assert not kernel.psd
        assert not found
        K = kernel(line)
        assert found.witness @ K @ found.witness < -1e-3
        assert found.witness @ K @ found.witness == pytest.approx(found.smallest)
    assert tn.kernels.GaussianKernel(0.1).psd
    assert tn.kernels.is_psd(tn.kernels.GaussianKernel(0.1), line)


def test_sums_and_series_need_coefficients_that_are_not_negative():
    """Erratum 23: a combination of kernels with any coefficients is not a kernel."""
    a, b, line = tn.kernels.LinearKernel(), tn.kernels.GaussianKernel(1.0), np.linspace(0.1, 0.9, 5)[:, None]
    for wrong, right in ((a - b, a + b), (-1 * a, 2 * a), (a.series([1, -3]), a.series([1, 3])), (b - 1, b + 1)):
        assert right.psd
        assert not wrong.psd
        assert tn.kernels.is_psd(right, line)
        assert not tn.kernels.is_psd(wrong, line)


def test_polynomial_kernels_need_coefficients_that_are_not_negative():
    """Erratum 28: (γ ⟨x, z⟩ + c)ᵈ with γ < 0 or c < 0 is no kernel."""
    line = np.array([[0.2], [1.0], [2.0]])
    for gamma, coef0, degree in ((1.0, -1.0, 3), (1.0, -1.0, 2), (-1.0, 0.5, 3), (-1.0, 1.0, 1)):
        kernel = tn.kernels.PolynomialKernel(degree, gamma, coef0)
        assert not kernel.psd
        assert not tn.kernels.is_psd(kernel, line)
    for coef0 in (0.0, 1.0):
        assert tn.kernels.PolynomialKernel(3, 1.0, coef0).psd
        assert tn.kernels.is_psd(tn.kernels.PolynomialKernel(3, 1.0, coef0), line)


@pytest.mark.parametrize("columns", [1, 2, 4])
@pytest.mark.parametrize(("degree", "gamma", "coef0"), [(0, 1, 1), (1, 2.0, 0.5), (2, 1, 1), (3, 0.3, 2.0), (5, 1, 0)])
def test_features_of_a_polynomial_kernel_have_it_as_their_product(columns, degree, gamma, coef0):
    random = np.random.default_rng(columns)
    X, Z = random.normal(size=(20, columns)), random.normal(size=(15, columns))
    k = tn.kernels.PolynomialKernel(degree, gamma, coef0)
    scale = np.abs(k(X, Z)).max()
    np.testing.assert_allclose(k.features(X) @ k.features(Z).T, k(X, Z), atol=1e-12 * max(scale, 1.0), rtol=1e-12)


def test_features_of_the_cube_are_those_of_the_binomial_theorem():
    x = np.array([[-1.5], [0.0], [2.0]])
    by_hand = np.column_stack([np.ones(3), np.sqrt(3) * x, np.sqrt(3) * x**2, x**3])
    np.testing.assert_allclose(tn.kernels.PolynomialKernel(3).features(x), by_hand, rtol=1e-15)
    two = tn.kernels.PolynomialKernel(2).features([[2.0, 3.0]])
    np.testing.assert_allclose(two**2, [[1, 8, 18, 16, 72, 81]])  # 1, 2x², 2z², x⁴, 2x²z², z⁴


def test_kernels_without_such_features_say_so():
    for wrong in (tn.kernels.PolynomialKernel(2.5), tn.kernels.PolynomialKernel(2, coef0=-1.0)):
        with pytest.raises(ValueError, match="has no features of which it is the inner product"):
            wrong.features([[1.0]])
    with pytest.raises(ValueError, match="features, more than 1,000,000"):
        tn.kernels.PolynomialKernel(8).features(np.zeros((1, 60)))
