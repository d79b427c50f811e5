"""Rows by day, and ledgers of them, for the tests of ledgers."""

from datetime import date, timedelta

import numpy as np
import pandas as pd

import tenfold as tn

COLUMNS = list("abc")
LEARNERS = {
    "price": tn.Ridge(),
    "sold": tn.GaussianNB(),
    "city": tn.TargetEncoder(target_type="continuous"),
    "profile": tn.Profile(),
}
TARGETS = {"price": "price", "sold": "sold", "city": "price"}
FEATURES = {"price": COLUMNS, "sold": COLUMNS, "city": ["city"], "profile": ["a", "city"]}


def day(number):
    return str(date(2026, 1, 1) + timedelta(number))


def rows_of(number, rows=40, keyed=True):
    """The rows of a day; cities and classes come over time."""
    random = np.random.default_rng(number)
    frame = pd.DataFrame(random.normal(size=(rows, 3)).round(3), columns=COLUMNS)
    frame["city"] = [f"city{k}" for k in random.integers(0, 3 + number % 5, rows)]
    frame["price"] = frame[COLUMNS] @ [1.0, 2.0, -1.0] + random.normal(size=rows)
    frame["sold"] = random.integers(0, 2 + (number % 7 == 3), rows)
    if keyed:
        frame.insert(0, "day", day(number))
    return frame


def ledger_at(store, names=tuple(LEARNERS), **changed):
    learners = {name: LEARNERS[name] for name in names} | changed
    targets = {name: column for name, column in TARGETS.items() if name in learners}
    return tn.Ledger(store, learners, target=targets, features={name: FEATURES[name] for name in learners})


def filled(store, days, names=tuple(LEARNERS)):
    ledger = ledger_at(store, names)
    for number in days:
        ledger.append(rows_of(number))
    return ledger
