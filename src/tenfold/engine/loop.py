"""The loop. It exists once: ask, reduce, certify, stop or update; for one learner or for many over shared scans."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import call
from typing import Any

import numpy as np

from tenfold.core import MANY, ONE, Certificate, Chunk, Claim, DataError, Learner, Need, Never, Schema, Stop
from tenfold.core.axes import Bundle, not_finite
from tenfold.core.driver_threads import driver_threads
from tenfold.core.errors import naming
from tenfold.core.learner import ChecksLast, StopsEarly
from tenfold.core.schema import naming_columns
from tenfold.core.statistic import Expression, Grouped
from tenfold.engine.executors.threads import one_blas_thread
from tenfold.engine.held_rows import of_chunk
from tenfold.engine.job import FindSchema, FindSequences, NameSequence
from tenfold.engine.plan import NO_ROWS, Groups, Plan
from tenfold.engine.progress import Work, bar
from tenfold.engine.row_counts import Counted
from tenfold.engine.runner import Runner, Session
from tenfold.engine.snapshot import Fit, Snapshot
from tenfold.engine.stages import stages_of
from tenfold.sources import Source
from tenfold.sources.sequence_source import not_together
from tenfold.sources.validation import check_binary
from tenfold.stats.combinators import After, As, By, Continue, Each, Key, Of, Reweighted, View, every
from tenfold.stats.member_summaries import Joint

OVERFLOW = (
    "{} is not finite: values are too large, too small or of too different scales. Remedy: "
    "rescale the columns, MaxAbsScaler(), and divide the target by its largest value"
)

MOST_GATHERED = 1 << 27
"""bytes of rows that summaries of one scan gather, at about the most"""
MOST_NAMES = 2
"""of learners that progress shows"""
FINITE_CLAIMS = frozenset({"objective", "gradient"})
"""kinds of claims that are computed from the model and must be finite; bounds may be infinite"""

_declared: dict[tuple[type, type], bool] = {}
_names = map(str, itertools.count())

Watcher = Callable[[Snapshot], str | None]
"""looks at each turn of the loop; a text it returns is a reason to stop"""


def schema_of(source: Source, need: Need, session: Session) -> Schema:
    """The schema of a source for a need: known, or found by one reduce and remembered."""
    known = source.known(need)
    schema = known or source.remember(need, session.reduce(FindSchema(need)))
    if schema.classes is not None:
        check_binary(schema.classes, need)
    if need.sequence is not None:
        check_sequences(source, need, session)
    return schema


def check_sequences(source: Source, need: Need, session: Session) -> None:
    """Refuse rows of a sequence that comes back after others, in whatever parts; look once."""
    if source.sequences_unseen(need):
        name, again = source.sequence_column(need), session.reduce(FindSequences(need)).again
        if len(again):
            raise not_together(session.reduce(NameSequence(need, again))[0], name)
        source.whole_sequences.add(name)


@contextmanager
def opened(runner: Runner, source: Source) -> Iterator[Session]:
    """A source to reduce on a runner; meanwhile updates have the driver's threads, and BLAS has one."""
    with one_blas_thread(), driver_threads(runner.driver_threads), runner.open(source) as session:
        yield session


