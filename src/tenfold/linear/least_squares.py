"""Least squares from merged moments, or from merged R-factors where moments lose digits.

Minimise ½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|². The normal equations A β = b come from the centred
co-moments; the penalty enters here, never in the summary. A perturbation bound for each coefficient says
how many digits hold. If rounding could be seen beside the noise of the data, one more scan is asked
for, whose summary is the triangular factor of the design.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Ask, Chunk, Claim, Codes, Columns, Need, Schema
from tenfold.estimator import Regressor
from tenfold.linear.solving import EPS, Solution, from_factor, from_moments, quick
from tenfold.stats.metrics import Regression, Sum
from tenfold.stats.moments import Moments
from tenfold.stats.rfactor import RFactor

ROUNDS = 4
"""scans for R-factors at the most"""


class LinearState(NamedTuple):
    """A linear model, and how its summary is made."""

    step: int
    phase: str
    round: int
    """how many R-factors were made"""
    coef: Annotated[Array, "column"]
    intercept: float
    center: Annotated[Array, "joint"]
    """where an R-factor is centred"""
    scale: Annotated[Array, "joint"]


class LeastSquares(Regressor):
    """What LinearRegression and Ridge share; `alpha` and `fit_intercept` are theirs."""

    passes = ONE
    need = Need("numeric", sparse=True, target="number")
    state_type = LinearState
    summary_types = (Moments, RFactor)
    steering = frozenset({"step", "phase", "round", "center", "scale"})

    alpha: float
    fit_intercept: bool

    def start(self, schema: Schema) -> LinearState:
        """Zero coefficients."""
        p = len(schema.columns)
        return LinearState(0, "moments", 0, np.zeros(p), 0.0, np.zeros(p + 1), np.ones(p + 1))

    def ask(self, state: LinearState) -> Ask | None:
        """Moments, then R-factors if they are not enough."""
        return None if state.step else Ask(state.phase, state.round)

    def summarize(self, state: LinearState, chunk: Chunk) -> Moments | RFactor:
        """The moments or the R-factor of the columns and the target."""
        if state.phase == "moments":
            return Moments.of(chunk)
        return RFactor.of(chunk, state.center, state.scale, state.coef, state.intercept)

    def shares(self, state: LinearState) -> str | None:
        """The same moments serve every penalty."""
        return "moments" if state.phase == "moments" else None

    def summarize_groups(self, state: LinearState, chunk: Chunk, codes: Codes, groups: int) -> list[Moments] | None:
        """The moments of each group."""
        return Moments.by_group(chunk, codes, groups) if state.phase == "moments" else None

    def judge_from(self, state: LinearState, rows: int, m: Any) -> Regression | None:
        """The errors of the predictions for other rows, read off their moments; None if that would lose digits."""
        if not isinstance(m, Moments):
            return None
        u = np.append(-state.coef, 1.0)
        around = float(u @ m.comoment @ u)
        shift = float(u @ m.mean + u @ m.rest) - state.intercept
        squared = around + m.weight * shift**2
        rough = np.abs(u)
        size = float(rough @ np.sqrt(np.diag(m.comoment))) ** 2 + m.weight * float(rough @ np.abs(m.mean)) ** 2
        if not EPS * size < 1e-11 * squared:
            return None
        spread = float(m.comoment[-1, -1])
        return Regression(rows, m.weight, float(m.mean[-1]), float(m.rest[-1]), Sum(spread), Sum(np.nan), Sum(squared))

    def update(self, state: LinearState, summary: Any) -> LinearState:
        """Solve; ask for an R-factor where that gains digits."""
        if isinstance(summary, Moments):
            values = quick(summary, self.alpha, self.fit_intercept)
            if values is not None:
                return state._replace(step=1, coef=values[:-1], intercept=float(values[-1]))
        found = self._solve(summary)
        state = state._replace(coef=found.values[:-1], intercept=float(found.values[-1]))
        if isinstance(summary, Moments) and found.wants_factor:
            return self._escalate(state, summary)
        if isinstance(summary, RFactor) and found.wants_round and 0 < state.round < ROUNDS:
            return state._replace(round=state.round + 1)
        return state._replace(step=1)

    def _escalate(self, state: LinearState, m: Moments) -> LinearState:
        center = m.mean if self.fit_intercept else np.zeros_like(m.mean)
        size = np.diag(m.comoment) + m.weight * (m.mean - center) ** 2
        scale = np.exp2(np.round(np.log2(np.where(size > 0, np.sqrt(size), 1.0))))
        return state._replace(phase="rfactor", round=1, center=center, scale=scale)

    def certify(self, state: LinearState, summary: Any) -> tuple[Claim, ...] | None:
        """How near to the optimum, how many digits hold, and whether columns repeat each other."""
        if state.phase == "moments" and not state.step:
            return None
        found = self._solve(summary, np.append(state.coef, state.intercept))
        how = "moments" if isinstance(summary, Moments) else "R-factors"
        usual = "rounding errors independent and of the usual size"
        why = f"residual of the normal equations ({how}), as a share of the squares of y"
        more = "" if state.step else "; another scan would give more"
        which = f"perturbation of the least certain coefficient, from merged {how}{more}"
        claims = [
            Claim("gap", found.gap, "estimated", why, "objective", usual),
            Claim("digits", found.digits, "estimated", which, "arithmetic", usual),
        ]
        varying = int(found.varies.sum())
        if varying < len(state.coef):
            why = "these columns change by no more than rounding; their coefficient is 0"
            still = float(len(state.coef) - varying)
            claims.append(Claim("constant columns", still, "estimated", why, "data"))
        if found.rank < varying:
            why = (
                f"only {found.rank} of {varying} columns tell something the others do not; of all "
                "solutions the shortest is given"
            )
            claims.append(Claim("rank", float(found.rank), "estimated", why, "data"))
        return tuple(claims)

    def predict_from(self, state: LinearState, X: Columns) -> Array:
        """Xβ + β₀."""
        return X @ state.coef + state.intercept

    def _solve(self, summary: Any, given: Array | None = None) -> Solution:
        """Solve, or judge the values given."""
        solve = from_moments if isinstance(summary, Moments) else from_factor
        return solve(summary, self.alpha, self.fit_intercept, given)
