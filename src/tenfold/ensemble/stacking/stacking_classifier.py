"""Stacking: a classifier fitted to the out-of-fold predictions of other classifiers."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from tenfold.core import Array, Columns
from tenfold.discriminant_analysis.linear_discriminant_analysis import LinearDiscriminantAnalysis
from tenfold.ensemble.stacking.stacking import Stacking, StackModel
from tenfold.estimator.shell.constraints import choice
from tenfold.estimator.shell.decision_function import DecidingByOthers
from tenfold.estimator.shell.parameters import Behind
from tenfold.estimator.shell.probability_scored import ProbabilityScored
from tenfold.linear_model.glm.logistic_regression import LogisticRegression
from tenfold.naive_bayes.gaussian_nb import GaussianNB


class StackingClassifier(Stacking, DecidingByOthers, ProbabilityScored):
    """Classifiers whose out-of-fold probabilities are the columns of a last one, over shared scans.

    Parameters
    ----------
    estimators : list of (str, learner), optional
        Classifiers of tenfold with their names; "drop" in the place of one leaves it out. By default GaussianNB and
        LinearDiscriminantAnalysis.
    final_estimator : learner, optional
        A classifier of tenfold; LogisticRegression by default.
    cv : int, None, array, or list of (train, test), default=5
        How many folds, None for 5: rows go to them at random, one of any `cv` rows in a row to each. Or the fold of
        each row, for rows in memory.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What members are asked for; "auto" takes the first of the others that a member has. Of two classes the
        probability of the second class is used, or its decision value; "predict" uses the code of the class.
    passthrough : bool, default=False
        Whether the last learner sees the columns too.
    random_state : int, default=0
        Seed of the folds. None draws one, and the certificate records it.
    n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    estimators_ : list
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The same by name.
    final_estimator_ : learner
        The last one, fitted.
    stack_method_ : list of str
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import GaussianNB, LinearDiscriminantAnalysis, StackingClassifier
    >>> X = [[i % 10 - 4.5, i // 10] for i in range(100)]
    >>> model = StackingClassifier([("bayes", GaussianNB()), ("line", LinearDiscriminantAnalysis())])
    >>> model.fit(X, [abs(x) < 3 for x, _ in X]).score(X, [abs(x) < 3 for x, _ in X])
    1.0
    """

    predicts = "class"
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"cv": 2},
        {"cv": 2, "passthrough": True},
    )

    _: KW_ONLY
    stack_method: Annotated[str, choice("auto", "predict_proba", "decision_function", "predict"), Behind("cv")] = "auto"

    @property
    def has_probabilities(self) -> bool:
        return bool(self.final().has_probabilities)

    def default_estimators(self) -> list[tuple[str, Any]]:
        return [("bayes", GaussianNB()), ("discriminant", LinearDiscriminantAnalysis())]

    def default_final_estimator(self) -> Any:
        # The final learner if none is given: a logistic regression.
        return LogisticRegression()

    def scores_from(self, model: StackModel, X: Columns) -> Array:
        """Scores of the final estimator."""
        found = self.final().scores_from(model.last.each[0], self.seen_by_last(model, X))
        return found[:, : model.n_classes]

    def decision_from(self, model: StackModel, X: Columns) -> Array:
        """Decision function of the final estimator."""
        found: Array = self.final().decision_from(model.last.each[0], self.seen_by_last(model, X))
        return found

    def decider(self) -> Any:
        """The last learner, whose decision function is that of the stack."""
        return self.final()

    def probability_from(self, scores: Any) -> Any:
        return self.final().probability_from(scores)

    def log_probability_from(self, scores: Any) -> Any:
        return self.final().log_probability_from(scores)
