"""Checkers learned from play: `python benchmarks/play.py [--games 100] [--seeds 5]`.

The player of `docs/checkers.py` learns from games against itself, and then plays 200 against its starting weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "docs"))

from checkers import NAMES, games_won, learn

from workloads import Promises

WON = 0.8
"""of 200 games against the starting weights"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    promises = Promises(given.games == 100)
    print("after", given.games, "games against itself: weights of", ", ".join(NAMES))
    for seed in range(given.seeds):
        weights = learn(given.games, seed)[-1]
        won = games_won(weights, 200, seed)
        print(f"  seed {seed}: {weights[1:].round(2)}, {won:.1%} of 200 games won", flush=True)
        promises.at_least(f"games won, seed {seed}", won, WON)
    promises.settle()


if __name__ == "__main__":
    main()
