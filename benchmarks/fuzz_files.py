"""Forged model files and checkpoints of every learner: nothing but an error of ours may come of them.

    python benchmarks/fuzz_files.py --files 300000 --checkpoints 30000 --seed 0

A file is a saved model or checkpoint with one place changed (sometimes two) and the checksum that fits. It is loaded,
and the model is asked every public method and property, in forked workers, with 5 seconds and 4 times the file + 64 MB.
Exits with 1 after a crash, a hang, too much memory, code that ran, or an error that is not of the library or a
ValueError. Each find is printed with the learner, the field, the mutation and the number of the file; `--only NUMBER`
serves that one file again, in this process.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzing import Fuzz, checkpoint_cases, model_cases, quietly, run

os.environ["TENFOLD_TRACEBACK"] = "full"  # finds name the place where an error is raised


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--checkpoints", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--learner", default="", help="only cases whose name has this text in it")
    parser.add_argument("--only", type=int, default=None, help="the number of one file, of the kind that is not 0")
    options = parser.parse_args()
    finds = 0
    for kind, many, cases in (
        ("model files", options.files, model_cases),
        ("checkpoints", options.checkpoints, checkpoint_cases),
    ):
        if many:
            fuzz = Fuzz(cases(options.learner), options.seed)
            if options.only is not None:
                return again(fuzz, options.only)
            finds += report(kind, fuzz, many, options.workers)
    return int(finds > 0)


def again(fuzz: Fuzz, number: int) -> int:
    """One file in this process, step by step."""
    faulthandler.enable()
    case, file = fuzz.file(number)
    print(case.name, "|", file.field, "|", file.mutation, flush=True)
    with tempfile.TemporaryDirectory() as folder, quietly():
        said = fuzz.serve(number, Path(folder), lambda step: print(" ", step, flush=True))
    print(said)
    return int(said not in ("refused", "loaded"))


def report(kind: str, fuzz: Fuzz, many: int, workers: int) -> int:
    """Serve the files and print what came of them."""
    began = time.perf_counter()
    finds, table, slowest = run(fuzz, range(many), workers, lambda find: print(find, flush=True))
    print(f"{kind + ', seed ' + str(fuzz.seed):44}{'refused':>9}{'loaded':>9}{'finds':>7}")
    names: dict[str, Counter[Any]] = {}
    for (name, what), count in table.items():
        names.setdefault(name.split(", turn")[0], Counter())[what] += count
    for name, counts in sorted(names.items()):
        print(f"{name:44}{counts['refused']:9,}{counts['loaded']:9,}{counts['find']:7,}")
    total = sum(names.values(), Counter())
    print(f"{'all':44}{total['refused']:9,}{total['loaded']:9,}{total['find']:7,}")
    print(
        f"{sum(total.values()):,} {kind} in {time.perf_counter() - began:.0f} s; the slowest took {slowest:.2f} s\n",
        flush=True,
    )
    return len(finds)


if __name__ == "__main__":
    sys.exit(main())
