"""The example that emptied the version space, and a least conflict, by brute force."""

from itertools import combinations

import numpy as np
import pytest

from tenfold import CandidateElimination, VersionSpace, find_conflict


def test_against_version_spaces_step_by_step():
    conflicts = 0
    for seed in range(150):
        random = np.random.default_rng(seed)
        rows = np.array(list("abc"), dtype=object)[random.integers(0, 3, (10, int(random.integers(1, 4))))]
        labels = random.random(10) < 0.5 if seed % 2 else rows[:, 0] == "a"
        attributes = [list("abc")] * rows.shape[1]
        start = VersionSpace(attributes)
        space, emptied = start, None
        for k in range(10):
            space = space.learn(rows[k], labels[k])
            if space.is_empty:
                emptied = k
                break
        found = find_conflict(rows, labels, pos_label=True)
        assert (found is None) == (emptied is None)
        if found is None:
            continue
        conflicts += 1
        assert found.row == emptied
        assert max(found.rows) <= found.row
        assert found.row in found.rows
        some = list(found.rows)
        assert start.learn_all(rows[some], labels[some]).is_empty
        for part in combinations(some, len(some) - 1):  # none of them can be left out
            assert not start.learn_all(rows[list(part)], labels[list(part)]).is_empty
    assert conflicts > 50


def test_no_conflict_where_the_certificate_says_so():
    rows, labels = [["a", "u"], ["a", "v"], ["b", "u"]], ["yes", "yes", "no"]
    assert find_conflict(rows, labels) is None
    assert CandidateElimination().fit(rows, labels).certificate_["consistent"].value == 1
    assert find_conflict(rows, ["no"] * 3) is None
    assert find_conflict([["a"], ["a"]], [1, 0]) == (1, (0, 1))
    with pytest.raises(ValueError, match="two classes"):
        find_conflict(rows, [1, 2, 3])
    with pytest.raises(ValueError, match="a label for each row"):
        find_conflict(rows, [1])
