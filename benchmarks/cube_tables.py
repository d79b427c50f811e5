"""Cells of random tables against fits to their rows, and the same bits in each way: `python benchmarks/cube_tables.py`.

For each table, of as many cells as it likes and of values as people have them, every learner of one pass gets a cube.
Some of its cells, that with most rows among them, are compared with fits of the learner to their rows, byte by byte;
and the cube with those of one thread and of three, of rows that travel as rows and as summaries, of rows in files, and,
of every fiftieth table, of a process pool and of Dask, where a worker is killed in the middle of some fits.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from process_pool import Pool
from sklearn.base import clone

import faults
import tenfold as tn
from adversary import data
from helpers import learners
from tenfold.core import ONE, DataError
from tenfold.engine import Snapshot, current, fit
from tenfold.engine.cells import cells as routes
from tenfold.testing import bits
from workloads import Promises

TABLES = 200
COMPARED = 6
"""cells of a cube that are compared with fits"""
EVERY, KILLED = 50, 100
"""a process pool and Dask get every fiftieth table; of every hundredth, each fit on Dask loses a worker"""
LEAST = 20_000
"""comparisons of cells with fits that 200 tables make, at least"""
APPROXIMATE = (tn.TargetEncoder,)
"""its folds go by the places of rows in the file, so that a fit to some of them has others"""

BOTH_CLASSES = (tn.BayesOptimalClassifier, tn.CandidateElimination, tn.FindS, tn.ListThenEliminate)
"""learners of a concept: that a cell has no positives does not make its negatives the positives"""


def one_pass() -> Iterator[Any]:
    """Every learner of one pass that keeps no rows."""
    kept = (
        tn.KNeighborsClassifier, tn.KNeighborsRegressor, tn.KernelRidge, tn.KernelPerceptron, tn.SVC, tn.SVR,
        tn.LocallyWeightedRegression,
    )  # fmt: skip
    for one in learners():
        if one.passes == ONE and one.need.sequence is None and not isinstance(one, kept):
            yield one


def key_of(random: Any, n: int) -> Any:
    """Keys of a few kinds, in random order or sorted; one cell may have most rows."""
    number = random.integers(0, random.integers(1, 120), n)
    number[random.random(n) < data.pick(random, [0.0, 0.3, 0.8])] = 0
    if random.random() < 0.4:
        number = np.sort(number)
    kind = data.pick(random, ["text", "number", "date"])
    if kind == "text":
        return np.array([f"s{k}" for k in number], dtype=object)
    return number if kind == "number" else (np.datetime64("2024-01-01") + number).astype("M8[s]")


def table(path: Path, learner: Any, seed: int) -> Any:
    """Rows in a file that suit a learner, as a source; their keys are not among its columns."""
    random, need = np.random.default_rng(seed), learner.need
    n = int(np.exp(random.uniform(0, np.log(1500))))
    key = key_of(random, n)
    columns, _ = data.columns_drawn(random, n, need, ordinary=True)
    if need.counts or need.positive:
        columns = data.above_zero(columns)
    if need.missing and random.random() < 0.3:
        columns = data.CHANGES[2][2](random, columns, n)
    s, more = data.signal(random, columns, n), {}
    if need.target == "class":
        more["target"] = s > np.median(s) if need.binary else data.classes_drawn(random, s, n)[0]
    elif need.target == "number":
        more["target"] = data.numbers_drawn(random, s, n, need.positive, ordinary=True)[0]
    weights = data.weights_drawn(random, n, ordinary=True)[0]
    if weights is not None and need.target:
        more["weight"] = weights.astype(np.float64)
    frame = pd.DataFrame({**columns, **more, "key": key})
    rows, group = pa.Table.from_pandas(frame, preserve_index=False), int(random.integers(5, 300))
    pq.write_table(rows, path, row_group_size=group, write_statistics=False)  # or fits to some rows have fewer parts
    given = {"target": "target"} if "target" in more else {}
    given |= {"weight": "weight"} if "weight" in more else {}
    return tn.scan(str(path), drop=["key"], **given)


def digest(cube: Any) -> Any:
    """The bits of all summaries and models, and of the table."""
    level = cube._level
    stack = level.cells.taken(np.arange(len(level))).stack
    found = tuple(map(bits, stack)) if isinstance(stack, np.ndarray) else bits(stack)  # each by itself, or together
    return found, level.keys.hash.tobytes(), repr(cube.table().to_pydict())


def close(a: Any, b: Any) -> bool:
    """Whether two target encoders have the same encodings of all rows, to nine digits; those of folds differ."""
    return np.allclose(a.encoding[-1], b.encoding[-1], rtol=1e-9)


class Found:
    """What was compared, and what differed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def say(self, what: str, where: str) -> None:
        """Count a difference, and print it."""
        self.counts["differences"] += 1
        print(f"{where}: {what}", flush=True)

    def cells(self, cube: Any, learner: Any, rows: Any, where: str, seed: int) -> None:
        """Compare cells with fits to their rows."""
        random, shown = np.random.default_rng(seed), cube.table()
        keys, counts, shared = shown["key"], np.asarray(shown["rows"]), cube._level.schema
        failed = set(cube.failed_["key"].to_pylist())
        some = {int(np.argmax(counts)), *random.integers(0, len(counts), COMPARED - 1).tolist()}
        for at in some:
            key, some_rows = keys[at].as_py(), rows.only(pc.field("key") == keys[at])
            try:
                alone = clone(learner).fit(some_rows)
            except (DataError, ValueError, ArithmeticError) as error:
                self.counts["cells that a fit refuses"] += 1
                if key not in failed and not isinstance(learner, tn.VarianceThreshold):  # it may leave all columns out
                    self.say(f"cell {key!r} has a model; a fit raises {error}", where)
                continue
            again = alone.certificate_.provenance.passes > 1
            model, own = alone.model_, alone.schema_
            other = replace(own, columns=shared.columns)  # the categories of a cell are those of all rows
            if isinstance(learner, BOTH_CLASSES):
                other = replace(other, classes=shared.classes)
            if own != other:
                own = other
                one = cube._level.learner._blank()  # which knows whether a target is a class or a number
                at = Snapshot(own, one.start(own))
                model = fit(one, some_rows, runner=current(), stop=one.stop(), resume=at).at.model
            if key in failed:
                self.counts["cells that a fit reads twice"] += again
                if not again:
                    self.say(f"cell {key!r} failed; a fit does not", where)
                continue
            cell = cube[key]
            if isinstance(learner, APPROXIMATE):
                same = close(cell.model_, model)
            else:
                same = bits(cell.model_) == bits(model) and cell.schema_ == own
            self.counts["cells that a fit reads twice" if again else "cells compared"] += 1
            if not same and not again:
                self.say(f"cell {key!r} differs from its fit", where)

    def same(self, wanted: Any, cube: Any, rows: Any, runner: Any, where: str, way: str) -> None:
        """Fit again in another way and compare all bits."""
        self.counts[way] += 1
        with tn.on(runner):
            if digest(cube.fit(rows)) != wanted:
                self.say(f"other bits: {way}", where)


