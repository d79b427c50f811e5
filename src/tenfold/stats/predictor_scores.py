"""Scoring as a statistic: metrics of predictions and true values, as summaries that merge.

A predictor has outputs for rows: a fitted model with its transformers, an estimator of another library, or
given predictions. Outputs that several scores need are computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Any, Self

import numpy as np

from tenfold.core import Array, Chunk, Codes, DataError, Mergeable, Need, Schema, Values
from tenfold.core.rows.chunk import places_by_group
from tenfold.core.statistic import Grouped
from tenfold.core.value import ByIdentity, Value
from tenfold.stats.metrics import Confusion, Scorer
from tenfold.stats.metrics.scorers import confusion

Outputs = dict[str, Values]
"""outputs by name: numbers or class codes ("prediction"), "probability" or "score", rows x classes"""


class Predictor(Value):
    """Source of predictions for rows, in the classes of these rows."""

    name: str
    """name in error messages"""
    gives: frozenset[str]
    """names of the outputs that the predictor provides, decided when it is made"""
    classes: Any
    """its own; None: it predicts numbers"""
    n_classes: int = field(default=0, kw_only=True)
    """number of classes of the rows"""
    known: Codes | None = field(default=None, kw_only=True)
    """indices of its own classes among those of the rows; None: they are the same"""
    need: Need = field(default=Need(), kw_only=True)
    """how rows are read for it"""
    schema: Schema | None = field(default=None, kw_only=True)
    """schema of the columns that it was fitted on; None: any columns"""

    @property
    def has_decision_function(self) -> bool:
        """Whether its scores of classes are decision values, not probabilities."""
        return self.classes is not None and "probability" not in self.gives

    def for_classes(self, classes: Any, known: Codes | None = None) -> Self:
        """The same, about rows with these classes, among which its own have these codes."""
        return self if classes is None else replace(self, n_classes=len(classes), known=known)

    def check(self, wanted: Iterable[str]) -> None:
        """Raise if a requested output is not available."""
        if not self.gives.issuperset(wanted):
            raise DataError(
                f"this score needs probabilities, and {self.name} has no predict_proba. Remedy: a score of classes, "
                'such as "accuracy"; or a learner that has it, as SGDClassifier(loss="log_loss") does'
            )

    def outputs(self, chunk: Chunk, wanted: Iterable[str]) -> Outputs:
        """Return the outputs for the rows of a chunk."""
        return self.placed(self.own_outputs(chunk, frozenset(wanted)))

    def own_outputs(self, chunk: Chunk, wanted: frozenset[str]) -> Outputs:
        """The same in its own classes."""
        raise NotImplementedError

    def placed(self, said: Outputs) -> Outputs:
        """Return outputs in the classes of the rows: an unknown class is never predicted."""
        if self.known is None:
            return said
        found: Outputs = {}
        for what, values in said.items():
            if what == "prediction":
                found[what] = self.known[values]
                continue
            found[what] = np.full((len(values), self.n_classes), -np.inf if what == "score" else 0.0)
            found[what][:, self.known] = values
        return found

    def outputs_by(self, each: Sequence[Predictor], chunk: Chunk, codes: Codes, wanted: Iterable[str]) -> Outputs:
        """Return the outputs of several predictors, this one first: each row by the predictor of its code."""
        found: Outputs = {}
        for at, rows in places_by_group(codes):
            for what, values in each[at].outputs(chunk.rows(rows), wanted).items():
                if what not in found:
                    found[what] = np.empty((chunk.n, *values.shape[1:]), values.dtype)
                found[what][rows] = values
        return found


class Metric(Value):
    """Summary of outputs: of truth, outputs, weight (or None) and the number of classes."""

    needs: str
    summarize: ByIdentity

    @classmethod
    def of(cls, scorer: Scorer) -> Metric:
        """Return the metric of these outputs."""
        return cls(scorer.needs, ByIdentity(scorer.summarize))


class Scores(Mergeable):
    """The summaries of several metrics, side by side."""

    each: tuple[Any, ...]
    weighted: bool
    """whether some rows count more than others"""

    def __add__(self, other: Scores) -> Scores:
        return Scores(tuple(a + b for a, b in zip(self.each, other.each, strict=True)), self.weighted or other.weighted)


class Score(Grouped[Scores]):
    """How right predictors are: one for all rows, or one for each group of rows."""

    predictors: tuple[Predictor, ...]
    """one predictor for all rows; several, inside a `By`, score one group each"""
    metrics: tuple[Metric, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        for predictor in self.predictors:
            predictor.check(self._needs)

    @classmethod
    def of(cls, predictors: Sequence[Predictor], scorers: Iterable[Scorer]) -> Score:
        """Create the statistic of some scores, of which several may share one summary."""
        return cls(tuple(predictors), tuple(dict.fromkeys(map(Metric.of, scorers))))

    def summary(self, scorer: Scorer, scores: Scores) -> Any:
        """The summary that a score is read off."""
        return scores.each[self.metrics.index(Metric.of(scorer))]

    def summarize(self, chunk: Chunk) -> Scores:
        if len(self.predictors) > 1:
            raise TypeError("several predictors score groups of rows: this stands in no `By`")
        outputs = self.predictors[0].outputs(chunk, self._needs)
        weight = _weight(chunk)
        return Scores(
            tuple(self._score(m, chunk.y, outputs[m.needs], weight) for m in self.metrics), weight is not None
        )

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> Sequence[Scores | None]:
        # How right each group's predictor is on it; what classes are taken for, in one count for all groups.
        if (codes < 0).any():
            chunk, codes = chunk.rows(np.flatnonzero(codes >= 0)), codes[codes >= 0]
        if not chunk.n:
            return [None] * groups
        weight, outputs = _weight(chunk), self._outputs(chunk, codes)
        found: list[list[Any]] = [[] for _ in range(groups)]
        for metric in self.metrics:
            said = outputs[metric.needs]
            if metric.summarize.it is confusion:
                for group, summary in self._confusions(chunk, codes, said, weight, groups):
                    found[group].append(summary)
                continue
            for group, rows in places_by_group(codes):
                row_weight = None if weight is None else weight[rows]
                found[group].append(self._score(metric, chunk.y[rows], said[rows], row_weight))
        return [Scores(tuple(each), weight is not None) if each else None for each in found]

    def _outputs(self, chunk: Chunk, codes: Codes) -> Outputs:
        first, *more = self.predictors
        return (
            first.outputs_by(self.predictors, chunk, codes, self._needs) if more else first.outputs(chunk, self._needs)
        )

    @property
    def _needs(self) -> frozenset[str]:
        return frozenset(metric.needs for metric in self.metrics)

    def _score(self, metric: Metric, truth: Values, said: Values, weight: Array | None) -> Any:
        return metric.summarize.it(truth, said, weight, self.predictors[0].n_classes)

    def _confusions(
        self, chunk: Chunk, codes: Codes, said: Values, weight: Array | None, groups: int
    ) -> Iterable[tuple[int, Confusion]]:
        k = self.predictors[0].n_classes
        place, shape = (codes * k + chunk.y) * k + said, (groups, k, k)
        rows = np.bincount(place, minlength=groups * k * k).reshape(shape)
        count = rows if weight is None else np.bincount(place, weight, groups * k * k).reshape(shape)
        sums = rows.sum(axis=(1, 2))
        for group in np.flatnonzero(sums).tolist():
            yield group, Confusion(int(sums[group]), count[group].astype(np.float64))


def _weight(chunk: Chunk) -> Array | None:
    """The weights, if some differ from one."""
    return None if chunk.uniform or bool((chunk.weight == 1).all()) else chunk.weight
