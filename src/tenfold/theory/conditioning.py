"""Well-posed problems: whether a quadratic has one minimum, and how far that moves if the problem is known roughly."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from tenfold.theory.bounds.bound import Bound, below
from tenfold.theory.checks import between, matrix


def condition_number(P: ArrayLike) -> float:
    """The largest eigenvalue over the least, of the quadratic ½x'Px + q'x.

    Parameters
    ----------
    P : array of shape (n, n)
        Symmetric and positive semi-definite.

    Returns
    -------
    float
        At least 1; infinite if the quadratic is flat along some direction, so that it has no minimum or many: then the
        problem is not well-posed. A penalty of ½α‖x‖² makes it so: (λ₁ + α)/(λₙ + α).

    Examples
    --------
    >>> from tenfold.theory import condition_number
    >>> [round(condition_number(P), 9) for P in ([[4, 0], [0, 1]], [[2, 1], [1, 2]])]
    [4.0, 3.0]
    >>> condition_number([[1, 1], [1, 1]])
    inf
    """
    table = np.asarray(P, dtype=np.float64)
    P = matrix("P", P, len(table) if table.ndim else 0)
    off = 1e-10 * float(np.abs(P).max(initial=0.0))
    if P.shape[0] != P.shape[1] or not (np.abs(P - P.T) <= off).all():
        raise ValueError("P must be symmetric: as many rows as columns, the same above and below the diagonal")
    values = np.linalg.eigvalsh(P)
    least, most = float(values[0]), float(values[-1])
    rounding = len(P) * float(np.finfo(np.float64).eps) * max(abs(least), abs(most))
    if least < -rounding:
        raise ValueError(f"P must be positive semi-definite, but has an eigenvalue of {least:.3g}")
    return most / least if least > rounding else inf


def minimum_shift(condition: float, in_P: float, in_q: float) -> Bound:
    """Bound of the shift of the minimum of ½x'Px + q'x under perturbations of P and q of given size.

    Parameters
    ----------
    condition : float
        `condition_number(P)`, at least 1.
    in_P, in_q : float
        Errors, as shares of the norms of P and of q: ‖δP‖/‖P‖ and ‖δq‖/‖q‖.

    Returns
    -------
    Bound
        ‖δx‖/‖x‖ ≤ κ (‖δP‖/‖P‖ + ‖δq‖/‖q‖) / (1 - κ ‖δP‖/‖P‖); vacuous where the errors could make P singular.

    Examples
    --------
    >>> from tenfold.theory import minimum_shift
    >>> round(float(minimum_shift(1e3, 1e-6, 1e-6)), 6)
    0.002002
    >>> minimum_shift(1e6, 1e-6, 0.0).vacuous
    True
    """
    condition = between("condition", condition, 1.0, inf)
    in_P, in_q = between("in_P", in_P, 0.0, inf), between("in_q", in_q, 0.0, inf)
    room = 1 - condition * in_P if in_P else 1.0
    value = condition * (in_P + in_q) / room if room > 0 and condition < inf else inf
    formula = "κ (‖δP‖/‖P‖ + ‖δq‖/‖q‖)/(1 - κ ‖δP‖/‖P‖)"
    return below(inf, value, formula, "P symmetric and positive definite, errors at most as large as said")
