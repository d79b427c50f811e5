"""Certified gaps of logistic regression beside true ones: `python benchmarks/gaps_logistic.py [--problems 1000]`.

Random small problems, with squares or absolute values in the penalty or both, at every pass of their fits. The truth
is the objective at the answer less the minimum, which Clarabel finds by exponential cones; where squares alone are in
the penalty, Newton's method in long double checks Clarabel. The certified gap may never be below the true one and,
once the fit has converged, not above ten times the true one plus the tolerance.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from linear_model.glm.logistic_gaps import check


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    states = below = above = 0
    loosest, slack, oracles = 0.0, float("inf"), 0.0
    for seed in range(given.first, given.first + given.problems):
        found = check(seed)
        states += len(found.certified)
        below += sum(c < t - found.blur for c, t in zip(found.certified, found.true))
        above += found.certified[-1] > 10 * max(found.true[-1], 0.0) + found.tol + found.blur
        loosest = max([loosest, *(c / t for c, t in zip(found.certified, found.true) if t > 1e3 * found.blur)])
        slack = min(slack, min(c - t for c, t in zip(found.certified, found.true)))
        oracles = max(oracles, found.oracles)
        if (seed + 1) % 100 == 0:
            print(f"{seed + 1:5d}: {states} states, {below} below the truth, {above} loose at the end", flush=True)
    print(f"certified less true, least: {slack:.3g}; the two oracles differ by at most {oracles:.3g} of a mean loss")
    print(f"certified over true, most, while the truth is visible: {loosest:.3g}")
    sys.exit(bool(below or above))


if __name__ == "__main__":
    main()
