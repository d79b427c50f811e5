"""A few draws of what `benchmarks/mixtures.py` promises of many."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from mixtures import EQUAL, FALLS, difference, falls, repeated, rises

sys.path.pop()  # its modules have names that folders of tests have too

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)  # few rounds are few on purpose


@pytest.mark.parametrize("seed", range(8))
def test_objectives_are_monotone_and_equal_those_of_scikit_learn(seed):
    assert falls(seed) <= FALLS
    assert rises(seed) <= FALLS
    assert difference(seed) <= EQUAL
    assert repeated(seed) <= EQUAL
