"""AdaBoost: rules of thumb, each made where those before it were wrong, vote.

Round t learns h_t from weighted rows, gives it α_t = log((1 - ε_t) / ε_t) + log(K - 1) votes (SAMME; K classes; ε_t
its weighted error) and multiplies by exp(α_t) the weight of the rows it is wrong about. What a round needs of the rows
merges: for stumps the weights by column, bin and class (`ada_boost_stumps`), for any other learner its own summaries
(`ada_boost_members`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Protocol, TypeAlias, cast

import numpy as np

from tenfold.core import MANY, SEQUENTIAL, Array, Certificate, Claim, Columns, Need, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.contract import RecordTypes, record_types
from tenfold.core.learner import Done
from tenfold.ensemble.ada_boost import ada_boost_votes as av
from tenfold.ensemble.ada_boost.ada_boost_members import (
    BoostedRows,
    FittingMember,
    MemberErrorSums,
    MemberRounds,
    Members,
    ScoringLastMember,
    ScoringMember,
)
from tenfold.ensemble.ada_boost.ada_boost_members import State as MemberState
from tenfold.ensemble.ada_boost.ada_boost_stumps import State as StumpState
from tenfold.ensemble.ada_boost.ada_boost_stumps import (
    StumpRounds,
    Stumps,
    StumpWeights,
    Summary,
)
from tenfold.estimator import Classifier, check_is_fitted, fitted
from tenfold.estimator.ensembles.member_sequence import MemberSequence
from tenfold.estimator.ensembles.members import seed_of, with_members
from tenfold.estimator.shell.constraints import integer, real, seed
from tenfold.estimator.shell.kinds import winners
from tenfold.stats.trees.binned import MAX_BYTE_BINS
from tenfold.stats.trees.rare_rows import Neighbors
from tenfold.stats.trees.tree_bins import SampleAndRanges

Model: TypeAlias = Stumps | Members
State: TypeAlias = StumpState | MemberState | Done[Members]


class BoostingRounds(Protocol):
    """Rounds of stumps or of members: states, summaries and models are those of one of the two."""

    def start(self, schema: Schema) -> State: ...
    def ask(self, state: State) -> SampleAndRanges | Neighbors | StumpWeights | BoostedRows | None: ...
    def update(self, state: State, s: object) -> State: ...
    def model(self, state: State) -> Model | None: ...
    def certify(self, model: Model, s: object) -> tuple[Claim, ...] | None: ...
    def votes(self, model: Model, X: Columns, rounds: Iterable[int]) -> Iterator[Array]: ...
    def learner(self, number: int) -> Classifier: ...
    def models(self, model: Model) -> Iterator[object]: ...
    def is_valid(self, model: Model, schema: Schema) -> bool: ...
    def resumable(self, state: State, summary: object, schema: Schema) -> bool: ...


class AdaBoostClassifier(MemberSequence, Classifier):
    """AdaBoost (SAMME) of decision stumps on binned columns, or of any learner, exact in each pass.

    Without an estimator each stump has the least weighted error of all that split between bins; columns with at most
    `max_bins` distinct values lose nothing by binning. Stumps for missing values and categories are
    `AdaBoostClassifier(DecisionStump())`.

    Parameters
    ----------
    estimator : classifier of tenfold, optional
        What is boosted, with the weights of the rows; stumps by default, which is many times as fast. Not a learner
        that goes one row after another.
    n_estimators : int, default=50
        Maximum number of rounds; fewer if one makes no error, or is no better than chance.
    learning_rate : float, default=1.0
        The votes of every round are multiplied by it.
    max_bins : int, default=256
        Of the stumps.
    random_state : int, default=0
        Seed of the sample that the edges of the bins come from. An estimator with a `random_state` gets another one in
        each round. None draws one, and the certificate records it.

    Attributes
    ----------
    classes_ : array
    n_classes_ : int
    estimator_weights_, estimator_errors_ : array of shape (rounds,)
        The votes of each round, and its weighted error when it was made.
    feature_, threshold_ : array of shape (rounds,)
        Of stumps: the column, and the value up to which rows are on the left.
    left_, right_ : array of shape (rounds,)
        Of stumps: the code of the class predicted on either side.
    estimators_ : list of classifiers
        The members; they predict, but keep no summaries. Stumps predict a class, without class weights.
    feature_importances_ : array of shape (columns,)
        Mean of the members', by their votes; of stumps the share of the votes that each column has.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import AdaBoostClassifier, GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"]
    >>> AdaBoostClassifier(n_estimators=3).fit(X, y).predict([[0.2], [1.4]]).tolist()
    ['a', 'b']
    >>> len(AdaBoostClassifier(GaussianNB()).fit(X, y).estimators_)
    1
    """

    passes = MANY
    has_decision_function = True
    hidden = frozenset({"bin_edges", "bin_share", "cut", "members", "n_classes"})
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_estimators": 6},
        {"n_estimators": 4, "learning_rate": 0.5, "max_bins": 4},
    )

    estimator: Annotated[Any, Classifier, None] = None
    _: KW_ONLY
    n_estimators: Annotated[int, integer(1)] = 50
    learning_rate: Annotated[float, real(0, open=True)] = 1.0
    max_bins: Annotated[int, integer(2)] = MAX_BYTE_BINS
    random_state: Annotated[int | None, seed] = 0

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return self.estimator is not None and self.estimator.draws_rows

    @property
    def need(self) -> Need:
        # Numbers for stumps; else what the estimator takes.
        return (
            self.estimator.need
            if isinstance(self.estimator, Classifier)
            else Need("numeric", sparse=True, target="class")
        )

    @property
    def record_types(self) -> RecordTypes:
        # Of stumps, or of members of another learner, whose own summaries are asked for.
        if self.estimator is None:
            return record_types(StumpRounds)
        asked = (*self.estimator.record_types.summaries, MemberErrorSums)
        return with_members(
            RecordTypes(Members, (FittingMember, ScoringMember, ScoringLastMember), asked), [self.estimator]
        )

    @property
    def _rounds(self) -> BoostingRounds:
        """The rounds of boosting, of stumps or of members, by the parameters."""
        rounds: StumpRounds | MemberRounds
        if self.estimator is None:
            rounds = StumpRounds(self.n_estimators, self.learning_rate, self.max_bins, self.random_state)
        else:
            rounds = MemberRounds(self.estimator, self.n_estimators, self.learning_rate, seed_of(self))
        return cast(BoostingRounds, rounds)

    @property
    def most_rounds(self) -> int:
        return self.n_estimators

    def start(self, schema: Schema) -> State:
        """The state before the first round."""
        return self._rounds.start(schema)

    def ask(self, state: State) -> SampleAndRanges | Neighbors | StumpWeights | BoostedRows | None:
        """What the next round needs."""
        return self._rounds.ask(state)

    def update(self, state: State, s: Summary | MemberErrorSums) -> State:
        """The next round, unless the last one was the last."""
        return self._rounds.update(state, s)

    def model(self, state: State) -> Model | None:
        return self._rounds.model(state)

    def certify(self, model: Model, s: Summary | MemberErrorSums) -> tuple[Claim, ...] | None:
        """Claims about the training error that follow from the rounds, and a check of the weights."""
        return self._rounds.certify(model, s)

    def votes_from(self, model: Model, X: Columns, rounds: list[int]) -> list[Array]:
        """Share of the votes of each class after each of these numbers of rounds, in increasing order."""
        upto = np.cumsum(model.estimator_weights)
        return [votes / upto[t - 1] for votes, t in zip(self._rounds.votes(model, X, rounds), rounds, strict=True)]

    def scores_from(self, model: Model, X: Columns) -> Array:
        """Votes for the class, minus the mean of the votes for others, as a share of all."""
        (votes,) = self._rounds.votes(model, X, [len(model.estimator_weights)])
        return av.scores_of(votes, float(model.estimator_weights.sum()))

    def probability_from(self, scores: Any) -> Any:
        # As scikit-learn has it: scores as if they were (K - 1) log-odds.
        return super().probability_from(scores / max(scores.shape[1] - 1, 1))

    def log_probability_from(self, scores: Any) -> Any:
        return super().log_probability_from(scores / max(scores.shape[1] - 1, 1))

    def decision_from(self, model: Model, X: Columns) -> Array:
        """The scores, of two classes that of the second less that of the first."""
        return _decided(self.scores_from(model, X))

    @fitted
    def decision_function(self, X: MatrixLike) -> Any:
        """The votes for each class, less the mean of the votes for others, as a share of all.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        scores : array of shape (rows,) for two classes: of the second, less that of the first; else (rows, classes)
        """
        check_is_fitted(self)
        two = len(self.classes_) == 2
        return self._apply(
            type(self).decision_from, X, lambda: ["decision"] if two else [f"decision_{c}" for c in self.classes_]
        )

    @fitted
    def staged_predict(self, X: MatrixLike) -> Iterator[Any]:
        """The classes after each round.

        Parameters
        ----------
        X : array or frame

        Yields
        ------
        y : array of shape (rows,)
        """
        return (self.classes_[winners(scores)] for scores in self._staged(X))

    @fitted
    def staged_predict_proba(self, X: MatrixLike) -> Iterator[Array]:
        """The probabilities after each round.

        Parameters
        ----------
        X : array or frame

        Yields
        ------
        p : array of shape (rows, classes)
        """
        return (self.probability_from(scores) for scores in self._staged(X))

    @fitted
    def staged_decision_function(self, X: MatrixLike) -> Iterator[Array]:
        """The decision values after each round.

        Parameters
        ----------
        X : array or frame

        Yields
        ------
        scores : array of shape (rows,) or (rows, classes)
        """
        return (_decided(scores) for scores in self._staged(X))

    @fitted
    def staged_score(self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike = None) -> Iterator[float]:
        """Share of rows whose class is predicted right, after each round.

        Parameters
        ----------
        X : array or frame
        y : array
        sample_weight : array, optional

        Yields
        ------
        score : float
        """
        return (float(np.average(said == np.asarray(y), weights=sample_weight)) for said in self.staged_predict(X))

    def _staged(self, X: Any) -> Any:
        """The scores of the classes after each round."""
        found = self._apply(_scores_by_round, X, list)
        if not isinstance(found, np.ndarray):
            raise TypeError("staged predictions take arrays and frames. Remedy: fit with fewer rounds")
        return np.moveaxis(found, 1, 0)

    @property
    @fitted
    def estimators_(self) -> list[Any]:
        """The members, each as a fitted classifier."""
        if "model_" not in self.__dict__:
            raise AttributeError("estimators_: there are members once the model is fitted")
        found, rounds = [], self._rounds
        for number, model in enumerate(rounds.models(self.model_)):
            member = rounds.learner(number)
            names = ("n_features_in_", "feature_names_in_")
            member.__dict__.update({name: self.__dict__[name] for name in names if name in self.__dict__})
            member._set(self.schema_, model, None, Certificate((), self.certificate_.provenance))
            member.computed = self.computed
            found.append(member)
        return found

    @property
    @fitted
    def feature_importances_(self) -> Array:
        """The importances of the columns for the members, weighted by their votes."""
        check_is_fitted(self)
        members = self.estimators_
        if not hasattr(members[0], "feature_importances_"):
            raise AttributeError("feature_importances_")  # members have none
        votes: Array = self.model_.estimator_weights
        each = np.array([member.feature_importances_ for member in members])
        return np.asarray(votes @ each / votes.sum())

    def is_valid(self, model: Model, summary: object, schema: Schema) -> bool:
        return len(model.estimator_errors) > 0 and self._rounds.is_valid(model, schema)

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        return self._rounds.resumable(state, summary, schema)

    def _validate_params(self) -> None:
        if hasattr(self.estimator, "fit") and not isinstance(self.estimator, Classifier):
            raise TypeError(
                f"estimator is {self.estimator!r}, but it must be a classifier of tenfold: its summaries of weighted "
                "rows merge. Remedy: a learner such as DecisionTreeClassifier(max_depth=2), or none"
            )
        super()._validate_params()
        if self.estimator is not None:
            if self.estimator.passes == SEQUENTIAL:
                raise ValueError(
                    f"{type(self.estimator).__name__} goes one row after another, so it cannot be boosted here. "
                    "Remedy: a learner whose summaries merge, such as LogisticRegression()"
                )
            self.estimator._validate_params()


def _decided(scores: Array) -> Array:
    """Decision values: of two classes the difference of the scores, otherwise the scores."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def _scores_by_round(learner: AdaBoostClassifier, model: Model, X: Columns) -> Array:
    """Rows x rounds x classes: the scores after each round."""
    upto = np.cumsum(model.estimator_weights).tolist()
    every = learner._rounds.votes(model, X, range(1, len(upto) + 1))
    return np.stack([av.scores_of(votes, total) for votes, total in zip(every, upto, strict=True)], axis=1)
