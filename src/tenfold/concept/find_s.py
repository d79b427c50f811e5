"""Find-S: the most specific conjunction of attribute values that covers every positive example.

A hypothesis has for each column a value, `?` (any value), or nothing at all. The least general
generalisation of two hypotheses keeps a value where they agree and says `?` where they do not: a
lattice join, so summaries merge with no arithmetic at all. A second scan holds the negatives against it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Chunk, Claim, Columns, Need, Schema
from tenfold.core.allowed import NOT_NAN, OneOf
from tenfold.core.statistic import Grouped
from tenfold.estimator import Classifier
from tenfold.estimator.constraints import label

NOTHING, ANY, UNKNOWN = -2.0, -3.0, -4.0


@dataclass(frozen=True, eq=False)
class Concept:
    """The join of the positives, and how the negatives fared against a hypothesis."""

    exact: ClassVar[bool] = True
    values: Annotated[Array, "column"]
    tested: Annotated[Array, "column"]
    """the hypothesis that negatives were held against; UNKNOWN if there were several"""
    covered: float
    """weight of negatives it covers"""
    witness: Annotated[float, NOT_NAN]
    """number of the first of them, infinite if there is none"""
    chosen: bool
    """whether the positive class was named; else it is the last one that is known"""

    def __add__(self, other: Concept) -> Concept:
        same = np.array_equal(self.tested, other.tested)
        return Concept(
            join(self.values, other.values),
            self.tested if same else np.full_like(self.tested, UNKNOWN),
            self.covered + other.covered,
            min(self.witness, other.witness),
            self.chosen,
        )

    def recode(self, old: Schema, new: Schema) -> Concept:
        """The same under more categories; rows of what is now the negative class join no more."""
        if not self.chosen and old.classes[-1] != new.classes[-1]:
            nothing = np.full_like(self.values, NOTHING)
            return replace(self, values=nothing, tested=np.full_like(nothing, UNKNOWN))
        move = [np.searchsorted(b.categories, a.categories) for a, b in zip(old.columns, new.columns)]
        return replace(self, values=_moved(self.values, move), tested=_moved(self.tested, move))


class JoinOfPositives(Grouped[Concept]):
    """The join of the positives, and the negatives that a hypothesis covers."""

    hypothesis: Array
    positive: int
    """code of the positive class"""
    chosen: bool
    """whether the positive class was named"""

    def summarize(self, chunk: Chunk) -> Concept:
        """Join the positives; weigh the negatives that the hypothesis covers, and remember the first."""
        values = np.full(chunk.X.shape[1], NOTHING)
        covered, witness = 0.0, np.inf
        for rows, block in chunk.X.blocks():
            positive = chunk.y[rows] == self.positive
            if positive.any():
                some = block[positive]
                values = join(values, np.where((some == some[0]).all(axis=0), some[0], ANY))
            wrong = np.flatnonzero(covers(self.hypothesis, block) & ~positive)
            if len(wrong):
                covered += float(chunk.weight[rows][wrong].sum())
                witness = min(witness, float(chunk.X.row(rows.start + int(wrong[0]))))
        return Concept(values, self.hypothesis, covered, witness, self.chosen)


class ConceptState(NamedTuple):
    """A hypothesis: codes of categories, or what stands for nothing and any."""

    step: int
    phase: Annotated[str, OneOf("positives", "negatives")]
    values: Annotated[Array, "column"]
    positive: int
    """code of the positive class, -1 if none of its rows were seen"""
    n_classes: int
    """how many there are"""
    pos_label: str
    """the positive class in words"""


class FindS(Classifier):
    """The most specific conjunction that covers every positive, exact in one pass.

    Whether the negatives are left out is tested in a second scan; the certificate says so, or names a negative that is
    covered, and which class is the positive one.

    Parameters
    ----------
    pos_label : optional
        The positive class, whose rows are described. None: the last of `classes_`, `classes_[1]` of two.

    Attributes
    ----------
    classes_ : array
    hypothesis_ : list
        For each column the value, "?" for any, None if no positive was seen.
    pos_label_ : str
        The positive class in words.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import FindS
    >>> X = [["sun", "warm", "calm"], ["sun", "warm", "wind"], ["rain", "cold", "wind"]]
    >>> model = FindS().fit(X, [1, 1, 0])
    >>> model.hypothesis_
    ['sun', 'warm', '?']
    >>> model.certificate_["consistent"].value
    1.0
    >>> FindS(pos_label=0).fit(X, [1, 1, 0]).hypothesis_
    ['rain', 'cold', 'wind']
    """

    passes = ONE
    need = Need("categorical", target="class", binary=True)
    model_type = ConceptState
    summary_types = (Concept,)
    steering = frozenset({"step", "phase", "n_classes"})
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"pos_label": "no"},
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {"pos_label": [*label]}

    def __init__(self, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def start(self, schema: Schema) -> ConceptState:
        """The hypothesis that covers nothing."""
        nothing = np.full(len(schema.columns), NOTHING)
        return ConceptState(0, "positives", nothing, *self._positive(schema))

    def _positive(self, schema: Schema) -> tuple[int, int, str]:
        """Code of the positive class, number of classes, and the positive class in words."""
        labels = schema.classes.tolist()
        if self.pos_label is None:
            return len(labels) - 1, len(labels), repr(labels[-1])
        if self.pos_label in labels:
            return labels.index(self.pos_label), len(labels), repr(self.pos_label)
        if len(labels) > 1:
            raise ValueError(f"pos_label={self.pos_label!r} is not a valid label: It should be one of {labels}")
        return -1, len(labels), repr(self.pos_label)  # all rows of this part are negatives

    def ask(self, state: ConceptState) -> JoinOfPositives | None:
        """The join of the positives; then the same once more, to hold the negatives against it."""
        return None if state.step else JoinOfPositives(state.values, state.positive, self.pos_label is not None)

    def update(self, state: ConceptState, s: Concept) -> ConceptState:
        """The join is the model; it is finished once the negatives were held against it."""
        tested = np.array_equal(s.values, s.tested)
        return state._replace(step=int(tested), phase="negatives", values=s.values)

    def certify(self, state: ConceptState, s: Concept) -> tuple[Claim, ...] | None:
        """Whether the hypothesis is consistent with every row."""
        if not state.step or not np.array_equal(state.values, s.tested):
            return None
        why = f"every row of the positive class {state.pos_label} is covered and no other is: all were held against it"
        if s.covered:
            why = (
                f"the positive class is {state.pos_label}; negatives of weight {s.covered:g} are covered, row "
                f"{int(s.witness)} among them: no conjunction is consistent with these rows"
            )
        return (Claim("consistent", float(s.covered == 0), "proved", why, "data"),)

    def scores_from(self, state: ConceptState, X: Columns) -> Array:
        """1 for the class that the hypothesis says, 0 for the other."""
        out = np.ones((len(X), state.n_classes))
        if state.n_classes == 1:
            return out
        for rows, block in X.blocks():
            yes = covers(state.values, block)
            out[rows, state.positive], out[rows, 1 - state.positive] = yes, ~yes
        return out

    def sound(self, state: ConceptState, summary: Any, schema: Schema) -> bool:
        """Whether every code stands for something, and the positive class is the one that was asked for."""
        codes = [state.values] if summary is None else [state.values, summary.values, summary.tested]
        known = [
            np.isin(c, (NOTHING, ANY, UNKNOWN)) | ((c >= 0) & (c < schema.n_values) & (c == np.rint(c))) for c in codes
        ]
        mine = (state.positive, state.n_classes, state.pos_label)
        return bool(np.all(known)) and UNKNOWN not in state.values and mine == self._positive(schema)

    def resumable(self, state: ConceptState, summary: Any, schema: Schema) -> bool:
        """The same, and negatives were held against this hypothesis."""
        return self.sound(state, summary, schema) and np.array_equal(summary.tested, state.values)

    def probability_from(self, scores: Array) -> Array:
        """A conjunction is certain."""
        return scores

    def log_probability_from(self, scores: Array) -> Array:
        """The logarithm of certainty."""
        with np.errstate(divide="ignore"):
            return np.log(scores)

    @property
    def hypothesis_(self) -> list[Any]:
        """The conjunction in the words of the data."""
        words = {NOTHING: None, ANY: "?"}
        return [
            column.categories[int(value)] if value >= 0 else words[value]
            for value, column in zip(self.model_.values, self.schema_.columns)
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def join(a: Array, b: Array) -> Array:
    """The least general hypothesis that covers what either covers."""
    return np.where(a == NOTHING, b, np.where((b == NOTHING) | (a == b), a, ANY))


def covers(values: Array, block: Array) -> Any:
    """Which rows a hypothesis covers."""
    return ((block == values) | (values == ANY)).all(axis=1)


def _moved(values: Array, move: list[Any]) -> Array:
    return np.array([to[int(v)] if v >= 0 else v for v, to in zip(values, move)], dtype=np.float64)
