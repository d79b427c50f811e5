"""Moments: from around a shift to around the mean, and merged by the rule of Chan, Golub and LeVeque."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.blas import dot, multiply
from tenfold.compiled.decorators import dividing
from tenfold.compiled.precision.error_free import two_sum

MIN_SHARE_LEFT = 1e-4
"""share of a sum of squares, around a shift, that must be left around the mean"""


@dividing
def rough_means(rows, weight, total, mean):
    """The mean of each column, or its first value where that overflows; whether each is within its spread of zero.

    `total` is the sum of the weights.
    """
    n, p = rows.shape
    off, sums = np.empty((n, p)), np.zeros(p)
    for i in range(n):
        for j in range(p):
            off[i, j] = rows[i, j] - rows[0, j]
    weigh(weight, off, sums)
    for j in range(p):
        mean[j] = rows[0, j] + sums[j] / total
        if not math.isfinite(mean[j]):
            mean[j] = rows[0, j]
        sums[j] = 0.0
    for i in range(n):
        for j in range(p):
            off[i, j] = (rows[i, j] - mean[j]) * (rows[i, j] - mean[j])
    weigh(weight, off, sums)
    near = True
    for j in range(p):
        near &= abs(mean[j]) <= math.sqrt(sums[j] / total)
    return near


@dividing
def weigh(weight, block, sums):
    """Add the weighted sum of each column."""
    if block.shape[1] == 1:
        sums[0] += dot(weight, block[:, 0])
    else:
        multiply(True, block, weight, sums)


@dividing
def move_to_mean(gram, shift, mean, rest, comoment):
    """Moments from the Gram matrix of √w (z - shift) and √w, of which the lower triangle is read.

    Return whether the shift was so far from the mean that squares around it lost digits.
    """
    q = len(shift)
    weight = gram[q, q]
    offset = np.empty(q)
    far = False
    for i in range(q):
        offset[i] = gram[q, i] / weight
        mean[i], rest[i] = two_sum(shift[i], offset[i])
        far |= gram[i, i] - weight * (offset[i] * offset[i]) < MIN_SHARE_LEFT * gram[i, i]
    for i in range(q):
        for j in range(i + 1):
            value = (gram[i, j] - weight * (offset[i] * offset[j])) + 0.0  # no -0
            comoment[i, j] = value
            comoment[j, i] = value
    return far


@dividing
def move_each_to_mean(gram, shift, mean, rest, comoment, far):
    """Compute the moments of each group from its Gram matrix, as `move_to_mean`; zeros for a group without rows."""
    q = len(shift)
    for g in range(len(gram)):
        if gram[g, q, q] != 0.0:
            far[g] = move_to_mean(gram[g], shift, mean[g], rest[g], comoment[g])
        else:
            far[g] = False
            mean[g] = 0.0
            rest[g] = 0.0
            comoment[g] = 0.0


@dividing
def correlate(second, varies, scale, out):
    """out[i, j] = second[i, j] / (scale[i] scale[j]), with ones on the diagonal; 0 beside columns that do not vary."""
    for i in range(len(scale)):
        for j in range(len(scale)):
            out[i, j] = second[i, j] / (scale[i] * scale[j]) if varies[i] and varies[j] else 0.0
        out[i, i] = 1.0


@dividing
def merge_moments(weight1, mean1, rest1, comoment1, weight2, mean2, rest2, comoment2, mean, rest, comoment):
    """Merge two moments, neither of weight zero; return whether all sums of squares are finite."""
    q = len(mean)
    share = weight2 / (weight1 + weight2)
    between = weight1 * share
    delta = np.empty(q)
    for j in range(q):
        delta[j] = (mean2[j] - mean1[j]) + (rest2[j] - rest1[j])
        mean[j], rest[j] = two_sum(mean1[j], rest1[j] + delta[j] * share)
    fine = True
    for i in range(q):
        for j in range(q):  # (δᵢ δⱼ) first: symmetric to the bit
            comoment[i, j] = comoment1[i, j] + comoment2[i, j] + (delta[i] * delta[j]) * between
        fine &= math.isfinite(comoment[i, i])
    return fine


@dividing
def merge_pairs(pairs, first, weight, mean, rest, comoment):
    """Merge pairs of moments in an array, none of weight zero: the result of pair k is stored at `first + k`.

    A pair may refer to results of earlier pairs. Return whether all sums of squares are finite.
    """
    fine = True
    for k in range(len(pairs)):
        a, b, to = pairs[k, 0], pairs[k, 1], first + k
        weight[to] = weight[a] + weight[b]
        fine &= merge_moments(
            weight[a], mean[a], rest[a], comoment[a], weight[b], mean[b], rest[b], comoment[b],
            mean[to], rest[to], comoment[to],
        )  # fmt: skip
    return fine
