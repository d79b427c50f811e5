"""Standard errors, intervals and tests as attributes of a model: computed when they are asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from tenfold.core import Array, Columns, Design, MatrixLike, Stop, VectorLike
from tenfold.estimator import Estimator, check_is_fitted, fitted, for_users
from tenfold.estimator.grouped_rows import with_groups
from tenfold.estimator.shell.callbacks import with_callbacks
from tenfold.estimator.summary_table import Summary
from tenfold.estimator.updating.merging import refusing_arithmetic_errors
from tenfold.linear_model.inference.coefficient_summary import Names, summary_of
from tenfold.linear_model.inference.standard_errors import FTest, Inference


class Terms:
    """A model of terms, the coefficients and then the intercept if any: brings their names and tables of them.

    The learner has `_ends(level)`, confidence intervals, and `_table(level)`.
    """

    fit_intercept: bool

    @property
    @fitted
    def terms_(self) -> Names:
        """The names of the coefficients and, if there is one, of the intercept."""
        more = ["intercept"] if self.fit_intercept else []
        return np.array([*self.coef_names_, *more], dtype=np.object_)  # type: ignore[attr-defined]

    @fitted
    def conf_int(self, level: float = 0.95) -> Array:
        """Confidence intervals of the terms.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        ends : array of shape (terms, 2)
        """
        check_is_fitted(self)
        return self._ends(level)

    @fitted
    def summary(self, level: float = 0.95) -> Summary:
        """A table of the terms, the claims of the certificate, and the assumptions of the p-values.

        Parameters
        ----------
        level : float, default=0.95
            Of the confidence intervals.

        Returns
        -------
        summary : Summary
            Print it, or show it in a notebook.
        """
        check_is_fitted(self)
        return self._table(level)

    def _ends(self, level: float) -> Array:
        raise NotImplementedError

    def _table(self, level: float) -> Summary:
        raise NotImplementedError


class RobustErrors(Estimator):
    """A learner whose standard errors may be robust: `fit` takes the groups that those by cluster need."""

    standard_errors = "classical"

    @with_callbacks
    @for_users
    def fit(
        self,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        groups: VectorLike = None,
        checkpoint: object = None,
        stop: Stop | None = None,
    ) -> Self:
        """Fit to arrays, a frame, or a Source.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            The rows. A Source brings its own target and weights.
        y : array, optional
            The target.
        sample_weight : array, optional
            A weight for each row. A row of weight 2 counts as two rows, one of weight 0 as none.
        groups : array or str, optional
            With `standard_errors="cluster"`: the cluster of each row, or the name of the column that has it, which
            is then no feature. A Source takes a name.
        checkpoint : str, path or Checkpoint, optional
            Folder for checkpoints; an interrupted fit resumes from the last one.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            As all learners take it; one of a single pass has nothing to stop.

        Returns
        -------
        self : object
        """
        X, y, sample_weight = self._grouped(X, y, sample_weight, groups)
        return self._fit(X, y, sample_weight, checkpoint=checkpoint, stop=stop)

    def _grouped(self, X: Any, y: Any, weight: Any, groups: Any) -> tuple[Any, Any, Any]:
        """Return rows with their groups, if they are given."""
        if groups is None:
            return X, y, weight
        if self.standard_errors != "cluster":
            raise ValueError('groups go with standard_errors="cluster"')
        return with_groups(self, X, y, weight, groups), None, None

    @property
    def _scores(self) -> str:
        """Kind of scores that are summed for the standard errors: HC1 is a multiple of HC0."""
        return "HC0" if self.standard_errors == "HC1" else self.standard_errors


class Inferring(Terms):
    """Brings standard errors to a learner that has `infer()`: an `Inference` about its model."""

    @cached_property
    @fitted
    def inference_(self) -> Inference:
        """Inference about the coefficients, in one object."""
        with refusing_arithmetic_errors():
            return self.infer()  # type: ignore[attr-defined]

    @property
    @fitted
    def standard_errors_(self) -> Array:
        """The standard error of each term."""
        return self.inference_.standard_errors

    @property
    @fitted
    def covariance_(self) -> Array:
        """Estimated covariance matrix of the coefficients."""
        return self.inference_.covariance

    @property
    @fitted
    def t_values_(self) -> Array:
        """Each term in units of its standard error; NaN if it is 0 by definition."""
        return self.inference_.t_values

    @property
    @fitted
    def p_values_(self) -> Array:
        """Two-sided p-value of each coefficient under the hypothesis that it is 0; see `summary()` for assumptions."""
        return self.inference_.p_values

    @property
    @fitted
    def f_test_(self) -> FTest:
        """The test of all coefficients at once, the intercept aside."""
        return self.inference_.f_test

    @property
    @fitted
    def r2_(self) -> float:
        """R² of the rows the model was fitted to."""
        return self.inference_.r2

    @property
    @fitted
    def adjusted_r2_(self) -> float:
        """R² with variances in place of sums of squares."""
        return self.inference_.adjusted_r2

    @property
    @fitted
    def log_likelihood_(self) -> float:
        """The largest log-likelihood under normal noise: Gauss's reason for least squares. Infinite if all rows fit."""
        return self.inference_.log_likelihood

    @property
    @fitted
    def aic_(self) -> float:
        """Akaike's information criterion; the variance is not counted as a parameter. Lower is better."""
        return self.inference_.aic

    @property
    @fitted
    def bic_(self) -> float:
        """Schwarz's Bayesian information criterion; the variance is not counted as a parameter. Lower is better."""
        return self.inference_.bic

    @property
    @fitted
    def residual_variance_(self) -> float:
        """σ²: the squares of the residuals over the degrees of freedom that are left."""
        return self.inference_.sigma2

    @fitted
    def predict_interval(self, X: MatrixLike, level: float = 0.95, of: str = "row") -> Any:
        """Prediction interval of the target of each row.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        level : float, default=0.95
        of : {"row", "mean"}, default="row"
            The target of one new row, or the mean of all rows that are equal to it. That of a row needs residuals
            that are normal and of one variance; that of the mean does not.

        Returns
        -------
        ends : array of shape (rows, 2)
        """
        if of not in ("row", "mean"):
            raise ValueError(f"of is {of!r}, but must be 'row' or 'mean'")
        check_is_fitted(self)
        known = self.inference_
        reach, half = known.quantile(level), known.half()
        p = len(self.model_.coef)  # type: ignore[attr-defined]
        more = known.sigma2 if of == "row" else 0.0
        constant = half[p] if known.fit_intercept else np.zeros(half.shape[1])

        def ends(learner: Any, model: object, X: Columns) -> Array:
            spread = np.sqrt((learner._spread(model, X, half[:p], constant) ** 2).sum(axis=1) + more)
            middle = learner.predict_from(model, X)
            return np.column_stack([middle - reach * spread, middle + reach * spread])

        return self._apply(ends, X, lambda: ["low", "high"])  # type: ignore[attr-defined]

    def _spread(self, model: Any, X: Columns, half: Array, constant: Array) -> Array:
        """Rows times a square root of the covariance."""
        return Design.of(X, model.schema.levels) @ half + constant

    def _ends(self, level: float) -> Array:
        return self.inference_.interval(level)

    def _table(self, level: float) -> Summary:
        return summary_of(self, level)
