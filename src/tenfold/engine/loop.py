"""The loop. It exists once: ask, reduce, certify, stop or update; for one learner or for many over shared scans."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tenfold.core import Ask, Certificate, DataError, Learner, Need, Never, Schema, Stop
from tenfold.core.axes import not_finite
from tenfold.core.crew import crew
from tenfold.core.schema import naming_columns
from tenfold.core.statistic import Expression, Grouped, Statistic
from tenfold.engine.bridge import every, statistic_of
from tenfold.engine.job import FindSchema
from tenfold.engine.plan import NOTHING, Groups, Onward, Plan
from tenfold.engine.runner import Runner, Session
from tenfold.engine.snapshot import Fit, Snapshot
from tenfold.engine.stages import stages_of
from tenfold.engine.tally import Counted
from tenfold.engine.threads import one_blas_thread
from tenfold.sources import Source
from tenfold.sources.validation import check_binary
from tenfold.stats.combinators import After, As, By, Each, Key, Of, View

OVERFLOW = (
    "no numbers come of these rows ({} is not finite): they are too large, too small or too unlike in size. Remedy: "
    "rescale the columns, StandardScaler(), and divide the target by its largest value"
)

_numbers = itertools.count()

Watcher = Callable[[Snapshot], str | None]
"""looks at each turn of the loop; a text it returns is a reason to stop"""


def schema_of(source: Source, need: Need, session: Session) -> Schema:
    """The schema of a source for a need: known, or found by one reduce and remembered."""
    known = source.known(need)
    schema = known or source.remember(need, session.reduce(FindSchema(need)))
    if schema.classes is not None:
        check_binary(schema.classes, need)
    return schema


@contextmanager
def opened(runner: Runner, source: Source) -> Iterator[Session]:
    """A source to reduce on a runner; meanwhile updates have the driver's threads, and BLAS has one."""
    with one_blas_thread, crew(runner.driver_threads), runner.open(source) as session:
        yield session


def fit(
    learner: Learner,
    source: Source,
    *,
    runner: Runner,
    stop: Stop | None = None,
    watchers: Sequence[Watcher] = (),
    resume: Snapshot | None = None,
) -> Fit:
    """Run a learner over a source until it is finished or a rule says stop.

    A learner that is finished (asks for nothing) is certified from the summary it has, so a
    one-pass learner reads its data once and its certificate speaks of the state it returns.
    """
    with opened(runner, source) as session:
        if resume is None:
            schema = schema_of(source, learner.need, session)
            resume = Snapshot(schema, learner.start(schema))
        member = Member(learner, resume, stop or Never(), watchers)
        run([member], source, session)
        assert member.done is not None
        return member.done


@dataclass(eq=False)
class Member:
    """One of the models that are fitted over the same scans."""

    learner: Any
    at: Snapshot
    stop: Stop = field(default_factory=Never)
    watchers: Sequence[Watcher] = ()
    key: Key | None = None
    groups: tuple[int, ...] | None = None
    """of the key: the rows to learn from; None, all"""
    before: tuple[tuple[Any, Any], ...] = ()
    """fitted transformers and their states, through which the rows go first"""
    need: Need | None = None
    """of the first of these"""
    schema: Schema | None = None
    """for that need"""
    certified: bool = True
    """whether claims are wanted; of the models of folds they are not"""
    wish: str | None = None
    """why a watcher wants to stop, kept until there is a model"""
    done: Fit | None = None
    grouped: Groups | None = None
    """the summaries of all groups of the key, from the first scan that made them"""
    name: str = field(default_factory=lambda: str(next(_numbers)))
    """by which what follows its state is known"""

    @cached_property
    def view(self) -> View:
        """How its rows are read."""
        return View(self.need or self.learner.need, self.at.schema if self.schema is None else self.schema)

    def statistic(self, ask: Ask | Statistic[Any]) -> Statistic[Any]:
        """What it asks for."""
        if isinstance(ask, Ask):
            return statistic_of(self.learner, self.at.state, ask, first=self.at.summary is None)
        return ask

    def expression(self, ask: Ask | Statistic[Any]) -> Expression:
        """What it asks for, of its rows; and once, if that is made for all groups anyway, of each group."""
        statistic = self.statistic(ask)
        whole: Expression = Onward(self.name, statistic, self.certified and not self.at.marks and every(ask) == 1)
        if self.key is None:
            return As(self.view, After(stages_of(self.before, self.learner.need), whole))
        groups = tuple(range(self.key.groups)) if self.groups is None else self.groups
        mine = Of(self.key, groups, After(stages_of(self.before, self.learner.need), whole))
        if self.grouped is not None or self.before or not isinstance(statistic, Grouped):
            return As(self.view, mine)
        return As(self.view, Each((mine, By((self.key,), whole))))

    def take(self, ask: Ask | Statistic[Any], answer: Any, parts: int) -> None:
        """The summary that it asked for."""
        if isinstance(answer, tuple):
            answer, self.grouped = answer
        self.at = _with(self.at, answer, ask, len(range(0, parts, every(ask))) / parts)


