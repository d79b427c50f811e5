"""What is claimed of a least-squares solution."""

from __future__ import annotations

from tenfold.core import Claim
from tenfold.linear_model.least_squares.normal_equations import Solution


def claims_of(found: Solution, how: str) -> tuple[Claim, ...]:
    """How near to the optimum, how many digits hold, and whether columns repeat each other."""
    usual = "rounding errors independent and of the usual size"
    why = f"residual of the normal equations ({how}), as a share of the squares of y"
    zero = "one below 1e-10 of what alone would explain the target counts as zero"
    which = f"perturbation of the least certain coefficient ({zero}), from merged {how}"
    if found.lost:
        which = "a column, or the target, is too small to be squared. Remedy: rescale it"
    claims = [
        Claim("gap", found.gap, "estimated", why, "objective", usual),
        Claim("digits", found.digits, "estimated", which, "arithmetic", usual),
    ]
    varying = int(found.varies.sum())
    if found.rank == varying:
        why = "of the normal equations, each column in its own unit: how much errors, as shares, can grow on the way"
        claims.append(Claim("condition", found.condition, "estimated", why, "data", usual))
    if varying < len(found.varies):
        why = "these columns change by no more than rounding, or by too little to be squared; their coefficient is 0"
        still = float(len(found.varies) - varying)
        claims.append(Claim("constant columns", still, "estimated", why, "data"))
    if found.rank < varying:
        why = f"only {found.rank} of {varying} columns are linearly independent; the minimum-norm solution is given"
        claims.append(Claim("rank", float(found.rank), "estimated", why, "data"))
    return tuple(claims)
