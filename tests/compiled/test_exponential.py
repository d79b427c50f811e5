"""exp and log1p against numpy's, to a unit or two in the last place."""

import numpy as np
from numba import njit

from tenfold.compiled.precision import exponential as ex


@njit
def both(x, y, out):
    for i in range(len(x)):
        out[0, i] = ex.exp(x[i])
        out[1, i] = ex.log1p(y[i])


def test_against_numpy():
    random = np.random.default_rng(0)
    x = np.concatenate([random.uniform(-700, 700, 10_000), random.uniform(-1, 1, 10_000), [0.0, 1e-300, -1e-300]])
    y = np.concatenate([random.random(10_000), random.random(10_000) ** 30, [0.0, 1.0, 1e-300]])
    out = np.empty((2, len(x)))
    both(x, y, out)
    assert (np.abs(out[0] - np.exp(x)) <= 2 * np.spacing(np.exp(x))).all()
    assert (np.abs(out[1] - np.log1p(y)) <= 3 * np.spacing(np.log1p(y))).all()


def test_ends():
    x, out = np.array([-1e9, 1e9, -708.0, 708.0]), np.empty((2, 4))
    both(x, np.zeros(4), out)
    assert out[0, 0] == out[0, 2] > 0
    assert out[0, 1] == out[0, 3] < np.inf
