"""Result of a search: the best point, the curve of the best fitness, and the state from which to resume."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes, Values
from tenfold.search.method import State


class Progress(NamedTuple):
    """Progress of a search, also in the middle of a round. Random numbers of a round depend on seed and round."""

    seed: int
    state: State
    pending: Values
    """points of this round, of which the first are evaluated; empty between rounds"""
    scores: Array
    """scores of the evaluated points"""
    evaluations: int
    best: Values
    improved: int
    """the round in which the best was found"""
    spent: Codes
    """after how many evaluations the best score rose"""
    rose: Array
    """the best score from then on"""

    def evaluated(self, X: Values, scores: Array) -> Progress:
        """The same after the next pending points are evaluated."""
        at = self._replace(scores=np.concatenate([self.scores, scores]), evaluations=self.evaluations + len(X))
        if len(self.rose) and scores.max() <= self.rose[-1]:
            return at
        top = np.maximum.accumulate(np.concatenate([self.rose[-1:], scores]))
        first = np.zeros(1 - len(self.rose[-1:]), dtype=np.int64)  # of all points it is the best so far, in any case
        up = np.concatenate([first, np.flatnonzero(top[1:] > top[:-1]) + len(first)])
        return at._replace(
            best=X[up[-1]].copy(), improved=self.state.round + 1, rose=np.concatenate([self.rose, scores[up]]),
            spent=np.concatenate([self.spent, self.evaluations + up + 1]),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Trace:
    """How the best fitness rose: it never falls, or never rises if it is minimized.

    Parameters
    ----------
    evaluations : array of int
        After how many evaluations there was a new best one.
    fitness : array
        The best fitness from then on.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> trace = search.Trace(np.array([1, 40]), np.array([3.0, 7.0]))
    >>> trace.at([1, 39, 40, 1_000]).tolist()
    [3.0, 3.0, 7.0, 7.0]
    """

    evaluations: Codes
    fitness: Array

    def at(self, evaluations: ArrayLike) -> Array:
        """Best fitness after given numbers of evaluations; NaN before the first.

        Parameters
        ----------
        evaluations : array of int

        Returns
        -------
        fitness : array
        """
        place = np.searchsorted(self.evaluations, np.asarray(evaluations), side="right")
        return np.concatenate([[np.nan], self.fitness])[place]


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult:
    """Result of a search.

    Parameters
    ----------
    progress : Progress
        Progress of the search; `optimize(..., resume=result)` continues from there.
    maximize : bool
    stopped : str
        Why it stopped.
    seconds : float
        How long this call took.

    Examples
    --------
    >>> from tenfold import search
    >>> found = search.optimize(search.queens(6), search.HillClimbing(), evaluations=5_000)
    >>> found.fitness, found.stopped
    (0.0, 'target reached')
    >>> sorted(found.best.tolist())
    [0, 1, 2, 3, 4, 5]
    """

    progress: Progress
    maximize: bool
    stopped: str
    seconds: float

    @property
    def best(self) -> Values:
        """The best point that was evaluated; of equally good ones the first."""
        return self.progress.best

    @property
    def fitness(self) -> float:
        """The fitness of the best point."""
        return float(self._sign * self.progress.rose[-1])

    @property
    def evaluations(self) -> int:
        """How many points were evaluated."""
        return self.progress.evaluations

    @property
    def rounds(self) -> int:
        """How many rounds were done after the first population."""
        return max(self.progress.state.round, 0)

    @property
    def trace(self) -> Trace:
        """How the best fitness rose."""
        return Trace(self.progress.spent, self._sign * self.progress.rose)

    @property
    def population(self) -> Values:
        """The points with which the next round begins."""
        return self.progress.state.X

    @property
    def population_fitness(self) -> Array:
        """The fitness of each point of the population."""
        return self._sign * self.progress.state.scores

    @property
    def _sign(self) -> float:
        return 1.0 if self.maximize else -1.0

    def __repr__(self) -> str:
        return (
            f"SearchResult(fitness={self.fitness:g}, evaluations={self.evaluations}, rounds={self.rounds}, "
            f"stopped={self.stopped!r})"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file of numpy's format npz, from which `load` and `optimize(..., resume=)` go on.

        Parameters
        ----------
        path : str or path
        """
        held: dict[str, Any] = {f"state.{name}": value for name, value in self.progress.state._asdict().items()}
        held |= {name: value for name, value in self.progress._asdict().items() if name != "state"}
        with open(path, "wb") as file:
            np.savez(file, maximize=self.maximize, stopped=self.stopped, seconds=self.seconds, **held)


def load(path: str | os.PathLike[str]) -> SearchResult:
    """Read a result that `SearchResult.save` has written.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    found : SearchResult

    Examples
    --------
    >>> from tenfold import search
    >>> search.optimize(search.four_peaks(20), search.Genetic(), evaluations=500).save("found.npz")
    >>> found = search.load("found.npz")
    >>> search.optimize(search.four_peaks(20), search.Genetic(), evaluations=900, resume=found).evaluations
    900
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            held = {name: file[name] for name in file.files}
        state = State(int(held["state.round"]), *(held[f"state.{name}"] for name in State._fields[1:]))
        progress = Progress(
            seed=int(held["seed"]), state=state, pending=held["pending"], scores=held["scores"], best=held["best"],
            evaluations=int(held["evaluations"]), improved=int(held["improved"]), spent=held["spent"],
            rose=held["rose"],
        )  # fmt: skip
        return SearchResult(progress, bool(held["maximize"]), str(held["stopped"]), float(held["seconds"]))
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{os.fspath(path)!r} is not a file that SearchResult.save wrote: {error}") from None
