"""Weight, mean and sum of squares by group and column, block by block.

A block in cache is read twice, for its means and then for the squares around them, and merged
into the running values: no raw sum of squares anywhere.
"""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import kernel


@kernel
def add_spread(block, group, row_weight, weight, mean, square):
    """Merge the rows of `block` into `weight[g]`, `mean[g, j]`, `square[g, j]`, g = group[i]."""
    groups, p = mean.shape
    total = np.zeros(groups)
    sums = np.zeros((groups, p))
    squares = np.zeros((groups, p))
    for i in range(block.shape[0]):
        g = group[i]
        w = row_weight[i]
        total[g] += w
        for j in range(p):
            sums[g, j] += w * block[i, j]
    for g in range(groups):
        if total[g] > 0:
            for j in range(p):
                sums[g, j] /= total[g]
    for i in range(block.shape[0]):
        g = group[i]
        w = row_weight[i]
        for j in range(p):
            d = block[i, j] - sums[g, j]
            squares[g, j] += w * d * d
    for g in range(groups):
        if total[g] > 0:
            both = weight[g] + total[g]
            share = total[g] / both
            for j in range(p):
                d = sums[g, j] - mean[g, j]
                mean[g, j] += d * share
                square[g, j] += squares[g, j] + d * d * weight[g] * share
            weight[g] = both


@kernel
def add_spread_present(block, row_weight, weight, mean, square):
    """The same for one group, leaving out missing values: `weight[j]`, `mean[j]`, `square[j]`."""
    p = mean.shape[0]
    total = np.zeros(p)
    sums = np.zeros(p)
    squares = np.zeros(p)
    for i in range(block.shape[0]):
        w = row_weight[i]
        for j in range(p):
            v = block[i, j]
            if v == v:
                total[j] += w
                sums[j] += w * v
    for j in range(p):
        if total[j] > 0:
            sums[j] /= total[j]
    for i in range(block.shape[0]):
        w = row_weight[i]
        for j in range(p):
            v = block[i, j]
            if v == v:
                d = v - sums[j]
                squares[j] += w * d * d
    for j in range(p):
        if total[j] > 0:
            both = weight[j] + total[j]
            share = total[j] / both
            d = sums[j] - mean[j]
            mean[j] += d * share
            square[j] += squares[j] + d * d * weight[j] * share
            weight[j] = both
