"""No bound is broken more often than it may be."""

import numpy as np
import pytest

from theory.simulations import DELTA, RUNS, SIMULATIONS, allowed, broken, held_out, mistakes, rows, true_error


@pytest.mark.parametrize("once", SIMULATIONS, ids=lambda once: once.__name__)
def test_broken_at_most_as_often_as_delta(once):
    assert broken(once) <= allowed()


def test_a_wrong_bound_is_caught():
    """Ten times the delta that is claimed breaks the count; so the count can fail."""
    assert broken(lambda random, delta: held_out(random, 10 * delta), delta=0.05) > allowed(delta=0.05)
    assert allowed() < RUNS * DELTA * 2.5


def test_true_errors_are_true():
    x, y = rows(np.random.default_rng(0), 100_000)
    t = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(mistakes(t, x, y) / len(x), true_error(t), atol=0.006)
