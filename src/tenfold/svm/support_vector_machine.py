"""What support vector machines share: parameters, the kernel, decisions of rows and the claims of a certificate.

A machine is f(x) = Σ βᵢ k(xᵢ, x) + b over its support vectors. A model has one or several of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, DataError, Never, Schema, Stop, Values
from tenfold.core.errors import warn_user
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import boolean, choice, integer, real
from tenfold.estimator.shell.kinds import warn_not_converged
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.given_kernels import PrecomputedKernel
from tenfold.kernels.kernel_expansion import KernelExpansion
from tenfold.kernels.kernel_names import SKLEARN_NAMES
from tenfold.stats.rows.training_objects import AllObjects, TrainingObjects
from tenfold.stats.rows.training_rows import AllRows, TrainingRows
from tenfold.svm.dual.dual_problem import DualProblem, DualSolution, KernelRows, by_row, solve_dual
from tenfold.svm.dual.origin_kernel import OriginKernel, with_origin, without_origin
from tenfold.svm.separable import NEARLY_SEPARABLE
from tenfold.theory.bounds.margin_bound import margin_dimension
from tenfold.theory.optimality import Residuals, kkt_box

EPS = 2.0**-52
MANY, TOO_MANY = 100_000, 1_000_000
"""rows of a machine above which the user is warned, and above which they are refused"""
SOFT_LIMIT = 10_000_000
"""moves, or a hundred for each row, after which training stops with a warning: LIBSVM's own limit"""
HARD_LIMIT = 1_000_000
"""moves, and two hundred for each row, after which a hard margin is given up: without one, variables grow for ever"""


def slow_with_rows(learner: str, n: int, relative: str) -> str:
    """The warning of rows with which machines take long; `relative` is what to call for them."""
    return (
        f"{learner} has {n:,} rows: a machine compares them with each other, so its time grows with the square of "
        f"their number. Remedy: {relative}, whose time grows with the rows; or a sample of them"
    )


def too_many_rows(learner: str, n: int, relative: str) -> DataError:
    """The error of rows with which machines would take days."""
    return DataError(f"{slow_with_rows(learner, n, relative)}; or a limit, max_iter=")


class RowsOfMachines(AllRows):
    """All rows, refused by their number before any is read."""

    learner: str = ""
    most: int = 0
    """rows; 0: any number"""

    def check_count(self, rows: int) -> None:
        if 0 < self.most < rows:
            raise too_many_rows(self.learner, rows, self.relative)


class Machine(NamedTuple):
    """One binary problem to train: its rows and its dual problem."""

    rows: Codes
    dual: DualProblem


