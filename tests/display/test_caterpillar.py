"""The caterpillar plot shows a coefficient before and after pooling."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import tenfold as tn

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_a_coefficient_before_and_after():
    random = np.random.default_rng(0)
    store = random.integers(0, 90, 900)
    rows = pd.DataFrame({"country": store // 45, "store": store, "size": random.normal(size=900)})
    rows["price"] = (2 + random.normal(size=90))[store] * rows["size"] + random.normal(size=900)
    cube = tn.Cube(tn.LinearRegression(), by=["country", "store"]).fit(tn.scan(rows, target="price"))
    pooled = cube.pool({"store": ["intercept", "size"]})
    display = tn.display.CaterpillarDisplay.from_cubes(cube, pooled, "size", level=0.9, most=30)
    table = pooled.table()
    assert display.pooled.tolist() == table["coef_size"].to_pylist()
    assert display.own.tolist() == cube.table()["coef_size"].to_pylist()
    drawn = display.dots_.get_xdata()
    assert len(drawn) == 30
    assert (np.diff(drawn) >= 0).all()
    assert {drawn[0], drawn[-1]} == {display.pooled.min(), display.pooled.max()}
    at = int(np.argmin(display.pooled))
    assert display.own_.get_xdata()[0] == display.own[at]
    ends = display.bars_.get_segments()[0][:, 0]
    assert ends == pytest.approx(display.pooled[at] + 1.6448536 * display.standard_errors[at] * np.array([-1, 1]))
    assert display.ax_.get_yticklabels()[0].get_text() == f"{at // 45}, {at}"
    assert "90 %" in display.ax_.get_xlabel()
    _, ax = plt.subplots()
    other = tn.display.CaterpillarDisplay.from_cubes(cube, pooled, "intercept", ax=ax)
    assert other.ax_ is ax
    assert other.population == pooled.intercept_
    assert not other.ax_.get_yticklabels()
    with pytest.raises(ValueError, match="term"):
        tn.display.CaterpillarDisplay.from_cubes(cube, pooled, "length")
