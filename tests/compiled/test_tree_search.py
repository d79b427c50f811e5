"""The order in which the categories of a node are tried."""

import numpy as np

from tenfold.compiled.tree.tree_search import SUBSET, SUMS, group_order
from tenfold.tree.growing.growing import Rules


def test_categories_are_sorted_as_if_they_had_more_rows_at_the_mean():
    """One row of 9 comes after twenty of mean 8; with ten rows more at the mean in each, before them."""
    groups = np.array([[9, 160, 0], [1, 20, 20], [1, 20, 20]])  # Σg, Σh and rows: few, many, low
    total, units = groups.sum(axis=1), np.ones(2)
    for smooth, order in ((0.0, [2, 1, 0]), (10.0, [2, 0, 1])):
        mean = total[0] / total[1]
        key = (groups[0] + smooth * mean) / (groups[1] + smooth)
        assert np.argsort(key).tolist() == order
        limits = Rules(SUMS, np.array([SUBSET]), units, cat_smooth=smooth).limits
        assert group_order(groups, 3, total, 0, SUMS, units, limits).tolist() == order
