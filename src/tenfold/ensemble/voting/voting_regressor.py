"""The mean of several regressors: Σ wₘ hₘ(x) / Σ wₘ."""

from __future__ import annotations

from typing import Any

from tenfold.core import Array, Claim, Columns
from tenfold.ensemble.voting.voting import Voting
from tenfold.estimator import Regressor
from tenfold.estimator.ensembles.ensemble import EnsembleModel
from tenfold.linear_model.least_squares.linear_regression import LinearRegression
from tenfold.stats.member_summaries import Joint
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor

MEAN_ERROR_BOUND = (
    "the squared error of a mean is the mean of the members' squared errors minus their spread around it, "
    "on any rows: at most that mean, by this factor"
)


class VotingRegressor(Voting, Regressor):
    """The weighted mean of what several regressors predict, fitted over shared scans.

    If each member learns in one pass, so does the team: models merge, and `partial_fit` is there.

    Parameters
    ----------
    estimators : list of (str, learner), optional
        Regressors of tenfold with their names; "drop" in the place of one leaves it out. By default a
        LinearRegression and a DecisionTreeRegressor.
    weights : array of shape (members,), optional
        Of each member; all the same by default.
    n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    estimators_ : list
        The members, fitted.
    named_estimators_ : Bunch
        The same by name.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import LinearRegression, Ridge, VotingRegressor
    >>> model = VotingRegressor([("line", LinearRegression()), ("short", Ridge(2.0))])
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(6)
    array([6.])
    """

    predicts = "number"

    def default_estimators(self) -> list[tuple[str, Any]]:
        return [("line", LinearRegression()), ("tree", DecisionTreeRegressor())]

    def certify(self, model: EnsembleModel, s: Joint) -> tuple[Claim, ...] | None:
        """Claims of the members, and the bound of the error of their mean by their mean error."""
        return self.claims(model, s, 1.0, MEAN_ERROR_BOUND)

    def predict_from(self, model: EnsembleModel, X: Columns) -> Array:
        """The weighted mean of the members' predictions."""
        found: Array = self.together(model, lambda member, at: member.predict_from(at, X))
        return found

    def outputs_from(self, model: EnsembleModel, X: Columns) -> Array:
        return self.outputs(model, lambda member, at: member.predict_from(at, X))

    def output_names(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}_{name}" for name, _ in self.named()]
