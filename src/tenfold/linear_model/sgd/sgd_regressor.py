"""Linear regression by stochastic gradient descent: w ← w - η (ℓ'(wᵀx + b, y) x + α w), row by row."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.core import Array, Columns, Need, Remedy
from tenfold.estimator import Regressor, fitted
from tenfold.estimator.shell.constraints import choice, real
from tenfold.estimator.shell.keyword_decisions import NO_LOSS
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.shell.parameters import Behind
from tenfold.linear_model.sgd.sgd import SGD, SGDModel
from tenfold.linear_model.sgd.sgd_summaries import NUMBERS
from tenfold.stats.optimize.loss_functions import EpsilonInsensitive, Loss

no_huber = refused(
    NO_LOSS, Remedy('tn.SGDRegressor(loss="epsilon_insensitive")', "whose slope is bounded too"), "huber"
)
no_squared_tube = refused(
    NO_LOSS, Remedy('tn.LinearSVR(loss="squared_epsilon_insensitive")'), "squared_epsilon_insensitive"
)


class SGDRegressor(SGD, Regressor):  # type: ignore[override]
    """Linear regression by gradient descent: row by row, in batches, or over all rows; sequential.

    Rows are taken in windows of some thousands, each shuffled, and parts in a drawn order.
    With the squared loss, `batch_size=1`, `penalty=None` and a constant rate it is the delta rule (Adaline):
    w ← w + η (y - wᵀx) x. For least squares there is no need of it: `Ridge` is exact, in one pass.

    Parameters
    ----------
    loss : {"squared_error", "epsilon_insensitive"} or Loss, default="squared_error"
        What is minimised: the loss of each row, by name or as an object.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        The intercept is not penalised.
    alpha : float, default=0.0001
        Strength of the penalty.
    l1_ratio : float, default=0.15
        Share of the absolute penalty, for "elasticnet".
    fit_intercept : bool, default=True
        Whether to fit a constant term beside the coefficients.
    max_iter : int, default=1000
        Epochs at most.
    tol : float or None, default=0.001
        Stop when the loss of `n_iter_no_change` epochs is not lower by this much than before; over all rows
        (`batch_size=None`), when the gradient is shorter than this. None: never.
    shuffle : bool, default=True
        Whether to take rows in another order in each epoch; if not, as they come.
    epsilon : float, default=0.1
        For "epsilon_insensitive": errors up to this cost nothing.
    random_state : int, default=0
        Seed of the order. None draws one, and the certificate records it.
    learning_rate : {"constant", "optimal", "invscaling", "exponential"}, default="invscaling"
        Step length after t steps: eta0; eta0 / (1 + alpha eta0 t); eta0 / (t + 1)^power_t; eta0 exp(-decay epoch).
    eta0 : float or "auto", default="auto"
        The first step length. "auto": the longest that cannot overshoot, found by one more pass.
    power_t : float, default=0.25
        Exponent by which "invscaling" shortens steps.
    decay : float, default=0.1
        Of "exponential": by how much of itself the step shrinks in each epoch, about.
    batch_size : int or None, default=1
        Rows to a step. None: all, so that gradients merge and every round is one reduce.
    momentum : float, default=0.0
        Share of the last step that is made again, below 1.
    nesterovs_momentum : bool, default=False
        Whether to look at the slope where the momentum leads.
    average : bool, default=False
        Whether the model is the mean of all weights on the way.
    n_iter_no_change : int, default=5
        How many epochs in a row may bring no improvement of `tol` before the fit stops.
    mixing : bool, default=False
        False: one part after another. True: each part from the same weights, at the same time, and then their
        mean. Both give the same bits on any number of workers.
    warm_start : bool, default=False
        Whether a second `fit` begins at the coefficients of the first one; steps are as long as at first.
    early_stopping : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose, validation_fraction : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    coef_ : array of shape (features,)
    intercept_ : array of shape (1,)
    loss_curve_ : array of shape (epochs,)
        Mean loss in each epoch: of each row before it was learned from.
    n_iter_ : int
    t_ : float
        Steps.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SGDRegressor
    >>> X, y = [[-1.0], [0.0], [1.0]], [-1.0, 1.0, 3.0]
    >>> model = SGDRegressor(penalty=None, learning_rate="constant", tol=None, max_iter=200).fit(X, y)
    >>> model.predict([[2.0]]).round(6)
    array([5.])
    """

    need = Need("mixed", sparse=True, target="number")
    law_params = (
        {"max_iter": 4},
        {"max_iter": 3, "loss": "epsilon_insensitive"},
        {"max_iter": 3, "batch_size": 5, "momentum": 0.5},
        {"max_iter": 3, "batch_size": None},
        {"max_iter": 3, "average": True, "shuffle": False, "learning_rate": "exponential"},
        {"max_iter": 3, "mixing": True, "penalty": None},
    )

    loss: Annotated[str | Loss, choice("squared_error", "epsilon_insensitive"), Loss, no_huber, no_squared_tube] = (
        "squared_error"
    )
    _: KW_ONLY
    epsilon: Annotated[float, real(0), Behind("shuffle")] = 0.1

    def _loss(self) -> Loss:
        return EpsilonInsensitive(self.epsilon) if self.loss == "epsilon_insensitive" else super()._loss()

    def _way(self, outputs: int) -> int:
        return NUMBERS

    def predict_from(self, model: SGDModel, X: Columns) -> Array:
        """The predicted numbers, wᵀx + b."""
        return self.scores(model, X)[:, 0]

    @property
    @fitted
    def coef_(self) -> Array:
        """The coefficients, one for each column."""
        return self.model_.coef[0]
