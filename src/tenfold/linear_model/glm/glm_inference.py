"""Standard errors of generalized linear models, from the last pass over the rows.

With H the Hessian of Σ w ℓ at the estimate, s = ℓ'(m) (1, x) the score of a row and h = ℓ''(m) (1, x)'H⁻¹(1, x) its
leverage:

- classical, of maximum likelihood: the inverse of the information, H or its expectation;
- HC0 to HC3: H⁻¹ (Σ w s sᵀ) H⁻¹, by HC1 times n / (n - k), by HC2 and HC3 with each s sᵀ over 1 - h or its square. That
  of HC3 is the jackknife, with a step of Newton's method in place of each fit without a row;
- cluster: H⁻¹ (Σ S Sᵀ) H⁻¹ over the sums S = Σ w s of the clusters, times G / (G - 1) (n - 1) / (n - k).

All of the latter hold for any distribution of the target whose mean the model describes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from tenfold.compiled.linear_model.glm import GAMMA
from tenfold.core import Array
from tenfold.core.arrays import symmetrize
from tenfold.core.certificate import number_of
from tenfold.estimator import fitted
from tenfold.estimator.summary_table import Summary
from tenfold.linear_model.glm.glm import Glm, GlmModel
from tenfold.linear_model.glm.newton import inverse, root_of
from tenfold.linear_model.inference.inference import Terms
from tenfold.linear_model.inference.standard_errors import ROBUST, covariance_of, sandwich
from tenfold.stats.optimize.curvature import Curvature
from tenfold.stats.optimize.score_products import CurvatureScores


class Errors(Terms, Glm):
    """A generalized linear model with standard errors, by term: of the coefficients, then the intercept if any."""

    @property
    @fitted
    def dispersion_(self) -> float:
        """Pearson's estimate of the variance beside the mean's own, for a Gamma; else one."""
        s = self._curvature_
        free = int(self._free(self.schema_).sum())
        return float(s.pearson / (s.weight - free)) if self.kind == GAMMA else 1.0

    @property
    @fitted
    def covariance_(self) -> Array:
        """Estimated covariance matrix of the coefficients."""
        s, scores, free = self._known(), self.summary_, self._free(self.schema_)[0]
        estimated = np.append(free[1:], True)[: len(free) - 1 + self.fit_intercept]
        if isinstance(scores, CurvatureScores):
            rank = inverse(symmetrize(s.gram[0])[np.ix_(free, free)])[1]
            return covariance_of(scores.root, s.center, *sandwich(scores, self.standard_errors, rank), estimated)
        root = root_of(symmetrize(s.expected if self.kind == GAMMA else s.gram[0]), free)
        return covariance_of(root, s.center, np.eye(root.shape[1]), self.dispersion_, estimated)

    @property
    def _curvature_(self) -> Curvature:
        """Loss, gradient and Hessian of the last pass."""
        s = self.summary_
        return s.base if isinstance(s, CurvatureScores) else s

    @property
    @fitted
    def standard_errors_(self) -> Array:
        """The standard error of each term; 0 if it was not estimated."""
        return np.sqrt(np.maximum(np.diag(self.covariance_), 0.0))

    @property
    @fitted
    def z_values_(self) -> Array:
        """Each term in units of its standard error; NaN if it was not estimated."""
        errors = self.standard_errors_
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(errors > 0, self._terms() / errors, np.nan)

    @property
    @fitted
    def p_values_(self) -> Array:
        """How often a z as far from 0 or farther comes up if the term is 0, with many rows."""
        return np.asarray(2 * stats.norm.sf(np.abs(self.z_values_)))

    def _ends(self, level: float) -> Array:
        if not 0 < level < 1:
            raise ValueError(f"level is {level}, but must be between 0 and 1")
        reach = stats.norm.isf((1 - level) / 2) * self.standard_errors_
        return np.column_stack([self._terms() - reach, self._terms() + reach])

    def _table(self, level: float) -> Summary:
        if reason := self._no_errors_because():
            return self._estimates(reason)
        s = self._curvature_
        errors = self.standard_errors_
        low, high = f"{50 * (1 - level):.4g} %", f"{50 * (1 + level):.4g} %"
        columns = zip(self.terms_, self._terms(), errors, self.z_values_, self.p_values_, self.conf_int(level))
        rows = [
            (str(name), f"{v:.6g}", f"{e:.6g}", f"{z:.3f}", f"{p:.3g}", *(f"{c:.6g}" for c in ends))
            if e > 0
            else (str(name), f"{v:.6g}", "not estimated", "", "", "", "")
            for name, v, e, z, p, ends in columns
        ]
        facts = (
            f"{number_of(s.weight, 'row')}, {number_of(sum(errors > 0), 'parameter')}",
            f"deviance {2 * (s.loss - s.least):.6g}"
            + (f"; dispersion {self.dispersion_:.6g}" if self.kind == GAMMA else ""),
        )
        kind = self.standard_errors
        if kind == "cluster":
            facts = (f"{facts[0]}, {len(self.summary_.keys)} clusters", *facts[1:])
        family = {
            "classical": "rows are independent, and the target of each has the distribution of the model",
            "cluster": "rows of different clusters are independent, and the clusters are many",
        }.get(
            kind, "rows are independent; their targets may have any distribution with the mean that the model describes"
        )
        named = {"classical": "standard errors of maximum likelihood", "cluster": "standard errors by cluster"}
        conditions = (
            family,
            "the logarithm of the mean (of the odds, for classes) is linear in the columns",
            "the rows are many beside the parameters",
            "the columns were chosen before looking at the target",
        )
        return Summary(
            f"{type(self).__name__}: {named.get(kind, f'{kind} standard errors')}",
            facts,
            ("term", "estimate", "std. error", "z", "p", low, high),
            tuple(rows),
            (
                ("How far this can be trusted", tuple(f"{c}." for c in self.certificate_.claims)),
                ("The p-values and intervals hold if", conditions),
            ),
        )

    def _terms(self) -> Array:
        model: GlmModel = self.model_
        values = model.coef[0]
        return np.append(values, model.intercept[0]) if self.fit_intercept else values

    def _estimates(self, reason: str) -> Summary:
        """Return a table of the estimates alone, of each class if there are several, with the reason for that."""
        model: GlmModel = self.model_
        where: Any = self.certificate_.provenance
        values = np.column_stack([model.coef, model.intercept]) if self.fit_intercept else model.coef
        of = [f"of {label}" for label in self.schema_.classes] if len(values) > 1 else ["estimate"]
        rows = [(str(name), *(f"{v:.6g}" for v in each)) for name, each in zip(self.terms_, values.T, strict=True)]
        return Summary(
            f"{type(self).__name__}: estimates",
            (number_of(where.rows, "row"), "no standard errors, p-values and intervals"),
            ("term", *of),
            tuple(rows),
            (
                ("How far this can be trusted", tuple(f"{c}." for c in self.certificate_.claims)),
                ("There are no standard errors", (reason,)),
            ),
        )

    def _known(self) -> Curvature:
        """Return the summary at the estimate, or raise an error with the reason why there are no standard errors."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} is not fitted")
        if reason := self._no_errors_because():
            raise ValueError(reason)
        return self._curvature_

    def _no_errors_because(self) -> str:
        """Return the reason why there are no standard errors; empty if there are."""
        model, s = self.model_, self._curvature_
        if any(self.penalties(1.0)):
            return (
                "with a penalty the estimates are biased, and standard errors of maximum likelihood do not include the "
                "bias. Remedy: fit without one (C=inf, alpha=0)"
            )
        if model.coef.shape[0] > 1:
            return "standard errors are known for two classes only"
        if not isinstance(s, Curvature) or not len(s.gram):
            return "the model has no Hessian: it was saved without its summary, or has too many coefficients"
        if self.certificate_.get("separable"):
            return "the rows are separable, so the maximum likelihood estimate does not exist"
        if not (np.array_equal(s.coef, model.coef) and np.array_equal(s.intercept, model.intercept)):
            return "the fit was stopped before its last pass. Remedy: a larger max_iter"
        if self.standard_errors in ROBUST and not isinstance(self.summary_, CurvatureScores):
            return (
                f"{self.standard_errors} standard errors need one more pass, before which the fit was stopped. Remedy: "
                "a larger max_iter"
            )
        return ""
