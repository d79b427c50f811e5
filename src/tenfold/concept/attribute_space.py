"""Candidate elimination where columns have kinds of a taxonomy, or intervals: boundaries as codes, and their votes."""

from __future__ import annotations

import numpy as np

from tenfold.concept.attribute_examples import AttributeExamples, seen_values
from tenfold.concept.coded_attributes import CodedAttributes
from tenfold.concept.hypotheses import NOTHING
from tenfold.concept.version_space import VersionSpace
from tenfold.core import Array, Codes, Flags, Schema


def boundaries(coded: CodedAttributes, s: AttributeExamples, schema: Schema) -> tuple[Array, Array]:
    """Both boundaries: the join of the positives, and what negatives leave above it."""
    seen, negatives, _ = _by_class(s, schema)
    specific = coded.join([np.flatnonzero(one) for one in np.split(seen, schema.value_offsets[1:-1])])
    space = VersionSpace(coded.attributes, [coded.conjunction(specific)])
    for row in coded.rows(negatives):
        space = space.learn(row, False)
    return specific, np.array([coded.codes(h) for h in space.general]).reshape(-1, len(specific))


def space_of(coded: CodedAttributes, specific: Array, general: Array) -> VersionSpace:
    """The version space in the words of the data."""
    low = [coded.conjunction(specific)] if len(general) else []
    return VersionSpace(coded.attributes, low, [coded.conjunction(h) for h in general])


def first_covered(coded: CodedAttributes, specific: Array, s: AttributeExamples, schema: Schema) -> int:
    """The number of the first negative that the most specific hypothesis covers."""
    _, negatives, first = _by_class(s, schema)
    return int(first[coded.covers(specific, negatives)].min())


def agreed(coded: CodedAttributes, specific: Array, general: Array, block: Array) -> tuple[Flags, Flags]:
    """Which rows every hypothesis covers, and which none does; of an empty space, by the specific one alone."""
    yes = coded.covers(specific, block)
    if not len(general):
        return yes, ~yes
    return yes, ~np.any([coded.covers(h, block) for h in general], axis=0)


def votes(coded: CodedAttributes, space: VersionSpace, block: Array) -> Array:
    """The share of hypotheses that cover each row."""
    alike, which = np.unique(block, axis=0, return_inverse=True)
    return np.asarray((space.votes(coded.rows(alike)) / space.size)[which.ravel()])


def in_order(coded: CodedAttributes, specific: Array, general: Array) -> bool:
    """Whether both boundaries stand for hypotheses, with the specific one below the others."""
    if not all(coded.stand_for_something(h) for h in (specific, *general)):
        return False
    low, nothing = coded.conjunction(specific), specific == NOTHING
    return bool(nothing.all()) if nothing.any() else all(low <= coded.conjunction(h) for h in general)


def _by_class(s: AttributeExamples, schema: Schema) -> tuple[Flags, Array, Codes]:
    """The values of the positives, and the negatives with their numbers; rows of the only class are positives."""
    if s.single and len(s.rows):
        return seen_values(s.rows, schema), s.rows[:0], s.first[:0]
    return s.seen, s.rows, s.first
