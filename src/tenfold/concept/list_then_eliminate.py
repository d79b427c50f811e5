"""List-then-eliminate: every hypothesis of a list is held against every row, and those that agree with all are kept.

It works for any list of hypotheses, conjunctions or functions of a row, and shows why learning needs one that is not
too rich: with the power set, all sets of rows, every unseen row gets exactly half the votes, independent of the
training rows. All that is kept of the rows is how many of each class a hypothesis covers, or for functions and the
power set the distinct rows, so both merge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.concept.bayes_optimal_classifier import (
    ERROR_TIE,
    CoveredByHypotheses,
    HypothesisCoverage,
    coded_hypotheses,
    conjunctions,
)
from tenfold.concept.distinct_rows import DistinctRows, SeenRows
from tenfold.concept.function_hypotheses import (
    ROWS_AS_THEY_ARE,
    Functions,
    are_functions,
    by_name,
    listed_words,
    positive_probability,
)
from tenfold.concept.hypotheses import (
    UNKNOWN,
    covers_each,
    in_words,
    positive_class,
    refuse_wildcard,
    stand_for_something,
)
from tenfold.concept.undecided import Undecided
from tenfold.core import Array, Claim, Codes, Columns, Flags, Need, Schema
from tenfold.core.field_values import CLASS_COUNT, Between
from tenfold.estimator import OnePass, fitted
from tenfold.estimator.shell.constraints import array, integer
from tenfold.estimator.shell.parameters import Behind

POWER_SET = "power set"


class ListedModel(NamedTuple):
    """The hypotheses that are left; or, of the power set, the rows that were seen and what they were."""

    hypotheses: Annotated[Array, "hypothesis", "column"]
    """those that are left, without a value for functions; rows, if they are all sets of rows"""
    labels: Annotated[Array, "hypothesis", Between(0.0, 1.0)]
    """1, or for rows the share of all sets that have it"""
    n_consistent: Annotated[float, Between(0.0, np.inf)]
    """hypotheses that agree with every row"""
    n_hypotheses: Annotated[float, Between(0.0, np.inf)]
    """hypotheses that were listed"""
    positive: Annotated[int, Between(-1)]
    n_classes: Annotated[int, CLASS_COUNT]
    number: Annotated[Codes, "hypothesis", Between(0)]
    """place in the list of those that are left"""
    words: str
    """categories of the columns as JSON, if hypotheses are functions"""


class ListThenEliminate(OnePass, Undecided):
    """All hypotheses of a list that agree with every row; exact in one pass.

    If none agrees with all rows, the certificate reports it, and those with the fewest errors decide.

    Parameters
    ----------
    hypotheses : list of lists, dict of functions, list of functions, "power set", optional
        For each hypothesis and column the value, "?" for any, or None for no value at all. None: all conjunctions of at
        most `max_literals` values, and the empty hypothesis. "power set": all sets of rows, which is no bias at
        all. A function, by its name, gets a row as a list of values (None for a category that is unknown from
        fitting), and returns True if it is of the positive class, else False. A model file holds no functions.
    max_literals : int, optional, default=2
        Of hypotheses that are not given; None: as many as there are columns, so that all conjunctions are listed.
    n_points : int, optional
        Of the power set: how many different rows there can be. None: all combinations of the values that were seen.
    pos_label : optional
        The positive class. None: the last of `classes_`.
    undecided : optional
        What to predict where hypotheses disagree. None: the class of the majority, `classes_[0]` if there is none.

    Attributes
    ----------
    classes_ : array
    hypotheses_ : list of lists, or of str
        Those that are left, in the words of the data, or the names of functions; none for the power set, which is not
        listed.
    n_consistent_, n_hypotheses_ : float
        How many agree with every row, of how many.
    certificate_ : Certificate

    See Also
    --------
    CandidateElimination : The same for conjunctions, by boundaries: no list.
    BayesOptimalClassifier : Votes with prior probabilities, and noise.

    Examples
    --------
    Which numbers are prime? All sets of numbers are hypotheses, so nothing is learned of numbers that were not seen:

    >>> from tenfold import ListThenEliminate
    >>> X, prime = [[1], [3], [5], [6], [7], [10]], [0, 1, 1, 0, 1, 0]
    >>> model = ListThenEliminate("power set", n_points=10).fit(X, prime)
    >>> model.n_consistent_
    16.0
    >>> model.predict_proba([[2], [4], [8], [9]])[:, 1].tolist()  # 8 of 16 each
    [0.5, 0.5, 0.5, 0.5]

    With three hypotheses, functions of a row, two are left, which agree on 9:

    >>> rules = {"odd": lambda row: row[0] % 2 == 1, "prime": lambda row: row[0] in (2, 3, 5, 7),
    ...          "odd prime": lambda row: row[0] in (3, 5, 7)}
    >>> model = ListThenEliminate(rules).fit(X, prime)
    >>> model.hypotheses_, model.predict([[9]]).tolist(), model.predict_proba([[2]])[0, 1].item()
    (['prime', 'odd prime'], [0], 0.5)
    """

    hidden = frozenset({"hypotheses", "labels", "positive", "n_classes", "number", "words"})
    poor_score = True
    law_params: ClassVar[Any] = (
        {},
        {"hypotheses": POWER_SET},
        {"pos_label": "no", "undecided": "?", "max_literals": None},
    )

    hypotheses: Annotated[
        Sequence[Sequence[Any]] | Functions | Sequence[Callable[[list[Any]], Any]] | str | None,
        array, Mapping, str, None, Behind(None),
    ] = None  # fmt: skip
    max_literals: Annotated[int | None, integer(1), None, Behind("hypotheses")] = 2
    n_points: Annotated[int | None, integer(1), None, Behind("max_literals")] = None

    @property
    def need(self) -> Need:
        return ROWS_AS_THEY_ARE if are_functions(self.hypotheses) else Need("categorical", target="class", binary=True)

    @property
    def _of_all_sets(self) -> bool:
        if isinstance(self.hypotheses, str) and self.hypotheses != POWER_SET:
            raise ValueError(f"hypotheses must be a list of lists, {POWER_SET!r} or None, not {self.hypotheses!r}")
        return isinstance(self.hypotheses, str)

    def statistic(self, schema: Schema) -> CoveredByHypotheses | DistinctRows:
        # How many rows of each class a hypothesis covers; for functions and the power set, the distinct rows.
        positive_class(self.pos_label, schema)
        if are_functions(self.hypotheses):
            by_name(self.hypotheses)
            return DistinctRows(len(schema.classes))
        if self._of_all_sets:
            return DistinctRows(len(schema.classes))
        refuse_wildcard(schema)
        return CoveredByHypotheses(self._listed(schema), len(schema.classes), self._literals(schema))

    def _literals(self, schema: Schema) -> int:
        """Maximum number of literals of the generated conjunctions; 0 if hypotheses are given."""
        width = len(schema.columns)
        most = width if self.max_literals is None else min(self.max_literals, width)
        return most if self.hypotheses is None else 0

    def _listed(self, schema: Schema) -> Array:
        """All hypotheses that were listed, as codes."""
        if self.hypotheses is None:
            return conjunctions(schema, self._literals(schema))
        return coded_hypotheses(list(self.hypotheses), schema)

    def solve(self, schema: Schema, s: HypothesisCoverage | SeenRows) -> ListedModel:
        positive, n_classes, _ = positive_class(self.pos_label, schema)
        yes = np.arange(n_classes) == positive
        words = ""
        if are_functions(self.hypotheses):
            assert isinstance(s, SeenRows)
            functions, words = by_name(self.hypotheses), listed_words(schema)
            covers = _covered(functions, s.rows, words)
            errors = s.weight[:, ~yes].sum(axis=1) @ covers + s.weight[:, yes].sum(axis=1) @ (1 - covers)
            listed = np.full((len(functions), len(schema.columns)), UNKNOWN)
        elif isinstance(s, SeenRows):
            return self._all_sets(schema, s, yes, positive)
        else:
            listed = self._listed(schema)
            errors = s.covered[~yes].sum(axis=0) + (s.weight[yes].sum() - s.covered[yes].sum(axis=0))
        near = ERROR_TIE * s.weight.sum()
        kept = np.flatnonzero(errors <= errors.min() + near)
        consistent = float((errors <= near).sum())
        return ListedModel(
            listed[kept], np.ones(len(kept)), consistent, float(len(listed)), positive, n_classes, kept, words
        )

    def _all_sets(self, schema: Schema, s: SeenRows, yes: Flags, positive: int) -> ListedModel:
        """A set agrees if it has all positives and no negative; a row with both labels leaves none."""
        points = prod(max(n, 1) for n in schema.n_values) if self.n_points is None else self.n_points
        if points < len(s.rows):
            raise ValueError(f"n_points is {points}, and there are {len(s.rows)} different rows")
        right, wrong = s.weight[:, yes].sum(axis=1), s.weight[:, ~yes].sum(axis=1)
        labels = np.where(right == wrong, 0.5, right > wrong)
        left = _power_of_two(points - len(s.rows)) if ((right == 0) | (wrong == 0)).all() else 0.0
        number = np.arange(len(s.rows))
        return ListedModel(s.rows, labels, left, _power_of_two(points), positive, len(yes), number, "")

    def certify(self, model: ListedModel, s: HypothesisCoverage | SeenRows) -> tuple[Claim, ...]:
        """How many hypotheses agree with every row."""
        what = "sets of rows" if self._of_all_sets else "listed hypotheses"
        why = f"{what} of {model.n_hypotheses:g} that every row agrees with: the size of the version space"
        return (Claim("size", model.n_consistent, "proved", why, "data"),)

    def scores_from(self, model: ListedModel, X: Columns) -> Array:
        """The share of hypotheses for each class."""
        out = np.ones((len(X), model.n_classes))
        if model.n_classes == 1:
            return out
        for rows, block in X.blocks():
            alike, which = np.unique(block, axis=0, return_inverse=True)
            share = self._share(model, alike)[which.ravel()]
            out[rows, model.positive], out[rows, 1 - model.positive] = share, 1 - share
        return out

    def _share(self, model: ListedModel, rows: Array) -> Array:
        """The share of the hypotheses that cover each row."""
        if self._of_all_sets:
            return self._share_of_sets(model, rows)
        if are_functions(self.hypotheses):
            functions = by_name(self.hypotheses)
            left = {name: functions[name] for name in np.array([*functions])[model.number].tolist()}
            return np.asarray(_covered(left, rows, model.words).mean(axis=1))
        return np.asarray(covers_each(model.hypotheses, rows).mean(axis=1))

    @staticmethod
    def _share_of_sets(model: ListedModel, rows: Array) -> Array:
        """Rows that were not seen are in half of all sets."""
        known = {row.tobytes(): label for row, label in zip(model.hypotheses, model.labels.tolist(), strict=True)}
        return np.array([known.get(row.tobytes(), 0.5) for row in rows.astype(np.float64)])

    def unanimous_from(self, model: ListedModel, X: Columns) -> Codes:
        # The class that all hypotheses agree on; none, if no hypothesis is left.
        scores = self.scores_from(model, X)
        sure = (scores == 1).any(axis=1) & (model.n_consistent > 0)
        return np.where(sure, scores.argmax(axis=1), -1)

    def is_valid(self, model: ListedModel, summary: HypothesisCoverage | SeenRows | None, schema: Schema) -> bool:
        mine = (model.positive, model.n_classes) == positive_class(self.pos_label, schema)[:2]
        if are_functions(self.hypotheses) or len(model.number) != len(model.hypotheses) or model.words:
            return False  # no file holds functions
        some = self._of_all_sets or len(model.hypotheses) > 0
        known = stand_for_something(model.hypotheses, schema)
        return mine and some and known and (summary is None or self._own(summary, schema))

    def _own(self, summary: HypothesisCoverage | SeenRows, schema: Schema) -> bool:
        """Whether a summary has the shapes that the state asks for."""
        if isinstance(summary, SeenRows) or self._of_all_sets:
            return isinstance(summary, SeenRows) and self._of_all_sets and stand_for_something(summary.rows, schema)
        return (summary.literals, summary.covered.shape[1]) == (self._literals(schema), len(self._listed(schema)))

    @property
    @fitted
    def hypotheses_(self) -> list[Any]:
        """The hypotheses that are left, in the words of the data, or the names of functions."""
        if are_functions(self.hypotheses):
            names = [*by_name(self.hypotheses)]
            return [names[number] for number in self.model_.number.tolist()]
        listed = () if self._of_all_sets else self.model_.hypotheses
        return [in_words(values, self.schema_) for values in listed]


def _covered(functions: Functions, rows: Array, words: str) -> Array:
    """Which rows each function says are positive, as 0 and 1; a chance of it is refused."""
    found = positive_probability(functions, rows, words)
    odd = [name for name, column in zip(functions, found.T, strict=True) if not np.isin(column, (0, 1)).all()]
    if odd:
        raise ValueError(
            f"hypothesis {odd[0]!r} gives a probability, and rows cannot eliminate it. Remedy: BayesOptimalClassifier"
        )
    return found


def _power_of_two(exponent: int) -> float:
    return 2.0**exponent if exponent < 1024 else np.inf
