"""Log-densities of rows under normal columns, a model for each group of rows."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel


@kernel
def log_density(block, group, level, theta, narrow, out):
    """out[i, c] = level[g, c] - Σ_j (x_ij - theta[g, c, j])² narrow[g, c, j], where g = group[i].

    The terms of a row are added in pairs, eight at a time: no sum waits for the one before.
    """
    m, p = block.shape
    classes = level.shape[1]
    terms = np.zeros((p + 7) // 8 * 8)
    for i in range(m):
        g = group[i]
        row = block[i]
        for c in range(classes):
            middle, factor = theta[g, c], narrow[g, c]
            for j in range(p):
                d = row[j] - middle[j]
                terms[j] = d * d * factor[j]
            n = len(terms)
            while n > 8:
                half = (n + 8) // 16 * 8
                for j in range(n - half):
                    terms[j] += terms[half + j]
                n = half
            a = (terms[0] + terms[4]) + (terms[1] + terms[5])
            out[i, c] = level[g, c] - (a + ((terms[2] + terms[6]) + (terms[3] + terms[7])))


@kernel
def add_log_density(block, group, level, theta, narrow, out):
    """out[i, c] += Σ_j level[g, c, j] - (x_ij - theta[g, c, j])² narrow[g, c, j] of what is not missing, g = group[i].

    Eight sums that do not wait for each other.
    """
    m, p = block.shape
    sums = np.empty(8)
    for i in range(m):
        g = group[i]
        row = block[i]
        for c in range(level.shape[1]):
            height, middle, factor = level[g, c], theta[g, c], narrow[g, c]
            sums[:] = 0.0
            whole = p // 8 * 8
            for j in range(0, whole, 8):
                for k in range(8):
                    x = row[j + k]
                    d = x - middle[j + k]
                    sums[k] += height[j + k] - d * d * factor[j + k] if x == x else 0.0
            for j in range(whole, p):
                x = row[j]
                d = x - middle[j]
                sums[j - whole] += height[j] - d * d * factor[j] if x == x else 0.0
            out[i, c] += ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
