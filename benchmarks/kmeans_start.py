"""Inertia of k-means over 50 seeds beside k-means++: `python benchmarks/kmeans_start.py [--seeds 50]`.

On blobs, on data without clusters (the `clusters` workload), and on data with many repeated rows.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import sklearn.cluster
from sklearn.datasets import make_blobs

import tenfold as tn
from workloads import Promises, clusters

ABOVE = 1.02
"""times the mean inertia of k-means++ that ours may have"""


def data() -> dict[str, tuple[np.ndarray, int]]:
    random = np.random.default_rng(0)
    places = 5 * random.standard_normal((30, 4))
    few = make_blobs(300, 4, centers=20, cluster_std=0.5, random_state=1)[0]
    far = np.vstack([3 * random.standard_normal((15, 6)), 60 * random.standard_normal((5, 6))])
    return {
        "clusters 50k x 32": (clusters(50_000), 64),
        "50 blobs": (make_blobs(20_000, 8, centers=50, random_state=0)[0], 50),
        "no clusters": (random.standard_normal((20_000, 8)), 20),
        "heavy places among others": (
            np.vstack([np.repeat(places, 600, axis=0), 5 * random.standard_normal((6000, 4))]),
            30,
        ),
        "300 rows, repeated up to 200 x": (np.repeat(few, random.integers(1, 200, 300), axis=0), 20),
        "near and far": (make_blobs(20_000, 6, centers=far, random_state=3)[0], 20),
        "heavy tails": (np.exp(1.5 * random.standard_normal((20_000, 5))), 12),
    }


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=50)
    seeds = range(parser.parse_args().seeds)
    promises = Promises(len(seeds) >= 50)
    for name, (X, k) in data().items():
        start = time.perf_counter()
        theirs = [sklearn.cluster.KMeans(k, n_init=1, random_state=s).fit(X).inertia_ for s in seeds]
        middle = time.perf_counter()
        ours = [tn.KMeans(k, random_state=s).fit(X).inertia_ for s in seeds]
        end = time.perf_counter()
        ratio = np.mean(ours) / np.mean(theirs)
        print(
            f"{name:32s} mean inertia: k-means++ {np.mean(theirs):.6g}  tenfold {np.mean(ours):.6g}"
            f"  ratio {ratio:.5f}  seconds {middle - start:.1f} and {end - middle:.1f}",
            flush=True,
        )
        promises.at_most(f"{name}, mean inertia : that of k-means++", ratio, ABOVE)
    promises.settle()


if __name__ == "__main__":
    main()
