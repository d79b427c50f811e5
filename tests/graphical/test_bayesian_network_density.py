from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import tenfold as tn
from random_networks import random_network, random_tree, undirected
from tenfold.graphical.chow_liu import pair_information, spanning_tree
from tenfold.stats.counts.information import mutual_information


def frame_of(network, rows, seed=0):
    return pd.DataFrame(network.sample(rows, random_state=seed))


def test_tables_are_the_smoothed_shares_that_pandas_counts():
    network = random_network(np.random.default_rng(3), 6, least_values=2)
    rows = frame_of(network, 500)
    rows["weight"] = np.random.default_rng(0).integers(0, 4, len(rows)).astype(float)
    structure = {name: list(some) for name, some in network.parents.items() if some}
    model = tn.BayesianNetworkDensity(structure, alpha=0.5).fit(
        rows.drop(columns="weight"), sample_weight=rows["weight"]
    )
    found = model.network_
    for name, table in found.tables.items():
        family = [*found.parents[name], name]
        sums = rows.groupby(family)["weight"].sum()
        counts = np.zeros(table.shape)
        for place in product(*(range(size) for size in table.shape)):
            key = tuple(found.values[one][at] for one, at in zip(family, place))
            counts[place] = sums.get(key if len(key) > 1 else key[0], 0.0)
        np.testing.assert_allclose(table, (counts + 0.5) / (counts + 0.5).sum(axis=-1, keepdims=True))
    assert undirected(model.edges_) == undirected(network.edges)


def test_a_missing_value_leaves_its_families_out_and_is_summed_out_later():
    rows = pd.DataFrame({"a": ["x", "x", "y", None, "y", "y"], "b": ["u", None, "v", "v", "u", "v"]})
    model = tn.BayesianNetworkDensity({"b": ["a"]}, alpha=0.0).fit(rows)
    tables = model.network_.tables
    np.testing.assert_allclose(tables["a"], [2 / 5, 3 / 5])
    np.testing.assert_allclose(tables["b"], [[1, 0], [1 / 3, 2 / 3]])
    p = np.exp(model.score_samples(pd.DataFrame({"a": ["y", None, "new", None], "b": ["v", "v", "u", None]})))
    np.testing.assert_allclose(p, [0.4, 0.4, 0.6, 1.0])


def test_density_is_that_of_the_network():
    network = random_network(np.random.default_rng(5), 7, least_values=2)
    rows = frame_of(network, 300)
    structure = {name: list(some) for name, some in network.parents.items()}
    model = tn.BayesianNetworkDensity(structure).fit(rows)
    some = rows[:40].copy()
    some[np.random.default_rng(0).random(some.shape) < 0.3] = None
    exact = [model.network_.log_probability(row.dropna().to_dict()) for _, row in some.iterrows()]
    np.testing.assert_allclose(model.score_samples(some), exact, atol=1e-10)
    assert model.score(rows) == pytest.approx(model.certificate_["log-likelihood"].value)


def test_chow_liu_recovers_random_trees():
    for case in range(25):
        network = random_tree(np.random.default_rng([3, case]), 9, sharp=0.4)
        model = tn.BayesianNetworkDensity(alpha=0.0).fit(frame_of(network, 20_000, case))
        drawn = undirected(model.edges_)
        # a value that hardly ever occurs can make two trees alike: then ours is at least as likely
        if drawn != undirected(network.edges):
            structure = {name: list(some) for name, some in network.parents.items()}
            true = tn.BayesianNetworkDensity(structure, alpha=0.0).fit(frame_of(network, 20_000, case))
            gained = model.certificate_["log-likelihood"].value - true.certificate_["log-likelihood"].value
            assert 0 <= gained < 1e-4
        assert len(drawn) == 8


def test_chow_liu_is_the_most_likely_of_all_trees():
    """All 125 trees of five columns, by their Prüfer codes."""
    rows = frame_of(random_network(np.random.default_rng(8), 5, least_values=2), 400)
    best = tn.BayesianNetworkDensity(alpha=0.0).fit(rows).certificate_["log-likelihood"].value
    names = list(rows.columns)
    found = []
    for code in product(range(5), repeat=3):
        degree = [1 + code.count(at) for at in range(5)]
        edges = []
        for other in code:
            leaf = degree.index(1)
            edges.append((leaf, other))
            degree[leaf] -= 1
            degree[other] -= 1
        edges.append(tuple(at for at in range(5) if degree[at] == 1))
        near = {at: [b if a == at else a for a, b in edges if at in (a, b)] for at in range(5)}
        structure, look = {}, [0]
        for at in look:
            for other in near[at]:
                if other not in look:
                    structure[names[other]] = [names[at]]
                    look.append(other)
        found.append(tn.BayesianNetworkDensity(structure, alpha=0.0).fit(rows).certificate_["log-likelihood"].value)
    assert best == pytest.approx(max(found), abs=1e-12)
    assert np.ptp(found) > 1e-3


