"""Worked examples as data sets: the numbers of the textbooks, and the forms of scikit-learn's loaders."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import tenfold as tn
from tenfold import datasets

LOADERS = [
    datasets.load_enjoy_sport,
    datasets.load_play_tennis,
    datasets.load_primes,
    datasets.load_gate,
    lambda **form: datasets.load_play_tennis(numeric=True, **form),
]


@pytest.mark.parametrize("load", LOADERS)
def test_the_forms_are_those_of_scikit_learn(load):
    found = load()
    assert {"data", "target", "frame", "feature_names", "target_names", "DESCR"} <= set(found) & set(load_iris())
    assert found.data.shape == (len(found.target), len(found.feature_names))
    assert found.frame is None
    X, y = load(return_X_y=True)
    assert X.tolist() == found.data.tolist()
    assert y.tolist() == found.target.tolist()
    framed = load(as_frame=True)
    assert framed.data.columns.tolist() == found.feature_names
    assert framed.data.to_numpy().tolist() == found.data.tolist()
    assert framed.frame.columns.tolist() == [*found.feature_names, framed.target.name]
    X, y = load(return_X_y=True, as_frame=True)
    pd.testing.assert_frame_equal(X, framed.data)
    pd.testing.assert_series_equal(y, framed.target)
    X.iloc[0, 0] = X.iloc[1, 0]
    found.data[:] = found.data[0]
    assert load().data.tolist() != found.data.tolist()  # nobody shares the rows


def test_enjoy_sport_leaves_six_of_973():
    sport = datasets.load_enjoy_sport()
    space = tn.VersionSpace(sport.categories)
    sizes = [space.size]
    for row, label in zip(sport.data, sport.target, strict=True):
        space = space.learn(row, label == "Yes")
        sizes.append(space.size)
    assert sizes == [973, 64, 32, 28, 6]
    assert space.specific == (tn.Conjunction(["Sunny", "Warm", "?", "Strong", "?", "?"]),)


def test_the_words_of_play_tennis_are_its_numbers_cut():
    """Hot from 80 degrees on, cool below 70; high above 80 percent."""
    words, numbers = datasets.load_play_tennis(as_frame=True), datasets.load_play_tennis(numeric=True, as_frame=True)
    assert (words.target == numbers.target).all()
    assert (words.data[["Outlook", "Wind"]] == numbers.data[["Outlook", "Wind"]]).all(axis=None)
    heat = np.array(["Cool", "Mild", "Hot"])[np.digitize(numbers.data["Temperature"], [70, 80])]
    assert words.data["Temperature"].tolist() == heat.tolist()
    assert words.data["Humidity"].tolist() == np.where(numbers.data["Humidity"] > 80, "High", "Normal").tolist()


def test_play_tennis_has_the_gains_of_the_textbook():
    found = tn.split_gains(*datasets.load_play_tennis(return_X_y=True, as_frame=True))
    assert found.names == ("Outlook", "Temperature", "Humidity", "Wind")
    assert found.gains[:, 0] == pytest.approx([0.246750, 0.029223, 0.151836, 0.048127], abs=5.1e-7)
    tree = tn.ID3().fit(*datasets.load_play_tennis(return_X_y=True, as_frame=True))
    assert tree.tree_.n_leaves == 5


def test_primes_leave_half_of_16_sets_for_each_other_number():
    numbers = datasets.load_primes()
    assert [n for n, prime in zip(numbers.data[:, 0], numbers.target, strict=True) if prime] == [
        n for n in range(2, 11) if all(n % d for d in range(2, n))
    ]
    seen = numbers.examples
    model = tn.ListThenEliminate("power set", n_points=10).fit(numbers.data[seen], numbers.target[seen])
    assert model.n_consistent_ == 16
    rest = np.delete(np.arange(10), seen)
    assert numbers.data[rest, 0].tolist() == [2, 4, 8, 9]
    assert model.predict_proba(numbers.data[rest])[:, 1].tolist() == [0.5] * 4


def test_gates_are_those_of_the_boolean_networks():
    for gate in ("and", "or", "nand", "nor"):
        table = datasets.load_gate(gate)
        assert tn.BooleanNetwork.gate(gate).predict(table.data.astype(int)).tolist() == table.target.tolist()
    xor = datasets.load_gate()
    assert xor.target.tolist() == [int(a != b) for a, b in xor.data]
    with pytest.raises(ValueError, match="gate must be one of 'and', 'or', 'nand', 'nor', 'xor', got 'not'"):
        datasets.load_gate("not")


def test_the_triangle_takes_three_terms_and_four_joined_vertices_take_four():
    for graph, terms in (("triangle", 3), ("K4", 4)):
        found = datasets.load_graph_coloring(graph)
        assert found.data.shape == (len(found.feature_names) + len(found.edges), len(found.feature_names))
        assert tn.k_term_dnf(found.data, found.target, terms) is not None
        assert tn.k_term_dnf(found.data, found.target, terms - 1) is None
        X, y = datasets.load_graph_coloring(graph, return_X_y=True)
        assert (found.data == X).all()
        assert (y == found.target).all()
    with pytest.raises(ValueError, match="graph must be one of 'triangle', 'K4', got 'K5'"):
        datasets.load_graph_coloring("K5")
