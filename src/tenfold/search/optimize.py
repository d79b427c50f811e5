"""Loop of all searches: propose points, evaluate them, accept them, until the budget is spent.

The random numbers of a round come from the seed and the number of the round alone. So a search that has stopped
anywhere, in the middle of a round too, goes on with the same bits from what it has found.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core.stop import Never, Stop
from tenfold.engine import current, one_blas_thread
from tenfold.search.method import Method, State
from tenfold.search.problem import Problem
from tenfold.search.search_result import Progress, SearchResult
from tenfold.search.spaces import Space
from tenfold.theory.checks import number, whole

PROPOSE, ACCEPT = range(2)
"""streams of random numbers of a round"""


def optimize(
    problem: Problem,
    method: Method,
    *,
    evaluations: int,
    random_state: int | None = None,
    target: float | None = None,
    patience: int | None = None,
    stop: Stop | None = None,
    init: ArrayLike | None = None,
    resume: SearchResult | None = None,
) -> SearchResult:
    """Search for the best point of a problem.

    Populations are evaluated by the runner in force, `with tn.on(...)`: the same seed finds the same points, to the
    bit, on any of them.

    Parameters
    ----------
    problem : Problem
    method : Method
        `HillClimbing`, `SimulatedAnnealing`, `Genetic` or `MIMIC`.
    evaluations : int
        The budget: how many points are evaluated, never more, and never fewer unless the search stops early. A search
        that goes on counts what it has spent before.
    random_state : int, optional
        The seed, 0 by default; that of the search which goes on.
    target : float, optional
        Stop after the round in which the fitness is as good as this: by default the optimum of the problem, if known.
    patience : int, optional
        Stop after so many rounds in which there was no new best point.
    stop : Stop, optional
        A further rule, as `tn.Rounds(100) | tn.Seconds(60)`.
    init : array of shape (points, variables), optional
        The first population; by default, it is drawn at random.
    resume : SearchResult, optional
        What an earlier call has found, for the same problem and method: the search goes on from there as if it had
        never stopped.

    Returns
    -------
    found : SearchResult

    Examples
    --------
    >>> from tenfold import search
    >>> found = search.optimize(search.flip_flop(30), search.SimulatedAnnealing(), evaluations=50_000)
    >>> found.fitness, found.stopped
    (29.0, 'target reached')
    >>> tour = search.tsp([[0, 0], [0, 1], [2, 0], [2, 1]])
    >>> half = search.optimize(tour, search.HillClimbing(), evaluations=50)
    >>> whole = search.optimize(tour, search.HillClimbing(), evaluations=100, resume=half)
    >>> whole.evaluations, whole.fitness
    (100, 6.0)
    """
    budget, space, runner, rule = whole("evaluations", evaluations), problem.space, current(), stop or Never()
    if patience is not None:
        whole("patience", patience)
    target = problem.optimum if target is None else number("target", target)
    goal = np.inf if target is None else problem.sign * target
    method.check(space)
    if resume is None:
        at = _begin(method, space, whole("random_state", random_state or 0, 0, 2**64 - 1), init)
    else:
        at = _go_on(resume, problem, random_state, init)
    began = time.perf_counter()
    with one_blas_thread():
        while not (why := _reason(at, budget, goal, patience, rule, time.perf_counter() - began)):
            if not len(at.pending):
                at = at._replace(pending=method.propose(at.state, space, _rng(at, PROPOSE)))
            some = at.pending[len(at.scores) : len(at.scores) + budget - at.evaluations]
            at = at.evaluated(some, problem.scores(some, runner))
            if len(at.scores) == len(at.pending):
                at = _accepted(at, method)
    return SearchResult(at, problem.maximize, why, time.perf_counter() - began)


def _begin(method: Method, space: Space, seed: int, init: ArrayLike | None) -> Progress:
    """A search of which nothing is evaluated yet."""
    nothing, codes = np.empty(0), np.empty(0, dtype=np.int64)
    before = Progress(seed, State(-1, nothing, nothing, codes), nothing, nothing, 0, nothing, 0, codes, nothing)
    first = space.sample(method.size, _rng(before, PROPOSE)) if init is None else space.check(init)
    return before._replace(pending=first)


def _go_on(found: SearchResult, problem: Problem, random_state: int | None, init: ArrayLike | None) -> Progress:
    """Return the progress of an earlier search, or raise if it is not one of this problem."""
    at = found.progress
    if init is not None:
        raise ValueError("init and resume exclude each other: a search that goes on has its population")
    if random_state is not None and random_state != at.seed:
        raise ValueError(f"random_state={random_state!r}, but the search that goes on has the seed {at.seed}")
    if found.maximize != problem.maximize:
        raise ValueError("one of the problem and the search that goes on maximizes, the other minimizes")
    for X in (at.state.X, at.pending):
        if len(X):
            problem.space.check(X)
    return at


def _rng(at: Progress, stream: int) -> np.random.Generator:
    """The random numbers of the round to come, for one purpose."""
    key = np.array([at.seed, 0], dtype=np.uint64)
    counter = np.array([0, 0, at.state.round + 1, stream], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=counter))


def _accepted(at: Progress, method: Method) -> Progress:
    """The same after a round whose points are all evaluated."""
    if at.state.round < 0:
        state = State(0, at.pending, at.scores, np.zeros(len(at.pending), dtype=np.int64))
    else:
        state = method.accept(at.state, at.pending, at.scores, _rng(at, ACCEPT))
    return at._replace(state=state, pending=at.pending[:0], scores=at.scores[:0])


def _reason(at: Progress, budget: int, goal: float, patience: int | None, rule: Stop, seconds: float) -> str:
    """Why to stop now, or nothing. Rules are asked between rounds."""
    if not len(at.pending):
        if at.rose[-1] >= goal:
            return "target reached"
        if patience is not None and at.state.round - at.improved >= patience:
            return f"{patience} rounds without a better point"
        if reason := rule(at.state.round, None, seconds):
            return reason
    return "evaluations spent" if at.evaluations >= budget else ""
