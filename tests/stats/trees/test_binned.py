"""Edges of bins: between any two of few values, and shared by many."""

import numpy as np

from tenfold.core import Chunk, Columns
from tenfold.stats.trees.binned import edges_of, sample_of


def test_a_value_that_most_rows_have_does_not_take_the_bins_of_others():
    """Whether or not the sample of distinct rows has it, and whatever weight it has there."""
    random = np.random.default_rng(0)
    x = np.where(random.random(120_000) < 0.6, 0.0, random.normal(size=120_000))[:, None]
    chunk = Chunk(Columns(x), None, np.ones(120_000), True, 0, 0)
    samples = [sample_of(chunk, seed) for seed in range(6)]
    assert {bool((sample.sample()[0] == 0).any()) for sample in samples} == {False, True}
    for sample in samples:
        assert np.isfinite(edges_of(sample, 255)).sum() > 245
    few = random.integers(0, 9, (1000, 1)).astype(float)
    assert np.isfinite(edges_of(sample_of(Chunk(Columns(few), None, np.ones(1000), True, 0, 0), 0), 255)).sum() == 8
