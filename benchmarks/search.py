"""Randomised search beside mlrose-ky: `python benchmarks/search.py [--peer FOLDER] [--seeds 20] [--no-slow]`.

MIMIC on four peaks (60 bits, population 500, 30 rounds): times of one run, and the mean best fitness over the seeds.
Annealing and hill climbing at equal evaluations, the peer's from one point after another, ours side by side. Then the
same seeds on one thread, on several and on workers of Dask: the same bits. The peer must be importable, or be installed
in a folder: `pip install --no-deps --target FOLDER mlrose-ky networkx`. In its usual mode it takes a minute or more for
one run of MIMIC; `--no-slow` leaves that out. Its fitness over the seeds is that of its fast mode, which makes the same
trees in another way.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from distributed import Client

import tenfold as tn
from tenfold import search
from workloads import Promises

BITS, POPULATION, ROUNDS = 60, 500, 30
CHAINS, STEPS = 100, 1_000
"""of annealing and hill climbing: chains side by side, and how far each goes"""
MIMIC, CLIMBS = 100.0, 10.0
"""times as fast as the peer"""


def timed(call: Callable[[], Any], turns: int = 1) -> tuple[float, Any]:
    """The best of some times, and what came of it."""
    best, found = np.inf, None
    for _ in range(turns):
        began = time.perf_counter()
        found = call()
        best = min(best, time.perf_counter() - began)
    return best, found


def ours(method: Any, evaluations: int, seed: int) -> Any:
    """One run that spends its whole budget, also if it meets the optimum before."""
    problem = search.four_peaks(BITS)
    return search.optimize(problem, method, evaluations=evaluations, random_state=seed, target=np.inf)


def peers(ml: Any, name: str, fast: bool = False, **given: Any) -> float:
    """The best fitness that the peer finds."""
    problem = ml.DiscreteOpt(length=BITS, fitness_fn=ml.FourPeaks(t_pct=0.1))
    problem.set_mimic_fast_mode(fast)
    return float(getattr(ml, name)(problem, **given)[1])


def mimic(promises: Promises, ml: Any, seeds: int, slow: bool) -> None:
    """Speed of one run, and the best fitness over the seeds."""
    budget = POPULATION * (ROUNDS + 1)
    rounds = {"pop_size": POPULATION, "max_iters": ROUNDS, "max_attempts": ROUNDS}
    method = search.MIMIC(population=POPULATION)
    ours(method, budget, 0)
    mine, _ = timed(lambda: ours(method, budget, 0), 5)
    fitness = [ours(method, budget, seed).fitness for seed in range(1, seeds + 1)]
    began = time.perf_counter()
    theirs = [peers(ml, "mimic", fast=True, random_state=seed, **rounds) for seed in range(1, seeds + 1)]
    quick = (time.perf_counter() - began) / seeds
    print(f"MIMIC, four peaks, {BITS} bits, population {POPULATION}, {ROUNDS} rounds: {mine:.3f} s")
    print(f"  mlrose-ky, fast mode: {quick:.3f} s, {quick / mine:.1f} times")
    for model in ("tree", "chain", "independent"):
        found = [
            ours(search.MIMIC(population=POPULATION, model=model), budget, seed).fitness
            for seed in range(1, seeds + 1)
        ]  # fmt: skip
        print(f"  mean best fitness of {seeds} seeds, {model}: {np.mean(found):.2f}")
    print(f"  mean best fitness of {seeds} seeds, mlrose-ky: {np.mean(theirs):.2f}", flush=True)
    promises.at_least("mean best fitness of MIMIC", float(np.mean(fitness)), float(np.mean(theirs)))
    if slow:
        long, _ = timed(lambda: peers(ml, "mimic", random_state=1, **rounds))
        print(f"  mlrose-ky: {long:.1f} s, {long / mine:.0f} times", flush=True)
        promises.at_least("MIMIC", long / mine, MIMIC)


def climbs(promises: Promises, ml: Any, seeds: int) -> None:
    """Annealing and hill climbing at equal evaluations."""
    budget = CHAINS * STEPS
    print(f"{budget:,} evaluations of four peaks, {BITS} bits; {CHAINS} chains side by side, the peer's one by one")
    climb = {"restarts": CHAINS - 1, "max_iters": STEPS - 1, "max_attempts": STEPS}
    anneal = {"max_iters": budget - 1, "max_attempts": budget}
    for name, method, called, given in (
        ("simulated annealing", search.SimulatedAnnealing(chains=CHAINS), "simulated_annealing", anneal),
        ("hill climbing", search.HillClimbing(CHAINS, STEPS, sideways=False), "random_hill_climb", climb),
    ):
        mine, _ = timed(lambda method=method: ours(method, budget, 0), 3)
        theirs, other = timed(lambda called=called, given=given: peers(ml, called, random_state=1, **given))
        fitness = np.mean([ours(method, budget, seed).fitness for seed in range(seeds)])
        print(f"  {name:20s} {mine:.3f} s, best {fitness:.1f} (mean of {seeds} seeds); ", end="")
        print(f"mlrose-ky {theirs:.2f} s, best {other:.0f} (one seed); {theirs / mine:.1f} times", flush=True)
        promises.at_least(name, theirs / mine, CLIMBS)


def everywhere(promises: Promises) -> None:
    """The same bits for the same seed on threads and on workers."""
    tasks = [
        (search.four_peaks(BITS), search.MIMIC(population=POPULATION)),
        (search.four_peaks(BITS), search.Genetic()),
        (search.tsp(np.random.default_rng(0).random((40, 2))), search.SimulatedAnnealing()),
        (search.rastrigin(10), search.HillClimbing()),
    ]

    def bits(task: Any) -> bytes:
        found = search.optimize(*task, evaluations=5_000, random_state=7)
        return found.best.tobytes() + found.population.tobytes() + found.trace.fitness.tobytes()

    found = []
    for threads in (1, 2):
        with tn.on(tn.Local(threads)):
            found.append([bits(task) for task in tasks])
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client, tn.on(tn.Dask(client)):
        found.append([bits(task) for task in tasks])
    equal = sum(a == b == c for a, b, c in zip(*found, strict=True))
    print(f"the same bits on one thread, two threads and two workers: {equal} of {len(tasks)} searches")
    promises.at_least("searches with the same bits everywhere", equal, len(tasks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="folder in which mlrose-ky is installed")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--no-slow", action="store_true")
    given = parser.parse_args()
    if given.peer:
        sys.path.append(given.peer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlrose_ky as ml
    promises = Promises(given.seeds == 20 and not given.no_slow)
    climbs(promises, ml, given.seeds)
    everywhere(promises)
    mimic(promises, ml, given.seeds, not given.no_slow)
    promises.settle()


if __name__ == "__main__":
    main()
