import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import kernels as theirs

import kernel_expressions
import tenfold as tn
from tenfold.core import ModelFileError
from tenfold.estimator.files.encoding import Reader, Writer

random = np.random.default_rng(0)
X, Z = random.normal(size=(12, 3)), random.normal(size=(7, 3))
LINEAR, GAUSS = tn.kernels.LinearKernel(), tn.kernels.GaussianKernel(0.3)
K, G = X @ Z.T, theirs.RBF(np.sqrt(0.5 / 0.3))(X, Z)


@pytest.mark.parametrize(
    ("kernel", "values"),
    [
        (LINEAR + GAUSS, K + G),
        (LINEAR * GAUSS, K * G),
        (2.5 * LINEAR, 2.5 * K),
        (LINEAR / 2, K / 2),
        (np.float64(2.5) * LINEAR, 2.5 * K),
        (LINEAR + 1, K + 1),
        (1 + LINEAR, 1 + K),
        (LINEAR - GAUSS, K - G),
        (LINEAR - 1, K - 1),
        (-LINEAR, -K),
        (LINEAR**0, K**0),
        (LINEAR**1, K),
        (LINEAR**2, K**2),
        (LINEAR**5, K**5),
        (LINEAR**12, K**12),
        (GAUSS.exp(), np.exp(G)),
        ((0.5 * GAUSS).series("geometric"), 1 / (1 - G / 2)),
        ((0.5 * GAUSS).series("log"), -np.log(1 - G / 2)),
        (LINEAR.series("cosh"), np.cosh(K)),
        (LINEAR.series("sinh"), np.sinh(K)),
        (LINEAR.series([3, 0, -2, 1]), 3 - 2 * K**2 + K**3),
        (LINEAR.on([2, 0]), X[:, [2, 0]] @ Z[:, [2, 0]].T),
        (LINEAR.normalized(), K / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Z, axis=1))),
        (sum([LINEAR, GAUSS, LINEAR]), 2 * K + G),
        (tn.kernels.FunctionKernel(lambda A: A[:, 1]) * LINEAR, np.outer(X[:, 1], Z[:, 1]) * K),
    ],
    ids=lambda one: str(one) if isinstance(one, tn.kernels.Kernel) else "",
)
def test_values(kernel, values):
    np.testing.assert_allclose(kernel(X, Z), values, rtol=1e-12, atol=1e-13)
    single = kernel.prepared(Z, np.float32)(X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, values, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel(X, X)), rtol=1e-12, atol=1e-14)
    gram = kernel(X)
    assert np.array_equal(gram, gram.T)
    np.testing.assert_allclose(gram, kernel(X, X), rtol=1e-12, atol=1e-14)
    out = np.empty((12, 7))
    assert kernel.prepared(Z)(X, out) is out
    assert np.array_equal(out, kernel(X, Z))


def test_blocks_of_a_large_gram_matrix_are_those_of_a_small_one():
    A = random.normal(size=(700, 2))
    k = GAUSS + LINEAR**2
    gram = k(A)
    assert np.array_equal(gram, gram.T)
    np.testing.assert_allclose(gram[600:, :50], k(A[600:], A[:50]), rtol=1e-12, atol=1e-14)
    assert k(A[:0]).shape == (0, 0)
    assert k(A[:0], A).shape == (0, 700)


def test_squared_distances_of_features():
    np.testing.assert_allclose(LINEAR.squared_distances(X, Z), ((X[:, None] - Z) ** 2).sum(axis=2), rtol=1e-10)
    assert (GAUSS.squared_distances(X, X) >= 0).all()


def test_a_kernel_is_a_value_that_learners_copy_and_files_hold():
    kernel = (
        2 * LINEAR.on([0, 1])
        + GAUSS * tn.kernels.MatrixKernel(np.eye(3))
        + LINEAR.series([1, 2]).exp().normalized() ** 2
    )
    for same in (
        clone(kernel, safe=False),
        pickle.loads(pickle.dumps(kernel)),
        eval(repr(kernel), {name: getattr(tn.kernels, name) for name in tn.kernels.__all__} | vars(np)),
    ):
        assert same == kernel
        assert hash(same) == hash(kernel)
    assert kernel != kernel + 1
    to = Writer()
    node = to.value(kernel, "kernel")
    back = Reader(to.tensors).value(node)
    assert back == kernel
    assert np.array_equal(back(X), kernel(X))


@pytest.mark.parametrize("kernel", [tn.kernels.FunctionKernel(np.sum), LINEAR + tn.kernels.CallableKernel(np.dot)])
def test_a_function_is_in_no_file(kernel):
    with pytest.raises(ModelFileError, match=r"function.* is a function, and a model file holds no code"):
        Writer().value(kernel, "kernel")


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ({"parameter": "Ridge", "params": {}}, "does not know"),
        ({"parameter": "os.system", "params": {}}, "does not know"),
        ({"parameter": 3, "params": {}}, "does not know"),
        ({"parameter": "GaussianKernel", "params": {}}, "different fields"),
        ({"parameter": "GaussianKernel", "params": {"gamma": {"is": "wide"}}}, "finite number"),
        ({"parameter": "GaussianKernel", "params": {"gamma": {"float": "nan"}}}, "finite number"),
        ({"parameter": "SumKernel", "params": {"parts": {"tuple": [{"int": "3"}]}}}, "made of kernels"),
        ({"parameter": "SumKernel", "params": {"parts": {"int": "3"}}}, "made of kernels"),
        ({"parameter": "SumKernel", "params": {"parts": {"tuple": []}}}, "at least one"),
        ({"parameter": "FunctionKernel", "params": {"function": {"is": "f"}}}, "takes a function"),
        ({"parameter": "Kernel", "params": {}}, "none itself"),
    ],
)
def test_forged_kernels_in_files_are_refused(node, said):
    with pytest.raises(ModelFileError, match=said):
        Reader({}).value(node)


