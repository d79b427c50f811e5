"""Bayes-optimal classification over a finite set of hypotheses: all of them vote, each with its posterior probability.

P(y | x, D) = Σ_h P(y | x, h) P(h | D) with P(h | D) ∝ P(D | h) P(h): no other use of the same hypotheses and prior errs
less on average. The likelihood of rows is a product, so its logarithm adds up over parts: learning from one part after
another, or from all of them at once, is merging. All that is kept of the rows is how many of each class a hypothesis
covers; where hypotheses are functions, the distinct rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise, product
from numbers import Real
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

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
    ANY,
    NOTHING,
    UNKNOWN,
    covers_each,
    in_words,
    positive_class,
    refuse_wildcard,
    stand_for_something,
)
from tenfold.core import Array, Chunk, Claim, Columns, DataError, Flags, Mergeable, Need, Schema
from tenfold.core.field_values import CLASS_COUNT, NOT_NAN, NOT_NEGATIVE, Between
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, fitted
from tenfold.estimator.shell.constraints import array, boolean, integer, share
from tenfold.estimator.shell.probability_scored import ProbabilityScored

MAX_HYPOTHESES = 200_000
"""more hypotheses are refused"""
ERROR_TIE = 1e-9
"""weights of errors that differ by less than this share of all rows are the same"""


class HypothesisCoverage(Mergeable):
    """Weight of each class, and of those of its rows that each hypothesis covers."""

    weight: Annotated[Array, "class", NOT_NEGATIVE]
    covered: Annotated[Array, "class", "hypothesis", NOT_NEGATIVE]
    literals: int
    """that a hypothesis has at most, if all such were made; 0 if hypotheses were given"""

    same_in_all = ("literals",)

    def recode(self, old: Schema, new: Schema) -> HypothesisCoverage:
        """Recode to a schema with more categories: hypotheses that need them cover no row."""
        weight, covered = self.weight, self.covered
        at = old.places("class", new)
        if at is not None:
            weight, covered = np.zeros(len(new.classes)), np.zeros((len(new.classes), covered.shape[1]))
            weight[at], covered[at] = self.weight, self.covered
        if self.literals:
            known = {tuple(h): k for k, h in enumerate(_worded(conjunctions(new, self.literals), new))}
            wider = np.zeros((len(weight), len(known)))
            wider[:, [known[tuple(h)] for h in _worded(conjunctions(old, self.literals), old)]] = covered
            covered = wider
        return replace(self, weight=weight, covered=covered)


class CoveredByHypotheses(Grouped[HypothesisCoverage]):
    """Weight of each class, and of those of its rows that each hypothesis covers."""

    hypotheses: Array
    """codes of categories, or the codes of "?" and of no value: hypotheses x columns"""
    classes: int
    literals: int

    def summarize(self, chunk: Chunk) -> HypothesisCoverage:
        # Weigh the rows that each hypothesis covers; rows that are alike are looked at once.
        weight, covered = np.zeros(self.classes), np.zeros((self.classes, len(self.hypotheses)))
        for rows, block in chunk.X.blocks():
            alike, which = np.unique(block, axis=0, return_inverse=True)
            table = np.zeros((self.classes, len(alike)))
            np.add.at(table, (chunk.y[rows], which.ravel()), chunk.weight[rows])
            weight += table.sum(axis=1)
            covered += table @ covers_each(self.hypotheses, alike)
        return HypothesisCoverage(weight, covered, self.literals)


class BayesOptimalModel(NamedTuple):
    """The hypotheses, and how probable each is after the rows."""

    hypotheses: Annotated[Array, "hypothesis", "column"]
    log_prior: Annotated[Array, "hypothesis", NOT_NAN]
    log_likelihood: Annotated[Array, "hypothesis", NOT_NAN]
    log_posterior: Annotated[Array, "hypothesis", NOT_NAN]
    rates: Annotated[Array, "hypothesis", "side", Between(0.0, 1.0)]
    """probability of the positive class where it covers, and where it does not"""
    n_consistent: int
    """hypotheses that every row agrees with"""
    positive: Annotated[int, Between(-1)]
    n_classes: Annotated[int, CLASS_COUNT]
    words: str
    """categories of the columns as JSON, if hypotheses are functions"""


class BayesOptimalClassifier(OnePass, ProbabilityScored):
    """The vote of all hypotheses of a finite set, each with its posterior probability; exact in one pass.

    A hypothesis is a conjunction of values, as of `FindS`: the rows that have them are of the positive class, up to
    `noise`; or it is any function of a row. With a uniform prior and no noise, all that agree with every row are
    equally probable, and all others are out: P(h | D) is 1 over the size of the version space.

    Parameters
    ----------
    hypotheses : list of lists, dict of functions, list of functions, optional
        For each hypothesis and column the value, "?" for any, or None for no value at all. None: all conjunctions of at
        most `max_literals` values, and the empty hypothesis. A function, by its name, gets a row as a list of values
        (None for a category that is unknown from fitting), and returns True if it is of the positive class, else
        False, or the probability that it is. A model file holds no functions.
    max_literals : int, optional, default=2
        Of hypotheses that are not given; None: as many as there are columns.
    prior : array of shape (hypotheses,), optional
        P(h): numbers from 0 on, divided by their sum; by default uniform.
    noise : float, default=0.0
        Probability that the label of a row is flipped. 0: if no hypothesis agrees with every row,
        those that err least remain, which is the limit of little noise.
    rates : array of shape (hypotheses, 2), optional
        Instead of `noise`: the probability of the positive class where a hypothesis covers, and where it does not. Not
        for functions, which can return it themselves.
    pos_label : optional
        The positive class. None: the last of `classes_`.

    Attributes
    ----------
    classes_ : array
    hypotheses_ : list of lists, or of str
        In the words of the data, or the names of functions.
    posterior_ : array of shape (hypotheses,)
        P(h | D).
    map_hypothesis_, ml_hypothesis_ : list, or str
        The most probable hypothesis, and the one under which the rows are most likely; the first of equals.
    n_consistent_ : int
        Hypotheses that every row agrees with: the size of the version space. Of functions that return probabilities,
        those that give no row the probability 0.
    certificate_ : Certificate

    See Also
    --------
    FindS : The most specific of the consistent conjunctions.
    bayes_rule : Posterior probabilities of likelihoods that are given.

    Examples
    --------
    >>> from tenfold import BayesOptimalClassifier
    >>> X, y = [["sun", "warm"], ["sun", "cold"], ["rain", "warm"]], [1, 1, 0]
    >>> model = BayesOptimalClassifier().fit(X, y)
    >>> model.map_hypothesis_, model.n_consistent_
    (['sun', '?'], 1)
    >>> BayesOptimalClassifier().fit(X[:1], y[:1]).n_consistent_  # sun warm, sun ?, ? warm, ? ?
    4

    Bags of candy, each with another share of lime; two limes were drawn from one of them:

    >>> bags = {"none": lambda row: 0.0, "half": lambda row: 0.5, "all": lambda row: 1.0}
    >>> model = BayesOptimalClassifier(bags, prior=[0.25, 0.5, 0.25], pos_label="lime")
    >>> model = model.partial_fit([["bag"], ["bag"]], ["lime", "lime"], classes=["cherry", "lime"])
    >>> model.posterior_.round(3).tolist(), model.map_hypothesis_
    ([0.0, 0.333, 0.667], 'all')
    >>> model.predict_proba([["bag"]]).round(3).tolist()
    [[0.167, 0.833]]
    """

    hidden = frozenset({"hypotheses", "positive", "n_classes", "words"})
    poor_score = True
    law_params: ClassVar[Any] = ({}, {"noise": 0.1, "max_literals": 1}, {"pos_label": "no", "max_literals": None})

    hypotheses: Annotated[
        Sequence[Sequence[Any]] | Functions | Sequence[Callable[[list[Any]], Any]] | None, array, Mapping, None
    ] = None
    max_literals: Annotated[int | None, integer(1), None] = 2
    prior: Annotated[ArrayLike | None, array, None] = None
    noise: Annotated[float, share()] = 0.0
    rates: Annotated[ArrayLike | None, array, None] = None
    pos_label: Annotated[float | str | bool | None, Real, str, boolean, None] = None

    @property
    def need(self) -> Need:
        return ROWS_AS_THEY_ARE if are_functions(self.hypotheses) else Need("categorical", target="class", binary=True)

    def statistic(self, schema: Schema) -> CoveredByHypotheses | DistinctRows:
        found = self._hypotheses(schema)
        positive_class(self.pos_label, schema)
        self._log_prior(len(found))
        self._rates(len(found))
        if are_functions(self.hypotheses):
            return DistinctRows(len(schema.classes))
        refuse_wildcard(schema)
        return CoveredByHypotheses(found, len(schema.classes), self._literals(schema))

    def _literals(self, schema: Schema) -> int:
        """Maximum number of literals of the generated conjunctions; 0 if hypotheses are given."""
        if self.hypotheses is not None:
            return 0
        width = len(schema.columns)
        return width if self.max_literals is None else min(self.max_literals, width)

    def _hypotheses(self, schema: Schema) -> Array:
        if are_functions(self.hypotheses):
            return np.full((len(by_name(self.hypotheses)), len(schema.columns)), UNKNOWN)
        if self.hypotheses is None:
            return conjunctions(schema, self._literals(schema))
        return coded_hypotheses(list(self.hypotheses), schema)

    def _log_prior(self, n: int) -> Array:
        given = np.ones(n) if self.prior is None else np.asarray(self.prior, dtype=np.float64)
        if given.shape != (n,) or not (np.isfinite(given) & (given >= 0)).all() or not given.sum() > 0:
            raise ValueError(f"prior must have a number from 0 on for each of the {n} hypotheses, not all of them 0")
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(given / given.sum()))

    def _rates(self, n: int) -> Array:
        if self.rates is None:
            return np.tile([1 - self.noise, self.noise], (n, 1)).astype(np.float64)
        if are_functions(self.hypotheses):
            raise ValueError("rates are for conjunctions. Remedy: functions that return the probability themselves")
        given = np.array(self.rates, dtype=np.float64)
        if given.shape != (n, 2) or not ((given >= 0) & (given <= 1)).all():
            raise ValueError(f"rates must have two probabilities for each of the {n} hypotheses")
        return given

    def solve(self, schema: Schema, s: HypothesisCoverage | SeenRows) -> BayesOptimalModel:
        # Bayes' rule; prior and noise enter here.
        hypotheses = self._hypotheses(schema)
        prior, rates = self._log_prior(len(hypotheses)), self._rates(len(hypotheses))
        positive, n_classes, _ = positive_class(self.pos_label, schema)
        yes = np.arange(n_classes) == positive
        if isinstance(s, SeenRows):
            words = listed_words(schema)
            chance = positive_probability(by_name(self.hypotheses), s.rows, words)
            likelihood, consistent = self._likelihood_by_functions(chance, s.weight, yes, prior)
        else:
            words = ""
            likelihood, consistent = self._likelihood_by_coverage(s, yes, prior, rates)
        posterior = prior + likelihood
        if not np.isfinite(posterior.max()):
            raise DataError("no hypothesis allows these rows. Remedy: rates between 0 and 1, or noise")
        posterior = posterior - posterior.max()
        posterior -= np.log(np.exp(posterior).sum())
        return BayesOptimalModel(
            hypotheses, prior, likelihood, posterior, rates, consistent, positive, n_classes, words
        )

    def _likelihood_by_functions(self, chance: Array, rows: Array, yes: Flags, prior: Array) -> tuple[Array, int]:
        """log P(D | h) of functions, and how many of them allow all rows.

        `chance` has the probability of the positive class of distinct rows, `rows` their weight by class.
        """
        positive, others = rows[:, yes].sum(axis=1), rows[:, ~yes].sum(axis=1)
        certain = bool(np.isin(chance, (0, 1)).all())
        consistent = int(
            (((positive[:, None] == 0) | (chance > 0)) & ((others[:, None] == 0) | (chance < 1))).all(0).sum()
        )
        if certain and self.noise == 0:
            errors = others @ chance + positive @ (1 - chance)
            least = errors[np.isfinite(prior)].min()
            return np.where(errors <= least + ERROR_TIE * rows.sum(), 0.0, -np.inf), consistent
        chance = self._noisy(chance)
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.where(positive[:, None] > 0, positive[:, None] * np.log(chance), 0.0)
            log += np.where(others[:, None] > 0, others[:, None] * np.log(1 - chance), 0.0)
        return np.asarray(log.sum(axis=0)), consistent

    def _noisy(self, chance: Array) -> Array:
        """Probability of the positive label where labels are flipped with probability `noise`."""
        return np.asarray(chance * (1 - self.noise) + (1 - chance) * self.noise)

    def _likelihood_by_coverage(
        self, s: HypothesisCoverage, yes: Flags, prior: Array, rates: Array
    ) -> tuple[Array, int]:
        """log P(D | h) of conjunctions, and how many of them agree with all rows."""
        weight, total = s.weight.sum(), s.weight[yes].sum()
        right, wrong = s.covered[yes].sum(axis=0), s.covered[~yes].sum(axis=0)
        errors = wrong + (total - right)
        if self.rates is None and self.noise == 0:
            least = errors[np.isfinite(prior)].min()
            likelihood = np.where(errors <= least + ERROR_TIE * weight, 0.0, -np.inf)
        else:
            outside = np.maximum(weight - total - wrong, 0.0)
            each = (
                (right, rates[:, 0]),
                (wrong, 1 - rates[:, 0]),
                (total - right, rates[:, 1]),
                (outside, 1 - rates[:, 1]),
            )
            likelihood = np.zeros(len(prior))
            for count, rate in each:
                with np.errstate(divide="ignore", invalid="ignore"):
                    likelihood += np.where(count > ERROR_TIE * weight, count * np.log(rate), 0.0)
        return likelihood, int((errors <= ERROR_TIE * weight).sum())

    def certify(self, model: BayesOptimalModel, s: HypothesisCoverage | SeenRows) -> tuple[Claim, ...]:
        """How many hypotheses agree with all rows, and how sure the most probable one is."""
        why = "the posterior itself, by Bayes' rule over all hypotheses: no vote of them errs less on average"
        left = f"hypotheses of {len(model.log_prior)} that every row agrees with: the version space"
        sure = "probability of the most probable hypothesis: the rest of the vote is with others"
        return (
            Claim("gap", 0.0, "proved", why, "objective", "the prior holds, and one of the hypotheses"),
            Claim("consistent", float(model.n_consistent), "proved", left, "data"),
            Claim("most probable", float(np.exp(model.log_posterior.max())), "proved", sure, "data"),
        )

    def scores_from(self, model: BayesOptimalModel, X: Columns) -> Array:
        """The probability of each class: the mean over hypotheses, by their posterior."""
        out = np.ones((len(X), model.n_classes))
        if model.n_classes == 1:
            return out
        some = np.isfinite(model.log_posterior)
        share, rates = np.exp(model.log_posterior[some]), model.rates[some]
        for rows, block in X.blocks():
            alike, which = np.unique(block, axis=0, return_inverse=True)
            p = self._chance(model, alike, some, rates) @ share
            p = np.clip(p / share.sum(), 0.0, 1.0)[which.ravel()]
            out[rows, model.positive], out[rows, 1 - model.positive] = p, 1 - p
        return out

    def _chance(self, model: BayesOptimalModel, rows: Array, some: Flags, rates: Array) -> Array:
        """The probability of the positive class by each of some hypotheses: rows x hypotheses."""
        if are_functions(self.hypotheses):
            kept = {name: one for (name, one), is_kept in zip(by_name(self.hypotheses).items(), some) if is_kept}
            return self._noisy(positive_probability(kept, rows, model.words))
        return np.where(covers_each(model.hypotheses[some], rows), rates[:, 0], rates[:, 1])

    def is_valid(self, model: BayesOptimalModel, summary: HypothesisCoverage | SeenRows | None, schema: Schema) -> bool:
        if are_functions(self.hypotheses) or isinstance(summary, SeenRows) or model.words:
            return False  # no file holds functions
        return (
            stand_for_something(model.hypotheses, schema)
            and np.array_equal(model.hypotheses, self._hypotheses(schema))
            and (model.positive, model.n_classes) == positive_class(self.pos_label, schema)[:2]
            and (summary is None or summary.covered.shape[1] == len(model.log_prior))
            and (summary is None or summary.literals == self._literals(schema))
        )

    @property
    @fitted
    def hypotheses_(self) -> list[Any]:
        """The hypotheses in the words of the data, or the names of functions."""
        if are_functions(self.hypotheses):
            return [*by_name(self.hypotheses)]
        return [in_words(values, self.schema_) for values in self.model_.hypotheses]

    @property
    @fitted
    def posterior_(self) -> Array:
        """P(h | D), the probability of each hypothesis after the rows."""
        return np.asarray(np.exp(self.model_.log_posterior))

    @property
    @fitted
    def map_hypothesis_(self) -> Any:
        """The hypothesis that is most probable given the rows."""
        return self.hypotheses_[int(self.model_.log_posterior.argmax())]

    @property
    @fitted
    def ml_hypothesis_(self) -> Any:
        """The hypothesis under which the rows are most likely."""
        return self.hypotheses_[int(self.model_.log_likelihood.argmax())]


def conjunctions(schema: Schema, literals: int) -> Array:
    """All conjunctions of at most `literals` values, most general first; the last one covers no row."""
    levels, width = schema.n_values, len(schema.columns)
    some = [j for j in range(width) if levels[j]]
    of_length = [1] + [0] * literals  # how many have so many values
    for j in some:
        of_length = [1, *(n + levels[j] * before for before, n in pairwise(of_length))]
    count = 1 + sum(of_length)
    if count > MAX_HYPOTHESES:
        raise DataError(
            f"{count:,} conjunctions of at most {literals} values are more than {MAX_HYPOTHESES:,}. Remedy: a smaller "
            "max_literals=, fewer columns or categories, or hypotheses="
        )
    out = np.full((count, width), ANY)
    at = 0
    for columns in chain.from_iterable(combinations(some, k) for k in range(literals + 1)):
        for codes in product(*(range(levels[j]) for j in columns)):
            out[at, list(columns)] = codes
            at += 1
    out[at] = NOTHING
    return out


def _worded(hypotheses: Array, schema: Schema) -> list[list[Any]]:
    """Hypotheses in category names, so that they can be recoded under another schema."""
    return [in_words(values, schema) for values in hypotheses]


def coded_hypotheses(given: list[Any], schema: Schema) -> Array:
    """Hypotheses as codes; a value that no row has covers none."""
    width = len(schema.columns)
    for h in given:
        if isinstance(h, str) or not isinstance(h, (Sequence, np.ndarray)):
            raise ValueError(
                f"hypotheses must be lists of {width} values each, one for each column, not {h!r}. Remedy: a value, "
                '"?" for any, or None for no value, for each column'
            )
    if not given or any(len(h) != width for h in given):
        raise ValueError(f"hypotheses must be lists of {width} values each, one for each column, and at least one")
    if len(given) > MAX_HYPOTHESES:
        raise ValueError(f"{len(given):,} hypotheses are more than {MAX_HYPOTHESES:,}")
    places = [{value: k for k, value in enumerate(column.categories.tolist())} for column in schema.columns]
    out = np.empty((len(given), width))
    for i, hypothesis in enumerate(given):
        for j, value in enumerate(hypothesis):
            out[i, j] = ANY if value == "?" else NOTHING if value is None else places[j].get(value, UNKNOWN)
    return out
