"""Ensemble: a learner made of learners, whose members are summarized side by side over shared scans.

A team asks for what its members ask for, each of its own rows; the plan computes once what several want. Its model is
the models of its members, its summary their summaries, and `+` adds each to its like. So what holds of the members
holds of the team: parts, threads and workers do not matter, and if each member learns in one pass, teams merge. Each
member is asked, updated and stopped as the loop would do it; one that is done waits.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple, cast

import numpy as np

from tenfold.core import MANY, ONE, Claim, Codes, DataError, Flags, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes
from tenfold.core.field_values import CLASS_COUNT, COUNTS
from tenfold.core.learner import Done, ModelT, StateT, SummaryT
from tenfold.core.statistic import Expression
from tenfold.estimator.ensembles.members import (
    NO_RECORD,
    advance,
    begins,
    common_need,
    fitted_member,
    is_empty,
    model_of,
    resumable_member,
    sound_member,
    with_members,
)
from tenfold.estimator.shell.estimator import Estimator
from tenfold.stats.combinators import After, Among, Continue, Each, every
from tenfold.stats.member_summaries import Joint


class Learning(NamedTuple):
    """State of an ensemble whose members are being fitted; a finished member waits."""

    step: int
    schema: Schema
    done: Annotated[Flags, "member"]
    seen: Annotated[Codes, "member", COUNTS]
    """number of training rows of each model; models without any are left out"""
    members: Bundle
    """states of the members, or the model of a finished one"""
    found: Bundle
    """the last summaries of members that were done, if others went on"""


class EnsembleModel(NamedTuple):
    """The models of the members."""

    seen: Annotated[Codes, "member", COUNTS]
    """number of training rows of each model; models without any are left out"""
    members: Bundle
    found: Bundle
    """the last summaries of members that were done before the last reduce"""
    n_classes: Annotated[int, CLASS_COUNT]
    """number of classes; 0 for regression"""


class Ensemble(Estimator[StateT, SummaryT, ModelT]):
    """A subclass writes `team()`, and may write `on_own_rows(asks)`: which rows each member learns from."""

    hidden: ClassVar[frozenset[str]] = frozenset(EnsembleModel._fields)
    merges_if = "if those of all members do"

    def team(self) -> list[Any]:
        """Copies of all members, not fitted."""
        raise NotImplementedError

    def distinct_members(self) -> list[Any]:
        """The members, or one for all that are copies of it."""
        return self.team()

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self.team())

    def on_own_rows(self, asks: dict[int, Expression]) -> tuple[Expression, ...]:
        """Return the expressions of members, by index, each on its own rows; by default on all rows."""
        return tuple(asks.values())

    def columns(self, schema: Schema) -> tuple[tuple[int, ...], ...]:
        """The numbers of the columns that each member learns from; here empty: all of them."""
        return ()

    def schemas(self, schema: Schema) -> list[Schema]:
        """Return the schema of the columns that each member is fitted on."""
        some = self.columns(schema)
        return [schema.select(one) for one in some] if some else [schema] * self.size

    def after(self, state: Learning, model: EnsembleModel) -> Any:
        """The state once all members are done."""
        return Done.of(model, state.step)

    @property
    def passes(self) -> str:  # type: ignore[override]
        return ONE if all(member.passes == ONE for member in self.distinct_members()) else MANY

    @property
    def record_types(self) -> RecordTypes:
        return with_members(super().record_types, self.distinct_members())

    @property
    def need(self) -> Need:
        return common_need([member.need for member in self.distinct_members()], type(self).__name__)

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return any(member.draws_rows for member in self.distinct_members())

    # ---- the loop of each member -------------------------------------------------------------------

    def start(self, schema: Schema) -> Learning:
        """Return the initial state, with every member at its own."""
        team = self.team()
        n = len(team)
        columns = self.columns(schema)
        each = zip(team, self.schemas(schema), strict=True)
        states = Bundle(tuple(member.start(mine) for member, mine in each), columns=columns)
        found = Bundle((NO_RECORD,) * n, columns=columns)
        return Learning(0, schema, np.zeros(n, bool), np.zeros(n, np.int64), states, found)

    def ask(self, state: Learning | Done[ModelT]) -> Expression | None:
        """Return the expressions of all unfinished members, each on its own rows."""
        if not isinstance(state, Learning):
            return None
        team, columns = self.team(), state.members.columns
        asks: dict[int, Expression] = {at: Continue(str(at), ask) for at, ask in self._asks(state).items()}
        if columns:
            asks = {at: After((Among(columns[at], team[at].need.missing),), ask) for at, ask in asks.items()}
        return Each(self.on_own_rows(asks), columns=tuple(columns[at] for at in asks) if columns else ())

    def _asks(self, state: Learning) -> dict[int, Expression]:
        """Return the expression of each unfinished member."""
        team = self.team()
        return {at: team[at].ask(state.members.each[at]) for at in np.flatnonzero(~state.done).tolist()}

    def update(self, state: Learning, summary: Joint) -> StateT | Learning | Done[ModelT]:
        """Update every unfinished member with its summary, as the loop does for a single learner."""
        team, asks = self.team(), self._asks(state)
        done, learned = state.done.copy(), state.seen.copy()
        states, found = list(state.members.each), list(state.found.each)
        schemas, columns = self.schemas(state.schema), state.members.columns
        for (at, ask), rows, mine in zip(asks.items(), summary.rows, summary.each.each, strict=True):
            if every(ask) == 1:
                learned[at] = rows
            if every(ask) == 1 and not rows:
                states[at], done[at] = model_of(team[at], states[at]), True
            else:
                states[at], done[at] = advance(team[at], states[at], mine, schemas[at])
        for at, mine in zip(asks, summary.each.each, strict=True):
            if done[at] and (self.passes != ONE or not done.all()):  # the next summary is of others
                found[at] = team[at].kept_summary(states[at], mine) if learned[at] else mine
        members, kept = (Bundle(tuple(some), columns=columns) for some in (states, found))
        state = Learning(state.step + 1, state.schema, done, learned, members, kept)
        if not done.all():
            return state
        self.check_seen(learned)
        return self.after(state, self._model(state, state.members.each))

    def check_seen(self, rows: Codes) -> None:
        """Refuse a team of which some member, or of bags every one, has learned from no row."""
        if not rows.all():
            few = "no member has drawn a row: there are few of them, perhaps 1 sample"
            raise DataError(f"{few}. Remedy: more rows, more members, or another random_state")

    def _model(self, state: Learning, members: tuple[Any, ...]) -> EnsembleModel:
        classes = 0 if state.schema.classes is None else len(state.schema.classes)
        return EnsembleModel(state.seen, Bundle(members, columns=state.members.columns), state.found, classes)

    def model(self, state: StateT | Learning | Done[ModelT]) -> ModelT | None:
        # The models of all members, once they are done; if one pass is enough, once each has one.
        if isinstance(state, Done):
            return state.model
        if not isinstance(state, Learning) or self.passes != ONE or not state.step:
            return None
        each = zip(self.team(), state.members.each, state.done, strict=True)
        models = tuple(one if done else member.model(one) for member, one, done in each)
        return None if any(one is None for one in models) else cast(ModelT, self._model(state, models))

    def members_of(self, model: Any) -> list[tuple[Any, Any]]:
        each = zip(self.team(), model.members.each, model.seen, strict=True)
        return [(member, one) for member, one, seen in each if seen]

    def certified(self, model: Any, s: Joint | None) -> list[tuple[Claim, ...]] | None:
        """The claims of each member, of its last summary; none of one without rows; None while not all are known."""
        claims = [
            member.certify(at, mine) if seen else ()
            for member, at, mine, seen in zip(self.team(), model.members.each, self._latest(model, s), model.seen)
        ]
        return None if any(some is None for some in claims) else cast(list[tuple[Claim, ...]], claims)

    def _latest(self, model: Any, s: Joint | None) -> tuple[Any, ...]:
        """Return the last summary of each member: of its final round, or of the last reduce."""
        if s is None:
            return cast(tuple[Any, ...], model.found.each)
        if len(s.each.each) == self.size:
            return tuple(new if is_empty(had) else had for new, had in zip(s.each.each, model.found.each, strict=True))
        last = iter(s.each.each)  # it is of those that went on
        return tuple(next(last) if is_empty(had) else had for had in model.found.each)

    def kept_summary(self, model: Any, summary: Any) -> Any:
        if not isinstance(summary, Joint):
            return summary
        if self.passes != ONE:  # they are kept with the models
            return Joint(model.seen, Bundle((NO_RECORD,) * self.size, columns=model.members.columns))
        each = zip(self.team(), model.members.each, self._latest(model, summary), model.found.each, model.seen)
        kept = tuple(m.kept_summary(one, s) if seen and is_empty(had) else s for m, one, s, had, seen in each)
        return Joint(model.seen, Bundle(kept, columns=model.members.columns))

    # ---- the members of a fitted team ----------------------------------------------------------------

    def fitted(self, at: int) -> Any:
        """A member as it would be if it had been fitted by itself."""
        model, s = self.model_, self.summary_
        mine = self._latest(model, s if isinstance(s, Joint) and self.passes == ONE else None)[at]
        found = self.as_fitted(
            self.team()[at], model.members.each[at], None if is_empty(mine) else mine, self.schemas(self.schema_)[at]
        )
        found.computed = self.computed
        return found

    def as_fitted(self, member: Any, model: Any, summary: Any, schema: Schema) -> Any:
        """Return a copy of a learner with its fitted state."""
        return fitted_member(member, model, summary, schema, self.certificate_.provenance)

    def size_fits(self, record: Any) -> bool:
        return len(record.members.each) == self.size

    def is_valid(self, model: Any, summary: Any, schema: Schema) -> bool:
        if not model.seen.any() or not len(model.seen) == len(model.found.each) == self.size:
            return False
        if isinstance(summary, Joint) and len(summary.each.each) != self.size:
            return False
        if isinstance(summary, Joint) and summary.each.columns != self.columns(schema):
            return False
        if isinstance(summary, Joint) and self.passes != ONE and not all(map(is_empty, summary.each.each)):
            return False
        latest = self._latest(model, summary if isinstance(summary, Joint) else None)
        return self._all_fit(model, np.ones(self.size, bool), latest, schema)

    def resumable(self, state: Any, summary: Any, schema: Schema) -> bool:
        # The same while members go on, or wait for the others.
        going = np.flatnonzero(~state.done).tolist()
        if type(summary) is not Joint or len(summary.each.each) != len(going) or len(state.done) != self.size:
            return False
        latest, team, schemas = list(state.found.each), self.team(), self.schemas(schema)
        if summary.each.columns != tuple(self.columns(schema)[at] for at in going if state.members.columns):
            return False
        for at, mine, rows in zip(going, summary.each.each, summary.rows, strict=True):
            latest[at] = mine
            if is_empty(mine) and (rows or not begins(team[at], state.members.each[at], schemas[at])):
                return False
        return self._all_fit(state, state.done, tuple(latest), schema)

    def _all_fit(self, record: Any, done: Flags, summaries: tuple[Any, ...], schema: Schema) -> bool:
        """Whether each member and its summary are valid, or can resume; a member without rows is skipped."""
        counts = (record.members.each, record.found.each, record.seen, done, summaries)
        told = (0, False, self.columns(schema))
        if (
            any(len(some) != self.size for some in counts)
            or not told == record.members.rows_key == record.found.rows_key
        ):
            return False
        each = zip(self.schemas(schema), self.team(), record.members.each, summaries, done, record.seen)
        return all(self._fits(*one) for one in each)

    @staticmethod
    def _fits(schema: Schema, member: Any, record: Any, summary: Any, done: bool, seen: int) -> bool:
        """Whether a member's model, or state, is its own, and the summary that it is of."""
        if done:
            return sound_member(member, record, summary, schema) if seen else is_empty(record)
        return is_empty(summary) or resumable_member(member, record, summary, schema)
