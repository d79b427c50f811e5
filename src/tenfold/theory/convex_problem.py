"""Convex problems whose objective and constraints are functions: Lagrangian, optimality conditions, dual function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenfold.theory.checks import matrix, of_length, vector
from tenfold.theory.optimality import Residuals

Function = Callable[[NDArray[Any]], Any]
STEP = 6e-6
"""of central differences, relative: about the cube root of the rounding of float64"""
WRONG_GRADIENT = 1e-4
"""difference from central differences, relative, above which a gradient is refused"""
UNBOUNDED = -1e12
"""value below which a Lagrangian counts as unbounded, times its size at the start"""


class ConvexProblem:
    """f(x) least where gᵢ(x) ≤ 0 for all i, and Ax = b; f and the gᵢ are convex functions.

    Whether they are convex is not checked: without it the conditions are not enough for an optimum.

    Parameters
    ----------
    objective : callable
        f: a number for an array x.
    gradient : callable, optional
        ∇f. By default central differences, of which the last third of the digits is rounding. A gradient that differs
        from these at a point that is asked about is refused.
    constraints : sequence of callable
        The gᵢ.
    constraint_gradients : sequence of callable, optional
        The ∇gᵢ, as many.
    A, b : arrays of shape (l, n) and (l,), optional
        Equalities.

    Examples
    --------
    The entropy is largest, log 3, where all three probabilities are equal:

    >>> import numpy as np
    >>> from tenfold.theory import ConvexProblem
    >>> problem = ConvexProblem(lambda p: p @ np.log(p), lambda p: np.log(p) + 1, A=[[1, 1, 1]], b=[1])
    >>> third = np.full(3, 1 / 3)
    >>> problem.kkt(third, y=[np.log(3) - 1]).worst < 1e-12
    True
    >>> problem.kkt([0.5, 0.25, 0.25], y=[np.log(3) - 1]).stationarity.__round__(3)
    0.405
    """

    def __init__(
        self,
        objective: Function,
        gradient: Function | None = None,
        *,
        constraints: Sequence[Function] = (),
        constraint_gradients: Sequence[Function] | None = None,
        A: ArrayLike | None = None,
        b: ArrayLike | None = None,
    ) -> None:
        self.objective, self.gradient, self.constraints = objective, gradient, tuple(constraints)
        given: Sequence[Function | None] = constraint_gradients or [None] * len(self.constraints)
        if len(given) != len(self.constraints):
            raise ValueError(
                f"constraint_gradients must be one for each of the {len(self.constraints)} constraints, "
                f"not {len(given)}"
            )
        if (A is None) != (b is None):
            raise ValueError("give A and b together")
        self.constraint_gradients = tuple(given)
        self.A, self.b = A, b

    def lagrangian(self, x: ArrayLike, z: ArrayLike = (), y: ArrayLike = ()) -> float:
        """L(x, z, y) = f(x) + Σ zᵢ gᵢ(x) + y'(Ax - b): for z ≥ 0 at most f(x) at every x that is allowed.

        Parameters
        ----------
        x : array of shape (n,)
        z : array of shape (constraints,)
            Multipliers of the gᵢ.
        y : array of shape (l,)
            Multipliers of Ax = b.

        Returns
        -------
        float
        """
        x, z, y, A, b = self._checked(x, z, y)
        return self._lagrangian(x, z, y, A, b)

    def kkt(self, x: ArrayLike, z: ArrayLike = (), y: ArrayLike = ()) -> Residuals:
        """Residuals of the conditions of Karush, Kuhn and Tucker at a point and its multipliers.

        Parameters
        ----------
        x : array of shape (n,)
        z : array of shape (constraints,)
            Multipliers of the gᵢ.
        y : array of shape (l,)
            Multipliers of Ax = b.

        Returns
        -------
        Residuals
            ∇f + Σ zᵢ ∇gᵢ + A'y = 0; gᵢ ≤ 0, Ax = b; z ≥ 0; zᵢ gᵢ = 0; the gap is f(x) - L(x, z, y), which is that to
            the dual value where x makes the Lagrangian least.
        """
        x, z, y, A, b = self._checked(x, z, y)
        g = np.array([self._value(one, x, f"constraint {i}") for i, one in enumerate(self.constraints)])
        off = A @ x - b
        slope = self._slope(x, z, y, A, check=True)
        return Residuals(
            _largest(np.abs(slope)),
            max(_largest(g), _largest(np.abs(off))),
            _largest(-z),
            _largest(np.abs(z * g)),
            -float(z @ g) - float(y @ off),
        )

    def dual_value(self, z: ArrayLike = (), y: ArrayLike = (), *, start: ArrayLike) -> float:
        """The dual function, the least of L(x, z, y) over x: never above the optimum, and there at the best z and y.

        It is looked for by BFGS, so it is an estimate, from above.

        Parameters
        ----------
        z : array of shape (constraints,)
            Multipliers of the gᵢ, none below 0.
        y : array of shape (l,)
            Multipliers of Ax = b.
        start : array of shape (n,)
            Where to begin: a point at which all functions have a value.

        Returns
        -------
        float
            -inf if values fall without end.
        """
        from scipy.optimize import minimize

        x, z, y, A, b = self._checked(start, z, y)
        if (z < 0).any():
            raise ValueError("z, the multipliers of inequalities, must not be below 0")
        first = self._lagrangian(x, z, y, A, b)
        self._slope(x, z, y, A, check=True)
        limit = UNBOUNDED * max(abs(first), 1.0)

        def value(at: NDArray[Any]) -> float:
            with np.errstate(all="ignore"):
                found = self._lagrangian(at, z, y, A, b, finite=False)
            return found if np.isfinite(found) or found == -inf else inf

        def slope(at: NDArray[Any]) -> NDArray[Any]:
            with np.errstate(all="ignore"):
                return np.asarray(np.nan_to_num(self._slope(at, z, y, A)))

        done = minimize(value, x, jac=slope, method="BFGS", options={"gtol": 1e-9, "maxiter": 10_000})
        along = done.x - x
        further = min(value(x + 10.0**k * along) for k in range(1, 31))
        if min(done.fun, further) < limit:
            return -inf
        steep = _largest(np.abs(slope(done.x)))
        size = max(1.0, abs(done.fun))
        if steep > 1e-5 * size or further < done.fun - 1e-6 * size:
            raise ValueError(
                f"no least value of the Lagrangian was found from this start: it is {done.fun:.6g} where its gradient "
                f"has the size {steep:.2g}. Remedy: another start; multipliers at which it has a least value"
            )
        return float(done.fun)

    # ---- within -----------------------------------------------------------------------------------------------

    def _checked(self, x: ArrayLike, z: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], ...]:
        x = vector("x", x)
        z = of_length("z", z, len(self.constraints))
        if self.A is None or self.b is None:
            of_length("y", y, 0)
            return x, z, np.zeros(0), np.zeros((0, len(x))), np.zeros(0)
        A = matrix("A", self.A, len(x))
        return x, z, of_length("y", y, len(A)), A, of_length("b", self.b, len(A))

    def _value(self, function: Function, x: NDArray[Any], name: str) -> float:
        found = np.asarray(function(x), dtype=np.float64)
        if found.shape not in ((), (1,)) or not np.isfinite(found).all():
            raise ValueError(f"{name} must give a finite number, and gave {found.tolist()!r} at x = {x.tolist()}")
        return float(found.reshape(()))

    def _lagrangian(
        self, x: NDArray[Any], z: NDArray[Any], y: NDArray[Any], A: NDArray[Any], b: NDArray[Any], finite: bool = True
    ) -> float:
        functions = [("the objective", self.objective, 1.0)]
        functions += [(f"constraint {i}", one, float(z[i])) for i, one in enumerate(self.constraints)]
        values = [m * (self._value(f, x, name) if finite else float(np.asarray(f(x)))) for name, f, m in functions if m]
        return float(sum(values)) + float(y @ (A @ x - b))

    def _slope(
        self, x: NDArray[Any], z: NDArray[Any], y: NDArray[Any], A: NDArray[Any], *, check: bool = False
    ) -> NDArray[Any]:
        """The gradient of the Lagrangian at x."""
        out = A.T @ y
        both = zip(("the objective",), (self.objective,), (self.gradient,), (1.0,), strict=True)
        names = (f"constraint {i}" for i in range(len(self.constraints)))
        for name, function, gradient, factor in (
            *both,
            *zip(names, self.constraints, self.constraint_gradients, z.tolist(), strict=True),
        ):
            if gradient is None:
                found = _differences(function, x)
            else:
                found = np.asarray(gradient(x), dtype=np.float64)
                if found.shape != x.shape:
                    raise ValueError(f"the gradient of {name} must have the shape {x.shape}, not {found.shape}")
                if check:
                    _check_gradient(function, x, found, name)
            out = out + factor * found
        return np.asarray(out)


def _differences(function: Function, x: NDArray[Any]) -> NDArray[Any]:
    """The gradient by central differences."""
    out = np.empty(len(x))
    for j in range(len(x)):
        step = np.zeros(len(x))
        step[j] = STEP * max(1.0, abs(x[j]))
        out[j] = (float(np.asarray(function(x + step))) - float(np.asarray(function(x - step)))) / (2 * step[j])
    return out


def _check_gradient(function: Function, x: NDArray[Any], found: NDArray[Any], name: str) -> None:
    """Refuse a gradient that central differences contradict, where they have values."""
    with np.errstate(all="ignore"):
        numeric = _differences(function, x)
    off = np.abs(found - numeric)
    wrong = np.flatnonzero(np.isfinite(numeric) & (off > WRONG_GRADIENT * np.maximum(1.0, np.abs(numeric).max())))
    if len(wrong):
        j = int(wrong[0])
        raise ValueError(
            f"the gradient of {name} is {found[j]:.6g} in x[{j}] at x = {x.tolist()}, and differences of its values "
            f"give {numeric[j]:.6g}. Remedy: correct it, or leave it out: then differences are taken"
        )


def _largest(violations: NDArray[Any]) -> float:
    """The largest, at least 0."""
    return float(np.max(violations, initial=0.0))
