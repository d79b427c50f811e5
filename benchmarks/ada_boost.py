"""AdaBoost, round by round, on random data: `python benchmarks/ada_boost.py [--sets 200] [--rounds 50]`.

For stumps and for other learners: how far weighted errors are from the definition; how far the error of each round
under the weights it leads to is from 1 - 1/K; by how much training errors and shares of small margins stay below their
bounds after every round; and in how many rounds theory promises no error at all.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import tenfold as tn

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from boosted_rounds import LEARNERS, examine, last_errors, table


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=50)
    given = parser.parse_args()
    failed = False
    print(f"{given.sets} random sets of 12 to 250 rows, two to four classes, {given.rounds} rounds at most")
    for name, learner in LEARNERS.items():
        start, all_ = time.perf_counter(), []
        for seed in range(given.sets):
            X, y, weight = table(seed)
            model = tn.AdaBoostClassifier(learner, n_estimators=given.rounds).fit(X, y, sample_weight=weight)
            all_.append(examine(model, X, y, weight))
        error, half, above, margin = (
            max(getattr(one, f) for one in all_) for f in ("error", "half", "above", "margin")
        )
        rounds, bounded, zero = (sum(getattr(one, f) for one in all_) for f in ("rounds", "bounded", "zero"))
        wrong = max(one.wrong for one in all_)
        failed |= error > 1e-12 or half > 1e-12 or above > 1e-12 or margin > 1e-12 or wrong > 0
        print(
            f"{name}: {rounds:,} rounds, {bounded:,} with a bound below 1; errors off by {error:.1e}, 1 - 1/K by "
            f"{half:.1e}; training error minus bound at most {above:.1e}, of margins {margin:.1e}; sure to be right "
            f"after {zero:,} rounds, most wrong then {wrong:g} ({time.perf_counter() - start:.0f} s)"
        )
    last = [pair for seed in range(given.sets) for pair in last_errors(*table(seed, 2), given.rounds)]
    off = max(abs(found - 0.5) for error, found in last if 0 < error < 0.5)
    failed |= off > 1e-12
    print(f"the certificate after each of {len(last):,} rounds of stumps, two classes: last error off 1/2 by {off:.1e}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
