"""The pseudo-inverse, column by column: least squares of unit vectors."""

import numpy as np
import pytest

from tenfold import LinearRegression


@pytest.mark.parametrize("rank", [4, 3, 1])
def test_conditions_of_penrose(rank):
    """A A⁺ A = A, A⁺ A A⁺ = A⁺, and A A⁺ and A⁺ A are symmetric: no other matrix fulfils all four."""
    random = np.random.default_rng(rank)
    A = random.normal(size=(12, rank)) @ random.normal(size=(rank, 4))
    found = [LinearRegression(fit_intercept=False).fit(A, unit).coef_ for unit in np.eye(12)]
    inverse = np.column_stack(found)
    close = {"atol": 1e-9}
    np.testing.assert_allclose(A @ inverse @ A, A, **close)
    np.testing.assert_allclose(inverse @ A @ inverse, inverse, **close)
    np.testing.assert_allclose(A @ inverse, (A @ inverse).T, **close)
    np.testing.assert_allclose(inverse @ A, (inverse @ A).T, **close)
