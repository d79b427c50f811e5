"""Faults put into the library one at a time: the gate finds what all tests find, but for one.

    python benchmarks/mutants.py                     all of them
    python benchmarks/mutants.py engine files        those whose name begins so

Each fault is one expression, changed in a copy of the sources. The tests of the gate run against the copy, those of the
fault's own folder first, until one fails. Of a fault that the gate does not find, all tests run (`pytest --full`).
Exits with 1 if all tests find more than one fault that the gate does not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ALLOWED = 1
"""faults that only the full run finds"""


class Fault(NamedTuple):
    """One expression of a file, and the wrong one in its place."""

    name: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...] = ()
    """where tests that may find it are, which run first"""


@contextmanager
def faulty_sources(fault: Fault) -> Iterator[Path]:
    """A folder with a copy of the package, in which a fault takes the place of the right expression."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "src" / "tenfold", Path(folder) / "tenfold")
        path = Path(folder) / "tenfold" / fault.file
        text = path.read_text()
        assert text.count(fault.right) == 1, f"{fault.file} has changed: {fault.right!r}"
        path.write_text(text.replace(fault.right, fault.wrong))
        yield Path(folder)


def environment(folder: Path) -> dict[str, str]:
    """The environment of a process that imports the package from a folder."""
    return {**os.environ, "PYTHONPATH": str(folder), "SCIPY_ARRAY_API": "1"}


FAULTS = (
    Fault(
        "engine: summaries merge in another order",
        "engine/merge_tree.py",
        "summary = self._stack.pop()[1] + summary\n            height",
        "summary = summary + self._stack.pop()[1]\n            height",
        ("tests/engine/test_engine.py", "tests/engine"),
    ),
    Fault(
        "engine: a fold is trained on its own rows",
        "engine/plan.py",
        "*self._behind[at + 1 : at + 2]",
        "*self._behind[at : at + 1]",
        ("tests/engine/test_plan.py", "tests/model_selection/cross_validation/test_folds.py"),
    ),
    Fault(
        "sources: a file that was rewritten to the same length is not noticed",
        "sources/files/storage.py",
        "written = self.size == other.size and any(a // n == b // n and 0 in (a % n, b % n) for n in TIME_STEPS)",
        "written = self.size == other.size",
        ("tests/sources",),
    ),
    Fault(
        "sources: the last row group of a file is not read",
        "sources/files/parquet.py",
        "for g in range(metadata.num_row_groups) if metadata",
        "for g in range(max(metadata.num_row_groups - 1, 1)) if metadata",
        ("tests/sources/test_scan.py", "tests/sources"),
    ),
    Fault(
        "linear: the gap of least squares leaves out rounding",
        "compiled/linear_model/normal_equations.py",
        "gap = 0.5 * gap + 0.5 * trace * (error_of_inverse * size) ** 2",
        "gap = 0.5 * gap",
        ("tests/linear_model/penalized/test_penalized.py", "tests/linear_model"),
    ),
    Fault(
        "linear: standard errors forget the intercept",
        "linear_model/inference/standard_errors.py",
        "full = float(found.rank + fit_intercept)",
        "full = float(found.rank)",
        ("tests/linear_model/inference/test_inference.py", "tests/linear_model"),
    ),
    Fault(
        "trees: a leaf may have one row less than min_samples_leaf",
        "tree/growing/grower.py",
        "rows_of(self.min_samples_leaf, setup.ranges.rows, 1) * parts,",
        "(rows_of(self.min_samples_leaf, setup.ranges.rows, 1) - 1) * parts,",
        ("tests/tree/test_decision_tree_classifier.py", "tests/tree"),
    ),
    Fault(
        "trees: a split that gains just min_impurity_decrease is not made",
        "tree/growing/grower.py",
        "float(np.nextafter(self.min_impurity_decrease * whole, -np.inf))",
        "float(np.nextafter(self.min_impurity_decrease * whole, np.inf))",
        ("tests/tree/test_decision_tree_classifier.py", "tests/tree"),
    ),
    Fault(
        "files: the checksum of a model file is not compared",
        "estimator/files/container.py",
        "if digest.hexdigest() != claimed:",
        "if not claimed:",
        ("tests/estimator/test_model_file.py",),
    ),
    Fault(
        "files: a model file that is being saved can be seen half written",
        "estimator/files/container.py",
        'temporary = path.with_name(f".{uuid4().hex}.tmp")',
        "temporary = path",
        ("tests/estimator/test_model_file.py", "tests/estimator"),
    ),
)


def found(fault: Fault, folder: Path, *given: str) -> str:
    """Run tests against the sources in a folder; return the first that fails, or an empty text."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *given]
    done = subprocess.run(command, cwd=ROOT, env=environment(folder), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(
            f"{fault.name}: pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    failed = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if done.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="beginnings of names; default: all")
    chosen = tuple(parser.parse_args().names)
    only_full = []
    for fault in FAULTS:
        if chosen and not fault.name.startswith(chosen):
            continue
        began = time.perf_counter()
        with faulty_sources(fault) as copy:
            where = "gate"
            test = found(fault, copy, *fault.tests) or found(fault, copy, "-n", "2", "--dist", "worksteal")
            if not test:
                where = "full"
                test = found(fault, copy, "--full", "-n", "2", "--dist", "worksteal")
                only_full += [fault.name] if test else []
        outcome = f"found by the {where}: {test}" if test else "not found by any test"
        print(f"{fault.name}: {outcome} ({time.perf_counter() - began:.0f} s)", flush=True)
    print(f"{len(only_full)} faults are found by the full run alone; {ALLOWED} is allowed")
    return int(len(only_full) > ALLOWED)


if __name__ == "__main__":
    raise SystemExit(main())