def fit(
    learner: Learner,
    source: Source,
    *,
    runner: Runner,
    stop: Stop | None = None,
    watchers: Sequence[Watcher] = (),
    resume: Snapshot | None = None,
    solved: bool = True,
) -> Fit:
    """Fit a learner to a source, until it is finished or a rule stops it.

    If not `solved`, the fit ends with its first summary, without a model.

    A learner that is finished (asks for nothing) is certified from the summary it has, so a
    one-pass learner reads its data once and its certificate speaks of the state it returns.
    """
    resumed = resume is not None
    with opened(runner, source) as session:
        if resume is None:
            schema = learner.with_listed_categories(schema_of(source, learner.need, session))
            resume = Snapshot(schema, learner.start(schema))
        member = Member(learner, resume, stop or Never(), watchers, keep=source.costly, solved=solved)
        run([member], source, session)
        assert member.done is not None
        if resumed and member.done.at.certificate is not None:
            member.done.at.certificate.now()  # numbers of a file that no rows give are refused here
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
    """fitted transformers, each with its model, through which the rows go first"""
    need: Need | None = None
    """of the first of these"""
    schema: Schema | None = None
    """the schema under that need"""
    certified: bool = True
    """whether claims are wanted; of the models of folds they are not"""
    wish: str | None = None
    """reason why a watcher wants to stop, kept until there is a model"""
    ending: str | None = None
    """why a fit ends that is on its last pass"""
    done: Fit | None = None
    grouped: Groups | None = None
    """the summaries of all groups of the key, from the first scan that made them"""
    keep: bool = False
    """whether rows take long to make, so that a learner of several passes holds them"""
    name: str = field(default_factory=_names.__next__)
    """name under which the scratch of this state is held"""
    solved: bool = True
    """whether a model is made of the summary; if not, it is merged with that of other rows before"""
    title: str = ""
    """by which errors name it among several learners; those of one learner have the same"""
    who: tuple[str, ...] = ()
    """names of the learners that it is a part of, for progress; its class, if there are none"""
    fold: str = ""
    """by which progress names it among the models of one learner"""

    @cached_property
    def view(self) -> View:
        """How its rows are read."""
        return View(self.need or self.learner.need, self.at.schema if self.schema is None else self.schema)

    def expression(self, ask: Expression) -> Expression:
        """Return the learner's expression for its rows, and for each group if all groups are needed."""
        marked = self.certified and not self.at.marks and every(ask) == 1
        whole: Expression = Continue(self.name, ask, marked, self.certified)
        stages = stages_of(self.before, self.learner.need, training=True) if self.before else ()
        # Transformed rows are held if they are read again, and the transformation is slow or they are a few of all.
        again = self.learner.passes == MANY
        held = again and (self.keep or any(learner.costly for learner, _ in self.before))
        held = held or (again and bool(self.before) and every(ask) > 1)
        if self.key is None:
            return As(self.view, After(stages, whole, held) if stages or held else whole)
        groups = tuple(range(self.key.groups)) if self.groups is None else self.groups
        mine = Of(self.key, groups, After(stages, whole, held))
        if self.grouped is not None or self.before or not isinstance(ask, Grouped):
            return As(self.view, mine)
        return As(self.view, Each((mine, By((self.key,), whole))))

    def take(self, ask: Expression, answer: Any, parts: int) -> None:
        """The summary that it asked for."""
        if isinstance(ask, Grouped) and isinstance(answer, tuple):
            answer, self.grouped = answer
        self.at = _with(self.at, joint(ask, answer), ask, len(range(0, parts, every(ask))) / parts)


Turn = tuple[Member, Expression]
"""a member, and what it asks for"""


def run(members: Sequence[Member], source: Source, session: Session, scans_after: int | None = 0) -> int:
    """Run members till all are done; how many times the source was read.

    Members that need rows which are not held wait until no other can go on without reading: then they share the scan.

    scans_after: about how many times it is read then, if that is known, for progress.
    """
    began, seen = time.monotonic(), bar()
    if seen is not None:
        each = [usual_scans(m.learner, bool(m.before)) for m in members]
        seen.expect(None if None in each or scans_after is None else max(filter(None, each), default=0) + scans_after)
    scans, held, asks = 0, set[tuple[bytes, int]](), dict[Member, Any]()
    going = list(members)
    while going:
        for m in going:
            if m not in asks:
                with _named(m):
                    asks[m] = m.learner.ask(m.at.state)
        turns, more = _without_rows(going, asks)
        if not turns:
            wanting, plan = _first_without_scan([(m, asks[m]) for m in going], session, held)
            reads = plan.scans(held)
            if seen is not None:
                seen.ask(_work([m for m, _ in wanting]), reads > 0)
            _take_answers(wanting, plan, session, len(source))
            scans += reads
            held, turns = plan.held, [m for m, _ in wanting]
        for m in turns:
            if seen is not None:
                seen.turn(_work([m]), more)
            with _named(m):
                if m.solved:
                    _go_on(m, asks.pop(m) is None, time.monotonic() - began)
                else:
                    _end(m, "done")
        going = [m for m in going if m.done is None]
    if seen is not None:
        seen.ask()
    return scans


def _without_rows(going: Sequence[Member], asks: dict[Member, Any]) -> tuple[list[Member], int]:
    """The members that finish, or else one that has another round to make of what it was told last.

    One after the other makes its rounds, so that what it works with is there once. And how many rounds others will
    make after it, at the most.
    """
    finishing = [m for m in going if asks[m] is None]
    if finishing:
        return finishing, 0
    resting = [m for m in going if asks[m] == m.at.asked]
    return resting[:1], sum(max((m.learner.most_rounds or 0) - m.at.state.step, 0) for m in resting[1:])


