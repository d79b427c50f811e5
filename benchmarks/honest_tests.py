"""How often intervals hold, and how often tests tell equal learners apart: `python benchmarks/honest_tests.py`.

Samples of known error rates (100,000 by default), and 1,000 comparisons of two learners that are equally good. The
simulations are those of the tests, which run fewer. Ends with an error if a promise is broken.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from model_selection.simulations import clustered, covers, rejected

PROMISED = {"corrected, folds": 0.07, "corrected, draws": 0.07}
"""of tests at the 5 % level, the most that they may tell apart"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--comparisons", type=int, default=1000)
    parser.add_argument("--clustered", type=int, default=1000)
    given = parser.parse_args()
    failed = False

    print(f"intervals at 95 %: share of {given.samples:,} samples in which they hold the true rate")
    print("rows   rate   exact    wilson   z")
    for n in (30, 100, 1000):
        for rate in (0.01, 0.05, 0.2, 0.5):
            found = [covers(n, rate, 0.95, method, given.samples) for method in ("exact", "wilson", "z")]
            failed |= found[0] < 0.95 - 3 * (0.95 * 0.05 / given.samples) ** 0.5
            print(f"{n:<6d} {rate:<6g} " + "  ".join(f"{share:.4f} " for share in found), flush=True)

    print(f"\ntests at the 5 % level: share of {given.comparisons:,} comparisons of equal learners told apart")
    start = time.perf_counter()
    for name, share in rejected(given.comparisons).items():
        broken = share > PROMISED.get(name, 1.0)
        failed |= broken
        print(f"{name:18s} {share:.3f} {'TOO OFTEN' if broken else ''}".rstrip())
    print(f"({time.perf_counter() - start:.1f} s)")

    print(f"\nrows in groups, 95 %: share of {given.clustered:,} certificates that hold")
    for score in ("error", "neg_mean_absolute_error", "r2"):
        by_group, by_row = clustered(given.clustered, score)
        failed |= by_group < 0.91
        print(f"{score:24s} with groups {by_group:.3f}, as if rows were independent {by_row:.3f}", flush=True)
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
