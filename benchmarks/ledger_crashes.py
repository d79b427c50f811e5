"""Ledgers through power cuts, kills and histories: `python benchmarks/ledger_crashes.py --cuts 10000 --kills 1000`.

Cuts: histories on a simulated disk that loses its power at each call, with torn files and names that were not flushed.
Kills: writers that are killed (-9) at any moment. Histories: appends, drops and models in random order, of every
learner that merges, beside a ledger that never had what is gone. Each asserts what must hold.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from models.ledger.histories import MERGEABLE, Histories
from models.ledger.kills import kill_writers
from models.ledger.power_cuts import Cuts
from tenfold.models.ledger import kept_merges


def cut(points: int) -> None:
    """Cut histories, one seed after the other, at each of their calls."""
    cuts, seed, left = Cuts(), 0, points
    while left > 0:
        calls = range(min(cuts.calls(seed) + 1, left))
        for fuse in calls:
            cuts.check(seed, fuse)
        left, seed = left - len(calls), seed + 1
    print(f"{points:,} cuts of {seed} histories: each time the state before the step or after it")


def kill(kills: int) -> None:
    """Kill writers."""
    with tempfile.TemporaryDirectory() as folder:
        within = kill_writers(folder, kills)
    assert within >= kills // 2, f"only {within} of {kills} kills met a step"
    print(f"{kills:,} kills, {within:,} within a step: each time the state before it or after it")


def run(histories: int) -> None:
    """Go through histories of all learners in turn."""
    kinds = [found for _, learner in MERGEABLE if (found := Histories(learner)).merges]
    for seed in range(histories):
        kinds[seed % len(kinds)].check(seed)
    print(f"{histories:,} histories of {len(kinds)} learners: as if what is gone had never been")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--histories", type=int, default=200)
    given = parser.parse_args()
    kept_merges.MIN_LEAVES = 2
    warnings.simplefilter("ignore")
    for what, many in ((cut, given.cuts), (kill, given.kills), (run, given.histories)):
        began = time.process_time()
        if many:
            what(many)
            print(f"  {time.process_time() - began:.0f} s of CPU time", flush=True)
