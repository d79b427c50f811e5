"""The vote of several classifiers: the class with the most votes, or with the highest mean probability."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np

from tenfold.core import Array, Claim, Columns
from tenfold.core.arrays import MatrixLike
from tenfold.discriminant_analysis.linear_discriminant_analysis import LinearDiscriminantAnalysis
from tenfold.ensemble.voting.voting import Voting
from tenfold.estimator import check_is_fitted, fitted
from tenfold.estimator.ensembles.ensemble import EnsembleModel
from tenfold.estimator.ensembles.members import votes
from tenfold.estimator.shell.constraints import boolean, choice
from tenfold.estimator.shell.kinds import sources_first, winners
from tenfold.estimator.shell.parameters import Behind
from tenfold.estimator.shell.probability_scored import ProbabilityScored
from tenfold.naive_bayes.gaussian_nb import GaussianNB
from tenfold.stats.member_summaries import Joint

HARD_VOTE_BOUND = (
    "where the vote is wrong, members with at least half of the weight are: on any rows its error is at most the "
    "weighted mean of theirs, times this"
)
SOFT_VOTE_BOUND = (
    "where the vote is wrong, the members' mean probability of other classes is at least half: on any rows its error "
    "is at most the mean of that probability, times this"
)


@sources_first
class VotingClassifier(Voting, ProbabilityScored):
    """The vote of several classifiers, fitted over shared scans.

    If each member learns in one pass, so does the team: models merge, and `partial_fit` is there.

    Parameters
    ----------
    estimators : list of (str, learner), optional
        Classifiers of tenfold with their names; "drop" in the place of one leaves it out. By default GaussianNB and
        LinearDiscriminantAnalysis.
    voting : {"hard", "soft"}, default="hard"
        "hard": each member votes for a class; of classes with equal votes the first wins. "soft": the probabilities
        are averaged.
    weights : array of shape (members,), optional
        Of each member; all the same by default.
    flatten_transform : bool, default=True
        Whether `transform` puts the probabilities of all members side by side: a table, not a box.
    n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    estimators_ : list
        The members, fitted.
    named_estimators_ : Bunch
        The same by name.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import GaussianNB, LogisticRegression, VotingClassifier
    >>> model = VotingClassifier([("bayes", GaussianNB()), ("line", LogisticRegression())], voting="soft")
    >>> model = model.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> model.predict([[2.0], [4.5]]).tolist()
    ['a', 'b']
    """

    predicts = "class"
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"voting": "soft"},
    )

    _: KW_ONLY
    voting: Annotated[str, choice("hard", "soft"), Behind("estimators")] = "hard"
    flatten_transform: Annotated[bool, boolean, Behind("n_jobs")] = True

    @property
    def has_probabilities(self) -> bool:
        # Whether probabilities are averaged: soft voting alone has any.
        return self.voting == "soft"

    def default_estimators(self) -> list[tuple[str, Any]]:
        return [("bayes", GaussianNB()), ("discriminant", LinearDiscriminantAnalysis())]

    def named(self) -> list[tuple[str, Any]]:
        # Names and members, which must have probabilities if those are averaged.
        some = super().named()
        for name, member in some if self.voting == "soft" else ():
            if not member.has_probabilities:
                raise TypeError(f"member {name!r} is {member!r}, which has no probabilities. Remedy: voting='hard'")
        return some

    def certify(self, model: EnsembleModel, s: Joint) -> tuple[Claim, ...] | None:
        """Claims of the members, and a bound on the error of the vote by theirs."""
        return self.claims(model, s, 2.0, SOFT_VOTE_BOUND if self.voting == "soft" else HARD_VOTE_BOUND)

    def scores_from(self, model: EnsembleModel, X: Columns) -> Array:
        """The share of the votes that each class has, or its mean probability."""

        def predicted(member: Any, at: Any) -> Any:
            scores = member.scores_from(at, X)[:, : model.n_classes]
            return member.probability_from(scores) if self.voting == "soft" else votes(scores)

        found: Array = self.together(model, predicted)
        return found

    def outputs_from(self, model: EnsembleModel, X: Columns) -> Array:
        def predicted(member: Any, at: Any) -> Any:
            scores = member.scores_from(at, X)[:, : model.n_classes]
            return member.probability_from(scores) if self.voting == "soft" else winners(scores)

        return self.outputs(model, predicted)

    def output_names(self, names: list[str]) -> list[str]:
        if self.voting == "soft" and not self.flatten_transform:
            raise ValueError("a box of probabilities has no names of columns. Remedy: flatten_transform=True")
        team = [f"{type(self).__name__.lower()}_{name}" for name, _ in self.named()]
        width = len(self.classes_)
        return [f"{name}{i}" for name in team for i in range(width)] if self.voting == "soft" else team

    @fitted
    def transform(self, X: MatrixLike) -> Any:
        """Prediction of each member for each row: the code of a class, or the probabilities of all classes.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        predictions : array of shape (rows, members), or (rows, members x classes) with probabilities
            Of shape (members, rows, classes), if these are not flattened: of rows in memory only.
        """
        if self.voting == "hard" or self.flatten_transform:
            return super().transform(X)
        check_is_fitted(self)
        found = self._apply(type(self).outputs_from, X, list)
        if not isinstance(found, np.ndarray):
            raise TypeError("probabilities that are not flattened are of arrays. Remedy: flatten_transform=True")
        return found.reshape(len(found), len(self.named()), -1).swapaxes(0, 1)
