"""Scores by scikit-learn's names: what to summarize of each part, and what to read off the merged summary."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from tenfold.stats.metrics.confusion import Average, Confusion
from tenfold.stats.metrics.log_loss import LogLoss
from tenfold.stats.metrics.ranking import Ranking
from tenfold.stats.metrics.regression import Regression

Needs = Literal["prediction", "probability", "score"]
Kind = Literal["class", "number"]


@dataclass(frozen=True)
class Scorer:
    """A score of a model, the greater the better.

    Scores of one family have the same `summarize`: one summary serves them all.

    Parameters
    ----------
    name : str
    needs : {"prediction", "probability", "score"}
        Class codes or numbers; probabilities of shape (rows, classes); numbers that grow with the odds of code 1.
    kind : {"class", "number"}
        What the target holds.
    summarize : callable
        `summarize(truth, output, weight, n_classes)` is the summary of some rows; truth is codes or numbers, and
        weight may be None.
    value : callable
        `value(summary)` is the score.
    instead : str
        If the score is of two classes only: what to ask for when there are more.
    low, high : float
        The least and the greatest that the score can be.
    """

    name: str
    needs: Needs
    kind: Kind
    summarize: Callable[[Any, Any, Any, int], Any]
    value: Callable[[Any], float]
    instead: str = ""
    low: float = -math.inf
    high: float = math.inf

    def check(self, n_classes: int) -> None:
        """Refuse, before any row is read, more classes than the score is of."""
        if self.instead:
            _two(self.name, self.instead, n_classes)


def _two(name: str, instead: str, n_classes: int) -> None:
    if n_classes > 2:
        raise ValueError(f"{name!r} is of two classes and the target has {n_classes}: ask for {instead}")


def confusion(truth: Any, output: Any, weight: Any, n_classes: int) -> Confusion:
    """Of predicted codes."""
    return Confusion.of(truth, output, weight, n_classes=n_classes)


def log_loss(truth: Any, output: Any, weight: Any, n_classes: int) -> LogLoss:
    """Of probabilities."""
    return LogLoss.of(truth, output, weight, n_classes=n_classes)


def ranking(truth: Any, output: Any, weight: Any, n_classes: int) -> Ranking:
    """Of scores of code 1, alone or in the second of two columns."""
    _two("roc_auc' or 'average_precision", RATHER, n_classes)
    output = np.asarray(output)
    return Ranking.of(truth, output[:, 1] if output.ndim == 2 and output.shape[1] == 2 else output, weight)


def regression(truth: Any, output: Any, weight: Any, n_classes: int = 0) -> Regression:
    """Of predicted numbers."""
    return Regression.of(truth, output, weight)


RATHER = "'f1_macro', 'balanced_accuracy' or 'neg_log_loss'"


def _read(attribute: str, sign: float, summary: Any) -> float:
    return sign * float(getattr(summary, attribute))


def _averaged(name: str, instead: str, method: str, average: Average, summary: Confusion) -> float:
    if average == "binary":
        _two(name, instead, len(summary.count))
    return float(getattr(summary, method)(average))


def _table() -> dict[str, Scorer]:
    table: dict[str, Scorer] = {}

    def add(name: str, needs: Needs, kind: Kind, summarize: Any, value: Any, instead: str = "") -> None:
        loss = name.startswith("neg_")
        low = -math.inf if loss or name == "r2" else 0.0
        table[name] = Scorer(name, needs, kind, summarize, value, instead, low, 0.0 if loss else 1.0)

    for name in ("accuracy", "balanced_accuracy"):
        add(name, "prediction", "class", confusion, partial(_read, name, 1.0))
    averages: tuple[Average, ...] = ("binary", "macro", "micro", "weighted")
    for method in ("precision", "recall", "f1"):
        for average in averages:
            name = method if average == "binary" else f"{method}_{average}"
            instead = f"'{method}_macro', '{method}_micro' or '{method}_weighted'" if average == "binary" else ""
            value = partial(_averaged, name, instead, method, average)
            add(name, "prediction", "class", confusion, value, instead)
    for name, attribute in (("neg_log_loss", "log_loss"), ("neg_brier_score", "brier")):
        add(name, "probability", "class", log_loss, partial(_read, attribute, -1.0))
    for name in ("roc_auc", "average_precision"):
        add(name, "score", "class", ranking, partial(_read, name, 1.0), RATHER)
    for name, attribute in (("absolute", "mae"), ("squared", "mse")):
        add(f"neg_mean_{name}_error", "prediction", "number", regression, partial(_read, attribute, -1.0))
    add("neg_root_mean_squared_error", "prediction", "number", regression, partial(_read, "rmse", -1.0))
    add("r2", "prediction", "number", regression, partial(_read, "r2", 1.0))
    return table


def within_range(ends: Any, score: str) -> Any:
    """The ends of intervals for a score, no further out than it can be; as they are if the name is not known."""
    scorer = scorers.get(score)
    return ends if scorer is None else np.clip(ends, scorer.low, scorer.high)


scorers: Mapping[str, Scorer] = MappingProxyType(_table())
"""every score that can be asked for by name"""
