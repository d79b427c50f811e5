"""The arithmetic of AdaBoost (SAMME), whatever is boosted: votes, weights of rows, and what rounds prove.

A round of weighted error ε gets α = log((1 - ε) / ε) + log(K - 1) votes (K classes), and the weights of the rows it
is wrong about are multiplied by exp(α). Then all are divided by Z = 1 - ε + ε exp(α), so their sum stays what it was.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tenfold.core import Array, Claim


def chance(classes: int) -> float:
    """The error that a round must be below."""
    return (1 - 1e-12) * (1 - 1 / classes)


def finished(state: Any, most: int) -> bool:
    """Whether the last round was the last: there are enough, it made no error, or it was no better than chance."""
    return bool(state.step >= most or not 0 < state.estimator_errors[-1] < chance(state.classes))


def votes_of(error: float, state: Any, rate: float) -> float | None:
    """How many votes the next round gets; None, if it is no better than chance and not the first."""
    if 0 < error < chance(state.classes):
        return rate * (math.log((1 - error) / error) + math.log(state.classes - 1))
    if error and state.step:
        return None
    return 1 + float(state.estimator_weights.sum())  # without error: it decides alone


def raised(state: Any) -> Array:
    """By how much each round raises the weight of the rows it is wrong about."""
    return np.exp(np.minimum(state.estimator_weights, 600.0))  # more only where no row is


def growth(state: Any) -> Array:
    """By how much each round raises the sum of the weights."""
    e = state.estimator_errors
    return (1 - e) + e * raised(state)


def bound_of(state: Any) -> float:
    """No more than this share of the rows has a class with at most half of the votes (Markov)."""
    each = np.log(growth(state)) - state.estimator_weights / 2
    return float(np.exp(each.sum())) if not (state.estimator_errors == 0).any() else 0.0


def bar_of(state: Any) -> float:
    """By how much the weight of a row has grown at least, if its class has at most half of the votes."""
    return (1 - 1e-9) / max(bound_of(state), 1e-300)


def scores_of(votes: Array, total: float) -> Array:
    """Votes for the class, less the mean of the votes for others, as a share of all."""
    share = votes / total
    return share - (1 - share) / max(votes.shape[1] - 1, 1)


def claims_of(state: Any, s: Any, what: str) -> tuple[Claim, ...]:
    """What the rounds prove about the training error, and that the weights are right."""
    k, e, alpha = state.classes, state.estimator_errors, state.estimator_weights
    bound = bound_of(state)
    why = "the product over the rounds of Σ w exp(α (wrong - 1/2)), which is 2 √(ε (1 - ε)) for two classes"
    if bound >= 1:
        why = f"vacuous: {why}, and it says nothing here"
    doubt = "weight of the rows whose class has at most half of the votes: no other row can be wrong"
    edges = 1 - 1 / k - e
    least = int(edges.argmin())
    theory = e[-1] * math.exp(alpha[-1]) / growth(state)[-1] if e[-1] else 0.0
    last = f"of the last {what} under the new weights, where theory says {theory:.6g}: it has no more to say"
    return (
        Claim("training error bound", min(bound, 1.0), "proved", why, "objective"),
        Claim("training error", s.doubtful / s.mass, "proved", doubt, "data"),
        Claim("least edge", float(edges[least]), "proved", f"over chance, in round {least + 1}", "objective"),
        Claim("last edge", float(edges[-1]), "proved", f"over chance, in round {state.step}", "objective"),
        Claim("last error", s.wrong / s.total, "proved", last, "arithmetic"),
    )