class KernelMachine(KernelExpansion):
    """Base of `SVC` and `SVR`."""

    of_two_rows = False

    _: KW_ONLY
    kernel: Annotated[str | Kernel | Any, choice(*SKLEARN_NAMES), callable, Kernel] = "rbf"
    degree: Annotated[int, integer(0)] = 3
    gamma: Annotated[str | float, choice("scale", "auto"), real(0)] = "scale"
    coef0: Annotated[float, real(-math.inf, open=True)] = 0.0
    tol: Annotated[float, real(0, open=True)] = 1e-3
    shrinking: Annotated[bool, boolean] = True
    cache_size: Annotated[float, real(0, open=True)] = 200
    verbose: Annotated[bool, "verbose"] = False
    max_iter: Annotated[int, integer(-1)] = -1
    fit_intercept: Annotated[bool, boolean] = True

    def stop(self) -> Stop:
        return Never()

    def statistic(self, schema: Schema) -> AllRows | AllObjects:
        # All rows are gathered: a machine compares each with each.
        self.check_kernel(schema)
        if self.object_kind is not None:
            return self.rows_to_gather(self.most_rows(schema))
        return RowsOfMachines(self.relative, learner=type(self).__name__, most=self.most_rows(schema))

    def most_rows(self, schema: Schema) -> int:
        """The number of rows above which some machine has too many, however the classes share them; 0: any."""
        return TOO_MANY if self.max_iter < 0 else 0

    def is_valid(self, model: Any, summary: Any, schema: Schema) -> bool:
        some = len(model.support)
        vectors = len(model.support_vectors) == (some if self.object_kind is None and not self.precomputed else 0)
        kind = self.object_kind or ""
        vectors = vectors and model.objects.kind == kind and len(model.objects.ends) == (some if kind else 0)
        width = model.support_vectors.shape[1] == len(schema.columns)
        places = not self.precomputed or bool((model.support < len(schema.columns)).all())
        return vectors and width and places and (summary is None or bool((model.position < len(summary)).all()))

    def compared(self, s: TrainingRows | TrainingObjects, gamma: float) -> tuple[Kernel, Any]:
        """The kernel, and the rows as it takes them."""
        if isinstance(s, TrainingObjects) or not self.precomputed:
            return self.kernel_of(gamma), s.X
        K = self.given_gram(s)
        return PrecomputedKernel((K + K.T) / 2), np.arange(len(K), dtype=np.float64)[:, None]

    def vectors(self, s: TrainingRows | TrainingObjects, some: Codes) -> Array:
        """Support vectors, as scikit-learn has them: of a precomputed kernel there are none; objects are elsewhere."""
        if isinstance(s, TrainingObjects):
            return np.zeros((0, 1))
        return s.X[:0] if self.precomputed else s.X[some]

    def train(self, kernel: Kernel, X: Values, machines: Sequence[Machine]) -> list[DualSolution]:
        """Solve the dual of each machine."""
        self._judge_rows(max(len(rows) for rows, _ in machines))
        found, memory = [], int(self.cache_size * (1 << 20))
        hard = math.isinf(self.C) and self.max_iter < 0
        soft = self.max_iter if self.max_iter >= 0 else max(SOFT_LIMIT, 100 * len(X))
        most = HARD_LIMIT + 200 * len(X) if hard else soft
        for rows, dual in machines:
            compared, at, problem = kernel, X[rows], dual
            if not self.fit_intercept:
                compared = OriginKernel.of(kernel, at)
                at, problem = np.arange(len(rows) + 1), with_origin(dual, len(rows))
            one = solve_dual(compared, at, problem, self.tol, memory=memory, max_moves=most, shrinking=self.shrinking)
            found.append(one if self.fit_intercept else without_origin(one, len(rows)))
            if hard and found[-1].moves >= most:
                raise DataError(NEARLY_SEPARABLE)
        if any(each.moves >= most for each in found):
            limit = f"max_iter={self.max_iter}" if self.max_iter >= 0 else f"{most:,} moves"
            warn_not_converged(
                f"Solver terminated early ({limit}). Consider pre-processing your data with StandardScaler or "
                "MinMaxScaler."
            )
        return found

    def _judge_rows(self, n: int) -> None:
        """Warn if training takes long for this number of rows, and raise if it would take days."""
        if n <= MANY or self.max_iter >= 0:
            return
        if n > TOO_MANY:
            raise too_many_rows(type(self).__name__, n, self.relative)
        warn_user(slow_with_rows(type(self).__name__, n, self.relative))

    @property
    @fitted
    def support_vectors_(self) -> Any:
        """The rows that are support vectors: numbers, or an array of the strings, sets or trees."""
        model = self.model_
        return model.support_vectors if self.object_kind is None else model.objects.objects()

    def decisions(self, model: Any, X: Columns) -> Array:
        """f of each row by each machine."""
        stored = model.support_vectors
        if self.precomputed:
            stored = model.support.astype(np.float64)[:, None]
        elif self.object_kind is not None:
            stored = model.objects.objects()
        return self.expand(stored, model.gamma, np.ascontiguousarray(model.weights.T), X) + model.intercept


def weights_of(machines: Sequence[Machine], found: Sequence[DualSolution], n: int) -> Array:
    """β of each row in each machine."""
    out = np.zeros((len(machines), n))
    for each, (rows, dual), solution in zip(out, machines, found):
        each[rows] = by_row(solution.beta, dual.row, len(rows))
    return out


def values_of(kernel: Kernel, X: Values, beta: Array) -> Array:
    """Σ βᵢ k(xᵢ, x) of all rows, in float64."""
    some, out = np.flatnonzero(beta), np.zeros(len(X))
    rows = KernelRows(kernel, X, np.float64, 0)
    for first in range(0, len(some), 512):
        at = some[first : first + 512]
        rows.add_others(X[at], beta[at], out)
    return out


