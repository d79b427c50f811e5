"""Weight, mean and centred square of one number to a row, of many cells: cell after cell."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import dividing
from tenfold.compiled.moments.cells import sum_in_pairs
from tenfold.compiled.precision.error_free import two_sum


@dividing
def summarize_centres(numbers, weight, starts, total, mean, rest, square):
    """The centre of each cell; cell c has the numbers from `starts[c]` up to `starts[c + 1]`.

    Without any weight a cell has zeros.
    """
    longest = 0
    for c in range(len(starts) - 1):
        longest = max(longest, starts[c + 1] - starts[c])
    around, product = np.empty(longest), np.empty(longest)
    for c in range(len(starts) - 1):
        a = starts[c]
        n = starts[c + 1] - a
        total[c] = sum_in_pairs(weight[a : a + n])
        if total[c] == 0.0:
            mean[c] = rest[c] = square[c] = 0.0
            continue
        first = numbers[a]
        for i in range(n):
            around[i] = numbers[a + i] - first  # exactly zero where all are equal
            product[i] = weight[a + i] * around[i]
        shift = sum_in_pairs(product[:n]) / total[c]
        for i in range(n):
            around[i] -= shift
            product[i] = weight[a + i] * around[i]
        slip = sum_in_pairs(product[:n])  # zero but for rounding: Σ w d² - (Σ w d)² / Σ w takes that rounding out again
        for i in range(n):
            product[i] *= around[i]
        square[c] = max(0.0, sum_in_pairs(product[:n]) - slip * slip / total[c])
        mean[c], rest[c] = two_sum(first, shift + slip / total[c])
