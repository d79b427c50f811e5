"""Draw data of which the truth is known, and count how often intervals hold it and tests tell equal learners apart.

`benchmarks/honest_tests.py` runs them at full length.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyClassifier

from tenfold.model_selection.certification.certify import certify
from tenfold.model_selection.certification.intervals import error_interval
from tenfold.model_selection.comparison.compare import compare


def covers(n, rate, level, method, draws, seed=0):
    """How often the interval holds the true rate, of so many samples of n rows."""
    held = np.array([rate in error_interval(k, n, level, method) for k in range(n + 1)])
    return held[np.random.default_rng(seed).binomial(n, rate, draws)].mean()


def equal_learners(random, rows=100, effect=0.5):
    """Rows of two classes, and two learners that are equally good: nearest means of the first or the last columns."""
    y = random.integers(0, 2, rows)
    y[:4] = [0, 1, 0, 1]
    X = random.normal(size=(rows, 6)) + effect * y[:, None]

    def right(train, test, columns):
        some, more = X[train][:, columns], X[test][:, columns]
        means = np.array([some[y[train] == c].mean(axis=0) for c in (0, 1)])
        said = ((more[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        return said == y[test]

    return y, [lambda train, test, c=c: right(train, test, c) for c in ([0, 1, 2], [3, 4, 5])]


def splits(random, rows, kind):
    """Train and test rows: ten folds, ten draws of two thirds, or five repeats of two folds."""
    order = random.permutation(rows)
    if kind == "folds":
        return [(np.setdiff1d(order, some), some) for some in np.array_split(order, 10)]
    if kind == "draws":
        drawn = [random.permutation(rows) for _ in range(10)]
        return [(some[: 2 * rows // 3], some[2 * rows // 3 :]) for some in drawn]
    drawn = [random.permutation(rows) for _ in range(5)]
    halves = [(some[: rows // 2], some[rows // 2 :]) for some in drawn]
    return [pair for a, b in halves for pair in ((a, b), (b, a))]


def rejected(runs, rows=100, level=0.95, seed=5):
    """How often each test tells equal learners apart."""
    found = {f"{m}, {kind}": 0 for kind in ("folds", "draws") for m in ("corrected", "paired")}
    found |= {"5x2": 0, "mcnemar": 0}
    for run in range(runs):
        random = np.random.default_rng([seed, run])
        y, learners = equal_learners(random, rows)
        for kind in ("folds", "draws", "5x2"):
            some = splits(random, rows, kind)
            a, b = ([one(*split).mean() for split in some] for one in learners)
            if kind == "5x2":
                found["5x2"] += compare(np.reshape(a, (5, 2)), np.reshape(b, (5, 2)), "5x2", level=level).significant
                continue
            sizes = [(len(train), len(test)) for train, test in some]
            for method in ("corrected", "paired"):
                found[f"{method}, {kind}"] += compare(a, b, method, sizes=sizes, level=level).significant
        train, test = splits(random, rows, "draws")[0]
        a, b = (np.where(one(train, test), y[test], 1 - y[test]) for one in learners)
        found["mcnemar"] += compare(a, b, "mcnemar", truth=y[test], level=level).significant
    return {name: count / runs for name, count in found.items()}


class Said(RegressorMixin, BaseEstimator):
    """Predicts its first column."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def clustered(runs, score="error", groups=25, each=12, seed=2):
    """How often a certificate holds the true value where rows of a group are alike: with groups, and without."""
    held = np.zeros(2)
    for run in range(runs):
        random = np.random.default_rng([seed, run])
        group = np.repeat(np.arange(groups), each)
        if score == "error":
            wrong = random.random(len(group)) < random.beta(1.0, 4.0, groups)[group]
            X, y, true = np.zeros((len(group), 1)), wrong.astype(int), 0.2
            model = DummyClassifier(strategy="constant", constant=0).fit(X, 0 * y)
        else:
            noise = random.normal(size=groups)[group] + random.normal(size=len(group))
            signal = 2 * random.normal(size=groups)[group] + random.normal(size=len(group))
            model, X, y = Said().fit(None, None), signal[:, None], signal + noise
            true = {"neg_mean_absolute_error": np.sqrt(2) * np.sqrt(2 / np.pi), "r2": 1 - 2 / 7}[score]
        for at, by in enumerate((group, None)):
            low, high = (c.value for c in certify(model, X, y, groups=by, scoring=score).claims[1:3])
            held[at] += low <= true <= high
    return held / runs
