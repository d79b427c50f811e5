"""Recall of rare events on new rows, beside scikit-learn's learners of the same name.

`python benchmarks/rare_events.py [--sets 50] [--rows N] [--source memory parquet dask] [--learner tree ...]`: sets of
10 to 100 positives among 10,000 to 1,000,000 rows. Positives lie above a quantile of one column, or in a box of two or
three; columns are skewed, whole numbers or few values, others tell nothing; rows may be sorted. Exits with 1 if the
mean recall of a learner is more than .02 below the peer's, if it raises more false alarms, or if predictions differ
between the sources. Forests and bags are averaged over two seeds, the peer's too. Rules stand beside the peer's tree of
the same criterion.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn.ensemble as se
import sklearn.tree as st
from sklearn.base import clone

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.sources.array_source import even_cuts
from workloads import Promises

SETS, LEAST, MOST = 50, 10_000, 1_000_000
NEW = 2_000
"""new rows of either class"""
SLACK, ALARMS = 0.02, 0.001
PART = 50_000
"""rows of a part, in memory and of a Parquet file: members of a forest draw them by it"""
SOURCES = ("memory", "parquet", "dask")


class Events(NamedTuple):
    """A set to learn from, and new rows of either class."""

    name: str
    X: Any
    y: Any
    positive: Any
    negative: Any


def _skewed(u: Any) -> Any:
    return np.exp(3.0 + np.sqrt(2.0) * np.sqrt(-2.0 * np.log1p(-u)))


def _whole(u: Any) -> Any:
    return np.floor(2_000 * u * u)


def _few(u: Any) -> Any:
    return np.floor(12 * u)


def _even(u: Any) -> Any:
    return u


KINDS: dict[str, tuple[int, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "threshold": (1, _skewed, _even),
    "box of two": (2, _even, _even),
    "box of three": (3, _even, _skewed),
    "whole numbers": (2, _whole, _whole),
    "few values": (2, _few, _even),
}
"""columns that decide, how the first of them is made of even draws, and how the others are"""


def events(number: int, rows: int | None = None) -> Events:
    """The set of this number: kinds take turns, and every third is sorted; all else is drawn."""
    draw = np.random.default_rng(number)
    name = list(KINDS)[number % len(KINDS)]
    deciding, first, other = KINDS[name]
    n = rows or int(LEAST * (MOST / LEAST) ** draw.random())
    positives = int(draw.integers(10, 101))
    columns = deciding + int(draw.integers(1, 4))
    side = np.full(deciding, (positives / n) ** (1 / deciding))
    if name == "few values":
        side = np.array([1 / 12, min(12 * positives / n, 0.5)])
    low = (1 - side) * draw.random(deciding)
    if name == "threshold":
        low = 1 - side
    if name == "few values":
        low[0] = draw.integers(0, 12) / 12

    def inside(many: int) -> Any:
        u = draw.random((many, columns))
        u[:, :deciding] = low + side * u[:, :deciding]
        return u

    def outside(many: int) -> Any:
        u = draw.random((many, columns))
        while len(wrong := np.flatnonzero(((u >= low_all) & (u < high_all)).all(axis=1))):
            u[wrong] = draw.random((len(wrong), columns))
        return u

    low_all, high_all = np.zeros(columns), np.ones(columns)
    low_all[:deciding], high_all[:deciding] = low, low + side
    u = np.concatenate([outside(n - positives), inside(positives)])
    y = np.repeat([0, 1], [n - positives, positives])
    order = draw.permutation(n)
    if number % 3 == 0:
        order = np.argsort(u[:, 0], kind="stable")
        name += ", sorted"
    where = draw.permutation(columns)

    def made(some: Any) -> Any:
        found = np.column_stack([first(some[:, 0]), *(other(some[:, j]) for j in range(1, columns))])
        return pd.DataFrame(found[:, where], columns=[f"x{j}" for j in range(columns)])

    return Events(name, made(u[order]), y[order], made(inside(NEW)), made(outside(NEW)))


def learners(seed: int) -> dict[str, tuple[Any, Any]]:
    """Ours and the peer's; a seed for those that draw rows or columns."""
    tree = st.DecisionTreeClassifier
    return {
        "DecisionTree": (tn.DecisionTreeClassifier(), tree(random_state=seed)),
        "RuleList": (tn.RuleListClassifier("entropy"), tree(criterion="entropy", random_state=seed)),
        "RandomForest": (
            tn.RandomForestClassifier(10, random_state=seed),
            se.RandomForestClassifier(10, random_state=seed),
        ),
        "Bagging": (
            tn.BaggingClassifier(tn.DecisionTreeClassifier(), n_estimators=5, random_state=seed),
            se.BaggingClassifier(n_estimators=5, random_state=seed),
        ),
        "AdaBoost": (
            tn.AdaBoostClassifier(n_estimators=5),
            se.AdaBoostClassifier(n_estimators=5, random_state=seed),
        ),
        "GradientBoosting": (
            tn.GradientBoostingClassifier(n_estimators=10),
            se.GradientBoostingClassifier(n_estimators=10, random_state=seed),
        ),
        "HistGradientBoosting": (
            tn.HistGradientBoostingClassifier(max_iter=20, early_stopping=False),
            se.HistGradientBoostingClassifier(max_iter=20, early_stopping=False, random_state=seed),
        ),
    }


