"""Benchmarks that promise something fail when it is missed."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
COMMANDS = [path for path in sorted(FOLDER.glob("*.py")) if '__name__ == "__main__"' in path.read_text()]


def settled(*calls, bind=True):
    """Exit code and output of a process that makes these promises."""
    lines = ["from workloads import Promises", f"p = Promises({bind})", *calls, "p.settle()"]
    done = subprocess.run([sys.executable, "-c", "; ".join(lines)], cwd=FOLDER, capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("p.at_least('speed', 2.0, 2)", True),
        ("p.at_least('speed', 1.99, 2)", False),
        ("p.at_most('seconds', 2.0, 2)", True),
        ("p.at_most('seconds', 2.01, 2)", False),
        ("p.at_least('speed', float('nan'), 2)", False),
        ("p.at_most('seconds', float('nan'), 2)", False),
    ],
)
def test_a_promise_that_is_missed_ends_with_one(call, kept):
    code, said = settled("p.at_least('other', 5, 1)", call)
    assert code == (0 if kept else 1)
    assert ("all promises are kept" in said) == kept
    assert ("promised at" in said) != kept


def test_other_sizes_promise_nothing():
    code, said = settled("p.at_least('speed', 1.0, 2)", bind=False)
    assert code == 0
    assert "nothing was promised" in said


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_every_command_can_fail(path):
    """It settles promises, or exits or asserts by itself; `laws.py` raises what the law says."""
    text = path.read_text()
    ways = ("promises.settle()", "held.settle()", "SystemExit", "sys.exit(", "assert ", "check_law(")
    assert any(way in text for way in ways)
    assert ("Promises(" in text) == (".settle()" in text), "promises that nobody settles"
