"""The page of the canon: every topic has a line, which names what is public and tests that exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

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
        found, public = tenfold, tenfold.__all__
        for part in name.split("."):
            if part not in public:
                found = import_module(f"{found.__name__}.{part}")
            else:
                found = getattr(found, part)
            public = getattr(found, "__all__", dir(found))


def test_names_that_are_not_public_are_found():
    """The test above can fail."""
    for wrong in (":class:`~tenfold.NoSuchLearner`", ":func:`~tenfold.theory.no_such_bound`"):
        with pytest.raises(ModuleNotFoundError):
            test_lines_name_what_there_is(f"C1\n     - {wrong}\n     - `tests/test_canon.py`")
    with pytest.raises(AssertionError):
        test_lines_name_what_there_is("C1\n     - `tests/no_such_file.py`")
    with pytest.raises(AssertionError, match="no test is named"):
        test_lines_name_what_there_is("C1\n     - `tests`")
