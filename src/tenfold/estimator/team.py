"""A learner made of learners: its members are summarized side by side over shared scans.

The state of a team is the states of its members, its summary their summaries, and `+` adds each to its like. So what
holds of the members holds of the team: parts, threads and workers do not matter, and if each member learns in one
pass, teams merge. Each member is asked, updated and stopped as the loop would do it; one that is done waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, cast

import numpy as np

from tenfold.core import (
    MANY,
    ONE,
    Ask,
    Certificate,
    Chunk,
    Claim,
    Codes,
    Columns,
    DataError,
    Flags,
    Need,
    Schema,
)
from tenfold.core.allowed import CLASS_COUNT, COUNTS, OneOf
from tenfold.core.axes import Bundle
from tenfold.core.statistic import Grouped, Held
from tenfold.engine.bridge import asked as wanted_of
from tenfold.engine.bridge import every, title
from tenfold.engine.holding import seen, through
from tenfold.engine.threads import one_blas_thread
from tenfold.estimator.base import Estimator
from tenfold.estimator.members import NONE, common_need, model_of, nothing, resumable_member, sound_member, turn, votes
from tenfold.estimator.merging import refusing_arithmetic_errors


class TeamState(NamedTuple):
    """The states of the members, and how to go on."""

    step: int
    phase: Annotated[str, OneOf("fit", "judge", "final", "done")]
    """"fit" until the members are done, "done" at the end"""
    turn: int
    done: Annotated[Flags, "member"]
    seen: Annotated[Codes, "member", COUNTS]
    """rows that each has learned from; without any it has no say"""
    members: Bundle
    """their states; the model of one that is done"""
    found: Bundle
    """the last summaries of members that were done, if others went on"""
    final: Bundle
    """of the learner that learns from what the members say, if there is one"""
    classes: Annotated[int, CLASS_COUNT]


@dataclass(frozen=True, eq=False)
class Joint:
    """The summaries of the members, side by side."""

    rows: Annotated[Codes, "member", COUNTS]
    """that each summary is of"""
    each: Bundle

    def sound(self, schema: Schema) -> bool:
        """Whether the rows of each summary are counted."""
        return len(self.rows) == len(self.each.each)

    def __add__(self, other: Joint) -> Joint:
        return Joint(self.rows + other.rows, self.each + other.each)


class Everyone:
    """All members learn from all rows."""

    shared = True
    """whether members with the same rows get the same chunk, so that they can share a summary of it"""

    def __call__(self, chunk: Chunk) -> Callable[[int], Chunk]:
        """From a member's number to its rows."""
        return lambda member: chunk


@dataclass(frozen=True, eq=False)
class TeamLens:
    """The rows of each member through its own lens."""

    lenses: tuple[Any, ...]
    draw: Any

    def __call__(self, chunk: Chunk) -> tuple[Chunk | None, ...]:
        """What each holds; None for one without a lens."""
        rows = self.draw(chunk)
        return tuple(None if lens is None else through(lens, rows(at)) for at, lens in enumerate(self.lenses))


