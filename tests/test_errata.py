"""The page of errata: in order, with tests that exist, of which the first fails with the textbook's error put in.

`benchmarks/errata_mutants.py` puts each error in and runs its test; here only that what it changes is still there.
"""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "benchmarks"))

from errata_mutants import FAULTS  # noqa: E402

PAGE = (ROOT / "docs" / "errata.rst").read_text()
ROWS = re.split(r"^   \* - ", PAGE, flags=re.M)[2:]
PROSE = ("19e",)
"""lines of which nothing is computed: the page says so"""
GROUPS = (*range(1, 32),)


def line(row):
    return row.split("\n", 1)[0]


def named(row):
    """The tests that a line names, as pytest is given them."""
    return [f"{path}::{test}" for test, path in re.findall(r"`(test_\w+)`\s+in\s+`(tests/[\w/]+\.py)`", row)]


@pytest.mark.parametrize("row", ROWS, ids=line)
def test_every_line_names_tests_that_exist(row):
    assert bool(named(row)) == (line(row) not in PROSE), "no test is named"
    assert len(named(row)) == len(re.findall(r"`test_\w+`", row)), "a test without its file"
    for one in named(row):
        path, test = one.split("::")
        assert f"\ndef {test}(" in (ROOT / path).read_text(), f"{path} has no {test}"


def test_lines_are_in_order():
    lines = [re.fullmatch(r"(\d+)([a-z]?)", line(row)).groups() for row in ROWS]
    assert sorted(set(lines), key=lambda one: (int(one[0]), one[1])) == lines
    assert tuple(dict.fromkeys(int(number) for number, _ in lines)) == GROUPS


def test_every_line_has_the_error_of_its_first_test():
    first = {line(row): named(row)[0] for row in ROWS if named(row)}
    assert {one.name: one.tests[0] for one in FAULTS} == first


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_what_an_error_takes_the_place_of_is_there(fault):
    path = ROOT / fault.file if fault.file.startswith("tests/") else ROOT / "src" / "tenfold" / fault.file
    assert path.read_text().count(fault.right) == 1, f"{fault.file} has changed: {fault.right!r}"
    assert fault.right != fault.wrong
