"""Log-densities of rows under normal columns, a model for each group of rows."""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import kernel


@kernel
def log_density(block, group, level, theta, narrow, out):
    """out[i, c] = level[g, c] - Σ_j (x_ij - theta[g, c, j])² narrow[g, c, j], where g = group[i].

    Eight sums side by side, so that none waits for the one before.
    """
    m, p = block.shape
    classes = level.shape[1]
    whole = p - p % 8
    sums = np.empty(8)
    for i in range(m):
        g = group[i]
        row = block[i]
        for c in range(classes):
            middle = theta[g, c]
            factor = narrow[g, c]
            for l in range(8):
                sums[l] = 0.0
            for j in range(0, whole, 8):
                for l in range(8):
                    d = row[j + l] - middle[j + l]
                    sums[l] += d * d * factor[j + l]
            for j in range(whole, p):
                d = row[j] - middle[j]
                sums[j - whole] += d * d * factor[j]
            a = (sums[0] + sums[4]) + (sums[1] + sums[5])
            out[i, c] = level[g, c] - (a + ((sums[2] + sums[6]) + (sums[3] + sums[7])))