def test_information_of_all_pairs_at_once():
    random = np.random.default_rng(0)
    levels = np.array([3, 0, 2, 4])
    codes = [random.integers(0, size, 200) if size else np.full(200, -1) for size in levels]
    first = np.cumsum(levels) - levels
    count = np.zeros((9, 9))
    for a, b in product((0, 2, 3), repeat=2):
        np.add.at(count, (first[a] + codes[a], first[b] + codes[b]), 1.0)
    found = pair_information(count, levels)
    for a, b in ((0, 2), (0, 3), (2, 3)):
        table = count[first[a] : first[a] + levels[a], first[b] : first[b] + levels[b]]
        assert found[a, b] == pytest.approx(200 * mutual_information(table, base=np.e))
    assert not found[1].any()
    assert spanning_tree(np.zeros((0, 0)), np.ones(0, bool)) == ()
    assert spanning_tree(np.zeros((1, 1)), np.ones(1, bool)) == (-1,)


def test_models_of_parts_add_up_whatever_values_they_saw():
    rows = frame_of(random_network(np.random.default_rng(9), 5, least_values=3), 400)
    structure = {"v1": ["v0"], "v2": ["v0", "v1"], "v4": ["v3"]}
    for learner in (tn.BayesianNetworkDensity(), tn.BayesianNetworkDensity(structure)):
        whole = learner.fit(rows)
        few = rows[rows["v0"] == rows["v0"].iloc[0]]
        rest = rows.drop(few.index)
        merged = clone(learner).fit(few) + clone(learner).fit(rest)
        assert merged.edges_ == whole.edges_
        assert merged.model_.table.tobytes() == whole.model_.table.tobytes()


def test_a_file_brings_the_network_back(tmp_path):
    rows = frame_of(random_network(np.random.default_rng(9), 5, least_values=2), 100)
    for structure in ("chow-liu", {"v1": ["v0"], "v2": ["v0", "v1"]}):
        model = tn.BayesianNetworkDensity(structure).fit(rows)
        model.save(tmp_path / "net.tenfold")
        again = tn.load(tmp_path / "net.tenfold")
        assert again.verify()
        assert again.model_.table.tobytes() == model.model_.table.tobytes()
        assert again.network_.query("v2").p.tolist() == model.network_.query("v2").p.tolist()


@pytest.mark.parametrize(
    ("structure", "message"),
    [
        ({"a": ["z"]}, "structure names 'z', which is not a column"),
        ({"z": ["a"]}, "structure names 'z', which is not a column"),
        ({"a": ["b"], "b": ["a"]}, "cycle among"),
        ({"a": ["b", "b"]}, "parent twice"),
        ({"a": "b"}, "must be a list of names"),
        ("pc", "structure"),
    ],
)
def test_what_is_no_graph_is_refused(structure, message):
    with pytest.raises(ValueError, match=message):
        tn.BayesianNetworkDensity(structure).fit(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}))


def test_counts_that_would_not_fit_are_refused_before_they_are_made():
    random = np.random.default_rng(0)
    rows = pd.DataFrame({name: random.integers(0, 4000, 8000).astype(str) for name in "abc"})
    with pytest.raises(tn.DataError, match="pairs of values: more than .* Column 'a' alone has"):
        tn.BayesianNetworkDensity().fit(rows)
    with pytest.raises(tn.DataError, match="combinations of values, most of them of 'c'"):
        tn.BayesianNetworkDensity({"c": ["a", "b"]}).fit(rows)


def test_a_column_without_values_has_no_network():
    rows = pd.DataFrame({"b": [None, None], "a": ["x", "y"], "c": ["u", "v"]})
    for structure in ("chow-liu", {"b": ["a"], "c": ["a"]}):
        model = tn.BayesianNetworkDensity(structure, alpha=0.0).fit(rows)
        np.testing.assert_allclose(np.exp(model.score_samples(rows)), [0.5, 0.5])
        more = model + tn.BayesianNetworkDensity(structure, alpha=0.0).fit(rows.assign(b=["s", "t"]))
        assert more.network_.query("b", evidence={"a": "x"}).p.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="column 'b' has no values"):
        model.network_.query("a")
