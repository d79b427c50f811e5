"""Pruning of rules: which conditions are dropped, the order of the rules, and the end of the list.

All of it is computed from class weights, by rule and by rule without one of its conditions: sums that merge. Rules
predict
from their training rows; their errors are measured on validation rows, if there are any, otherwise on the training
rows.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from tenfold.compiled.tree import rule_covering as rc
from tenfold.core import Array, Chunk, Codes, DataError, Flags, Mergeable, Schema
from tenfold.core.field_values import COUNTS, Index, OneOf
from tenfold.core.statistic import Statistic
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.trees.tree_bins import WeightUnit
from tenfold.tree.pruning.pruning import upper_rate
from tenfold.tree.records import TreeModel
from tenfold.tree.rules.clauses import Clauses, clauses_of


class CoveredByRules(Mergeable):
    """Weights by class of the rows that fulfil each rule, and of those that fail at one condition alone."""

    full: Annotated[Codes, "rule", "class", COUNTS]
    without: Annotated[Codes, "clause", "class", COUNTS]
    back: Annotated[Codes, "held-back rule", "class", COUNTS]
    back_without: Annotated[Codes, "held-back clause", "class", COUNTS]
    """the same of validation rows, if there are any"""

    def __add__(self, other: CoveredByRules) -> CoveredByRules:
        back = self.back + other.back, self.back_without + other.back_without
        return CoveredByRules(self.full + other.full, self.without + other.without, *back)


class RuleCoverage(Statistic[CoveredByRules]):
    """Weights by class of the rows that fulfil each rule, and of those that fail at one condition alone."""

    clauses: Clauses
    settled: Codes
    """rules, marked by 1, that are not looked at"""
    classes: int
    weights: WeightUnit
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> CoveredByRules:
        if not self.holdout.share:
            none = np.zeros((0, self.classes), np.int64)
            return CoveredByRules(*self._weights(chunk), none, none)
        learned, back = _split_holdout(chunk, self.holdout)
        return CoveredByRules(*self._weights(learned), *self._weights(back))

    def _weights(self, chunk: Chunk) -> tuple[Codes, Codes]:
        """Class weights of the rows that fulfil each rule, and of those that fail at one condition alone."""
        weight, rules, k = self.weights.in_units(chunk.weight), self.clauses, self.classes
        full, without = np.zeros((rules.size, k), np.int64), np.zeros((len(rules.column), k), np.int64)
        for rows, block in chunk.X.blocks():
            w = weight[rows] if len(weight) else weight
            rc.cover(block, chunk.y[rows], w, 1 - self.settled, *rules, full, without)
        return full, without


def _split_holdout(chunk: Chunk, holdout: Holdout) -> tuple[Chunk, Chunk]:
    """The rows that are learned from, and those that are held back."""
    learns = holdout.learns(chunk.places(), chunk.n)
    return chunk.rows(np.flatnonzero(learns)), chunk.rows(np.flatnonzero(~learns))


class Fired(Mergeable):
    """Weights by class of the rows for which each rule is the first; last, of those that fulfil none."""

    weight: Annotated[Codes, "place", "class", COUNTS]
    back: Annotated[Codes, "held-back place", "class", COUNTS]
    """the same of validation rows, if there are any"""


class FirstRules(Statistic[Fired]):
    """Weights by class of the rows for which each rule is the first, and of those that fulfil none."""

    clauses: Clauses
    classes: int
    weights: WeightUnit
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> Fired:
        if not self.holdout.share:
            return Fired(self._weights(chunk), np.zeros((0, self.classes), np.int64))
        learned, back = _split_holdout(chunk, self.holdout)
        return Fired(self._weights(learned), self._weights(back))

    def _weights(self, chunk: Chunk) -> Codes:
        """Weights by the first rule that holds, and by class."""
        weight = self.weights.in_units(chunk.weight)
        found = np.zeros((self.clauses.size + 1, self.classes), np.int64)
        np.add.at(found, (self.clauses.firsts(chunk.X), chunk.y), weight if len(weight) else 1)
        return found


class RuleListModel(NamedTuple):
    """An ordered list of rules; the first that a row fulfils decides."""

    clauses: Clauses
    value: Annotated[Array, "rule", "class"]
    """weights of the classes of all training rows that fulfil a rule"""
    rest: Annotated[Array, "class"]
    """the same of the rows that fulfil none"""
    has_missing: Annotated[Flags, "column"]
    """whether a value of the column was missing"""

    def is_valid(self, schema: Schema) -> bool:
        """Whether each rule, and the default, has a prediction."""
        told = np.vstack([self.value, self.rest])
        return len(self.value) == self.clauses.size and bool((told.sum(axis=1) > 0).all())


class PruningRules(NamedTuple):
    """Conditions of rules are dropped one by one."""

    step: int
    weights: WeightUnit
    has_missing: Annotated[Flags, "column"]
    predicted: Annotated[Codes, "rule", Index("class", none=True)]
    """the class that a rule predicts; -1: the most common class of the rows that fulfil it"""
    clauses: Clauses
    value: Annotated[Array, "rule", "class"]
    """weights of the classes of all training rows that fulfil a rule, once no condition is to be dropped any more"""
    settled: Annotated[Codes, "rule", OneOf(0, 1)]
    """whether that is so"""
    back: Annotated[Array, "held-back rule", "class"]
    """the same weights of validation rows, if there are any"""

    @classmethod
    def of(cls, weights: WeightUnit, tree: TreeModel, known: bool) -> PruningRules:
        """The rules of the leaves of a tree; `known`: no missing value fulfils a condition."""
        rules, predicted = clauses_of(tree.tree, tree.ranges.levels), tree.value[tree.tree.leaves].argmax(axis=1)
        if known:
            rules = rules._replace(missing=np.zeros_like(rules.missing))
        value, settled = np.zeros((rules.size, tree.value.shape[1])), np.zeros(rules.size, np.int64)
        return cls(0, weights, tree.has_missing, predicted, rules, value, settled, np.zeros_like(value))

    def after(self, s: CoveredByRules, confidence: float) -> PruningRules | OrderingRules:
        """Each rule without the condition that it is best without, if there is one; equal rules once."""
        rules, unit = self.clauses, self.weights.unit
        full = np.where(self.settled[:, None] == 1, self.value, s.full * unit)
        predicted, of = np.where(self.predicted < 0, full.argmax(axis=1), self.predicted), rules.rule
        back, without = full, s.without
        if len(s.back):
            back, without = np.where(self.settled[:, None] == 1, self.back, s.back * unit), s.back_without
        worst = _estimate(back, predicted, confidence)
        less = _estimate(back[of] + without * unit, predicted[of], confidence)
        drop = np.zeros(len(of), bool)
        settled = np.ones(rules.size, np.int64)
        for r in np.flatnonzero(self.settled == 0).tolist():
            some = less[rules.start[r] : rules.start[r + 1]]
            if len(some) and some.min() <= worst[r]:
                drop[rules.start[r] + some.argmin()], settled[r] = True, 0
        smaller = rules.only(np.arange(rules.size), ~drop)
        once = {(smaller.key(r), int(settled[r])): r for r in range(rules.size - 1, -1, -1)}
        keep = np.array(sorted(once.values()), np.int64)
        clauses, value = smaller.only(keep), full[keep]
        if not settled[keep].all():
            predicted = np.full(len(keep), -1)
            return self._replace(
                clauses=clauses, value=value, settled=settled[keep], predicted=predicted, back=back[keep]
            )
        order = np.lexsort((-value.sum(axis=1), _estimate(back[keep], value.argmax(axis=1), confidence)))
        return OrderingRules(0, self.weights, self.has_missing, clauses.only(order), value[order])


class OrderingRules(NamedTuple):
    """The state in which rules are ordered, and the end of the list is to be found."""

    step: int
    weights: WeightUnit
    has_missing: Annotated[Flags, "column"]
    clauses: Clauses
    value: Annotated[Array, "rule", "class"]

    def after(self, s: Fired, confidence: float) -> CheckingRules:
        """The rules up to where a default does no worse, without those that are never the first."""
        weight: Array = np.asarray(s.weight * self.weights.unit, dtype=np.float64)
        back = weight
        if len(s.back):
            if not s.back.any():
                raise DataError(
                    'no row was set aside for validation: prune="reduced_error" needs more rows than 1 sample. '
                    'Remedy: "pessimistic"'
                )
            back = np.asarray(s.back * self.weights.unit, dtype=np.float64)
        each = _estimate(back[:-1], self.value.argmax(axis=1), confidence) * back[:-1].sum(axis=1)
        rest, left = (np.cumsum(w[::-1], axis=0)[::-1] for w in (weight, back))
        last = _estimate(left, rest.argmax(axis=1), confidence) * left.sum(axis=1)
        end = int((np.concatenate([[0.0], np.cumsum(each)]) + last).argmin())
        keep = np.array([r for r in range(end) if weight[r].any()], np.int64)
        default = rest[end] if rest[end].any() else rest[0]
        model = RuleListModel(self.clauses.only(keep), self.value[keep], default, self.has_missing)
        return CheckingRules(1, self.weights, model)


class CheckingRules(NamedTuple):
    """The list is as it will be: all rows go through it."""

    step: int
    weights: WeightUnit
    model: RuleListModel


def _estimate(weight: Array, predicted: Codes, confidence: float) -> Array:
    """The upper limit of the error rate of rows with these weights of classes; of none, 1."""
    n = weight.sum(axis=1)
    return upper_rate(n - weight[np.arange(len(n)), predicted], n, confidence)
