"""The VC dimension of hyperplanes that keep their distance."""

from __future__ import annotations

from math import ceil, inf

from tenfold.theory.bounds.bound import Bound, below
from tenfold.theory.checks import positive


def margin_dimension(radius: float, margin: float, dimension: float = inf) -> Bound:
    """How many points hyperplanes with a margin can shatter.

    Parameters
    ----------
    radius : float
        The points are within this distance of a centre.
    margin : float
        Half the width of the empty strip: 1/‖w‖ where y(w'x + b) ≥ 1.
    dimension : float, default=inf
        Dimensions of the space.

    Returns
    -------
    Bound
        min(⌈R²/γ²⌉, d) + 1; vacuous where it is that of all hyperplanes, d + 1.

    Examples
    --------
    >>> from tenfold.theory import margin_dimension
    >>> float(margin_dimension(1.0, 0.25, 1000))
    17.0
    >>> margin_dimension(1.0, 0.25, 2).vacuous
    True
    """
    ratio = positive("radius", radius) / positive("margin", margin)
    d = positive("dimension", dimension, finite=False)
    value = min(ceil(ratio * ratio) if ratio < 1e150 else inf, d) + 1
    assumptions = "points in a ball of this radius, hyperplanes at least the margin away from each"
    return below(d + 1, value, "min(ceil(R²/γ²), d) + 1", assumptions)
