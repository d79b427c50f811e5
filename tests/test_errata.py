"""The page of errata: in order, and every test that it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "errata.rst").read_text()
ROWS = re.split(r"^   \* - ", PAGE, flags=re.M)[2:]


def test_every_line_names_a_test_that_exists():
    assert len(ROWS) >= 7
    for row in ROWS:
        named = re.findall(r"`(test_\w+)`\s+in\s+`(tests/[\w/]+\.py)`", row)
        assert named, f"no test is named: {row}"
        for test, path in named:
            assert f"\ndef {test}(" in (ROOT / path).read_text(), f"{path} has no {test}"


def test_lines_are_in_order():
    numbers = [int(row.split("\n", 1)[0]) for row in ROWS]
    assert numbers == sorted(set(numbers))
