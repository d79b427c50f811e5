"""Functions that ensembles share: one turn of a member, and validation of its state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tenfold.core import SEQUENTIAL, Array, Certificate, Need, Provenance, Schema
from tenfold.core.axes import Bundle, bits, fits, starts_alike
from tenfold.core.contract import RecordTypes
from tenfold.engine.executors.threads import one_blas_thread
from tenfold.engine.loop import summarized as summarized
from tenfold.engine.loop import turn, why_end
from tenfold.engine.snapshot import Snapshot
from tenfold.estimator.files.registry import is_pipeline
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.kinds import winners
from tenfold.estimator.updating.merging import refusing_arithmetic_errors

NO_RECORD = Bundle(())
"""placeholder of a summary that was not requested, or of a missing model"""


def is_empty(record: Any) -> bool:
    """Whether a record is the placeholder of a missing one."""
    return isinstance(record, Bundle) and not record.each


def advance(member: Any, state: Any, summary: Any, schema: Schema) -> tuple[Any, bool]:
    """One turn of a member, but for the clock: its next state, or its model and that it is done."""

    def why_stop(at: Snapshot) -> str | None:
        return why_end(at, member.stop(), 0.0)

    at, reason = turn(member, Snapshot(schema, state, summary=summary), why_stop)
    done = reason is not None or member.ask(at.state) is None
    return (model_of(member, at.state) if done else at.state), done


def model_of(member: Any, state: Any) -> Any:
    """Return the model of a finished member, or the placeholder."""
    found = member.model(state)
    return NO_RECORD if found is None else found


def votes(scores: Array) -> Array:
    """One for the class with the highest score."""
    out = np.zeros(scores.shape)
    out[np.arange(len(out)), winners(scores)] = 1.0
    return out


def member_output(member: Any, model: Any, X: Any, classes: int) -> Array:
    """Return the outputs of a member: class probabilities (rows x classes), one-hot votes, or numbers."""
    found: Array
    if not classes:
        found = member.predict_from(model, X)[:, None]
        return found
    scores = member.scores_from(model, X)[:, :classes]
    found = member.probability_from(scores) if member.has_probabilities else votes(scores)
    return found


def fitted_member(member: Any, model: Any, summary: Any, schema: Schema, where: Provenance | None) -> Any:
    """Return a member with its model, its last summary (if any) and its claims."""
    with one_blas_thread(), refusing_arithmetic_errors():
        claims = () if summary is None else member.certify(model, summary) or ()
    member._set(schema, model, summary, Certificate(claims, where))
    member.n_features_in_ = len(schema.columns)
    if schema.named:
        member.feature_names_in_ = np.array(schema.names, dtype=object)
    return member


def with_members(own: RecordTypes, members: Iterable[Any]) -> RecordTypes:
    """The record classes of a learner that keeps those of its members in bundles."""
    theirs = (kind for member in members for kind in member.record_types.all)
    return own._replace(within=tuple(dict.fromkeys((*own.within, Bundle, *theirs))))


def sound_member(member: Any, model: Any, summary: Any, schema: Schema) -> bool:
    """Whether model and summary (if any) are of a member's own types, and fit the schema."""
    if is_empty(summary):
        summary = None
    fits = _of(member, (member.record_types.model,), model, summary, schema)
    return fits and bool(member.is_valid(model, summary, schema))


def resumable_member(member: Any, state: Any, summary: Any, schema: Schema) -> bool:
    """Whether a member that has not finished holds a valid state and summary."""
    if is_empty(summary):
        return False
    fits = _of(member, member.record_types.states, state, summary, schema)
    return fits and bool(member.resumable(state, summary, schema))


def begins(member: Any, state: Any, schema: Schema) -> bool:
    """Whether a member has learned nothing yet."""
    first = member.start(schema)
    return type(state) is type(first) and bits(state) == bits(first)


def _of(member: Any, kinds: tuple[type, ...], record: Any, summary: Any, schema: Schema) -> bool:
    """Whether a state or model is of one of these types, and a summary of a member's own."""
    if type(record) not in kinds or not (summary is None or type(summary) in member.record_types.summaries):
        return False
    mine = schema if member.need.target is not None else schema.without_target
    if not fits(record, mine) or not (summary is None or fits(summary, mine)):
        return False
    return starts_alike(record, member.start(schema))


def seed_of(learner: Any) -> int:
    """Return the seed of a learner: a drawn one is read from the certificate, 0 before the fit."""
    if isinstance(learner.random_state, (int, np.integer)):
        return int(learner.random_state)
    certificate = learner.__dict__.get("certificate_")
    return 0 if certificate is None else int(certificate.provenance.seed or 0)


def check_member(name: str, member: Any, target: str, *, seeded: bool = True) -> None:
    """Raise if an object cannot be a member; with `seeded`, also if it would draw its own seed."""
    if is_pipeline(member):
        raise TypeError(
            f"{name} is a pipeline, {' '.join(repr(member).split())}, and members share the rows as they are. "
            "Remedy: put its steps before the ensemble, make_pipeline(StandardScaler(), ...), or, of rows in memory, "
            "scikit-learn's own ensemble, which takes pipelines of tenfold"
        )
    if not isinstance(member, Estimator):
        raise TypeError(
            f"{name} is {member!r}, which is not a learner of tenfold, so it cannot share a scan. Remedy: a learner of "
            "tenfold, or scikit-learn's own ensemble"
        )
    if member.need.target != target:
        raise TypeError(f"{name} is {member!r}, which does not predict {'classes' if target == 'class' else 'numbers'}")
    if member.passes == SEQUENTIAL:
        raise TypeError(f"{name} is {member!r}, which reads one row after another: it cannot share a scan")
    if seeded:
        check_seed(name, member)


def check_seed(name: str, learner: Any) -> None:
    """Raise if a learner would draw its own seed."""
    if learner.seeded and not isinstance(learner.random_state, (int, np.integer)):
        raise ValueError(f"{name} has no fixed seed, so workers would draw differently. Remedy: random_state=0")


def common_need(needs: list[Need], name: str) -> Need:
    """Return the needs that all members have in common."""
    kinds = {need.kinds: None for need in needs if need.kinds != "unused"}
    if kinds.keys() & {"categorical", "text", "date"} and len(kinds) > 1:
        raise ValueError(f"some members of {name} take categories or text only, others numbers: no rows serve both")
    if len({need.sequence for need in needs}) > 1:
        raise ValueError(f"some members of {name} take whole sequences, others rows or other sequences")
    return Need(
        "numeric" if "numeric" in kinds else next(iter(kinds), "unused"),
        missing=all(need.missing for need in needs),
        sparse=all(need.sparse for need in needs),
        target=needs[0].target,
        binary=any(need.binary for need in needs),
        positive=any(need.positive for need in needs),
        counts=any(need.counts for need in needs),
        side=tuple(dict.fromkeys(column for need in needs for column in need.side)),
        sequence=needs[0].sequence,
    )
