"""How many rows a support vector machine without them may get wrong, at most, from the machine of all rows.

Without a row with α = 0, w is unchanged. The offset stays between the bounds of the other rows: those with α = 0 are
not inside the margin, those at their price C not outside, and the others are on its edge.

A support vector, with all rows of one price C, is right if 2αR² + ξ < 1 (Joachims' ξα bound), R² being the largest
minus the smallest value of the kernel. For let g(a) be the optimum of the dual with its variable at a. Between 0 and C
another variable is inside its bounds, since those at 0 and C alone cannot balance a, so g has a derivative g', which
falls by 2R² at most for each unit. At a = α it is ξ, if the offset of the machine is certain: some variable is inside
its bounds. At a = 0 it is 1 - y f(x) of the machine without the row, if the offset of that one is certain. A machine
whose variables are all 0 or C has an objective of at least C; that without the row is not above the objective of all
rows minus Cξ. So where this is below C, the offset is certain. Any other support vector may be wrong.
"""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Claim, Values
from tenfold.core.arrays import Flags
from tenfold.kernels.algebra import Kernel
from tenfold.svm.dual.dual_problem import DualProblem
from tenfold.svm.support_vector_machine import VerifiedMachine


def leave_one_out_claim(
    kernel: Kernel,
    X: Values,
    dual: DualProblem,
    beta: Array,
    judged: VerifiedMachine,
    weight: Array,
    chosen_beforehand: bool,
) -> Claim:
    """The share of the rows that a machine without them may get wrong, at most.

    Parameters
    ----------
    kernel : Kernel
    X : rows
    dual : Dual
        Of all rows.
    beta : array of shape (rows,)
        Its variables, with the signs of the classes.
    judged : Judged
        Objective and values of the machine.
    weight : array of shape (rows,)
    chosen_beforehand : bool
        Whether the kernel and C are unchanged when a row is left out.
    """
    positive, support = dual.target > 0, beta != 0
    wrong = np.where(support, ~_right_by_slack(kernel, X, dual, beta, judged), ~_right_by_offset(dual, beta, judged))
    wrong |= np.where(positive, positive.sum(), (~positive).sum()) == 1  # without the row there is one class
    value = float(weight[wrong].sum() / weight.sum())
    why = (
        "weight, over all, of rows that may be wrong when they are left out: support vectors, but for those with "
        "2αR² + ξ < 1 without which the offset is certain, and rows without which the offset may move past them"
    )
    if chosen_beforehand:
        return Claim("leave-one-out bound", value, "proved", why, "data", "the optimum of the dual")
    assumes = "the optimum of the dual; kernel and prices, which were made from the rows, stay when one is left out"
    return Claim("leave-one-out bound", value, "estimated", why, "data", assumes)


def _right_by_slack(kernel: Kernel, X: Values, dual: DualProblem, beta: Array, judged: VerifiedMachine) -> Flags:
    """Which support vectors are right by the ξα bound, where it is proved."""
    price, slack = dual.high - dual.low, np.maximum(0.0, 1 - dual.target * judged.values)
    if not (price == price[:1]).all() or not _inside(dual, beta).any():
        return np.zeros(len(beta), bool)
    hard = np.isinf(price)
    certain = hard | (judged.primal - np.where(hard, 0.0, price) * slack < price)
    diagonal = float(kernel.diagonal(X).max(initial=0.0))
    reach = diagonal if kernel.never_negative else 2 * diagonal  # largest minus smallest value
    return np.asarray(certain & (2 * np.abs(beta) * reach + slack < 1))


def _right_by_offset(dual: DualProblem, beta: Array, judged: VerifiedMachine) -> Flags:
    """Which rows are right for every offset that the other rows allow, with w fixed."""
    y, f, inside = dual.target, judged.values, _inside(dual, beta)
    edge = y - f  # the change of the offset at which a row is on the edge of the margin
    outside = beta == 0
    least = np.where(inside | (outside == (y > 0)), edge, -np.inf)
    most = np.where(inside | (outside == (y < 0)), edge, np.inf)
    violation = judged.residuals.worst  # what the conditions hold up to
    lowest, highest = _largest_other(least) - violation, -_largest_other(-most) + violation
    return np.asarray(np.where(y > 0, f + lowest > 0, f + highest < 0))


def _inside(dual: DualProblem, beta: Array) -> Flags:
    return np.asarray((beta > dual.low) & (beta < dual.high))


def _largest_other(values: Array) -> Array:
    """The largest value of all but each one."""
    if len(values) < 2:
        return np.full(len(values), -np.inf)
    second, first = np.sort(values)[-2:]
    at = int(np.argmax(values))
    return np.where(np.arange(len(values)) == at, second, first)
