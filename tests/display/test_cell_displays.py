"""Pictures of the cells of a cube: a heat map of two keys, and a panel for each cell."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.core import DataError

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def sales():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"country": random.choice(["DE", "FR", "IT"], 900), "year": random.integers(2020, 2024, 900)})
    frame["month"] = random.integers(1, 3, 900)
    frame["size"], frame["age"] = random.uniform(1, 5, 900), random.normal(size=900)
    frame["price"] = frame["size"] * (frame["year"] - 2018) + random.normal(size=900)
    return frame[(frame["country"] != "IT") | (frame["year"] > 2021)].reset_index(drop=True)


def fitted(by=("country", "year"), frame=None, **given):
    frame = sales() if frame is None else frame
    return tn.Cube(tn.LinearRegression(), by=list(by), **given).fit(
        tn.scan(frame[[*by, "size", "age", "price"]], target="price")
    )


def test_a_heat_map_has_each_cell_at_its_place():
    cube = fitted()
    display = tn.display.CellHeatmapDisplay.from_cube(cube, "coef_size")
    assert display.row_labels == ["DE", "FR", "IT"]
    assert display.column_labels == ["2020", "2021", "2022", "2023"]
    for i, country in enumerate(display.row_labels):
        for j, year in enumerate(display.column_labels):
            if (country, int(year)) in cube:
                assert display.values[i, j] == cube[country, int(year)].coef_[0]
            else:
                assert np.isnan(display.values[i, j])
    drawn = display.im_.get_array()
    assert np.array_equal(drawn.filled(np.nan).reshape(3, 4), display.values, equal_nan=True)
    assert len(display.text_) == 10
    assert display.text_[0].get_text() == format(display.values[0, 0], "#.3g")
    assert display.ax_.get_xlabel() == "year"
    assert [one.get_text() for one in display.ax_.get_yticklabels()] == ["DE", "FR", "IT"]


def test_a_heat_map_of_more_columns_is_one_of_two_of_them():
    cube = fitted(("country", "year", "month"))
    display = tn.display.CellHeatmapDisplay.from_cube(cube, "rows", by=("month", "country"))
    counts = sales().groupby(["month", "country"]).size().unstack()
    assert np.array_equal(display.values, counts.to_numpy())
    assert display.text_[0].get_text() == str(counts.iloc[0, 0])
    ax = plt.figure().subplots()
    centred = tn.display.CellHeatmapDisplay.from_cube(
        cube, "coef_age", by=("country", "month"), ax=ax, center=0.0, cmap="RdBu_r", colorbar=False
    )
    low, high = centred.im_.get_clim()
    assert low == -high
    assert centred.ax_ is ax
    with pytest.raises(ValueError, match=r"two columns of the key.*Remedy: by="):
        tn.display.CellHeatmapDisplay.from_cube(cube, "rows")
    with pytest.raises(ValueError, match="coef_length"):
        tn.display.CellHeatmapDisplay.from_cube(cube, "coef_length", by=("country", "year"))


def test_panels_have_the_rows_and_predictions_of_their_cells():
    frame = sales()
    cube = fitted()
    display = tn.display.CellPanelsDisplay.from_cube(cube, frame, "size", "price", most=5, columns=3)
    assert len(display.cells) == 5
    assert sum(ax.get_visible() for ax in display.axes_) == 5
    for at, said in enumerate(display.cells):
        country, year = said.split(", ")
        some = frame[(frame["country"] == country) & (frame["year"] == int(year))]
        assert {*display.points[at][0]} == {*some["size"]}
        x, y = display.lines[at]
        model = cube[country, int(year)]
        assert np.allclose(y, model.intercept_ + model.coef_ @ [x, np.full(len(x), some["age"].mean())])
        assert x[[0, -1]].tolist() == [some["size"].min(), some["size"].max()]
        parent = cube[country]
        assert np.allclose(display.parents[at], parent.predict(pd.DataFrame({"size": x, "age": some["age"].mean()})))
        drawn = display.axes_[at].get_lines()
        assert np.array_equal(drawn[2].get_ydata(), y)
    assert display.parent_name == "country"


def test_panels_leave_out_cells_without_a_model():
    frame = sales()
    frame.loc[frame.index[(frame["country"] == "DE") & (frame["year"] == 2020)][0], "age"] = np.inf
    cube = fitted(frame=frame)
    clean = frame[np.isfinite(frame["age"])]
    display = tn.display.CellPanelsDisplay.from_cube(cube, clean, "size", "price", most=40)
    assert len(display.cells) == 9
    assert "DE, 2020" not in display.cells
    with pytest.raises(DataError, match="nothing to draw"):
        tn.display.CellPanelsDisplay.from_cube(cube, clean.assign(year=1999), "size", "price")
    with pytest.raises(ValueError, match="feature"):
        tn.display.CellPanelsDisplay.from_cube(cube, clean, "length", "price")