def _named(m: Member) -> AbstractContextManager[None]:
    """Name a member in errors, if it is one of several learners."""
    return naming(m.title) if m.title else nullcontext()


def _first_without_scan(
    turns: list[Turn], session: Session, held: Container[tuple[bytes, int]]
) -> tuple[list[Turn], Plan]:
    """The turns that need only rows which are held, if there are any; else all that one scan serves. And their plan.

    Summaries that have all rows are gathered by a few members at a time; the others wait for the next scan.
    """
    plan = session.plan(Each(tuple(itertools.starmap(Member.expression, turns))))
    lacking = plan.reads(held)
    wanted = [not reads for reads in lacking] if any(lacking) and not all(lacking) else plan.fits(MOST_GATHERED)
    if all(wanted):
        return turns, plan
    some = list(itertools.compress(turns, wanted))
    return some, session.plan(Each(tuple(itertools.starmap(Member.expression, some))))


def usual_scans(learner: Any, transformed: bool = False) -> int | None:
    """About how many times a learner reads its rows, if that is known; or those that transformers make."""
    if learner.passes == ONE:
        return 1
    found: int | None = (learner.scans_of_transformed if transformed else None) or learner.usual_scans
    return found


def _work(members: Sequence[Member]) -> Work:
    """What progress shows of members: of two learners their names, of more their number, of one its round."""
    names = list(dict.fromkeys(name for m in members for name in m.who or (type(m.learner).__name__,)))
    first = members[0].learner
    if len(names) > MOST_NAMES:
        return Work(f"{len(names)} learners")
    who = ", ".join(filter(None, (" and ".join(names), members[0].fold if len(members) == 1 else "")))
    if first.passes == ONE or first.most_rounds == 0 or any(type(m.learner) is not type(first) for m in members):
        return Work(who)
    most, done = first.most_rounds or 0, min(m.at.state.step for m in members)
    return Work(who, done + 1, max(most, 0), first.exact_rounds) if most <= 0 or done < most else Work(who)


def _take_answers(wanting: Sequence[tuple[Member, Expression]], plan: Plan, session: Session, parts: int) -> None:
    """Give all members their answers, from one scan; nobody else keeps any, which may be all rows."""
    for (m, ask), answer in zip(wanting, _answers(wanting, plan, session), strict=True):
        with _named(m):
            m.take(ask, answer, parts)


def _answers(wanting: Sequence[tuple[Member, Expression]], plan: Plan, session: Session) -> Any:
    """The answers to all members, from one scan; an error of the data names the learner that cannot use them."""
    try:
        with naming_columns(*[m.at.schema for m, _ in wanting]):
            return plan.answer(session.leaves(plan.leaves))
    except ValueError:
        titles = dict.fromkeys(m.title for m, _ in wanting)
        for title in titles if len(titles) > 1 else ():  # the scan is lost: each learner is asked by itself
            some = [(m, ask) for m, ask in wanting if m.title == title]
            with naming(title), naming_columns(*(m.at.schema for m, _ in some)):
                session.answer(Each(tuple(m.expression(ask) for m, ask in some)))
        with naming(next(iter(titles)) if len(titles) == 1 else ""):
            raise


def joint(ask: Expression, answer: Any) -> Counted:
    """Return the answer of an expression as one summary: `Joint` for several."""
    match ask:
        case As(of=one) | Of(of=one) | After(of=one) | Reweighted(of=one) | Continue(of=one):
            return joint(one, answer)
        case Each(of=many, width=width, beside=beside, columns=columns):
            each = [joint(*both) for both in zip(many, answer, strict=True)]
        case _:
            counted: Counted = answer
            return counted
    summaries = Bundle(
        tuple(Bundle(()) if one.summary is None else one.summary for one in each), width, beside, columns
    )
    summary = Joint(np.array([one.learned for one in each]), summaries)
    machines = frozenset[str]().union(*(one.machines for one in each))
    most = max(each, key=lambda one: one.rows)
    return Counted(summary, most.rows, most.dropped, machines, most.marks, int(summary.rows.max()))


def summarized(ask: Expression, chunk: Chunk, view: View) -> Any:
    """The summary of one chunk that is asked for."""
    return joint(ask, of_chunk(ask, chunk, view)).summary


