"""Find-S: the most specific conjunction of attribute values that covers every positive example.

A hypothesis has for each column a value, `?` (any value), or nothing at all. The least general
generalisation of two hypotheses keeps a value where they agree and has `?` where they do not: a
lattice join, so summaries merge with no arithmetic at all. A second scan holds the negatives against it.
"""

from __future__ import annotations

from numbers import Real
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from tenfold.concept.hypotheses import (
    NOTHING,
    UNKNOWN,
    Concept,
    JoinOfPositives,
    covers,
    in_words,
    positive_class,
    refuse_wildcard,
    stand_for_something,
)
from tenfold.core import ONE, Array, Claim, Columns, Need, Schema
from tenfold.core.field_values import CLASS_COUNT
from tenfold.core.learner import Done, Initial
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import boolean
from tenfold.estimator.shell.probability_scored import ProbabilityScored


class ConceptModel(NamedTuple):
    """A hypothesis: codes of categories, or the codes of no value and of "?"."""

    values: Annotated[Array, "column"]
    positive: int
    """code of the positive class, -1 if none of its rows were seen"""
    n_classes: Annotated[int, CLASS_COUNT]
    pos_label: str
    """the positive class in words"""


class TestingNegatives(NamedTuple):
    """The positives are joined; negatives are still to be held against their join."""

    step: int
    model: ConceptModel


State: TypeAlias = Initial | TestingNegatives | Done


class FindS(ProbabilityScored):
    """The most specific conjunction that covers every positive, exact in one pass.

    A second scan tests that no negative is covered; the certificate reports it, or names a negative that is
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
    hidden = frozenset({"n_classes"})
    poor_score = True
    law_params = ({}, {"pos_label": "no"})

    pos_label: Annotated[float | str | bool | None, Real, str, boolean, None] = None

    def start(self, schema: Schema) -> State:
        """The state before the first pass, which knows the schema alone."""
        refuse_wildcard(schema)
        self._empty_hypothesis(schema)  # refuses a positive class that there is not
        return Initial(0, schema)

    def _empty_hypothesis(self, schema: Schema) -> ConceptModel:
        """Return the empty hypothesis, which covers no row."""
        return ConceptModel(np.full(len(schema.columns), NOTHING), *positive_class(self.pos_label, schema))

    def ask(self, state: State) -> JoinOfPositives | None:
        """The join of the positives; then the same once more, to hold the negatives against it."""
        match state:
            case Initial():
                model = self._empty_hypothesis(state.schema)
            case TestingNegatives():
                model = state.model
            case Done():
                return None
        return JoinOfPositives(model.values, model.positive, self.pos_label is not None)

    def update(self, state: State, s: Concept) -> State:
        """The join is the model; it is finished once the negatives were held against it."""
        assert not isinstance(state, Done)
        model = (
            ConceptModel(s.values, *positive_class(self.pos_label, state.schema))
            if isinstance(state, Initial)
            else state.model
        )
        return Done.of(model) if np.array_equal(s.tested, model.values) else TestingNegatives(0, model)

    def model(self, state: State) -> ConceptModel | None:
        match state:
            case TestingNegatives():
                return state.model
            case Done():
                return state.model
        return None

    def certify(self, model: ConceptModel, s: Concept) -> tuple[Claim, ...] | None:
        """Whether the hypothesis is consistent with every row; None if they were not held against it."""
        if not np.array_equal(model.values, s.tested):
            return None
        why = f"every row of the positive class {model.pos_label} is covered and no other is: all were held against it"
        if s.covered:
            why = (
                f"the positive class is {model.pos_label}; negatives of weight {s.covered:g} are covered, row "
                f"{int(s.witness)} among them: no conjunction is consistent with these rows"
            )
        return (Claim("consistent", float(s.covered == 0), "proved", why, "data"),)

    def scores_from(self, model: ConceptModel, X: Columns) -> Array:
        """One for the predicted class, zero for the other."""
        out = np.ones((len(X), model.n_classes))
        if model.n_classes == 1:
            return out
        for rows, block in X.blocks():
            yes = covers(model.values, block)
            out[rows, model.positive], out[rows, 1 - model.positive] = yes, ~yes
        return out

    def is_valid(self, model: ConceptModel, summary: Concept | None, schema: Schema) -> bool:
        codes = [model.values] if summary is None else [model.values, summary.values, summary.tested]
        known = [stand_for_something(c, schema) for c in codes]
        mine = (model.positive, model.n_classes, model.pos_label)
        return all(known) and UNKNOWN not in model.values and mine == positive_class(self.pos_label, schema)

    def resumable(self, state: State, summary: Concept, schema: Schema) -> bool:
        model = self.model(state) or self._empty_hypothesis(schema)
        return self.is_valid(model, summary, schema) and np.array_equal(summary.tested, model.values)

    @property
    @fitted
    def hypothesis_(self) -> list[str | float | None]:
        """The conjunction in the words of the data."""
        return in_words(self.model_.values, self.schema_)
