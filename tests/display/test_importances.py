"""Pictures of importances and partial dependence show the numbers that were found."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import tenfold as tn

mpl.use("Agg")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=300), "age": rng.normal(size=300), "kind": rng.choice(list("abc"), 300)})
    y = 2 * X["size"] + (X["kind"] == "b")
    return tn.DecisionTreeRegressor(max_depth=4).fit(X, y), X, y


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.mark.quick
def test_importances_are_drawn_the_greatest_above(rows):
    display = tn.display.PermutationImportanceDisplay.from_estimator(*rows, n_repeats=3)
    found = display.importances
    order = np.argsort(found.importances_mean)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [found.names[j] for j in order]
    assert display.dots_.get_xdata().tolist() == found.importances_mean[order].tolist()
    ends = np.array([segment[:, 0] for segment in display.bars_.get_segments()])
    assert ends == pytest.approx(found.interval[order])
    assert "bars: 95 % for other rows" in display.ax_.get_xlabel()
    other = tn.display.PermutationImportanceDisplay(found).plot(by="repeats", most=2)
    assert len(other.dots_.get_xdata()) == 2
    ends = np.array([segment[:, 0] for segment in other.bars_.get_segments()])
    assert ends == pytest.approx(found.repeats_interval[order][-2:])
    _, ax = plt.subplots()
    bare = tn.display.PermutationImportanceDisplay(found).plot(ax, by=None, repeats=False)
    assert bare.ax_ is ax
    assert bare.bars_ is None


def test_curves_bars_and_maps(rows):
    model, X, _ = rows
    display = tn.display.PartialDependenceDisplay.from_estimator(
        model, X, ["size", "kind", ("size", "age"), ("kind", "size")], kind="both", grid_resolution=6, subsample=7,
        n_cols=2,
    )  # fmt: skip
    curve, bars, lines, table = display.lines_
    found = display.pd_results
    assert curve[0].get_ydata() == pytest.approx(found[0].average[0])
    assert len(curve) == 8
    assert curve[3].get_ydata() == pytest.approx(found[0].individual[0, 2])
    assert [bar.get_height() for bar in bars[0]] == pytest.approx(found[1].average[0].tolist())
    assert [label.get_text() for label in display.axes_[1].get_xticklabels()] == ["a", "b", "c"]
    assert display.axes_[2].get_ylabel() == "age"
    assert lines[0].levels[0] <= found[2].average.min()
    assert np.asarray(table[0].get_array()) == pytest.approx(found[3].average[0].T)
    assert len(display.axes_) == 4
    assert display.axes_[0].get_ylabel() == "mean prediction"


def test_centred_curves_begin_at_zero(rows):
    model, X, _ = rows
    display = tn.display.PartialDependenceDisplay.from_estimator(model, X, "size", kind="both", centered=True)
    assert all(line.get_ydata()[0] == 0 for line in display.lines_[0])


def test_a_class_is_chosen(rows):
    _, X, y = rows
    model = tn.DecisionTreeClassifier(max_depth=3).fit(X, np.digitize(y, [-1, 1]))
    display = tn.display.PartialDependenceDisplay.from_estimator(model, X, "size", target=2, grid_resolution=5)
    assert display.lines_[0][0].get_ydata() == pytest.approx(display.pd_results[0].average[2])
    assert display.axes_[0].get_ylabel() == "mean P(2)"
    with pytest.raises(ValueError, match="choose one with target="):
        tn.display.PartialDependenceDisplay.from_estimator(model, X, "size")


@pytest.mark.quick
def test_on_given_axes(rows):
    model, X, _ = rows
    _, axes = plt.subplots(1, 2)
    display = tn.display.PartialDependenceDisplay.from_estimator(model, X, ["size", "age"], grid_resolution=5, ax=axes)
    assert display.axes_.tolist() == axes.tolist()
    with pytest.raises(ValueError, match="ax must hold 2 axes"):
        display.plot(axes[0])
    one = tn.display.PartialDependenceDisplay(display.pd_results[0]).plot(axes[0])
    assert one.axes_.tolist() == [axes[0]]
