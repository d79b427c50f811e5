"""What both bags share: rows drawn anew for each member, and the judgement of rows that it has not drawn.

How often a member draws a row is a Poisson number of mean one, from a hash of the row's place and the member: the
bootstrap without a list, the same on every runner. Members learn side by side over shared scans; if the member learns
in one pass, so does the bag, and bags merge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tenfold.core import MANY, Array, Ask, Chunk, Claim, Codes, Columns
from tenfold.estimator.members import check_member, seed_of
from tenfold.estimator.team import Joint, Team, TeamState
from tenfold.stats.draws import ROWS, SEEDS, keys_of, times_of


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """How often each member draws each row."""

    keys: Any
    """of the members"""
    shared: ClassVar[bool] = False

    def __call__(self, chunk: Chunk) -> Callable[[int], Chunk]:
        """From a member's number to the rows it draws, with their weights."""
        times, inner = self.times(chunk), chunk.inner()

        def rows(member: int) -> Chunk:
            drawn = times(member)
            which = np.flatnonzero(drawn)
            some = inner.rows(which)
            return some._replace(weight=some.weight * drawn[which], uniform=False)

        return rows

    def times(self, chunk: Chunk) -> Callable[[int], Codes]:
        """From a member's number to how often it draws each row."""
        places = chunk.places()
        return lambda member: times_of(places, self.keys[member])


class Bagging(Team):
    """Has the parameters below; the kind of learner brings `usual`, `judged` and the claims of that."""

    estimator: Any
    n_estimators: int
    oob_score: bool
    random_state: Any
    predicts: str
    """the target of the members"""
    draws_rows = True
    expected_failed_checks: ClassVar[dict[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "a row with a weight is drawn as one row, not as several"
    }

    def usual(self) -> Any:
        """The member if none is given."""
        raise NotImplementedError

    def one(self) -> Any:
        """The learner that all members are copies of."""
        given = self.usual() if self.estimator is None else self.estimator
        check_member("estimator", given, self.predicts, seeded=False)
        return given

    def team(self) -> list[Any]:
        """So many copies, each with a seed of its own if it has any."""
        given = self.one()
        team = [given._blank() for _ in range(self.n_estimators)]
        if hasattr(given, "random_state"):
            for member, key in zip(team, self._keys(SEEDS), strict=True):
                member.random_state = int(key >> np.uint64(33))
        return team

    def unlike(self) -> list[Any]:
        """One for all."""
        return [self.one()]

    @property
    def size(self) -> int:
        """How many members there are."""
        return self.n_estimators

    def _keys(self, stream: int) -> Any:
        return keys_of(seed_of(self), stream, 0, self.n_estimators)

    @property
    def passes(self) -> str:  # type: ignore[override]
        """As many as the member needs, and one more to judge rows it has not drawn."""
        return MANY if self.oob_score else str(self.one().passes)

    @property
    def summary_types(self) -> tuple[type, ...]:  # type: ignore[override]
        """Those of the members too."""
        return (*super().summary_types, self.judged_type)

    def draw(self, state: TeamState) -> Bootstrap:
        """Rows by their places."""
        return Bootstrap(self._keys(ROWS))

    def after(self, state: TeamState) -> TeamState:
        """The judgement, if it is wanted."""
        return state._replace(phase="judge" if self.oob_score else "done")

    def ask(self, state: TeamState) -> Ask | None:
        """What the members ask for; then all rows once more, if they are to be judged."""
        return Ask("judge") if state.phase == "judge" else super().ask(state)

    def summarize(self, state: TeamState, chunk: Chunk) -> Any:
        """The summaries of the rows that members have drawn; or what is said of rows by those that have not."""
        if state.phase != "judge":
            return super().summarize(state, chunk)
        times = self.draw(state).times(chunk)
        sums, count = np.zeros((chunk.n, max(state.classes, 1))), np.zeros(chunk.n, np.int64)
        for at, member in enumerate(self.team()):
            if state.seen[at]:
                unseen = np.flatnonzero(times(at) == 0)
                sums[unseen] += self.said(member, state.members.each[at], chunk.X.rows(unseen), state.classes)
                count[unseen] += 1
        return self.judged(chunk, sums, count)

    def update(self, state: TeamState, s: Any) -> TeamState:
        """Every member goes on; or all is done."""
        if state.phase != "judge":
            return super().update(state, s)
        return state._replace(phase="done", step=state.step + 1)

    def means(self, state: TeamState, X: Columns) -> Array:
        """The mean of what members say of each row; those that have drawn none say nothing."""
        total = np.zeros((len(X), max(state.classes, 1)))
        for at, member in enumerate(self.team()):
            if state.seen[at]:
                total += self.said(member, state.members.each[at], X, state.classes)
        return total / np.count_nonzero(state.seen)

    def certify(self, state: TeamState, s: Any) -> tuple[Claim, ...] | None:
        """What rows that members have not drawn say; and the least and the greatest that members claim of a kind."""
        judged = not isinstance(s, Joint)
        if state.phase != "done" or (self.oob_score and not judged):
            return None
        each = self.certified(state, None if judged else s)
        if each is None:
            return None
        claims = list(self.judgement(s)) if judged else []
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
    def estimators_(self) -> list[Any]:
        """The members, fitted; without those that have drawn no row."""
        if "model_" not in self.__dict__:
            raise AttributeError("estimators_")
        return [self.fitted(at) for at in np.flatnonzero(self.model_.seen).tolist()]

    def sound(self, state: TeamState, summary: Any, schema: Any) -> bool:
        """Whether what each member has is its own, and the summary of this kind."""
        kind = self.judged_type if self.oob_score else Joint
        return (summary is None or type(summary) is kind) and super().sound(state, summary, schema)

    judged_type: Any

    def judged(self, chunk: Chunk, sums: Array, count: Codes) -> Any:
        """A summary of what members say, in all, of rows that so many of them have not drawn."""
        raise NotImplementedError

    def judgement(self, s: Any) -> tuple[Claim, ...]:
        """What that summary says."""
        raise NotImplementedError


def _value(claim: Claim) -> float:
    return claim.value
