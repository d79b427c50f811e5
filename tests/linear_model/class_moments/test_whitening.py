"""Whitening of many covariances at once: each as by itself, by its factor and by its eigenvectors."""

import numpy as np
import pytest

from tenfold.linear_model.class_moments import whitening
from tenfold.linear_model.class_moments.whitening import MIN_RELATIVE_VARIANCE, whiten_all, whiten_each


def covariances(p, n=7, seed=0):
    """Covariances of columns in other units; of the third and fifth, one does not vary in a direction."""
    random = np.random.default_rng(seed)
    roots = random.normal(size=(n, p, p + 2)) * 10.0 ** random.integers(-3, 4, p)[:, None]
    for k in (2, 4):
        roots[k, 0] = roots[k, -1]
    return roots @ np.swapaxes(roots, 1, 2)


@pytest.mark.parametrize("p", [1, 2, 5, 20])
def test_a_whitened_covariance_is_the_identity(p):
    some = covariances(p)
    unit = np.sqrt(np.diagonal(some, axis1=1, axis2=2))
    found = whiten_all(some, unit)
    for k in range(len(some)):
        assert found.missing[k] == (p > 1 and k in (2, 4))
        if found.missing[k]:
            assert found.least[k] < MIN_RELATIVE_VARIANCE
            continue
        np.testing.assert_allclose(found.rows[k] @ some[k] @ found.rows[k].T, np.eye(p), atol=1e-9)
        np.testing.assert_allclose(found.log_det[k], np.linalg.slogdet(some[k])[1], rtol=1e-9, atol=1e-9)
        R = some[k] / np.outer(unit[k], unit[k])
        np.testing.assert_allclose(found.least[k], 1 / np.linalg.norm(np.linalg.inv(R), 1), rtol=1e-6)
        assert found.least[k] <= np.linalg.eigvalsh(R)[0] * (1 + 1e-6)


@pytest.mark.parametrize("p", [3, 20, 40])
def test_each_of_many_covariances_has_its_own_bits(p):
    some = covariances(p)
    unit = np.ones((len(some), p))
    varies = np.ones((len(some), p), bool)
    many, each = whiten_all(some, unit), whiten_each(some, varies, 1e-4)
    for k in range(len(some)):
        alone = whiten_all(some[k : k + 1].copy(), unit[:1])
        assert all(a[0].tobytes() == b[k].tobytes() for a, b in zip(alone, many, strict=True))
        alone = whiten_each(some[k].copy(), varies[0], 1e-4)
        assert all(a.tobytes() == b[k].tobytes() for a, b in zip(alone, each, strict=True))


def test_the_kernel_and_lapack_agree(monkeypatch):
    some = covariances(12, seed=1)
    unit = np.sqrt(np.diagonal(some, axis1=1, axis2=2))
    kernel = whiten_all(some, unit)
    monkeypatch.setattr(whitening, "KERNEL_COLUMNS", 0)
    lapack = whiten_all(some, unit)
    assert (kernel.missing == lapack.missing).all()
    fine = kernel.missing == 0
    np.testing.assert_allclose(kernel.rows[fine], lapack.rows[fine], rtol=1e-7, atol=1e-10 * np.abs(lapack.rows).max())
    np.testing.assert_allclose(kernel.log_det[fine], lapack.log_det[fine], rtol=1e-10)
    np.testing.assert_allclose(kernel.least[fine], lapack.least[fine], rtol=1e-6)  # LAPACK estimates the norm
