"""Rooms of the library: few files side by side, and one name for one file and one class."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src/tenfold"
PATHS = [path for path in sorted(SOURCE.rglob("*.py")) if path.name != "__init__.py"]
SAME_FILE_NAME = {
    "bound.py": "a command is named like the function that it calls",
    "calibration.py": "scikit-learn's module; the summary of a calibration curve, and its picture",
    "partial_dependence.py": "a quantity, and its picture",
    "permutation_importance.py": "a quantity, and its picture",
    "pipeline.py": "scikit-learn's module, and the pipeline itself",
}
SAME_CLASS_NAME = {
    "Kernel": "a kernel function, and a function that numba compiles: both are the field's word",
    "State": "the protocol of all states, and the public `tenfold.search.State`",
}
"""names that are used twice, and why"""


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def test_no_folder_has_more_than_15_files_side_by_side():
    counts = defaultdict(int)
    for path in PATHS:
        counts[path.parent] += 1
    assert not {folder: count for folder, count in counts.items() if count > 15}


def test_no_file_name_is_used_twice_without_a_reason():
    found = defaultdict(list)
    for path in PATHS:  # a kernel has the file name of the statistic or learner that calls it
        found[room(path) == "compiled", path.name].append(path)
    twice = {name for (_, name), paths in found.items() if len(paths) > 1}
    assert twice == SAME_FILE_NAME.keys()


def test_no_class_name_is_used_twice_without_a_reason():
    found = defaultdict(list)
    for path in PATHS:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path)
    twice = {name: [str(path.relative_to(SOURCE)) for path in paths] for name, paths in found.items() if len(paths) > 1}
    assert twice.keys() == SAME_CLASS_NAME.keys(), {name: twice[name] for name in twice.keys() - SAME_CLASS_NAME.keys()}
