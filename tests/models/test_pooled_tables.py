"""Empirical Bayes of class tables: likelihoods by SciPy, posteriors by hand, intervals that cover."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import minimize

import tenfold as tn
from tenfold.models.pooling.dirichlet import concentration_of, population_of


def rates(stores=60, rows=900, a=2.0, b=6.0, seed=0):
    random = np.random.default_rng(seed)
    rate, store = random.beta(a, b, stores), random.integers(0, stores, rows)
    back = random.random(rows) < rate[store]
    return pd.DataFrame({"store": store, "size": 1.0, "back": back}), rate


def cube_of(rows, by="store", target="back"):
    return tn.Cube(tn.DummyClassifier(), by=by).fit(tn.scan(rows, target=target))


def test_rates_are_those_of_the_beta_binomial():
    rows, _ = rates()
    pooled = cube_of(rows).pool()
    counts = rows.groupby("store")["back"].agg(["sum", "size"])

    def minus(log_ab):
        return -stats.betabinom.logpmf(counts["sum"], counts["size"], *np.exp(log_ab)).sum()

    best = np.exp(minimize(minus, [0.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11}).x)
    assert pooled.components_["concentration"].to_numpy() == pytest.approx(best.sum(), rel=1e-4)
    assert pooled.class_prior_ == pytest.approx(best[::-1] / best.sum(), rel=1e-4)
    table = pooled.table(level=0.9).to_pandas().set_index("store")
    a, b = best[0] + counts["sum"], best[1] + counts["size"] - counts["sum"]
    assert table["rate_True"].to_numpy() == pytest.approx((a / (a + b)).to_numpy(), rel=1e-4)
    assert table["low_True"].to_numpy() == pytest.approx(stats.beta.ppf(0.05, a, b), rel=1e-4)
    assert table["high_False"].to_numpy() == pytest.approx(stats.beta.ppf(0.95, b, a), rel=1e-4)
    assert table["shrinkage"].to_numpy() == pytest.approx(best.sum() / (best.sum() + counts["size"]), rel=1e-4)
    assert pooled.certificate_["gradient"].value < 1e-6
    assert table.loc[7, "rate_True"] == pooled[7].class_prior[1]


def test_many_values_are_those_of_the_dirichlet_multinomial():
    random = np.random.default_rng(1)
    share = random.dirichlet([1.0, 2.0, 3.0, 0.5], 80)
    count = np.array([random.multinomial(n, p) for n, p in zip(random.integers(1, 30, 80), share)]).astype(float)
    mean, found = population_of(count, 0.0)

    def minus(log_a):
        a = np.exp(log_a)
        return -sum(stats.dirichlet_multinomial.logpmf(n.astype(int), a, int(n.sum())) for n in count)

    here = minus(np.log(found.value * mean))
    for _ in range(20):
        assert minus(np.log(found.value * mean) + 0.02 * random.normal(size=4)) > here
    around = [concentration_of(count, mean[None])[0] * f for f in (0.99, 1.01)]
    assert all(minus(np.log(m * mean)) > here for m in around)


def test_cells_that_do_not_differ_are_one():
    rows = pd.DataFrame({"store": np.repeat(np.arange(10), 6), "size": 1.0, "back": np.tile([1, 0, 0], 20)})
    pooled = cube_of(rows).pool()
    assert pooled.components_["concentration"].to_pylist() == [np.inf]
    assert pooled.certificate_["boundary"].value == 1
    assert pooled[3].class_prior == pytest.approx([2 / 3, 1 / 3])
    assert pooled[3].shrinkage == 1.0
    ends = pooled.predict_interval(rows.head(1))[0]
    assert ends == pytest.approx(np.array([[2 / 3] * 2, [1 / 3] * 2]))
    one = cube_of(rows.assign(store=1)).pool()
    assert one[1].class_prior == pytest.approx([2 / 3, 1 / 3])


def test_the_summary_shows_the_concentrations():
    rows = pd.DataFrame({"store": np.repeat(np.arange(10), 6), "size": 1.0, "back": np.tile([1, 0, 0], 20)})
    pooled = cube_of(rows).pool()
    assert repr(pooled) == "<PooledTables: 60 rows; cells: 10 of 'store'; 2 classes; summary() shows the estimates>"
    text = str(pooled.summary())
    assert "rates of the population: 0 0.666667, 1 0.333333" in text
    assert ["store", "inf"] in [line.split() for line in text.split("\n")]
    assert "boundary = 1" in text


def test_cells_that_hold_one_class_each_keep_it():
    rows = pd.DataFrame({"store": np.repeat(np.arange(10), 6), "size": 1.0, "back": np.repeat(np.arange(10) % 2, 6)})
    pooled = cube_of(rows).pool()
    assert pooled[3].class_prior == pytest.approx([0.0, 1.0], abs=1e-6)
    assert pooled.predict(rows).tolist() == rows["back"].tolist()


def test_nested_keys_and_unseen_cells():
    random = np.random.default_rng(0)
    country = random.beta(4, 6, 12)
    store = np.arange(12).repeat(15)
    rate = random.beta(20 * country[store], 20 * (1 - country[store]))
    at = random.integers(0, len(store), 4000)
    rows = pd.DataFrame({"country": store[at], "store": at, "size": 1.0, "back": random.random(4000) < rate[at]})
    pooled = cube_of(rows, ["country", "store"]).pool()
    by_key = dict(zip(pooled.components_["key"].to_pylist(), pooled.components_["concentration"].to_pylist()))
    assert 10 < by_key["store"] < 40
    above, cell = pooled[3], pooled[3, 50]
    counts = rows[rows["store"] == 50]["back"]
    expected = (counts.sum() + by_key["store"] * above.class_prior[1]) / (len(counts) + by_key["store"])
    assert cell.class_prior[1] == pytest.approx(expected)
    new = pd.DataFrame({"country": [3, 3, 99], "store": [50, 999, 999], "size": 1.0})
    shares = pooled.predict_proba(new)
    assert shares == pytest.approx(np.array([cell.class_prior, above.class_prior, pooled.class_prior_]))
    wide = np.diff(pooled.predict_interval(new), axis=2)[:, 1, 0]
    assert wide[0] < wide[1] < wide[2]
    assert pooled.table("country").num_rows == 12


def test_categories_within_classes():
    random = np.random.default_rng(0)
    store, y = random.integers(0, 40, 3000), random.integers(0, 2, 3000)
    share = random.dirichlet([2.0, 1.0, 1.0], (40, 2))
    color = [random.choice(list("rgb"), p=share[s, c]) for s, c in zip(store, y)]
    rows = pd.DataFrame({"store": store, "color": color, "flag": random.choice(["u", "v"], 3000), "y": y})
    cube = tn.Cube(tn.CategoricalNB(), by="store").fit(tn.scan(rows, target="y"))
    pooled = cube.pool()
    found = pooled.components_.to_pandas().set_index(["column", "class"])["concentration"]
    assert found["color", "0"] == pytest.approx(4, rel=0.5)
    assert found["flag", "0"] > 50
    cell, own = pooled[3], rows[rows["store"] == 3]
    m = found["color", "1"]
    some = own[own["y"] == 1]["color"].value_counts().reindex(list("bgr"), fill_value=0).to_numpy()
    drawn = cell.feature_prob[0][1]
    population = (drawn * (some.sum() + m) - some) / m
    assert population.sum() == pytest.approx(1.0)
    assert (population > 0).all()
    row = rows[rows["store"] == 3].head(1)
    j, k = "bgr".index(row["color"].iloc[0]), "uv".index(row["flag"].iloc[0])
    expected = cell.class_prior * cell.feature_prob[0][:, j] * cell.feature_prob[1][:, k]
    assert pooled.predict_proba(row)[0] == pytest.approx(expected / expected.sum())
    assert pooled.predict(row)[0] == int(expected.argmax())
    even = tn.Cube(tn.CategoricalNB(fit_prior=False), by="store").fit(tn.scan(rows, target="y")).pool()
    assert even[3].class_prior.tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="no random terms"):
        cube.pool(["intercept", "color"])


def test_intervals_of_rates_cover():
    inside = []
    for seed in range(40):
        rows, rate = rates(60, 700, 3.0, 5.0, seed)
        table = cube_of(rows).pool().table(level=0.9).to_pandas()
        held = (table["low_True"] <= rate[table["store"]]) & (rate[table["store"]] <= table["high_True"])
        inside.append(held.mean())
    assert 0.87 < np.mean(inside) < 0.93