def _with(at: Snapshot, done: Counted, ask: Expression, share: float) -> Snapshot:
    whole = every(ask) == 1
    if done.summary is None:
        raise DataError("a training group has no rows")
    if not done.rows and whole:
        raise DataError(NO_ROWS)
    return at._replace(
        summary=done.summary,
        asked=ask,
        rows=done.rows if whole else at.rows,
        dropped=done.dropped if whole else at.dropped,
        passes=at.passes + share,
        machines=at.machines | done.machines,
        marks=at.marks or done.marks or "",
    )


def turn(
    learner: Learner, at: Snapshot, why_stop: Callable[[Snapshot], str | None], certified: bool = True
) -> tuple[Snapshot, str | None]:
    """Certify, then stop or update: the only place where this happens.

    The snapshot of the next state, still with the model and the certificate of this one; or of this state, with the
    reason to stop.
    """
    model = learner.model(at.state)
    claims = partial(_claims, learner, model, at.summary) if certified and model is not None else None
    at = at._replace(model=model, certificate=None if claims is None else Certificate.later(claims))
    reason = why_stop(at)
    if reason:
        return at, reason
    with naming_columns(at.schema):
        return at._replace(state=learner.update(at.state, at.summary)), None


def _claims(learner: Learner, model: Any, summary: Any) -> tuple[Claim, ...] | None:
    """Return the certificate of a model; claims are computed on first access, with the same bits after the fit."""
    with one_blas_thread():
        claims = learner.certify(model, summary)
    if isinstance(claims, Claim):
        raise TypeError(f"{type(learner).__name__}.certify returns a claim by itself. Remedy: a tuple, (claim,)")
    return claims


def why_end(at: Snapshot, stop: Stop, seconds: float, wish: str | None = None) -> str | None:
    """Return why the fit ends here, requested or by a rule; None before there is a model with known claims."""
    if at.certificate is None:
        return None
    reason = wish or stop(at.state.step, at.certificate, seconds)
    return reason if reason and at.certificate.known else None


def _go_on(m: Member, finished: bool, seconds: float) -> None:
    """One turn of a member, watched."""

    def why_stop(at: Snapshot) -> str | None:
        reasons = list(map(call, m.watchers, itertools.repeat(at)))
        if finished:
            return m.ending or "done"
        m.wish = m.wish or next(filter(None, reasons), None)
        return why_end(at, m.stop, seconds, m.wish)

    m.at, reason = turn(m.learner, m.at, why_stop, m.certified or not finished)
    if reason:
        _end(m, reason)
        return
    if not m.certified and _declares(m.learner, ChecksLast):
        m.at = m.at._replace(state=m.learner.unchecked(m.at.state))
    if m.ending is None and _declares(m.learner, StopsEarly):
        _end_early(m, m.learner, seconds)


def _declares(learner: Learner, protocol: type) -> bool:
    """Whether a learner follows a protocol; that takes long to look, so a class is asked once."""
    kind = type(learner), protocol
    if kind not in _declared:
        _declared[kind] = isinstance(learner, protocol)
    return _declared[kind]


def _end_early(m: Member, learner: StopsEarly, seconds: float) -> None:
    """Start the last pass of a fit early, if a rule stops it."""
    last = learner.ending(m.at.state)
    if last is None:
        return
    model = m.learner.model(last)
    claims = None if model is None else partial(_claims, m.learner, model, m.at.summary)
    m.ending = m.wish or m.stop(last.step, m.at.certificate if claims is None else Certificate.later(claims), seconds)
    if m.ending:
        m.at = m.at._replace(state=last)


def _end(m: Member, reason: str) -> None:
    """End a fit; refuse a model with NaN, and infinity where it must be finite. Claims are checked when made."""
    field = None if m.at.model is None else not_finite(m.at.model)
    if field is not None:
        raise DataError(OVERFLOW.format(field))
    if m.at.certificate is not None:
        m.at = m.at._replace(certificate=Certificate.later(partial(_sound, m.at.certificate)))
    if not m.certified and m.learner.passes == MANY:  # which may be all rows
        m.at = m.at._replace(summary=None)
    m.done = Fit(m.at, reason)


def _sound(certificate: Certificate) -> tuple[Claim, ...]:
    """The claims of a certificate, none of which is NaN; nor is the objective infinite, or how steep it is."""
    for claim in certificate.claims:
        if math.isnan(claim.value) or (math.isinf(claim.value) and claim.kind in FINITE_CLAIMS):
            raise DataError(OVERFLOW.format(f"claim {claim.kind}"))
    return certificate.claims
