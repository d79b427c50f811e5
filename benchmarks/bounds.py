"""How often each bound is broken, beside how often it may be: `python benchmarks/bounds.py [--runs 1000]`.

The simulations are those of the tests, which run them 100 times.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from theory.simulations import DELTA, SIMULATIONS, allowed, broken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--delta", type=float, default=DELTA)
    given = parser.parse_args()
    most = allowed(given.runs, given.delta)
    print(f"{given.runs} runs, delta {given.delta:g}: {given.delta * given.runs:g} expected at most")
    failed = False
    for once in SIMULATIONS:
        start = time.perf_counter()
        count = broken(once, given.runs, given.delta)
        taken = time.perf_counter() - start
        failed |= count > most
        verdict = "BROKEN TOO OFTEN" if count > most else ""
        print(f"{once.__name__:18s} broken {count:4d} times  ({taken:.1f} s) {verdict}".rstrip(), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
