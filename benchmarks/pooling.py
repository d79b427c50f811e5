"""Partial pooling: time of many groups, and how often intervals cover: `python benchmarks/pooling.py`.

CPU seconds from summaries, of as many groups and rows as in statsmodels#9097, beside statsmodels on a share of the
groups. Coverage of intervals of 90 % in simulations: the coefficient of a cell, the mean of a cell, and the mean of a
group that is new.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from scipy.stats import norm

import tenfold as tn
from workloads import Promises

GROUPS, ROWS = 125_066, 500_220
SIMULATIONS = 2_000
LEVEL = 0.9
COVERED = 0.88, 0.92
TERMS = "intercept", ["intercept", "a"], ["intercept", "a", "b"]


def many_groups(groups: int, rows: int) -> pd.DataFrame:
    """Rows of groups that differ in an intercept and a slope."""
    random = np.random.default_rng(0)
    group = np.concatenate([np.arange(groups), random.integers(0, groups, rows - groups)])
    X, u = random.normal(size=(rows, 3)) + 1, random.normal(size=(groups, 2)) * [0.8, 0.4]
    y = 2 + X @ [0.5, 1.0, 1.5] + u[group, 0] + u[group, 1] * X[:, 0] + random.normal(size=rows)
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(group=group, y=y)


def peer_seconds(rows: pd.DataFrame) -> float:
    """CPU seconds of statsmodels, random intercept and slope."""
    from statsmodels.formula.api import mixedlm

    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixedlm("y ~ a + b + c", rows, groups="group", re_formula="~a").fit(reml=True)
    return time.process_time() - began


def coverage(simulations: int) -> dict[str, float]:
    """How often intervals hold the coefficients and means by which the rows were drawn."""
    random, inside = (
        np.random.default_rng(0),
        {"slope of a cell": 0.0, "mean of a cell": 0.0, "mean of a new group": 0.0},
    )
    groups = 40
    new = pd.DataFrame({"group": np.arange(groups + 1), "a": 0.5})
    for _ in range(simulations):
        start, slope = 1 + random.normal(size=groups + 1), 2 + 0.7 * random.normal(size=groups + 1)
        group = np.repeat(np.arange(groups), random.integers(3, 12, groups))
        a = random.normal(size=len(group))
        y = start[group] + slope[group] * a + random.normal(size=len(group))
        rows = tn.scan(pd.DataFrame({"a": a, "group": group, "y": y}), target="y")
        pooled = tn.Cube(tn.LinearRegression(), by="group").fit(rows).pool(["intercept", "a"])
        table = pooled.table()
        off = np.abs(table["coef_a"].to_numpy() - slope[:-1]) / table["se_a"].to_numpy()
        ends, means = pooled.predict_interval(new, LEVEL, of="mean"), start + 0.5 * slope
        held = (ends[:, 0] <= means) & (means <= ends[:, 1])
        inside["slope of a cell"] += (off <= norm.isf((1 - LEVEL) / 2)).mean()
        inside["mean of a cell"] += held[:-1].mean()
        inside["mean of a new group"] += held[-1]
    return {name: found / simulations for name, found in inside.items()}


def main() -> None:
    """Time, simulate, and print."""
    asks = argparse.ArgumentParser(description=__doc__)
    asks.add_argument("--groups", type=int, default=GROUPS)
    asks.add_argument("--simulations", type=int, default=SIMULATIONS)
    asks.add_argument("--peer-groups", type=int, default=2_000)
    given = asks.parse_args()
    promises = Promises((given.groups, given.simulations) == (GROUPS, SIMULATIONS))
    rows = many_groups(given.groups, given.groups * ROWS // GROUPS)
    cube = tn.Cube(tn.LinearRegression(), by="group").fit(tn.scan(rows, target="y"))
    cube.pool()
    for terms in TERMS:
        began = time.process_time()
        pooled = cube.pool(terms)
        took = time.process_time() - began
        evaluations = pooled._model.estimate.evaluations
        print(f"{given.groups:,} groups, {len(rows):,} rows, {terms}: {took:.2f} s CPU, {evaluations} evaluations")
        promises.at_most(f"seconds of {terms}", took, 5.0)
    some = rows[rows["group"] < given.peer_groups]
    print(f"statsmodels, {given.peer_groups:,} of the groups, intercept and slope: {peer_seconds(some):.2f} s CPU")
    for name, found in coverage(given.simulations).items():
        print(f"intervals of {LEVEL:.0%}, {name}: {found:.2%} of {given.simulations:,} simulations")
        promises.at_least(name, found, COVERED[0])
        promises.at_most(name, found, COVERED[1])
    promises.settle()


if __name__ == "__main__":
    main()