class Team(Estimator):
    """Brings `team()`, and may bring `draw(state)`: which rows each member learns from."""

    model_type = TeamState
    steering: ClassVar[frozenset[str]] = frozenset(TeamState._fields)

    def team(self) -> list[Any]:
        """The members, not fitted."""
        raise NotImplementedError

    def unlike(self) -> list[Any]:
        """The members, or one for all that are copies of it."""
        return self.team()

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self.team())

    def draw(self, state: TeamState) -> Any:
        """From a chunk to a function from a member's number to its rows."""
        return Everyone()

    def model(self, state: TeamState) -> TeamState | None:
        """The models of all members, once they are done."""
        return state if state.phase == "done" else None

    def after(self, state: TeamState) -> TeamState:
        """The state once all members are done."""
        return state._replace(phase="done")

    @property
    def passes(self) -> str:  # type: ignore[override]
        """One pass if that is enough for every member."""
        return ONE if all(member.passes == ONE for member in self.unlike()) else MANY

    @property
    def summary_types(self) -> tuple[type, ...]:  # type: ignore[override]
        """Those of the members too: a model file may hold them."""
        each = (kind for m in self.unlike() for kind in (m.model_type, *m.state_types, *m.summary_types))
        return (Joint, Bundle, *dict.fromkeys(each))

    @property
    def need(self) -> Need:
        """What all members take."""
        return common_need([member.need for member in self.unlike()], type(self).__name__)

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        """Whether some member does."""
        return any(member.draws_rows for member in self.unlike())

    # ---- the loop of each member -------------------------------------------------------------------

    def start(self, schema: Schema) -> TeamState:
        """Every member at its own start."""
        team = self.team()
        n, classes = len(team), 0 if schema.classes is None else len(schema.classes)
        states = Bundle(tuple(member.start(schema) for member in team))
        return TeamState(
            0, "fit", 0, np.zeros(n, bool), np.zeros(n, np.int64), states, Bundle((NONE,) * n), NONE, classes
        )  # fmt: skip

    def ask(self, state: TeamState) -> Ask | None:
        """What the members that go on ask for."""
        if state.phase == "done":
            return None
        asks = [ask for ask in self._asks(state) if ask is not None]
        shares = {every(ask) for ask in asks}
        share = shares.pop() if len(shares) == 1 else 1
        return Ask(" ".join(dict.fromkeys(str(title(ask)) for ask in asks)), state.turn, share)

    def _asks(self, state: TeamState) -> list[Any]:
        each = zip(self.team(), state.members.each, state.done, strict=True)
        return [None if done else member.ask(at) for member, at, done in each]

    def _statistics(self, state: TeamState) -> list[Any]:
        """Of each member that goes on."""
        each = zip(self.team(), state.members.each, state.done, strict=True)
        return [None if done else wanted_of(member, at) for member, at, done in each]

    def lens(self, state: TeamState) -> TeamLens | None:
        """Those of the members, once all that go on have one, and ask for the same parts."""
        if state.phase != "fit" or len({every(ask) for ask in self._asks(state) if ask is not None}) > 1:
            return None
        statistics = self._statistics(state)
        if not all(s is None or isinstance(s, Held) for s in statistics):
            return None
        return TeamLens(tuple(None if s is None else s.lens for s in statistics), self.draw(state))

    def follow(self, state: TeamState, held: Any, scratch: Any) -> Any:
        """What belongs to the held rows of each member that goes on."""
        before = [None] * len(held) if scratch is None else scratch
        each = zip(self._statistics(state), held, before, strict=True)
        return tuple(None if s is None else s.follow(h.held, old) for s, h, old in each)

    def summarize(self, state: TeamState, chunk: Chunk) -> Any:
        """The summary of each member's rows."""
        draw, n = self.draw(state), len(state.done)
        rows = None if chunk.held is not None else draw(chunk)
        counts, each = np.zeros(n, np.int64), [NONE] * n
        made: dict[Any, Any] = {}
        for at, statistic in enumerate(self._statistics(state)):
            if statistic is None:
                continue
            if rows is None:
                some = chunk.held[at]._replace(scratch=chunk.scratch[at])
                counts[at], each[at] = some.n, statistic.summarize(some)
                continue
            some, name = rows(at), statistic if draw.shared and isinstance(statistic, Grouped) else None
            if chunk.part % every(statistic):  # of this part it wants none
                some, name = some.rows(slice(0, 0)), None
            found = made.get((name, id(some))) if name is not None else None
            found = statistic.summarize(seen(statistic, some)) if found is None else found
            if name is not None:
                made[name, id(some)] = found
            counts[at], each[at] = some.n, found
        return Joint(counts, Bundle(tuple(each)))

    def update(self, state: TeamState, s: Joint) -> TeamState:
        """Every member that goes on takes its summary in, as the loop would have it."""
        team, asked = self.team(), self._asks(state)
        done, learned = state.done.copy(), state.seen.copy()
        states, found = list(state.members.each), list(state.found.each)
        for at in np.flatnonzero(~state.done).tolist():
            member, mine, ask = team[at], s.each.each[at], asked[at]
            if ask is not None and every(ask) == 1:
                learned[at] = s.rows[at]
                if not learned[at]:
                    done[at], states[at] = True, model_of(member, states[at])
                    continue
            states[at], stopped = turn(member, states[at], mine)
            done[at] = stopped or member.ask(states[at]) is None
            if done[at]:
                states[at] = model_of(member, states[at])
        for at in np.flatnonzero(done & ~state.done & (learned > 0)).tolist():
            if self.passes != ONE or not done.all():  # the summary that it was done with; the next has another
                found[at] = s.each.each[at]
        state = state._replace(
            step=state.step + 1, done=done, seen=learned, members=Bundle(tuple(states)), found=Bundle(tuple(found))
        )
        if done.all():
            if not learned.any():
                few = "no member has drawn a row: there are few of them, perhaps 1 sample"
                raise DataError(f"{few}. Remedy: more rows, more members, or another random_state")
            return self.after(state._replace(turn=state.turn + 1))
        new = self._asks(state)
        again = all(a is None or a == b for a, b in zip(new, asked, strict=True))
        return state if again else state._replace(turn=state.turn + 1)

    def certified(self, state: TeamState, s: Joint | None) -> list[tuple[Claim, ...]] | None:
        """The claims of each member, of its last summary; none of one without rows; None while not all are known."""
        claims = [
            () if nothing(mine) else member.certify(at, mine)
            for member, at, mine in zip(self.team(), state.members.each, self._latest(state, s))
        ]
        return None if any(some is None for some in claims) else cast(list[tuple[Claim, ...]], claims)

    def _latest(self, state: TeamState, s: Joint | None) -> tuple[Any, ...]:
        """The last summary of each member that has one: the one that it was done with, or that of this reduce."""
        if s is None:
            return state.found.each
        each = zip(s.rows, s.each.each, state.found.each, strict=True)
        return tuple(new if rows and nothing(had) else had for rows, new, had in each)

    def kept(self, state: TeamState, summary: Any) -> Any:
        """The summaries of all members, of each the one that it was done with, though others may have gone on."""
        if self.passes != ONE or not isinstance(summary, Joint):
            return summary
        before = np.array([not nothing(had) for had in state.found.each], bool)
        each = zip(summary.each.each, state.found.each, before, strict=True)
        rows = np.where(before, state.seen, summary.rows)
        return Joint(rows, Bundle(tuple(had if earlier else new for new, had, earlier in each)))

    # ---- the members of a fitted team ----------------------------------------------------------------

    def fitted(self, at: int) -> Any:
        """A member as it would be if it had been fitted by itself."""
        state, s = self.model_, self.summary_
        mine = self._latest(state, s if isinstance(s, Joint) and self.passes == ONE else None)[at]
        return self.dressed(self.team()[at], state.members.each[at], None if nothing(mine) else mine, self.schema_)

    def dressed(self, member: Any, state: Any, summary: Any, schema: Schema) -> Any:
        """A learner with what it has learned."""
        with one_blas_thread, refusing_arithmetic_errors():
            claims = () if summary is None else member.certify(state, summary) or ()
        member._set(schema, state, summary, Certificate(claims, self.certificate_.provenance))
        member.n_features_in_ = len(schema.columns)
        if schema.named:
            member.feature_names_in_ = np.array(schema.names, dtype=object)
        return member

    def size_fits(self, state: TeamState) -> bool:
        """Whether there are as many members as the parameters say."""
        return len(state.members.each) == self.size

    def sound(self, state: TeamState, summary: Any, schema: Schema) -> bool:
        """Whether what each member has is its own, and fits the schema."""
        if state.phase != "done" or not state.done.all() or not state.seen.any():
            return False
        if not isinstance(summary, Joint):
            return self._every(state, state.found.each, schema)
        if not len(summary.rows) == len(summary.each.each) == len(state.found.each) == self.size:
            return False
        each = zip(summary.rows, summary.each.each, state.found.each, strict=True)
        last = tuple(had if not rows or nothing(new) else new for rows, new, had in each)
        kept = self._latest(state, summary)
        same = all(a is b for a, b in zip(last, kept, strict=True))  # often: then they are proved once
        return self._every(state, last, schema) and (same or self._every(state, kept, schema))

    def resumable(self, state: TeamState, summary: Any, schema: Schema) -> bool:
        """The same while members go on, or wait for the others."""
        if state.phase != "fit":
            return bool(state.done.all() and state.seen.any()) and self._every(state, state.found.each, schema)
        if type(summary) is not Joint or len(summary.rows) != self.size or len(summary.each.each) != self.size:
            return False
        waiting = zip(state.done, state.found.each, summary.each.each, strict=False)
        return self._every(state, tuple(had if done else new for done, had, new in waiting), schema)

    def _every(self, state: TeamState, summaries: tuple[Any, ...], schema: Schema) -> bool:
        """Whether each member, with its summary, is sound or can go on; one without rows says nothing."""
        counts = (state.members.each, state.found.each, state.done, summaries)
        if any(len(some) != self.size for some in counts) or state.members.width or state.found.width:
            return False
        return all(
            (sound_member if done else resumable_member)(m, at, s, schema)
            for m, at, s, done, seen in zip(self.team(), state.members.each, summaries, state.done, state.seen)
            if seen or not done
        )

    def said(self, member: Any, state: Any, X: Columns, classes: int) -> Any:
        """What a member says of rows: rows x classes, its probabilities or, if it has none, its vote; or a number."""
        if not classes:
            return member.predict_from(state, X)[:, None]
        scores = member.scores_from(state, X)[:, :classes]
        if hasattr(member, "predict_proba"):
            return member.probability_from(scores)
        return votes(scores)
