import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

import tenfold as tn

random = np.random.default_rng(0)
X = random.normal(size=(400, 3))


@pytest.mark.parametrize(("kernel", "gamma"), [("rbf", 0.2), ("laplacian", 0.2), ("rbf", "scale")])
def test_inner_products_are_near_to_the_kernel(kernel, gamma):
    model = tn.RBFSampler(kernel=kernel, gamma=gamma, n_components=5000).fit(X)
    Z, K = model.transform(X), tn.kernels.as_kernel(kernel, gamma=gamma, X=X)(X)
    claimed = model.certificate_["kernel error"].value
    assert 0.05 < claimed < 0.1
    assert (np.abs(Z @ Z.T - K) > claimed).mean() < 0.05
    assert np.abs((Z @ Z.T - K).mean()) < 0.01
    assert model.gamma_ == pytest.approx(1 / (3 * X.var()) if gamma == "scale" else 0.2)


def test_nystroem_of_all_rows_is_the_kernel_and_of_some_as_good_as_scikit_learns():
    for kernel in ("rbf", "poly", tn.kernels.LaplacianKernel(0.3)):
        few = X[:40]
        model = tn.Nystroem(kernel, gamma=0.3 if isinstance(kernel, str) else None, n_components=100).fit(few)
        assert len(model.components_) == 40
        Z, K = model.transform(few), tn.kernels.as_kernel(kernel, gamma=0.3)(few)
        np.testing.assert_allclose(Z @ Z.T, K, atol=1e-9 * np.abs(K).max())
        assert model.certificate_["components"].status == "proved"
    K = tn.kernels.GaussianKernel(0.3)(X)
    ours = [tn.Nystroem("rbf", gamma=0.3, n_components=50, random_state=s).fit_transform(X) for s in range(5)]
    theirs = [Nystroem(kernel="rbf", gamma=0.3, n_components=50, random_state=s).fit_transform(X) for s in range(5)]
    errors = [np.mean([np.linalg.norm(Z @ Z.T - K) for Z in each]) for each in (ours, theirs)]
    assert errors[0] < 1.5 * errors[1]


def test_a_kernel_machine_out_of_core_has_the_bits_of_memory(tmp_path):
    import pandas as pd

    y = (np.linalg.norm(X, axis=1) > 1.5).astype(int)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.assign(y=y).to_parquet(tmp_path / "r.parquet", row_group_size=70)
    rows = tn.scan(str(tmp_path / "r.parquet"), target="y")
    for features in (tn.RBFSampler(gamma=0.5, n_components=80), tn.Nystroem(gamma=0.5, n_components=40)):
        there = make_pipeline(features, tn.LogisticRegression()).fit(rows)
        with tn.on(tn.Local(1)):
            again = make_pipeline(features, tn.LogisticRegression()).fit(rows)
        assert np.array_equal(there[-1].coef_, again[-1].coef_)
        score = there[0].transform(frame) @ there[-1].coef_[0] + there[-1].intercept_[0]
        assert ((score > 0) == y).mean() > 0.9
        assert list(there[0].get_feature_names_out()[:1]) in (["rbfsampler0"], ["nystroem0"])
