"""What k-CNF and k-DNF share: a row satisfies a conjunction that no row of one class did, or none of them."""

from __future__ import annotations

from numbers import Real
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from tenfold.concept.clauses.literals import (
    ConjunctionsOfLiterals,
    Satisfied,
    bits_of,
    clause_words,
    conjunctions,
    count,
    fires,
    least,
)
from tenfold.concept.hypotheses import positive_class
from tenfold.core import ONE, Array, Claim, Codes, Columns, Flags, Need, Schema
from tenfold.core.field_values import CLASS_COUNT, Between
from tenfold.core.learner import Done, Initial
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import boolean, integer
from tenfold.estimator.shell.probability_scored import ProbabilityScored


class ClauseModel(NamedTuple):
    """The conjunctions that no row of one class satisfied, the least of them."""

    clauses: Annotated[Codes, "clause", "literal", Between(-1)]
    """literals 2j for column j, 2j + 1 for its negation, -1 for none"""
    n_kept: int
    """clauses of the hypothesis, redundant ones too"""
    positive: Annotated[int, Between(-1)]
    """code of the positive class, -1 if none of its rows were seen"""
    n_classes: Annotated[int, CLASS_COUNT]
    pos_label: str
    """the positive class in words"""


class TestingClauses(NamedTuple):
    """The clauses are known; rows are still to be held against them."""

    step: int
    model: ClauseModel


State: TypeAlias = Initial | TestingClauses | Done


class ClauseLearner(ProbabilityScored):
    """A subclass defines whether rows that satisfy a conjunction are positives, and the name of its hypothesis."""

    fires_positive: ClassVar[bool]
    """whether a row that satisfies a conjunction is a positive: of a DNF; of a CNF it violates a clause"""
    form: ClassVar[str]

    passes = ONE
    need = Need(target="class", binary=True)
    hidden = frozenset({"clauses", "positive", "n_classes"})
    poor_score = True
    law_params: ClassVar[Any] = ({}, {"k": 1, "pos_label": "no"}, {"k": 3})

    k: Annotated[int, integer(1)] = 2
    binarize: Annotated[float, Real] = 0.0
    pos_label: Annotated[float | str | bool | None, Real, str, boolean, None] = None

    def start(self, schema: Schema) -> State:
        """The state before the first pass, which knows the schema alone."""
        positive_class(self.pos_label, schema)
        conjunctions(len(schema.columns), self._size(schema))  # refuses too many
        return Initial(0, schema)

    def _size(self, schema: Schema) -> int:
        """Literals of a clause at most: no more than there are columns."""
        return min(self.k, len(schema.columns))

    def _fired(self, positive: int, n_classes: int) -> int:
        """The class of rows that satisfy a conjunction: -1 if it was not seen."""
        if self.fires_positive:
            return positive
        return (1 - positive if n_classes == 2 else -1) if positive >= 0 else 0

    def ask(self, state: State) -> ConjunctionsOfLiterals | None:
        """Which conjunctions rows satisfy; then the same once more, to hold the rows against the hypothesis."""
        match state:
            case Initial():
                schema, none = state.schema, np.empty((0, self._size(state.schema)), np.int64)
                return ConjunctionsOfLiterals(none.shape[1], self.binarize, len(schema.classes), none, False, -1)
            case TestingClauses():
                m = state.model
                fired = self._fired(m.positive, m.n_classes)
                return ConjunctionsOfLiterals(
                    m.clauses.shape[1], self.binarize, m.n_classes, m.clauses, True, fired
                )  # fmt: skip
            case Done():
                return None

    def update(self, state: State, s: Satisfied) -> State:
        """The conjunctions that no row of the other class satisfied; finished once rows were held against them."""
        assert not isinstance(state, Done)
        model = self._solve(state.schema, s) if isinstance(state, Initial) else state.model
        return Done.of(model) if _tested(s, model) else TestingClauses(0, model)

    def _solve(self, schema: Schema, s: Satisfied) -> ClauseModel:
        positive, n_classes, words = positive_class(self.pos_label, schema)
        fired = self._fired(positive, n_classes)
        seen = np.delete(s.seen, fired, axis=0) if fired >= 0 else s.seen
        unseen: Flags = np.logical_not(seen.any(axis=0))
        table = conjunctions(len(schema.columns), self._size(schema))
        return ClauseModel(least(table, unseen), int(unseen.sum()), positive, n_classes, words)

    def model(self, state: State) -> ClauseModel | None:
        match state:
            case TestingClauses():
                return state.model
            case Done():
                found: ClauseModel = state.model
                return found
        return None

    def certify(self, model: ClauseModel, s: Satisfied) -> tuple[Claim, ...] | None:
        """Whether the hypothesis is consistent with every row; None if they were not held against it."""
        if not _tested(s, model):
            return None
        why = f"the positive class is {model.pos_label}; every row was held against the hypothesis, and is called right"
        if s.wrong:
            why = (
                f"the positive class is {model.pos_label}; rows of weight {s.wrong:g} are called wrong, row "
                f"{int(s.witness)} among them: no {self.k}-{self.form} is consistent with these rows"
            )
        kept = "clauses of the hypothesis, those that follow from shorter ones too"
        return (
            Claim("consistent", float(s.wrong == 0), "proved", why, "data"),
            Claim("clauses", float(model.n_kept), "proved", kept, "data"),
        )

    def scores_from(self, model: ClauseModel, X: Columns) -> Array:
        """One for the predicted class, zero for the other."""
        out = np.ones((len(X), model.n_classes))
        if model.n_classes == 1 or not len(X):
            return out
        yes = fires(bits_of(X, self.binarize), model.clauses, len(X)) == self.fires_positive
        out[:, model.positive], out[:, 1 - model.positive] = yes, ~yes
        return out

    def is_valid(self, model: ClauseModel, summary: Satisfied | None, schema: Schema) -> bool:
        n, size = len(schema.columns), self._size(schema)
        tables = [model.clauses, *(() if summary is None else (summary.tested,))]
        right = all(t.shape[1] == size and (t < 2 * n).all() and (t[:, :1] >= 0).all() for t in tables)
        mine = (model.positive, model.n_classes, model.pos_label) == positive_class(self.pos_label, schema)
        return bool(right and mine and (summary is None or summary.seen.shape[1] == count(n, size)))

    def resumable(self, state: State, summary: Satisfied, schema: Schema) -> bool:
        model = self.model(state)
        return model is None or self.is_valid(model, summary, schema)

    @property
    @fitted
    def hypothesis_(self) -> list[tuple[str, ...]]:
        """The clauses that follow from no shorter one, in the words of the data."""
        return clause_words(self.model_.clauses, self.schema_.names, not self.fires_positive)


def _tested(s: Satisfied, model: ClauseModel) -> bool:
    return s.known and np.array_equal(s.tested, model.clauses)
