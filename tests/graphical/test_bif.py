import numpy as np
import pytest

import tenfold as tn
from random_networks import random_network

DOGS = """
// after Charniak
network "Dog problem" { property author "nobody" ; }
variable  "family out" { type discrete[2] { true, false }; property position = (112, 69); }
variable light { type discrete [ 2 ] { on, off }; }
variable dog { type discrete [ 2 ] { out, in }; }
/* tables, by hand:
   two ways of writing them */
probability ( "family out" ) { table 0.15 0.85; }
probability ( light | "family out" ) { (true) 0.6, 0.4; default 0.05, 0.95; }
probability ( dog | "family out", light ) {
  table 0.9, 0.8, 0.3, 0.2, 0.1, 0.2, 0.7, 0.8;
}
"""


def test_the_ways_of_writing_tables(tmp_path):
    (tmp_path / "dog.bif").write_text(DOGS)
    network = tn.BayesianNetwork.read_bif(tmp_path / "dog.bif")
    assert network.values["family out"] == ("true", "false")
    assert network.tables["family out"].tolist() == [0.15, 0.85]
    assert network.tables["light"].tolist() == [[0.6, 0.4], [0.05, 0.95]]
    np.testing.assert_allclose(network.tables["dog"][..., 0], [[0.9, 0.8], [0.3, 0.2]])
    np.testing.assert_allclose(network.tables["dog"][..., 1], [[0.1, 0.2], [0.7, 0.8]])


@pytest.mark.parametrize("name", ["net.bif", "net.bif.gz"])
def test_what_is_written_is_read_to_the_bit(tmp_path, name):
    for case in range(20):
        network = random_network(np.random.default_rng(case), 6)
        network.write_bif(tmp_path / name)
        again = tn.BayesianNetwork.read_bif(tmp_path / name)
        assert again.values == network.values
        assert again.parents == network.parents
        for one in network.names:
            np.testing.assert_allclose(again.tables[one], network.tables[one], rtol=1e-15)


def test_names_with_spaces_and_values_that_are_no_text(tmp_path):
    network = tn.BayesianNetwork({"a b": [True, False], "c": [1, 2]}, {"c": ["a b"]}, {
        "a b": [0.5, 0.5], "c": [[0.25, 0.75], [1, 0]]})  # fmt: skip
    network.write_bif(tmp_path / "net.bif", "my net")
    again = tn.BayesianNetwork.read_bif(tmp_path / "net.bif")
    assert again.values == {"a b": ("True", "False"), "c": ("1", "2")}
    assert again.query("c", evidence={"a b": "True"}).p.tolist() == [0.25, 0.75]
    with pytest.raises(ValueError, match="the same as text"):
        tn.BayesianNetwork({"a": [1, "1"]}, {}, {"a": [0.5, 0.5]}).write_bif(tmp_path / "no.bif")
    with pytest.raises(ValueError, match="has quotes or ends of lines"):
        tn.BayesianNetwork({'a"': [1]}, {}, {'a"': [1]}).write_bif(tmp_path / "no.bif")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0.15 0.85", "0.15"), "line 9: 2 probabilities are expected, not 1"),
        (("0.15 0.85", "0.15 x"), "line 9: could not convert"),
        (("0.15 0.85", "0.15 nan"), "line 9: nan is not a probability, from 0 to 1"),
        (("0.15 0.85", "0.15 0.15"), "do not sum to 1"),
        (("[ 2 ] { on, off }", "[ 3 ] { on, off }"), "3 values are announced, and 2 are there"),
        (('light | "family out"', "light | cat"), "'cat' is not a variable"),
        (("default 0.05, 0.95;", ""), "'light' lacks some values of its parents"),
        (("(true) 0.6", "(maybe) 0.6"), "has no value 'maybe'"),
        (("(true) 0.6", "(true, on) 0.6"), "1 values of parents are expected"),
        (("probability ( dog", "chance ( dog"), "'network', 'variable' or 'probability' is expected, not 'chance'"),
        (("0.7, 0.8;\n}", "0.7, 0.8;"), "not 'the end'"),
        (("table 0.9", "rows 0.9"), "'table', 'default' or values of parents are expected"),
        (("probability ( dog |", "probability ( light |"), "'light' has a table already"),
        (("type discrete[2] { true, false };", ""), "a variable without a type"),
        (("0.15 0.85", "-0.15 1.15"), "line 9: -0.15 is not a probability"),
        (("0.15 0.85", "1.0"), "line 9: 2 probabilities are expected, not 1"),
        (
            ("(true) 0.6, 0.4;", "(true) 0.6, 0.4; (true) 0.5, 0.5;"),
            "'light' where {'family out': 'true'} are given twice",
        ),
        (("default 0.05, 0.95;", "default 0.05, 0.95; default 0.5, 0.5;"), "'light' has a default already"),
        (("table 0.15 0.85;", "table 0.15 0.85; table 0.2 0.8;"), "'family out' has probabilities already"),
    ],
)
def test_what_is_no_network_is_refused_with_its_line(tmp_path, change, message):
    assert change[0] in DOGS
    (tmp_path / "dog.bif").write_text(DOGS.replace(*change, 1))
    with pytest.raises(tn.DataError, match=message):
        tn.BayesianNetwork.read_bif(tmp_path / "dog.bif")


def test_a_default_may_come_first(tmp_path):
    rows = ("(true) 0.6, 0.4; default 0.05, 0.95;", "default 0.05, 0.95; (true) 0.6, 0.4;")
    (tmp_path / "dog.bif").write_text(DOGS.replace(*rows))
    assert tn.BayesianNetwork.read_bif(tmp_path / "dog.bif").tables["light"].tolist() == [[0.6, 0.4], [0.05, 0.95]]


@pytest.mark.parametrize("count", [30, 59, 70])
def test_a_table_of_very_many_parents_is_refused_by_name(tmp_path, count):
    names = [f"p{k}" for k in range(count)]
    text = "".join(f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for name in [*names, "y"])
    text += f"probability ( y | {', '.join(names)} ) {{ default 0.5, 0.5; }}\n"
    (tmp_path / "many.bif").write_text(text)
    with pytest.raises(
        tn.DataError, match=rf"table of 'y' has .* numbers, with {count} parents.*Remedy: fewer parents"
    ):
        tn.BayesianNetwork.read_bif(tmp_path / "many.bif")


def test_a_file_in_another_encoding_is_refused_with_its_name(tmp_path):
    (tmp_path / "dog.bif").write_bytes(DOGS.replace("Charniak", "Pérez").encode("latin-1"))
    with pytest.raises(tn.DataError, match=r"dog\.bif is not text in UTF-8: byte \d+ is 0xe9.*Remedy"):
        tn.BayesianNetwork.read_bif(tmp_path / "dog.bif")
