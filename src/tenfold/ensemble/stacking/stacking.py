"""The base of both stacking learners: members by fold, and a final estimator fitted to their out-of-fold predictions.

Rows are dealt to folds by their places. Of every member there are as many models as folds, each without the rows of
one, and one of all rows. One-pass members are summarized once, fold by fold: the model without a fold is made of the
summaries before it and after it, merged. Then each row is predicted by the models that were not fitted to it; that is
held, and the last learner learns from it. Predictions come from the models of all rows.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from tenfold.core import MANY, Array, Claim, Codes, Columns, DataError, Need, Remedy, Schema
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes
from tenfold.core.field_values import CLASS_COUNT, COUNTS
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression
from tenfold.core.value import ByParams
from tenfold.ensemble.stacking.stacking_folds import ByLot, GivenFolds, Layer
from tenfold.estimator import fitted
from tenfold.estimator.ensembles.ensemble import EnsembleModel, Learning
from tenfold.estimator.ensembles.member_outputs import MemberOutputs, numbered
from tenfold.estimator.ensembles.members import (
    NO_RECORD,
    advance,
    common_need,
    resumable_member,
    seed_of,
    sound_member,
    with_members,
)
from tenfold.estimator.ensembles.named_members import NamedEnsemble
from tenfold.estimator.ensembles.transformer_chain import as_pipeline
from tenfold.estimator.files.registry import is_pipeline
from tenfold.estimator.shell.constraints import anything, array, boolean, integer, seed
from tenfold.estimator.shell.keyword_decisions import ignored_n_jobs, ignored_verbose
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.shell.kinds import winners
from tenfold.stats.combinators import After, Continue, Each, Inside, Key, Of
from tenfold.stats.fold_summaries import DEFAULT_FOLDS, codes_of
from tenfold.stats.member_summaries import Joint


class Layered(NamedTuple):
    """The state in which the final estimator is fitted to out-of-fold predictions."""

    step: int
    schema: Schema
    team: EnsembleModel
    last: Bundle


class StackModel(NamedTuple):
    """The models of all folds and of all rows, and the last one."""

    seen: Annotated[Codes, "member", COUNTS]
    """number of training rows of each model; models without any are left out"""
    members: Bundle
    found: Bundle
    """the last summaries of the models of all rows"""
    n_classes: Annotated[int, CLASS_COUNT]
    last: Bundle
    """state of the final estimator"""


not_prefit = refused(
    "members learn with the stack, in the same scans", Remedy('tn.{name}([("a", {member})], cv=5)'), "prefit"
)


State: TypeAlias = Learning | Layered | Done[StackModel]


class Stacking(MemberOutputs, NamedEnsemble):
    """Base of the stacking learners: members, folds and a final estimator."""

    passes = MANY
    merges_if = ""
    hidden = frozenset(StackModel._fields)

    final_estimator: Annotated[Any, anything] = None
    _: KW_ONLY
    cv: Annotated[Any, integer(2), array, None, not_prefit] = 5
    passthrough: Annotated[bool, boolean] = False
    random_state: Annotated[int | None, seed] = 0
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    verbose: Annotated[int, ignored_verbose] = 0

    @property
    def k(self) -> int:
        """Number of folds."""
        codes = self._listed()
        return int(codes.max()) + 1 if codes is not None else DEFAULT_FOLDS if self.cv is None else int(self.cv)

    def _listed(self) -> Any:
        """The fold of each row, if it is given; looked up once for all chunks."""
        if self.cv is None or isinstance(self.cv, (int, np.integer)):
            return None
        cv, codes = self.__dict__.get("_codes", (None, None))
        if cv is not self.cv:
            codes = codes_of(self.cv)
            self._codes = self.cv, codes
        return codes

    def default_final_estimator(self) -> Any:
        """The last learner if none is given."""
        raise NotImplementedError

    def final(self) -> Any:
        """The unfitted final estimator."""
        given = self.default_final_estimator() if self.final_estimator is None else self.final_estimator
        given = self.as_member("final_estimator", given)
        if given.need.kinds == "categorical":
            raise TypeError(f"final_estimator is {given!r}, which takes categories only; members predict numbers")
        return given._blank()

    def team(self) -> list[Any]:
        k = self.k
        return [member._blank() for _, member in self.named() for _ in range(k + 1)]

    def distinct_members(self) -> list[Any]:
        return [member for _, member in self.named()]

    @property
    def size(self) -> int:
        return len(self.named()) * (self.k + 1)

    @property
    def need(self) -> Need:
        needs = [member.need for member in self.distinct_members()]
        return common_need([*needs, self.final().need] if self.passthrough else needs, type(self).__name__)

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        # Folds are drawn, unless they are given.
        return self._listed() is None or super().draws_rows or self.final().draws_rows

    @property
    def record_types(self) -> RecordTypes:
        return with_members(super().record_types, [self.final()])

    # ---- members, by fold --------------------------------------------------------------------------

    def folds(self) -> Key:
        """Assign rows to folds at random, or as `cv` gives them."""
        codes = self._listed()
        return ByLot(self.k, seed_of(self)) if codes is None else GivenFolds(self.k, codes)

    def on_own_rows(self, asks: dict[int, Expression]) -> tuple[Expression, ...]:
        folds, k = self.folds(), self.k
        rows = [tuple(g for g in range(k) if g != j) for j in range(k + 1)]
        return tuple(Of(folds, rows[at % (k + 1)], After((Inside(),), ask)) for at, ask in asks.items())

    def start(self, schema: Schema) -> Learning:
        # Every model at its own start; the last learner, which comes later, could start too.
        state: Learning = super().start(schema)
        self._last(schema)
        return state

    def _last(self, schema: Schema) -> Bundle:
        """The last learner at its own start."""
        under = Bundle((), self.width(0 if schema.classes is None else len(schema.classes)), self.passthrough)
        return replace(under, each=(self.final().start(under.schema(schema)),))

    def check_seen(self, rows: Codes) -> None:
        # Models without a fold may have no rows: those of all rows speak for them.
        super().check_seen(rows[self.k :: self.k + 1])

    def after(self, state: Learning, model: EnsembleModel) -> Layered:
        # On to the last learner; of summaries, those of the models of all rows are kept.
        found = [s if at % (self.k + 1) == self.k else NO_RECORD for at, s in enumerate(model.found.each)]
        last = self._last(state.schema)
        return Layered(state.step, state.schema, model._replace(found=Bundle(tuple(found))), last)

    # ---- the last learner ----------------------------------------------------------------------------

    def ask(self, state: State) -> Expression | None:
        # What the models ask for; then what the last learner asks for, of what they say.
        if not isinstance(state, Layered):
            return super().ask(state)
        layer = Layer(ByParams(self._blank()), state.team._replace(found=NO_RECORD), self.folds())
        asked = Continue("last", self.final().ask(state.last.each[0]))
        return Each((After((layer, Inside()), asked, keep=True),), state.last.width, state.last.beside)

    def update(self, state: Learning | Layered, summary: Joint) -> State:
        # Every model goes on; then the last learner.
        if not isinstance(state, Layered):
            return super().update(state, summary)
        schema = state.last.schema(state.schema)
        after, done = advance(self.final(), state.last.each[0], summary.each.each[0], schema)
        last = replace(state.last, each=(after,))
        if done:
            return Done.of(StackModel(*state.team, last), state.step + 1)
        return state._replace(step=state.step + 1, last=last)

    def method(self, member: Any) -> str:
        """Name of the method that a member predicts with."""
        if self.predicts == "number":
            return "predict"
        wanted = (
            ("predict_proba", "decision_function", "predict") if self.stack_method == "auto" else (self.stack_method,)
        )
        has = {
            "predict_proba": member.has_probabilities,
            "decision_function": member.has_decision_function,
            "predict": True,
        }
        for name in wanted:
            if has[name]:
                return name
        raise ValueError(f"{member!r} has no {self.stack_method}. Remedy: stack_method='auto'")

    def widths(self, classes: int) -> list[int]:
        """Number of outputs of each member."""
        many = classes if classes != 2 else 1
        return [1 if self.method(member) == "predict" else many for _, member in self.named()]

    def width(self, classes: int) -> int:
        """Total number of outputs of the members."""
        return sum(self.widths(classes))

    def out_of_fold(self, model: EnsembleModel | StackModel, X: Columns, fold: int) -> Array:
        """Out-of-fold predictions; a model without training rows is replaced by the model of all rows."""
        out = []
        for m, (_, member) in enumerate(self.named()):
            at = m * (self.k + 1) + fold
            at = at if model.seen[at] else m * (self.k + 1) + self.k
            out.append(self._member_output(member, model.members.each[at], X, model.n_classes))
        return np.column_stack(out)

    def _member_output(self, member: Any, model: Any, X: Columns, classes: int) -> Any:
        if not classes:
            return member.predict_from(model, X)
        scores, how = member.scores_from(model, X)[:, :classes], self.method(member)
        if how == "predict":
            return winners(scores).astype(np.float64)
        if how == "predict_proba":
            found = member.probability_from(scores)
            return found[:, 1] if classes == 2 else found
        if not np.isfinite(scores).all():
            few = "some class has no finite score: perhaps none of its rows was there to learn from"
            raise DataError(f"{member!r}: {few}. Remedy: stack_method='predict_proba', or other folds by cv=")
        return scores[:, 1] - scores[:, 0] if classes == 2 else scores

    def final_input(self, out_of_fold: Array, X: Columns) -> Columns:
        """Input of the final estimator: the predictions, and the columns if `passthrough`."""
        data: Any = out_of_fold
        if self.passthrough:
            data = (*(np.ascontiguousarray(c) for c in out_of_fold.T), *(X.column(j) for j in range(X.shape[1])))
        return Columns(data, missing=X.missing, offset=X.offset, kept=X.kept, place=X.place)

    def seen_by_last(self, model: StackModel, X: Columns) -> Columns:
        """Input of the final estimator, predicted by the models of all rows."""
        return self.final_input(self.out_of_fold(model, X, self.k), X)

    def outputs_from(self, model: StackModel, X: Columns) -> Array:
        # Final estimator input: out-of-fold predictions, and the columns that pass through, categories as numbers.
        out_of_fold = self.out_of_fold(model, X, self.k)
        return (
            np.column_stack([out_of_fold, *(X.column(j) for j in range(X.shape[1]))])
            if self.passthrough
            else out_of_fold
        )

    def output_names(self, names: list[str]) -> list[str]:
        # The name of each member, with a number for each class; and of the columns that pass through.
        team, widths = type(self).__name__.lower(), self.widths(self.model_.n_classes)
        each = zip(self.named(), widths, strict=True)
        found = [one for (name, _), width in each for one in numbered(f"{team}_{name}", width)]
        return [*found, *names] if self.passthrough else found

    def certify(self, model: StackModel, s: Joint) -> tuple[Claim, ...] | None:
        """Claims of the final estimator and of the members fitted to all rows, and of folds without a model."""
        claims: tuple[Claim, ...] | None = self.final().certify(model.last.each[0], s.each.each[0])
        if claims is None:
            return None
        of_all = slice(self.k, None, self.k + 1)
        records = (self.team(), model.members.each, model.found.each)
        for (name, _), member, one, mine in zip(self.named(), *(some[of_all] for some in records), strict=True):
            theirs = member.certify(one, mine)
            if theirs is None:
                return None
            claims += tuple(c._replace(kind=f"{name}: {c.kind}") for c in theirs)
        lacking = np.count_nonzero(model.seen == 0)
        if lacking:
            why = "folds without training rows: their rows are predicted by models that were fitted to them"
            claims += (Claim("models without rows", float(lacking), "proved", why, "data"),)
        return claims

    def kept_summary(self, model: StackModel, summary: Any) -> Any:
        # The summary of the out-of-fold predictions; those of the models of all rows are kept with them.
        last = self.final().kept_summary(model.last.each[0], summary.each.each[0])
        return replace(summary, each=replace(summary.each, each=(last,)))

    # ---- the fitted stack ------------------------------------------------------------------------------

    def _after_fit(self, source: Any) -> None:
        """Refuse folds of rows that there are not: they are those of other rows."""
        super()._after_fit(source)
        codes, where = self._listed(), self.certificate_.provenance
        there = 0 if where is None else where.rows + where.dropped
        if codes is not None and len(codes) != there:
            raise DataError(f"cv has {len(codes)} entries, but there are {there} rows. Remedy: a fold for each row")

    @property
    @fitted
    def stack_method_(self) -> list[str]:
        """Name of the method that each member predicts with."""
        if "model_" not in self.__dict__:
            raise AttributeError("stack_method_")
        return [self.method(member) for _, member in self.named()]

    @property
    @fitted
    def estimators_(self) -> list[Any]:
        """The members, fitted to all rows."""
        if "model_" not in self.__dict__:
            raise AttributeError("estimators_")
        return [self.as_given(m, self.fitted(m * (self.k + 1) + self.k)) for m in range(len(self.named()))]

    @property
    @fitted
    def final_estimator_(self) -> Any:
        """The final estimator, fitted to out-of-fold predictions."""
        if "model_" not in self.__dict__:
            raise AttributeError("final_estimator_")
        last, s = self.model_.last, self.summary_
        found = self.as_fitted(
            self.final(), last.each[0], None if s is None else s.each.each[0], last.schema(self.schema_)
        )
        return as_pipeline(self.final_estimator, found) if is_pipeline(self.final_estimator) else found

    def size_fits(self, record: Any) -> bool:
        return super().size_fits(record.team if isinstance(record, Layered) else record)

    def resumable(self, state: Any, summary: object, schema: Schema) -> bool:
        if not isinstance(state, Layered):
            return super().resumable(state, summary, schema)
        return self._sound(state.team, state.last, summary, schema, resumable_member)

    def is_valid(self, model: StackModel, summary: object, schema: Schema) -> bool:
        return self._sound(model, model.last, summary, schema, sound_member)

    def _sound(self, team: Any, last: Bundle, summary: Any, schema: Schema, fits: Any) -> bool:
        if (last.width, last.beside, len(last.each)) != (self.width(team.n_classes), self.passthrough, 1):
            return False
        if not team.seen[self.k :: self.k + 1].all():
            return False
        if summary is not None and (type(summary) is not Joint or len(summary.each.each) != 1):
            return False
        mine = NO_RECORD if summary is None else summary.each.each[0]
        return fits(self.final(), last.each[0], mine, last.schema(schema)) and super().is_valid(team, None, schema)
