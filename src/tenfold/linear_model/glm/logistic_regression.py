"""Logistic regression: argmin Σ wᵢ log(1 + exp(-yᵢ (xᵢᵀβ + β₀))) + (1 - r) |β|² / 2C + r Σ|βⱼ| / C."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.linear_model.glm import LOGISTIC
from tenfold.core import Array, Claim, Columns, Need, Remedy
from tenfold.core.errors import warn_user
from tenfold.estimator import Classifier, fitted
from tenfold.estimator.class_weights import ClassWeight, ClassWeighted
from tenfold.estimator.shell.constraints import boolean, choice, integer, positive, real, share
from tenfold.estimator.shell.keyword_decisions import (
    NEEDS_NUMBER,
    ignored_n_jobs,
    ignored_verbose,
    one_of,
    restarted,
    some_rounds,
    unseeded,
)
from tenfold.estimator.shell.keywords import NoEffect, Renamed, refused
from tenfold.linear_model.glm.glm import DIVERGENCE_ROUNDS, DIVERGENCE_STEP, GlmModel
from tenfold.linear_model.glm.glm_inference import Errors
from tenfold.linear_model.glm.newton import QuadraticModel
from tenfold.linear_model.inference.standard_errors import ROBUST
from tenfold.stats.optimize.curvature import Curvature

unpenalised_intercept = NoEffect("the intercept is not penalised", (real(0, open=True),))
same_minimum = NoEffect(
    "the minimum is the same; the intercept is not penalised, as it is by scikit-learn's liblinear",
    (one_of("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"),),
)


class LogisticRegression(ClassWeighted, Errors, Classifier):  # type: ignore[misc]  # two states more
    """Logistic regression by Newton's method, exact in each pass.

    A first answer comes from a share of the parts; then all rows are read, mostly two or three times, until the
    gap to the minimum is proved to be small. With many classes it is softmax regression.

    Parameters
    ----------
    C : float, default=1.0
        The inverse of the strength of the penalty. Infinite: none.
    l1_ratio : float, default=0.0
        The share of absolute values in the penalty; the rest is squared.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns. It is not penalised.
    tol : float, default=1e-14
        Stop when the objective, per row, is proved to be at most so much above its minimum. Newton's last step squares
        the gap, so a small value costs little. For more than 2,000 coefficients the square root counts.
    max_iter : int, default=100
        Passes over all rows at most.
    standard_errors : {"classical", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="classical"
        What is assumed of the target beside its mean: the distribution of the model; any (one scan more); or any, and
        dependence within the groups given to `fit` (one scan more).
    class_weight : dict or "balanced", optional
        Weights by class, 1 for a class that is not listed; "balanced" gives all classes the
        same weight, with one scan more.
    penalty : {"l1", "l2", "elasticnet", None}, optional
        Alternative to `l1_ratio`: "l1" is `l1_ratio=1`, "l2" is `l1_ratio=0`, "elasticnet" uses `l1_ratio`, None
        is an infinite `C`.
    dual, intercept_scaling, random_state, solver, verbose, warm_start, n_jobs : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    coef_ : array of shape (1 or classes, features)
    intercept_ : array of shape (1 or classes,)
    classes_ : array
    coef_names_ : array of str
        The feature of each coefficient; a category is one.
    standard_errors_, z_values_, p_values_ : array
        Of the coefficients, then the intercept; for two classes, without a penalty (C infinite). See also `summary()`.
    n_iter_ : array of shape (1,)
        Passes over all rows.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[0.5], [2.5]]).tolist()
    ['no', 'yes']
    >>> model.certificate_["gap"].value < 1e-14
    True
    """

    kind = LOGISTIC
    need = Need("mixed", sparse=True, target="class")
    has_decision_function = True
    law_params = (
        {},
        {"l1_ratio": 1.0},
        {"l1_ratio": 0.5, "C": 0.3},
        {"fit_intercept": False},
        {"C": np.inf, "standard_errors": "HC3"},
        {"class_weight": "balanced", "C": 0.5},
    )

    C: Annotated[float, positive] = 1.0
    l1_ratio: Annotated[float, share(), refused(NEEDS_NUMBER, Remedy("tn.LogisticRegression(l1_ratio=0.0)"), None)] = (
        0.0
    )
    fit_intercept: Annotated[bool, boolean] = True
    tol: Annotated[float, real(0)] = 1e-14
    max_iter: Annotated[int, integer(0), some_rounds] = 100
    standard_errors: Annotated[str, choice("classical", *ROBUST)] = "classical"
    _: KW_ONLY
    penalty: Annotated[str | None, choice("l1", "l2", "elasticnet", "deprecated"), None, Renamed("l1_ratio and C")] = (
        "deprecated"
    )
    class_weight: Annotated[ClassWeight, choice("balanced"), dict, None] = None
    dual: Annotated[bool, restarted] = False
    intercept_scaling: Annotated[float, unpenalised_intercept] = 1
    random_state: Annotated[int | None, unseeded] = None
    solver: Annotated[str, same_minimum] = "lbfgs"
    verbose: Annotated[int, ignored_verbose] = 0
    warm_start: Annotated[bool, restarted] = False
    n_jobs: Annotated[int | None, ignored_n_jobs] = None

    def penalties(self, weight: float) -> tuple[float, float]:
        # λ₂ and λ₁; they do not grow with the rows.
        if self.penalty is None:
            return 0.0, 0.0
        l1_ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty, self.l1_ratio)
        return (1 - l1_ratio) / self.C, l1_ratio / self.C

    def _more(self, model: GlmModel, s: Curvature, penalty: float, here: QuadraticModel | None) -> tuple[Claim, ...]:
        if s.worst < 0:
            why = "a hyperplane has every row on its own side; "
            why += (
                "only the penalty keeps the coefficients finite"
                if penalty
                else "so no coefficients minimise the loss, it falls to zero as they grow. Remedy: a finite C"
            )
            return (Claim("separable", 1.0, "proved", why, "data"),)
        if (
            not penalty
            and model.n_iter > DIVERGENCE_ROUNDS
            and here
            and np.abs(here.step()).max(initial=0.0) > DIVERGENCE_STEP
        ):
            why = "the coefficients grew in every round, as they do if some rows can be separated. Remedy: a finite C"
            return (Claim("separable", 1.0, "estimated", why, "data", "that they would have grown on"),)
        return ()

    def _after_fit(self, source: object) -> None:
        claim = None if any(self.penalties(1.0)) else self.certificate_.get("separable")
        if claim is not None:
            warn_user(f"LogisticRegression: {claim.because}")

    @property
    @fitted
    def n_iter_(self) -> NDArray[np.int32]:
        """Passes over all rows: an array of one number, as in scikit-learn."""
        return np.array([self.model_.n_iter], dtype=np.int32)

    def scores_from(self, model: GlmModel, X: Columns) -> Array:
        """The margins; of two classes the first has zero."""
        margin = self.margins(model, X)
        return margin if len(model.coef) > 1 else np.column_stack([np.zeros(len(margin)), margin[:, 0]])

    def decision_from(self, model: GlmModel, X: Columns) -> Array:
        """The margins, of two classes that of the second alone."""
        found = self.margins(model, X)
        return found if len(model.coef) > 1 else found[:, 0]

    @fitted
    def decision_function(self, X: object) -> Any:
        """The margin of each row, for many classes of each class.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        margin : array of shape (rows,) or (rows, classes)
        """

        def names() -> list[str]:
            return [f"margin_{c}" for c in self.classes_][-self.model_.coef.shape[0] :]

        return self._apply(type(self).decision_from, X, names)
