"""AdaBoost with 100 stumps: `python benchmarks/boosting.py [--big] [--folder DIR] [--labelled DIR]`.

Beside scikit-learn's on 100,000 rows, one process, one after the other: seconds, ratio, training accuracies. With
`--big`, over 20M rows of Parquet out of core, in a fresh process: seconds and the most memory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import tenfold as tn
from scan import labelled, rows_in, timed
from workloads import Promises

FASTER = 100.0
"""times as fast as the peer, as docs/trees.rst says"""

BIG = """
import sys, time
sys.path.insert(0, sys.argv[1])
import tenfold as tn
from scan import memory
stumps, megabytes, *files = sys.argv[2:]
rows = tn.scan(files, target="label")
start = time.perf_counter()
with tn.on(tn.Local(memory=None if megabytes == "None" else int(megabytes) << 20)):
    model = tn.AdaBoostClassifier(n_estimators=int(stumps)).fit(rows)
taken = time.perf_counter() - start
print(f"{rows.n_rows:,} rows, {len(model.feature_)} stumps: {taken:.1f} s, most {memory()} MB")
print(", ".join(f"{c.kind} {c.value:.4f}" for c in model.certificate_.claims))
"""


def beside_the_peer(stumps: int) -> None:
    from sklearn.datasets import make_classification
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(n_samples=100_000, n_features=30, n_informative=15, flip_y=0.05, random_state=0)
    ours = tn.AdaBoostClassifier(n_estimators=stumps)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=stumps)
    first = timed(lambda: ours.fit(X, y))
    mine = timed(lambda: ours.fit(X, y))
    time.sleep(0.3)
    peer = timed(lambda: theirs.fit(X, y))
    print(
        f"{len(X):,} x {X.shape[1]}, {stumps} stumps: tenfold {mine:.2f} s (first call {first:.2f})  peer {peer:.2f} s"
    )
    mine_told, peer_told = ours.score(X, y), theirs.score(X, y)
    print(f"ratio {peer / mine:.1f}  training accuracy {mine_told:.4f}, peer {peer_told:.4f}")
    promises = Promises(stumps == 100)
    promises.at_least("AdaBoost, times as fast as the peer", peer / mine, FASTER)
    promises.at_least("training accuracy less the peer's", mine_told - peer_told, -0.01)
    promises.settle()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--big", action="store_true")
    parser.add_argument("--stumps", type=int, default=100)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/pq20"))
    parser.add_argument("--labelled", type=Path, default=Path("/tmp/pq20c"))
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--memory", type=int, help="megabytes to hold; a quarter of the machine's by default")
    given = parser.parse_args()
    if not given.big:
        beside_the_peer(given.stumps)
        return
    files = labelled(given.labelled, rows_in(given.folder, given.files))
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", BIG, here, str(given.stumps), str(given.memory), *files], check=True)


if __name__ == "__main__":
    main()