def run(members: Sequence[Member], source: Source, session: Session) -> int:
    """Run members till all are done; how many times the source was read."""
    began = time.monotonic()
    scans, held = 0, set[tuple[bytes, int]]()
    going = list(members)
    while going:
        asks = [m.learner.ask(m.at.state) for m in going]
        wanting = [(m, ask) for m, ask in zip(going, asks, strict=True) if ask is not None and ask != m.at.asked]
        if wanting:
            plan = Plan(Each(tuple(m.expression(ask) for m, ask in wanting)), session.memory)
            with naming_columns(*(m.at.schema for m, _ in wanting)):
                answers = plan.answer(session.leaves(plan.leaves))
            for (m, ask), answer in zip(wanting, answers, strict=True):
                m.take(ask, answer, len(source))
            scans += plan.scans(held)
            held = {(leaf.held, leaf.every) for leaf in plan.leaves if leaf.held}
        for m, ask in zip(going, asks, strict=True):
            _turn(m, ask, began)
        going = [m for m in going if m.done is None]
    return scans


def _with(at: Snapshot, done: Counted, ask: Ask | Statistic[Any], share: float) -> Snapshot:
    whole = every(ask) == 1
    if not done.rows and whole:
        raise DataError(NOTHING)
    return at._replace(
        summary=done.summary,
        asked=ask,
        rows=done.rows if whole else at.rows,
        dropped=done.dropped if whole else at.dropped,
        passes=at.passes + share,
        machines=at.machines | done.machines,
        marks=at.marks or ("" if done.marks is None else str(done.marks)),
    )


def _turn(m: Member, ask: Ask | Statistic[Any] | None, began: float) -> None:
    """Certify, watch, then stop or update."""
    m.at = m.at._replace(model=m.learner.model(m.at.state))
    if m.certified or ask is not None:
        claims = None if m.at.model is None else m.learner.certify(m.at.model, m.at.summary)
        m.at = m.at._replace(certificate=None if claims is None else Certificate(claims))
    reasons = [watch(m.at) for watch in m.watchers]
    if ask is None:
        _end(m, "done")
        return
    m.wish = m.wish or next(filter(None, reasons), None)
    reason = None
    if m.at.certificate is not None:  # before that there is no model to stop with
        reason = m.wish or m.stop(m.at.state.step, m.at.certificate, time.monotonic() - began)
    if reason:
        _end(m, reason)
        return
    with naming_columns(m.at.schema):
        m.at = m.at._replace(state=m.learner.update(m.at.state, m.at.summary))


def _end(m: Member, reason: str) -> None:
    """End a fit; refuse a model or a claim with NaN, and infinity where a field of the model must be finite."""
    field = not_finite(m.at.model)
    if field is None and m.at.certificate is not None:
        field = next((f"claim {c.kind}" for c in m.at.certificate.claims if c.value != c.value), None)
    if field is not None:
        raise DataError(OVERFLOW.format(field))
    m.done = Fit(m.at, reason)
