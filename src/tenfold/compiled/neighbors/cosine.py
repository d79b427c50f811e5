"""Cosines of many numbers at once: without branches, so that the loop becomes vector instructions, same bits on each.

cos z = ±cos r, with r what is left of z after the nearest multiple of π, taken off in three parts that are exact; and
the series of the cosine, whose rest is below 2e-17 for ``|r|`` at most π/2.
"""

from __future__ import annotations

import math

from tenfold.compiled.decorators import kernel

MAX_EXACT_MULTIPLE = 1e5
"""beyond it, a multiple of the first parts of π is not exact"""
PI_1 = 3.1415926534682512
"""the first 33 bits of π, the next 33, the rest"""
PI_2 = 1.2154201012607932e-10
PI_3 = 4.044532497591901e-21


@kernel
def cosines(values, offset, factor):
    """Replace each value by factor · cos(values[i, j] + offset[j]); arguments beyond ±FAR take longer."""
    far = 0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            z = values[i, j] + offset[j]
            values[i, j] = z
            far += 0 if abs(z) < MAX_EXACT_MULTIPLE else 1
    if far:
        for i in range(values.shape[0]):
            for j in range(values.shape[1]):
                values[i, j] = factor * math.cos(values[i, j])
        return
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            z = values[i, j]
            turns = math.floor(z * 0.3183098861837907 + 0.5)
            r = ((z - turns * PI_1) - turns * PI_2) - turns * PI_3
            sign = 1.0 - 2.0 * (turns - 2.0 * math.floor(turns * 0.5))
            q = r * r
            c = 4.110317623312165e-19
            c = c * q - 1.5619206968586225e-16
            c = c * q + 4.779477332387385e-14
            c = c * q - 1.1470745597729725e-11
            c = c * q + 2.08767569878681e-09
            c = c * q - 2.755731922398589e-07
            c = c * q + 2.48015873015873e-05
            c = c * q - 0.001388888888888889
            c = c * q + 0.041666666666666664
            c = c * q - 0.5
            values[i, j] = factor * sign * (c * q + 1.0)
