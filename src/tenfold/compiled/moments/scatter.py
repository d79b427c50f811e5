"""Squares and products of rows around the means of their classes, by group, a cache-full of rows at a time."""

from __future__ import annotations

from tenfold.compiled.blas import add_gram
from tenfold.compiled.decorators import kernel


@kernel
def add_scatter(rows, weight, root, group, y, shift, counts, buffer, gram, sums, total):
    """Add rows x, minus `shift[c]` of their class c = y[i], to the sums of their group g = group[i].

    The Gram matrix of √w x goes to the lower triangle of `gram[g]`, the sums of w x to `sums[g, c]` and those of w to
    `total[g, c]`. `weight` and `root`, its square roots, are empty where every weight is one. `counts` (groups + 1)
    and `buffer` (as many rows) are scratch; rows of group -1 are left out.
    """
    n, p = rows.shape
    groups = gram.shape[0]
    for g in range(groups + 1):
        counts[g] = 0
    for i in range(n):
        if group[i] >= 0:
            counts[group[i] + 1] += 1
    for g in range(groups):
        counts[g + 1] += counts[g]
    for i in range(n):
        g, c = group[i], y[i]
        if g < 0:
            continue
        into, middle, sum_ = buffer[counts[g]], shift[c], sums[g, c]
        counts[g] += 1
        if root.shape[0]:
            total[g, c] += weight[i]
            for j in range(p):
                d = rows[i, j] - middle[j]
                into[j] = d * root[i]
                sum_[j] += d * weight[i]
        else:
            total[g, c] += 1.0
            for j in range(p):
                d = rows[i, j] - middle[j]
                into[j] = d
                sum_[j] += d
    start = 0
    for g in range(groups):  # counts[g] is now where the group ends
        if counts[g] > start:
            add_gram(buffer[start : counts[g]], gram[g])
        start = counts[g]
