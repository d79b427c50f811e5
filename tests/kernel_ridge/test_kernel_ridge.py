import numpy as np
import pytest
from sklearn import kernel_ridge

import tenfold as tn

random = np.random.default_rng(0)
X, NEW = random.gamma(2.0, size=(80, 3)), random.gamma(2.0, size=(9, 3))
Y = np.sin(X[:, 0]) + 0.1 * random.normal(size=80)
WEIGHT = random.integers(0, 3, 80).astype(float)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "poly", "cosine", "chi2"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["even", "weighted"])
def test_it_is_the_kernel_ridge_of_scikit_learn(kernel, weight):
    ours = tn.KernelRidge(0.3, kernel=kernel, gamma=0.3, degree=2).fit(X, Y, sample_weight=weight)
    theirs = kernel_ridge.KernelRidge(alpha=0.3, kernel=kernel, gamma=0.3, degree=2).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-8)
    if weight is None:
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-9)


def test_kernel_objects_functions_and_gram_matrices_give_the_same():
    expected = tn.KernelRidge(kernel="rbf", gamma=0.5).fit(X, Y, sample_weight=WEIGHT).predict(NEW)
    k = tn.kernels.GaussianKernel(0.5)
    by_object = tn.KernelRidge(kernel=k).fit(X, Y, sample_weight=WEIGHT)
    by_function = tn.KernelRidge(
        kernel=lambda a, b, gamma: np.exp(-gamma * ((a - b) ** 2).sum()), kernel_params={"gamma": 0.5}
    ).fit(X, Y, sample_weight=WEIGHT)
    given = tn.KernelRidge(kernel="precomputed").fit(k(X), Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(by_object.predict(NEW), expected, rtol=1e-12)
    np.testing.assert_allclose(by_function.predict(NEW), expected, rtol=1e-8)
    np.testing.assert_allclose(given.predict(k(NEW, X)), expected, rtol=1e-10)
    with pytest.raises(tn.MergeError, match="do not merge"):
        given + given
    with pytest.raises(ValueError, match="square"):
        tn.KernelRidge(kernel="precomputed").fit(X, Y)


def test_path_and_leave_one_out_by_refitting():
    model = tn.KernelRidge(0.2, kernel="rbf", gamma=0.4).fit(X[:25], Y[:25])
    left_out = [
        tn.KernelRidge(0.2, kernel="rbf", gamma=0.4)
        .fit(np.delete(X[:25], i, 0), np.delete(Y[:25], i))
        .predict(X[i : i + 1])[0]
        for i in range(25)
    ]
    np.testing.assert_allclose(model.leave_one_out(), left_out, rtol=1e-8)
    path = model.path([0.05, 0.2, 5.0])
    error = np.mean((np.array(left_out) - Y[:25]) ** 2)
    assert path.loo_errors[1] == pytest.approx(error, rel=1e-8)
    assert model.certificate_["leave-one-out error"].value == pytest.approx(error, rel=1e-8)
    for alpha, dual in zip(path.alphas, path.dual_coefs):
        other = tn.KernelRidge(alpha, kernel="rbf", gamma=0.4).fit(X[:25], Y[:25])
        np.testing.assert_allclose(dual, other.dual_coef_, rtol=1e-7, atol=1e-9)
    assert path.best == path.alphas[path.loo_errors.argmin()]
    assert (np.diff(path.effective_dof) < 0).all()


def test_the_gap_is_never_below_the_truth():
    model = tn.KernelRidge(0.5, kernel="rbf").fit(X, Y)
    K = tn.kernels.GaussianKernel(1 / 3)(X)

    def objective(a):
        return ((Y - K @ a) ** 2).sum() + 0.5 * a @ K @ a

    least = objective(np.linalg.solve(K + 0.5 * np.eye(80), Y))
    worse = model.model_._replace(dual_coef=model.dual_coef_ + 0.01 * random.normal(size=80))
    for kept in (model.model_, worse):
        claim = model.certify(kept, model.summary_)[0]
        assert claim.status == "proved"
        assert claim.value >= objective(kept.dual_coef) - least - 1e-14 * least  # which is rounded itself
    assert model.certificate_["gap"].value < 1e-20
    assert claim.value < 100 * (objective(worse.dual_coef) - least)


def test_models_merge_and_are_saved(tmp_path):
    kernel = tn.kernels.GaussianKernel(0.5) + 0.1 * tn.kernels.LinearKernel()
    whole = tn.KernelRidge(kernel=kernel).fit(X, Y)
    halves = tn.KernelRidge(kernel=kernel).fit(X[:30], Y[:30]) + tn.KernelRidge(kernel=kernel).fit(X[30:], Y[30:])
    np.testing.assert_allclose(halves.predict(NEW), whole.predict(NEW), rtol=1e-10)
    whole.save(tmp_path / "m")
    back = tn.load(tmp_path / "m")
    assert back.kernel == kernel
    assert np.array_equal(back.predict(NEW), whole.predict(NEW))
    back.verify()
    with pytest.raises(tn.ModelFileError, match="function"):
        tn.KernelRidge(kernel=lambda a, b: float(a @ b)).fit(X, Y).save(tmp_path / "n")


def test_what_does_not_fit_is_refused_with_a_remedy():
    with pytest.raises(ValueError, match="compares strings"):
        tn.KernelRidge(kernel=tn.kernels.SpectrumKernel()).fit(X, Y)
    with tn.on(tn.Local(memory=20_000)), pytest.raises(tn.DataError, match="Gram matrix .* Remedy: RBFSampler"):
        tn.KernelRidge().fit(X, Y)


def test_without_a_penalty_a_singular_matrix_gives_the_least_norm():
    model = tn.KernelRidge(0.0).fit(X, Y)
    np.testing.assert_allclose(model.predict(NEW), NEW @ np.linalg.lstsq(X, Y)[0], rtol=1e-6)


def test_erratum_29_half_the_sum_of_squares_and_lambda_give_twice_lambda():
    """½ Σ (y - f)² + λ|f|² is least at a = (K + 2λI)⁻¹ y, not at (K + λI)⁻¹ y."""
    K, lam = tn.kernels.GaussianKernel(1 / 3)(X), 0.7

    def objective(a):
        return 0.5 * ((Y - K @ a) ** 2).sum() + lam * a @ K @ a

    right = tn.KernelRidge(2 * lam, kernel="rbf").fit(X, Y).dual_coef_
    textbook = tn.KernelRidge(lam, kernel="rbf").fit(X, Y).dual_coef_
    gradient = K @ (K @ right - Y) + 2 * lam * K @ right
    assert np.abs(gradient).max() < 1e-9
    assert objective(right) < objective(textbook) - 1e-3
