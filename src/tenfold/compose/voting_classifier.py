"""The vote of several classifiers: the class with the most votes, or with the highest mean probability."""

from __future__ import annotations

from typing import Any, ClassVar

from tenfold.bayes.gaussian_nb import GaussianNB
from tenfold.compose.voting import Voting
from tenfold.core import Array, Claim, Columns
from tenfold.estimator.averaged import Averaged
from tenfold.estimator.constraints import array, choice
from tenfold.estimator.members import votes
from tenfold.estimator.team import TeamModel
from tenfold.linear.linear_discriminant_analysis import LinearDiscriminantAnalysis
from tenfold.stats.joint import Joint

HALF = (
    "where the vote is wrong, members with at least half of the weight are: on any rows its error is at most the "
    "weighted mean of theirs, times this"
)
SOFT = (
    "where the vote is wrong, the members' mean probability of other classes is at least half: on any rows its error "
    "is at most the mean of that probability, times this"
)


class VotingClassifier(Voting, Averaged):
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
    n_jobs, flatten_transform, verbose : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

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
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimators": [list, tuple, None],
        "voting": [choice("hard", "soft")],
        "weights": [array, None],
    }

    def __init__(
        self,
        estimators: Any = None,
        *,
        voting: str = "hard",
        weights: Any = None,
        n_jobs: int | None = None,
        flatten_transform: bool = True,
        verbose: int = False,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.n_jobs = n_jobs
        self.flatten_transform = flatten_transform
        self.verbose = verbose

    @property
    def has_probabilities(self) -> bool:
        """Whether probabilities are averaged."""
        return self.voting == "soft"

    def usual(self) -> list[tuple[str, Any]]:
        """Two that one scan is enough for."""
        return [("bayes", GaussianNB()), ("discriminant", LinearDiscriminantAnalysis())]

    def named(self) -> list[tuple[str, Any]]:
        """Names and members, which must have probabilities if those are averaged."""
        some = super().named()
        for name, member in some if self.voting == "soft" else ():
            if not member.has_probabilities:
                raise TypeError(f"member {name!r} is {member!r}, which has no probabilities. Remedy: voting='hard'")
        return some

    def certify(self, model: TeamModel, s: Joint) -> tuple[Claim, ...] | None:
        """What the members claim, and how much worse than they a vote can be."""
        return self.claims(model, s, 2.0, SOFT if self.voting == "soft" else HALF)

    def scores_from(self, model: TeamModel, X: Columns) -> Array:
        """The share of the votes that each class has, or its mean probability."""

        def said(member: Any, at: Any) -> Any:
            scores = member.scores_from(at, X)[:, : model.n_classes]
            return member.probability_from(scores) if self.voting == "soft" else votes(scores)

        found: Array = self.together(model, said)
        return found
