"""The base of bagging: bootstrap draws for each member, and out-of-bag scores.

How often a member draws a row is a Poisson number of mean one, from a hash of the row's place and the member: the
bootstrap without a list, the same on every runner. Members learn side by side over shared scans; if the member learns
in one pass, so does the bag, and bags merge.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import MANY, Array, Chunk, Claim, Codes, Columns, Remedy, Schema
from tenfold.core.contract import RecordTypes
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression, Statistic
from tenfold.core.value import ByParams
from tenfold.estimator import fitted
from tenfold.estimator.ensembles.ensemble import Ensemble, EnsembleModel, Learning
from tenfold.estimator.ensembles.member_sequence import MemberSequence
from tenfold.estimator.ensembles.members import check_member, member_output, seed_of
from tenfold.estimator.shell.constraints import anything, boolean, integer, seed
from tenfold.estimator.shell.keyword_decisions import ALONE, ignored_n_jobs, ignored_verbose
from tenfold.estimator.shell.keywords import Refused
from tenfold.stats.combinators import After, Draw, Inside, Reweighted
from tenfold.stats.member_summaries import Joint
from tenfold.stats.rows.draws import ROW_STREAM, SEED_STREAM, keys_of, times_of


class Bootstrap(Draw):
    """How often a member draws each row."""

    key: int
    """of the member"""

    def weight(self, chunk: Chunk) -> Array:
        return chunk.weight * self.times(chunk)

    def times(self, chunk: Chunk) -> Codes:
        """How often each row is drawn."""
        return times_of(chunk.places(), np.uint64(self.key))


class BaggingOutOfBag(Statistic):
    """How far the members are right about rows that they have not drawn."""

    bag: ByParams
    model: EnsembleModel
    draws: tuple[Bootstrap, ...]

    def summarize(self, chunk: Chunk) -> Any:
        bag, model = self.bag.it, self.model
        sums, count = np.zeros((chunk.n, max(model.n_classes, 1))), np.zeros(chunk.n, np.int64)
        for at, (member, draw) in enumerate(zip(bag.team(), self.draws, strict=True)):
            if model.seen[at]:
                unseen = np.flatnonzero(draw.times(chunk) == 0)
                sums[unseen] += member_output(member, model.members.each[at], chunk.X.rows(unseen), model.n_classes)
                count[unseen] += 1
        return bag.summarize_out_of_bag(chunk, sums, count)


class ScoringOutOfBag(NamedTuple):
    """The members are done, and are to be scored by rows that they have not drawn."""

    step: int
    team: EnsembleModel


poisson_draws = Refused(
    "each row is drawn a Poisson number of times, of mean 1",
    Remedy("tn.{name}().fit(X[::2], y[::2])", "a share of the rows"),
    (None, 1.0),
)
all_columns = Refused("members see all columns", Remedy("tn.RandomForest{kind}(max_features=0.5)"), (1.0,))
all_columns_drawn = all_columns._replace(takes=(False,))
with_replacement = Refused(
    "members draw rows with replacement",
    Remedy('tn.Voting{kind}([("a", {member}), ("b", tn.DecisionTree{kind}())])', "whose members see all rows"),
    (True,),
)
more_members = Refused(ALONE, Remedy("tn.{name}(n_estimators=20)", "which fits all trees at once"), (False,))


class Bagging(MemberSequence, Ensemble):
    """Base of the bagging learners; a subclass defines `default_estimator`, `summarize_out_of_bag` and its
    claims."""

    predicts: ClassVar[str]
    """the target of the members"""
    draws_rows = True
    merges_if = "if those of its estimator do, with `oob_score=False`"
    expected_failed_checks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "a row with a weight is drawn as one row, not as several",
    )

    estimator: Annotated[Any, anything] = None
    n_estimators: Annotated[int, integer(1)] = 10
    _: KW_ONLY
    oob_score: Annotated[bool, boolean] = False
    random_state: Annotated[int | None, seed] = 0
    max_samples: Annotated[float | None, poisson_draws] = None
    max_features: Annotated[Any, all_columns] = 1.0
    bootstrap: Annotated[bool, with_replacement] = True
    bootstrap_features: Annotated[bool, all_columns_drawn] = False
    warm_start: Annotated[bool, more_members] = False
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    verbose: Annotated[int, ignored_verbose] = 0

    def default_estimator(self) -> Any:
        """The member if none is given."""
        raise NotImplementedError

    def one(self) -> Any:
        """The learner that all members are copies of."""
        given = self.default_estimator() if self.estimator is None else self.estimator
        check_member("estimator", given, self.predicts, seeded=False)
        return given

    def team(self) -> list[Any]:
        given = self.one()
        team = [given._blank() for _ in range(self.n_estimators)]
        if given.seeded:
            for member, key in zip(team, self._keys(SEED_STREAM), strict=True):
                member.random_state = int(key >> np.uint64(33))
        return team

    def distinct_members(self) -> list[Any]:
        return [self.one()]

    @property
    def size(self) -> int:
        return self.n_estimators

    def _keys(self, stream: int) -> Any:
        return keys_of(seed_of(self), stream, 0, self.n_estimators)

    @property
    def passes(self) -> str:  # type: ignore[override]
        return MANY if self.oob_score else str(self.one().passes)

    @property
    def record_types(self) -> RecordTypes:
        own = super().record_types
        return own._replace(summaries=(*own.summaries, self.out_of_bag_type))

    def draws(self) -> tuple[Bootstrap, ...]:
        """Bootstrap draws of the members, by row id."""
        return tuple(Bootstrap(int(key)) for key in self._keys(ROW_STREAM))

    def on_own_rows(self, asks: dict[int, Expression]) -> tuple[Expression, ...]:
        draws = self.draws()
        return tuple(Reweighted(draws[at], After((Inside(),), ask)) for at, ask in asks.items())

    def after(self, state: Learning, model: EnsembleModel) -> Any:
        return ScoringOutOfBag(state.step, model) if self.oob_score else super().after(state, model)

    def ask(self, state: Learning | ScoringOutOfBag | Done[EnsembleModel]) -> Expression | None:
        # What the members ask for; then all rows once more, if they are to be scored.
        if isinstance(state, ScoringOutOfBag):
            return BaggingOutOfBag(ByParams(self._blank()), state.team, self.draws())
        return super().ask(state)

    def update(
        self, state: Learning | ScoringOutOfBag, summary: Joint
    ) -> Learning | ScoringOutOfBag | Done[EnsembleModel]:
        # Every member goes on; or all is done.
        if isinstance(state, ScoringOutOfBag):
            return Done.of(state.team, state.step + 1)
        return super().update(state, summary)

    def check_seen(self, rows: Codes) -> None:
        # Some members may have drawn no row: they have no say.
        super().check_seen(np.atleast_1d(rows.any()))

    def means(self, model: EnsembleModel, X: Columns) -> Array:
        """The mean of the members' predictions for each row; members that have drawn no row are left out."""
        total = np.zeros((len(X), max(model.n_classes, 1)))
        for at, member in enumerate(self.team()):
            if model.seen[at]:
                total += member_output(member, model.members.each[at], X, model.n_classes)
        return total / np.count_nonzero(model.seen)

    def certify(self, model: EnsembleModel, s: Joint) -> tuple[Claim, ...] | None:
        """Out-of-bag claims, and the smallest and largest value of each claim over members."""
        has_oob = not isinstance(s, Joint)
        each = self.certified(model, None if has_oob else s)
        if each is None:
            return None
        claims = list(self.out_of_bag_claims(s)) if has_oob else []
        kinds = dict.fromkeys(c.kind for some in each for c in some)
        for kind in kinds:
            some = [c for claims_ in each for c in claims_ if c.kind == kind]
            least, most = min(some, key=_value), max(some, key=_value)
            status = next(
                w for w in ("assumed", "estimated", "with confidence", "proved") if w in {c.status for c in some}
            )
            of = f"of {len(some)} members that say so: {least.because}"
            claims.append(least._replace(kind=f"least {kind}", status=status, because=of))
            if most.value > least.value:
                claims.append(
                    most._replace(kind=f"greatest {kind}", status=status, because=f"the same, {most.because}")
                )
        return tuple(claims)

    @property
    @fitted
    def estimators_(self) -> list[Any]:
        """The members, fitted; without those that have drawn no row."""
        if "model_" not in self.__dict__:
            raise AttributeError("estimators_")
        return [self.fitted(at) for at in np.flatnonzero(self.model_.seen).tolist()]

    def is_valid(self, model: EnsembleModel, summary: object, schema: Schema) -> bool:
        kind = self.out_of_bag_type if self.oob_score else Joint
        return (summary is None or type(summary) is kind) and super().is_valid(model, summary, schema)

    def size_fits(self, record: Any) -> bool:
        return super().size_fits(record.team if isinstance(record, ScoringOutOfBag) else record)

    def resumable(self, state: Any, summary: object, schema: Schema) -> bool:
        if isinstance(state, ScoringOutOfBag):
            return type(summary) is self.out_of_bag_type and super().is_valid(state.team, None, schema)
        return super().resumable(state, summary, schema)

    out_of_bag_type: ClassVar[Any]

    def summarize_out_of_bag(self, chunk: Chunk, sums: Array, count: Codes) -> Any:
        """Summarize the out-of-bag predictions of a chunk: their sums, and how many members have not drawn each row."""
        raise NotImplementedError

    def out_of_bag_claims(self, s: Any) -> tuple[Claim, ...]:
        """The out-of-bag score and its interval, from the summary of out-of-bag predictions."""
        raise NotImplementedError


def _value(claim: Claim) -> float:
    return claim.value
