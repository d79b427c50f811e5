"""Linear classification by stochastic gradient descent: a score for each class against the rest, or softmax."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import expit, log_expit

from tenfold.core import Array, Need, Schema
from tenfold.core.losses import LOSSES, Loss
from tenfold.estimator.class_weights import CLASS_WEIGHT, WEIGHTED_STATES, ClassWeight, ClassWeighted
from tenfold.estimator.constraints import Constraints, choice
from tenfold.estimator.deciding import Deciding
from tenfold.linear.sgd import Descent
from tenfold.linear.sgd_regressor import SHARED
from tenfold.linear.steepness import REST, SOFTMAX, TWO
from tenfold.stats.weight_by_class import ClassWeights


class SGDClassifier(ClassWeighted, Descent, Deciding):  # type: ignore[override]
    """Linear classification by gradient descent: row by row, in batches, or over all rows; sequential.

    Rows are taken in windows of some thousands, each shuffled, and parts in a drawn order.
    Two classes have one score; of more, each has one against the rest, or all share a softmax ("cross_entropy").

    Parameters
    ----------
    loss : {"hinge", "log_loss", "cross_entropy", "exponential", "squared_error"} or Loss, default="hinge"
        "log_loss" and "cross_entropy" give probabilities.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        Intercepts are not penalised.
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
    random_state : int, default=0
        Seed of the order. None draws one, and the certificate records it.
    learning_rate : {"constant", "optimal", "invscaling", "exponential"}, default="optimal"
        Step length after t steps: eta0; eta0 / (1 + alpha eta0 t); eta0 / (t + 1)^power_t; eta0 exp(-decay epoch).
    eta0 : float or "auto", default="auto"
        The first step length. "auto": the longest that cannot overshoot, found by one more pass.
    power_t : float, default=0.5
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
    verbose, epsilon, n_jobs, validation_fraction : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.
    class_weight : dict or "balanced", optional
        Factors of the weights of the rows of each class, 1 of one that is not named; "balanced" gives all classes the
        same weight, with one scan more, and is not for `partial_fit`.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1, features) for two classes, else (classes, features)
    intercept_ : array of shape (1,) or (classes,)
    loss_curve_ : array of shape (epochs,)
        Mean loss in each epoch: of each row before it was learned from.
    n_iter_ : int
    t_ : float
        Steps.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SGDClassifier
    >>> model = SGDClassifier(loss="log_loss").fit([[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[-3.0], [3.0]]).tolist()
    ['no', 'yes']
    """

    need = Need("mixed", sparse=True, target="class")
    state_types = (*Descent.state_types, *WEIGHTED_STATES)
    summary_types = (*Descent.summary_types, ClassWeights)
    law_params = (
        {"max_iter": 4},
        {"max_iter": 3, "loss": "log_loss"},
        {"max_iter": 3, "loss": "cross_entropy"},
        {"max_iter": 3, "loss": "exponential", "eta0": 1e-9},
        {"max_iter": 3, "loss": "squared_error"},
        {"max_iter": 3, "batch_size": 5, "momentum": 0.5, "nesterovs_momentum": True, "penalty": "elasticnet"},
        {"max_iter": 3, "batch_size": None},
        {"max_iter": 3, "average": True, "shuffle": False, "learning_rate": "constant"},
        {"max_iter": 3, "mixing": True, "penalty": "l1"},
        {"max_iter": 3, "class_weight": "balanced"},
    )
    _parameter_constraints: ClassVar[Constraints] = {
        "loss": [choice("hinge", "log_loss", "cross_entropy", "exponential", "squared_error"), Loss],
        **SHARED,
        **CLASS_WEIGHT,
    }

    def __init__(
        self,
        loss: str | Loss = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        random_state: int | None = 0,
        learning_rate: str = "optimal",
        eta0: str | float = "auto",
        power_t: float = 0.5,
        decay: float = 0.1,
        batch_size: int | None = 1,
        momentum: float = 0.0,
        nesterovs_momentum: bool = False,
        average: bool = False,
        n_iter_no_change: int = 5,
        mixing: bool = False,
        verbose: int = 0,
        class_weight: ClassWeight = None,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
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
        self.class_weight = class_weight
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start

    def _outputs(self, schema: Schema) -> int:
        return 1 if len(schema.classes) <= 2 else len(schema.classes)

    def _way(self, outputs: int) -> int:
        if outputs == 1:
            return TWO
        return SOFTMAX if self._loss().name == "cross_entropy" else REST

    def _worst(self, outputs: int) -> float:
        way = self._way(outputs)
        if way == SOFTMAX:
            return float(np.log(outputs))
        loss = LOSSES["log_loss"]() if self._loss().name == "cross_entropy" else self._loss()
        return float(loss.value([0.0], [1.0])[0]) * (outputs if way == REST else 1)

    @property
    def has_probabilities(self) -> bool:
        """Whether the loss is one of probabilities."""
        return self._loss().name in ("log_loss", "cross_entropy")

    def probability_from(self, scores: Array) -> Array:
        """Logistic for two classes, softmax if it was trained, else logistic for each class, made to add up to 1."""
        if scores.shape[1] > 2 and self.has_probabilities and self._way(scores.shape[1]) == REST:
            p = expit(scores)
            total = p.sum(axis=1, keepdims=True)
            none = total[:, 0] < np.finfo(np.float64).tiny  # every class is so improbable that nothing is left
            p /= np.where(none[:, None], 1.0, total)
            p[none] = np.exp(self.log_probability_from(scores[none]))
            return p
        return super().probability_from(scores)

    def log_probability_from(self, scores: Array) -> Array:
        """The logarithm of the above."""
        if scores.shape[1] > 2 and self._way(scores.shape[1]) == REST:
            log_p = log_expit(scores)
            return log_p - np.logaddexp.reduce(log_p, axis=1, keepdims=True)
        return super().log_probability_from(scores)
