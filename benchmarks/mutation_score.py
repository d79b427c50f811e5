"""Mutation score of the statistics and the numeric kernels: how many small faults their own tests find.

    python benchmarks/mutation_score.py                        twenty mutants of stats and kernels
    python benchmarks/mutation_score.py stats --mutants 50     of one folder

A mutant has one operator or one constant changed, drawn with a seed from all there are. It is put into a copy of the
sources, and the tests of its folder run against the copy until one fails. Kernels run as plain Python there, so that
nothing is compiled again. Prints what becomes of each mutant, and the score; exits with 1 if it is below `--least`.
"""

from __future__ import annotations

import argparse
import ast
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from mutants import ROOT, Fault, environment, faulty_sources

SOURCES = ROOT / "src" / "tenfold"
FOLDERS = {"stats": ("tests/stats",), "compiled": ("tests/compiled", "tests/stats")}
"""what is changed, and where its tests are"""
OPERATORS: dict[type, str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.BitAnd: "|", ast.BitOr: "&",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.And: "or", ast.Or: "and",
}  # fmt: skip
"""what takes the place of each operator"""
PATIENCE = 600
"""seconds after which a mutant hangs, and so is found"""


def mutants_of(path: Path) -> Iterator[Fault]:
    """Each operator and constant of a file, changed: a line of its own with the wrong one in it."""
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        change = _changed(node, text)
        if change is None:
            continue
        (row, start, stop), new = change
        line = lines[row]
        wrong = line[:start] + new + line[stop:]
        if text.count(line) == 1 and line.lstrip()[:1] not in ("#", '"', "@") and "import" not in line:
            yield Fault(f"{path.relative_to(SOURCES)}:{row + 1}", str(path.relative_to(SOURCES)), line, wrong)


def _changed(node: ast.AST, text: str) -> tuple[tuple[int, int, int], str] | None:
    """Where to change an expression, and to what; None if there is nothing to change on one line."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.lineno == node.end_lineno:
        new = repr(node.value + 1) if isinstance(node.value, int) else repr(node.value * 2 + 1e-3)
        return (node.lineno - 1, node.col_offset, node.end_col_offset or 0), new
    if isinstance(node, ast.BinOp):
        left, right, operator = node.left, node.right, type(node.op)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right, operator = node.left, node.comparators[0], type(node.ops[0])
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        left, right, operator = node.values[0], node.values[1], type(node.op)
    else:
        return None
    if operator not in OPERATORS or left.end_lineno != right.lineno:
        return None
    row, start, stop = right.lineno - 1, left.end_col_offset or 0, right.col_offset
    between = text.splitlines()[row][start:stop]
    old = between.strip("() ")
    return ((row, start, stop), between.replace(old, OPERATORS[operator])) if old else None


def survives(fault: Fault, tests: tuple[str, ...]) -> bool:
    """Whether all tests pass with a fault in the sources."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    with faulty_sources(fault) as folder:
        env = environment(folder) | ({"NUMBA_DISABLE_JIT": "1"} if fault.file.startswith("compiled") else {})
        try:
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=False, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", help=f"some of {', '.join(FOLDERS)}; default: all")
    parser.add_argument("--mutants", type=int, default=20, help="drawn from all there are")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.0, help="share of mutants that must be found")
    args = parser.parse_args()
    every = [
        (fault, FOLDERS[folder])
        for folder in args.folders or FOLDERS
        for path in sorted((SOURCES / folder).rglob("*.py"))
        for fault in mutants_of(path)
    ]
    drawn = random.Random(args.seed).sample(every, min(args.mutants, len(every)))
    found = 0
    for fault, tests in drawn:
        began = time.perf_counter()
        survived = survives(fault, tests)
        found += not survived
        change = f"{fault.right.strip()}  ->  {fault.wrong.strip()}"
        print(
            f"{'survives' if survived else 'found'} ({time.perf_counter() - began:.0f} s) {fault.name}: {change}",
            flush=True,
        )
    print(f"{found} of {len(drawn)} mutants are found, {found / max(len(drawn), 1):.0%}; {len(every):,} there are")
    return int(found < args.least * len(drawn))


if __name__ == "__main__":
    raise SystemExit(main())
