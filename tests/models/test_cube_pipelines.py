"""Pipelines in a cube: all steps are made of one summary of the rows, and equal those of as many passes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import PowerTransformer

import tenfold as tn
from tenfold.core import DataError, MergeError, ModelFileError
from tenfold.core.rows.columns import Columns
from tenfold.sources import part_rows
from tenfold.stats.moments.moments import Moments

COLUMNS = list("abc")


def sales(rows=900, stores=6, seed=0):
    random = np.random.default_rng(seed)
    store = random.integers(0, stores, rows)
    frame = pd.DataFrame({"country": np.array(["DE", "FR"])[store % 2], "store": store})
    for name, scale in zip(COLUMNS, (1.0, 1e3, 1e-3), strict=True):
        frame[name] = scale * (random.normal(size=rows) + store)
    frame["price"] = frame["a"] - frame["b"] / 1e3 + 5 + random.normal(size=rows)
    frame["weight"] = random.integers(0, 3, rows).astype(float)
    return frame


PIPELINES = [
    (tn.StandardScaler(), tn.Ridge(50.0)),
    (tn.StandardScaler(with_mean=False), tn.LinearRegression()),
    (tn.StandardScaler(with_std=False), tn.Ridge(5.0)),
    (tn.MinMaxScaler((-1, 3)), tn.Ridge(5.0)),
    (tn.MaxAbsScaler(), tn.StandardScaler(), tn.Ridge(5.0)),
    (tn.MinMaxScaler(), tn.MaxAbsScaler(), tn.ElasticNet(0.01)),
    (tn.RobustScaler(), tn.Ridge(5.0)),
    (tn.RobustScaler(), tn.StandardScaler(), tn.Lasso(0.01)),
    (tn.StandardScaler(), tn.PCA(2), tn.Ridge(5.0)),
    (tn.StandardScaler(), tn.PCA(2, whiten=True), tn.StandardScaler(), tn.LinearRegression()),
    (tn.StandardScaler(), tn.PCA(2)),
    (tn.MinMaxScaler(), tn.StandardScaler()),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("steps", PIPELINES, ids=lambda steps: "-".join(type(step).__name__ for step in steps))
def test_cells_are_those_of_a_pipeline_that_reads_the_rows_at_each_step(steps, weighted):
    frame = sales()
    target = "price" if steps[-1].need.target else None
    names = [*COLUMNS, "store", *(["price"] if target else []), *(["weight"] if weighted else [])]
    rows = tn.scan(frame[names], target=target, weight="weight" if weighted else None)
    with part_rows(150):
        cube = tn.Cube(tn.make_pipeline(*steps), by="store").fit(rows)
    assert len(cube.failed_) == 0
    for store in (0, 3):
        some = frame[(frame["store"] == store) & (frame["weight"] > 0)] if weighted else frame[frame["store"] == store]
        X, each = some[COLUMNS], []
        found = cube[store]
        assert [type(step) for _, step in found.steps] == [type(step) for step in steps]
        for step in steps:
            step = type(step)(**step.get_params())
            weight = {"sample_weight": some["weight"]} if weighted else {}
            step.fit(X, *(() if step.need.target is None else (some["price"],)), **weight)
            X = step.transform(X) if step.need.target is None else step.predict(X)
            each.append(step)
        mine = found.predict(some[COLUMNS]) if target else found.transform(some[COLUMNS])
        assert np.allclose(mine, X, rtol=1e-11, atol=1e-11 * np.abs(np.asarray(X)).max())
        by_cube = cube.predict(some) if target else cube.transform(some)
        assert np.array_equal(by_cube, mine)
        for (_, step), alone in zip(found.steps, each, strict=True):
            step.verify()
            for name, value in alone.model_._asdict().items():
                if isinstance(value, np.ndarray):
                    theirs = getattr(step.model_, name)
                    assert np.allclose(theirs, value, rtol=1e-10, atol=1e-10 * np.abs(value).max(initial=1e-3))
        where = found.certificate_.provenance
        assert (where.stopped, where.passes, where.rows) == ("absorbed", 1, len(some))
    assert cube[()].certificate_.provenance.stopped == "absorbed, merged"


@pytest.mark.parametrize("stage", [step for steps in PIPELINES[:9] for step in steps if hasattr(step, "affine_from")])
def test_a_step_is_the_map_that_it_declares(stage):
    X = sales()[COLUMNS].to_numpy()
    stage = type(stage)(**stage.get_params()).fit(X)
    matrix, center, offset = stage.affine_from(stage.model_)
    made = (X - center) * matrix + offset if matrix.ndim == 1 else (X - center) @ matrix.T + offset
    wanted = stage.transform_from(stage.model_, Columns(X))
    assert np.allclose(made, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("matrix", [np.array([2.0, -1.0, 0.5]), np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])])
def test_moved_moments_are_those_of_moved_rows(matrix):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(50, 3)) + [1.0, 2.0, 3.0], random.normal(size=50)
    center, offset = np.array([1.0, -1.0, 2.0]), 0.5
    Z = (X - center) * matrix + offset if matrix.ndim == 1 else (X - center) @ matrix.T + offset
    moved = tn.Ridge().fit(X, y).summary_.moved(matrix, center, offset)
    direct = tn.Ridge().fit(Z, y).summary_
    assert isinstance(moved, Moments)
    assert np.allclose(moved.mean + moved.rest, direct.mean + direct.rest, rtol=1e-13)
    assert np.allclose(moved.comoment, direct.comoment, rtol=1e-12, atol=1e-12)
    assert np.array_equal(moved.comoment, moved.comoment.T)


def test_columns_of_large_numbers_keep_their_digits():
    frame = sales()
    frame["a"] += 1e7
    cube = tn.Cube(tn.make_pipeline(tn.StandardScaler(), tn.LinearRegression()), by="store").fit(
        tn.scan(frame[[*COLUMNS, "store", "price"]], target="price")
    )
    some = frame[frame["store"] == 1]
    alone = tn.LinearRegression().fit(tn.StandardScaler().fit_transform(some[COLUMNS]), some["price"])
    assert np.allclose(cube[1].steps[-1][1].coef_, alone.coef_, rtol=1e-7)


def test_a_fit_is_one_scan_whatever_the_steps(tmp_path, monkeypatch):
    sales()[[*COLUMNS, "store", "price"]].to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    rows, read = tn.scan(tmp_path / "rows.parquet", target="price"), []
    kind, tables = type(rows), type(rows).tables
    monkeypatch.setattr(kind, "tables", lambda self, part, *more: (read.append(part), tables(self, part, *more))[1])
    steps = [tn.make_pipeline(*PIPELINES[at]) for at in (0, 4, 6, 8)]
    tn.Cube([tn.Ridge(), *steps], by="store", cv=4).fit(rows)
    assert sorted(read) == list(range(len(rows)))


def test_all_cells_may_share_the_steps_of_all_rows():
    frame = sales()
    rows = tn.scan(frame[[*COLUMNS, "country", "store", "price"]], target="price")
    pipeline = tn.make_pipeline(tn.StandardScaler(), tn.PCA(2), tn.Ridge(50.0))
    cube = tn.Cube(pipeline, by=["country", "store"], levels=["country"], shared_steps=True).fit(rows)
    before = tn.make_pipeline(tn.StandardScaler(), tn.PCA(2)).fit(frame[COLUMNS])
    Z = before.transform(frame[COLUMNS])
    for key, which in (
        (("FR", 3), frame["store"] == 3),
        (("FR",), frame["country"] == "FR"),
        ((), frame["store"] >= 0),
    ):
        alone = tn.Ridge(50.0).fit(Z[which], frame["price"][which])
        found = cube[key]
        assert np.allclose(found.steps[0][1].mean_, before.steps[0][1].mean_, rtol=1e-12)
        assert np.allclose(found.steps[-1][1].coef_, alone.coef_, rtol=1e-9)
        assert np.allclose(
            cube.sel(country="FR")["FR", 3].predict(frame[COLUMNS]), cube["FR", 3].predict(frame[COLUMNS])
        )
    with pytest.raises(ValueError, match="shared_steps=False, or cv=None"):
        tn.Cube(pipeline, by="store", shared_steps=True, cv=5).fit(rows)
    with pytest.raises(ValueError, match="shared_steps must be"):
        tn.Cube(pipeline, by="store", shared_steps="yes").fit(rows)
    halves = [
        tn.Cube(pipeline, by=["country", "store"], shared_steps=True).fit(
            tn.scan(some[[*COLUMNS, "country", "store", "price"]], target="price")
        )
        for some in (frame[:400], frame[400:])
    ]
    with pytest.raises(MergeError, match="shared"):
        halves[0] + halves[1]


def test_cubes_of_pipelines_add_up_and_have_scores():
    frame = sales()[[*COLUMNS, "store", "price"]]
    pipeline = tn.make_pipeline(tn.MinMaxScaler(), tn.Ridge(0.1))
    halves = [tn.Cube(pipeline, by="store").fit(tn.scan(some, target="price")) for some in (frame[:400], frame[400:])]
    both, whole = halves[0] + halves[1], tn.Cube(pipeline, by="store", cv=5).fit(tn.scan(frame, target="price"))
    X = frame[COLUMNS]
    assert np.allclose(both[3].predict(X), whole[3].predict(X), rtol=1e-10)
    assert whole.best_level_ in (0, 1)
    assert whole.cross_validation_.measure == "mean_squared_error"


def test_degenerate_cells_are_values():
    frame = sales(stores=60, rows=300)
    frame.loc[frame["store"] == 1, "a"] = 7.0
    frame.loc[frame.index[frame["store"] == 2][0], "b"] = np.nan
    rows = tn.scan(frame[[*COLUMNS, "store", "price"]], target="price")
    cube = tn.Cube(tn.make_pipeline(tn.StandardScaler(), tn.LinearRegression()), by="store").fit(rows)
    assert cube.failed_["store"].to_pylist() == [2]
    assert "'b'" in cube.failed_["reason"][0].as_py()
    some = frame[frame["store"] == 1]
    assert cube[1].steps[0][1].scale_[0] == 1.0
    assert np.isfinite(cube[1].predict(some[COLUMNS])).all()


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((tn.KBinsDiscretizer(), tn.Ridge()), "KBinsDiscretizer, is no affine map"),
        ((tn.SimpleImputer(), tn.Ridge()), "SimpleImputer, is no affine map"),
        ((tn.StandardScaler(), tn.GaussianNB()), "GaussianNB, is not made of moments"),
        ((tn.StandardScaler(), tn.LogisticRegression()), "LogisticRegression, is not made of moments"),
        ((tn.StandardScaler(), tn.RobustScaler(), tn.Ridge()), "RobustScaler, takes quantiles"),
        ((tn.StandardScaler(), tn.RobustScaler()), "RobustScaler, takes quantiles"),
        ((tn.PCA(2), tn.MinMaxScaler(), tn.Ridge()), "extremes of its columns, which are not known after PCA"),
        ((tn.RobustScaler(), tn.MaxAbsScaler(), tn.Ridge()), "are not known after RobustScaler"),
        ((tn.MinMaxScaler(clip=True), tn.Ridge()), "clips values"),
        ((tn.StandardScaler(), tn.LinearRegression(precision="high")), "takes more than moments"),
        ((PowerTransformer(), tn.Ridge()), "which is not of tenfold"),
    ],
)
def test_what_is_not_absorbed_is_refused_in_words(steps, words):
    rows = tn.scan(sales()[[*COLUMNS, "store", "price"]], target="price")
    with pytest.raises(TypeError, match=f"{words}.*Remedy: .*gather=True"):
        tn.Cube(tn.make_pipeline(*steps), by="store").fit(rows)


def test_a_cube_is_no_step_of_a_pipeline():
    rows = tn.scan(sales()[[*COLUMNS, "store", "price"]], target="price")
    with pytest.raises(
        TypeError, match=r"Remedy: the steps in the cube, Cube\(make_pipeline\(StandardScaler\(\), Ridge\(\)\)"
    ):
        tn.make_pipeline(tn.StandardScaler(), tn.Cube(tn.Ridge(), by="store")).fit(rows)
    alone = tn.Pipeline([("cube", tn.Cube(tn.Ridge(), by="store"))]).fit(rows)
    assert alone.steps[0][1].n_cells_ == 6
    with pytest.raises(ModelFileError, match="one by one"):
        tn.Cube(tn.make_pipeline(tn.StandardScaler(), tn.Ridge()), by="store").fit(rows).to_parquet("nowhere")
    with pytest.raises(TypeError, match="are not pooled"):
        tn.Cube(tn.make_pipeline(tn.StandardScaler(), tn.Ridge()), by="store").fit(rows).pool()
    with pytest.raises(DataError, match="text|category|numbers"):
        tn.Cube(tn.make_pipeline(tn.StandardScaler(), tn.Ridge()), by="store").fit(
            tn.scan(sales()[[*COLUMNS, "country", "store", "price"]], target="price")
        )
