"""The loop. It exists once: ask, reduce, certify, stop or update; for one learner or for many over shared scans."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tenfold.core import SEQUENTIAL, Ask, Certificate, DataError, Learner, Need, Never, Schema, Stop
from tenfold.core.axes import not_finite
from tenfold.core.crew import crew
from tenfold.engine.job import FindSchema
from tenfold.engine.keys import Key
from tenfold.engine.local import Runner, Session, driver_threads
from tenfold.engine.snapshot import Fit, Snapshot
from tenfold.engine.tally import Counted
from tenfold.engine.threads import one_blas_thread
from tenfold.engine.together import Grouped, Item, Together
from tenfold.engine.tree import merge
from tenfold.engine.walking import InOrder
from tenfold.sources import Source
from tenfold.sources.validation import check_binary

OVERFLOW = (
    "no numbers come of these rows ({} is not finite): they are too large, too small or too unlike in size. Remedy: "
    "rescale the columns, StandardScaler(), and divide the target by its largest value"
)
NOTHING = "no row has a weight, or `where` leaves none: there is nothing to learn from"

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
    with one_blas_thread, crew(driver_threads(runner)), runner.open(source) as session:
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
    grouped: Grouped | None = None
    """the summaries of all groups of the key, from the first scan that made them"""

    def item(self, ask: Ask) -> Item:
        """What it wants summarized of its rows."""
        rows = f"{id(self.learner)}" if self.key is None else f"{id(self.learner)} {id(self.key)} {self.groups}"
        rows += "".join(f" {id(state)}" for _, state in self.before)
        schema = self.at.schema if self.schema is None else self.schema
        key = None if self.groups is None else self.key
        marked = self.certified and not self.at.marks and ask.every == 1
        return Item(self.learner, self.at.state, ask, schema, key, self.groups, self.before, self.need, rows, marked)

    def shared(self, ask: Ask) -> tuple[Any, ...]:
        """Members with equal answers can be served by one summary, of all their groups."""
        if getattr(self.learner, "passes", None) == SEQUENTIAL or self.learner.lens(self.at.state) is not None:
            return (id(self),)  # what is held is of its rows alone
        common = getattr(self.learner, "shares", lambda state: None)(self.at.state)
        own = (id(self.learner), id(self.at.state)) if common is None else (common, self.learner.need)
        return (*own, ask, id(self.key), tuple(id(state) for _, state in self.before))


def run(members: Sequence[Member], source: Source, session: Session, starts: Any = None) -> int:
    """Run members till all are done; how many times the source was read."""
    began = time.monotonic()
    scans, held = 0, set[str]()
    going = list(members)
    while going:
        asks = [m.learner.ask(m.at.state) for m in going]
        wanting = [(m, ask) for m, ask in zip(going, asks, strict=True) if ask is not None and ask != m.at.asked]
        for way in sorted({_way(ask) for _, ask in wanting}):
            read = _serve([(m, a) for m, a in wanting if _way(a) == way], source, session, starts, held)
            scans += read
        for m, ask in zip(going, asks, strict=True):
            _turn(m, ask, began)
        going = [m for m in going if m.done is None]
    return scans


def _way(ask: Ask) -> tuple[int, int]:
    """Which parts are read, in which order: asks with equal answers are served by one scan."""
    return ask.every, -1 if ask.order is None else ask.order


def _serve(wanting: list[tuple[Member, Ask]], source: Source, session: Session, starts: Any, held: set[str]) -> bool:
    """Give each member the summary it asks for, all from one reduce; whether the source was read for it."""
    served: dict[tuple[Any, ...], list[tuple[Member, Ask]]] = {}
    for m, ask in wanting:
        served.setdefault(m.shared(ask), []).append((m, ask))
    items = []
    for some in served.values():
        m, ask = some[0]
        item = m.item(ask)
        if m.key is not None and len({m.groups for m, _ in some}) > 1:
            item = replace(item, key=m.key, groups=None, marked=any(m.item(a).marked for m, a in some))
        items.append(item)
    job = Together(tuple(items), starts)
    done = session.reduce(InOrder(job) if job.ordered else job)
    for some, found in zip(served.values(), done.each, strict=True):
        grouped = isinstance(found, Grouped)
        models = _by_groups(found, [m.groups for m, _ in some]) if grouped else [found] * len(some)
        for (m, ask), counted in zip(some, models, strict=True):
            m.grouped = found if grouped and m.grouped is None else m.grouped
            m.at = _with(m.at, counted, ask, len(job.parts(source)) / len(source))
    read = any(not item.name or item.name not in held for item in items)
    held.clear()
    held.update(item.name for item in items if item.name)
    return read


def _with(at: Snapshot, done: Counted, ask: Ask, share: float) -> Snapshot:
    if not done.rows and ask.every == 1:
        raise DataError(NOTHING)
    return at._replace(
        summary=done.summary,
        asked=ask,
        rows=done.rows if ask.every == 1 else at.rows,
        dropped=done.dropped if ask.every == 1 else at.dropped,
        passes=at.passes + share,
        machines=at.machines | done.machines,
        marks=at.marks or ("" if done.marks is None else str(done.marks)),
    )


def _turn(m: Member, ask: Ask | None, began: float) -> None:
    """Certify, watch, then stop or update."""
    if m.certified or ask is not None:
        claims = m.learner.certify(m.at.state, m.at.summary)
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
    m.at = m.at._replace(state=m.learner.update(m.at.state, m.at.summary))


def _end(m: Member, reason: str) -> None:
    """End a fit; refuse a model or a claim with NaN, and infinity where a field of the state must be finite."""
    field = not_finite(m.at.state)
    if field is None and m.at.certificate is not None:
        field = next((f"claim {c.kind}" for c in m.at.certificate.claims if c.value != c.value), None)
    if field is not None:
        raise DataError(OVERFLOW.format(field))
    m.done = Fit(m.at, reason)


def _by_groups(found: Grouped, wanted: Sequence[tuple[int, ...] | None]) -> list[Counted]:
    """The merge of some of the groups, for each wish; never a total minus a group: that loses digits.

    What lacks a single group is merged from what comes before it and what comes after.
    """
    names = sorted(found.groups)
    if not names:
        raise DataError(NOTHING)
    ahead: list[Any] = [None]
    behind: list[Any] = [None]
    for g in names:
        ahead.append(found.groups[g] if ahead[-1] is None else ahead[-1] + found.groups[g])
    for g in reversed(names):
        behind.append(found.groups[g] if behind[-1] is None else found.groups[g] + behind[-1])
    behind.reverse()
    known: dict[Any, Counted] = {}
    for groups in wanted:
        if groups in known:
            continue
        some = names if groups is None else [g for g in names if g in set(groups)]
        if len(some) == len(names) - 1:
            at = next(i for i, g in enumerate(names) if g not in set(some))
            pieces = [s for s in (ahead[at], behind[at + 1]) if s is not None]
        else:
            pieces = [ahead[-1]] if len(some) == len(names) else [found.groups[g] for g in some]
        if not pieces:
            raise DataError("a group to learn from has no rows")
        whole: Counted = merge(pieces)
        known[groups] = Counted(whole.summary, whole.rows, found.dropped, whole.machines, whole.marks)
    return [known[groups] for groups in wanted]
