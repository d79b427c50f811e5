"""Pictures of traces: each draws every step of its trace, and says what it cannot draw."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle

import tenfold as tn
from tenfold.datasets import load_enjoy_sport, load_play_tennis, make_separable
from tenfold.display import TraceDisplay


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_a_line_for_each_mistake_and_a_ring_for_each_row():
    X, y = make_separable(40, 2, margin=0.1, random_state=0)
    steps = tn.trace(tn.Perceptron(shuffle=False, tol=None), X, y)
    display = TraceDisplay(steps).plot()
    assert len(display.ax_.lines) == (np.abs(steps.weights[1:, 0, 1:]).sum(axis=1) > 0).sum()
    for line, (constant, a, b) in zip(display.ax_.lines, steps.weights[1:, 0], strict=True):
        (x0, y0), (x1, y1) = line.get_xy1(), line.get_xy2()
        assert constant + a * x0 + b * y0 == pytest.approx(0, abs=1e-9)
        assert constant + a * x1 + b * y1 == pytest.approx(0, abs=1e-9)
    rings = display.ax_.collections[-1].get_offsets()
    assert sorted(rings.tolist()) == sorted(X[np.unique(steps.row)].tolist())
    figure, ax = plt.subplots()
    wide = TraceDisplay.from_estimator(tn.Perceptron(max_iter=2), np.column_stack([X, X]), y, ax=ax)
    assert wide.figure_ is figure
    assert len(ax.lines) == 5


def test_a_map_of_the_weights_with_a_cross_for_each_wrong_row():
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 2))
    steps = tn.trace(tn.AdaBoostClassifier(n_estimators=4), X, (X**2).sum(axis=1) > 1.2)
    display = TraceDisplay(steps).plot()
    assert (display.ax_.images[0].get_array() == steps.weights.T).all()
    assert len(display.ax_.lines[0].get_xdata()) == steps.wrong.sum()
    assert f"ε {steps.errors[0]:.3f}" in display.ax_.get_xticklabels()[1].get_text()


def test_the_ways_of_the_centers():
    X = np.random.default_rng(0).normal(size=(90, 2))
    steps = tn.trace(tn.KMeans(3, init=X[:3]), X)
    display = TraceDisplay(steps).plot()
    ways = [line.get_xydata() for line in display.ax_.lines[::3]]
    for k, way in enumerate(ways):
        np.testing.assert_array_equal(way, steps.centers[:, k])
    one = TraceDisplay.from_estimator(tn.KMeans(3, n_init=1), X[:, :1])
    assert one.ax_.get_ylabel() == "inertia"


def test_the_lists_before_and_after_each_split():
    steps = tn.trace(tn.SLIQ(max_depth=2), *load_play_tennis(numeric=True, return_X_y=True, as_frame=True))
    display = TraceDisplay(steps).plot()
    cells = [patch for patch in display.ax_.patches if isinstance(patch, Rectangle)]
    assert len(cells) == (len(steps.splits) + 1) * 5 * 14
    assert len({cell.get_facecolor() for cell in cells[: 5 * 14]}) == 1
    last = {cell.get_facecolor() for cell in cells[-5 * 14 :]}
    assert len(last) == len(set(steps.nodes[-1]))
    assert "Overcast · 2" in texts(display)
    rows = np.arange(16.0)[:, None]
    steps = tn.trace(tn.SLIQ(), rows, rows[:, 0] // 2 % 2)  # many nodes at once
    cells = [patch for patch in TraceDisplay(steps).plot().ax_.patches if isinstance(patch, Rectangle)][-16:]
    of_node = {(int(node), cell.get_facecolor()) for node, cell in zip(steps.nodes[6], cells, strict=True)}
    assert len(of_node) == len({colour for _, colour in of_node}) == len(set(steps.nodes[6])) == 7
    rows = np.random.default_rng(0).normal(size=(41, 1))
    with pytest.raises(ValueError, match="lists of 41 rows cannot be drawn"):
        TraceDisplay.from_estimator(tn.SLIQ(), rows, rows[:, 0] > 0)


def test_both_boundaries_after_each_example():
    sport = load_enjoy_sport()
    display = TraceDisplay.from_estimator(tn.VersionSpace(sport.categories), sport.data, sport.target == "Yes")
    said = texts(display)
    for space in display.trace.spaces:
        for member in (*space.specific, *space.general):
            assert str(member) in said
    assert [word for word in said if word in ("973", "64", "32", "28", "6")] == ["973", "64", "32", "28", "6"]
    with pytest.raises(ValueError, match="24 examples cannot be drawn"):
        TraceDisplay.from_estimator(
            tn.CandidateElimination(), np.vstack([sport.data] * 6), np.concatenate([sport.target] * 6)
        )


def test_a_copy_of_the_network_for_each_row():
    pytest.importorskip("torch")
    letters, lengths = [[letter] for letter in "abbacabc"], [2, 3, 3]
    model = tn.RNNClassifier(3, num_layers=2, max_iter=1).fit(letters, ["x", "y", "x"], lengths=lengths)
    display = TraceDisplay.from_estimator(model, [["a"], ["c"], ["b"]])
    drawn = display.ax_.collections
    assert len(drawn) == 3 * 2
    np.testing.assert_array_equal(drawn[1].get_array(), display.trace.states[1, 0])
    assert {"a", "c", "b", "t = 3"} <= set(texts(display))
    with pytest.raises(ValueError, match="25 steps of 3 units cannot be drawn"):
        TraceDisplay.from_estimator(model, [["a"]] * 25)


def test_what_is_no_trace_is_told():
    with pytest.raises(TypeError, match="dict is not a trace"):
        TraceDisplay({}).plot()
