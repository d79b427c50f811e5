import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from random_networks import undirected


def tan_network(random, columns=6, values=3, classes=2):
    """A network in which each column depends on the class and on one column before it."""
    names = [f"x{at}" for at in range(columns)]
    sizes = {"y": tuple(f"c{at}" for at in range(classes)), **dict.fromkeys(names, tuple("abcd"[:values]))}
    parents = {name: ["y", *([names[int(random.integers(at))]] if at else [])] for at, name in enumerate(names)}
    tables = {"y": random.dirichlet(np.full(classes, 8.0))}
    for name, some in parents.items():
        tables[name] = random.dirichlet(np.full(values, 0.5), size=tuple(len(sizes[one]) for one in some))
    return tn.BayesianNetwork(sizes, parents, tables)


def rows_of(network, n, seed=0):
    frame = pd.DataFrame(network.sample(n, random_state=seed))
    return frame.drop(columns="y"), frame["y"]


def test_it_finds_the_tree_and_beats_naive_bayes_where_there_is_one():
    found = wins = 0
    for case in range(10):
        network = tan_network(np.random.default_rng([1, case]))
        X, y = rows_of(network, 8000)
        model = tn.TreeAugmentedNB().fit(X[:4000], y[:4000])
        true = {edge for edge in undirected(network.edges) if "y" not in edge}
        found += undirected(model.edges_) == true
        ours, naive = (one.score(X[4000:], y[4000:]) for one in (model, tn.CategoricalNB().fit(X[:4000], y[:4000])))
        wins += ours >= naive - 0.005
    assert found >= 8
    assert wins >= 9


def test_probabilities_are_the_posteriors_of_its_network_also_with_gaps():
    network = tan_network(np.random.default_rng(4), classes=3)
    X, y = rows_of(network, 600)
    model = tn.TreeAugmentedNB(alpha=0.7).fit(X, y)
    some = X[:30].copy()
    some[np.random.default_rng(1).random(some.shape) < 0.3] = None
    some.iloc[0, 2] = "never seen"
    p = model.predict_proba(some)
    for row, (_, values) in zip(p, some.iterrows()):
        seen = {name: value for name, value in values.dropna().items() if value != "never seen"}
        np.testing.assert_allclose(row, model.network_.query("class", evidence=seen).p, atol=1e-12)
    assert model.network_.query("class").p == pytest.approx(model.class_prior_)


def test_tables_are_smoothed_shares_of_the_class():
    X = pd.DataFrame({"a": list("xxyyxy"), "b": list("uvuvuu")})
    y = np.array([0, 0, 0, 1, 1, 1])
    model = tn.TreeAugmentedNB(alpha=1.0, class_prior=[0.3, 0.7]).fit(X, y, sample_weight=[1, 2, 1, 1, 1, 1])
    tables = model.network_.tables
    np.testing.assert_allclose(model.class_prior_, [0.3, 0.7])
    np.testing.assert_allclose(tables["a"], [[4 / 6, 2 / 6], [2 / 5, 3 / 5]])
    assert model.edges_ == [("a", "b")]
    np.testing.assert_allclose(tables["b"][0], [[2 / 5, 3 / 5], [2 / 3, 1 / 3]])  # class 0; a = x, y


def test_models_of_parts_add_up_whatever_classes_they_saw():
    network = tan_network(np.random.default_rng(6), classes=3)
    X, y = rows_of(network, 500)
    whole = tn.TreeAugmentedNB().fit(X, y)
    first = (y != "c2").to_numpy() & (X["x1"] != "a").to_numpy()
    merged = tn.TreeAugmentedNB().fit(X[first], y[first]) + tn.TreeAugmentedNB().fit(X[~first], y[~first])
    assert merged.model_.table.tobytes() == whole.model_.table.tobytes()
    assert merged.edges_ == whole.edges_


def test_a_single_column_is_categorical_naive_bayes():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 4, (200, 1)), random.integers(0, 2, 200)
    ours, naive = tn.TreeAugmentedNB().fit(X, y), tn.CategoricalNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), naive.predict_proba(X), atol=1e-12)
    assert ours.edges_ == []


def test_a_column_may_be_called_class():
    X = pd.DataFrame({"class": ["a", "b", "a"], "b": ["u", "v", "v"]})
    assert tn.TreeAugmentedNB().fit(X, [0, 1, 1]).network_.names == ("class", "b", "class_")
