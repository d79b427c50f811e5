"""Pictures of learning theory: the numbers of `theory`, and lines that show them."""

import numpy as np
import pytest

import tenfold as tn
from tenfold import theory

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_bounds_on_the_error():
    classes = {"some": {"size": 973}, "planes": {"vc": 3}, "gap": {"vc": 3, "goal": "gap", "train_error": 0.1}}
    display = tn.display.ErrorBoundDisplay.from_classes(classes, [1000, 99, 10], curve_kwargs={"linewidth": 3.0})
    assert display.rows.tolist() == [10, 99, 1000]
    for line, (name, given) in zip(display.lines_, classes.items(), strict=True):
        expected = [min(float(theory.error_bound(m, 0.05, **given)), 1.0) for m in (10, 99, 1000)]
        assert display.bounds[name].tolist() == expected == line.get_ydata().tolist()
        assert (line.get_label(), line.get_linewidth()) == (name, 3.0)
        assert (np.diff(display.bounds[name]) <= 0).all()
    assert display.bounds["some"][1] <= 0.1, "99 rows are enough for 973 hypotheses"
    assert display.bounds["gap"][2] == pytest.approx(0.1 + 0.16398, abs=5e-6)
    assert (display.ax_.get_xscale(), display.ax_.get_ylabel()) == ("log", "bound on the error, with 95 % confidence")
    assert len(tn.display.ErrorBoundDisplay.from_classes({"x": {"vc": 1}}).rows) > 50
    with pytest.raises(ValueError, match="classes is empty"):
        tn.display.ErrorBoundDisplay.from_classes({})


def test_growth_functions():
    display = tn.display.GrowthDisplay.from_class("intervals", np.arange(8.0)[:, None])
    m = np.arange(1, 9)
    assert display.counted.tolist() == (1 + m * (m + 1) // 2).tolist()
    assert list(display.bounds) == [2], "the VC dimension of intervals is found"
    assert display.bounds[2].tolist() == display.counted.tolist()
    assert [line.get_label() for line in display.lines_] == ["at most, VC dimension 2", "intervals, counted"]
    plane = tn.display.GrowthDisplay.from_dimensions([1, 3], points=10)
    assert plane.counted is None
    assert plane.bounds[3][-1] == 176 == theory.growth(10, 3)
    assert len(plane.lines_) == 2
    fig, ax = plt.subplots()
    assert plane.plot(ax).ax_ is ax
    assert plane.figure_ is fig


def test_covers_transition():
    display = tn.display.CoverDisplay.from_dimensions([1, 4, 9], most=3.0)
    for d, n, share, line in zip(display.dimensions, display.points, display.share, display.lines_, strict=True):
        assert (share[n <= d + 1] == 1.0).all()
        assert share[n == 2 * (d + 1)] == [0.5]
        assert share.tolist() == [theory.cover_probability(k, d) for k in n.tolist()]
        assert line.get_xdata().tolist() == (n / (d + 1)).tolist()
        assert n[-1] == 3 * (d + 1)
    assert display.lines_[0].get_label() == "1 dimension"
    with pytest.raises(ValueError, match="dimensions must be an integer"):
        tn.display.CoverDisplay.from_dimensions([0])
