"""How columns go with a target, beside NumPy: of far means, of weights, of parts and of CSR rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from tenfold.core import Chunk
from tenfold.core.rows.columns import Columns
from tenfold.stats.moments.target_moments import MomentsWithTarget

random = np.random.default_rng(0)
X = random.normal(size=(200, 3)) + [0.0, 1e6, -30.0]
y = X[:, 0] - X[:, 2] + 1e5 + random.normal(size=200)
weight = random.integers(1, 4, 200).astype(float)


def summary(rows, data=X):
    return MomentsWithTarget().summarize(Chunk(Columns(data[rows]), y[rows], weight[rows], False, 0, 0))


@pytest.mark.parametrize("data", [X, sp.csr_array(X)])
def test_equals_numpy_and_merges(data):
    mean, target = np.average(X, axis=0, weights=weight), np.average(y, weights=weight)
    parts = summary(slice(0, 70), data) + summary(slice(70, 71), data) + summary(slice(71, 200), data)
    for found in (summary(slice(None), data), parts):
        assert found.weight == weight.sum()
        np.testing.assert_allclose(found.mean, mean, rtol=1e-14)
        np.testing.assert_allclose(found.target_mean, target, rtol=1e-14)
        np.testing.assert_allclose(found.square, weight @ (X - mean) ** 2, rtol=1e-9)
        np.testing.assert_allclose(found.product, (weight * (y - target)) @ (X - mean), rtol=1e-8, atol=1e-4)
        np.testing.assert_allclose(found.target_square, weight @ (y - target) ** 2, rtol=1e-9)


def test_nothing_changes_nothing():
    some, none = summary(slice(0, 50)), summary(slice(0, 0))
    assert (some + none).product.tobytes() == (none + some).product.tobytes() == some.product.tobytes()
