"""AdaBoost of any learner: it learns from rows that weigh more the more of those before it were wrong about them.

What the learner asks for is asked of the weighted rows, so its summaries merge as ever and each round is a fit of its
own in the same loop. Then one reduce finds its weighted error. The rows are held; their weights follow the members,
and what the learner itself would hold and follow goes with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.compiled.tree.stump_votes import MIN_WEIGHT
from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable, Schema
from tenfold.core.axes import Bundle
from tenfold.core.field_values import CLASS_COUNT
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression, Held, Strided, WholeRows
from tenfold.core.value import ByParams
from tenfold.ensemble.ada_boost import ada_boost_votes as av
from tenfold.estimator.ensembles.members import advance, resumable_member, sound_member, summarized
from tenfold.estimator.shell.kinds import winners
from tenfold.stats.combinators import View, every, title


class Members(NamedTuple):
    """Models, weights and errors of all rounds."""

    members: Bundle
    estimator_weights: Annotated[Array, "round"]
    estimator_errors: Annotated[Array, "round"]
    n_classes: Annotated[int, CLASS_COUNT]


class FittingMember(NamedTuple):
    """The state of boosting while the next member learns."""

    step: int
    schema: Schema
    so_far: Members
    current: Bundle
    """its state"""


class ScoringMember(NamedTuple):
    """The next member is done, and to be scored."""

    step: int
    schema: Schema
    so_far: Members
    current: Bundle
    """its model"""


class ScoringLastMember(NamedTuple):
    """No member follows; the last one is scored under the weights that it led to."""

    step: int
    so_far: Members


class MemberErrorSums(Mergeable):
    """How wrong a member is, under the weights that the rows have after some rounds."""

    wrong: float
    """weight of the rows that it is wrong about"""
    total: float
    doubtful: float
    """original weight of the rows whose class has at most half of the votes"""
    mass: float
    """original weight of all rows"""
    member: int
    """its number, from 1"""
    rounds: int

    same_in_all = ("member", "rounds")


class HeldMemberRows(NamedTuple):
    """Scratch values of held rows: their weights after some rounds."""

    rounds: int
    weight: Any
    name: str = ""
    """of the round and the learner's lens; empty: there is none"""
    held: Any = None
    scratch: Any = None
    """what the learner holds of the weighted rows, and what follows its state"""


class BoostedRows(Held):
    """A statistic of rows that weigh the more, the more members were wrong about them."""

    rounds: int
    how: ByParams
    """the rounds, by their parameters"""
    so_far: Members
    identity: ClassVar[tuple[str, ...]] = ("rounds", "how", "so_far")
    lens: WholeRows = field(default_factory=WholeRows, kw_only=True)

    def follow(self, held: Chunk, scratch: Any) -> HeldMemberRows:
        first, weight = (0, held.weight) if scratch is None else scratch[:2]
        if first < self.rounds:
            X, down, up = held.X, 1 / av.growth(self.so_far), av.raised(self.so_far)
            for t in range(first, self.rounds):
                wrong = (
                    self.how.it.predicted_classes(self.so_far.members.each[t], t, X, self.so_far.n_classes) != held.y
                )
                weight = np.maximum(weight * np.where(wrong, up[t] * down[t], down[t]), MIN_WEIGHT)
        return HeldMemberRows(self.rounds, weight)


class MemberStatistic(BoostedRows):
    """Statistic of the next member over the reweighted rows."""

    asked: Expression
    view: View
    identity: ClassVar[tuple[str, ...]] = ("rounds", "how", "so_far", "asked")

    def follow(self, held: Chunk, scratch: Any) -> HeldMemberRows:
        now = super().follow(held, scratch)
        if not isinstance(self.asked, Held):
            return now
        name = f"{self.rounds} {self.asked.lens.digest.hex()}"
        if scratch is not None and scratch.name == name:
            below, before = scratch.held, scratch.scratch
        else:
            below, before = self.asked.lens(self._weighed(held, now.weight)), None
        return HeldMemberRows(now.rounds, now.weight, name, below, self.asked.follow(below, before))

    def _weighed(self, rows: Chunk, weight: Array) -> Chunk:
        return rows._replace(weight=weight, uniform=rows.uniform and not self.rounds, dropped=0)

    def summarize(self, chunk: Chunk) -> Any:
        now = chunk.scratch
        some = self._weighed(chunk.held, now.weight)
        if isinstance(self.asked, Held):
            return self.asked.summarize(some._replace(held=now.held, scratch=now.scratch))
        return summarized(self.asked, some, self.view)

    @property
    def title(self) -> str:
        return title(self.asked)


class StridedMemberStatistic(Strided, MemberStatistic):
    """Statistic of the next member over a share of the parts."""

    identity = ("rounds", "how", "so_far", "asked", "every")


class MemberErrors(BoostedRows):
    """Weights of the rows that a member misclassifies."""

    number: int
    """of the member"""
    model: Bundle
    identity = ("rounds", "number", "how", "so_far", "model")

    def summarize(self, chunk: Chunk) -> MemberErrorSums:
        rows, weight = chunk.held, chunk.scratch.weight
        wrong = self.how.it.predicted_classes(self.model.each[0], self.number, rows.X, self.so_far.n_classes) != rows.y
        doubtful = weight >= rows.weight * av.bar_of(self.so_far)
        missed, total = float(weight[wrong].sum()), float(weight.sum())
        doubted, mass = float(rows.weight[doubtful].sum()), float(rows.weight.sum())
        return MemberErrorSums(missed, total, doubted, mass, self.number + 1, self.rounds)


