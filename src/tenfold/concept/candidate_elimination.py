"""Candidate elimination: all conjunctions of attribute values that agree with every row, by their two boundaries.

The specific boundary S is the join of the positives, as in Find-S. A negative leaves the conjunctions that keep one of
the values by which S differs from it; so all that is kept of it is the set of columns where they differ, and of such
sets the least ones. Joins and sets of columns merge: the version space of all rows is the intersection of those of the
parts. The general boundary G has the least sets of values of S that meet each of these sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, replace
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.concept.attribute import Attribute
from tenfold.concept.attribute_examples import AttributeExamples, ValuesOfPositives, first_of_each
from tenfold.concept.attribute_space import agreed, boundaries, first_covered, in_order, space_of, votes
from tenfold.concept.coded_attributes import CodedAttributes
from tenfold.concept.conjunction import ANYTHING, Conjunction
from tenfold.concept.hypotheses import (
    ANY,
    NOTHING,
    UNKNOWN,
    covers,
    covers_each,
    in_words,
    join,
    moved,
    places,
    positive_class,
    refuse_wildcard,
    stand_for_something,
)
from tenfold.concept.undecided import Undecided
from tenfold.concept.version_space import VersionSpace
from tenfold.core import Array, Chunk, Claim, Codes, Columns, DataError, Flags, Mergeable, Need, Schema
from tenfold.core.field_values import CLASS_COUNT, COUNTS, Between
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, fitted

MAX_GENERAL_MEMBERS = 2_000
"""members of the general boundary, at most"""


class Examples(Mergeable):
    """The join of the positives, and the constraints that negatives put on more general hypotheses."""

    exact: ClassVar[bool] = True
    values: Annotated[Array, "column"]
    """the join of the positives"""
    separating: Annotated[Array, "negative", "column", Between(0.0, 1.0)]
    """columns by which the join differs from a negative, of which a hypothesis keeps one: each set but those that an
    earlier negative has a part of"""
    earliest: Annotated[Codes, "negative", COUNTS]
    """the number of the first negative of each set"""
    rows: Annotated[Array, "row", "column"]
    """distinct rows that wait for a positive: negatives without any; or rows of the only class that is known"""
    first: Annotated[Codes, "row", COUNTS]
    """the number of the first of each of these rows"""
    single: bool
    """whether one class is known, and none was named: it may turn out to be the negative one"""

    def __add__(self, other: Examples) -> Examples:
        values = join(self.values, other.values)
        rows, first = np.concatenate([self.rows, other.rows]), np.concatenate([self.first, other.first])
        if self.single or values[0] == NOTHING:
            rows, first = first_of_each(rows, first)
            return replace(self, rows=rows, first=first)
        sets = np.concatenate([self.separating, other.separating, rows != values]) * (values != ANY)
        numbers = np.concatenate([self.earliest, other.earliest, first])
        return Examples(values, *earliest_sets(sets, numbers), rows[:0], first[:0], False)

    def recode(self, old: Schema, new: Schema) -> Examples:
        """Recode to a schema with more categories; the positive class may become known."""
        move = places(old, new)
        out = replace(self, values=moved(self.values, move), rows=moved(self.rows, move))
        if not self.single or len(new.classes) == len(old.classes):
            return out
        if old.classes[-1] == new.classes[-1] and len(self.rows):
            return replace(out, values=_join_of(out.rows), rows=out.rows[:0], first=out.first[:0], single=False)
        return replace(out, single=False)


class BoundariesOfVersionSpace(Grouped[Examples]):
    """The join of the positives, and the minimal sets of columns that separate it from the negatives."""

    positive: int
    """code of the positive class"""
    single: bool

    def summarize(self, chunk: Chunk) -> Examples:
        # Join the positives; then reduce the negatives to the columns that tell them from the join.
        width = chunk.X.shape[1]
        values, found, numbers = np.full(width, NOTHING), [np.empty((0, width))], [np.zeros(0, np.int64)]
        number = chunk.X.numbers()
        for rows, block in () if self.single else chunk.X.blocks():
            some = block[chunk.y[rows] == self.positive]
            values = join(values, _join_of(some)) if len(some) else values
        told = values[0] != NOTHING
        for rows, block in chunk.X.blocks():
            taken = slice(None) if self.single else chunk.y[rows] != self.positive
            some = block[taken]
            each = first_of_each((some != values) & (values != ANY) if told else some, number[rows][taken])
            found.append(each[0])
            numbers.append(each[1])
        sets, first = np.concatenate(found).astype(np.float64), np.concatenate(numbers)
        if told:
            return Examples(values, *earliest_sets(sets, first), sets[:0], first[:0], False)
        return Examples(values, sets[:0], first[:0], *first_of_each(sets, first), self.single)


class VersionSpaceModel(NamedTuple):
    """Both boundaries: codes of categories, or the codes of no value and of "?".

    Where attributes were given, kinds and intervals have the codes that follow those of the categories.
    """

    specific: Annotated[Array, "column"]
    general: Annotated[Array, "general", "column"]
    positive: Annotated[int, Between(-1)]
    """code of the positive class, -1 if none of its rows were seen"""
    n_classes: Annotated[int, CLASS_COUNT]
    pos_label: str
    """the positive class in words"""
    schema: Schema


class CandidateElimination(OnePass, Undecided):
    """All conjunctions of values that agree with every row, by their boundaries; exact in one pass.

    A row that all of them cover is a positive, one that none covers a negative; of others the majority decides, or
    none (`undecided`). If no conjunction agrees with all rows, the version space is empty; the certificate reports it,
    and names a row to blame: the first negative that the most specific conjunction of all positives covers. That one
    then decides, as in `FindS`.

    Parameters
    ----------
    pos_label : optional
        The positive class, which conjunctions describe. None: the last of `classes_`, `classes_[1]` of two.
    undecided : optional
        What to predict where hypotheses disagree. None: the class of the majority, `classes_[0]` if there is none.
    attributes : dict, optional
        For some columns, by name or by position, other constraints than a value or any: "ordered", of numbers, allows
        intervals between two of the values that rows have; a dict with the parent of each node of a taxonomy allows
        its inner nodes. A value that no row had is then covered by "?" alone.

    Attributes
    ----------
    classes_ : array
    version_space_ : VersionSpace
        In the words of the data; categories are those that were seen.
    pos_label_ : str
        The positive class in words.
    certificate_ : Certificate

    See Also
    --------
    FindS : The specific boundary alone, and the row that no conjunction agrees with.
    ListThenEliminate : The same by going through the hypotheses one by one.
    VersionSpace : What to do with it: membership, votes, the next question.

    Examples
    --------
    >>> from tenfold import CandidateElimination
    >>> X = [["sun", "warm", "calm"], ["sun", "warm", "wind"], ["rain", "cold", "wind"]]
    >>> model = CandidateElimination(undecided="?").fit(X, ["yes", "yes", "no"])
    >>> model.version_space_.specific, model.version_space_.general
    ((<sun, warm, ?>,), (<?, warm, ?>, <sun, ?, ?>))
    >>> model.predict([["sun", "warm", "wind"], ["sun", "cold", "wind"], ["rain", "cold", "calm"]]).tolist()
    ['yes', '?', 'no']

    Intervals and kinds:

    >>> shapes = {"circle": "round", "ellipse": "round", "square": "angular", "triangle": "angular"}
    >>> model = CandidateElimination(attributes={"x0": shapes, "x1": "ordered"})
    >>> model = model.fit([["circle", 4], ["ellipse", 6], ["square", 5], ["circle", 9]], [1, 1, 0, 0])
    >>> model.version_space_.specific, model.version_space_.general
    ((<round, 4..6>,), (<round, 4..6>,))
    """

    need = Need("categorical", target="class", binary=True)
    hidden = frozenset({"specific", "general", "positive", "n_classes"})
    poor_score = True
    law_params: ClassVar[Any] = ({}, {"pos_label": "no"}, {"undecided": "?"}, {"attributes": {}})

    _: KW_ONLY
    attributes: Annotated[Mapping[Any, Any] | None, dict, None] = None

    def statistic(self, schema: Schema) -> BoundariesOfVersionSpace | ValuesOfPositives:
        refuse_wildcard(schema)
        positive, n_classes, _ = positive_class(self.pos_label, schema)
        single = self.pos_label is None and n_classes == 1
        if self.attributes is not None:
            self._coded(schema)  # refuses what does not fit
            return ValuesOfPositives(positive, single, schema.value_offsets)
        return BoundariesOfVersionSpace(positive, single)

    def _coded(self, schema: Schema) -> CodedAttributes:
        """The attributes that were given, of the columns of these rows."""
        assert self.attributes is not None
        return CodedAttributes(self.attributes, schema)

    def solve(self, schema: Schema, s: Examples | AttributeExamples) -> VersionSpaceModel:
        positive = positive_class(self.pos_label, schema)
        if isinstance(s, AttributeExamples):
            specific, general = boundaries(self._coded(schema), s, schema)
            return VersionSpaceModel(specific, general, *positive, schema)
        values = _join_of(s.rows) if s.single and len(s.rows) else s.values
        if values[0] == NOTHING:
            general = _without_positives(s.rows, schema)
        else:
            general = _keeping(values, least_sets(s.separating) if not s.single else s.rows[:0])
        return VersionSpaceModel(values, general, *positive, schema)

    def certify(self, model: VersionSpaceModel, s: Examples | AttributeExamples) -> tuple[Claim, ...]:
        """Whether a conjunction agrees with all rows, and how many do."""
        some = len(model.general) > 0
        why = (
            f"conjunctions between the boundaries cover every row of the positive class {model.pos_label} and no other"
            if some
            else f"the least conjunction that covers every row of the positive class {model.pos_label} covers row "
            f"{self._covered(model, s)} too, which is of another class: no conjunction is consistent with these rows"
        )
        claims = [Claim("consistent", float(some), "proved", why, "data")]
        try:
            size = float(min(self._space(model).size, 1 << 1000))
        except DataError:  # too many to count
            return tuple(claims)
        left = "conjunctions that agree with every row: the size of the version space; 1 identifies the concept"
        return (*claims, Claim("size", size, "proved", left, "data"))

    def _space(self, model: VersionSpaceModel) -> VersionSpace:
        """The version space: of codes of categories, or in words where attributes were given."""
        if self.attributes is None:
            return _space(model)
        return space_of(self._coded(model.schema), model.specific, model.general)

    def _covered(self, model: VersionSpaceModel, s: Examples | AttributeExamples) -> int:
        """The number of the first negative that the join of the positives covers."""
        if isinstance(s, AttributeExamples):
            return first_covered(self._coded(model.schema), model.specific, s, model.schema)
        return int(s.earliest[~s.separating.any(axis=1)].min())

    def _agreement(self, model: VersionSpaceModel) -> Callable[[Array], tuple[Flags, Flags]]:
        """Which rows of a block every hypothesis covers, and which none does."""
        if self.attributes is None:
            return partial(_agreed, model)
        return partial(agreed, self._coded(model.schema), model.specific, model.general)

    def scores_from(self, model: VersionSpaceModel, X: Columns) -> Array:
        """The share of hypotheses for each class."""
        out = np.ones((len(X), model.n_classes))
        if model.n_classes == 1:
            return out
        space, of = self._space(model), self._agreement(model)
        for rows, block in X.blocks():
            yes, no = of(block)
            share = yes.astype(np.float64)
            if len(open_rows := np.flatnonzero(~(yes | no))):
                share[open_rows] = self._votes(model, space, block[open_rows])
            out[rows, model.positive], out[rows, 1 - model.positive] = share, 1 - share
        return out

    def _votes(self, model: VersionSpaceModel, space: VersionSpace, block: Array) -> Array:
        """The share of hypotheses that cover each row."""
        if self.attributes is not None:
            return votes(self._coded(model.schema), space, block)
        alike, which = np.unique(_seen_by(model, block), axis=0, return_inverse=True)
        return np.asarray((space.votes(alike) / space.size)[which.ravel()])

    def unanimous_from(self, model: VersionSpaceModel, X: Columns) -> Codes:
        # The class that all hypotheses agree on; none, if no hypothesis is left.
        out, of = np.zeros(len(X), np.int64), self._agreement(model)
        for rows, block in X.blocks() if model.n_classes > 1 else ():
            yes, no = of(block)
            either = yes | no if len(model.general) else np.zeros(len(yes), bool)
            out[rows] = np.where(either, np.where(yes, model.positive, 1 - model.positive), -1)
        return out

    def is_valid(self, model: VersionSpaceModel, summary: Examples | AttributeExamples | None, schema: Schema) -> bool:
        mine = (model.positive, model.n_classes, model.pos_label)
        if len(model.general) > MAX_GENERAL_MEMBERS or mine != positive_class(self.pos_label, schema):
            return False
        if self.attributes is not None:
            if not in_order(self._coded(schema), model.specific, model.general):
                return False
        elif not _in_order(model, schema):
            return False
        if summary is None:
            return True
        if isinstance(summary, AttributeExamples):
            codes, fits = list(summary.rows), self.attributes is not None and bool((summary.rows >= 0).all())
        else:
            codes, fits = [summary.values, *summary.rows], self.attributes is None
        known = all(stand_for_something(c, schema) and UNKNOWN not in c for c in codes)
        return fits and known and summary.single == self.statistic(schema).single

    @property
    @fitted
    def version_space_(self) -> VersionSpace:
        """The version space in the words of the data."""
        schema, model = self.schema_, self.model_
        if self.attributes is not None:
            return self._space(model)
        some = [model.specific] if len(model.general) else []
        low, high = ([Conjunction(in_words(h, schema)) for h in each] for each in (some, model.general))
        return VersionSpace([Attribute.nominal(column.categories.tolist()) for column in schema.columns], low, high)


def least_sets(sets: Array) -> Array:
    """Minimal sets of some sets, given as rows of 0 and 1; sorted."""
    sets = np.unique(sets.astype(np.float64), axis=0)
    sizes = sets.sum(axis=1)
    kept: list[int] = []
    for k in np.argsort(sizes, kind="stable").tolist():
        if not kept or not (sets[kept] @ sets[k] == sizes[kept]).any():
            kept.append(k)
    return sets[sorted(kept)]


def earliest_sets(sets: Array, numbers: Codes) -> tuple[Array, Codes]:
    """Distinct sets with their least numbers, but for those of which a part has a number that is not larger; sorted.

    As rows of 0 and 1. Whoever leaves out columns afterwards finds the least number of an empty set: what was left out
    is empty no sooner than its part, which is not later.
    """
    sets, numbers = first_of_each(sets.astype(np.float64), numbers)
    sizes = sets.sum(axis=1)
    kept: list[int] = []
    for k in np.lexsort((numbers, sizes)).tolist():
        if not kept or not ((sets[kept] @ sets[k] == sizes[kept]) & (numbers[kept] <= numbers[k])).any():
            kept.append(k)
    kept.sort()
    return sets[kept], numbers[kept]


def _join_of(rows: Array) -> Array:
    """The join of rows, one at least."""
    return np.where((rows == rows[0]).all(axis=0), rows[0], ANY)


def _too_many() -> DataError:
    return DataError(
        f"the version space has more than {MAX_GENERAL_MEMBERS:,} most general hypotheses. "
        f"Remedy: fewer columns or categories, more "
        "rows of the positive class, or FindS, which needs the specific boundary only"
    )


def _keeping(values: Array, sets: Array) -> Array:
    """The most general conjunctions that keep one value of each set of columns: Berge's minimal hitting sets."""
    found = [0]
    for columns in (np.flatnonzero(one).tolist() for one in sets[np.argsort(sets.sum(axis=1), kind="stable")]):
        bits = [1 << j for j in columns]
        mask = sum(bits)
        met = [t for t in found if t & mask]
        more = {t | bit for t in found if not t & mask for bit in bits}
        found = met + [t for t in more if not any(t & other == other for other in met)]
        if len(found) > MAX_GENERAL_MEMBERS:
            raise _too_many()
    keep = np.array([[t >> j & 1 for j in range(len(values))] for t in found], dtype=bool).reshape(-1, len(values))
    return np.unique(np.where(keep, values, ANY), axis=0)


