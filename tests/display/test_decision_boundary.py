import numpy as np
import pandas as pd
import pytest

import tenfold as tn

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("agg")

random = np.random.default_rng(0)
X = random.normal(size=(40, 2))
Y = np.array(["a", "b", "c"])[random.integers(0, 3, 40)]


def inside(corners, place):
    """Whether a place is in a convex polygon, given by its corners in any order."""
    angles = np.argsort(np.arctan2(*(corners - corners.mean(axis=0)).T))
    a = corners[angles]
    b = np.roll(a, -1, axis=0)
    side = (b[:, 0] - a[:, 0]) * (place[1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (place[0] - a[:, 0])
    return bool((side >= -1e-9).all() or (side <= 1e-9).all())


def test_cells_are_the_regions_of_the_nearest_neighbour():
    display = tn.display.VoronoiDisplay.from_data(X, Y)
    model = tn.KNeighborsClassifier(1).fit(display.points, display.classes[display.label])
    low, high = X.min(axis=0), X.max(axis=0)
    places = random.uniform(low, high, size=(300, 2))
    cells = display.cells(low - 1, high + 1)
    nearest = model.kneighbors(places)[1][:, 0]
    assert all(inside(cells[i], place) for i, place in zip(nearest, places, strict=True))
    assert sum(inside(cell, place) for cell in cells for place in places) == len(places)
    corners = np.concatenate(cells)
    assert (corners >= low - 1 - 1e-9).all()
    assert (corners <= high + 1 + 1e-9).all()


def test_rows_at_one_place_have_one_cell():
    display = tn.display.VoronoiDisplay.from_data([[0, 0], [0, 0], [1, 1], [1, 1], [0, 1]], ["a", "b", "a", "a", "b"])
    assert display.points.tolist() == [[0, 0], [0, 1], [1, 1]]
    assert display.label.tolist() == [-1, 1, 0]


@pytest.mark.parametrize("names", [None, ["east", "north"]])
def test_regions_are_what_the_model_predicts(names):
    rows = X if names is None else pd.DataFrame(X, columns=names)
    model = tn.KNeighborsClassifier(3).fit(rows, Y)
    display = tn.display.DecisionBoundaryDisplay.from_estimator(model, rows, Y, grid_resolution=30)
    at = (7, 12)
    place = [[display.xx0[at], display.xx1[at]]]
    asked = place if names is None else pd.DataFrame(place, columns=names)
    assert display.classes[display.response[at]] == model.predict(asked)[0]
    assert display.ax_.get_xlabel() == ("" if names is None else "east")
    numbers = tn.LocallyWeightedRegression(20).fit(X, X[:, 0])
    heights = tn.display.DecisionBoundaryDisplay.from_estimator(numbers, X, grid_resolution=10)
    np.testing.assert_allclose(heights.response, heights.xx0, atol=1e-8)
    plt.close("all")


def test_a_plane_has_two_columns():
    with pytest.raises(ValueError, match="rows of two columns"):
        tn.display.VoronoiDisplay.from_data(np.ones((3, 3)), [0, 1, 2])
