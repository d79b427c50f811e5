"""The short form of `benchmarks/draws.py`: few distinct rows, and what is drawn of them."""

import pytest

from few_rows import out_of_bag, penalties, stacks
from tiers import only_full


@pytest.mark.parametrize("seed", [0, *only_full(1, 2)])
def test_out_of_bag_errors_stacks_and_penalties_on_few_distinct_rows(seed):
    for name, off in out_of_bag(seed).items():
        assert abs(off) < 3, name
    for name, behind in stacks(seed).items():
        assert behind < 3, name
    for name, above in penalties(seed).items():
        assert above <= 1, name
