"""Which conditions of rules are dropped, in which order rules stand, and where the list ends.

All of it is read off weights of classes, by rule and by rule without one of its conditions: sums that merge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Codes
from tenfold.core.allowed import COUNTS, OneOf
from tenfold.core.statistic import Statistic
from tenfold.kernels import rule_covering as rc
from tenfold.stats.tree_bins import WeightUnit
from tenfold.trees.clauses import Clauses
from tenfold.trees.pruning import upper_rate
from tenfold.trees.records import TreeState


@dataclass(frozen=True, eq=False)
class Covered:
    """Weights by class of the rows that fulfil each rule, and of those that fail at one condition alone."""

    full: Annotated[Codes, "rule", "class", COUNTS]
    without: Annotated[Codes, "clause", "class", COUNTS]

    def __add__(self, other: Covered) -> Covered:
        return Covered(self.full + other.full, self.without + other.without)


class RuleCoverage(Statistic[Covered]):
    """Weights by class of the rows that fulfil each rule, and of those that fail at one condition alone."""

    clauses: Clauses
    settled: Codes
    """rules, marked by 1, that are not looked at"""
    classes: int
    weights: WeightUnit

    def summarize(self, chunk: Chunk) -> Covered:
        """Put the rules to the rows of one chunk."""
        weight, rules, k = self.weights.whole(chunk.weight), self.clauses, self.classes
        full, without = np.zeros((rules.size, k), np.int64), np.zeros((len(rules.column), k), np.int64)
        for rows, block in chunk.X.blocks():
            w = weight[rows] if len(weight) else weight
            rc.cover(block, chunk.y[rows], w, 1 - self.settled, *rules, full, without)
        return Covered(full, without)


@dataclass(frozen=True, eq=False)
class Fired:
    """Weights by class of the rows for which each rule is the first; last, of those that fulfil none."""

    weight: Annotated[Codes, "place", "class", COUNTS]

    def __add__(self, other: Fired) -> Fired:
        return Fired(self.weight + other.weight)


class FirstRules(Statistic[Fired]):
    """Weights by class of the rows for which each rule is the first, and of those that fulfil none."""

    clauses: Clauses
    classes: int
    weights: WeightUnit

    def summarize(self, chunk: Chunk) -> Fired:
        """Put the rules to the rows of one chunk."""
        weight = self.weights.whole(chunk.weight)
        found = np.zeros((self.clauses.size + 1, self.classes), np.int64)
        np.add.at(found, (self.clauses.firsts(chunk.X), chunk.y), weight if len(weight) else 1)
        return Fired(found)


class RuleState(NamedTuple):
    """A list of rules, and the tree it comes from."""

    step: int
    phase: Annotated[str, OneOf("grow", "prune", "order", "judge", "done")]
    """"grow", "prune", "order", "judge", "done" """
    turn: int
    trunk: TreeState
    clauses: Clauses
    value: Annotated[Array, "rule", "class"]
    """weights of the classes of all training rows that fulfil a rule"""
    settled: Annotated[Codes, "rule", OneOf(0, 1)]
    """whether no condition of it is to be dropped any more"""
    rest: Annotated[Array, "class"]
    """the same of the rows that fulfil none"""


def pruned(state: RuleState, s: Covered, confidence: float) -> RuleState:
    """Each rule without the condition that it is best without, if there is one; equal rules once."""
    rules, unit = state.clauses, state.trunk.unit
    full = np.where(state.settled[:, None] == 1, state.value, s.full * unit)
    leaf = state.trunk.value[state.trunk.tree.leaves].argmax(axis=1) if state.turn == 1 else full.argmax(axis=1)
    worst = _estimate(full, leaf, confidence)
    of = rules.rule
    less = _estimate(full[of] + s.without * unit, leaf[of], confidence)
    drop = np.zeros(len(of), bool)
    settled = np.ones(rules.size, np.int64)
    for r in np.flatnonzero(state.settled == 0).tolist():
        some = less[rules.start[r] : rules.start[r + 1]]
        if len(some) and some.min() <= worst[r]:
            drop[rules.start[r] + some.argmin()], settled[r] = True, 0
    smaller = rules.only(range(rules.size), ~drop)
    once = {(smaller.key(r), int(settled[r])): r for r in range(rules.size - 1, -1, -1)}
    keep = sorted(once.values())
    state = state._replace(clauses=smaller.only(keep), value=full[keep], settled=settled[keep])
    if not state.settled.all():
        return state
    value = state.value
    order = np.lexsort((-value.sum(axis=1), _estimate(value, value.argmax(axis=1), confidence)))
    return state._replace(
        phase="order", clauses=state.clauses.only(order), value=value[order], settled=state.settled[order]
    )


def ended(state: RuleState, s: Fired, confidence: float) -> RuleState:
    """The rules up to where a default does no worse, without those that are never the first."""
    weight: Array = np.asarray(s.weight * state.trunk.unit, dtype=np.float64)
    said = state.value.argmax(axis=1)
    each = _estimate(weight[:-1], said, confidence) * weight[:-1].sum(axis=1)
    rest = np.cumsum(weight[::-1], axis=0)[::-1]
    last = _estimate(rest, rest.argmax(axis=1), confidence) * rest.sum(axis=1)
    end = int((np.concatenate([[0.0], np.cumsum(each)]) + last).argmin())
    keep = [r for r in range(end) if weight[r].any()]
    default = rest[end] if rest[end].any() else rest[0]
    return state._replace(
        step=1, phase="judge", clauses=state.clauses.only(keep), value=state.value[keep],
        settled=state.settled[keep], rest=default,
    )  # fmt: skip


def _estimate(weight: Array, said: Codes, confidence: float) -> Array:
    """The upper limit of the error rate of rows with these weights of classes; of none, 1."""
    n = weight.sum(axis=1)
    return upper_rate(n - weight[np.arange(len(n)), said], n, confidence)
