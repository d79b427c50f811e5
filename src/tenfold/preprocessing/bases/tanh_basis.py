"""Hyperbolic basis functions: z_jm = tanh(γ_j (x_j - c_mj)), for each column j and each centre m."""

from __future__ import annotations

import numpy as np

from tenfold.core import Array
from tenfold.preprocessing.bases.bases import Basis


class TanhBasis(Basis):
    """Make of each column some steps from -1 to 1, each at a centre; exact in one pass.

    A linear model of these is one of `SigmoidBasis` with half the gamma: tanh(z) = 2 σ(2z) - 1.

    Parameters
    ----------
    centers : int or array of shape (centers, columns), default=5
        How many to find for each column, or where they are.
    gamma : float or "auto", default="auto"
        How steep the steps are. "auto": one over the mean distance of a column's neighbouring centres.
    spacing : {"quantiles", "grid"}, default="quantiles"
        Where to find centres: in the middle of equal shares of the rows (of a sample, if there are more than
        16,384 distinct ones), or evenly from the smallest value to the largest.
    random_state : int, default=0
        Seed of that sample. None draws one, and the certificate records it.

    Attributes
    ----------
    centers_ : array of shape (centers, columns)
    gamma_ : array of shape (columns,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import TanhBasis
    >>> TanhBasis([[0.0], [1.0]], gamma=2.0).fit_transform([[0.0], [1.0]]).round(3).tolist()
    [[0.0, -0.964], [0.964, 0.0]]
    """

    short = "tanh"

    def functions(self, away: Array) -> Array:
        found: Array = np.tanh(away)
        return found
