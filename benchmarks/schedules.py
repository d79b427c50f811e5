"""Fits on simulated clusters: `python benchmarks/schedules.py --schedules 10000 --seed 0 --processes 2`.

Twelve shapes of fit, each on clusters of one to five workers that are drawn from a seed: tasks end in any order,
workers die, join, and answer after they were given up, tasks are done twice, inputs arrive late, files cannot be read
now and then. Every fit must have the model of one thread, to the bit, or end with an error that names the cause; none
may wait for ever, or leave an output on the cluster. Prints how many ended how, and exits with 1 at the first that does
not.

`--planted` puts faults into the executor instead, one at a time, and counts the schedules until each is found; exits
with 1 if one is not found within `--schedules`. A run is repeated, or continued, by `--seed`, the first of the seeds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from faulty_executors import FAULTY
from fits_on_engines import SHAPES, rows_of
from tenfold.testing import Hazards, Memo, check_schedules

ROUGH = Hazards(death=0.03, late=0.03, twice=0.2, unreadable=0.2, joins=0.03)
CHUNK = 200
"""schedules of a shape that share what tasks made"""


def some(shape: str, first: int, count: int) -> tuple[str, Counter[str], float]:
    """Outcomes of some schedules of one shape, and the seconds of the processor that they took."""
    began = time.process_time()
    found = check_schedules(SHAPES[shape], rows_of(shape), range(first, first + count), memo=Memo())
    return shape, found, time.process_time() - began


def until_found(fault: str, first: int, most: int) -> int:
    """The number of schedules until a faulty executor is found; 0 if it is not."""
    shapes, memos = [*SHAPES], {shape: Memo() for shape in SHAPES}
    for at in range(most):
        shape = shapes[at % len(shapes)]
        try:
            check_schedules(
                SHAPES[shape], rows_of(shape), [first + at], hazards=ROUGH, executor=FAULTY[fault],
                memo=None if fault != "a handle is leaked" else memos[shape],
            )  # fmt: skip
        except AssertionError:
            return at + 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=1200, help="of all shapes together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--planted", action="store_true", help="faulty executors instead")
    args = parser.parse_args()
    if args.planted:
        counts = {fault: until_found(fault, args.seed, args.schedules) for fault in FAULTY}
        for fault, count in counts.items():
            print(f"{fault}: {f'found at schedule {count}' if count else 'NOT FOUND'}")
        return int(not all(counts.values()))
    each = -(-args.schedules // len(SHAPES))
    jobs = [(shape, args.seed + at, min(CHUNK, each - at)) for at in range(0, each, CHUNK) for shape in SHAPES]
    totals: dict[str, Counter[str]] = {shape: Counter() for shape in SHAPES}
    seconds: Counter[str] = Counter()
    with ProcessPoolExecutor(args.processes, mp_context=get_context("spawn")) as pool:
        for shape, found, took in pool.map(some, *zip(*jobs, strict=True)):
            totals[shape] += found
            seconds[shape] += took
    done = 0
    for shape, found in totals.items():
        count = found["same"] + found["WorkerLost"] + found["OSError"]
        done += count
        print(f"{shape}: {count} schedules, {dict(found)}, {1e3 * seconds[shape] / count:.1f} ms of a processor each")
    print(f"{done} schedules, 0 wrong")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
