"""Standard errors of maximum likelihood: the inverse of the information at the estimate, read off the last pass."""

from __future__ import annotations

import numpy as np
from scipy import stats

from tenfold.core import Array
from tenfold.core.arrays import both_halves
from tenfold.kernels.glm import GAMMA
from tenfold.linear.glm import Glm, GlmModel
from tenfold.linear.inferring import Terms
from tenfold.linear.newton import inverse
from tenfold.linear.summary import Summary
from tenfold.stats.curvature import Curvature


class Errors(Terms, Glm):
    """A generalized linear model with standard errors, by term: of the coefficients, then the intercept if any."""

    @property
    def dispersion_(self) -> float:
        """Pearson's estimate of the variance beside the mean's own, for a Gamma; else one."""
        s: Curvature = self.summary_
        free = int(self._free(self.schema_).sum())
        return float(s.pearson / (s.weight - free)) if self.kind == GAMMA else 1.0

    @property
    def covariance_(self) -> Array:
        """The covariance of the terms."""
        s = self._known()
        lower = s.expected if self.kind == GAMMA else s.gram[0]
        full = both_halves(lower)
        free = self._free(self.schema_)[0]
        inner, _ = inverse(full[np.ix_(free, free)])
        whole = np.zeros_like(full)
        whole[np.ix_(free, free)] = inner * self.dispersion_
        back = np.zeros_like(full)  # from centred predictors to coefficients, then the intercept
        p = len(full) - 1
        back[:p, 1:] = np.eye(p)
        back[p, 0] = 1.0
        back[p, 1:] = -s.center
        found = back @ whole @ back.T
        return found if self.fit_intercept else found[:p, :p]

    @property
    def standard_errors_(self) -> Array:
        """The standard error of each term; 0 if it was not estimated."""
        return np.sqrt(np.maximum(np.diag(self.covariance_), 0.0))

    @property
    def z_values_(self) -> Array:
        """Each term in units of its standard error; NaN if it was not estimated."""
        errors = self.standard_errors_
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(errors > 0, self._terms() / errors, np.nan)

    @property
    def p_values_(self) -> Array:
        """How often a z as far from 0 or farther comes up if the term is 0, with many rows."""
        return np.asarray(2 * stats.norm.sf(np.abs(self.z_values_)))

    def _ends(self, level: float) -> Array:
        if not 0 < level < 1:
            raise ValueError(f"level is {level}, but must be between 0 and 1")
        reach = stats.norm.isf((1 - level) / 2) * self.standard_errors_
        return np.column_stack([self._terms() - reach, self._terms() + reach])

    def _table(self, level: float) -> Summary:
        s: Curvature = self.summary_
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
            f"{s.weight:,.12g} rows, {sum(errors > 0)} parameters",
            f"deviance {2 * (s.loss - s.least):.6g}"
            + (f"; dispersion {self.dispersion_:.6g}" if self.kind == GAMMA else ""),
        )
        family = "rows are independent, and the target of each has the distribution that the model says"
        conditions = (
            family,
            "the logarithm of the mean (of the odds, for classes) is linear in the columns",
            "the rows are many beside the parameters",
            "the columns were chosen before looking at the target",
        )
        return Summary(
            f"{type(self).__name__}: standard errors of maximum likelihood",
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

    def _known(self) -> Curvature:
        """The summary at the estimate, or an error that says why there are no standard errors."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} is not fitted")
        model, s = self.model_, self.summary_
        if any(self.penalties(1.0)):
            raise ValueError(
                "with a penalty the estimates are biased, and standard errors of maximum likelihood would not speak of "
                "them. Remedy: fit without one (C=inf, alpha=0)"
            )
        if model.coef.shape[0] > 1:
            raise ValueError("standard errors are known for two classes only")
        if not isinstance(s, Curvature) or not len(s.gram):
            raise ValueError("the model has no Hessian: it was saved without its summary, or has too many coefficients")
        if self.certificate_.get("separable"):
            raise ValueError("the rows can be separated, so there is no estimate of maximum likelihood to have errors")
        if not (np.array_equal(s.coef, model.coef) and np.array_equal(s.intercept, model.intercept)):
            raise ValueError("the fit was stopped before its last pass. Remedy: a larger max_iter")
        return s
