"""Functions of BLAS and LAPACK inside kernels: their arguments live until they are done."""

import subprocess
import sys

import numba
import numpy as np
import pytest

from tenfold.compiled.blas import _external

WIDE = """
import sys, numpy as np, tenfold as tn
p = int(sys.argv[1])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(p // 5, p)), rng.normal(size=p // 5)
print(np.abs(tn.Ridge(alpha=0.0).fit(X, y).predict(X) - y).max() < 1e-10)
"""
_ddot = _external("ddot", returns=numba.types.float64)


@pytest.mark.parametrize("columns", [260, 500])
def test_more_columns_than_rows_in_a_new_process(columns):
    """Work space that was freed before the call ended the process, if the allocator had given it back."""
    done = subprocess.run([sys.executable, "-c", WIDE, str(columns)], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr


@numba.njit
def dot_of_copies(a, b):
    """The product of arrays that are not used after the call."""
    sizes = np.ones(2, np.int32)
    sizes[0] = len(a)
    x, y = a * 1.0, b * 1.0
    return _ddot((sizes, x, sizes[1:], y, sizes[1:]))


@pytest.mark.parametrize("size", [1, 1_000, 3_000_000])
def test_arguments_live_until_the_function_is_done(size):
    a, b = np.random.default_rng(0).normal(size=(2, size))
    assert dot_of_copies(a, b) == pytest.approx(a @ b, rel=1e-9, abs=1e-9)
