"""The boundaries after each example, against fits on the first rows and against all conjunctions one by one."""

from itertools import product

import numpy as np
import pytest

import tenfold as tn
from tenfold.datasets import load_enjoy_sport


def boundaries(values, rows, labels):
    """S and G by going through all conjunctions of values, "?" and the empty one."""

    def says(h, row):
        return h is not None and all(c in ("?", x) for c, x in zip(h, row, strict=True))

    def below(a, b):
        return a is None or (b is not None and all(d in ("?", c) for c, d in zip(a, b, strict=True)))

    all_of_them = [None, *product(*([*some, "?"] for some in values))]
    left = [h for h in all_of_them if all(says(h, r) == label for r, label in zip(rows, labels, strict=True))]
    low = {h for h in left if not any(o != h and below(o, h) for o in left)}
    high = {h for h in left if not any(o != h and below(h, o) for o in left)}
    return low, high, len(left)


def as_set(boundary):
    return {None if h.covers_nothing else tuple(h.constraints) for h in boundary}


@pytest.mark.parametrize("seed", range(6))
def test_every_step_is_the_fit_on_the_first_rows(seed):
    random = np.random.default_rng(seed)
    values = [["a", "b", "c"], ["u", "v"], ["x", "y", "z"]]
    X = np.array([[random.choice(some) for some in values] for _ in range(12)], dtype=object)
    y = np.where((X[:, 0] == "a") & (X[:, 2] != ("z" if seed % 2 else "none")), "yes", "no")
    if len(set(y)) == 1:
        y[0] = "no" if y[0] == "yes" else "yes"
    steps = tn.trace(tn.CandidateElimination(), X, y)
    known = [sorted(set(X[:, j])) for j in range(3)]
    for i, space in enumerate(steps.spaces):
        low, high, size = boundaries(known, X[:i], y[:i] == "yes")
        assert (as_set(space.specific), as_set(space.general), space.size) == (low, high, size), (i, space)
        if i and "yes" in y[:i]:  # a fit on the first rows knows their categories alone, which are all of S
            fitted = tn.CandidateElimination(pos_label="yes").fit(X[:i], y[:i]).version_space_
            assert as_set(fitted.specific) == low
            assert as_set(fitted.general) == high
    assert as_set(steps.spaces[-1].general) == as_set(steps.model.version_space_.general)
    assert steps.rows == tuple(map(tuple, X))


def test_enjoy_sport_with_a_value_that_no_day_has():
    sport = load_enjoy_sport()
    steps = tn.trace(tn.VersionSpace(sport.categories), sport.data, sport.target == "Yes")
    assert [space.size for space in steps.spaces] == [973, 64, 32, 28, 6]
    assert "<?, ?, ?, ?, ?, Same>" in steps.table["G"][3]
    assert steps.table["label"] == [None, "+", "+", "-", "+"]
    assert str(steps).endswith("S and G after 4 examples: 6 hypotheses are left")
    framed = tn.trace(tn.VersionSpace(sport.categories), load_enjoy_sport(as_frame=True).data, sport.target == "Yes")
    assert framed.table == steps.table
    assert steps.to_frame()["size"].tolist() == [973, 64, 32, 28, 6]


def test_the_example_that_left_no_hypothesis():
    sport = load_enjoy_sport()
    X, y = np.vstack([sport.data, sport.data[:1]]), np.append(sport.target, "No")
    steps = tn.trace(tn.CandidateElimination(), X, y)
    assert steps.emptied_by == 4 == tn.find_conflict(X, y).row
    assert steps.spaces[-1].is_empty
    assert steps.table["S"][-1] == steps.table["G"][-1] == "empty"
    assert "example 4 (from 0 on) left no hypothesis" in str(steps)
    assert tn.trace(tn.CandidateElimination(), sport.data, sport.target).emptied_by is None


def test_rows_of_no_weight_are_left_out_and_labels_of_a_space_are_bools():
    sport = load_enjoy_sport()
    steps = tn.trace(tn.CandidateElimination(), sport.data, sport.target, sample_weight=[1.0, 0.0, 1.0, 1.0])
    assert len(steps.rows) == 3
    with pytest.raises(ValueError, match="y must be of bool"):
        tn.trace(tn.VersionSpace(sport.categories), sport.data, sport.target)
