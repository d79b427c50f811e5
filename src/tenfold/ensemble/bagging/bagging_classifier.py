"""Bagging: classifiers of rows drawn again for each, whose probabilities, or votes, are averaged."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable
from tenfold.ensemble.bagging.bagging import Bagging
from tenfold.estimator import fitted
from tenfold.estimator.ensembles.ensemble import EnsembleModel
from tenfold.estimator.shell.decision_function import DecidingByOthers
from tenfold.estimator.shell.kinds import winners
from tenfold.estimator.shell.probability_scored import ProbabilityScored
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier


class BaggingErrors(Mergeable):
    """Weights of the rows that their out-of-bag members misclassify, classify, or have all drawn."""

    wrong: float
    predicted: float
    """of rows that at least one member has not drawn"""
    drawn: float
    """that every member has drawn"""


class BaggingClassifier(Bagging, DecidingByOthers, ProbabilityScored):
    """Bagged classifiers, fitted over shared scans to the same draws on any runner.

    Each member draws every row a Poisson number of times of mean one, from a hash of its place and the member. Their
    probabilities are averaged, or their votes, if they have none. If the member learns in one pass and no score is
    asked for, bags merge.

    Parameters
    ----------
    estimator : learner, optional
        A classifier of tenfold; DecisionTreeClassifier by default.
    n_estimators : int, default=10
        How many members are fitted, each to rows of its own draw.
    oob_score : bool, default=False
        Whether to read the rows once more, and score each by the members that have not drawn it.
    random_state : int, default=0
        Seed of the draws, and of the members' own seeds. None draws one, and the certificate records it.
    max_samples, max_features, bootstrap, bootstrap_features, warm_start : optional
        As in scikit-learn; other values raise an error that names an alternative.
    n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    n_classes_ : int
    estimators_ : list
        The members, fitted, without those that have drawn no row; also `len(model)`, `model[i]` and `for m in model`.
    oob_score_ : float
        With `oob_score`: out-of-bag accuracy: share of the rows that members which have not drawn them classify
        correctly; NaN without such rows.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import BaggingClassifier, GaussianNB
    >>> X = [[float(i)] for i in range(20)]
    >>> model = BaggingClassifier(GaussianNB(), oob_score=True).fit(X, ["low"] * 10 + ["high"] * 10)
    >>> model.predict([[1.5], [17.5]]).tolist(), model.oob_score_ > 0.8
    (['low', 'high'], True)
    """

    predicts = "class"
    out_of_bag_type = BaggingErrors
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_estimators": 3},
        {"n_estimators": 3, "oob_score": True},
    )

    def default_estimator(self) -> Any:
        # The member if none is given: a decision tree.
        return DecisionTreeClassifier()

    def summarize_out_of_bag(self, chunk: Chunk, sums: Array, count: Codes) -> BaggingErrors:
        predicted = count > 0
        wrong = predicted & (winners(sums) != chunk.y)
        return BaggingErrors(*(float(chunk.weight[some].sum()) for some in (wrong, predicted, ~predicted)))

    def out_of_bag_claims(self, s: BaggingErrors) -> tuple[Claim, ...]:
        why = "share of the weight of the rows that every member was fitted to: no prediction is out of bag"
        claims = [Claim("rows never out of bag", s.drawn / (s.drawn + s.predicted), "proved", why, "data")]
        if s.predicted:
            why = "each row predicted by the members not fitted to it, about a third: rather too high than too low"
            claims.append(Claim("out-of-bag error", s.wrong / s.predicted, "estimated", why, "unseen rows"))
        return tuple(claims)

    @property
    @fitted
    def oob_score_(self) -> float:
        """Out-of-bag accuracy: share of the rows that members which have not drawn them classify correctly."""
        s = self.__dict__.get("summary_")
        if not isinstance(s, BaggingErrors):
            raise AttributeError("oob_score_")
        return 1 - s.wrong / s.predicted if s.predicted else float("nan")

    def scores_from(self, model: EnsembleModel, X: Columns) -> Array:
        """The mean of the members' probabilities, or votes."""
        return self.means(model, X)

    def decision_from(self, model: EnsembleModel, X: Columns) -> Array:
        """The mean decision function of the members; those that have drawn no row are left out."""
        said = [member.decision_from(one, X) for member, one in self.members_of(model)]
        return np.asarray(sum(said) / len(said))

    def decider(self) -> Any:
        """The learner that all members are copies of."""
        return self.one()