def ways(found: Found, cube: Any, rows: Any, where: str) -> Any:
    """Compare the ways within this process; the bits of all."""
    wanted = digest(cube.fit(rows))
    for threads in (1, 3):
        found.same(wanted, cube, rows, tn.Local(threads=threads), where, f"threads: {threads}")
    found.same(wanted, cube, rows, tn.Local(memory=0), where, "rows in files")
    decided = routes.travels_as_rows
    try:
        for way in (True, False):
            routes.travels_as_rows = lambda rows, summaries, files, way=way: way and summaries > 0
            found.same(wanted, cube, rows, tn.Local(), where, "as rows" if way else "as summaries")
    finally:
        routes.travels_as_rows = decided
    return wanted


def killed(found: Found, wanted: Any, cube: Any, rows: Any, cluster: faults.Cluster, where: str) -> None:
    """Fit while a worker is killed in the middle."""
    with tn.on(cluster.ready(2).runner):
        with cluster.watched() as seen:
            cube.fit(rows)
        with cluster.after(max(1, seen.ended // 2), cluster.kill) as struck:
            other = digest(cube.fit(rows))
    found.counts["workers killed"] += bool(struck.fired)
    if other != wanted:
        found.say("other bits: Dask, with a worker killed", where)


def main() -> None:
    """Go through the tables and settle what was promised."""
    asks = argparse.ArgumentParser(description=__doc__)
    asks.add_argument("--tables", type=int, default=TABLES)
    asks.add_argument("--seed", type=int, default=0, help="the first table")
    asks.add_argument("--every", type=int, default=EVERY, help="0: no process pool and no Dask")
    asks.add_argument("--only", help="name of a learner")
    given = asks.parse_args()
    warnings.simplefilter("ignore")
    found, refused, began = Found(), Counter[str](), time.monotonic()
    promises = Promises(given.tables >= TABLES and given.every == EVERY and not given.only)
    every = [one for one in one_pass() if given.only in (None, type(one).__name__)]
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        if given.every:
            pool = stack.enter_context(Pool(2))
            cluster = stack.enter_context(faults.Cluster(2))
        for seed in range(given.seed, given.seed + given.tables):
            for number, learner in enumerate(every):
                name = type(learner).__name__
                where = f"table {seed}, {name}"
                rows = table(Path(folder) / f"{seed % 2}-{number}.parquet", learner, seed)
                cube = tn.Cube(learner, by="key")
                try:
                    cube.fit(rows)
                except (DataError, TypeError, ValueError) as error:
                    refused[name] += 1
                    found.counts["cubes refused"] += 1
                    try:
                        clone(learner).fit(rows)
                    except (DataError, TypeError, ValueError):
                        continue
                    found.say(f"the cube is refused, a fit to all rows is not: {error}", where)
                    continue
                found.cells(cube, learner, rows, where, seed)
                wanted = ways(found, cube, rows, where)
                if given.every and seed % given.every == 0:
                    found.same(wanted, cube, rows, pool, where, "process pool")
                    found.same(wanted, cube, rows, cluster.runner, where, "Dask")
                    if seed % KILLED == 0:
                        killed(found, wanted, cube, rows, cluster, where)
            if seed % 10 == 9:
                print(f"{seed + 1} tables, {time.monotonic() - began:.0f} s", dict(found.counts), flush=True)
    print(f"{len(every)} learners;", ", ".join(f"{name}: {count:,}" for name, count in found.counts.items()))
    print("refused, as by a fit:", dict(refused))
    promises.at_most("differences", found.counts["differences"], 0)
    promises.at_least("cells compared", found.counts["cells compared"], LEAST)
    promises.at_least("workers killed", found.counts["workers killed"], 50 * TABLES // KILLED)
    promises.settle()
    if found.counts["differences"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
