"""Linear classification by stochastic gradient descent: a score for each class against the rest, or softmax."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np
from scipy.special import expit, log_expit

from tenfold.core import Array, Need, Remedy, Schema
from tenfold.estimator.class_weights import ClassWeight, ClassWeighted
from tenfold.estimator.shell.constraints import choice, real
from tenfold.estimator.shell.decision_function import Deciding
from tenfold.estimator.shell.keyword_decisions import (
    FROM_ZERO,
    NO_LOSS,
    ignored_n_jobs,
    known_schedule,
    not_passive_aggressive,
)
from tenfold.estimator.shell.keywords import NoEffect, refused
from tenfold.estimator.shell.parameters import Behind
from tenfold.linear_model.sgd.sgd import SGD
from tenfold.linear_model.sgd.sgd_epoch import SCHEDULES
from tenfold.linear_model.sgd.sgd_summaries import REST, SOFTMAX, TWO
from tenfold.stats.optimize.loss_functions import LOSSES, Loss

no_squared_hinge = refused(
    NO_LOSS, Remedy('tn.LinearSVC(loss="squared_hinge")', "whose minimum is found to `tol`"), "squared_hinge"
)
no_huber = refused(
    NO_LOSS, Remedy('tn.SGDClassifier(loss="log_loss")', "which gives probabilities too"), "modified_huber"
)
own_learner = refused("the perceptron is a learner of its own", Remedy("tn.Perceptron()"), "perceptron")
losses_of_numbers = refused(
    "it is a loss of numbers",
    Remedy('tn.SGDClassifier(loss="squared_error")', 'or loss="hinge"'),
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)


class SGDClassifier(ClassWeighted, SGD, Deciding):  # type: ignore[misc, override]  # two states more
    """Linear classification by gradient descent: row by row, in batches, or over all rows; sequential.

    Rows are taken in windows of some thousands, each shuffled, and parts in a drawn order.
    Two classes have one score; of more, each has one against the rest, or all share a softmax ("cross_entropy").

    Parameters
    ----------
    loss : str or Loss, default="hinge"
        "hinge", "log_loss", "cross_entropy", "exponential", "squared_error" or "sigmoid_error". "log_loss" and
        "cross_entropy" give probabilities, and so does "sigmoid_error", the squared error of a sigmoid unit, which is
        not convex.
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
    warm_start : bool, default=False
        Whether a second `fit` begins at the coefficients of the first one; steps are as long as at first.
    early_stopping : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose, epsilon, n_jobs, validation_fraction : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).
    class_weight : dict or "balanced", optional
        Weights by class, 1 for a class that is not listed; "balanced" gives all classes the
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
    law_params = (
        {"max_iter": 4},
        {"max_iter": 3, "loss": "log_loss"},
        {"max_iter": 3, "loss": "cross_entropy"},
        {"max_iter": 3, "loss": "exponential", "eta0": 1e-9},
        {"max_iter": 3, "loss": "squared_error"},
        {"max_iter": 3, "loss": "sigmoid_error"},
        {"max_iter": 3, "batch_size": 5, "momentum": 0.5, "nesterovs_momentum": True, "penalty": "elasticnet"},
        {"max_iter": 3, "batch_size": None},
        {"max_iter": 3, "average": True, "shuffle": False, "learning_rate": "constant"},
        {"max_iter": 3, "mixing": True, "penalty": "l1"},
        {"max_iter": 3, "class_weight": "balanced"},
    )

    loss: Annotated[
        str | Loss,
        choice("hinge", "log_loss", "cross_entropy", "exponential", "squared_error", "sigmoid_error"),
        Loss,
        no_squared_hinge,
        no_huber,
        own_learner,
        losses_of_numbers,
    ] = "hinge"
    _: KW_ONLY
    learning_rate: Annotated[str, choice(*SCHEDULES), known_schedule, not_passive_aggressive] = "optimal"
    power_t: Annotated[float, real(0)] = 0.5
    class_weight: Annotated[ClassWeight, choice("balanced"), dict, None, Behind("verbose")] = None
    epsilon: Annotated[float, NoEffect("no loss of classes has it here", FROM_ZERO), Behind("class_weight")] = 0.1
    n_jobs: Annotated[int | None, ignored_n_jobs, Behind("epsilon")] = None

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
        return self._loss().name in ("log_loss", "cross_entropy", "sigmoid_error")

    def probability_from(self, scores: Array) -> Array:
        # Logistic for two classes, softmax if it was trained, else logistic for each class, made to add up to 1.
        if scores.shape[1] > 2 and self.has_probabilities and self._way(scores.shape[1]) == REST:
            p = expit(scores)
            total = p.sum(axis=1, keepdims=True)
            none = total[:, 0] < np.finfo(np.float64).tiny  # every class is so improbable that nothing is left
            p /= np.where(none[:, None], 1.0, total)
            p[none] = np.exp(self.log_probability_from(scores[none]))
            return p
        return super().probability_from(scores)

    def log_probability_from(self, scores: Array) -> Array:
        if scores.shape[1] > 2 and self._way(scores.shape[1]) == REST:
            log_p = log_expit(scores)
            return log_p - np.logaddexp.reduce(log_p, axis=1, keepdims=True)
        return super().log_probability_from(scores)
