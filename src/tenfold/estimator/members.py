"""What can be a member of a team, what rows serve all of them, and whether a file has what is theirs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import SEQUENTIAL, Array, Certificate, Need, Schema
from tenfold.core.axes import Bundle, starts_alike
from tenfold.engine.bridge import asked, every, title
from tenfold.engine.holding import seen
from tenfold.estimator.base import Estimator
from tenfold.estimator.kinds import winners

__all__ = [
    "NONE",
    "asked",
    "check_member",
    "common_need",
    "every",
    "model_of",
    "nothing",
    "resumable_member",
    "seed_of",
    "seen",
    "sound_member",
    "title",
    "turn",
    "votes",
]

NONE = Bundle(())
"""in the place of a summary that was not asked for"""


def nothing(summary: Any) -> bool:
    """Whether that is what there is."""
    return isinstance(summary, Bundle) and not summary.each


def turn(member: Any, state: Any, summary: Any) -> tuple[Any, bool]:
    """One turn of a member's loop, as the engine has it, but for the clock: its state, and whether it is stopped."""
    model = member.model(state)
    claims = None if model is None else member.certify(model, summary)
    if claims is not None and member.stop()(state.step, Certificate(claims), 0.0):
        return state, True
    return member.update(state, summary), False


def votes(scores: Any) -> Array:
    """One for the class with the highest score."""
    out = np.zeros(scores.shape)
    out[np.arange(len(out)), winners(scores)] = 1.0
    return out


def model_of(member: Any, state: Any) -> Any:
    """The model of a member that is done; nothing of one that has none."""
    found = member.model(state)
    return NONE if found is None else found


def sound_member(member: Any, model: Any, summary: Any, schema: Schema) -> bool:
    """Whether model and summary (if any) are of a member's own types, and fit the schema."""
    if nothing(summary):
        summary = None
    fits = _of(member, (member.model_type,), model, summary, schema)
    return fits and bool(member.sound(model, summary, schema))


def resumable_member(member: Any, state: Any, summary: Any, schema: Schema) -> bool:
    """The same of a member that goes on."""
    if nothing(summary):
        return False
    fits = _of(member, member.state_types or (member.model_type,), state, summary, schema)
    return fits and bool(member.resumable(state, summary, schema))


def _of(member: Any, kinds: tuple[type, ...], state: Any, summary: Any, schema: Schema) -> bool:
    """Whether a state or model is of one of these types, and a summary of a member's own."""
    if type(state) not in kinds or not (summary is None or type(summary) in member.summary_types):
        return False
    return starts_alike(state, member.start(schema))


def seed_of(learner: Any) -> int:
    """The seed of a learner; if it is drawn, the one that the certificate records, and 0 before that."""
    if isinstance(learner.random_state, (int, np.integer)):
        return int(learner.random_state)
    certificate = learner.__dict__.get("certificate_")
    return 0 if certificate is None else int(certificate.provenance.seed or 0)


def check_member(name: str, member: Any, target: str, *, seeded: bool = True) -> None:
    """Refuse what cannot be a member, and say what to do about it; with `seeded`, one that would draw a seed."""
    if not isinstance(member, Estimator):
        raise TypeError(
            f"{name} is {member!r}, which is no learner of tenfold, so it cannot share a scan. Remedy: a learner of "
            "tenfold, or scikit-learn's own ensemble"
        )
    if member.need.target != target:
        raise TypeError(f"{name} is {member!r}, which does not predict {'classes' if target == 'class' else 'numbers'}")
    if member.passes == SEQUENTIAL:
        raise TypeError(f"{name} is {member!r}, which reads one row after another: it cannot share a scan")
    if seeded and hasattr(member, "random_state") and not isinstance(member.random_state, (int, np.integer)):
        raise ValueError(f"{name} has no seed that every worker knows. Remedy: random_state=0")


def common_need(needs: list[Need], name: str) -> Need:
    """What can be given to all."""
    kinds = {need.kinds for need in needs}
    if kinds & {"categorical", "text"} and len(kinds) > 1:
        raise ValueError(f"some members of {name} take categories or text only, others numbers: no rows serve both")
    if len({need.sequence for need in needs}) > 1:
        raise ValueError(f"some members of {name} take whole sequences, others rows or other sequences")
    return Need(
        "numeric" if "numeric" in kinds else needs[0].kinds,
        missing=all(need.missing for need in needs),
        sparse=all(need.sparse for need in needs),
        target=needs[0].target,
        binary=any(need.binary for need in needs),
        positive=any(need.positive for need in needs),
        side=tuple(dict.fromkeys(column for need in needs for column in need.side)),
        sequence=needs[0].sequence,
    )
