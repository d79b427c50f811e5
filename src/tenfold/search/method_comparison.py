"""Which method finds more for as many evaluations: several seeds of each, curves of the best, and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tenfold.core import Array, Codes
from tenfold.model_selection.cross_validation.cross_validation_result import corrected_interval
from tenfold.model_selection.formatting import ResultTable
from tenfold.search.method import Method
from tenfold.search.optimize import optimize
from tenfold.search.problem import Problem
from tenfold.search.search_result import SearchResult
from tenfold.theory.checks import whole

CURVE_POINTS = 200
"""number of points of each curve"""


@dataclass(frozen=True, eq=False, repr=False)
class SearchComparison(ResultTable):
    """Comparison of methods: the best fitness by the number of evaluations.

    Parameters
    ----------
    problem : Problem
    evaluations : array of int
        Where the curves are known.
    results : dict of str to tuple of SearchResult
        Results of each method, one for each seed.
    """

    problem: Problem
    evaluations: Codes
    results: Mapping[str, tuple[SearchResult, ...]]

    def curves(self, name: str) -> Array:
        """Best fitness of a method after given numbers of evaluations, for each seed.

        Parameters
        ----------
        name : str

        Returns
        -------
        fitness : array of shape (evaluations, seeds)
        """
        return np.stack([found.trace.at(self.evaluations) for found in self.results[name]], axis=1)

    def interval(self, name: str, level: float = 0.95) -> Array:
        """Ends of an interval of the mean over seeds, by Student's t: for each number of evaluations.

        Parameters
        ----------
        name : str
        level : float, default=0.95

        Returns
        -------
        ends : array of shape (evaluations, 2)
        """
        return corrected_interval(self.curves(name), None, level)

    def _head(self) -> list[str]:
        return ["method", "mean best", "95 % interval", "best", "optimum found", "seconds a run"]

    def _rows(self) -> list[list[str]]:
        return [self._row(name) for name in self.results]

    def _row(self, name: str) -> list[str]:
        runs = self.results[name]
        fitness = np.array([found.fitness for found in runs])
        low, high = self.interval(name)[-1]
        optimum = self.problem.optimum
        reached = "" if optimum is None else f"{int((fitness == optimum).sum())} of {len(runs)}"
        best = fitness.max() if self.problem.maximize else fitness.min()
        seconds = np.mean([found.seconds for found in runs])
        return [name, f"{fitness.mean():.6g}", f"{low:.6g} to {high:.6g}", f"{best:.6g}", reached, f"{seconds:.3g}"]

    def _note(self) -> str:
        how = "greater" if self.problem.maximize else "smaller"
        seeds = len(next(iter(self.results.values())))
        return f"{self.problem.name}: {how} is better, {self.evaluations[-1]:,} evaluations, {seeds} seeds"


def compare_searches(
    problem: Problem, methods: Mapping[str, Method], *, evaluations: int, seeds: int | Iterable[int] = 10
) -> SearchComparison:
    """Search with several methods, each from the same seeds and with the same budget.

    Parameters
    ----------
    problem : Problem
    methods : dict of str to Method
        By the name under which they are shown.
    evaluations : int
        The budget of each run.
    seeds : int or list of int, default=10
        How many, or which.

    Returns
    -------
    comparison : SearchComparison

    Examples
    --------
    >>> from tenfold import search
    >>> methods = {"hill climbing": search.HillClimbing(), "MIMIC": search.MIMIC(population=300)}
    >>> found = search.compare_searches(search.four_peaks(30), methods, evaluations=9_000, seeds=5)
    >>> found.curves("MIMIC").shape
    (200, 5)
    >>> found.interval("MIMIC")[-1].tolist()  # the optimum, from each seed
    [56.0, 56.0]
    """
    budget = whole("evaluations", evaluations)
    if not methods:
        raise ValueError("methods must have a name and a method for each search, and has none")
    chosen = list(seeds) if isinstance(seeds, Iterable) else list(range(whole("seeds", seeds)))
    results = {
        name: tuple(optimize(problem, method, evaluations=budget, random_state=seed) for seed in chosen)
        for name, method in methods.items()
    }
    grid = np.unique(np.rint(np.linspace(1, budget, CURVE_POINTS)).astype(np.int64))
    return SearchComparison(problem, grid, results)