def _without_positives(rows: Array, schema: Schema) -> Array:
    """The most general conjunctions that cover none of the rows; the one that covers nothing, if there is no other."""
    found = np.full((1, rows.shape[1]), ANY)
    for row in rows:
        hit = covers_each(found, row[None])[0]
        kept, more = found[~hit], [found[:0]]
        for j, n in enumerate(schema.n_values):
            free = found[hit & (found[:, j] == ANY)]
            for value in range(n):
                if value != row[j]:
                    free[:, j] = value
                    more.append(free.copy())
        new = np.concatenate(more)
        if len(kept) + len(new) > 4 * MAX_GENERAL_MEMBERS:
            raise _too_many()
        found = np.concatenate([kept, new[~_below(new, kept)]])
        if len(found) > MAX_GENERAL_MEMBERS:
            raise _too_many()
    return np.unique(found, axis=0) if len(found) else np.full((1, rows.shape[1]), NOTHING)


def _below(hypotheses: Array, others: Array) -> Flags:
    """Which hypotheses are at most as general as one of the others."""
    out = np.zeros(len(hypotheses), bool)
    for other in others:
        out |= ((other == ANY) | (hypotheses == other)).all(axis=1)
    return out


def _in_order(model: VersionSpaceModel, schema: Schema) -> bool:
    """Whether both boundaries stand for hypotheses, with the specific one below the others."""
    codes, nothing = [model.specific, *model.general], model.specific == NOTHING
    above = (model.general == ANY) | (model.general == model.specific)
    known = all(stand_for_something(c, schema) and UNKNOWN not in c for c in codes)
    return known and bool(nothing.all() if nothing.any() else above.all())


