"""Stacking: a regressor that learns from what others predict of unseen rows."""

from __future__ import annotations

from typing import Any, ClassVar

from tenfold.core import Array, Columns
from tenfold.ensemble.stacking.stacking import Stacking, StackModel
from tenfold.estimator import Regressor
from tenfold.linear_model.least_squares.linear_regression import LinearRegression
from tenfold.linear_model.least_squares.ridge import Ridge
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor


class StackingRegressor(Stacking, Regressor):
    """Regressors whose out-of-fold predictions are the columns of a last one, over shared scans.

    Parameters
    ----------
    estimators : list of (str, learner), optional
        Regressors of tenfold with their names; "drop" in the place of one leaves it out. By default a
        LinearRegression and a DecisionTreeRegressor.
    final_estimator : learner, optional
        A regressor of tenfold; Ridge by default. One that draws rows by what they hold, such as LassoCV,
        draws by predictions here, which are known to rounding only.
    cv : int, None, array, or list of (train, test), default=5
        How many folds, None for 5: rows go to them at random, one of any `cv` rows in a row to each. Or the fold of
        each row, for rows in memory.
    passthrough : bool, default=False
        Whether the last learner sees the columns too.
    random_state : int, default=0
        Seed of the folds. None draws one, and the certificate records it.
    n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
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
    >>> from tenfold import LinearRegression, PolynomialRegression, StackingRegressor
    >>> X = [[i / 10] for i in range(50)]
    >>> model = StackingRegressor([("line", LinearRegression()), ("curve", PolynomialRegression(2))])
    >>> model.fit(X, [x * x for (x,) in X]).predict([[2.0]]).round(1)
    array([4.])
    """

    predicts = "number"
    stack_method = "predict"
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"cv": 2},
        {"cv": 2, "passthrough": True},
    )

    def default_estimators(self) -> list[tuple[str, Any]]:
        return [("line", LinearRegression()), ("tree", DecisionTreeRegressor())]

    def default_final_estimator(self) -> Any:
        # Least squares with a little penalty: members say nearly the same.
        return Ridge()

    def predict_from(self, model: StackModel, X: Columns) -> Array:
        """Predictions of the final estimator."""
        found: Array = self.final().predict_from(model.last.each[0], self.seen_by_last(model, X))
        return found
