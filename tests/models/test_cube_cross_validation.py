"""Cross-validation of a cube: losses of held-out rows, by the models of the cells and of coarser keys."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tenfold as tn
from tenfold.core import DataError
from tenfold.models.cross_validation import held_out_losses, training_cells
from tenfold.sources import part_rows
from tenfold.stats.rows.draws import folds_of_places

COLUMNS = list("ab")


def sales(rows=1200, stores=12, seed=0, noise=1.0):
    """Stores whose slopes are their own, in countries."""
    random = np.random.default_rng(seed)
    store = random.integers(0, stores, rows)
    frame = pd.DataFrame({"country": np.array(["DE", "FR", "IT"])[store % 3], "store": store})
    frame["a"], frame["b"] = random.normal(size=(2, rows))
    frame["price"] = frame["a"] * (1 + store % 4) + store % 3 + noise * random.normal(size=rows)
    frame["day"] = random.integers(0, 4, rows)
    frame["weight"] = random.integers(0, 3, rows).astype(float)
    return frame


def losses(frame, learner, folds, target, keys=("country", "store")):
    """Mean losses by level and cell, with a fit for each cell and fold; the level above stands in for no model."""
    found = {}
    loss = np.full((len(keys) + 1, len(frame)), np.nan)
    for many in range(len(keys) + 1):
        groups = frame.groupby(list(keys[:many])) if many else [((), frame)]
        for _, some in groups:
            for fold in np.unique(folds):
                held = some.index[folds[some.index] == fold]
                rest = some.loc[folds[some.index] != fold]
                if len(held) and len(rest):
                    model = type(learner)(**learner.get_params()).fit(rest[COLUMNS], rest[target])
                    made = model.predict(frame.loc[held, COLUMNS])
                    y = frame.loc[held, target].to_numpy()
                    loss[many, held] = (made - y) ** 2 if target == "price" else made != y
        loss[many] = np.where(np.isnan(loss[many]), loss[many - 1], loss[many]) if many else loss[many]
        found[many] = pd.Series(loss[many]).groupby([frame[key] for key in keys]).mean()
    return found, loss


@pytest.mark.parametrize("stores", [12, 400])
@pytest.mark.parametrize("learner", [tn.Ridge(), tn.Lasso(0.05), tn.GaussianNB(), tn.DummyRegressor()])
def test_losses_are_those_of_fits_to_all_other_folds(learner, stores):
    frame = sales(stores=stores, rows=1200)
    target = "price" if learner.need.target == "number" else "kind"
    if target == "kind":
        frame["kind"] = np.where(frame["price"] > frame["a"], "u", "v")
    folds = np.empty(len(frame), np.int64)
    with part_rows(100):  # parts of 100 rows, whose places are numbered from a part's own start
        cube = tn.Cube(learner, by=["country", "store"], cv=4).fit(
            tn.scan(frame[[*COLUMNS, "country", "store", target]], target=target)
        )
    for part in range(12):
        folds[part * 100 : part * 100 + 100] = folds_of_places((part << 36) + np.arange(100), 0, 4)
    if learner.need.target == "class" and stores == 400:
        one = frame.groupby("store")["kind"].nunique()
        assert (one < 2).any()  # such cells have one class
    wanted, loss = losses(frame, learner, folds, target)
    table = cube.cross_validation_.table().to_pandas()
    measure = "mean_squared_error" if target == "price" else "error_rate"
    for many, series in wanted.items():
        found = table[table["level"] == many].set_index(["country", "store"])[measure]
        assert np.allclose(found, series.loc[found.index], rtol=1e-9, atol=1e-12)
    means, low, high = cube.cross_validation_.overall()
    assert np.allclose(means, loss.mean(axis=1), rtol=1e-9)
    assert (low <= means).all()
    assert (means <= high).all()
    by_cell = np.array([wanted[many].to_numpy() for many in range(3)])
    best = by_cell.round(12).argmin(axis=0)
    assert np.array_equal(cube.table()["best_level"].to_numpy(), best)
    assert cube.best_level_ == loss.mean(axis=1).argmin()


def test_intervals_are_those_of_nadeau_and_bengio():
    frame = sales()
    cube = tn.Cube(tn.Ridge(), by="store", cv=5).fit(tn.scan(frame[[*COLUMNS, "store", "price"]], target="price"))
    scores = cube.cross_validation_
    each = scores.loss[1, 3] / scores.weight[3]
    reach = stats.t.ppf(0.95, 4) * each.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    table = scores.table(0.9).to_pandas().set_index(["store", "level"])
    mean = scores.loss[1, 3].sum() / scores.weight[3].sum()
    row = table.loc[(3, 1)]
    assert np.allclose([row["low"], row["high"]], [mean - reach, mean + reach], rtol=1e-12)


@pytest.mark.slow
def test_intervals_hold_the_loss_on_new_rows_about_as_often_as_they_say():
    held, trials = 0, 60
    new = sales(20_000, 3, seed=999)
    for seed in range(trials):
        frame = sales(240, 3, seed=seed)
        cube = tn.Cube(tn.Ridge(), by="store", cv=5).fit(frame[[*COLUMNS, "store"]], frame["price"].to_numpy())
        _, low, high = cube.cross_validation_.overall(0.9)
        error = np.mean((cube.predict(new[[*COLUMNS, "store"]]) - new["price"]) ** 2)
        held += low[1] <= error <= high[1]
    assert 0.8 * trials <= held


@pytest.fixture
def reads(monkeypatch):
    """The parts that sources read."""
    found = []

    def watch(rows):
        tables = type(rows).tables
        monkeypatch.setattr(
            type(rows), "tables", lambda self, part, *m: (found.append(part), tables(self, part, *m))[1]
        )
        return found

    return watch


@pytest.mark.parametrize(("learner", "scans"), [(tn.Ridge(), 1), (tn.Lasso(0.1), 1), (tn.DummyRegressor(), 2)])
def test_scores_of_linear_models_take_no_scan_more(tmp_path, reads, learner, scans):
    frame = sales()
    frame[[*COLUMNS, "country", "store", "price"]].to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    rows = tn.scan(tmp_path / "rows.parquet", target="price")
    read = reads(rows)
    tn.Cube(learner, by=["country", "store"], cv=5).fit(rows)
    assert len(read) == scans * len(rows)


def test_losses_read_off_summaries_are_those_of_the_rows(monkeypatch):
    frame = sales(noise=1e-3)
    rows = tn.scan(frame[[*COLUMNS, "country", "store", "price", "weight"]], target="price", weight="weight")
    cube = tn.Cube(tn.LinearRegression(), by=["country", "store"], cv=5)
    summaries = cube.fit(rows).cross_validation_
    called = []
    monkeypatch.setattr(
        "tenfold.models.cross_validation.level_scores.from_summaries", lambda *given: called.append(given)
    )
    scanned = cube.fit(rows).cross_validation_
    assert called
    assert np.allclose(summaries.weight, scanned.weight, rtol=1e-12)
    assert np.allclose(summaries.loss, scanned.loss, rtol=1e-8)


def test_errors_that_summaries_would_lose_are_computed_from_rows():
    frame = sales(noise=0.0)
    frame["price"] = frame["a"] + 1e9  # exact: the squares of its errors are nothing but rounding
    rows = tn.scan(frame[[*COLUMNS, "store", "price"]], target="price")
    found = tn.Cube(tn.LinearRegression(), by="store", cv=5).fit(rows).cross_validation_
    assert (found.loss >= 0).all()
    assert found.overall()[0][1] < 1e-10


@pytest.mark.parametrize("stores", [12, 400])
def test_the_bits_of_cells_and_scores_do_not_depend_on_threads_or_on_how_many_sums_are_made_at_a_time(
    stores, monkeypatch
):
    frame = sales(stores=stores)[[*COLUMNS, "country", "store", "price"]]
    without = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(frame, target="price")).table()
    found = []
    for threads, size in ((1, 1 << 26), (2, 1), (3, 3000)):
        monkeypatch.setattr(training_cells, "TRAINING_BYTES", size)
        monkeypatch.setattr(held_out_losses, "SCORED_CELLS", 7 if size == 1 else 1 << 12)
        with tn.on(tn.Local(threads=threads)), part_rows(100):
            cube = tn.Cube(tn.Ridge(), by=["country", "store"], cv=5).fit(tn.scan(frame, target="price"))
        found.append(cube)
        table = cube.table()
        assert table.column_names[-4:] == ["mean_squared_error", "low", "high", "best_level"]
    assert len({cube.cross_validation_.loss.tobytes() for cube in found}) == 1
    assert len({str(cube.table().to_pydict()) for cube in found}) == 1
    assert table.select(without.column_names[:4]).equals(without.select(without.column_names[:4]))


def test_folds_may_be_a_column():
    frame = sales()
    rows = tn.scan(frame[[*COLUMNS, "store", "price", "day"]], target="price")
    cube = tn.Cube(tn.Ridge(), by="store", cv="day").fit(rows)
    assert list(cube.feature_names_in_) == COLUMNS
    wanted, _ = losses(frame, tn.Ridge(), frame["day"].to_numpy(), "price", keys=("store",))
    table = cube.cross_validation_.table().to_pandas()
    assert np.allclose(table[table["level"] == 1]["mean_squared_error"], wanted[1], rtol=1e-9)
    for wrong in (1, 0, True, "store", 2.5):
        with pytest.raises(ValueError, match="cv must be"):
            tn.Cube(tn.Ridge(), by="store", cv=wrong).fit(rows)
    with pytest.raises(DataError, match="'nothing'"):
        tn.Cube(tn.Ridge(), by="store", cv="nothing").fit(rows)


def test_a_level_predicts_and_the_best_one_of_each_cell():
    frame = sales(stores=400)
    rows = tn.scan(frame[[*COLUMNS, "country", "store", "price"]], target="price")
    cube = tn.Cube(tn.Ridge(), by=["country", "store"], cv=5).fit(rows)
    X = frame[[*COLUMNS, "country", "store"]]
    best = dict(zip(cube.table()["store"].to_pylist(), cube.table()["best_level"].to_pylist(), strict=True))
    assert {*best.values()} == {0, 1, 2}
    found, level = cube.predict(X, level="best", return_level=True)
    assert level.tolist() == [best[store] for store in frame["store"]]
    by_level = np.array([cube.predict(X, level=many) for many in range(3)])
    assert np.array_equal(found, by_level[level, np.arange(len(X))])
    assert np.array_equal(by_level[2], cube.predict(X))
    assert np.allclose(by_level[0], cube[()].predict(frame[COLUMNS]), rtol=1e-12)
    lazy = cube.predict(tn.scan(X), level="best")
    assert np.array_equal(np.asarray(lazy.collect()).ravel(), found)
    new = X.head(2).assign(store=[9999, 9999], country=["FR", "XX"])
    assert cube.predict(new, level="best", return_level=True)[1].tolist() == [1, 0]
    assert cube.predict(new, level=0, return_level=True)[1].tolist() == [0, 0]
    for wrong in (3, -1, "worst", True):
        with pytest.raises(ValueError, match="level must be"):
            cube.predict(X, level=wrong)
    with pytest.raises(AttributeError, match="Remedy: Cube"):
        cube.rollup("country").predict(X, level="best")


def test_cells_that_cannot_be_scored_are_values():
    frame = sales()[[*COLUMNS, "store", "price"]]
    frame.loc[frame.index[frame["store"] == 3][0], "a"] = np.nan
    for learner in (tn.Ridge(), tn.Lasso(0.01)):
        cube = tn.Cube(learner, by="store", cv=5).fit(tn.scan(frame, target="price"))
        table = cube.table().to_pandas().set_index("store")
        assert np.isnan(table.drop(index=3)["mean_squared_error"]).sum() == 0
        assert table.loc[3, "status"] == "failed"


def test_several_learners_have_scores_of_the_same_folds_and_transformers_have_none():
    frame = sales()[[*COLUMNS, "store", "price"]]
    rows = tn.scan(frame, target="price")
    cube = tn.Cube({"one": tn.Ridge(), "two": tn.LinearRegression()}, by="store", cv=5).fit(rows)
    alone = tn.Cube(tn.LinearRegression(), by="store", cv=5).fit(rows)
    assert np.array_equal(cube.named_cubes_["two"].cross_validation_.loss, alone.cross_validation_.loss)
    assert "two_best_level" in cube.table().column_names
    assert len(cube.predict(frame[[*COLUMNS, "store"]], level="best")) == 2
    with pytest.raises(TypeError, match="StandardScaler predicts nothing"):
        tn.Cube(tn.StandardScaler(), by="store", cv=5).fit(rows)
