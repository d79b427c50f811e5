"""AdaBoost, looked at round by round by the definition. Used by the tests and `benchmarks/ada_boost.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import tenfold as tn
from tenfold.engine import Local, fit
from tenfold.sources import ArraySource

LEARNERS: dict[str, Any] = {
    "stumps": None,
    "DecisionStump": tn.DecisionStump(),
    "trees of depth 2": tn.DecisionTreeClassifier(max_depth=2),
    "GaussianNB": tn.GaussianNB(),
}


def table(seed: int, classes: int | None = None) -> tuple[Any, Any, Any]:
    """Rows of a kind that the seed draws: few or some, with ties or without, clean or noisy, even or weighted."""
    random = np.random.default_rng(seed)
    n, p = int(random.integers(12, 250)), int(random.integers(1, 7))
    k = classes or int(random.choice([2, 2, 3, 4]))
    X = random.standard_normal((n, p))
    if random.random() < 0.5:
        X = np.round(X, int(random.integers(0, 2)))
    score = X[:, 0] + X[:, -1] * X[:, p // 2] + random.choice([0.0, 0.3, 2.0]) * random.standard_normal(n)
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, k + 1)[1:-1]), score)
    y[:k] = np.arange(k)
    weight = np.ones(n) if random.random() < 0.5 else random.integers(1, 5, n) * random.choice([1.0, 0.37])
    return X, y, weight


class Examined(NamedTuple):
    """The worst that was found in the rounds of a model."""

    rounds: int
    error: float
    """how far a weighted error is from that of the definition"""
    half: float
    """how far the error of a round under the weights it leads to is from 1 - 1/K"""
    above: float
    """how far a training error is above its bound; never above 0"""
    margin: float
    """the same of shares of rows with small margins"""
    zero: int
    """rounds after which theory says that no row is wrong"""
    wrong: float
    """training error at most in those"""
    bounded: int
    """rounds whose bound says something"""


def said_by(model: Any, X: Any) -> Any:
    """The code of the class that each member says of each row, members x rows."""
    if model.estimator is not None:
        return np.array([np.searchsorted(model.classes_, member.predict(X)) for member in model.estimators_])
    stumps = zip(model.feature_, model.threshold_, model.left_, model.right_, strict=True)
    return np.array([np.where(X[:, j] <= bar, low, high) for j, bar, low, high in stumps])


def examine(model: Any, X: Any, y: Any, weight: Any) -> Examined:
    """Go through the rounds of a model, fitted to these rows with full votes, weighing rows as the definition says."""
    codes, k = np.searchsorted(model.classes_, y), len(model.classes_)
    errors, alphas = model.estimator_errors_, model.estimator_weights_
    start, w, votes = weight / weight.sum(), weight / weight.sum(), np.zeros((k, len(y)))
    error = half = wrong = 0.0
    above = margin = -np.inf
    zero = bounded = 0
    for t, said in enumerate(said_by(model, X)):
        missed = said != codes
        error = max(error, abs(float(w[missed].sum()) - errors[t]))
        w = w * np.exp(alphas[t] * missed)
        w /= w.sum()
        votes[said, np.arange(len(y))] += alphas[t]
        if not 0 < errors[t] < 1 - 1 / k:
            continue  # it has no error, and decides alone
        half = max(half, abs(float(w[missed].sum()) - (1 - 1 / k)))
        own = votes[codes, np.arange(len(y))]
        votes_of_others = np.where(np.arange(k)[:, None] == codes, -np.inf, votes).max(axis=0)
        lead = (own - votes_of_others) / alphas[: t + 1].sum()
        for theta in (0.0, 0.1, 0.5):
            bound = tn.theory.adaboost_bound(errors[: t + 1], classes=k, margin=theta)
            bounded += theta == 0 and not bound.vacuous
            over = float(start[lead <= theta].sum()) - float(bound)
            above, margin = (max(above, over), margin) if theta == 0 else (above, max(margin, over))
        if k == 2 and (weight == weight[0]).all():
            edge = 0.5 - errors[: t + 1].max()
            if t + 1 >= tn.theory.adaboost_rounds(len(y), min(edge, 0.499)):
                zero, wrong = zero + 1, max(wrong, float(start[lead <= 0].sum()))
    return Examined(len(errors), error, half, above, margin, zero, wrong, bounded)


def last_errors(X: Any, y: Any, weight: Any, rounds: int) -> list[tuple[float, float]]:
    """Of each round of stumps: its error, and what the certificate says after it of its error under the new weights."""
    found: dict[int, tuple[float, float]] = {}

    def watch(at: Any) -> None:
        if at.certificate is not None:
            found[at.state.step] = at.model.estimator_errors[-1], at.certificate["last error"].value

    fit(tn.AdaBoostClassifier(n_estimators=rounds), ArraySource(X, y, weight), runner=Local(1), watchers=[watch])
    return [found[step] for step in sorted(found)]
