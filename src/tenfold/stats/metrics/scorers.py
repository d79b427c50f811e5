"""Scorers by scikit-learn's names: the metric to summarize in each part, and the score of the merged summary."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from tenfold.core import Array, Labels, Values
from tenfold.stats.metrics.confusion import Average, Confusion
from tenfold.stats.metrics.log_loss import LogLoss
from tenfold.stats.metrics.ranking import Ranking
from tenfold.stats.metrics.regression import Regression

Needs = Literal["prediction", "probability", "score"]
Kind = Literal["class", "number"]
Summarize = Callable[[Values, Values, Array | None, int], Any]
"""the summary of target, outputs, weights and number of classes"""
Value = Callable[[Any], float]
"""the score of such a summary"""


@dataclass(frozen=True)
class Scorer:
    """Score of a model, where greater is better.

    Scores of one family have the same `summarize`: one summary serves them all.

    Parameters
    ----------
    name : str
    needs : {"prediction", "probability", "score"}
        Class codes or numbers; probabilities of shape (rows, classes); numbers that grow with the odds of code 1.
    kind : {"class", "number"}
        The kind of the target.
    summarize : callable
        `summarize(truth, output, weight, n_classes)` is the summary of some rows; truth is codes or numbers, and
        weight may be None.
    value : callable
        `value(summary)` is the score.
    instead : str
        For scores of two classes only: the alternative to suggest when there are more.
    pos_label : optional
        For scores of two classes: the positive class. None: class 1 if there is one, as in scikit-learn, else
        the last one; `among` finds it.
    low, high : float
        The least and the greatest that the score can be.
    given : str
        The name that a user gave it, if any.
    """

    name: str
    needs: Needs
    kind: Kind
    summarize: Summarize
    value: Value
    instead: str = ""
    low: float = -math.inf
    high: float = math.inf
    pos_label: Any = None
    given: str = ""

    @property
    def title(self) -> str:
        """Name of the scorer in tables: the user's, or its own."""
        return self.given or self.name

    @property
    def has_positive(self) -> bool:
        """Whether it is of two classes, one of which is the positive one."""
        return bool(self.instead)

    @property
    def one_sided(self) -> bool:
        """Whether the value depends on which of two classes is the positive one."""
        return bool(self.instead) and self.name != "roc_auc"

    def for_classes(self, classes: Labels | None) -> Scorer:
        """The score of a target with these classes: more than it is of are refused, the positive one is found."""
        if not self.instead or classes is None:
            return self
        labels = classes.tolist()
        _two(self.name, self.instead, len(labels))
        label = self.pos_label
        if label is None:
            label = next((one for one in labels if one == 1), labels[-1])
        if label not in labels:
            raise ValueError(f"pos_label={label!r} is not a valid label: It should be one of {labels}")
        usual, at = replace(scorers[self.name], given=self.given), labels.index(label)
        if len(labels) < 2 or at == 1:
            return replace(usual, pos_label=labels[at])
        first: dict[str, Any] = {"summarize": ranking_of_first}
        if usual.summarize is confusion:
            first = {"value": partial(_of_first, usual.value)}
        return replace(usual, pos_label=labels[at], **first)


def _two(name: str, instead: str, n_classes: int) -> None:
    if n_classes > 2:
        raise ValueError(f"{name!r} is of two classes and the target has {n_classes}: ask for {instead}")


def confusion(truth: Values, output: Values, weight: Array | None, n_classes: int) -> Confusion:
    """The confusion matrix of the codes of true and predicted classes."""
    return Confusion.of(truth, output, weight, n_classes=n_classes)


def log_loss(truth: Values, output: Values, weight: Array | None, n_classes: int) -> LogLoss:
    """The sum of the log losses of predicted probabilities."""
    return LogLoss.of(truth, output, weight, n_classes=n_classes)


def ranking(truth: Values, output: Values, weight: Array | None, n_classes: int) -> Ranking:
    """Return the ranking of scores for class code 1, from a vector or the second of two columns."""
    _two("roc_auc' or 'average_precision", RATHER, n_classes)
    output = np.asarray(output)
    return Ranking.of(truth, output[:, 1] if output.ndim == 2 and output.shape[1] == 2 else output, weight)


def ranking_of_first(truth: Values, output: Values, weight: Array | None, n_classes: int) -> Ranking:
    """Return the ranking of scores where code 0 is the positive class."""
    output = np.asarray(output)
    two = output.ndim == 2 and output.shape[1] == 2
    return ranking(1 - np.asarray(truth), output[:, 0] if two else -output, weight, n_classes)


def regression(truth: Values, output: Values, weight: Array | None, n_classes: int = 0) -> Regression:
    """The sums of errors of predicted numbers, by which regressions are scored."""
    return Regression.of(truth, output, weight)


RATHER = "'f1_macro', 'balanced_accuracy' or 'neg_log_loss'"


def _read(attribute: str, sign: float, summary: Any) -> float:
    return sign * float(getattr(summary, attribute))


def _of_first(value: Callable[[Confusion], float], summary: Confusion) -> float:
    """A score of the class of code 0, of two."""
    return value(replace(summary, count=summary.count[::-1, ::-1]))


def _averaged(name: str, instead: str, method: str, average: Average, summary: Confusion) -> float:
    if average == "binary":
        _two(name, instead, len(summary.count))
    return float(getattr(summary, method)(average))


def _table() -> dict[str, Scorer]:
    table: dict[str, Scorer] = {}

    def add(name: str, needs: Needs, kind: Kind, summarize: Summarize, value: Value, instead: str = "") -> None:
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


def with_positive(some: Sequence[Scorer], pos_label: Any) -> tuple[Scorer, ...]:
    """Scores, with the positive class that was asked for; it is an error if none of them has one."""
    if pos_label is not None and not any(one.has_positive for one in some):
        fit = [name for name, one in scorers.items() if one.one_sided]
        asked = [one.name for one in some]
        raise ValueError(f"pos_label={pos_label!r} goes with the scores {fit}, and the scores are {asked}")
    return tuple(replace(one, pos_label=pos_label) for one in some)


def within_range(ends: Array, score: str) -> Array:
    """Clip the ends of intervals to the range of a score; unchanged if the name is unknown."""
    scorer = scorers.get(score)
    return ends if scorer is None else np.clip(ends, scorer.low, scorer.high)


scorers: Mapping[str, Scorer] = MappingProxyType(_table())
"""every score that can be asked for by name"""
