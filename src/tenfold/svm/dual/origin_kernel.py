"""A kernel of rows and of one point more, the origin of the features: φ = 0, so that k is 0 with it.

A machine without an offset is one with an offset whose rows have one more: the origin, with the target 0 and a dual
variable of any size. Its condition is f = 0 at the origin, so the offset is 0; and the constraint that the variables
add up to 0 constrains no other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Codes
from tenfold.kernels.algebra import Kernel, Out, rows_of
from tenfold.kernels.proof import Proof
from tenfold.svm.dual.dual_problem import DualProblem, DualSolution


class OriginKernel(Kernel):
    """The kernel of some rows, told by their numbers, and of the origin, which has the next number.

    Parameters
    ----------
    kernel : Kernel
        Of the rows.
    rows : array
        What it compares.
    """

    domain = "places"
    kernel: Kernel
    rows: Any

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> OriginKernel:
        """The kernel of these rows and of the origin."""
        rows = rows_of(kernel, X)
        return cls(kernel, rows if isinstance(rows, np.ndarray) else X)

    def prepare(self, Z: Codes, dtype: Any) -> tuple[Codes, Any, Any]:
        # Which of the places are rows; these rows, and what the kernel prepares of them.
        z = np.flatnonzero(len(self.rows) > Z)
        there = self.rows[Z[z]]
        return z, there, self.kernel.prepare(there, dtype)

    def fill(self, X: Codes, Z: Codes, prepared: tuple[Codes, Any, Any], out: Out) -> None:
        z, there, made = prepared
        x = np.flatnonzero(len(self.rows) > X)
        if len(x) == len(X) and len(z) == len(Z):
            self.kernel.fill(self.rows[X], there, made, out)
            return
        block = np.empty((len(x), len(z)), out.dtype)
        self.kernel.fill(self.rows[X[x]], there, made, block)
        out[:] = 0.0
        out[np.ix_(x, z)] = block

    def diagonal_of(self, X: Codes) -> Array:
        out, x = np.zeros(len(X)), np.flatnonzero(len(self.rows) > X)
        out[x] = self.kernel.diagonal_of(self.rows[X[x]])
        return out

    def proof(self) -> Proof:
        return self.kernel.proof()

    def __str__(self) -> str:
        return str(self.kernel)


def with_origin(dual: DualProblem, n: int) -> DualProblem:
    """The dual of n rows with the variables of the origin, the row after them: one, or one of each sign."""
    zero, free = np.zeros(1), np.full(1, np.inf)
    row = np.full(1, n)
    if len(dual.row) == n:
        return _joined(dual, DualProblem(row, zero, -free, free))
    ups, downs = (
        DualProblem(dual.row[some], dual.target[some], dual.low[some], dual.high[some])
        for some in (slice(n), slice(n, None))
    )
    return _joined(ups, DualProblem(row, zero, zero, free), downs, DualProblem(row, zero, -free, zero))


def _joined(*duals: DualProblem) -> DualProblem:
    """The variables of several duals, one after another."""
    return DualProblem(
        np.concatenate([dual.row for dual in duals]),
        np.concatenate([dual.target for dual in duals]),
        np.concatenate([dual.low for dual in duals]),
        np.concatenate([dual.high for dual in duals]),
    )


def without_origin(found: DualSolution, n: int) -> DualSolution:
    """The solution of the n rows alone; its offset is 0."""
    beta = found.beta[:n] if len(found.beta) == n + 1 else np.concatenate([found.beta[:n], found.beta[n + 1 : -1]])
    return found._replace(beta=beta, values=found.values[:n], bias=0.0)
