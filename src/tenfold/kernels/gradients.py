"""Losses of boosting: their gradients in whole units, their values, and margins that take in a new tree."""

from __future__ import annotations

import math

import numpy as np

from tenfold.kernels.compiling import kernel

SQUARED, ABSOLUTE, QUANTILE, POISSON, LOGISTIC, SOFTMAX = range(6)
MOST = 1 << 36
"""the largest gradient, in units: what is larger counts as this"""


@kernel
def gradients(loss, margin, output, target, weight, level, g_unit, h_unit, g, h):
    """g and h of each row for one output: slope and curvature of its loss, times its weight, in whole units.

    margin: rows x outputs. weight: empty, if every one is one. h is left alone if the curvature is one.
    """
    for i in range(len(margin)):
        m, y = margin[i, output], target[i]
        w = weight[i] if len(weight) else 1.0
        curve = 1.0
        if loss == LOGISTIC:
            q = 1.0 / (1.0 + math.exp(-m))
            slope, curve = q - y, q * (1.0 - q)
        elif loss == SOFTMAX:
            top = margin[i, 0]
            for c in range(1, margin.shape[1]):
                top = max(top, margin[i, c])
            total = 0.0
            for c in range(margin.shape[1]):
                total += math.exp(margin[i, c] - top)
            q = math.exp(m - top) / total
            slope, curve = q - (1.0 if y == output else 0.0), q * (1.0 - q)
        elif loss == POISSON:
            q = math.exp(m)
            slope, curve = q - y, q
        elif loss == SQUARED:
            slope = m - y
        else:
            up, down = (1.0 - level, -level) if loss == QUANTILE else (1.0, -1.0)
            slope = up if m > y else (down if m < y else 0.0)
        g[i] = np.int64(min(max(np.rint(slope * w / g_unit), -MOST), MOST))
        if len(h):
            h[i] = np.int64(min(np.rint(curve * w / h_unit), MOST))


@kernel
def loss_sum(loss, margin, target, weight, level, keep, unit):
    """Loss of the rows that are kept for learning, and of the others, in whole units; and their weights."""
    sums = np.zeros(2, np.int64)
    heft = np.zeros(2)
    for i in range(len(margin)):
        y = target[i]
        w = weight[i] if len(weight) else 1.0
        if loss == SOFTMAX:
            top = margin[i, 0]
            for c in range(1, margin.shape[1]):
                top = max(top, margin[i, c])
            total = 0.0
            for c in range(margin.shape[1]):
                total += math.exp(margin[i, c] - top)
            value = top + math.log(total) - margin[i, int(y)]
        else:
            m = margin[i, 0]
            if loss == LOGISTIC:
                value = max(m, 0.0) - m * y + math.log1p(math.exp(-abs(m)))
            elif loss == POISSON:
                value = math.exp(m) - y * m
            elif loss == SQUARED:
                value = 0.5 * (m - y) ** 2
            else:
                up, down = (1.0 - level, level) if loss == QUANTILE else (1.0, 1.0)
                value = up * (m - y) if m > y else down * (y - m)
        side = 0 if keep[i] else 1
        sums[side] += np.int64(np.rint(min(max(value * w / unit, -(2.0**62)), 2.0**62)))
        heft[side] += w
    return sums, heft


@kernel
def add_leaves(index, start, stop, value, output, margin):
    """margin[i, output] += the value of the leaf in which row i is; leaves are spans of the index."""
    for k in range(len(start)):
        v = value[k]
        for i in range(start[k], stop[k]):
            margin[index[i], output] += v


@kernel
def add_values(nodes, value, output, margin):
    """margin[i, output] += the value of the node of row i."""
    for i in range(len(nodes)):
        margin[i, output] += value[nodes[i]]


@kernel
def kept(numbers, seed, draw, share, out):
    """Whether each row, by its number, is in a share of all: the same rows wherever they are."""
    for i in range(len(numbers)):
        x = (
            np.uint64(numbers[i]) * np.uint64(0x9E3779B97F4A7C15)
            + np.uint64(seed)
            + np.uint64(draw) * np.uint64(0xD1B54A32D192ED03)
        )
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
        out[i] = float(x >> np.uint64(11)) * 2.0**-53 < share
