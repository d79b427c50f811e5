"""Updating by day against refitting by day: `python benchmarks/updating.py [--days 30] [--rows 2000] [--only ...]`.

Orders come every day in a Parquet file, and the effects of shops and categories walk. Models are fitted to the first
ten days. Then, each evening for thirty days, one is updated with the file of the day, one is fitted again to all files
so far, and one is left as it is; all predict the next day. The table has the mean AUC of the three, what the update
loses, and the CPU time of thirty updates beside that of thirty refits; peak memory is that of the process.

What updating may lose:

- Discriminants of one-hot encoded columns add up. Of the steps before them, only the scaler learns from rows, and
  discriminants do not depend on the scale: the updated model is the refitted one up to rounding.
- Of target encodings they add up too, but the encodings of earlier rows stay as they were. With
  `preprocessing="merge"` they may lose 0.005; with "keep" shops are known by their first ten days, and nothing is
  promised.
- Boosting adds trees for the new rows to trees for the old ones, so it follows effects that walk: it may not lose more
  than 0.005 to the refitted one, and must gain at least 0.01 over one that is never updated.
- Logistic regression that starts at the model of the day before reads all rows, and finds the same minimum in fewer
  scans: AUC is the same to 0.0001. By stochastic gradient descent with a constant step (`partial_fit`, one epoch over
  the day) it may lose 0.005, and must gain 0.01.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import tenfold as tn
from orders.rows import CATEGORIES, SHOPS, file_of, orders, write
from tenfold.sources import Source
from workloads import Promises

FIRST, DAYS, ROWS, WALK = 10, 30, 2_000, 0.1
MEMORY = 600
"""megabytes that the process may take at most"""
LEFT_OUT = ["order_id", "timestamp", "note"]
SHOP_NAMES = [f"shop {k:03d}" for k in range(SHOPS)]
KNOTS = np.array([[0.0], [5.0], [12.0], [25.0], [50.0], [100.0], [2_000.0]])

Rows = Callable[[int, int], Source]
"""the rows of the days from one to before another"""
Update = Callable[[Any, Rows, int], Any]
"""the model after a day; it may change the one that it takes"""


def columns(categories: Any) -> Any:
    """Return numbers, a spline of the price with given knots, and encoded categories."""
    return tn.ColumnTransformer(
        [
            ("num", tn.SimpleImputer(strategy="constant", fill_value=0.0), ["quantity", "discount"]),
            ("price", tn.SplineTransformer(degree=2, knots=KNOTS, extrapolation="constant"), ["price"]),
            ("cat", categories, ["shop", "category"]),
        ]
    )


def scaled(categories: Any, learner: Any) -> Any:
    """Return a pipeline of the columns, scaled to at most 1, and a learner."""
    return tn.make_pipeline(columns(categories), tn.MaxAbsScaler(), learner)


def one_hot() -> Any:
    """Return an encoder that knows all shops and categories beforehand."""
    return tn.OneHotEncoder(categories=[SHOP_NAMES, CATEGORIES], handle_unknown="ignore")


def boosting() -> Any:
    """Return boosting of small trees on columns as they are."""
    columns = [("num", "passthrough", ["price", "quantity", "discount"]), ("cat", "passthrough", ["shop", "category"])]
    trees = tn.HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=8, early_stopping=False)
    return tn.make_pipeline(tn.ColumnTransformer(columns), trees)


REFITTED: dict[str, Callable[[], Any]] = {
    "discriminants, one-hot": lambda: scaled(one_hot(), tn.LinearDiscriminantAnalysis()),
    "discriminants, target encoding": lambda: scaled(tn.TargetEncoder(), tn.LinearDiscriminantAnalysis()),
    "boosting": boosting,
    "logistic": lambda: scaled(one_hot(), tn.LogisticRegression()),
}


def sgd() -> Any:
    """Return logistic regression by stochastic gradient descent, whose steps stay as long as they are."""
    return scaled(one_hot(), tn.SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.02, max_iter=20))


def add(model: Any, rows: Rows, day: int) -> Any:
    """Return the model with the rows of the day; the steps before the last stay as they are."""
    return model.partial_fit(rows(day, day + 1))


def merge(model: Any, rows: Rows, day: int) -> Any:
    """Return the model with the rows of the day, from which all steps learn."""
    return model.update(rows(day, day + 1), preprocessing="merge")


def grow(days: int) -> Update:
    """Return the update that adds three trees from the rows of the last days."""

    def update(model: Any, rows: Rows, day: int) -> Any:
        model.set_params(histgradientboostingclassifier__max_iter=model[-1].max_iter + 3)
        return model.update(rows(day + 1 - days, day + 1))

    return update


def start(model: Any, rows: Rows, day: int) -> Any:
    """Return the model of all rows so far, whose fit begins at the coefficients of the day before."""
    return clone(model).fit(rows(0, day + 1), logisticregression__start=model[-1])


def keep(model: Any, rows: Rows, day: int) -> Any:
    """Return the model as it is."""
    return model


def refit(make: Callable[[], Any]) -> Update:
    """Return what fits a new model to all rows so far."""
    return lambda model, rows, day: make().fit(rows(0, day + 1))


class Way(NamedTuple):
    """A way to update, and what it is held against."""

    refitted: str
    """one of `REFITTED`"""
    update: Update
    most_lost: float | None
    """mean AUC that it may lose to the refitted model"""
    most_cpu: float | None
    """CPU time of the updates, as a share of that of the refits"""
    first: Callable[[], Any] | None = None
    """what is fitted to the first days; default: what is refitted"""
    least_won: float | None = None
    """mean AUC that it must have more than the model that is never updated"""


WAYS = {
    "discriminants, one-hot": Way("discriminants, one-hot", add, 1e-6, 0.2),
    "discriminants, target encoding, kept": Way("discriminants, target encoding", add, None, 0.2),
    "discriminants, target encoding, merged": Way("discriminants, target encoding", merge, 0.005, 0.2),
    "boosting, 3 trees of the day": Way("boosting", grow(1), 0.005, 0.2, least_won=0.01),
    "boosting, 3 trees of three days": Way("boosting", grow(3), 0.005, 0.2, least_won=0.01),
    "logistic, started": Way("logistic", start, 1e-4, None),
    "logistic, stochastic gradients": Way("logistic", add, 0.005, 0.2, first=sgd, least_won=0.01),
}


class Course(NamedTuple):
    """What became of a model in the days."""

    auc: np.ndarray
    """of each next day"""
    probability: np.ndarray
    """of the rows of the last day"""
    cpu: float
    scans: float
    """of the last step"""


class Test(NamedTuple):
    """The rows of the days that are predicted."""

    tables: list[Any]
    returned: list[np.ndarray]
    true: list[np.ndarray]
    """the probabilities from which the rows were drawn"""


def test_rows(first: int, days: int, rows: int, walk: float) -> Test:
    """Return the rows of the day after each update."""
    made = [orders(day, rows, 0, walk) for day in range(first + 1, first + days + 1)]
    returned = [np.array(table["returned"].to_pylist()) == "yes" for table, _ in made]
    return Test(
        [table.drop_columns([*LEFT_OUT, "returned"]) for table, _ in made], returned, [true for _, true in made]
    )


def course(model: Any, update: Update, rows: Rows, first: int, test: Test) -> Course:
    """Return the scores of a model that is updated after each day."""
    cpu, scans, auc = 0.0, 0.0, []
    for after, (table, returned) in enumerate(zip(test.tables, test.returned, strict=True)):
        begun = time.process_time()
        model = update(model, rows, first + after)
        cpu += time.process_time() - begun
        scans += model[-1].certificate_.provenance.passes
        probability = model.predict_proba(table)[:, 1]
        auc.append(roc_auc_score(returned, probability))
    return Course(np.array(auc), probability, cpu, scans)


def peak() -> float:
    """Return the peak memory of this process, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def main() -> None:
    """Update and refit by day, and hold the updates to what they promise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--rows", type=int, default=ROWS, help="orders of a day")
    parser.add_argument("--walk", type=float, default=WALK, help="step of the effects from a day to the next")
    parser.add_argument("--only", nargs="+", choices=list(WAYS), default=list(WAYS), metavar="WAY")
    given = parser.parse_args()
    promises = Promises(bind=(given.days, given.rows, given.walk) == (DAYS, ROWS, WALK))
    with tempfile.TemporaryDirectory() as temporary:
        write(Path(temporary), FIRST + given.days, given.rows, walk=given.walk)

        def rows(begin: int, end: int) -> Source:
            files = [str(file_of(Path(temporary), day)) for day in range(begin, end)]
            return tn.scan(files, target="returned", drop=LEFT_OUT)

        test = test_rows(FIRST, given.days, given.rows, given.walk)
        best = np.mean([roc_auc_score(*pair) for pair in zip(test.returned, test.true, strict=True)])
        print(f"{given.days} days of {given.rows:,} orders; mean AUC of the true probabilities {best:.4f}", flush=True)
        ways = {name: WAYS[name] for name in given.only}
        never, updated, refitted = {}, {}, {}
        for name, way in ways.items():
            make = way.first or REFITTED[way.refitted]
            never[name] = course(make().fit(rows(0, FIRST)), keep, rows, FIRST, test)
            updated[name] = course(make().fit(rows(0, FIRST)), way.update, rows, FIRST, test)
            print(f"updated: {name}", flush=True)
        memory = peak()
        for name in dict.fromkeys(way.refitted for way in ways.values()):
            refitted[name] = course(None, refit(REFITTED[name]), rows, FIRST, test)
            print(f"refitted: {name}", flush=True)
    head = ("never", "updated", "refitted", "lost", "CPU s", "refits", "ratio")
    print(f"\n{'mean AUC, and cost':40}" + "".join(f"{title:>10}" for title in head))
    for name, way in ways.items():
        stale, new, full = never[name], updated[name], refitted[way.refitted]
        auc = [one.auc.mean() for one in (stale, new, full)]
        lost, ratio = auc[2] - auc[1], new.cpu / full.cpu
        cells = [*(f"{one:.4f}" for one in (*auc, lost)), f"{new.cpu:.1f}", f"{full.cpu:.1f}", f"{ratio:.3f}"]
        print(f"{name:40}" + "".join(f"{cell:>10}" for cell in cells))
        if way.most_lost is not None:
            promises.at_most(f"mean AUC that {name} loses to refits", lost, way.most_lost)
        if way.most_cpu is not None:
            promises.at_most(f"CPU time of {name}, share of refits", ratio, way.most_cpu)
        if way.least_won is not None:
            promises.at_least(f"mean AUC that {name} wins by updates", auc[1] - auc[0], way.least_won)
        if name == "logistic, started":
            print(f"{'':40}scans of the last step: {new.scans:.0f}, of refits {full.scans:.0f}")
            promises.at_most("scans of a fit that starts at a model, share of refits", new.scans / full.scans, 0.9)
        if name == "discriminants, one-hot":
            apart = np.abs(new.probability - full.probability).max()
            print(f"{'':40}probabilities differ from refitted ones by {apart:.1e}")
            promises.at_most("difference of the probabilities of what adds up", apart, 1e-9)
    print(f"\npeak memory: {memory:.0f} MB after the updates, {peak():.0f} MB after the refits")
    promises.at_most("peak memory, MB", peak(), MEMORY)
    promises.settle()


if __name__ == "__main__":
    main()
