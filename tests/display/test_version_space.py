"""The drawn lattice: a box for each hypothesis, a line for each step, boundaries in colour."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

import tenfold as tn


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_boxes_lines_and_boundaries():
    rows = [["sun", "warm", "calm"], ["sun", "warm", "wind"], ["rain", "cold", "wind"]]
    model = tn.CandidateElimination().fit(rows, ["yes", "yes", "no"])
    display = tn.display.VersionSpaceDisplay.from_estimator(model)
    edges = {box.get_text(): to_hex(box.get_bbox_patch().get_edgecolor()) for box in display.boxes_}
    assert edges == {"<sun, warm, ?>": "#3b82c4", "<?, warm, ?>": "#d9822b", "<sun, ?, ?>": "#d9822b"}
    assert len(display.lines_) == 2
    height = {box.get_text(): box.get_position()[1] for box in display.boxes_}
    assert height["<sun, warm, ?>"] < height["<?, warm, ?>"] == height["<sun, ?, ?>"]


def test_lines_skip_no_hypothesis():
    space = tn.VersionSpace([["a", "b"]] * 3).learn(["a", "a", "a"], True)
    display = tn.display.VersionSpaceDisplay(space).plot()
    assert (len(display.boxes_), len(display.lines_)) == (8, 12)  # a cube
    one = space.learn_all([["b", "a", "a"], ["a", "b", "b"]], [False, True])
    (box,) = tn.display.VersionSpaceDisplay(one).plot().boxes_
    assert to_hex(box.get_bbox_patch().get_edgecolor()) == "#4c9a5b"


def test_what_cannot_be_drawn():
    large = tn.VersionSpace([["a", "b"]] * 9)
    for space in (large, large.learn(["a"] * 9, True).learn(["a"] * 9, False)):
        with pytest.raises(ValueError, match="cannot be drawn"):
            tn.display.VersionSpaceDisplay(space).plot()
    with pytest.raises(TypeError, match="Remedy: CandidateElimination"):
        tn.display.VersionSpaceDisplay.from_estimator(tn.FindS())
