"""Partial pooling: the estimates of lme4 and of statsmodels, of any key, at any edge."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from mixed_sets import KINDS, ORDER, mixed_set
from tenfold.core import DataError
from tenfold.models.pooling.restricted_likelihood import RestrictedLikelihood

ANSWERS = json.loads(Path(__file__).with_name("lme4_answers.json").read_text())["answers"]


def pooled_set(number):
    _, by, random = KINDS[ORDER[number]]
    key = [by] if isinstance(by, str) else by
    rows = mixed_set(number)[["a", "b", "y", *key]]
    return tn.Cube(tn.LinearRegression(), by=by).fit(tn.scan(rows, target="y")).pool(random)


@pytest.mark.parametrize("number", range(len(ORDER)))
def test_equal_to_lme4(number):
    pooled, theirs = pooled_set(number), ANSWERS[number]
    assert -2 * pooled.restricted_log_likelihood_ == pytest.approx(theirs["criterion"], rel=1e-9)
    assert [pooled.intercept_, *pooled.coef_] == pytest.approx(theirs["fixed"], rel=1e-6)
    assert np.roll(pooled.standard_errors_, 1) == pytest.approx(theirs["errors"], rel=1e-6)
    assert pooled.residual_variance_ == pytest.approx(theirs["residual"], rel=1e-6)
    for name, values in theirs["components"].items():
        found = pooled.covariances_["store" if "store" in name else name].ravel()
        values = np.atleast_1d(values)
        assert found == pytest.approx(values, rel=1e-6, abs=1e-6 * max(np.abs(values).max(), 1e-6))
    name = "country" if "country" in theirs["effects"] else "store"
    terms = pooled.random_terms_[name]
    table, size = pooled.table(name), len(theirs["effects"][name])
    effects = np.column_stack([
        table["intercept"].to_numpy() - pooled.intercept_ if term == "intercept"
        else table[f"coef_{term}"].to_numpy() - pooled.coef_["ab".index(term)]
        for term in terms
    ])  # fmt: skip
    assert effects.ravel()[:size] == pytest.approx(theirs["effects"][name], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("number", [0, 14, 29, 44])
def test_gradient_is_that_of_differences(number):
    likelihood = RestrictedLikelihood(pooled_set(number)._model.steady.products)
    theta = np.random.default_rng(number).uniform(0.2, 1, sum(len(rows) for rows, _ in likelihood._places))
    gradient = likelihood(theta)[1]
    for j in range(len(theta)):
        step = 1e-5 * (np.arange(len(theta)) == j)
        assert (likelihood(theta + step)[0] - likelihood(theta - step)[0]) / 2e-5 == pytest.approx(
            gradient[j], rel=1e-6
        )


def dense(rows, by, random, pooled):
    """Coefficients, BLUPs and their errors by the covariance matrix of all rows, at the components that were found."""
    X = np.column_stack([np.ones(len(rows)), rows[["a", "b"]]])
    names = ["intercept", "a", "b"]
    blocks, D, labels = [], [], []
    for depth, name in enumerate(by):
        at = [names.index(term) for term in random[name]]
        keys = rows.groupby(by[: depth + 1]).ngroup().to_numpy()
        for key in range(keys.max() + 1):
            blocks.append(X[:, at] * (keys == key)[:, None])
            D.append(pooled.covariances_[name])
            labels.append((depth, key))
    Z = np.hstack(blocks)
    sizes = [len(d) for d in D]
    G = np.zeros((sum(sizes),) * 2)
    ends = np.cumsum([0, *sizes])
    for d, a, z in zip(D, ends, ends[1:]):
        G[a:z, a:z] = d
    s2 = pooled.residual_variance_
    V = Z @ G @ Z.T + s2 * np.eye(len(rows))
    inverse = np.linalg.inv(V)
    C = np.linalg.inv(X.T @ inverse @ X)
    beta = C @ X.T @ inverse @ rows["y"].to_numpy()
    u = G @ Z.T @ inverse @ (rows["y"].to_numpy() - X @ beta)
    Q = Z.T @ inverse @ X
    error_u = G - G @ Z.T @ inverse @ Z @ G + G @ Q @ C @ Q.T @ G
    joint = np.block([[C, -C @ Q.T @ G], [-G @ Q @ C, error_u]])
    return beta, u, joint, dict(zip(labels, zip(ends, ends[1:])))


def test_cells_and_intervals_by_the_covariance_of_all_rows():
    rows, by = mixed_set(38), ["country", "store"]
    random = {"country": ["intercept", "a"], "store": ["intercept"]}
    pooled = pooled_set(38)
    beta, u, joint, places = dense(rows, by, random, pooled)
    assert [pooled.intercept_, *pooled.coef_] == pytest.approx(beta, rel=1e-7)
    country, store = (rows.groupby(by[:k]).ngroup().to_numpy() for k in (1, 2))
    new = rows.iloc[::17]
    means = pooled.predict(new)
    steady, cells = next(pooled._chunks(new))
    known = pooled._model.variances(steady, cells, components_known=True)
    ends = pooled.predict_interval(new, of="mean", level=0.9)
    wide = 1.6448536269514722 * np.sqrt(pooled._model.variances(steady, cells))
    assert ends == pytest.approx(np.column_stack([means - wide, means + wide]))
    assert (pooled._model.variances(steady, cells) > known).all()
    for i, (_, row) in zip(range(0, len(rows), 17), new.iterrows()):
        along = np.zeros(len(joint))
        along[:3] = x = [1.0, row["a"], row["b"]]
        a, z = places[0, country[i]]
        along[3 + a : 3 + z] = x[:2]
        b = places[1, store[i]][0]
        along[3 + b] = 1.0
        at = i // 17
        assert means[at] == pytest.approx(along @ np.append(beta, u), rel=1e-7)
        assert known[at] == pytest.approx(along @ joint @ along, rel=1e-6)
    key = (int(rows["country"][0]), int(rows["store"][0]))
    cell, a = pooled[key], places[0, country[0]][0]
    along = np.zeros(len(joint))
    along[[1, 3 + a + 1]] = 1.0
    assert 1.0 < cell.standard_errors[0] / np.sqrt(along @ joint @ along) < 1.2
    assert cell.coef[0] == pytest.approx(beta[1] + u[a + 1], rel=1e-7)
    assert pooled.table().num_rows == len(pooled)
    row = pooled.table().filter(pooled.table()["store"].to_numpy() == key[1]).to_pylist()[0]
    assert (row["coef_a"], row["se_a"]) == pytest.approx((cell.coef[0], cell.standard_errors[0]))
    assert row["se_intercept"] == pytest.approx(cell.standard_errors[-1])


def test_unseen_cells_are_their_parents_with_wider_intervals():
    pooled = pooled_set(30)
    rows = mixed_set(30)
    country, store = int(rows["country"][0]), int(rows["store"][0])
    new = pd.DataFrame({"a": 1.0, "b": 2.0, "country": [country, country, 99], "store": [store, 999, 999]})
    means, depth = pooled.predict(new, return_level=True)
    assert depth.tolist() == [2, 1, 0]
    above = pooled[country]
    assert means[1] == pytest.approx(above.intercept + above.coef @ [1.0, 2.0])
    assert means[2] == pytest.approx(pooled.intercept_ + pooled.coef_ @ [1.0, 2.0])
    wide = np.diff(pooled.predict_interval(new, of="mean"))[:, 0]
    assert wide[0] < wide[1] < wide[2]
    assert (np.diff(pooled.predict_interval(new))[:, 0] > wide).all()
    with pytest.raises(KeyError, match="999"):
        pooled[country, 999]


def one_way(store, price, **more):
    rows = pd.DataFrame({"store": store, "price": price, **more})
    return tn.Cube(tn.LinearRegression(), by="store").fit(tn.scan(rows, target="price"))


def test_equal_to_statsmodels_where_it_converges():
    statsmodels = pytest.importorskip("statsmodels.formula.api")
    for number in (1, 15, 17):
        rows, pooled = mixed_set(number), pooled_set(number)
        slopes = {"re_formula": "~a"} if ORDER[number] == "slopes" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = statsmodels.mixedlm("y ~ a + b", rows, groups="store", **slopes).fit(reml=True, gtol=1e-9)
        assert theirs.converged
        assert pooled.restricted_log_likelihood_ == pytest.approx(theirs.llf, rel=1e-8)
        assert pooled.restricted_log_likelihood_ > theirs.llf - 1e-6
        assert [pooled.intercept_, *pooled.coef_] == pytest.approx(theirs.fe_params.to_numpy(), rel=1e-4)
        assert pooled.covariances_["store"] == pytest.approx(theirs.cov_re.to_numpy(), rel=2e-3, abs=1e-3)


def test_cells_that_do_not_differ_are_one():
    random = np.random.default_rng(0)
    store = np.repeat(np.arange(20), 6)
    noise = random.normal(size=(20, 6))
    noise -= noise.mean(axis=1, keepdims=True)  # less than nothing is left between stores
    size = random.normal(size=120)
    pooled = one_way(store, 2 * size + noise.ravel(), size=size).pool()
    assert pooled.covariances_["store"].tolist() == [[0.0]]
    claim = pooled.certificate_["boundary"]
    assert claim.value == 1
    assert "store: intercept" in claim.because
    assert pooled.certificate_["shrinkage"].value == 1.0
    plain = tn.LinearRegression().fit(size[:, None], 2 * size + noise.ravel())
    assert pooled.coef_ == pytest.approx(plain.coef_)
    assert pooled[3].intercept == pytest.approx(plain.intercept_)
    assert pooled.standard_errors_ == pytest.approx(plain.standard_errors_)


def test_one_cell_has_no_variance_between_cells():
    random = np.random.default_rng(0)
    size = random.normal(size=30)
    price = 1 + 2 * size + random.normal(size=30)
    pooled = one_way(np.zeros(30, int), price, size=size).pool()
    plain = tn.LinearRegression().fit(size[:, None], price)
    assert pooled[0].coef == pytest.approx(plain.coef_)
    assert pooled.standard_errors_ == pytest.approx(plain.standard_errors_)
    assert pooled.certificate_["few cells"].value == 1
    ends = pooled.predict_interval(pd.DataFrame({"size": [0.0, 0.0], "store": [0, 1]}), of="mean")
    assert np.isfinite(ends[0]).all()
    assert np.isinf(ends[1]).all(), "how much cells differ is not known"
    rows = pd.DataFrame({"store": np.arange(30) // 29, "size": size, "price": price})
    rows.loc[29, "size"] = np.nan
    other = tn.Cube(tn.LinearRegression(), by="store").fit(tn.scan(rows, target="price")).pool()
    assert len(other) == 2
    assert other.covariances_["store"] == 0


def test_a_balanced_one_way_layout_is_the_analysis_of_variance():
    random = np.random.default_rng(3)
    y = 5 + np.repeat(random.normal(size=(12, 1)), 7, axis=1) + random.normal(size=(12, 7))
    pooled = one_way(np.repeat(np.arange(12), 7), y.ravel(), size=np.tile(np.arange(7.0) - 3, 12)).pool()
    left = y - y.mean(axis=1, keepdims=True)
    slope = (left * (np.arange(7.0) - 3)).sum() / (12 * 28)
    within = ((left - slope * (np.arange(7.0) - 3)) ** 2).sum() / (12 * 6 - 1)
    between = 7 * y.mean(axis=1).var(ddof=1)
    assert pooled.residual_variance_ == pytest.approx(within)
    assert pooled.covariances_["store"][0, 0] == pytest.approx((between - within) / 7)
    kept = within / between
    assert pooled[4].shrinkage == {"intercept": pytest.approx(kept)}
    assert pooled[4].intercept == pytest.approx(kept * y.mean() + (1 - kept) * y[4].mean())


@pytest.mark.parametrize("number", [2, 16, 31])
def test_weights_are_repeated_rows(number):
    _, by, random = KINDS[ORDER[number]]
    rows = mixed_set(number)
    weight = np.random.default_rng(0).integers(0, 3, len(rows))
    given = rows.drop(columns=["y", *(["country"] if isinstance(by, str) else [])])
    ours = tn.Cube(tn.LinearRegression(), by=by).fit(given, rows["y"], weight).pool(random)
    repeated = given.loc[given.index.repeat(weight)]
    theirs = tn.Cube(tn.LinearRegression(), by=by).fit(repeated, rows["y"].repeat(weight)).pool(random)
    assert ours.restricted_log_likelihood_ == pytest.approx(theirs.restricted_log_likelihood_)
    assert ours.coef_ == pytest.approx(theirs.coef_, rel=1e-7)
    for name, found in ours.covariances_.items():
        assert found == pytest.approx(theirs.covariances_[name], rel=1e-6, abs=1e-9)


def test_units_and_shifts_of_columns_do_not_matter():
    rows = mixed_set(15)[["a", "b", "y", "store"]]
    moved = rows.assign(a=1e6 + 1e-3 * rows["a"], b=1e5 * rows["b"], y=1e4 * rows["y"] + 1e8)
    one, other = (
        tn.Cube(tn.LinearRegression(), by="store").fit(tn.scan(some, target="y")).pool(["intercept", "a"])
        for some in (rows, moved)
    )
    assert other.coef_ * [1e-3, 1e5] == pytest.approx(1e4 * one.coef_, rel=1e-7)
    assert other.residual_variance_ == pytest.approx(1e8 * one.residual_variance_, rel=1e-7)
    assert 1e-6 * other.covariances_["store"][1, 1] == pytest.approx(1e8 * one.covariances_["store"][1, 1], rel=1e-6)
    assert other.predict(moved) == pytest.approx(
        1e4 * one.predict(rows) + 1e8, rel=1e-10
    )  # of a, rounding leaves ten digits
    wide, wider = np.diff(one.predict_interval(rows)), np.diff(other.predict_interval(moved))
    assert wider == pytest.approx(1e4 * wide, rel=1e-6)


def test_cells_with_fewer_rows_than_columns_and_columns_that_repeat():
    random = np.random.default_rng(0)
    store = random.integers(0, 60, 120)
    X = pd.DataFrame(random.normal(size=(120, 8)), columns=list("abcdefgh"))
    price = X.sum(axis=1) + random.normal(size=60)[store] + random.normal(size=120)
    cube = one_way(store, price, **X)
    pooled = cube.pool(["intercept", "a"])
    assert pooled.coef_ == pytest.approx(np.ones(8), abs=0.5)
    again = one_way(store, price, **X, copy=X["a"], five=5.0).pool(["intercept", "a"])
    assert again.coef_[:8] == pytest.approx(pooled.coef_, rel=1e-6)
    assert again.coef_[8:].tolist() == [0.0, 0.0]
    assert again.certificate_["dropped columns"].value == 2
    near = one_way(store, price, **X, near=X["a"] + 1e-5 * random.normal(size=120)).pool()
    assert near.certificate_["condition"].value > 1e9


def test_categories_and_an_intercept_of_zero():
    random = np.random.default_rng(0)
    store, color = random.integers(0, 30, 300), random.choice(["red", "blue", "green"], 300)
    price = (color == "red") * 2.0 + random.normal(size=30)[store] + random.normal(size=300)
    pooled = one_way(store, price, color=color).pool()
    coef = dict(zip(pooled._schema.feature_names, pooled.coef_.tolist()))
    assert sorted(coef.values())[0] < 0.5 < 1.5 < max(coef.values())
    assert 0.0 in coef.values(), "the reference"
    rows = pd.DataFrame({"store": store, "color": color})
    table = pooled.table().to_pandas().set_index("store")
    names = [f"coef_{name}" for name in pooled._schema.feature_names]
    at = [next(name for name in names if c in name) for c in color]
    expected = [table.loc[s, "intercept"] + table.loc[s, a] for s, a in zip(store, at)]
    assert pooled.predict(rows) == pytest.approx(expected)
    size = random.normal(size=300) + 1
    rows = pd.DataFrame({"store": store, "size": size, "price": (2 + 0.5 * random.normal(size=30))[store] * size})
    rows["price"] += random.normal(size=300)
    source = tn.scan(rows, target="price")
    through = tn.Cube(tn.LinearRegression(fit_intercept=False), by="store").fit(source).pool("size")
    assert through.intercept_ == 0
    assert len(through.standard_errors_) == 1
    assert through.coef_ == pytest.approx([2], abs=0.4)
    assert through.covariances_["store"][0, 0] == pytest.approx(0.25, abs=0.2)


def test_failed_cells_are_predicted_by_their_parents():
    rows = mixed_set(30)[["a", "b", "y", "country", "store"]]
    broken = rows.copy()
    key = (int(rows["country"][0]), int(rows["store"][0]))
    broken.loc[0, "a"] = np.nan
    cube = tn.Cube(tn.LinearRegression(), by=["country", "store"]).fit(tn.scan(broken, target="y"))
    assert len(cube.failed_) == 1
    pooled = cube.pool()
    without = rows[(rows["country"] != key[0]) | (rows["store"] != key[1])]
    expected = tn.Cube(tn.LinearRegression(), by=["country", "store"]).fit(tn.scan(without, target="y")).pool()
    assert pooled.coef_ == pytest.approx(expected.coef_, rel=1e-9)
    assert pooled.certificate_["failed cells"].value == 1
    row = rows.iloc[[0]]
    assert pooled.predict(row) == pytest.approx(expected.predict(row))
    assert pooled.predict_interval(row) == pytest.approx(expected.predict_interval(row))


def test_what_is_not_identified_is_refused():
    random = np.random.default_rng(0)
    price, size = random.normal(size=40), random.normal(size=40)
    with pytest.raises(DataError, match="has one row"):
        one_way(np.arange(40), price, size=size).pool()
    with pytest.raises(DataError, match="no noise"):
        one_way(np.arange(40) % 4, 2 * size, size=size).pool()
    with pytest.raises(DataError, match="does not vary"):
        one_way(np.arange(40) % 4, price, size=size, five=5.0).pool(["intercept", "five"])
    rows = pd.DataFrame({"country": np.arange(40) % 4, "store": np.arange(40) % 4, "size": size, "price": price})
    same = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(rows, target="price"))
    with pytest.raises(DataError, match="not identified beside"):
        same.pool()
    scalers = tn.Cube(tn.StandardScaler(), by="store").fit(tn.scan(rows[["store", "size"]]))
    with pytest.raises(TypeError, match="not pooled"):
        scalers.pool()
    with pytest.raises(ValueError, match="random terms are among"):
        one_way(np.arange(40) % 4, price, size=size).pool("length")
    with pytest.raises(ValueError, match="the key has the columns"):
        one_way(np.arange(40) % 4, price, size=size).pool({"shop": "intercept"})
    with pytest.raises(DataError, match="too few"):
        one_way([0, 0, 1], price[:3], size=size[:3], wide=size[3:6], high=size[6:9]).pool()


def test_summary_and_table_show_the_model():
    pooled = pooled_set(38)
    text = str(pooled.summary())
    assert "country: a" in text
    assert "residuals" in text
    assert pooled.table("country").column_names == [
        "country", "rows", "coef_a", "coef_b", "intercept", "se_a", "se_b", "se_intercept",
        "shrinkage_intercept", "shrinkage_a",
    ]  # fmt: skip
    assert pooled.components_["key"].to_pylist() == ["country", "country", "store", "residuals"]
    ends = pooled.conf_int(0.9)
    assert ends.mean(axis=1) == pytest.approx([*pooled.coef_, pooled.intercept_])
    assert repr(pooled).startswith("<PooledCube: ")
    assert "cells: " in repr(pooled)
    assert "intercept, a of 'country'; intercept of 'store'" in repr(pooled)
    assert len(repr(pooled)) < 200
    with pytest.raises(AttributeError):
        pooled._failed = 3


def test_intervals_cover():
    """The small form of benchmarks/pooling.py."""
    random = np.random.default_rng(0)
    inside = []
    for _ in range(60):
        slope, start = 2 + 0.7 * random.normal(size=41), random.normal(size=41)
        store = np.repeat(np.arange(40), random.integers(2, 9, 40))
        size = random.normal(size=len(store))
        price = start[store] + slope[store] * size + random.normal(size=len(store))
        pooled = one_way(store, price, size=size).pool(["intercept", "size"])
        table = pooled.table()
        reach = 1.6448536269514722 * table["se_size"].to_numpy()
        inside.append((np.abs(table["coef_size"].to_numpy() - slope[:40]) <= reach).mean())
        low, high = pooled.predict_interval(pd.DataFrame({"store": [99], "size": [0.0]}), 0.9, of="mean")[0]
        inside.append(low <= start[40] <= high)
    assert 0.85 < np.mean(inside[::2]) < 0.93
    assert 0.8 < np.mean(inside[1::2]) < 0.97


def test_cubes_of_files_sums_and_coarser_keys_pool_alike(tmp_path):
    rows = mixed_set(38)[["a", "b", "y", "country", "store"]]
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(rows, target="y"))
    expected = cube.pool()
    cube.to_parquet(tmp_path / "cube.parquet")
    again = tn.Cube.open(tmp_path / "cube.parquet").pool()
    assert again.coef_.tobytes() == expected.coef_.tobytes()
    assert again.predict(rows).tobytes() == expected.predict(rows).tobytes()
    halves = [
        tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(some, target="y")) for some in (rows[::2], rows[1::2])
    ]
    both = (halves[0] + halves[1]).pool()
    assert both.coef_ == pytest.approx(expected.coef_, rel=1e-8)
    assert both.residual_variance_ == pytest.approx(expected.residual_variance_, rel=1e-8)
    coarse = cube.rollup("country").pool()
    alone = tn.Cube(tn.Ridge(), by="country").fit(tn.scan(rows.drop(columns="store"), target="y")).pool()
    assert coarse.coef_ == pytest.approx(alone.coef_, rel=1e-8)


def test_computed_columns_and_keys_that_are_missing():
    rows = mixed_set(2)[["a", "b", "y", "store"]]
    rows["store"] = rows["store"].astype("Int64").mask(rows["store"] == 1)
    source = tn.scan(rows, target="y").with_columns(square=tn.col("a") * tn.col("a"))
    pooled = tn.Cube(tn.LinearRegression(), by="store", missing="cell").fit(source).pool()
    plain = rows.assign(square=rows["a"] ** 2)
    other = tn.Cube(tn.LinearRegression(), by="store", missing="cell").fit(tn.scan(plain, target="y")).pool()
    assert dict(zip(pooled._schema.names, pooled.coef_)) == pytest.approx(dict(zip(other._schema.names, other.coef_)))
    assert pooled.predict(rows) == pytest.approx(other.predict(plain))
    assert pooled[None].rows == int(rows["store"].isna().sum())
