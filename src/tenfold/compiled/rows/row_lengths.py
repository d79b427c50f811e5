"""Rows divided by their length."""

from __future__ import annotations

import math

from tenfold.compiled.decorators import kernel

LARGEST, SUM, ROOT = 0, 1, 2


@kernel
def length_of(values, norm, unit):
    """The length of a row of values in a unit: their largest size, its sum, or the root of squares."""
    total = 0.0
    for k in range(len(values)):
        size = abs(values[k] / unit)
        if norm == LARGEST:
            total = max(total, size)
        elif norm == SUM:
            total += size
        else:
            total += size * size
    return math.sqrt(total) if norm == ROOT else total


@kernel
def divide_by_lengths(values, first, norm, out):
    """Divide row i, `values[first[i] : first[i + 1]]`, by its length; a row of zeros stays one.

    If squares may have overflowed or vanished, the row is measured in units of its largest size.
    """
    for i in range(len(first) - 1):
        row = values[first[i] : first[i + 1]]
        unit = 1.0
        length = length_of(row, norm, unit)
        if not 1e-140 < length < math.inf:
            largest = length_of(row, LARGEST, 1.0)
            if largest > 0:
                unit = largest
            length = length_of(row, norm, unit) if largest > 0 else 1.0
        for k in range(len(row)):
            out[first[i] + k] = row[k] / unit / length
