"""Draw data whose true errors are known, and count the runs in which a bound is broken.

Rows are uniform on 0 to 1, the class is whether x > 1/2, turned over with a chance of NOISE; the rule x > t then
errs with a chance of NOISE + (1 - 2 NOISE) |t - 1/2|. A run counts if any hypothesis breaks its bound.
`benchmarks/bounds.py` runs them all 1,000 times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from tenfold import FindS, theory

RUNS = 100
"""runs of each simulation in the test suite"""
DELTA = 0.1
NOISE = 0.1
GRID = np.linspace(0, 1, 41)


def broken(once: Callable[[np.random.Generator, float], bool], runs: int = RUNS, delta: float = DELTA) -> int:
    """In how many runs the bound was broken."""
    return sum(bool(once(np.random.default_rng([7, run]), delta)) for run in range(runs))


def allowed(runs: int = RUNS, delta: float = DELTA) -> int:
    """As many as a bound broken with a chance of delta is broken, but for one time in 10,000."""
    return int(binom.ppf(1 - 1e-4, runs, delta))


def rows(random: np.random.Generator, m: int, noise: float = NOISE) -> tuple[np.ndarray, np.ndarray]:
    x = random.random(m)
    return x, (x > 0.5) ^ (random.random(m) < noise)


def true_error(t: np.ndarray) -> np.ndarray:
    return NOISE + (1 - 2 * NOISE) * np.abs(t - 0.5)


def mistakes(t: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Errors of each rule x > t."""
    return ((x > t[:, None]) != y).sum(axis=1)


def held_out(random: np.random.Generator, delta: float) -> bool:
    rate = random.uniform(0.01, 0.5)
    return float(theory.held_out_bound(int(random.binomial(80, rate)), 80, delta)) < rate


def hoeffding(random: np.random.Generator, delta: float) -> bool:
    a, b = random.uniform(0.05, 2, 2)
    return abs(random.beta(a, b, 60).mean() - a / (a + b)) > float(theory.hoeffding_radius(60, delta))


def chernoff(random: np.random.Generator, delta: float) -> bool:
    rate = random.uniform(0.01, 0.5)
    return random.binomial(80, rate) / 80 - rate > float(theory.chernoff_radius(80, delta, rate))


def finite_gap(random: np.random.Generator, delta: float) -> bool:
    x, y = rows(random, 60)
    gap = float(theory.error_bound(60, delta, size=len(GRID), goal="gap"))
    return bool((true_error(GRID) > mistakes(GRID, x, y) / 60 + gap).any())


def finite_agnostic(random: np.random.Generator, delta: float) -> bool:
    x, y = rows(random, 60)
    chosen = true_error(GRID)[mistakes(GRID, x, y).argmin()]
    return chosen - NOISE > float(theory.error_bound(60, delta, size=len(GRID), goal="agnostic"))


def finite_consistent(random: np.random.Generator, delta: float) -> bool:
    x, y = rows(random, 30, 0.0)
    clean = GRID[mistakes(GRID, x, y) == 0]
    return bool((np.abs(clean - 0.5) > float(theory.error_bound(30, delta, size=len(GRID)))).any())


def vc_gap(random: np.random.Generator, delta: float) -> bool:
    x, y = rows(random, 60)
    ends = np.concatenate([x, np.nextafter(x, -1)])  # training errors jump at the rows only
    return bool((true_error(ends) > mistakes(ends, x, y) / 60 + float(_vc_gap(delta))).any())


def vc_net(random: np.random.Generator, delta: float) -> bool:
    x, _ = rows(random, 60, 0.0)
    gap = max(0.5 - x[x <= 0.5].max(initial=0.0), x[x > 0.5].min(initial=1.0) - 0.5)
    return gap > float(theory.error_bound(60, delta, vc=1, form="net"))


def occam(random: np.random.Generator, delta: float) -> bool:
    x, y = rows(random, 60)
    prior = 1 / (1.0 + np.arange(len(GRID))) ** 2
    prior /= prior.sum()
    errors = mistakes(GRID, x, y)
    bounds = [float(theory.occam_bound(int(k), 60, delta, prior=p)) for k, p in zip(errors, prior, strict=True)]
    return bool((true_error(GRID) > bounds).any())


def compression(random: np.random.Generator, delta: float) -> bool:
    """The rule x > xᵢ rests on one row, which is not counted among its errors."""
    x, y = rows(random, 60)
    others = mistakes(x, x, y) - y  # xᵢ > xᵢ is false: row i is an error of its own rule where y is true
    bounds = [float(theory.compression_bound(1, int(k), 60, delta, sizes=1)) for k in others]
    return bool((true_error(x) > bounds).any())


def pac_bayes(random: np.random.Generator, delta: float) -> bool:
    x, y = rows(random, 60)
    errors = mistakes(GRID, x, y) / 60
    for heat in (0.0, 10.0, 60.0, 300.0):
        posterior = np.exp(-heat * (errors - errors.min()))
        posterior /= posterior.sum()
        kl = max(float((posterior * np.log(np.maximum(posterior, 1e-300) * len(GRID))).sum()), 0.0)
        if posterior @ true_error(GRID) > float(theory.pac_bayes_bound(posterior @ errors, kl, 60, delta)):
            return True
    return False


def pac_bayes_margin(random: np.random.Generator, delta: float) -> bool:
    x = random.normal(size=(400, 4))
    y = np.where((x[:, 0] > 0) ^ (random.random(400) < 0.02), 1.0, -1.0)
    w = y @ x
    margins = y * (x @ w) / (np.linalg.norm(w) * np.linalg.norm(x, axis=1))
    error = 0.02 + 0.96 * np.arccos(w[0] / np.linalg.norm(w)) / np.pi
    return error > float(theory.pac_bayes_margin_bound(margins, delta))


def find_s(random: np.random.Generator, delta: float) -> bool:
    """Find-S on conjunctions of ten literals, with as many rows as are enough, errs more than it may."""
    eps, n = 0.1, 10
    true, target = random.random(n), random.choice(3, n, p=[0.1, 0.1, 0.8])  # false, true, or either
    X = random.random((theory.sample_size(eps, delta, log_size=theory.log_conjunctions(n)), n)) < true
    y = ((target == 2) | (target == X)).all(axis=1)
    found = FindS(pos_label=True).fit(X, y).hypothesis_
    rows = np.where(target == 2, 1.0, np.where(target == 1, true, 1 - true))  # chances of the values that are asked for
    covered = np.array([1.0 if v == "?" else 0.0 if v is None else p if v else 1 - p for v, p in zip(found, true)])
    return float(rows.prod() - covered.prod()) > eps  # what it covers is part of the concept


def _vc_gap(delta: float) -> theory.Bound:
    return theory.error_bound(60, delta, vc=1, goal="gap")


SIMULATIONS = (
    held_out,
    hoeffding,
    chernoff,
    finite_consistent,
    find_s,
    finite_gap,
    finite_agnostic,
    vc_gap,
    vc_net,
    occam,
    compression,
    pac_bayes,
    pac_bayes_margin,
)
