"""Least squares from merged moments, or from merged R-factors where moments lose digits.

Minimise ½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|². The normal equations A β = b come from the centred
co-moments; the penalty enters here, never in the summary. A perturbation bound for each coefficient says
how many digits hold. If rounding could be seen beside the noise of the data, one more scan is asked
for, whose summary is the triangular factor of the design; with `precision="high"` the moments themselves are summed
in twice the working precision. Robust standard errors need the scores of the rows at the coefficients: one scan more.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Ask, Chunk, Claim, Codes, Columns, Design, Flags, Need, Schema, Stop
from tenfold.core.allowed import LEVELS, OneOf
from tenfold.estimator import SummaryScored
from tenfold.estimator.featured import Featured
from tenfold.estimator.grouping import with_groups
from tenfold.linear.claims import claims_of
from tenfold.linear.conjugate import Search
from tenfold.linear.inference import ROBUST, Inference, infer
from tenfold.linear.inferring import Inferring
from tenfold.linear.references import among, kept, some, steadied
from tenfold.linear.solving import EPS, Solution, from_moments, quick
from tenfold.linear.solving_double import TINY, another_round, from_double
from tenfold.linear.solving_factor import FACTOR, from_factor
from tenfold.stats.double import Double
from tenfold.stats.double_moments import DoubleMoments
from tenfold.stats.metrics import Regression, Sum
from tenfold.stats.moments import Moments
from tenfold.stats.rfactor import RFactor
from tenfold.stats.scores import DoubleScores, FactorScores, Scores, scores_of

ROUNDS = 4
"""scans for R-factors, or for double-double moments, at the most"""


FEW = 256
"""features, if categories are among them, for which R-factors are worth making them all"""


class LinearState(NamedTuple):
    """A linear model, and how its summary is made."""

    step: int
    phase: Annotated[str, OneOf("moments", "double", "rfactor", "scores", "sums", "search")]
    round: int
    """how many R-factors or double-double moments were made"""
    coef: Annotated[Array, "feature"]
    intercept: float
    center: Annotated[Array, "joint"]
    """where an R-factor is centred"""
    scale: Annotated[Array, "joint"]
    levels: Annotated[Codes, "column", LEVELS]
    """how many categories each column has, 0 if it is numeric"""
    rest: Annotated[Array, "predictor"]
    """what intercept and coefficients lack to twice the precision"""
    root: Annotated[Array, "known", "direction"]
    """R with RRᵀ the inverse of the normal matrix, while scores are asked for"""
    search: Search
    """where it is, if there are too many categories for a matrix"""


class LeastSquares(Inferring, Featured, SummaryScored):
    """What LinearRegression and Ridge share; the parameters are theirs."""

    passes = ONE
    need = Need("mixed", sparse=True, target="number")
    state_type = LinearState
    summary_types: ClassVar[tuple[type, ...]] = (Moments, RFactor, DoubleMoments, Scores, FactorScores, DoubleScores)
    steering = frozenset({"step", "phase", "round", "center", "scale", "levels", "rest", "root", "search"})

    alpha: float
    fit_intercept: bool
    standard_errors: str = "classical"
    precision: str = "normal"

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        checkpoint: Any = None,
        stop: Stop | None = None,
    ) -> Any:
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
            With `standard_errors="cluster"`: the cluster of each row, or the name of the column that says it, which
            is then no feature. A Source takes a name.
        checkpoint : str, path or Checkpoint, optional
            A folder in which to save how far the fit is; a fit that was cut off goes on from there.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            As all learners take it; one of a single pass has nothing to stop.

        Returns
        -------
        self : object
        """
        if groups is not None:
            if self.standard_errors != "cluster":
                raise ValueError('groups go with standard_errors="cluster"')
            X, y, sample_weight = with_groups(self, X, y, sample_weight, groups), None, None
        return super().fit(X, y, sample_weight, checkpoint=checkpoint, stop=stop)

    def start(self, schema: Schema) -> LinearState:
        """Zero coefficients."""
        p = int(schema.size("feature") or 0)
        phase, none = "double" if self.precision == "high" else "moments", np.zeros((0, 0))
        joint = np.zeros(p + 1)
        return LinearState(
            0, phase, 0, np.zeros(p), 0.0, joint, np.ones(p + 1), schema.levels, joint, none, Search.none()
        )

    def ask(self, state: LinearState) -> Ask | None:
        """Moments, then R-factors if they are not enough, then scores if the standard errors need them."""
        return None if state.step else Ask(state.phase, state.round)

    def summarize(self, state: LinearState, chunk: Chunk) -> Any:
        """The moments or the R-factor of the columns and the target, with the scores if they are asked for."""
        coef, p = state.coef, len(state.coef)
        if self.precision == "high":
            at = Double(np.append(state.intercept, coef), state.rest)
            base: Any = DoubleMoments.of(chunk, at, state.center[:p], state.levels)
        elif state.round == 0:
            base = Moments.of(chunk, state.levels)
        else:
            base = RFactor.of(chunk, state.center, state.scale, coef, state.intercept, state.levels)
        if state.phase != "scores":
            return base
        how = "HC0" if self.standard_errors == "HC1" else self.standard_errors
        center = state.center[:p]
        return scores_of(base, chunk, how, coef, state.intercept, center, state.root, state.levels)

    def shares(self, state: LinearState) -> str | None:
        """The same moments serve every penalty."""
        return "moments" if state.phase == "moments" else None

    def summarize_groups(self, state: LinearState, chunk: Chunk, codes: Codes, groups: int) -> list[Moments] | None:
        """The moments of each group, at once if all columns are numeric."""
        if state.phase != "moments" or state.levels.any():
            return None
        return Moments.by_group(chunk, codes, groups)

    def regression_from(self, state: Any, rows: int, summary: Any) -> Regression | None:
        """The errors of the predictions for other rows, read off their moments; None if that would lose digits."""
        if not isinstance(summary, Moments):
            return None
        m, u = summary, np.append(-state.coef, 1.0)
        around = float(u @ m.comoment @ u)
        shift = float(u @ m.mean + u @ m.rest) - state.intercept
        squared = around + m.weight * shift**2
        rough, spread = np.abs(u), np.sqrt(np.maximum(np.diag(m.comoment), 0.0))
        size = float(rough @ spread) ** 2 + m.weight * float(rough @ np.abs(m.mean)) ** 2
        if not EPS * size < 1e-11 * squared:
            return None
        target = float(m.mean[-1]), float(m.rest[-1]), Sum(float(m.comoment[-1, -1]))
        return Regression(rows, m.weight, *target, Sum(np.nan), Sum(squared))

    def update(self, state: LinearState, summary: Any) -> LinearState:
        """Solve; ask for an R-factor or another round where that gains digits, then for scores."""
        base, last = getattr(summary, "base", summary), isinstance(summary, Scores)
        if isinstance(base, Moments):
            keep = self._kept(state, base)
            values = quick(self._solvable(state, base), self.alpha, self.fit_intercept)
            if values is not None:
                values = among(values, keep)
                return self._solved(state._replace(coef=values[:-1], intercept=float(values[-1])), summary)
        found, exact = self._found(state, base)
        values = among(found.values, self._kept(state, base))
        state = state._replace(coef=values[:-1], intercept=float(values[-1]))
        if isinstance(base, Moments) and found.wants_factor and (len(values) <= FEW or not state.levels.any()):
            return self._escalate(state, base)
        if isinstance(base, DoubleMoments):
            center = np.append(base.mean[:-1] * self.fit_intercept, 0.0)
            state = state._replace(rest=exact.low, center=center)
            if not last and another_round(base, found, exact) and state.round < ROUNDS:
                return state._replace(round=state.round + 1)
        if isinstance(base, RFactor) and not last and found.wants_round and 0 < state.round < ROUNDS:
            return state._replace(round=state.round + 1)
        return self._solved(state, summary)

    def _solved(self, state: LinearState, summary: Any) -> LinearState:
        """Finished, unless scores are to be taken at these coefficients."""
        if self.standard_errors not in ROBUST or (isinstance(summary, Scores) and summary.fits):
            return state._replace(step=1, root=np.zeros((0, 0)))
        base = getattr(summary, "base", summary)
        center = state.center
        if isinstance(base, Moments):
            center = base.mean if self.fit_intercept else np.zeros_like(base.mean)
        return state._replace(phase="scores", center=center, root=self._judged(state, base).root)

    def _escalate(self, state: LinearState, m: Moments) -> LinearState:
        center = m.mean if self.fit_intercept else np.zeros_like(m.mean)
        size = np.diag(m.comoment) + m.weight * (m.mean - center) ** 2
        scale = np.exp2(np.round(np.log2(np.sqrt(np.where(size > 0, size, 1.0)))))
        return state._replace(phase="rfactor", round=1, center=center, scale=scale)

    def certify(self, state: LinearState, summary: Any) -> tuple[Claim, ...] | None:
        """How near to the optimum, how many digits hold, and whether columns repeat each other."""
        if state.phase in ("moments", "double") and not state.step:
            return None
        base = getattr(summary, "base", summary)
        found = self._solve(state, base, np.append(state.coef, state.intercept))
        how = {Moments: "moments", RFactor: "R-factors"}.get(type(base), "double-double moments")
        return claims_of(found, how, bool(state.step))

    def predict_from(self, state: LinearState, X: Columns) -> Array:
        """Xβ + β₀."""
        return Design.of(X, state.levels) @ state.coef + state.intercept

    def _solve(self, state: LinearState, summary: Any, given: Array | None = None) -> Solution:
        """Solve, or judge the values given: of the features that have a coefficient."""
        return self._found(state, summary, given)[0]

    def _judged(self, state: LinearState, base: Any) -> Solution:
        """The solution that the state has, of all features."""
        given, keep = np.append(state.coef, state.intercept), self._kept(state, base)
        found = self._found(state, base, given, some(base, keep))[0]
        if keep is None:
            return found
        root, center = np.zeros((len(keep) + 1, found.root.shape[1])), np.zeros(len(keep))
        root[np.append(True, keep)], center[keep] = found.root, found.center
        return found._replace(values=among(found.values, keep), root=root, center=center)

    def _found(
        self, state: LinearState, base: Any, given: Array | None = None, solvable: Any = None
    ) -> tuple[Solution, Double]:
        """The solution, and the intercept and coefficients before they were rounded."""
        keep = self._kept(state, base)
        given = given if given is None or keep is None else given[np.append(keep, True)]
        solvable = self._solvable(state, base) if solvable is None else solvable
        if isinstance(base, DoubleMoments):
            found, exact = from_double(solvable, self.alpha, self.fit_intercept, given)
            exact = Double(*(np.roll(among(np.roll(part, -1), keep), 1) for part in exact))
        else:
            solve = from_moments if isinstance(base, Moments) else from_factor
            found = solve(solvable, self.alpha, self.fit_intercept, given)
            exact = Double.of(np.roll(among(found.values, keep), 1))
        return found, exact

    def infer(self) -> Inference:
        """What the summary says about the coefficients: standard errors and what follows from them."""
        summary, kind = self.summary_, self.standard_errors
        if summary is None:
            raise ValueError("this model was saved without its summary, and standard errors are made from that")
        robust = isinstance(summary, Scores)
        if kind in ROBUST and not (robust and summary.fits):
            raise ValueError(
                f"{kind} standard errors need the rows at these coefficients, and this model was merged from others. "
                'Remedy: fit to all rows, or use standard_errors="classical", which merge'
            )
        base = summary.base if robust else summary
        found, rows = self._judged(self.state_, base), float(base.weight)
        lost = {Moments: EPS, RFactor: FACTOR * np.sqrt(found.rss / found.tss) if found.tss else 0.0}
        unit = float(lost.get(type(base), TINY))
        return infer(found, kind, self.alpha, self.fit_intercept, rows, unit, summary if robust else None)

    def _kept(self, state: LinearState, summary: Any) -> Flags | None:
        """The features that have a coefficient; None, all.

        Without a penalty the categories of a column say no more than the constant does: the first that has any
        weight is the one that the others are compared with. So it is with the constant that the categories of the
        first column make, if there is no other.
        """
        if self.alpha or not state.levels.any():
            return None
        present = (summary if isinstance(summary, Moments) else summary.moments()).mean > 0
        return kept(state.levels, present, self.fit_intercept)

    def _solvable(self, state: LinearState, base: Any) -> Any:
        """Of the features that have a coefficient; with a penalty, of all, and better conditioned."""
        if self.alpha and state.levels.any() and isinstance(base, Moments):
            return steadied(base, state.levels, self.fit_intercept)
        return some(base, self._kept(state, base))
