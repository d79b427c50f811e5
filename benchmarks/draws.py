"""Draws of rows on data with few distinct rows: out-of-bag errors, stacks and chosen penalties, beside the peer.

Each set has 2 to 200 distinct rows of categories and whole numbers, seen again and again. Then it is asked whether

- the out-of-bag error of forests and bags is within three standard errors of the error on fresh rows,
- a stack is as good on fresh rows as its best member, within three standard errors of the paired difference,
- the penalties that LassoCV and RidgeCV choose are within one standard error of the least on scikit-learn's curve.

The command fails if more sets are outside than chance allows: for three standard errors, a number of sets that has a
probability below one in a thousand; for the penalties, one set in a hundred.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from few_rows import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(f"missed: {', '.join(wrong)}" if (wrong := run(given.sets, given.seed)) else 0)
