"""The page of the canon: every topic has a line, and every clause a test; they name what is public and what exists."""

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from clauses import CLAUSES, Clause

import tenfold

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "canon.rst").read_text()
ROWS = re.split(r"^   \* - ", PAGE, flags=re.M)[2:]
SIZES = {
    "C": 7, "T": 12, "D": 8, "L": 11, "K": 7, "I": 3, "A": 3, "B": 6, "H": 2, "U": 3, "N": 4, "E": 5, "S": 1, "R": 1,
    "G": 1, "P": 1,
}  # fmt: skip
"""topics of each chapter: concepts, theory, trees, linear models, kernels, instances, ensembles, Bayes, sequences,
without labels, networks, evaluation, information, randomised search, choosing, play"""
CUT = {
    "C": (5, 5, 6, 2, 3, 3, 1), "T": (3, 2, 5, 2, 4, 4, 3, 2, 4, 4, 2, 2), "D": (2, 4, 3, 3, 6, 3, 2, 3),
    "L": (4, 7, 4, 5, 4, 1, 4, 6, 1, 2, 4), "K": (4, 4, 8, 2, 1, 2, 1), "I": (6, 1, 1), "A": (8, 4, 2),
    "B": (4, 5, 6, 5, 7, 7), "H": (2, 10), "U": (3, 2, 1), "N": (12, 3, 3, 1), "E": (4, 4, 4, 4, 4), "S": (8,),
    "R": (7,), "G": (4,), "P": (3,),
}  # fmt: skip
"""how many clauses each topic of a chapter is cut into"""
CLAUSES_OF = {f"{chapter}{number}": size for chapter, sizes in CUT.items() for number, size in enumerate(sizes, 1)}
BEYOND = {
    "B6+": 2, "C2+": 1, "C3+": 1, "D2+": 2, "K2+": 2, "K3+": 2, "L1+": 1, "L5+": 1, "L7+": 1, "L8+": 2, "L10+": 1,
    "N4+": 1, "T2+": 1, "T3+": 1, "T8+": 1, "T11+": 1,
}  # fmt: skip
"""clauses that go beyond a topic"""
TOPICS = [f"{chapter}{number}" for chapter, size in SIZES.items() for number in range(1, size + 1)]
NOT_YET: tuple[str, ...] = ()
"""topics that are still to come; a line for one of them makes its test fail until it is taken out here"""


def topics(row):
    return re.findall(r"[A-Z]\d+", row.split("\n", 1)[0])


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_a_line(topic):
    assert any(topic in topics(row) for row in ROWS) == (topic not in NOT_YET)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("\n", 1)[0])
def test_lines_name_what_there_is(row):
    assert topics(row)
    assert set(topics(row)) <= set(TOPICS)
    tests = re.findall(r"`(tests/[\w/]+\.py)`", row)
    assert tests, "no test is named"
    assert not [path for path in tests if not (ROOT / path).exists()]
    for name in re.findall(r":(?:class|func|meth):`~?tenfold\.([\w.]+)`", row):
        find(name)


def find(name):
    """What has a public name below `tenfold`; an error if nothing has."""
    found, public = tenfold, tenfold.__all__
    for part in name.split("."):
        assert not part.startswith("_"), f"{name} is private"
        if part not in public:
            found = import_module(f"{found.__name__}.{part}")
        else:
            found = getattr(found, part)
        public = getattr(found, "__all__", dir(found))
    return found


def test_names_that_are_not_public_are_found():
    """The test above can fail."""
    for wrong in (":class:`~tenfold.NoSuchLearner`", ":func:`~tenfold.theory.no_such_bound`"):
        with pytest.raises(ModuleNotFoundError):
            test_lines_name_what_there_is(f"C1\n     - {wrong}\n     - `tests/test_canon.py`")
    with pytest.raises(AssertionError):
        test_lines_name_what_there_is("C1\n     - `tests/no_such_file.py`")
    with pytest.raises(AssertionError, match="no test is named"):
        test_lines_name_what_there_is("C1\n     - `tests`")


def test_every_topic_is_cut_into_its_clauses():
    found = dict.fromkeys([*CLAUSES_OF, *BEYOND], 0)
    for topic, *_ in CLAUSES:
        found[topic] += 1
    assert found == CLAUSES_OF | BEYOND
    assert list(CLAUSES_OF) == TOPICS
    assert sum(CLAUSES_OF.values()) == 287


@cache
def functions(path):
    """The functions of a file of tests, by name."""
    tree = ast.parse((ROOT / "tests" / path).read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def asserts(function):
    """Whether a function asserts something, by the statement or by a function that does."""
    calls = (ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call))
    plain = any(isinstance(node, ast.Assert) for node in ast.walk(function))
    return plain or any(re.search(r"(^|\.)(assert_\w+|raises|near|same|close)$", name) for name in calls)


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda one: f"{one.topic}: {one.words}")
def test_every_clause_names_what_is_public_and_a_test_that_asserts(clause):
    find(clause.name)
    path, name = clause.test.split("::")
    assert name.startswith("test_")
    assert name in functions(path), f"{path} has no {name}"
    assert asserts(functions(path)[name]), f"{name} asserts nothing"


def test_the_reference_has_what_clauses_name():
    """Itself, the class that a method is of, or what is in a module."""
    module, listed = "tenfold", set()
    for line in (ROOT / "docs" / "api.rst").read_text().split("\n"):
        if found := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r"   ([\w.]+)", line):
            listed.add(f"{module}.{found[1]}".removeprefix("tenfold."))
    modules = {name.rpartition(".")[0] for name in listed}
    names = {clause.name for clause in CLAUSES}
    assert not {name for name in names if not {name, name.rpartition(".")[0]} & listed and name not in modules}


def test_clauses_without_a_test_are_found():
    """The tests above can fail."""
    check = test_every_clause_names_what_is_public_and_a_test_that_asserts
    for name, test, error in (
        ("NoSuchLearner", "test_canon.py::test_lines_name_what_there_is", ModuleNotFoundError),
        ("FindS", "no_such_file.py::test_it", FileNotFoundError),
        ("FindS", "test_canon.py::test_no_such_test", AssertionError),
        ("FindS", "test_canon.py::functions", AssertionError),
    ):
        with pytest.raises(error):
            check(Clause("C1", "", name, test))
    (silent,) = ast.parse("def test_nothing():\n    FindS().fit(X, y)").body
    assert not asserts(silent)
