"""Linear regression by stochastic gradient descent: w ← w - η (ℓ'(wᵀx + b, y) x + α w), row by row."""

from __future__ import annotations

from typing import ClassVar

from tenfold.core import Array, Columns, Need
from tenfold.core.losses import EpsilonInsensitive, Loss
from tenfold.estimator import Regressor
from tenfold.estimator.constraints import Constraints, boolean, choice, integer, real, seed, share
from tenfold.linear.sgd import Descent, SGDModel
from tenfold.linear.sgd_epoch import SCHEDULES
from tenfold.linear.steepness import NUMBERS

SHARED: Constraints = {
    "penalty": [choice("l2", "l1", "elasticnet"), None],
    "alpha": [real(0)],
    "l1_ratio": [share()],
    "fit_intercept": [boolean],
    "max_iter": [integer(1)],
    "tol": [real(0), None],
    "shuffle": [boolean],
    "random_state": [seed],
    "learning_rate": [choice(*SCHEDULES)],
    "eta0": [choice("auto"), real(0, open=True)],
    "power_t": [real(0)],
    "decay": [real(0)],
    "batch_size": [integer(1), None],
    "momentum": [real(0)],
    "nesterovs_momentum": [boolean],
    "average": [boolean],
    "n_iter_no_change": [integer(1)],
    "mixing": [boolean],
}


class SGDRegressor(Descent, Regressor):  # type: ignore[override]
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
    early_stopping, warm_start : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    verbose, validation_fraction : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

    Attributes
    ----------
    coef_ : array of shape (features,)
    intercept_ : array of shape (1,)
    loss_curve_ : array of shape (epochs,)
        Mean loss in each epoch: of each row before it was learned from.
    n_iter_ : int
    t_ : float
        Steps.
    course_ : Course
        Where `partial_fit` goes on: weights, velocity, average.
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
    _parameter_constraints: ClassVar[Constraints] = {
        "loss": [choice("squared_error", "epsilon_insensitive"), Loss],
        "epsilon": [real(0)],
        **SHARED,
    }

    def __init__(
        self,
        loss: str | Loss = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        epsilon: float = 0.1,
        random_state: int | None = 0,
        learning_rate: str = "invscaling",
        eta0: str | float = "auto",
        power_t: float = 0.25,
        decay: float = 0.1,
        batch_size: int | None = 1,
        momentum: float = 0.0,
        nesterovs_momentum: bool = False,
        average: bool = False,
        n_iter_no_change: int = 5,
        mixing: bool = False,
        verbose: int = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        warm_start: bool = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.decay = decay
        self.batch_size = batch_size
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.average = average
        self.n_iter_no_change = n_iter_no_change
        self.mixing = mixing
        self.verbose = verbose
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start

    def _loss(self) -> Loss:
        return EpsilonInsensitive(self.epsilon) if self.loss == "epsilon_insensitive" else super()._loss()

    def _way(self, outputs: int) -> int:
        return NUMBERS

    def predict_from(self, model: SGDModel, X: Columns) -> Array:
        """The predicted numbers, wᵀx + b."""
        return self.scores(model, X)[:, 0]

    @property
    def coef_(self) -> Array:
        """The coefficients, one for each column."""
        return self.model_.coef[0]
