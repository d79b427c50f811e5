"""A kernel as it is compiled and as it is written: both are tested, the second also shows what is covered."""

import numpy as np
import pytest


def both_ways(*kernels):
    """Parametrize a test by the compiled kernels, then by the Python they are compiled from."""
    compiled = kernels[0] if len(kernels) == 1 else kernels
    written = kernels[0].py_func if len(kernels) == 1 else tuple(one.py_func for one in kernels)
    return pytest.mark.parametrize("run", [compiled, written], ids=["compiled", "written"])


def wrapping():
    """Whole numbers wrap round in kernels, and numpy warns of it in Python."""
    return np.errstate(over="ignore")