def _agreed(model: VersionSpaceModel, block: Array) -> tuple[Flags, Flags]:
    """Which rows every hypothesis covers, and which none does; of an empty version space, the predictions of the
    specific one."""
    yes = covers(model.specific, block)
    if not len(model.general):
        return yes, ~yes
    some = np.zeros(len(block), bool)
    for one in model.general:
        some |= covers(one, block)
    return yes, ~some


def _seen_by(model: VersionSpaceModel, block: Array) -> Array:
    """Rows as patterns of agreement with the specific hypothesis, column by column."""
    if model.specific[0] == NOTHING:
        return block
    return np.where(block == model.specific, block, UNKNOWN)


def _space(model: VersionSpaceModel) -> VersionSpace:
    """The version space in codes of categories."""
    nothing = model.specific[0] == NOTHING
    each = zip(model.specific.tolist(), model.schema.n_values, strict=True)
    values = [range(max(n, 1)) if nothing else [max(value, 0.0)] for value, n in each]
    low, high = ([_constraints(h) for h in some] for some in ([model.specific], model.general))
    return VersionSpace(values, low if len(high) else [], high)


def _constraints(values: Array) -> Conjunction:
    words = {NOTHING: None, ANY: ANYTHING}
    return Conjunction(words.get(value, value) for value in values.tolist())
