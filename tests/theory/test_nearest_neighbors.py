import pytest

from tenfold.theory import cover_hart, cover_hart_lower


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_the_bounds_of_cover_and_hart_invert_each_other(classes):
    for least in (0.0, 0.05, 0.3, (classes - 1) / classes):
        error = float(cover_hart(least, classes))
        assert least <= error <= 2 * least
        assert cover_hart_lower(error, classes) == pytest.approx(least, abs=1e-7)
    assert cover_hart_lower(1.0, classes) == (classes - 1) / classes


def test_the_bound_is_reached_where_the_odds_are_the_same_everywhere():
    """P(1 | x) = 0.9 everywhere: the nearest neighbour errs for 2 · 0.9 · 0.1."""
    assert float(cover_hart(0.1)) == pytest.approx(2 * 0.9 * 0.1, rel=1e-15)
    assert not cover_hart(0.1).vacuous
