"""Randomised search: the best of very many points, by an objective that evaluates a population at once.

A problem is an objective over a space of points; a method proposes points and accepts what was evaluated; `optimize` is
the loop. Populations are evaluated by the runner in force, and the same seed finds the same points on any.
"""

from tenfold.search.dependence_trees import Dependence, fit_dependence, pair_counts
from tenfold.search.genetic import Genetic
from tenfold.search.hill_climbing import HillClimbing
from tenfold.search.method import Method, State
from tenfold.search.method_comparison import SearchComparison, compare_searches
from tenfold.search.mimic import MIMIC
from tenfold.search.optimize import optimize
from tenfold.search.peaks import continuous_peaks, flip_flop, four_peaks, six_peaks
from tenfold.search.problem import Problem
from tenfold.search.puzzles import k_coloring, knapsack, queens, rastrigin, tsp
from tenfold.search.search_result import SearchResult, Trace, load
from tenfold.search.simulated_annealing import (
    Constant,
    GeometricDecay,
    LinearDecay,
    LogarithmicDecay,
    SimulatedAnnealing,
)
from tenfold.search.spaces import Bits, Box, Discrete, Permutations, Space

__all__ = [
    "MIMIC",
    "Bits",
    "Box",
    "Constant",
    "Dependence",
    "Discrete",
    "Genetic",
    "GeometricDecay",
    "HillClimbing",
    "LinearDecay",
    "LogarithmicDecay",
    "Method",
    "Permutations",
    "Problem",
    "SearchComparison",
    "SearchResult",
    "SimulatedAnnealing",
    "Space",
    "State",
    "Trace",
    "compare_searches",
    "continuous_peaks",
    "fit_dependence",
    "flip_flop",
    "four_peaks",
    "k_coloring",
    "knapsack",
    "load",
    "optimize",
    "pair_counts",
    "queens",
    "rastrigin",
    "six_peaks",
    "tsp",
]
