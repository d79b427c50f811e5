"""Scores of rows under linear and quadratic discriminants, a model for each group of rows."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.blas import products
from tenfold.compiled.decorators import kernel


@kernel
def linear_scores(block, group, center, coef, level, out):
    """out[i, c] = level[g, c] + <x_i - center[g], coef[g, c]>, where g = group[i].

    The terms of a row are added in pairs, eight at a time: no sum waits for the one before.
    """
    m, p = block.shape
    terms = np.zeros((p + 7) // 8 * 8)
    for i in range(m):
        g = group[i]
        row, middle = block[i], center[g]
        for c in range(level.shape[1]):
            w = coef[g, c]
            for j in range(p):
                terms[j] = (row[j] - middle[j]) * w[j]
            n = len(terms)
            while n > 8:
                half = (n + 8) // 16 * 8
                for j in range(n - half):
                    terms[j] += terms[half + j]
                n = half
            a = (terms[0] + terms[4]) + (terms[1] + terms[5])
            out[i, c] = level[g, c] + (a + ((terms[2] + terms[6]) + (terms[3] + terms[7])))


@kernel
def quadratic_scores(rows, group, center, whitening, moved, level, counts, order, buffer, product, out):
    """out[i, c] = level[g, c] - ½ |whitening[g, c] (x_i - center[g]) - moved[g, c]|², where g = group[i].

    Rows are put in order of their groups, minus `center[g]`, so that one product of matrices serves all rows of a
    group. `counts` (groups + 1), `order`, `buffer` (as many rows) and `product` (columns x as many rows) are scratch.
    """
    n, p = rows.shape
    groups, classes = level.shape
    for g in range(groups + 1):
        counts[g] = 0
    for i in range(n):
        counts[group[i] + 1] += 1
    for g in range(groups):
        counts[g + 1] += counts[g]
    for i in range(n):
        g = group[i]
        at = counts[g]
        counts[g] += 1
        order[at] = i
        for j in range(p):
            buffer[at, j] = rows[i, j] - center[g, j]
    half = np.empty(n)
    start = 0
    for g in range(groups):  # counts[g] is now where the group ends
        stop = counts[g]
        if stop > start:
            m = stop - start
            for c in range(classes):
                products(buffer[start:stop], whitening[g, c], 1.0, product)
                half[:m] = 0.0
                for k in range(p):
                    b = moved[g, c, k]
                    for i in range(m):
                        z = product[k, i] - b
                        half[i] += z * z
                for i in range(m):
                    out[order[start + i], c] = level[g, c] - 0.5 * half[i]
        start = stop
