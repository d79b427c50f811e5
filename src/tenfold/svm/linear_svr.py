"""Linear support vector regression: ½‖w‖² + C Σ wᵢ max(0, |yᵢ - wᵀxᵢ| - ε), or with the loss squared, least."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.core import Array, Columns, Need
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import choice, real
from tenfold.estimator.shell.kinds import Regressor
from tenfold.estimator.shell.parameters import Behind
from tenfold.svm.linear_machine import LinearMachine, MachineModel


class LinearSVR(LinearMachine, Regressor):
    """Linear support vector regression, with the duality gap as the rule to stop.

    Each row holds its dual variable where it is, in memory, on disk or on a cluster; each pass merges slopes and
    curvatures into a step of Newton's method, ten to thirty of them (the method of multipliers). Of more than 500
    columns, as of text, all rows are gathered for dual coordinate descent. As in scikit-learn the intercept is the
    coefficient of a column of `intercept_scaling`, and is penalised, unless that is infinite.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half-width of the tube; a row inside costs nothing.
    tol : float, default=0.0001
        Stop when the duality gap is proved to be at most this share of the objective.
    C : float, default=1.0
        Price of a row outside the tube.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        What is minimised, summed over the rows.
    fit_intercept : bool, default=True
        Whether to fit a constant term beside the coefficients.
    intercept_scaling : float, default=1.0
        Value of the constant column of the intercept: the larger, the less the intercept is penalised. Infinite: not at
        all, as in textbooks and in the machine with a kernel; `dual=True` cannot do that.
    dual : bool or "auto", default="auto"
        True: dual coordinate descent on all rows at once, in memory. False: passes over the rows, wherever they are.
        "auto": True for more than 500 columns.
    verbose : int, default=0
        Ignored; it is there for the sake of pipelines written for scikit-learn.
    random_state : int, default=None
        Ignored: nothing is drawn that it would change.
    max_iter : int, default=1000
        Epochs of dual coordinate descent, or passes, at most.

    Attributes
    ----------
    coef_ : array of shape (columns,)
    intercept_ : array of shape (1,)
    n_iter_ : int
        Epochs, or passes.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import LinearSVR
    >>> model = LinearSVR(C=100.0).fit([[0.0], [1.0], [2.0], [30.0]], [1.0, 3.0, 5.0, 61.0])
    >>> model.predict([[10.0]]).round(2).tolist()
    [21.0]
    """

    need = Need("numeric", sparse=True, target="number")
    law_params = (
        {"tol": 1e-12, "loss": "squared_epsilon_insensitive", "epsilon": 0.1},
        {"tol": 1e-11, "C": 0.1},
        {"tol": 1e-11, "C": 0.1, "intercept_scaling": math.inf},
    )

    _: KW_ONLY
    epsilon: Annotated[float, real(0), Behind(None)] = 0.0
    loss: Annotated[str, choice("epsilon_insensitive", "squared_epsilon_insensitive"), Behind("C")] = (
        "epsilon_insensitive"
    )

    @property
    def _epsilon(self) -> float:
        return float(self.epsilon)

    @property
    @fitted
    def coef_(self) -> Array:
        """Coefficient of each column."""
        found: Array = self.model_.coef[0]
        return found

    def predict_from(self, model: MachineModel, X: Columns) -> Array:
        """wᵀx + b of each row."""
        return self.margins(model, X)[:, 0]
