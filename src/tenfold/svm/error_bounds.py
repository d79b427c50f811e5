"""What the training rows of a support vector machine prove of its error on unseen rows, if that is not much.

Two bounds, each at its own confidence. Compression: of all rows, the support vectors alone would give the same
machine. PAC-Bayes: a rule with large margins may be disturbed and still be right; the offset is the weight of a
constant 1.
"""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Claim
from tenfold.theory.bounds.bound import Bound
from tenfold.theory.bounds.occam import compression_bound
from tenfold.theory.bounds.pac_bayes import pac_bayes_margin_bound

DELTA = 0.05
"""the chance that a bound fails"""
FIXED_BEFORE_ROWS = "C and the kernel chosen before the rows were seen"


def error_claims(
    y: Array, f: Array, beta: Array, free: bool, square: float, bias: float, diagonal: Array
) -> tuple[Claim, ...]:
    """The bounds that are below one half.

    Targets -1 and 1, values and dual variables of the rows; whether some variable is inside its bounds, so that support
    vectors alone give the offset; ‖w‖², the offset, and k(x, x) of the rows.
    """
    claims, m = [], len(y)
    kept = np.asarray(beta) != 0
    if free:
        wrong = int((y * f <= 0)[~kept].sum())
        why = f"{int(kept.sum()):,} of {m:,} rows give the machine, which errs on {wrong:,} of the others"
        bound = compression_bound(int(kept.sum()), wrong, m, DELTA)
        claims += _claim("compression bound", bound, why, f"{FIXED_BEFORE_ROWS}, and the optimum of the dual")
    length = np.sqrt((square + bias * bias) * (diagonal + 1.0))
    margins = np.clip(y * f / np.where(length > 0, length, 1.0), -1.0, 1.0)
    why = f"angles of {m:,} rows with the plane (PAC-Bayes), the offset being the weight of a constant 1"
    claims += _claim("margin bound", pac_bayes_margin_bound(margins, DELTA), why, FIXED_BEFORE_ROWS)
    return tuple(claims)


def _claim(kind: str, bound: Bound, why: str, more: str) -> list[Claim]:
    """The claim, unless a coin does as well."""
    if not float(bound) < 0.5:
        return []
    assumed = f"{bound.assumptions}; {more}"
    return [Claim(kind, float(bound), "with confidence", f"with 95 % confidence: {why}", "unseen rows", assumed)]
