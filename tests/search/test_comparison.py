"""Comparing searches: curves by evaluations, intervals of the mean, and the picture."""

import numpy as np
import pytest
from scipy import stats

import tenfold as tn
from tenfold import search

METHODS = {"climb": search.HillClimbing(), "MIMIC": search.MIMIC()}


@pytest.fixture(scope="module")
def found():
    return search.compare_searches(search.four_peaks(20), METHODS, evaluations=2_000, seeds=[3, 5, 8, 13])


@pytest.mark.quick
def test_curves_are_those_of_each_seed(found):
    for name, method in METHODS.items():
        curves = found.curves(name)
        assert curves.shape == (len(found.evaluations), 4)
        for at, seed in enumerate((3, 5, 8, 13)):
            alone = search.optimize(search.four_peaks(20), method, evaluations=2_000, random_state=seed)
            assert curves[:, at].tolist() == alone.trace.at(found.evaluations).tolist()
        assert (np.diff(curves, axis=0) >= 0).all()
        low, high = found.interval(name, 0.9)[-1]
        wanted = stats.t.interval(0.9, 3, curves[-1].mean(), stats.sem(curves[-1]))
        assert (low, high) == pytest.approx(wanted, nan_ok=True)


def test_table(found):
    text = str(found)
    assert "four peaks (20): greater is better, 2,000 evaluations, 4 seeds" in text
    assert [line.split()[0] for line in text.splitlines()[1:3]] == ["climb", "MIMIC"]
    assert "<table" in found._repr_html_()


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="methods must have a name"):
        search.compare_searches(search.four_peaks(20), {}, evaluations=10)
    with pytest.raises(ValueError, match="seeds must be an integer at least 1"):
        search.compare_searches(search.four_peaks(20), METHODS, evaluations=10, seeds=0)


@pytest.mark.quick
def test_picture(found):
    display = tn.display.SearchDisplay(found).plot()
    assert [line.get_label() for line in display.lines_] == ["climb", "MIMIC"]
    np.testing.assert_allclose(display.lines_[0].get_ydata(), found.curves("climb").mean(axis=1))
    assert len(display.fill_between_) == 2
    assert display.ax_.get_title() == "four peaks (20)"
    display.figure_.clear()
    alone = tn.display.SearchDisplay.from_methods(search.flip_flop(10), METHODS, evaluations=200, seeds=1)
    assert alone.fill_between_ == []
