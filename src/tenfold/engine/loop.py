"""The loop. It exists once: ask, reduce, certify, stop or update."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tenfold.core import Certificate, DataError, Learner, Need, Never, Schema, Stop
from tenfold.engine.job import FindSchema, Summarize
from tenfold.engine.local import Runner, Session
from tenfold.engine.snapshot import Fit, Snapshot
from tenfold.engine.threads import one_blas_thread
from tenfold.sources import Source

Watcher = Callable[[Snapshot], str | None]
"""looks at each turn of the loop; a text it returns is a reason to stop"""


def schema_of(source: Source, need: Need, session: Session) -> Schema:
    """The schema of a source for a need: known, or found by one reduce and remembered."""
    known = source.known(need)
    return known or source.remember(need, session.reduce(FindSchema(need)))


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
    with one_blas_thread, runner.open(source) as session:
        return _fit(learner, source, session, stop or Never(), watchers, resume)


def _fit(
    learner: Learner,
    source: Source,
    session: Session,
    stop: Stop,
    watchers: Sequence[Watcher],
    at: Snapshot | None,
) -> Fit:
    began = time.monotonic()
    if at is None:
        schema = schema_of(source, learner.need, session)
        at = Snapshot(schema, learner.start(schema))
    while True:
        ask = learner.ask(at.state)
        if ask is not None and ask != at.asked:
            job = Summarize(learner, at.state, ask, at.schema)
            done = session.reduce(job)
            if not done.rows and ask.every == 1:
                raise DataError("no row has a weight, or `where` leaves none: there is nothing to learn from")
            at = at._replace(
                summary=done.summary,
                asked=ask,
                rows=done.rows if ask.every == 1 else at.rows,
                dropped=done.dropped if ask.every == 1 else at.dropped,
                passes=at.passes + len(job.parts(source)) / len(source),
                machines=at.machines | done.machines,
            )
        claims = learner.certify(at.state, at.summary)
        at = at._replace(certificate=None if claims is None else Certificate(claims))
        reasons = [watch(at) for watch in watchers]
        if ask is None:
            return Fit(at, "done")
        reason = next(filter(None, reasons), None)
        if at.certificate is not None:  # before that there is no model to stop with
            reason = reason or stop(at.state.step, at.certificate, time.monotonic() - began)
        if reason:
            return Fit(at, reason)
        at = at._replace(state=learner.update(at.state, at.summary))
