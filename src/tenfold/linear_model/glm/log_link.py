"""What Poisson and Gamma regression share: the mean is exp(xᵀβ + β₀), and a column may be an offset."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np
from numpy import integer as numpy_integer
from numpy.typing import ArrayLike

from tenfold.core import Array, Columns, Need, Schema
from tenfold.estimator import Regressor, fitted
from tenfold.estimator.shell.constraints import boolean, choice, integer, real
from tenfold.estimator.shell.keyword_decisions import ANY_START, ignored_verbose, one_of, restarted
from tenfold.estimator.shell.keywords import NoEffect
from tenfold.linear_model.glm.glm import GlmModel
from tenfold.linear_model.glm.glm_inference import Errors
from tenfold.linear_model.inference.standard_errors import ROBUST

any_solver = NoEffect(ANY_START, (one_of("lbfgs", "newton-cholesky"),))


class LogLink(Errors, Regressor):
    """Minimise Σ wᵢ ℓ(yᵢ, ηᵢ) / Σ wᵢ + ½ α |β|², where η = xᵀβ + β₀ is the logarithm of the mean."""

    need = Need("mixed", sparse=True, target="number", positive=True)
    law_params = (
        {},
        {"alpha": 0.0, "fit_intercept": False},
        {"alpha": 0.0, "standard_errors": "HC3"},
    )

    alpha: Annotated[float, real(0)] = 1.0
    fit_intercept: Annotated[bool, boolean] = True
    offset: Annotated[str | int | None, str, integer(0), None] = None
    tol: Annotated[float, real(0)] = 1e-14
    max_iter: Annotated[int, integer(1)] = 100
    standard_errors: Annotated[str, choice("classical", *ROBUST)] = "classical"
    _: KW_ONLY
    solver: Annotated[str, any_solver] = "lbfgs"
    warm_start: Annotated[bool, restarted] = False
    verbose: Annotated[int, ignored_verbose] = 0

    def penalties(self, weight: float) -> tuple[float, float]:
        # λ₂ = α Σ w: as scikit-learn has it, the loss is a mean.
        return self.alpha * weight, 0.0

    def offset_feature(self, schema: Schema) -> int:
        if self.offset is None:
            return -1
        names = schema.names
        if isinstance(self.offset, (int, numpy_integer)):
            at = int(self.offset) if self.offset < len(names) else -1
        else:
            at = names.index(self.offset) if self.offset in names else -1
        if at < 0 or schema.columns[at].categories is not None:
            what = "is not there" if at < 0 else "holds categories"
            raise ValueError(f"the offset {self.offset!r} {what}. Remedy: name a numeric column of X, or its number")
        return int(np.maximum(schema.levels[:at], 1).sum())

    def predict_from(self, model: GlmModel, X: Columns) -> Array:
        """Predict the mean exp(Xβ + β₀)."""
        return np.exp(self.margins(model, X)[:, 0])

    @fitted
    def score(self, X: object, y: object = None, sample_weight: object = None) -> float:
        """D²: the share of the deviance of the mean that the predictions explain; of a constant target, 1 or 0.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            A Source brings its own target and weights.
        y : array, optional
        sample_weight : array, optional

        Returns
        -------
        score : float
        """
        return super().score(X, y, sample_weight)

    def _score_of(self, y: ArrayLike, found: Array, weight: ArrayLike | None) -> float:
        """Score predictions by D², the share of the deviance explained."""
        target = np.asarray(y, dtype=np.float64)
        share = np.ones(len(target)) if weight is None else np.asarray(weight, dtype=np.float64)
        target, found, share = target[share > 0], found[share > 0], share[share > 0]
        mean = share @ target / share.sum()
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # what lies infinitely far off
            left = float(share @ np.where(np.isfinite(found), self.deviance(target, found), np.inf))
        whole = float(share @ self.deviance(target, np.full(len(target), mean))) if np.ptp(target) else 0.0
        if not whole:  # as r2_score has it: a constant is explained, or it is not
            return 1.0 if not left else 0.0
        return 1 - left / whole

    def deviance(self, y: Array, mean: Array) -> Array:
        """Unit deviance of each row."""
        raise NotImplementedError

    @property
    @fitted
    def coef_(self) -> Array:
        """The coefficients; that of the offset is one."""
        return self._fitted().coef[0]

    @property
    @fitted
    def intercept_(self) -> float:
        """Intercept of the linear predictor."""
        return float(self._fitted().intercept[0])

    def _fitted(self) -> GlmModel:
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} is not fitted")
        return self.model_