DRAWN = ("DecisionTree", "RandomForest", "Bagging")
"""learners whose recall strays with the seed, ours or the peer's: of two seeds the mean is taken"""


def fitted(learner: Any, given: Events, source: str, folder: Path, client: Any) -> Any:
    """The learner, fitted to the rows in memory, of a Parquet file, or of that file on Dask."""
    if source == "memory":
        with part_rows(PART):
            return learner.fit(given.X, given.y)
    path = folder / "rows.parquet"
    if not path.exists():
        with part_rows(PART):
            cuts = even_cuts(len(given.y)).tolist()  # those of memory: rows are drawn by their place in a part
        table = pa.Table.from_pandas(given.X.assign(y=given.y))
        with pq.ParquetWriter(path, table.schema) as file:
            for start, stop in pairwise(cuts):
                file.write_table(table.slice(start, stop - start), row_group_size=stop - start)
    rows = tn.scan(path, target="y")
    if source == "parquet":
        return learner.fit(rows)
    with tn.on(tn.Dask(client)):
        return learner.fit(rows)


def rates(model: Any, given: Events) -> tuple[float, float]:
    """Share of the new positives and of the new negatives that are predicted to be positive."""
    return float(np.mean(model.predict(given.positive) == 1)), float(np.mean(model.predict(given.negative) == 1))


def measure(given: Events, name: str, sources: tuple[str, ...], client: Any = None) -> tuple[Any, Any, list[str]]:
    """Rates of ours and of the peer's, means over the seeds; and the sources whose predictions are others."""
    found: list[list[Any]] = [[], []]
    strange: list[str] = []
    new = pd.concat([given.positive, given.negative], ignore_index=True)
    for seed in (0, 1) if name in DRAWN else (0,):
        ours, theirs = learners(seed)[name]
        with tempfile.TemporaryDirectory() as folder:
            models = [fitted(clone(ours), given, source, Path(folder), client) for source in sources]
        said = [model.predict_proba(new) for model in models]
        strange += [source for source, one in zip(sources, said, strict=True) if not np.array_equal(one, said[0])]
        found[0].append(rates(models[0], given))
        found[1].append(rates(theirs.fit(given.X, given.y), given))
    return np.mean(found[0], axis=0), np.mean(found[1], axis=0), strange


def clients(sources: tuple[str, ...], stack: ExitStack) -> Any:
    """A client of a cluster of two workers, if one is asked for."""
    if "dask" not in sources:
        return None
    from dask.distributed import Client, LocalCluster

    cluster = stack.enter_context(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0"))
    return stack.enter_context(Client(cluster))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--first", type=int, default=0, help="number of the first set")
    parser.add_argument("--rows", type=int, help="rows of every set; drawn by default")
    parser.add_argument("--source", nargs="+", choices=SOURCES, default=["memory"])
    parser.add_argument("--learner", nargs="+", choices=list(learners(0)), default=list(learners(0)))
    args = parser.parse_args()
    sources, promises = tuple(args.source), Promises(args.sets >= SETS and args.rows is None)
    rows = {name: [] for name in args.learner}
    with ExitStack() as stack:
        client = clients(sources, stack)
        for number in range(args.first, args.first + args.sets):
            given = events(number, args.rows)
            print(f"{number:3d} {given.name}, {len(given.y):,} rows, {given.y.sum()} positives", flush=True)
            for name in args.learner:
                ours, theirs, strange = measure(given, name, sources, client)
                rows[name].append([*ours, *theirs])
                print(f"      {name:21s} {ours[0]:.3f} {theirs[0]:.3f}", *strange, flush=True)
                if strange:
                    raise SystemExit(f"set {number}, {name}: predictions of {strange} are not those of {sources[0]}")
    print(f"\n{'mean over the sets':22s} recall  peer's  least difference  false alarms  peer's")
    for name, found in rows.items():
        recall, alarms, peers, their_alarms = np.mean(found, axis=0)
        least = min(one[0] - one[2] for one in found)
        print(f"{name:22s} {recall:6.3f}  {peers:6.3f}  {least:16.3f}  {alarms:12.4f}  {their_alarms:6.4f}")
        promises.at_least(f"recall of {name}, less the peer's", recall - peers, -SLACK)
        promises.at_most(f"false alarms of {name}, less the peer's", alarms - their_alarms, ALARMS)
    promises.settle()


if __name__ == "__main__":
    main()
