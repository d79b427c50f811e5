"""How much is tested: the gate tests with few draws, the full run with all of them (`pytest --full`)."""

import os

import pytest

full = False
"""whether everything is tested; set by `conftest.py` before tests are collected"""


def draws(gate, everything):
    """The number of random cases of a test, in the gate and in the full run."""
    return everything if full else gate


def law_draws():
    """The number of draws of each law; the environment variable TENFOLD_DRAWS overrides it."""
    return int(os.environ.get("TENFOLD_DRAWS", draws(2, 8)))


def only_full(*values):
    """Values that only the full run tests, for `pytest.mark.parametrize`; a tuple holds one of each parameter."""
    return [pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.full) for one in values]
