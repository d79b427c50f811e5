"""Cosines by a series: as accurate as the number format allows, near and far."""

import numpy as np
import pytest

from tenfold.compiled.neighbors.cosine import MAX_EXACT_MULTIPLE, cosines


@pytest.mark.parametrize("size", [1e-300, 1.0, 100.0, 0.9 * MAX_EXACT_MULTIPLE, 2 * MAX_EXACT_MULTIPLE, 1e12])
def test_as_in_higher_precision(size):
    random = np.random.default_rng(0)
    values, offset = random.uniform(-size, size, (200, 37)), random.uniform(0, 2 * np.pi, 37)
    values[0] = np.resize([0.0, np.pi / 2, -np.pi, 1.5 * np.pi, 7 * np.pi], 37)
    exact = 0.25 * np.cos((values + offset).astype(np.longdouble))
    cosines(values, offset, 0.25)
    assert np.abs(values - exact).max() < 1.5e-16
