"""Conjunctions against the rows that they cover, written out."""

from itertools import product

import numpy as np
import pytest

from tenfold import Conjunction
from tenfold.concept.conjunction import consistent, covers, more_general_than, more_specific_than

VALUES = ["ab", "uvw"]
POINTS = list(product(*VALUES))
COVERED = {
    **{(a, u): {(a, u)} for a, u in POINTS},
    **{(a, "?"): {(a, u) for u in "uvw"} for a in "ab"},
    **{("?", u): {(a, u) for a in "ab"} for u in "uvw"},
    ("?", "?"): set(POINTS),
    (None, None): set(),
}
"""each hypothesis, and the rows that it covers"""


def test_a_conjunction_covers_the_rows_that_agree_in_every_place():
    for constraints, rows in COVERED.items():
        assert {point for point in POINTS if covers(Conjunction(constraints), point)} == rows
    for empty in ((None, "u"), ("a", None), ("?", None)):  # one place without a value, and no row is covered
        assert Conjunction(empty) == Conjunction((None, None))
    assert len({Conjunction(one) for one in COVERED}) == len(COVERED)


@pytest.mark.parametrize("seed", range(20))
def test_consistent_is_complete_and_correct(seed):
    """Complete: all positives are covered; correct: no negative is."""
    random = np.random.default_rng(seed)
    some = [POINTS[k] for k in random.integers(0, len(POINTS), 4)]
    labels = [bool(k) for k in random.integers(0, 2, 4)]
    positive, negative = ({row for row, label in zip(some, labels) if label is side} for side in (True, False))
    for constraints, rows in COVERED.items():
        right = positive <= rows and not negative & rows
        assert consistent(Conjunction(constraints), some, labels) == right


def test_more_general_is_to_cover_more_rows():
    for (one, rows), (other, fewer) in product(COVERED.items(), repeat=2):
        a, b = Conjunction(one), Conjunction(other)
        assert more_general_than(a, b) == more_specific_than(b, a) == (rows > fewer)
        assert (b <= a) == (rows >= fewer)
