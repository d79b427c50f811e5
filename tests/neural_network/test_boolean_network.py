"""Boolean functions by Heaviside perceptrons, against their truth tables."""

from itertools import product

import numpy as np
import pytest

from tenfold import BooleanNetwork, MLPClassifier
from tenfold.theory import linearly_separable

CORNERS = np.array(list(product([0, 1], repeat=2)))
gate = BooleanNetwork.gate


@pytest.mark.parametrize(
    ("name", "says"),
    [("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("nand", lambda a, b: 1 - (a & b)),
     ("nor", lambda a, b: 1 - (a | b))],
)  # fmt: skip
def test_gates_are_one_perceptron(name, says):
    network = gate(name)
    assert network.predict(CORNERS).tolist() == [says(a, b) for a, b in CORNERS.tolist()]
    assert [W.shape for W in network.coefs_] == [(2, 1)]


def test_gates_have_the_weights_of_the_books():
    found = {name: [gate(name).intercepts_[0][0], *gate(name).coefs_[0][:, 0]] for name in ("and", "or", "nand", "nor")}
    assert found == {"and": [-1.5, 1, 1], "or": [-0.5, 1, 1], "nand": [1.5, -1, -1], "nor": [0.5, -1, -1]}


def test_xor_is_and_of_or_and_nand():
    network = gate("and").of(gate("or"), gate("nand"))
    assert network.truth_table().tolist() == [0, 1, 1, 0]
    hidden = network.states(CORNERS)[0]
    np.testing.assert_array_equal(hidden, np.column_stack([gate("or").truth_table(), gate("nand").truth_table()]))


def test_two_layers_are_every_function_and_one_perceptron_is_14_of_16():
    alone = 0
    for truth in product([0, 1], repeat=4):
        network = BooleanNetwork.from_truth_table(truth)
        assert network.truth_table().tolist() == list(truth)
        assert len(network.coefs_) == 2
        alone += len(set(truth)) == 1 or bool(linearly_separable(CORNERS, np.array(truth)).separable)
    assert alone == 14


@pytest.mark.parametrize("truth", list(product([0, 1], repeat=4)), ids=str)
def test_what_two_layers_represent_they_learn(truth):
    represented = BooleanNetwork.from_truth_table(truth)
    learned = MLPClassifier(4, "tanh", solver="lbfgs", alpha=1e-6).fit(CORNERS, truth)
    assert learned.predict(CORNERS).tolist() == represented.predict(CORNERS).tolist() == list(truth)
    if len(set(truth)) == 2:
        assert (learned.predict_proba(CORNERS)[np.arange(4), list(truth)] > 0.99).all()


def test_every_function_of_three_inputs():
    for number in range(256):
        truth = [number >> at & 1 for at in range(8)]
        assert BooleanNetwork.from_truth_table(truth).truth_table().tolist() == truth


def test_random_disjunctions_of_conjunctions():
    random = np.random.default_rng(0)
    rows = np.array(list(product([0, 1], repeat=6)))
    for _ in range(60):
        terms = [
            {int(at): bool(random.integers(2)) for at in random.choice(6, random.integers(0, 5), replace=False)}
            for _ in range(random.integers(0, 5))
        ]
        expected = [int(any(all(row[at] == wanted for at, wanted in term.items()) for term in terms)) for row in rows]
        network = BooleanNetwork.from_dnf(terms, 6)
        assert network.predict(rows).tolist() == expected == network.truth_table().tolist()


def test_networks_of_networks():
    """The parity of three inputs: XOR of the first two, then XOR with the third, which a DNF hands on."""
    xor = gate("and").of(gate("or"), gate("nand"))
    first = BooleanNetwork.from_dnf([{0: True, 1: False}, {0: False, 1: True}], 3)
    third = BooleanNetwork.from_dnf([{2: True}], 3)
    network = xor.of(first, third)
    assert network.truth_table().tolist() == [a ^ b ^ c for a, b, c in product([0, 1], repeat=3)]
    assert len(network.coefs_) == 4


def test_functions_without_inputs_and_without_terms():
    assert BooleanNetwork.from_truth_table([1]).truth_table().tolist() == [1]
    assert BooleanNetwork.from_dnf([], 2).truth_table().tolist() == [0, 0, 0, 0]
    assert BooleanNetwork.from_dnf([{}], 1).truth_table().tolist() == [1, 1]


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="'xor' is not a gate of one perceptron. Remedy: one of and, or, nand, nor"):
        gate("xor")
    with pytest.raises(ValueError, match="term 1 names input 3, but there are 3"):
        BooleanNetwork.from_dnf([{0: True}, {3: True}], 3)
    with pytest.raises(ValueError, match="outputs must be 2, 4, 8"):
        BooleanNetwork.from_truth_table([0, 1, 1])
    with pytest.raises(ValueError, match="rows of 2 values 0 and 1"):
        gate("and").predict([[0.5, 1]])
    with pytest.raises(ValueError, match="takes 2 networks of one output each, not 1"):
        gate("and").of(gate("or"))
    with pytest.raises(ValueError, match="layer 0 has 1 units, and layer 1 takes 2"):
        BooleanNetwork([([[1.0], [1.0]], [0.0]), ([[1.0], [1.0]], [0.0])])
    with pytest.raises(ValueError, match="b must be of 1 units"):
        BooleanNetwork([([[1.0], [1.0]], [0.0, 1.0])])
    with pytest.raises(ValueError, match="2\\^21 rows. Remedy"):
        BooleanNetwork.from_dnf([{0: True}], 21).truth_table()


def test_its_text_has_the_units_of_each_layer():
    gate = BooleanNetwork.gate
    assert repr(gate("and")) == "BooleanNetwork(2 -> 1)"
    assert repr(gate("and").of(gate("or"), gate("nand"))) == "BooleanNetwork(2 -> 2 -> 1)"
    assert repr(BooleanNetwork.from_dnf([{0: True}, {1: False}, {}], 4)) == "BooleanNetwork(4 -> 3 -> 1)"