def test_a_class_of_kernels_of_your_own_is_registered():
    class MinimumKernel(tn.kernels.Kernel):
        """min(x, z) of one column, the covariance of Brownian motion."""

        def fill(self, X, Z, prepared, out):
            out[:] = np.minimum(X, Z.T)

        def diagonal_of(self, X):
            return X[:, 0]

        def proof(self):
            return tn.kernels.Proof(str(self), True, "∫ [t < x] [t < z] dt, an inner product of indicators")

        def __str__(self):
            return "min(x, z)"

    with pytest.raises(ModelFileError, match="not registered"):
        Writer().value(MinimumKernel(), "kernel")
    tn.register(MinimumKernel)
    assert Reader({}).value(Writer().value(2 * MinimumKernel(), "kernel")) == 2 * MinimumKernel()
    assert (2 * MinimumKernel() + LINEAR).psd
    assert tn.kernels.is_psd(MinimumKernel(), [[1.0], [3.0], [2.0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: LINEAR**-1,
        lambda: LINEAR**0.5,
        lambda: LINEAR + tn.kernels.SpectrumKernel(),
        lambda: tn.kernels.SpectrumKernel().on([0]),
        lambda: LINEAR.series([]),
        lambda: LINEAR.series("tan"),
        lambda: LINEAR.series([1.0], radius=0),
        lambda: LINEAR.on([-1]),
        lambda: LINEAR.on([3])(X),
        lambda: LINEAR + "rbf",
        lambda: LINEAR * "rbf",
        lambda: "rbf" + LINEAR,
        lambda: LINEAR - "rbf",
        lambda: LINEAR / LINEAR,
        lambda: LINEAR([1.0, 2.0]),
        lambda: LINEAR(X, Z[:, :2]),
        lambda: tn.kernels.MatrixKernel([[1.0, 2.0], [0.0, 1.0]]),
        lambda: tn.kernels.MatrixKernel(np.eye(2))(X),
        lambda: tn.kernels.PrecomputedKernel([[1.0, 2.0], [0.0, 1.0]]),
        lambda: tn.kernels.PrecomputedKernel(np.eye(2))([2]),
        lambda: tn.kernels.PrecomputedKernel(np.eye(2))([0.5]),
        lambda: LINEAR.series("geometric")(X),
        lambda: tn.kernels.FunctionKernel(lambda A: A)(X),
        lambda: tn.kernels.CallableKernel(lambda A, B: A)(X, Z),
        lambda: (-1 * LINEAR).normalized()(X),
    ],
)
def test_what_is_no_kernel_is_refused(make):
    with pytest.raises((ValueError, TypeError)):
        make()


def test_proofs_say_where_they_break_off():
    kernel = (LINEAR + GAUSS) * (1 - 2 * tn.kernels.LaplacianKernel(1.0)) + tn.kernels.SigmoidKernel()
    assert not kernel.psd
    assert [gap.kernel for gap in kernel.proof().gaps()] == ["-2 · exp(-1 |x - z|₁)", "tanh(1 ⟨x, z⟩ + 1)"]
    assert str(kernel.proof()).count("not proved PSD") == 5
    assert (LINEAR + GAUSS).proof().gaps() == ()
    assumed = LINEAR + tn.kernels.CallableKernel(np.matmul, assume_psd=True)
    assert assumed.psd
    assert len(assumed.proof().assumptions()) == 1
    assert not LINEAR.proof().assumptions()


@pytest.mark.parametrize("seed", range(60))
def test_expressions_that_claim_to_be_psd_have_no_negative_eigenvalue(seed):
    drawn = kernel_expressions.draw(seed)
    if drawn.claims:
        assert drawn.lowest > -1e-9, str(drawn.kernel)
        assert drawn.away < 1e-10, str(drawn.kernel)


def test_some_expressions_claim_it_and_some_that_do_not_are_not():
    found = [kernel_expressions.draw(seed) for seed in range(60)]
    assert 20 <= sum(one.claims for one in found) <= 50
    assert sum(one.lowest < -1e-3 for one in found) >= 5


def test_coefficients_of_a_series_may_be_a_list():
    for given in ([1, 0.5, 0.25], np.array([1, 0.5, 0.25])):
        k = tn.kernels.SeriesKernel(LINEAR, given)
        assert k.coefficients == (1, 0.5, 0.25)
        np.testing.assert_allclose(k([[2.0]]), [[1 + 0.5 * 4 + 0.25 * 16]])
    with pytest.raises(ValueError, match=r"finite numbers, c₀, c₁, \.\.\. such as \(1.0, 0.5\), or one of exp"):
        tn.kernels.SeriesKernel(LINEAR, [1, "a"])
