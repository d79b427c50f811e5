"""AdaBoost of any learner: it learns from rows that weigh more the more of those before it were wrong about them.

What the learner asks for is asked of the weighted rows, so its summaries merge as ever and each round is a fit of its
own in the same loop. Then one reduce finds its weighted error. The rows are held; their weights follow the members,
and what the learner itself would hold and follow goes with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.compose import ada_boost_votes as av
from tenfold.core import Array, Ask, Chunk, Claim, Columns, Schema
from tenfold.core.allowed import CLASS_COUNT, OneOf
from tenfold.core.axes import Bundle, bits
from tenfold.core.statistic import Held
from tenfold.estimator.kinds import winners
from tenfold.estimator.members import asked, every, model_of, resumable_member, sound_member, title, turn
from tenfold.estimator.rows import Rows, hold
from tenfold.kernels.boosting import LEAST


class Members(NamedTuple):
    """The states of the members so far, and how far the next one is."""

    step: int
    phase: Annotated[str, OneOf("learn", "judge", "look", "done")]
    turn: int
    """how many reduces there were"""
    members: Bundle
    first: Bundle
    """the state that each member starts from, while there may be more"""
    current: Bundle
    """that of the member which is learned, or judged"""
    estimator_weights: Annotated[Array, "round"]
    estimator_errors: Annotated[Array, "round"]
    classes: Annotated[int, CLASS_COUNT]


@dataclass(frozen=True, eq=False)
class Judged:
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

    def __add__(self, other: Judged) -> Judged:
        return Judged(
            self.wrong + other.wrong,
            self.total + other.total,
            self.doubtful + other.doubtful,
            self.mass + other.mass,
            self.member,
            self.rounds,
        )


class Followed(NamedTuple):
    """What belongs to held rows."""

    rounds: int
    weight: Any
    name: str = ""
    """of the round and the learner's lens; empty: there is none"""
    held: Any = None
    scratch: Any = None
    """what the learner holds of the weighted rows, and what follows its state"""


