"""What both stacks share: members by fold, and a last learner that learns from what they say of unseen rows.

Rows are dealt to folds by their places. Of every member there are as many models as folds, each without the rows of
one, and one of all rows. One-pass members are summarized once, fold by fold: the model without a fold is made of the
summaries before it and after it, merged. Then each row is told by the models that have not seen it; that is held, and
the last learner learns from it. Predictions come from the models of all rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tenfold.compose.stacking_folds import Folds, Layer, codes_of
from tenfold.core import MANY, ONE, Array, Ask, Chunk, Claim, Columns, DataError, Flags, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.estimator.kinds import winners
from tenfold.estimator.members import (
    NONE,
    asked,
    check_member,
    common_need,
    every,
    model_of,
    resumable_member,
    seed_of,
    seen,
    sound_member,
    title,
    turn,
)
from tenfold.estimator.roster import Roster
from tenfold.estimator.team import Joint, TeamState


class Stacking(Roster):
    """Has `estimators`, `final_estimator`, `cv`, `stack_method`, `passthrough` and `random_state`."""

    final_estimator: Any
    cv: Any
    stack_method: str
    passthrough: bool
    random_state: Any
    passes = MANY

    @property
    def k(self) -> int:
        """How many folds there are."""
        codes = self._listed()
        return int(self.cv) if codes is None else int(codes.max()) + 1

    def _listed(self) -> Any:
        """The fold of each row, if it is given; looked up once for all chunks."""
        if isinstance(self.cv, (int, np.integer)):
            return None
        cv, codes = self.__dict__.get("_codes", (None, None))
        if cv is not self.cv:
            codes = codes_of(self.cv)
            self._codes = self.cv, codes
        return codes

    def usual_final(self) -> Any:
        """The last learner if none is given."""
        raise NotImplementedError

    def final(self) -> Any:
        """The last learner, not fitted."""
        given = self.usual_final() if self.final_estimator is None else self.final_estimator
        check_member("final_estimator", given, self.predicts)
        if given.need.kinds == "categorical":
            raise TypeError(f"final_estimator is {given!r}, which takes categories only; members say numbers")
        return given._blank()

    def team(self) -> list[Any]:
        """Every member, once for each fold, and once for all rows."""
        k = self.k
        return [member._blank() for _, member in self.named() for _ in range(k + 1)]

    def unlike(self) -> list[Any]:
        """Every member once."""
        return [member for _, member in self.named()]

    @property
    def size(self) -> int:
        """How many models there are."""
        return len(self.named()) * (self.k + 1)

    @property
    def need(self) -> Need:
        """What all members take, and the last learner, if the columns pass through to it."""
        needs = [member.need for member in self.unlike()]
        return common_need([*needs, self.final().need] if self.passthrough else needs, type(self).__name__)

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        """Folds are drawn, unless they are given."""
        return self._listed() is None or super().draws_rows or self.final().draws_rows

    @property
    def summary_types(self) -> tuple[type, ...]:  # type: ignore[override]
        """Those of the members and of the last learner too."""
        last = self.final()
        return tuple(dict.fromkeys((*super().summary_types, last.model_type, *last.state_types, *last.summary_types)))

    # ---- members, by fold --------------------------------------------------------------------------

    def _apart(self, state: TeamState) -> Flags:
        """Which models are merged from summaries of folds: of one-pass members, at the start."""
        return np.array([m.passes == ONE and not state.turn for m in self.team()])

    def folds(self, state: TeamState) -> Folds:
        """By lot, or as they are given."""
        return Folds(seed_of(self), self.k, self._listed(), self._apart(state))

    def draw(self, state: TeamState) -> Folds:
        """Every row but those of a fold."""
        return self.folds(state)

    def _merged(self, state: TeamState, s: Joint) -> Joint:
        """The summaries of the models, made of those of the folds; never a total less a fold."""
        rows, each, k = s.rows.copy(), list(s.each.each), self.k
        apart = self._apart(state)
        for first in range(0, len(each), k + 1):
            if not apart[first]:
                continue
            ahead, behind = [each[first + k]], [each[first + k]]  # the summary of no rows
            for j in range(k):
                ahead.append(ahead[-1] + each[first + j])
                behind.append(each[first + k - 1 - j] + behind[-1])
            total = rows[first : first + k].sum()
            each[first : first + k + 1] = [*(ahead[j] + behind[k - 1 - j] for j in range(k)), ahead[k]]
            rows[first : first + k + 1] = total - np.append(rows[first : first + k], 0)
        return Joint(rows, Bundle(tuple(each)))

    def update(self, state: TeamState, s: Joint) -> TeamState:
        """Every model goes on; then the last learner."""
        if state.phase == "fit":
            return super().update(state, self._merged(state, s))
        last, now = self.final(), state.final.each[0]
        after, stopped = turn(last, now, s.each.each[0])
        done = stopped or last.ask(after) is None
        again = not done and last.ask(after) == last.ask(now)
        after = model_of(last, after) if done else after
        return state._replace(
            step=state.step + 1,
            phase="done" if done else "final",
            turn=state.turn + (not again),
            final=replace(state.final, each=(after,)),
        )

    def after(self, state: TeamState) -> TeamState:
        """On to the last learner; of summaries, those of the models of all rows are kept."""
        found = [s if at % (self.k + 1) == self.k else NONE for at, s in enumerate(state.found.each)]
        return state._replace(phase="final", found=Bundle(tuple(found)))

    # ---- the last learner ----------------------------------------------------------------------------

    def start(self, schema: Schema) -> TeamState:
        """Every model, and the last learner, at its own start."""
        state = super().start(schema)
        under = Bundle((), self.width(state), self.passthrough)
        return state._replace(final=replace(under, each=(self.final().start(under.schema(schema)),)))

    def ask(self, state: TeamState) -> Ask | None:
        """What the models ask for; then what the last learner asks for."""
        if state.phase != "final":
            return super().ask(state)
        return Ask(f"final {title(self.final().ask(state.final.each[0]))}", state.turn)

    def lens(self, state: TeamState) -> Any:
        """Those of the models; then what they say of the rows."""
        if state.phase != "final":
            return super().lens(state)
        return Layer(self, state._replace(step=0, turn=1, found=NONE, final=NONE))

    def follow(self, state: TeamState, held: Any, scratch: Any) -> Any:
        """What belongs to the models' rows; nothing belongs to what they have said."""
        return None if state.phase == "final" else super().follow(state, held, scratch)

    def summarize(self, state: TeamState, chunk: Chunk) -> Any:
        """The summaries of the models' rows, or that of what they say."""
        if state.phase != "final":
            return super().summarize(state, chunk)
        made = chunk.held.weighing(chunk.held.weight, chunk.held.uniform).inner()
        last, now = self.final(), state.final.each[0]
        statistic: Any = asked(last, now)
        if chunk.part % every(statistic):  # of this part it wants none
            made = made.rows(slice(0, 0))
        found = statistic.summarize(seen(statistic, made))
        return Joint(np.array([chunk.n]), replace(state.final, each=(found,)))

    def method(self, member: Any) -> str:
        """What a member is asked for."""
        if self.predicts == "number":
            return "predict"
        wanted = (
            ("predict_proba", "decision_function", "predict") if self.stack_method == "auto" else (self.stack_method,)
        )
        for name in wanted:
            if hasattr(member, name):
                return name
        raise ValueError(f"{member!r} has no {self.stack_method}. Remedy: stack_method='auto'")

    def width(self, state: TeamState) -> int:
        """How many numbers the members say of a row."""
        each = {"predict": 1}
        many = state.classes if state.classes != 2 else 1
        return sum(each.get(self.method(member), many) for _, member in self.named())

    def told(self, state: TeamState, X: Columns, fold: int) -> Array:
        """What the models without a fold say; one that had no rows to learn from is told by that of all rows."""
        out = []
        for m, (_, member) in enumerate(self.named()):
            at = m * (self.k + 1) + fold
            at = at if state.seen[at] else m * (self.k + 1) + self.k
            out.append(self._says(member, state.members.each[at], X, state.classes))
        return np.column_stack(out)

    def _says(self, member: Any, state: Any, X: Columns, classes: int) -> Any:
        if not classes:
            return member.predict_from(state, X)
        scores, how = member.scores_from(state, X)[:, :classes], self.method(member)
        if how == "predict":
            return winners(scores).astype(np.float64)
        if how == "predict_proba":
            found = member.probability_from(scores)
            return found[:, 1] if classes == 2 else found
        if not np.isfinite(scores).all():
            few = "some class has no finite score: perhaps none of its rows was there to learn from"
            raise DataError(f"{member!r}: {few}. Remedy: stack_method='predict_proba', or other folds by cv=")
        return scores[:, 1] - scores[:, 0] if classes == 2 else scores

    def beside(self, told: Array, X: Columns) -> Columns:
        """What the last learner sees: what was told, and the columns, if they pass through."""
        data: Any = told
        if self.passthrough:
            data = (*(np.ascontiguousarray(c) for c in told.T), *(X.column(j) for j in range(X.shape[1])))
        return Columns(data, missing=X.missing, offset=X.offset, kept=X.kept, place=X.place)

    def seen_by_last(self, state: TeamState, X: Columns) -> Columns:
        """Rows as the last learner sees them, told by the models of all rows."""
        return self.beside(self.told(state, X, self.k), X)

    def certify(self, state: TeamState, s: Any) -> tuple[Claim, ...] | None:
        """What the last learner claims, and the members of all rows by name; and if some fold has no model."""
        if state.phase != "done" or not isinstance(s, Joint):
            return None
        claims = self.final().certify(state.final.each[0], s.each.each[0])
        if claims is None:
            return None
        each = self.certified(state, None) or []
        for (name, _), some in zip(self.named(), each[self.k :: self.k + 1], strict=True):
            claims += tuple(c._replace(kind=f"{name}: {c.kind}") for c in some)
        lacking = np.count_nonzero(state.seen == 0)
        if lacking:
            why = (
                "models of all rows but those of a fold that had none left: their rows are told by models that saw them"
            )
            claims += (Claim("models without rows", float(lacking), "proved", why, "data"),)
        return claims

    # ---- the fitted stack ------------------------------------------------------------------------------

    def _after_fit(self, source: Any) -> None:
        """Refuse folds of rows that there are not: they are those of other rows."""
        super()._after_fit(source)
        codes, where = self._listed(), self.certificate_.provenance
        there = 0 if where is None else where.rows + where.dropped
        if codes is not None and len(codes) != there:
            raise DataError(f"cv has {len(codes)} entries, but there are {there} rows. Remedy: a fold for each row")

    @property
    def stack_method_(self) -> list[str]:
        """What each member is asked for."""
        if "model_" not in self.__dict__:
            raise AttributeError("stack_method_")
        return [self.method(member) for _, member in self.named()]

    @property
    def estimators_(self) -> list[Any]:
        """The members, fitted to all rows."""
        if "model_" not in self.__dict__:
            raise AttributeError("estimators_")
        return [self.fitted(m * (self.k + 1) + self.k) for m in range(len(self.named()))]

    @property
    def final_estimator_(self) -> Any:
        """The last learner, fitted to what members say of rows they have not seen."""
        if "model_" not in self.__dict__:
            raise AttributeError("final_estimator_")
        last, s = self.model_.final, self.summary_
        return self.dressed(
            self.final(), last.each[0], None if s is None else s.each.each[0], last.schema(self.schema_)
        )

    def resumable(self, state: TeamState, summary: Any, schema: Schema) -> bool:
        """Whether the models, or the last learner, can go on."""
        last = state.final
        if (last.width, last.beside, len(last.each)) != (self.width(state), self.passthrough, 1):
            return False
        if state.phase == "fit":
            return super().resumable(state, summary, schema)
        if type(summary) is not Joint or len(summary.each.each) != 1:
            return False
        fine = resumable_member(self.final(), last.each[0], summary.each.each[0], last.schema(schema))
        return fine and super().resumable(state, summary, schema)

    def sound(self, state: TeamState, summary: Any, schema: Schema) -> bool:
        """Whether what each model has is its own, and what the last learner has fits what they say."""
        last = state.final
        if (last.width, last.beside, len(last.each)) != (self.width(state), self.passthrough, 1):
            return False
        if summary is not None and (type(summary) is not Joint or len(summary.each.each) != 1):
            return False
        mine = NONE if summary is None else summary.each.each[0]
        fine = sound_member(self.final(), last.each[0], mine, last.schema(schema))
        return fine and super().sound(state, None, schema)
