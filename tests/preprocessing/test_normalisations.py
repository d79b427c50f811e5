"""The three normalisations of the books, by their formulas."""

import numpy as np
import pytest

from tenfold import MinMaxScaler, Normalizer, StandardScaler

X = np.random.default_rng(0).normal(size=(200, 3)) * [1.0, 30.0, 0.02] + [0.0, 5.0, -1.0]


@pytest.mark.parametrize(
    ("scaler", "formula"),
    [
        (MinMaxScaler(), lambda X: (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))),
        (StandardScaler(), lambda X: (X - X.mean(axis=0)) / np.sqrt(((X - X.mean(axis=0)) ** 2).mean(axis=0))),
        (Normalizer(), lambda X: X / np.sqrt((X**2).sum(axis=1))[:, None]),
    ],
    ids=["range", "deviation", "length"],
)
def test_of_range_of_deviation_and_of_length(scaler, formula):
    np.testing.assert_allclose(scaler.fit_transform(X), formula(X), rtol=1e-10, atol=1e-12)