class MemberRounds(NamedTuple):
    """The rounds, by the parameters of `AdaBoostClassifier`."""

    estimator: Any
    most: int
    rate: float
    seed: int

    def start(self, schema: Schema) -> Members:
        """No member yet, and the first not begun."""
        first, no = Bundle((self._learner(0).start(schema),)), np.zeros(0)
        return Members(0, "learn", 0, Bundle(()), first, first, no, no, len(schema.classes))

    def ask(self, state: Members) -> Ask | None:
        """What the learner asks for; then how wrong it is; at the end, how wrong the last one is now."""
        if state.phase == "done":
            return None
        if state.phase != "learn":
            return Ask(state.phase, state.turn)
        ask = self._learner(state.step).ask(state.current.each[0])
        return Ask(f"learn, {title(ask)}", state.turn, every(ask))

    def lens(self, state: Members) -> Any:
        """Rows as they are."""
        return hold

    def follow(self, state: Members, held: Rows, scratch: Any) -> Followed:
        """The weights of the rows, from those after earlier rounds, and what the learner holds of rows so weighted."""
        before = Followed(0, held.weight) if scratch is None else scratch
        weight = before.weight
        if before.rounds < state.step:
            X, down, up = held.X, 1 / av.growth(state), av.raised(state)
            for t in range(before.rounds, state.step):
                wrong = self._said(state, t, X) != held.y
                weight = np.maximum(weight * np.where(wrong, up[t] * down[t], down[t]), LEAST)
        if state.phase != "learn":
            return Followed(state.step, weight)
        statistic = asked(self._learner(state.step), state.current.each[0])
        if not isinstance(statistic, Held):
            return Followed(state.step, weight)
        name = f"{state.step} {statistic.lens.digest.hex()}"
        below, scratch = before.held, before.scratch
        if name != before.name:
            below, scratch = statistic.lens(held.weighing(weight, held.uniform and not state.step)), None
        return Followed(state.step, weight, name, below, statistic.follow(below, scratch))

    def summarize(self, state: Members, chunk: Chunk) -> Any:
        """What the learner makes of the weighted rows; or how wrong it is."""
        rows, now = chunk.held, chunk.scratch
        if state.phase == "learn":
            some = rows.weighing(now.weight, rows.uniform and not state.step)
            if now.name:
                some = some._replace(held=now.held, scratch=now.scratch)
            statistic: Any = asked(self._learner(state.step), state.current.each[0])
            return statistic.summarize(some)
        number = state.step - (state.phase == "look")
        wrong = self._said(state, number, rows.X) != rows.y
        doubtful = now.weight >= rows.weight * av.bar_of(state)
        missed, total = float(now.weight[wrong].sum()), float(now.weight.sum())
        doubted, mass = float(rows.weight[doubtful].sum()), float(rows.weight.sum())
        return Judged(missed, total, doubted, mass, number + 1, state.step)

    def update(self, state: Members, s: Any) -> Members:
        """The learner's own update; then its votes, unless it has none; then the next."""
        state = state._replace(turn=state.turn + 1)
        if state.phase == "learn":
            return self._learn(state, s)
        if state.phase == "look":
            return state._replace(phase="done")
        error = s.wrong / s.total
        alpha = av.votes_of(error, state, self.rate)
        if alpha is None:
            return _ended(state)
        state = state._replace(
            step=state.step + 1,
            members=Bundle(state.members.each + state.current.each),
            estimator_weights=np.append(state.estimator_weights, alpha),
            estimator_errors=np.append(state.estimator_errors, error),
        )
        if av.finished(state, self.most):
            return _ended(state)
        return state._replace(phase="learn", current=state.first)

    def _learn(self, state: Members, s: Any) -> Members:
        """One turn of the learner's loop, or more if it asks for what it has."""
        learner, current = self._learner(state.step), state.current.each[0]
        asked, stopped = learner.ask(current), False
        ask = asked
        while ask == asked and not stopped:
            current, stopped = turn(learner, current, s)
            ask = learner.ask(current)
        if stopped or ask is None:
            return state._replace(phase="judge", current=Bundle((model_of(learner, current),)))
        return state._replace(current=Bundle((current,)))

    def certify(self, state: Members, s: Any) -> tuple[Claim, ...] | None:
        """What the rounds prove, once the weights have followed the last of them."""
        known = isinstance(s, Judged) and state.step and s.member == s.rounds == state.step
        return av.claims_of(state, s, "member") if known else None

    def votes(self, state: Members, X: Columns, rounds: Iterable[int]) -> Iterator[Array]:
        """The votes for each class after so many rounds, rising numbers of them: one array, which is added to."""
        votes, first = np.zeros((len(X), state.classes)), 0
        rows = np.arange(len(X))
        for last in rounds:
            for t in range(first, last):
                votes[rows, self._said(state, t, X)] += state.estimator_weights[t]
            yield votes
            first = last

    def sound(self, state: Members, schema: Schema) -> bool:
        """Whether there is a sound state for each round, and nothing else."""
        return self._rounds_sound(state, schema) and not (state.first.each or state.current.each)

    def resumable(self, state: Members, summary: Any, schema: Schema) -> bool:
        """The same while a member is learned or judged."""
        if not self._rounds_sound(state, schema):
            return False
        if state.phase == "look":
            return self.sound(state, schema) and state.step > 0
        first, now, learner = state.first, state.current, self._learner(state.step)
        if (len(first.each), first.width, len(now.each), now.width) != (1, 0, 1, 0):
            return False
        if bits(first.each[0]) != bits(self._learner(0).start(schema)):
            return False
        if state.phase == "judge":
            return sound_member(learner, now.each[0], None, schema)
        return resumable_member(learner, now.each[0], summary, schema)

    def _rounds_sound(self, state: Members, schema: Schema) -> bool:
        each = state.members.each
        fits = len(each) == state.step == len(state.estimator_weights) and not state.members.width
        return fits and all(sound_member(self.estimator, one, None, schema) for one in each)

    def members(self, state: Members) -> list[tuple[Any, Any]]:
        """The learner of each round, not fitted, and its state."""
        return [(self._learner(t), one) for t, one in enumerate(state.members.each)]

    def _learner(self, number: int) -> Any:
        """The learner of a round: what it draws, it draws anew."""
        learner = self.estimator._blank()
        if hasattr(learner, "random_state"):
            own = learner.random_state
            seed = int(own) if isinstance(own, (int, np.integer)) else 0
            learner.random_state = (self.seed + seed + number) % 2**32
        return learner

    def _said(self, state: Members, number: int, X: Columns) -> Any:
        """The class that a member says of each row, be it judged still."""
        member = (state.members.each + state.current.each)[number]
        scores = self._learner(number).scores_from(member, X)
        return np.minimum(winners(scores), state.classes - 1)  # of a single class, some give two scores


def _ended(state: Members) -> Members:
    """No member will follow."""
    return state._replace(phase="look", first=Bundle(()), current=Bundle(()))
