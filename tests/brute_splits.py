"""Trees whose every split is checked against all there are. Used by the tests and `benchmarks/tree_splits.py`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import tenfold as tn
from tenfold.sources import as_source


def table(seed: int) -> tuple[Any, Any, Any]:
    """A small table of numbers (with ties) and categories, some missing; classes, whole weights."""
    random = np.random.default_rng(seed)
    n = int(random.integers(6, 40))
    columns = {}
    for j in range(int(random.integers(1, 4))):
        x = random.standard_normal(n) if random.random() < 0.5 else random.integers(0, 5, n).astype(float)
        x[random.random(n) < random.choice([0, 0.2])] = np.nan
        columns[f"x{j}"] = x
    for j in range(int(random.integers(0, 3))):
        c = np.array(list("abcdef"), dtype=object)[random.integers(0, random.integers(2, 7), n)]
        c[random.random(n) < random.choice([0, 0.2])] = None
        columns[f"c{j}"] = pd.Series(c, dtype=object)
    y = random.integers(0, random.integers(2, 5), n)
    return pd.DataFrame(columns), y, random.integers(1, 4, n).astype(float)


def impurity(y: Any, w: Any, criterion: str) -> float:
    """Impurity times weight, by the book; of numbers, the squared distances from their mean."""
    if not len(y):
        return 0.0
    if criterion == "squares":
        return float((w * (y - (w * y).sum() / w.sum()) ** 2).sum())
    share = np.bincount(y, weights=w) / w.sum()
    share = share[share > 0]
    by = {"gini": 1 - (share**2).sum(), "entropy": -(share * np.log2(share)).sum(), "error": 1 - share.max()}
    return float(w.sum() * by[criterion])


def sides(column: Any) -> list[Any]:
    """All ways to cut a column in two, as masks of the left."""
    missing = column.isna().to_numpy()
    found = []
    if column.dtype.kind == "f":
        x = column.to_numpy()
        for v in np.unique(x[~missing])[:-1]:
            found += [x <= v, (x <= v) | missing]
        found.append(~missing)
    else:
        code = column.fillna("missing").to_numpy()
        values = np.unique(code)
        for size in range(1, len(values)):
            found += [np.isin(code, some) for some in combinations(values, size)]
    return [mask for mask in found if 0 < mask.sum() < len(mask)]


def best_decrease(X: Any, y: Any, w: Any, criterion: str, multiway: bool) -> float:
    """The largest decrease over all splits; -1 if there is none."""
    whole, best = impurity(y, w, criterion), -1.0
    for name in X:
        column = X[name]
        if multiway and column.dtype.kind != "f":
            code = column.fillna("missing").to_numpy()
            if len(np.unique(code)) > 1:
                parts = [impurity(y[code == v], w[code == v], criterion) for v in np.unique(code)]
                best = max(best, whole - sum(parts))
            continue
        for mask in sides(column):
            best = max(best, whole - impurity(y[mask], w[mask], criterion) - impurity(y[~mask], w[~mask], criterion))
    return best


def nodes_of(model: Any, X: Any) -> Any:
    """rows x nodes: whether a row passes through a node."""
    tree, above = model.tree_, model.tree_.parent
    data = model.need, model.schema_
    source = as_source(X, None, None, data[0].without_target(), model=model, reset=False)
    known = type(model.schema_)(model.schema_.columns, None, None, model.schema_.named)
    ends = np.concatenate([tree.apply(source.load(i, data[0].without_target(), known).X) for i in range(len(source))])
    through = np.zeros((len(X), tree.node_count), bool)
    at = ends
    while (at >= 0).any():
        through[np.flatnonzero(at >= 0), at[at >= 0]] = True
        at = np.where(at >= 0, above[np.maximum(at, 0)], -1)
    return through


def largest_difference(seed: int) -> tuple[int, float]:
    """How many nodes a tree has, and the largest difference of a split's decrease from the best there is."""
    X, y, w = table(seed)
    criterion = ("gini", "entropy", "error", "squares")[seed % 4]
    split = ("subset", "multiway")[seed // 4 % 2]
    if criterion == "squares":
        model, y = tn.DecisionTreeRegressor(method="exact", split=split), y + 0.25 * (np.arange(len(y)) % 3)
    else:
        model = tn.DecisionTreeClassifier(criterion, method="exact", split=split)
    model.fit(X, y, sample_weight=w)
    through, worst = nodes_of(model, X), 0.0
    for k in range(model.tree_.node_count):
        rows = through[:, k]
        best = best_decrease(X[rows], y[rows], w[rows], criterion, split == "multiway")
        if model.tree_.feature[k] >= 0:
            worst = max(worst, abs(model.tree_.gain[k] - best) / w[rows].sum())
        elif impurity(y[rows], w[rows], criterion) > 1e-9:
            worst = max(worst, best if criterion == "squares" else best + 1)  # could have been split
    return model.tree_.node_count, worst
