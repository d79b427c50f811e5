"""Log-densities of rows under normal columns, a model for each group of rows."""

from __future__ import annotations

import numpy as np

from tenfold.kernels.decorators import kernel


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
