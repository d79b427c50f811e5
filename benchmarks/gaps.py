"""Certified gaps beside true ones, from both sides: `python benchmarks/gaps.py [--draws 1000] [--model lasso]`.

Problems, models and oracle are those of the tests (`tests/linear_model/penalized/gaps.py`), which draw a few.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from linear_model.penalized.gaps import MODELS, broken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--model", choices=MODELS, default=None)
    given = parser.parse_args()
    failed = False
    for name, once in MODELS.items():
        if given.model in (None, name):
            start = time.perf_counter()
            below, above, largest = broken(once, given.draws)
            taken = time.perf_counter() - start
            failed |= bool(below or above)
            print(
                f"{name:12s} {given.draws} problems: below the truth {len(below)}, too far above {len(above)}, "
                f"largest certified at convergence {largest:.2g}  ({taken:.0f} s) {(below + above)[:8] or ''}",
                flush=True,
            )
    sys.exit(failed)


if __name__ == "__main__":
    main()
