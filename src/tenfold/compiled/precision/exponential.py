"""exp and log1p written out, so that loops of them become vector instructions and give the same bits everywhere."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import written_in

HIGH, LOW, PER = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 1.4426950408889634
"""ln 2 in two words, and 1 / ln 2"""
MAX_EXPONENT = 708.0


@written_in
def exp(x):
    """e to the x, to a unit in the last place; x is held within -708 and 708."""
    x = min(max(x, -MAX_EXPONENT), MAX_EXPONENT)
    k = np.rint(x * PER)
    r = (x - k * HIGH) - k * LOW
    p = 1 / 6227020800
    p = p * r + 1 / 479001600
    p = p * r + 1 / 39916800
    p = p * r + 1 / 3628800
    p = p * r + 1 / 362880
    p = p * r + 1 / 40320
    p = p * r + 1 / 5040
    p = p * r + 1 / 720
    p = p * r + 1 / 120
    p = p * r + 1 / 24
    p = p * r + 1 / 6
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * np.int64((np.int64(k) + 1023) << 52).view(np.float64)


@written_in
def log1p(x):
    """ln(1 + x) for x from 0 to 1: twice the area tangent of x / (2 + x)."""
    s = x / (2.0 + x)
    q = s * s
    p = 1 / 33
    p = p * q + 1 / 31
    p = p * q + 1 / 29
    p = p * q + 1 / 27
    p = p * q + 1 / 25
    p = p * q + 1 / 23
    p = p * q + 1 / 21
    p = p * q + 1 / 19
    p = p * q + 1 / 17
    p = p * q + 1 / 15
    p = p * q + 1 / 13
    p = p * q + 1 / 11
    p = p * q + 1 / 9
    p = p * q + 1 / 7
    p = p * q + 1 / 5
    p = p * q + 1 / 3
    p = p * q + 1.0
    return 2.0 * s * p
