"""Data of few distinct rows, seen again and again, and what draws of rows must come to on it.

`benchmarks/draws.py` has the command; the tests take a few sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.linear_model as peer
from scipy.stats import binom
from sklearn.model_selection import KFold

import tenfold as tn

FRESH = 4000
OUTSIDE = 0.0027
"""chance of a normal number to be more than three standard errors off"""
ALPHAS = np.logspace(-2, 5, 15)


def make(seed: int) -> Any:
    """Rows as objects (categories and numbers) and as numbers, a class and a number for each; then fresh ones."""
    random = np.random.default_rng(seed)
    kinds, columns = int(np.exp(random.uniform(np.log(2), np.log(200)))), int(random.integers(2, 5))
    values = random.integers(2, 7, columns)
    table = np.column_stack([random.integers(0, v, kinds) for v in values])
    share = random.dirichlet(np.full(kinds, 2.0))
    chance, mean = random.beta(1.5, 1.5, kinds), table @ random.normal(size=columns) + random.normal(size=kinds)
    n = int(random.integers(300, 1500))
    which = random.choice(kinds, n + FRESH, p=share)
    words = np.array([f"k{i}" for i in range(7)], object)
    X = table[which].astype(object)
    X[:, 0] = words[table[which, 0]]
    label = np.where(random.random(n + FRESH) < chance[which], "yes", "no")
    number = np.round(mean[which] + random.normal(size=n + FRESH))
    if len(set(label[:n])) < 2 or len(set(number[:n])) < 2:
        return make(seed + 10**6)
    return X, table[which].astype(float), label, number, n


def out_of_bag(seed: int) -> dict[str, float]:
    """Out-of-bag error less the error on fresh rows, in standard errors, of forests and bags."""
    X, _, label, number, n = make(seed)
    out = {}
    for name, model in {
        "forest of classes": tn.RandomForestClassifier(60, random_state=seed),
        "bag of classifiers": tn.BaggingClassifier(n_estimators=20, oob_score=True, random_state=seed),
        "forest of numbers": tn.RandomForestRegressor(60, random_state=seed),
        "bag of regressors": tn.BaggingRegressor(n_estimators=20, oob_score=True, random_state=seed),
    }.items():
        classes = hasattr(model, "predict_proba")
        y = label if classes else number
        told = model.fit(X[:n], y[:n]).predict(X[n:])
        losses = (told != y[n:]).astype(float) if classes else (told - y[n:]) ** 2
        scale = 1.0 if classes else y[:n].var()
        error = losses.std() * np.sqrt(1 / n + 1 / FRESH) + 1e-12
        out[name] = ((1 - model.oob_score_) * scale - losses.mean()) / error
    return out


def stacks(seed: int) -> dict[str, float]:
    """How far stacks are behind their best member on fresh rows, in standard errors of the paired difference."""
    X, _, label, number, n = make(seed)
    tree, line = [("tree", tn.DecisionTreeClassifier()), ("line", tn.LogisticRegression())], tn.Ridge()
    out = {}
    for name, model in {
        "stack of classifiers": tn.StackingClassifier(tree, random_state=seed),
        "stack of regressors": tn.StackingRegressor(
            [("tree", tn.DecisionTreeRegressor()), ("line", line)], random_state=seed
        ),
    }.items():
        classes = hasattr(model, "predict_proba")
        y = label if classes else number

        def losses(one: Any, y: Any = y, classes: bool = classes) -> Any:
            told = one.predict(X[n:])
            return (told != y[n:]).astype(float) if classes else (told - y[n:]) ** 2

        model.fit(X[:n], y[:n])
        best = min((losses(member) for member in model.estimators_), key=np.mean)
        behind = losses(model) - best
        out[name] = behind.mean() / (behind.std() * np.sqrt(1 / n + 1 / FRESH) + 1e-12)
    return out


def penalties(seed: int) -> dict[str, float]:
    """By how many standard errors the chosen penalty is above the least error on scikit-learn's curve."""
    _, X, _, y, n = make(seed)
    X, y = X[:n], y[:n]
    out, folds = {}, KFold(10, shuffle=True, random_state=seed % 2**31)
    theirs = peer.LassoCV(cv=folds, max_iter=10**5).fit(X, y)
    ours = tn.LassoCV(random_state=seed).fit(X, y)
    at = int(np.abs(np.log(theirs.alphas_ / ours.alpha_)).argmin())
    out["LassoCV"] = _above(theirs.mse_path_, at)
    curve = np.array(
        [
            [np.mean((peer.Ridge(a).fit(X[i], y[i]).predict(X[j]) - y[j]) ** 2) for i, j in folds.split(X)]
            for a in ALPHAS
        ]
    )
    chosen = tn.RidgeCV(ALPHAS, random_state=seed).fit(X, y).alpha_
    out["RidgeCV"] = _above(curve, int(np.flatnonzero(chosen == ALPHAS)[0]))
    return out


def _above(curve: Any, at: int) -> float:
    mean = curve.mean(axis=1)
    least = int(mean.argmin())
    error = curve[least].std(ddof=1) / np.sqrt(curve.shape[1])
    return float((mean[at] - mean[least]) / (error + 1e-12))


def missed(found: dict[str, list[float]], sets: int) -> list[str]:
    """Print what was found; the promises that were missed."""
    wrong = []
    for name, values in found.items():
        some = np.array(values)
        penalty, both = name.endswith("CV"), name.startswith(("forest", "bag"))
        off = some > 1 if penalty else (np.abs(some) if both else some) > 3
        most = max(1, sets // 100) if penalty else int(binom.ppf(0.999, sets, OUTSIDE))
        print(
            f"{name:22} outside {off.sum():3d} of {sets} (at most {most}); mean {some.mean():+.2f}, "
            f"least {some.min():+.2f}, greatest {some.max():+.2f} standard errors"
        )
        if off.sum() > most:
            wrong.append(name)
    return wrong


def run(sets: int, seed: int) -> list[str]:
    """All sets."""
    found: dict[str, list[float]] = {}
    for k in range(sets):
        for part in (out_of_bag, stacks, penalties):
            for name, value in part(seed * 10_000 + k).items():
                found.setdefault(name, []).append(value)
    return missed(found, sets)