class VerifiedMachine(NamedTuple):
    """Optimality residuals and objectives of one binary problem, in float64."""

    residuals: Residuals
    primal: float
    square: float
    """‖w‖²"""
    values: Array
    """f of each row"""


def verify(
    kernel: Kernel, X: Values, dual: DualProblem, beta: Array, bias: float, *, offset: bool = True
) -> VerifiedMachine:
    """Residuals of the optimality conditions at these variables, in float64; without `offset` the bias is 0."""
    b = by_row(beta, dual.row, len(X))
    F = values_of(kernel, X, b)
    f = F + bias
    conditions: tuple[Array, ...] = (f[dual.row], dual.target, dual.low, dual.high, beta)
    if not offset:  # variables need not add up to 0: what they lack is that of the origin, which has any size
        none, free, rest = np.zeros(2), np.array([0.0, np.inf]), -float(beta.sum())
        of_origin = (none, none, -free, free[::-1], np.array([max(rest, 0.0), min(rest, 0.0)]))
        conditions = tuple(np.concatenate(each) for each in zip(conditions, of_origin, strict=True))
    found = kkt_box(*conditions)
    square = max(float(b @ F), 0.0)
    scale = float(np.abs(kernel.diagonal(X)).max(initial=0.0)) * float(np.abs(b).sum())
    if np.isinf(dual.high).any() or np.isinf(dual.low).any():  # a hard margin: made wide enough, the plane is feasible
        least = float((dual.target * f).min(initial=np.inf)) - EPS * 8 * scale
        value = 0.5 * square / least**2 if least > 0 else math.inf
        gap = value - (float(dual.target @ beta) - 0.5 * square)
    else:
        gap, width = found.gap, float((dual.high - dual.low).sum())
        gap += abs(bias * float(b.sum())) + EPS * 8 * scale * width
        value = float(dual.target @ beta) - 0.5 * square + gap
    found = Residuals(found.stationarity, found.feasibility, found.multipliers, found.complementarity, max(gap, 0.0))
    return VerifiedMachine(found, value, square, f)


def claims_of(judged: Sequence[VerifiedMachine], support: int, rows: int, psd: bool) -> tuple[Claim, ...]:
    """Claims about the binary problems of one model."""
    gap = math.fsum(each.residuals.gap for each in judged)
    primal = math.fsum(each.primal for each in judged)
    worst = max((each.residuals.worst for each in judged), default=0.0)
    status: Any = "proved" if psd else "estimated"
    assumes = "" if psd else "a positive semidefinite kernel, which is not proved of this one"
    why = f"primal value {primal:.9g} minus that of the dual, both at this model, in float64, rounding counted"
    say = "share of the primal value that the optimum may be below it"
    share = gap / primal if primal > 0 else 0.0
    return (
        Claim("gap", gap, status, why, "objective", assumes),
        Claim("relative gap", share, status, say, "objective", assumes),
        Claim("KKT violation", worst, "proved", "largest residual of the optimality conditions", "objective"),
        Claim("support vectors", float(support), "proved", f"of {rows:,} rows", "data"),
    )


def margin_claims(judged: VerifiedMachine, kernel: Kernel, X: Values, hard: bool) -> tuple[Claim, ...]:
    """The margin of one machine and, if no row is inside, how many points such planes can shatter."""
    if not judged.square > 0:
        return ()
    margin = 1.0 / math.sqrt(judged.square)
    claims = [Claim("margin", margin, "proved", "1/‖w‖: half the width of the strip between the classes", "data")]
    radius = math.sqrt(float(kernel.diagonal(X).max(initial=0.0)))
    if hard and radius > 0:
        bound = margin_dimension(radius, margin)
        why = f"min(⌈R²/γ²⌉, d) + 1 points at most can planes with this margin shatter, with R = {radius:.6g}"
        claims.append(Claim("margin dimension", float(bound), "proved", why, "unseen rows", bound.assumptions))
    return tuple(claims)