State = FittingMember | ScoringMember | ScoringLastMember


class MemberRounds(NamedTuple):
    """The rounds, by the parameters of `AdaBoostClassifier`."""

    estimator: Any
    most: int
    rate: float
    seed: int

    def start(self, schema: Schema) -> FittingMember:
        """No member yet, and the first not begun."""
        no = np.zeros(0)
        return self._next(0, schema, Members(Bundle(()), no, no, len(schema.classes)))

    def _next(self, step: int, schema: Schema, so_far: Members) -> FittingMember:
        return FittingMember(step, schema, so_far, Bundle((self.learner(step).start(schema),)))

    def ask(self, state: State | Done[Members]) -> BoostedRows | None:
        """Ask the question of the member, then for its errors, and at the end for the errors of the last one."""
        match state:
            case FittingMember(step, schema, so_far, current):
                learner = self.learner(step)
                ask = learner.ask(current.each[0])
                given = (step, ByParams(self), so_far, ask, View(learner.need, schema))
                return MemberStatistic(*given) if every(ask) == 1 else StridedMemberStatistic(*given, every=every(ask))
            case ScoringMember(step, _, so_far, current):
                return MemberErrors(step, ByParams(self), so_far, step, current)
            case ScoringLastMember(step, so_far):
                last = Bundle(so_far.members.each[-1:])
                return MemberErrors(step, ByParams(self), so_far, step - 1, last)
        return None

    def update(self, state: State, s: object) -> State | Done[Members]:
        """The learner's own update; then its votes, unless it has none; then the next."""
        match state:
            case FittingMember(step, schema, so_far, current):
                return self._learn(state, s)
            case ScoringMember(step, schema, so_far, current):
                assert isinstance(s, MemberErrorSums)
                error = s.wrong / s.total
                alpha = av.votes_of(error, so_far, self.rate)
                if alpha is None:
                    return ScoringLastMember(step, so_far)
                weights, errors = so_far.estimator_weights, so_far.estimator_errors
                members = Bundle(so_far.members.each + current.each)
                so_far = Members(members, np.append(weights, alpha), np.append(errors, error), so_far.n_classes)
                over = av.finished(so_far, self.most)
                return ScoringLastMember(step + 1, so_far) if over else self._next(step + 1, schema, so_far)
        return Done.of(state.so_far, state.step)

    def _learn(self, state: FittingMember, s: object) -> FittingMember | ScoringMember:
        """Advance the fit of the member by one turn of its loop, or more if no statistic is needed."""
        learner, current, done = self.learner(state.step), state.current.each[0], False
        asked = ask = learner.ask(current)
        while ask == asked and not done:
            current, done = advance(learner, current, s, state.schema)
            ask = None if done else learner.ask(current)
        return (ScoringMember if done else FittingMember)(*state[:3], Bundle((current,)))

    def certify(self, model: Members, s: object) -> tuple[Claim, ...] | None:
        """Claims that follow from the rounds, after the weights of the last one."""
        known = isinstance(s, MemberErrorSums) and s.member == s.rounds == len(model.estimator_weights)
        return av.claims_of(model, s, "member") if known else None

    def model(self, state: State | Done[Members]) -> Members | None:
        """The members so far, once the last of them is known to be right."""
        if isinstance(state, Done):
            return state.model
        return state.so_far if isinstance(state, ScoringLastMember) and state.step else None

    def votes(self, model: Members, X: Columns, rounds: Iterable[int]) -> Iterator[Array]:
        """Yield the votes of each class after each of these numbers of rounds; the array is updated in place."""
        votes, first = np.zeros((len(X), model.n_classes)), 0
        rows = np.arange(len(X))
        for last in rounds:
            for t in range(first, last):
                votes[rows, self.predicted_classes(model.members.each[t], t, X, model.n_classes)] += (
                    model.estimator_weights[t]
                )
            yield votes
            first = last

    def is_valid(self, model: Members, schema: Schema) -> bool:
        """Whether there is a sound model for each round, and nothing else."""
        each = model.members.each
        fits = len(each) == len(model.estimator_weights) and not model.members.width
        return fits and all(sound_member(self.estimator, one, None, schema) for one in each)

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        """Whether a state in which a member is fitted or scored can be resumed."""
        if not self.is_valid(state.so_far, schema) or state.step != len(state.so_far.members.each):
            return False
        if isinstance(state, ScoringLastMember):
            return state.step > 0
        if (len(state.current.each), state.current.width) != (1, 0):
            return False
        learner, now = self.learner(state.step), state.current.each[0]
        if isinstance(state, ScoringMember):
            return sound_member(learner, now, None, schema)
        return resumable_member(learner, now, summary, schema)

    def models(self, model: Members) -> Iterator[Any]:
        """List the model of each member."""
        return iter(model.members.each)

    def learner(self, number: int) -> Any:
        """The learner of a round: what it draws, it draws again."""
        learner = self.estimator._blank()
        if learner.seeded:
            own = learner.random_state
            seed = int(own) if isinstance(own, (int, np.integer)) else 0
            learner.random_state = (self.seed + seed + number) % 2**32
        return learner

    def predicted_classes(self, model: Any, number: int, X: Columns, classes: int) -> Codes:
        """The class that the member of a round predicts for each row."""
        scores = self.learner(number).scores_from(model, X)
        found: Codes = np.minimum(winners(scores), classes - 1)  # of a single class, some give two scores
        return found
