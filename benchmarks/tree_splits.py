"""Splits of exact trees against all splits there are: `python benchmarks/tree_splits.py [--draws 1000]`.

At each node of trees on small mixed tables: the largest difference of the impurity decrease from the best.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from brute_splits import largest_difference
from workloads import Promises

OFF = 1e-9
"""by which an impurity decrease may be below the best: rounding"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    found = [largest_difference(seed) for seed in range(draws)]
    nodes, worst = sum(n for n, _ in found), max(w for _, w in found)
    print(f"{draws} tables, {nodes} nodes: largest difference of an impurity decrease {worst:.2g}")
    promises = Promises()
    promises.at_most("largest difference of an impurity decrease", worst, OFF)
    promises.settle()


if __name__ == "__main__":
    main()
