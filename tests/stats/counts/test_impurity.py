"""Impurities: by hand and as trees have them, their axioms, and that a strictly concave one never loses by a split."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenfold import split_gains
from tenfold.datasets import load_play_tennis
from tenfold.stats.counts.impurity import impurity, impurity_axioms, impurity_decrease

NAMES = ("entropy", "gini", "error")


def root(p):
    """An impurity of one's own: the geometric mean of two shares."""
    return float(np.sqrt(p[0] * p[1]))


@pytest.mark.parametrize("criterion", NAMES)
def test_gains_of_play_tennis_are_those_of_the_table_of_gains(criterion):
    days = load_play_tennis()
    found = split_gains(pd.DataFrame(days.data, columns=days.feature_names), days.target)
    for j, column in enumerate(days.feature_names):
        values, classes = days.data[:, j], np.asarray(days.target)
        table = [[np.sum((values == v) & (classes == c)) for c in np.unique(classes)] for v in np.unique(values)]
        assert impurity_decrease(table, criterion) == pytest.approx(found.of(column, criterion), abs=1e-12)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=5))
def test_a_strictly_concave_impurity_never_loses_and_gains_if_shares_differ(table):
    """Integers, empty branches, one class alone: Jensen's inequality."""
    count = np.array(table, float)
    if not count.sum():
        with pytest.raises(ValueError, match="one of them above 0"):
            impurity_decrease(count)
        return
    some = count[count.sum(axis=1) > 0]
    share = some / some.sum(axis=1, keepdims=True)
    differ = np.abs(share - share[0]).max() > 1e-9
    for criterion in NAMES:
        assert impurity_decrease(count, criterion) >= -1e-12
    for criterion in ("entropy", "gini"):
        assert (impurity_decrease(count, criterion) > 1e-9) == differ


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_axioms_of_the_three_of_the_texts(classes):
    for criterion in NAMES:
        axioms = impurity_axioms(criterion, classes=classes)
        assert axioms.symmetric
        assert axioms.least_if_pure
        assert axioms.greatest_if_even
        assert axioms.concave
        assert axioms.strictly_concave == (criterion != "error")
    (p, q) = axioms.witness["strictly_concave"]
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    assert impurity(middle, "error") == pytest.approx((impurity(p, "error") + impurity(q, "error")) / 2)


@pytest.mark.parametrize(
    ("function", "broken"),
    [
        (root, set()),
        (lambda p: float(p[0] * p[1] ** 2), {"symmetric", "greatest_if_even", "concave", "strictly_concave"}),
        (lambda p: float(min(p) > 0), {"greatest_if_even", "strictly_concave"}),
        (lambda p: float(min(p) ** 2), {"concave", "strictly_concave"}),
        (lambda p: float(p @ p), {"least_if_pure", "greatest_if_even", "concave", "strictly_concave"}),
        (lambda p: 1.0, {"least_if_pure", "greatest_if_even", "strictly_concave"}),
        (lambda p: float(p[0] * p[1] + 0.1 * p[0]), {"symmetric", "least_if_pure", "greatest_if_even"}),
    ],
    ids=["root", "skewed", "mixed or not", "square of the rarer", "purity", "constant", "one pure node is worse"],
)
def test_functions_that_break_an_axiom_are_found_with_a_witness(function, broken):
    axioms = impurity_axioms(function)
    held = (axioms.symmetric, axioms.least_if_pure, axioms.greatest_if_even, axioms.concave, axioms.strictly_concave)
    names = ("symmetric", "least_if_pure", "greatest_if_even", "concave", "strictly_concave")
    assert {name for name, holds in zip(names, held, strict=True) if not holds} == broken == set(axioms.witness)
    if "concave" in broken:  # a split into these two loses
        p, q = axioms.witness["concave"]
        assert impurity_decrease([p, q], function) < 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: impurity([]), "counts or shares"),
        (lambda: impurity([1, -1]), "counts or shares"),
        (lambda: impurity([np.nan, 1]), "counts or shares"),
        (lambda: impurity([1, 1], "log"), "'entropy', 'gini', 'error' or a function"),
        (lambda: impurity_decrease([1, 2]), "a row for each branch"),
        (lambda: impurity_axioms("gini", classes=1), "from 2 to 6"),
        (lambda: impurity_axioms("gini", classes=7), "from 2 to 6"),
        (lambda: impurity_axioms("gini", classes=3, steps=10), "multiple of classes=3"),
    ],
)
def test_wrong_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
