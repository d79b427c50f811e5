"""The arithmetic of AdaBoost (SAMME) for any member: votes, row weights, and training error bounds.

A round of weighted error ε gets α = log((1 - ε) / ε) + log(K - 1) votes (K classes), and the weights of the rows it
is wrong about are multiplied by exp(α). Then all are divided by Z = 1 - ε + ε exp(α), so their sum stays what it was.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from tenfold.core import Array, Claim, DataError


class BoostedVoting(Protocol):
    """Estimator weights and errors of the rounds of a boosting state."""

    @property
    def estimator_weights(self) -> Array:
        """The weight of the vote of each round."""

    @property
    def estimator_errors(self) -> Array:
        """Weighted training error of each member in its round."""

    @property
    def n_classes(self) -> int:
        """Number of classes."""


def chance(classes: int) -> float:
    """The error that a round must be below."""
    return (1 - 1e-12) * (1 - 1 / classes)


def finished(rounds: BoostedVoting, most: int) -> bool:
    """Whether the last round was the last: there are enough, it made no error, or it was no better than chance."""
    return bool(len(rounds.estimator_weights) >= most or not 0 < rounds.estimator_errors[-1] < chance(rounds.n_classes))


def votes_of(error: float, rounds: BoostedVoting, rate: float) -> float | None:
    """How many votes the next round gets; of one no better than chance, None, and of the first DataError."""
    if 0 < error < chance(rounds.n_classes):
        return rate * (math.log((1 - error) / error) + math.log(rounds.n_classes - 1))
    if error and len(rounds.estimator_weights):
        return None
    if error:
        raise DataError(
            f"the first classifier is wrong about {error:.3g} of the weight of the rows, no better than chance among "
            f"{rounds.n_classes} classes: boosting cannot start. Remedy: columns that separate the classes, an "
            f"estimator such as DecisionTreeClassifier(max_depth=3), or DummyClassifier() for the shares of the classes"
        )
    return 1 + float(rounds.estimator_weights.sum())  # without error: it decides alone


def raised(rounds: BoostedVoting) -> Array:
    """Factor by which each round raises the weights of the rows that it misclassifies."""
    return np.exp(np.minimum(rounds.estimator_weights, 600.0))  # more only where no row is


def growth(rounds: BoostedVoting) -> Array:
    """Factor by which each round raises the sum of the weights."""
    e = rounds.estimator_errors
    return (1 - e) + e * raised(rounds)


def bound_of(rounds: BoostedVoting) -> float:
    """No more than this share of the rows has a class with at most half of the votes (Markov)."""
    each = np.log(growth(rounds)) - rounds.estimator_weights / 2
    return float(np.exp(each.sum())) if not (rounds.estimator_errors == 0).any() else 0.0


def bar_of(rounds: BoostedVoting) -> float:
    """Lower bound on the weight growth of a row whose class has at most half of the votes."""
    return (1 - 1e-9) / max(bound_of(rounds), 1e-300)


def scores_of(votes: Array, total: float) -> Array:
    """Votes for the class, minus the mean of the votes for others, as a share of all."""
    share = votes / total
    return share - (1 - share) / max(votes.shape[1] - 1, 1)


def claims_of(rounds: BoostedVoting, s: Any, what: str) -> tuple[Claim, ...]:
    """Claims about the training error that follow from the rounds, and a check of the weights."""
    k, e, alpha = rounds.n_classes, rounds.estimator_errors, rounds.estimator_weights
    bound = bound_of(rounds)
    why = "the product over the rounds of Σ w exp(α (wrong - 1/2)), which is 2 √(ε (1 - ε)) for two classes"
    if bound >= 1:
        why = f"vacuous: {why}, so the bound is trivial here"
    doubt = "weight of the rows whose class has at most half of the votes: no other row can be wrong"
    edges = 1 - 1 / k - e
    least = int(edges.argmin())
    many = len(alpha)
    theory = e[-1] * math.exp(alpha[-1]) / growth(rounds)[-1] if e[-1] else 0.0
    last = (
        f"of the last {what} under the new weights, where theory says {theory:.6g}: the next round needs another member"
    )
    return (
        Claim("training error bound", min(bound, 1.0), "proved", why, "objective"),
        Claim("training error", s.doubtful / s.mass, "proved", doubt, "data"),
        Claim("least edge", float(edges[least]), "proved", f"over chance, in round {least + 1}", "objective"),
        Claim(
            "last edge",
            float(edges[-1]),
            "proved",
            f"over chance, in round {many}",
            "objective",
        ),
        Claim("last error", s.wrong / s.total, "proved", last, "arithmetic"),
    )
