"""A ledger of ten years of days: what a window, all days, and an append cost: `python benchmarks/ledger.py`.

CPU seconds of the process. The folder is written once, from fits of a year whose days come again under other keys.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tenfold as tn
from workloads import Promises

COLUMNS = [f"x{j}" for j in range(50)]
CITIES = np.array([f"city{k:03d}" for k in range(300)])
LEARNERS = {
    "ridge": tn.Ridge(),
    "bayes": tn.GaussianNB(),
    "city": tn.TargetEncoder(target_type="continuous"),
    "profile": tn.Profile(),
}
TARGETS = {"ridge": "price", "bayes": "sold", "city": "price"}
FEATURES = {"ridge": COLUMNS, "bayes": COLUMNS, "city": ["city"], "profile": ["x0", "x1", "city"]}
WINDOW, WARM, ALL, APPEND = 0.050, 0.010, 1.0, 0.005
"""CPU seconds, at most: of a window of 28 days, cold and again, of all days from kept merges, and of an append beside
its fits; of the profile nothing is promised, since it has the distinct values of each column"""


def day(number: int) -> str:
    """Return the key of a day."""
    return str(date(2016, 1, 1) + timedelta(number))


def sales(number: int, rows: int) -> pd.DataFrame:
    """Return the rows of a day; new cities come over time."""
    random = np.random.default_rng(number)
    X = random.normal(size=(rows, len(COLUMNS)))
    frame = pd.DataFrame(X, columns=COLUMNS)
    frame["x0"], frame["x1"] = frame["x0"].round(2), frame["x1"].round(2)
    frame["city"] = CITIES[random.integers(0, 100 + min(number // 2, 200), rows)]
    frame["price"] = X[:, :5].sum(axis=1) + random.normal(size=rows)
    frame["sold"] = (frame["price"] > 0).astype(int)
    return frame


def opened(folder: Path) -> Any:
    """Return the ledger of a folder."""
    return tn.Ledger(folder, LEARNERS, target=TARGETS, features=FEATURES)


def seconds(what: Callable[[], Any]) -> float:
    """CPU seconds of a call."""
    began = time.process_time()
    what()
    return time.process_time() - began


def filled(folder: Path, days: int, rows: int, distinct: int) -> float:
    """Fill a ledger, days in random order; return the CPU seconds of an append beside the fits."""
    ledger = opened(folder)
    known = []
    for number in range(distinct):
        frame = sales(number, rows)
        (batch,) = (some for _, some in ledger._batches.by_key(ledger._batches.source(frame), day(number)))
        known.append(
            {name: own.of_fit(own.fit(ledger._batches.rows_of(name, batch))) for name, own in ledger._learners.items()}
        )
    order = np.random.default_rng(5).permutation(days).tolist()
    ledger._put(day(order[0]), known[order[0] % distinct], False)
    taken = [seconds(lambda k=k: ledger._put(day(k), known[k % distinct], False)) for k in order[1:]]
    return float(np.median(taken))


def main(days: int, rows: int, distinct: int, bind: bool) -> None:
    """Measure, print and settle."""
    promises = Promises(bind)
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        took = filled(folder, days, rows, distinct)
        size = sum(path.stat().st_size for path in folder.iterdir())
        print(f"{days:,} leaves of {rows:,} rows, {size / days / 1e3:.1f} kB each; append {1e3 * took:.2f} ms")
        promises.at_most("an append beside its fits", took, APPEND)
        middle, end = day(days // 2), day(days // 2 + 27)
        opened(folder).model("ridge", last="28d")  # kernels are compiled, modules imported
        for name in LEARNERS:
            ledger = opened(folder)
            cold = seconds(lambda ledger=ledger, name=name: ledger.model(name, last="28d"))
            warm = seconds(lambda ledger=ledger, name=name: ledger.model(name, last="28d"))
            other = seconds(lambda ledger=ledger, name=name: ledger.model(name, since=middle, until=end))
            first = seconds(lambda ledger=ledger, name=name: ledger.model(name))
            again = opened(folder)
            kept = seconds(lambda again=again, name=name: again.model(name))
            print(
                f"  {name}: 28 days cold {1e3 * cold:.1f} ms, again {1e3 * warm:.1f}, others {1e3 * other:.1f}; "
                f"all days first {first:.2f} s, cold with kept merges {1e3 * kept:.0f} ms"
            )
            if name != "profile":
                promises.at_most(f"{name}: 28 days, cold", cold, WINDOW)
                promises.at_most(f"{name}: 28 days, again", warm, WARM)
                promises.at_most(f"{name}: all days, cold with kept merges", kept, ALL)
        listed = [path.stat().st_size for path in folder.glob("*.node")]
        print(f"  {len(listed)} kept merges, {sum(listed) / 1e6:.1f} MB")
    promises.settle()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=3650)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--distinct", type=int, default=180)
    given = parser.parse_args()
    main(given.days, given.rows, given.distinct, given.days == 3650)
